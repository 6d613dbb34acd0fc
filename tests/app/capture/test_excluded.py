"""What a person excludes leaves nothing behind, whichever way it comes; what is beside it is kept as ever."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, EventState, ExclusionKind, MemoryDraft, Origin, Places
from app.capture.exclusion import EXCLUDED_NAME
from app.errors import InvalidError, NotFoundError
from app.values import ContextRequest, ContextSignals
from tests.conftest import Say
from tests.patience import PATIENCE_S

CANARY = "heliotrope"
SECRET = "/w/secret"


def files_that_hold(places: Places, words: str) -> list[str]:
    files = [path for folder in (places.data_dir, places.state_dir) for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path.name for path in files if words.encode() in path.read_bytes()]


def test_nothing_of_an_excluded_folder_is_left_anywhere(engine: Engine, say: Say, places: Places) -> None:
    engine.rules.exclude(ExclusionKind.FOLDER, SECRET)
    result = say(f"Paint the {CANARY} door", cwd=f"{SECRET}/app", session=CANARY)
    assert (result.event_id, result.state, result.error) == (0, EventState.IGNORED, "excluded by a rule of yours")
    assert say("Paint the green door", cwd="/w/secrets").state is EventState.DONE, "the control: a folder beside it"
    assert engine.events.inbox() != ()
    tool = {"tool_name": "Edit", "tool_input": {"file_path": f"{SECRET}/{CANARY}.py"}}
    request = CaptureRequest(app="claude-code", kind=EventKind.TOOL, key="t", session="s", cwd="/w/app", payload=tool)
    (touched,) = engine.events.capture([request], wait_s=PATIENCE_S)
    assert touched.state is EventState.IGNORED
    (rule,) = engine.rules.exclusions()
    assert rule.hit_count == 2
    engine.close()
    assert files_that_hold(places, CANARY) == []
    with closing(Engine.open(places)) as again:
        assert again.rules.exclusions()[0].hit_count == 2, "the count outlives the app"


def test_excluded_words_are_kept_nowhere_and_their_neighbours_are(engine: Engine, places: Places) -> None:
    engine.rules.exclude(ExclusionKind.WORDS, "Heliotrope*  door")
    texts = ("Paint the green door", f"the {CANARY}s\nDOOR is stuck", f"A {CANARY} window")
    requests = [
        CaptureRequest(app="codex", kind=EventKind.PROMPT, key=f"k{number}", session="s", text=text, cwd="/w/app")
        for number, text in enumerate(texts)
    ]
    states = [EventState.DONE, EventState.IGNORED, EventState.DONE]
    for _ in range(2):  # the sender tries again
        assert [one.state for one in engine.events.capture(requests, wait_s=PATIENCE_S)] == states
    taken = engine.events.capture_if_free([requests[1]])
    assert taken is not None
    assert taken[0].state is EventState.IGNORED
    assert [message.text for message in engine.window.load(app="codex")] == [texts[0], texts[2]]
    engine.close()
    assert files_that_hold(places, "DOOR is stuck") == []


def test_no_receipt_and_no_proposal_holds_it(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("The door is painted yearly.", project_path="/w/app"))
    signals = ContextSignals("/w/app", prompt=f"Who paints the {CANARY} door?")
    assert engine.context.assemble(ContextRequest(signals)).receipt_id is not None, "the control"
    engine.rules.exclude(ExclusionKind.WORDS, CANARY)
    made = engine.context.assemble(ContextRequest(signals))
    assert "painted yearly" in made.text
    assert made.receipt_id is None
    with pytest.raises(InvalidError, match="excluded"):
        engine.memories.create(MemoryDraft(f"The {CANARY} door is old."), origin=Origin.API)
    assert engine.memories.create(MemoryDraft(f"The {CANARY} door is old.")), "the person may say what they like"


def test_a_history_is_read_without_it(engine: Engine, tmp_path: Path) -> None:
    engine.rules.exclude(ExclusionKind.FOLDER, SECRET)
    lines = [
        {"type": "user", "sessionId": f"s{at}", "uuid": f"u{at}", "cwd": cwd, "timestamp": "2026-03-01T09:00:00Z",
         "message": {"role": "user", "content": text}}
        for at, (cwd, text) in enumerate([(SECRET, f"Paint the {CANARY}"), ("/w/app", "Paint the green door")])
    ]  # fmt: skip
    path = tmp_path / "history" / "s.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = engine.transfer.import_history("claude-code", path)
    assert (report.message_count, report.skipped_count) == (1, 1)
    assert any("excluded" in note for note in report.notes)


def test_rules_are_undone_removed_and_told_to_the_hook(engine: Engine, say: Say, places: Places) -> None:
    hook_file = places.hook_dir / EXCLUDED_NAME
    assert not hook_file.exists()
    made = engine.rules.exclude(ExclusionKind.WORDS, CANARY)
    assert engine.rules.exclude(ExclusionKind.WORDS, f" {CANARY} ") == made
    assert hook_file.exists()
    assert engine.rules.is_excluded(f"a {CANARY.upper()}")
    assert not engine.rules.is_excluded(f"{CANARY}s")
    engine.journal.undo()
    assert (say(CANARY).state, hook_file.exists()) == (EventState.DONE, False)
    engine.journal.redo()
    assert say(CANARY).state is EventState.IGNORED
    engine.rules.remove_exclusion(made)
    assert engine.rules.exclusions() == ()
    with pytest.raises(NotFoundError):
        engine.rules.remove_exclusion(made)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (ExclusionKind.FOLDER, "secret"),
        (ExclusionKind.FOLDER, "/"),
        (ExclusionKind.FOLDER, "**"),
        (ExclusionKind.WORDS, " . "),
        (ExclusionKind.WORDS, "*"),
        (ExclusionKind.WORDS, "x" * 301),
    ],
)
def test_a_rule_that_would_hold_for_everything_is_refused(engine: Engine, kind: ExclusionKind, text: str) -> None:
    with pytest.raises(InvalidError) as refused:
        engine.rules.exclude(kind, text)
    assert refused.value.hint
    assert engine.rules.exclusions() == ()
