"""Histories of four assistants taken in: once, newest kept, cancelled and resumed, undone as one, live prompts matched."""

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.api import (
    CaptureRequest,
    ConversationState,
    Engine,
    EventKind,
    EventState,
    InvalidError,
    Origin,
    Places,
    Progress,
)
from app.transfer import event_import
from app.understanding.conversations.chunking import Chunker
from app.understanding.message_analyzer import MessageAnalyzer
from tests.benchmarks.material.histories import write_transcripts
from tests.conftest import FrozenClock, Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

AT = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
STORY = ("I want to add a FAB button", "Make it purple", "now test it", "looks good, commit it")


def stamp(minutes: float) -> str:
    return (AT + timedelta(minutes=minutes)).isoformat()


def claude_lines(session: str, *texts: str, minutes: float = 0, **fields: Any) -> list[dict[str, Any]]:
    return [
        {
            "type": "user",
            "uuid": f"{session}-{number}",
            "sessionId": session,
            "timestamp": stamp(minutes + number),
            "cwd": "/w/shop",
            "message": {"role": "user", "content": text},
        }
        | fields
        for number, text in enumerate(texts)
    ]


def write_lines(path: Path, lines: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def codex_file(folder: Path) -> Path:
    said = [
        {"timestamp": stamp(number), "type": "event_msg", "payload": {"type": "user_message", "message": text}}
        for number, text in enumerate(STORY)
    ]
    meta = {"timestamp": stamp(0), "type": "session_meta", "payload": {"id": "c-1", "cwd": "/w/shop"}}
    return write_lines(folder / "sessions/2026/02/20/rollout-2026-02-20T09-00-00-c-1.jsonl", [meta, *said])


def chatgpt_file(folder: Path) -> Path:
    nodes: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["n0"], "message": None}}
    for number, text in enumerate(STORY):
        content = {"content_type": "text", "parts": [text]}
        at = (AT + timedelta(minutes=number)).timestamp()
        message = {"id": f"m{number}", "author": {"role": "user"}, "create_time": at, "content": content}
        parent = f"n{number - 1}" if number else "root"
        nodes[f"n{number}"] = {"id": f"n{number}", "parent": parent, "children": [f"n{number + 1}"], "message": message}
    chat = {"id": "g-1", "title": "Buttons", "create_time": AT.timestamp(), "current_node": "n3", "mapping": nodes}
    path = folder / "conversations.json"
    path.write_text(json.dumps([chat]), encoding="utf-8")
    return path


def claude_ai_file(folder: Path) -> Path:
    messages = [
        {"uuid": f"a{number}", "sender": "human", "text": text, "created_at": stamp(number)}
        for number, text in enumerate(STORY)
    ]
    path = folder / "conversations.json"
    chat = {"uuid": "a-1", "name": "Buttons", "created_at": stamp(0), "chat_messages": messages}
    path.write_text(json.dumps([chat]), encoding="utf-8")
    return path


def claude_code_file(folder: Path) -> Path:
    return write_lines(folder / "projects/-w-shop/s-1.jsonl", claude_lines("s-1", *STORY))


