"""A context that is asked for tells the history of the module at hand, how failures were solved, and what is not settled."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.api import (
    ArtifactKind,
    CaptureRequest,
    ContextRequest,
    ContextSignals,
    Engine,
    EventKind,
    FactType,
    FrozenClock,
    MemoryDraft,
    MemoryKind,
)
from app.deciders.memory.open_matters import OpenMatter, find_open_matter
from app.memories.new_memory import NewSource, insert_source
from app.store.rows.context import fetch
from app.store.rows.episode import _OF_MODULE
from app.store.rows.work_history import keep_branch
from app.values import Activity, Origin, Tier
from tests.benchmarks.bench_scenarios import SCENARIOS, fill, make_request
from tests.crowd import remember_all
from tests.patience import PATIENCE_S

Say = Callable[..., Any]
PROJECT = "/w/shop"
FILE = "src/payment/charge.py"


def ask(
    engine: Engine, *, file: str = FILE, branch: str = "", delivery: str = "api", prompt: str = ""
) -> dict[Tier, str]:
    signals = ContextSignals(project_path=PROJECT, current_file=file, branch=branch, prompt=prompt)
    made = engine.context.assemble(ContextRequest(signals, delivery=delivery))
    return {tier: "\n".join(item.text for item in made.items if item.tier is tier) for tier in Tier}


def given(engine: Engine, text: str, file: str, **details: Any) -> int:
    made = engine.memories.create(
        MemoryDraft(text, kind=MemoryKind.EPISODE, title=text[:20], project_path=PROJECT, details=details)
    )
    engine.memories.attach(made, ArtifactKind.FILE, file)
    return made


def test_episodes_are_found_by_an_index_of_theirs(engine: Engine) -> None:
    values = {"file": FILE, "first": "src/payment/", "past": "src/payment0", "project": 1, "most": 8}
    with engine._core.store.read() as connection:
        plan = fetch(connection, f"EXPLAIN QUERY PLAN {_OF_MODULE}", values)
    assert plan[0][3] == "SEARCH m USING COVERING INDEX ix_memory_episode (project_id=?)"


@pytest.mark.seed("S4", "tier3.history")
def test_the_history_of_the_module_stands_in_the_background(engine: Engine) -> None:
    given(engine, "Charging was moved to whole cents.", FILE)
    given(engine, "Refunds were split from charging.", "src/payment/refund.py")
    given(engine, "The lantern was lit.", "src/lantern/light.py")
    signals = ContextSignals(project_path=PROJECT, current_file=FILE)
    made = engine.context.assemble(ContextRequest(signals, delivery="api"))
    told_as = {item.text.partition("] ")[2]: (item.tier, item.reason) for item in made.items}
    assert told_as["Charging was moved to whole cents."] == (Tier.BACKGROUND, f"history of {FILE}")
    assert told_as["Refunds were split from charging."] == (Tier.BACKGROUND, "history of src/payment")
    assert not any("history" in reason for text, (_, reason) in told_as.items() if "lantern" in text)


def test_s4s_first_example_is_told_of_a_similar_feature_though_much_else_fits_better(
    engine: Engine, tmp_path: Path
) -> None:
    """Over the made-up shop of `bench_scenarios`, with its five hundred memories."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    fill(engine, str(tmp_path / "shop"))
    made = engine.context.assemble(make_request(SCENARIOS[Activity.FEATURE], str(tmp_path / "shop"), 8_000))
    related = [item.text for item in made.items if item.tier is Tier.RELEVANT]
    assert any("Vouchers were added to the payment module" in text for text in related)


def test_an_earlier_failure_comes_with_what_solved_it(engine: Engine) -> None:
    moment = {"type": "problem_solved", "turn": 2, "text": "AssertionError: 3 != 4", "fix": "changing charge.py"}
    given(engine, "Charging was moved to whole cents.", FILE, moments=[moment])
    line = "Earlier failure around charge.py: AssertionError: 3 != 4. Solved by changing charge.py."
    assert line in ask(engine)[Tier.RELEVANT]
    assert "Earlier failure" not in "".join(ask(engine, file="src/payment/other.py").values())


def test_a_prompt_alone_and_a_start_get_none_of_it(engine: Engine) -> None:
    moment = {"type": "problem_solved", "turn": 2, "text": "AssertionError: 3 != 4", "fix": "changing charge.py"}
    given(engine, "Charging was moved to whole cents.", FILE, moments=[moment])
    for delivery in ("hook:start", "hook:prompt", "turn"):
        said = "".join(ask(engine, delivery=delivery, prompt="what about the lantern?").values())
        assert "Earlier failure" not in said
        assert "whole cents" not in said


def test_what_was_learned_from_work_is_told_again(engine: Engine, say: Say, clock: FrozenClock) -> None:
    """From the tools' own signs to the line, nothing written by hand."""
    say("make the charge round half to even", cwd=PROJECT)
    numbers = iter(range(1, 10))
    for name, given, response in (
        ("Edit", {"file_path": f"{PROJECT}/{FILE}"}, {}),
        ("Bash", {"command": "pytest tests/payment"}, {"exit_code": 1, "stdout": "E  AssertionError: 3 != 4"}),
        ("Edit", {"file_path": f"{PROJECT}/{FILE}"}, {}),
        ("Bash", {"command": "pytest tests/payment"}, {"exit_code": 0}),
        ("Bash", {"command": "git commit -m 'Round half to even'"}, {"exit_code": 0}),
    ):
        clock.advance(seconds=5)
        payload = {"tool_name": name, "tool_input": given, "tool_response": response}
        request = CaptureRequest(
            app="claude-code", kind=EventKind.TOOL, key=f"t{next(numbers)}", session="s1", cwd=PROJECT, at=clock.now(),
            payload=payload,
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)
    engine.conversations.end(1)
    clock.advance(days=30)
    found = ask(engine)
    assert "AssertionError: 3 != 4. Solved by changing charge.py." in found[Tier.RELEVANT]
    assert "Round half to even" in found[Tier.BACKGROUND]


