"""What must hold of every session: well-formed frames, nothing twice, within the budget, receipts to the byte."""

import re

import pytest

from tests.flows.scripted_session import EDITED, STEPS, Call, Played, play, tell

FRAME = re.compile(r"<remanence-memory id=(\w{10})>\n(?P<body>.*)\n</remanence-memory id=\1>", re.DOTALL)
HEADINGS = [
    "## Most relevant",
    "## Related",
    "## Background",
    "## More on request (expand a [number], recall a topic)",
]
POINTERS = HEADINGS[-1]
HOOK_TOKENS = 2_000
START_TOKENS = 500


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("session"))


def lines_told(call: Call) -> list[str]:
    """What a context says, without headings and without pointers to what could be asked for."""
    body = call.context.partition(POINTERS)[0]
    return [line for line in body.splitlines() if line.startswith("- ")]


def test_the_session_is_the_one_that_the_issue_asks_for() -> None:
    events = [event for event, _ in STEPS]
    assert events[0] == "SessionStart"
    assert events[-1] == "SessionEnd"
    assert events.count("UserPromptSubmit") == 10
    assert {"PostToolUse", "PostToolUseFailure", "PreCompact", EDITED} <= set(events)


def test_every_call_ends_well_and_says_one_object_or_nothing(played: Played) -> None:
    assert [call.event for call in played.calls] == [event for event, _ in STEPS]
    for call in played.calls:
        assert (call.exit_status, call.err) == (0, b"")
        assert call.out == b"" or call.event in {"SessionStart", "UserPromptSubmit"}
    assert sum(bool(call.out) for call in played.calls) >= 1


def test_every_frame_is_well_formed(played: Played) -> None:
    for call in played.calls:
        if call.context:
            found = FRAME.fullmatch(call.context)
            assert found is not None
            preface, *body = found["body"].splitlines()
            assert preface.startswith("# From the user's own notes")
            headings = [line for line in body if line.startswith("#")]
            assert headings == [line for line in HEADINGS if line in headings]
            assert len(call.context) <= 10_000


def test_every_context_has_its_receipt_to_the_byte(played: Played) -> None:
    given = [call.context for call in played.calls if call.context]
    delivered = [one for one in played.receipts if one["receipt"]["is_delivered"]]
    assert [one["context"]["text"] for one in delivered] == given
    for one in delivered:
        context = one["context"]
        assert 0 < context["token_count"] <= context["budget_tokens"] in {HOOK_TOKENS, START_TOKENS}
        assert [context["text"][item["start"] : item["end"]] for item in context["items"]] == [
            item["text"] for item in context["items"]
        ]


def test_nothing_is_told_twice_unless_it_changed_or_was_compacted_away(played: Played) -> None:
    known: set[str] = set()
    for call in played.calls:
        if call.event == "PreCompact":
            known.clear()
        given = lines_told(call)
        assert not known.intersection(given), call
        known.update(given)


def test_what_was_corrected_failed_or_replaced_is_told_as_it_is_now(played: Played) -> None:
    """Asserted of what was told at all: on a machine too busy for the hook's budget a context may be missing."""
    corrected = replaced = False
    for call in played.calls:
        corrected = corrected or call.event == EDITED
        given = " ".join(lines_told(call))
        if corrected and "Card numbers" in given:
            assert "or to a trace" in given
        if replaced:
            assert "Redis for the cache" not in given
        replaced = replaced or call.said.startswith("We moved from Redis")


def test_the_printed_session_holds_every_byte(played: Played) -> None:
    printed = "\n".join(tell(played))
    assert all(call.out.decode() in printed for call in played.calls)
    assert printed.count(" delivered") == len(played.receipts)
