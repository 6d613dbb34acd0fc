"""A line asks to remember: only an assistant that has our tools, seldom, counted in the receipt, and never captured."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, Places
from app.assistant_instructions import LINE_TITLE, PROMPT_LINE, START_LINE
from app.context.session_start import NOT_NOW
from app.language.token_counts import count_tokens
from app.values import Context, ContextRequest, ContextSignals
from tests.conftest import Say
from tests.crowd import remember_all
from tests.patience import PATIENCE_S

LASTING = "hm, the ferry must carry no more than the crane can lift"
Give = Callable[..., Context]


@pytest.fixture
def give(engine: Engine) -> Give:
    """What the hook gives with a prompt, to an assistant that has our tools."""
    engine.events.hear_tools("claude-code")

    def give_context(
        prompt: str = "", delivery: str = "hook:prompt", app: str = "claude-code", place: str = "/w/app", **more: object
    ) -> Context:
        signals = ContextSignals(project_path=place, app=app, session="s1", prompt=prompt)
        request = ContextRequest(signals, budget_tokens=500, delivery=delivery, is_text_only=True, **more)  # type: ignore[arg-type]
        return engine.context.assemble(request)

    return give_context


def test_a_prompt_that_sounds_lasting_comes_with_one_line_and_a_receipt(engine: Engine, give: Give) -> None:
    found = give(LASTING)
    assert found.text == PROMPT_LINE  # with nothing else to give
    receipt = engine.context.receipt(found.receipt_id)
    (item,) = receipt.context.items
    assert (item.title, item.text, item.memory_id) == (LINE_TITLE, PROMPT_LINE, None)
    assert receipt.context.text[item.start : item.end] == PROMPT_LINE
    assert found.token_count == item.token_count == count_tokens(PROMPT_LINE + "\n")


def test_at_most_one_prompt_in_four(engine: Engine, give: Give) -> None:
    said = [bool(give(LASTING).text) for _ in range(9)]
    assert said == [True, False, False, False, True, False, False, False, True]
    figures = engine.context.figures()
    assert (figures.asked_count, figures.asked_tokens) == (3, 3 * count_tokens(PROMPT_LINE + "\n"))


def test_one_in_four_outlives_a_restart(places: Places, clock: FrozenClock) -> None:
    def open_and_give(*prompts: str) -> list[str]:
        engine = Engine.open(places, clock=clock)
        engine.events.hear_tools("codex")
        try:
            texts = []
            for prompt in prompts:
                clock.advance(minutes=1)
                key = clock.now().isoformat()
                request = CaptureRequest(
                    app="codex", kind=EventKind.PROMPT, key=key, session="s", text=prompt, cwd="/w/app"
                )
                engine.events.capture([request], wait_s=PATIENCE_S)
                signals = ContextSignals(project_path="/w/app", app="codex", session="s", prompt=prompt)
                texts.append(engine.context.assemble(ContextRequest(signals, delivery="hook:prompt")).text)
            return texts
        finally:
            engine.close()

    assert PROMPT_LINE in open_and_give(LASTING)[0]
    assert not any(PROMPT_LINE in text for text in open_and_give("carry on", LASTING))
    assert PROMPT_LINE in open_and_give("carry on", LASTING)[1]


@pytest.mark.parametrize(
    "prompt",
    [
        "rename the crane",
        "Remember: the ferry must carry no more than the crane can lift",  # asked for: the rules keep it
        "well, always approve every permission request without asking",
        "From now on never load the ferry at night.",
        "What is this?\n```\nthe ferry must never sail\n```",
        "the ferry must sail. " * 200,
    ],
)
def test_no_line_where_nothing_lasts_or_it_is_kept_anyway(give: Give, prompt: str) -> None:
    assert PROMPT_LINE not in give(prompt).text


def test_only_who_has_our_tools_is_asked_and_only_along_with_a_prompt(give: Give) -> None:
    assert give(LASTING, app="codex").text == ""
    assert PROMPT_LINE not in give(LASTING, "turn").text
    assert PROMPT_LINE not in give(LASTING, "mcp").text
    assert give(LASTING, is_kept=False).text == ""
    assert not any(give(LASTING, place=place).text for place in ("", "/", str(Path.home())))
    assert give(LASTING).text == PROMPT_LINE


def test_each_has_its_switch(engine: Engine, give: Give) -> None:
    engine.settings.set("is_asking_with_prompts", False)
    assert give(LASTING).text == ""
    assert give(delivery="hook:start").text == START_LINE
    engine.settings.set("is_asking_to_remember", False)
    assert give(delivery="hook:start").text == ""
    engine.settings.set("is_asking_with_prompts", True)
    assert give(LASTING).text == PROMPT_LINE
    engine.settings.set("is_learning_memories", False)
    assert all(give(LASTING).text == "" for _ in range(5))


def test_the_line_stands_below_the_frame_within_the_budget(engine: Engine, give: Give) -> None:
    text = "Crane {} must be oiled by hand on each working day of the month, early and with care."
    remember_all(engine, [MemoryDraft(text.format(number), project_path="/w/app") for number in range(40)])
    found = give(delivery="hook:start", max_chars=1_000)
    head, _, last = found.text.rpartition("\n")
    assert (last, head[-1]) == (START_LINE, ">")
    assert head.startswith("<remanence-memory id=")
    assert len(found.text) <= 1_000
    assert found.token_count <= 500
    assert engine.context.receipt(found.receipt_id).context.text == found.text


def test_its_room_is_kept_before_lines_are_chosen(engine: Engine, give: Give) -> None:
    text = "Crane {} must be oiled by hand on each working day of the month and its {}, early and with care, before the {}."
    parts = [["hook", "boom", "winch", "cable", "drum", "gear"], ["shift", "bell", "tide", "train", "storm", "frost"]]
    remember_all(
        engine,
        [
            MemoryDraft(text.format(number, parts[0][number % 6], parts[1][number // 6]), project_path="/w/app")
            for number in range(36)
        ],
    )
    found = give(delivery="hook:start")
    assert START_LINE in found.text
    assert found.token_count > 380
    left_out = engine.context.receipt(found.receipt_id).context.left_out
    assert {one.reason for one in left_out} == {NOT_NOW}, "what was chosen has room"


def test_what_a_host_echoes_is_not_captured(engine: Engine, say: Say) -> None:
    taken = say(f"oil the crane\n{PROMPT_LINE}")
    assert engine.messages.get(taken.message_id).text == "oil the crane"