@pytest.mark.parametrize(
    ("source", "make"),
    [
        ("claude-code", claude_code_file),
        ("codex", codex_file),
        ("chatgpt", chatgpt_file),
        ("claude-ai", claude_ai_file),
    ],
    ids=["claude-code", "codex", "chatgpt", "claude-ai"],
)
def test_each_history_is_understood_once(
    engine: Engine, tmp_path: Path, source: str, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    report = engine.transfer.import_history(source, path)
    assert (report.message_count, report.conversation_count, report.failed_count) == (4, 1, 0)
    (conversation,) = engine.conversations.list()
    assert (conversation.title, conversation.app, conversation.state.value) == ("FAB button", source, "paused")
    messages = engine.conversations.get(conversation.id).messages
    assert tuple(message.text for message in messages) == STORY
    assert messages[1].expanded_text == "Make the FAB button purple"
    assert messages[0].at == AT
    again = engine.transfer.import_history(source, path)
    copy = tmp_path / "copy"
    copy.mkdir()
    elsewhere = engine.transfer.import_history(source, make(copy))
    assert again.message_count == elsewhere.message_count == 0
    assert elsewhere.duplicate_count == 4
    assert engine.stats.now().message_count == 4


def test_the_newest_twenty_stay_and_the_others_keep_a_line(engine: Engine, tmp_path: Path) -> None:
    for number in range(30):
        lines = claude_lines(
            f"s-{number:02}", f"Add a CSV export number {number} to the shop", "test it", minutes=600 * (number - 30)
        )
        write_lines(tmp_path / f"projects/p/s-{number:02}.jsonl", lines)
    report = engine.transfer.import_history("claude-code", tmp_path)
    assert (report.message_count, report.conversation_count) == (60, 30)
    kept = engine.conversations.list()
    assert [one.session for one in kept] == [f"s-{number:02}" for number in range(29, 9, -1)]
    assert all(one.message_count == 2 for one in kept)
    earlier = [one for one in engine.conversations.list(include_evicted=True) if one.position is None]
    assert sorted(one.session for one in earlier) == [f"s-{number:02}" for number in range(10)]
    assert all(one.title and one.topics and one.message_count == 2 for one in earlier)
    assert {one.state for one in earlier} == {ConversationState.EVICTED}
    assert earlier[-1].started_at == AT - timedelta(minutes=600 * 30)


def test_what_is_said_again_in_old_conversations_counts_again_and_go_on_teaches_nothing(
    engine: Engine, tmp_path: Path
) -> None:
    stated = "We use PostgreSQL 16 for the orders"
    for number in range(24):
        lines = claude_lines(f"s-{number:02}", "go on", stated, "go on", minutes=600 * (number - 24))
        write_lines(tmp_path / f"projects/p/s-{number:02}.jsonl", lines)
    assert engine.transfer.import_history("claude-code", tmp_path).message_count == 72
    [card] = engine.memories.list().cards
    assert len(engine.memories.get(card.id).sources) == 24


def test_how_much_is_read_at_once_changes_nothing_that_is_kept(engine: Engine, tmp_path: Path) -> None:
    write_transcripts(tmp_path / "c", session_count=30, prompts_per_session=5)
    kept = []
    for at_once in (10, 500):
        engine.settings.set("import_batch", at_once)
        report = engine.transfer.import_history("claude-code", tmp_path / "c")
        listed = engine.conversations.list(include_evicted=True)
        kept.append([(one.title, one.outcome, one.topics, one.files, one.message_count) for one in listed])
        engine.journal.undo(report.operation_id)
    assert kept[0] == kept[1]
    assert len(kept[0]) >= 30


def test_whether_prompts_are_saved_alone_or_together_changes_nothing_that_is_kept(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_transcripts(tmp_path / "c", session_count=3, prompts_per_session=8)
    long = "the header is cut off, see below\n" + "please look at the header again, it is cut off. " * 60
    lines = claude_lines("s-9", "We use PostgreSQL 16", long, "now test it", minutes=60)
    write_lines(tmp_path / "c/projects/p/s-9.jsonl", lines)
    kept = []
    for at_most_s in (0.0, 60.0):
        monkeypatch.setattr(event_import, "_SAVE_S", at_most_s)
        engine = Engine.open(Places.under(tmp_path / f"{at_most_s}"), clock=clock)
        assert engine.transfer.import_history("claude-code", tmp_path / "c").message_count == 27
        kept.append(dump_store(engine.places.store_path))
        engine.close()
    assert kept[0] == kept[1]


def test_an_older_history_pushes_nothing_newer_out(engine: Engine, say: Say, tmp_path: Path) -> None:
    for number in range(20):
        say(f"Add a map view to shop {number}", session=f"live-{number}", minutes=45)
    before = [one.id for one in engine.conversations.list()]
    write_lines(tmp_path / "projects/p/s-1.jsonl", claude_lines("s-1", *STORY))
    report = engine.transfer.import_history("claude-code", tmp_path)
    assert report.message_count == 4
    assert [one.id for one in engine.conversations.list()] == before


def test_whoever_learns_from_those_that_leave_gets_them_in_full(engine: Engine, tmp_path: Path) -> None:
    engine.settings.set("queue_size", 3)
    write_transcripts(tmp_path / "c", session_count=6, prompts_per_session=4)
    learned: list[int] = []
    engine._core.queue.is_past_wanted = True
    engine._core.queue.on_evict.append(
        lambda write, conversation_id: learned.append(
            write.connection.exec_driver_sql(
                "select count(*) from message where conversation_id = ?", (conversation_id,)
            ).scalar_one()
        )
    )
    report = engine.transfer.import_history("claude-code", tmp_path / "c")
    assert report.message_count == 24
    kept = engine.conversations.list()
    assert len(kept) == 3
    assert sum(learned) + sum(one.message_count for one in kept) == 24
    assert min(learned) > 0


def test_one_undo_takes_everything_back_and_the_same_works_again(engine: Engine, say: Say, tmp_path: Path) -> None:
    say("Add a map view", session="live")
    write_transcripts(tmp_path / "c", session_count=40, prompts_per_session=5)
    before = dump_store(engine.places.store_path)
    first = engine.transfer.import_history("claude-code", tmp_path / "c")
    shown = [one for one in engine.journal.list() if one.origin is Origin.IMPORT]
    assert [one.label for one in shown] == ["Imported 200 messages from Claude Code"]
    engine.journal.undo(first.operation_id)
    assert dump_store(engine.places.store_path) == before
    second = engine.transfer.import_history("claude-code", tmp_path / "c")
    assert (second.message_count, second.duplicate_count) == (200, 0)
    assert second.conversation_count == first.conversation_count


def test_cancelled_it_stops_and_goes_on_later(engine: Engine, tmp_path: Path) -> None:
    write_transcripts(tmp_path / "c", session_count=40, prompts_per_session=5)
    cancel = threading.Event()

    def stop_midway(progress: Progress) -> None:
        if progress.total and progress.done > progress.total / 10:
            cancel.set()

    first = engine.transfer.import_history("claude-code", tmp_path / "c", cancel=cancel, progress=stop_midway)
    assert first.is_cancelled
    assert 0 < first.message_count < 200
    second = engine.transfer.import_history("claude-code", tmp_path / "c")
    assert not second.is_cancelled
    assert first.message_count + second.message_count == 200
    assert len(engine.conversations.list()) == 20


def test_an_engine_that_is_about_to_close_stops_it_between_two_messages(engine: Engine, tmp_path: Path) -> None:
    write_transcripts(tmp_path / "c", session_count=40, prompts_per_session=5)

    def leave(progress: Progress) -> None:
        if progress.total:
            engine.leave()

    report = engine.transfer.import_history("claude-code", tmp_path / "c", progress=leave)
    assert report.is_cancelled
    assert report.message_count < 200
    assert engine.transfer.unfinished() is not None or report.message_count == 0


def test_one_that_was_stopped_goes_on_as_the_same_act(engine: Engine, say: Say, tmp_path: Path) -> None:
    say("Add a map view", session="live")
    write_transcripts(tmp_path / "c", session_count=40, prompts_per_session=5)
    before, cancel = dump_store(engine.places.store_path), threading.Event()
    size = engine.transfer.measure("claude-code", tmp_path / "c")
    assert size is not None
    assert (size.message_count, size.session_count) == (200, 40)

    def stop_midway(progress: Progress) -> None:
        if progress.total and progress.done > 20:
            cancel.set()

    first = engine.transfer.import_history("claude-code", tmp_path / "c", cancel=cancel, progress=stop_midway)
    assert first.is_cancelled
    kept = engine.transfer.unfinished()
    assert kept is not None
    assert (kept.source, kept.path, kept.message_count, kept.operation_id) == (
        *("claude-code", tmp_path / "c", first.message_count, first.operation_id),
    )
    rest = engine.transfer.measure("claude-code", tmp_path / "c")
    assert rest is not None
    assert rest.message_count == 200 - first.message_count
    whole = engine.transfer.import_history(kept.source, kept.path, earlier=kept)
    assert (whole.message_count, whole.operation_id) == (200, first.operation_id)
    assert engine.transfer.unfinished() is None
    shown = [one.label for one in engine.journal.list() if one.origin is Origin.IMPORT]
    assert shown == ["Imported 200 messages from Claude Code"]
    engine.journal.undo(first.operation_id)
    assert dump_store(engine.places.store_path) == before


def test_one_that_was_stopped_and_undone_is_not_offered_again(engine: Engine, tmp_path: Path) -> None:
    write_transcripts(tmp_path / "c", session_count=40, prompts_per_session=5)
    cancel = threading.Event()

    def stop(progress: Progress) -> None:
        if progress.total and progress.done > 20:
            cancel.set()

    first = engine.transfer.import_history("claude-code", tmp_path / "c", cancel=cancel, progress=stop)
    engine.journal.undo(first.operation_id)
    assert engine.transfer.unfinished() is None


def test_progress_counts_the_messages_first_and_then_those_taken_in(engine: Engine, tmp_path: Path) -> None:
    write_transcripts(tmp_path / "c", session_count=30, prompts_per_session=4)
    told: list[Progress] = []
    engine.transfer.import_history("claude-code", tmp_path / "c", progress=told.append)
    taken = [one.done for one in told if one.total]
    assert taken
    assert taken == sorted(taken)
    assert {one.total for one in told} - {None} == {120}
    assert {(one.job_id, one.unit) for one in told} == {("import:claude-code", "messages")}
    assert any(one.remaining_s is not None for one in told)


def test_a_broken_line_is_counted_and_said(engine: Engine, tmp_path: Path) -> None:
    lines: list[Any] = [*claude_lines("s-1", *STORY)]
    lines.insert(2, '{"type": "user", "uuid": ')
    write_lines(tmp_path / "projects/p/s-1.jsonl", lines)
    report = engine.transfer.import_history("claude-code", tmp_path)
    assert (report.message_count, report.skipped_count) == (4, 1)
    assert any("not valid JSON" in note for note in report.notes)


def test_a_prompt_captured_live_is_not_taken_in_again(engine: Engine, say: Say, tmp_path: Path) -> None:
    said = say("Add a login page", session="s-1")
    at = engine.messages.get(said.message_id or 0).at
    by_words = claude_lines("s-1", "Add a login page", timestamp=at.isoformat())
    hook = CaptureRequest(
        app="claude-code",
        kind=EventKind.PROMPT,
        key="s-1:prompt:p-7",
        session="s-1",
        text="and a logout page",
        cwd="/w",
    )
    engine.events.capture([hook], wait_s=PATIENCE_S)
    by_number = claude_lines("s-1", "and a  logout page (edited)", promptId="p-7", uuid="other")
    new = claude_lines("s-1", "now a map view", uuid="third", timestamp=at.isoformat())
    write_lines(tmp_path / "projects/p/s-1.jsonl", by_words + by_number + new)
    report = engine.transfer.import_history("claude-code", tmp_path)
    assert (report.message_count, report.duplicate_count) == (1, 2)
    assert engine.stats.now().message_count == 3


def test_what_a_decider_trips_over_is_kept_and_stops_nothing(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyze = MessageAnalyzer.analyze

    def stumble(self: MessageAnalyzer, connection: Any, event: Any, *args: Any, **more: Any) -> Any:
        if "purple" in event.payload["text"]:
            raise ZeroDivisionError("the decider stumbled")
        return analyze(self, connection, event, *args, **more)

    write_lines(tmp_path / "projects/p/s-1.jsonl", claude_lines("s-1", *STORY))
    with monkeypatch.context() as broken:
        broken.setattr(MessageAnalyzer, "analyze", stumble)
        report = engine.transfer.import_history("claude-code", tmp_path)
    assert (report.message_count, report.failed_count) == (3, 1)
    (kept,) = engine.events.inbox(state=EventState.FAILED)
    assert kept.preview == "Make it purple"
    assert engine.events.retry(kept.id).state is EventState.DONE


def test_one_that_fails_takes_nothing_from_those_saved_with_it(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow = Chunker.grow
    begun: set[int] = set()

    def stumble(self: Chunker, write: Any, conversation_id: int, message_count: int) -> None:
        begun.add(conversation_id)
        if len(begun) > 1:  # its message, its mentions and its conversation are written by now
            raise ZeroDivisionError("the second conversation stumbled")
        grow(self, write, conversation_id, message_count)

    monkeypatch.setattr(Chunker, "grow", stumble)
    monkeypatch.setattr(event_import, "_SAVE_S", 60.0)
    said = (*STORY[:3], "New topic: why does the CSV export lose its last row?")
    write_lines(tmp_path / "projects/p/s-1.jsonl", claude_lines("s-1", *said))
    report = engine.transfer.import_history("claude-code", tmp_path)
    assert (report.message_count, report.failed_count, len(begun)) == (3, 1, 2)
    (conversation,) = engine.conversations.list()
    assert (conversation.message_count, conversation.topics) == (3, ("FAB button",))
    (kept,) = engine.events.inbox(state=EventState.FAILED)
    assert kept.preview.startswith("New topic")


def test_secrets_in_old_histories_never_reach_the_store(engine: Engine, tmp_path: Path) -> None:
    engine.settings.set("queue_size", 3)
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    for number in range(8):
        lines = claude_lines(f"s-{number}", f"push with {token}", "test it", minutes=600 * number)
        write_lines(tmp_path / f"projects/p/s-{number}.jsonl", lines)
    assert engine.transfer.import_history("claude-code", tmp_path).message_count == 16
    engine.close()
    files = [path for path in engine.places.data_dir.rglob("*") if path.is_file()]
    assert files
    assert not any(token.encode() in path.read_bytes() for path in files)


def test_live_prompts_are_acknowledged_and_understood_while_an_import_runs(engine: Engine, tmp_path: Path) -> None:
    write_transcripts(tmp_path / "c", session_count=40, prompts_per_session=5)
    results: list[EventState] = []

    def speak(_progress: Progress) -> None:
        number = len(results)
        request = CaptureRequest(
            app="codex", kind=EventKind.PROMPT, key=f"k{number}", session="live", text=f"Add field {number}", cwd="/w/l"
        )
        results.append(engine.events.capture([request], wait_s=0)[0].state)

    report = engine.transfer.import_history("claude-code", tmp_path / "c", progress=speak)
    assert report.message_count == 200
    assert engine.events.wait_idle(PATIENCE_S)
    live = engine.conversations.list(app="codex")
    assert set(results) == {EventState.PENDING}
    assert sum(one.message_count for one in live) == len(results) > 0


def test_a_path_without_a_history_is_refused_with_a_sentence(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="There is no Codex sessions"):
        engine.transfer.import_history("codex", tmp_path)