def change(engine: Engine, clock: FrozenClock, *files: str) -> None:
    """The assistant edits these files of the project."""
    for file in files:
        clock.advance(seconds=5)
        payload = {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/{file}"}, "tool_response": {}}
        request = CaptureRequest(
            app="claude-code", kind=EventKind.TOOL, key=f"{file}{clock.now()}", session="s1", cwd=PROJECT, at=clock.now(),
            payload=payload,
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)


def keep_said(engine: Engine, message_id: int, text: str) -> int:
    """As if the memory was made of that message."""
    made = engine.memories.create(MemoryDraft(text, type=FactType.FACT, project_path=PROJECT))
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:
        insert_source(write, made, NewSource(at=write.at, quote="", message_id=message_id))
    return made


def crowd(engine: Engine) -> None:
    remember_all(
        engine, [MemoryDraft(f"Shelf {at} of the depot holds crates.", project_path=PROJECT) for at in range(24)]
    )


def test_what_was_said_when_hardly_another_file_was_changed_is_given_for_that_file(
    engine: Engine, say: Say, clock: FrozenClock
) -> None:
    crowd(engine)
    first = say("the till is to ring once", cwd=PROJECT).message_id
    change(engine, clock, "src/bell.py")
    second = say("and rename everything", cwd=PROJECT).message_id
    change(engine, clock, "src/bell.py", "src/a.py", "src/b.py", "src/c.py")
    near = keep_said(engine, first, "The till rings once for each sale.")
    wide = keep_said(engine, second, "Every name is English.")

    def give(file: str) -> set[int | None]:
        signals = ContextSignals(project_path=PROJECT, current_file=file)
        return {item.memory_id for item in engine.context.assemble(ContextRequest(signals, delivery="api")).items}

    assert near in give("src/bell.py")
    assert wide not in give("src/bell.py")
    assert near not in give("src/a.py")


def test_an_error_seen_before_brings_what_was_said_then(engine: Engine, say: Say) -> None:
    crowd(engine)
    seen = say("till.js:90 TypeError: cannot ring the bell of null (reading 'bellRope')", cwd=PROJECT).message_id
    kept = keep_said(engine, seen, "The till is hung up before it is rung.")

    def give(error: str) -> set[int | None]:
        signals = ContextSignals(project_path=PROJECT, recent_errors=(error,))
        return {item.memory_id for item in engine.context.assemble(ContextRequest(signals, delivery="api")).items}

    assert kept in give("till.js:117 TypeError: cannot ring the bell of null (reading 'bellRope')")
    assert kept not in give("TypeError: cannot ring the bell of null (reading 'gong')")


def test_an_open_matter_is_critical_for_its_file_and_related_elsewhere(engine: Engine) -> None:
    made = engine.memories.create(
        MemoryDraft(
            "Known issue: src/payment/ loses a cent when two discounts meet.", type=FactType.FACT, project_path=PROJECT
        )
    )
    assert "loses a cent" in ask(engine)[Tier.CRITICAL]
    assert "loses a cent" in ask(engine, file="src/lantern/light.py")[Tier.RELEVANT]
    engine.memories.archive([made])
    assert "loses a cent" not in "".join(ask(engine).values()), "settled"


def test_an_open_matter_of_the_branch(engine: Engine, say: Say) -> None:
    message = say("have a look at the gift cards", cwd=PROJECT)
    made = engine.memories.create(
        MemoryDraft("We have not decided whether gift cards expire.", type=FactType.FACT, project_path=PROJECT)
    )
    with engine._core.store.write(origin=Origin.ENGINE, kind="test", label="") as write:  # as if it was said there
        insert_source(write, made, NewSource(at=write.at, quote="", message_id=message.message_id))
        keep_branch(write.connection, message.message_id, "feature/gift-cards")
    assert "gift cards expire" in ask(engine, file="", branch="feature/gift-cards")[Tier.CRITICAL]
    assert "gift cards expire" not in ask(engine, file="", branch="feature/other")[Tier.CRITICAL]


def test_what_an_assistant_says_is_open_stands_with_the_related_at_most(engine: Engine) -> None:
    """An episode's words are an assistant's: never critical."""
    given(engine, "Known issue: src/payment/ loses a cent.", FILE)
    assert "loses a cent" not in ask(engine)[Tier.CRITICAL]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We haven't decided yet which bank to use.", OpenMatter.QUESTION),
        ("The migration is blocked by the new API.", OpenMatter.BLOCKER),
        ("The upload is flaky on Windows.", OpenMatter.ISSUE),
        ("The tests of the upload are flaky.", OpenMatter.ISSUE),
        ("Safari does not work yet.", OpenMatter.ISSUE),
        ("The migration is no longer blocked by the API.", None),
        ("The known issue of Safari has been fixed.", None),
        ("Never merge what is blocked by a review.", OpenMatter.BLOCKER),
        ("Requests wait at most 3 seconds.", None),
        ("Use a decision record for what is decided.", None),
    ],
)
def test_what_is_not_settled(text: str, kind: OpenMatter | None) -> None:
    assert find_open_matter(text) is kind
