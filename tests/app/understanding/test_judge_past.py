"""The past: what has left the queue is read from the archive or from the assistant's own history, each prompt once; the rest is gone."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.assistants.histories import reader
from app.store.erase_scope import EraseScope
from app.store.journal import table_of
from app.store.tables.judge import JudgePastRow, JudgeReadingRow
from app.store.tables.memory import MemorySourceRow
from app.values import ExclusionKind
from tests.app.understanding.conftest import ScriptedJudge, wait_for
from tests.patience import PATIENCE_S

RECORDED = Path(__file__).parents[2] / "clients" / "recorded" / "claude-code"
TRANSCRIPT = RECORDED / "transcript-02.jsonl"
CENTS = "We decided to store every price in cents as an integer."
REMEMBERED = "Prices are stored in cents, as an integer."
REMEMBER = f"remember('price in cents', 'store every price in cents as an integer', {REMEMBERED!r})"
TYPED_AT = datetime(2026, 11, 23, 22, 20, tzinfo=UTC)  # as the recorded transcript says


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(TYPED_AT)


@pytest.fixture
def engine(judge_folder: Path, places: Places, clock: FrozenClock) -> Iterator[Engine]:
    """A queue of three; nothing is read that is not asked for."""
    del judge_folder  # its settings come first
    opened = Engine.open(places, clock=clock, flags={"queue_size": 3, "is_judge_paused": True})
    yield opened
    opened.close()


Type = Callable[..., int]


@pytest.fixture
def type_in(engine: Engine, clock: FrozenClock) -> Type:
    """A prompt that a hook hears."""
    numbers = iter(range(1_000))

    def capture(text: str, *, session: str, at: datetime | None = None, cwd: str = "/w/shop") -> int:
        clock.advance(minutes=1 if at is None else (at - clock.now()).total_seconds() / 60)
        key = f"hook:{next(numbers):024x}deadbeef"
        request = CaptureRequest("claude-code", EventKind.PROMPT, key, session, text, cwd=cwd)
        (done,) = engine.events.capture([request], wait_s=PATIENCE_S)
        assert done.message_id is not None
        return done.message_id

    return capture


@pytest.fixture
def fill(judge: ScriptedJudge, clock: FrozenClock, type_in: Type) -> Callable[[], None]:
    """Pushes what is in the queue out unread."""
    rounds = iter(range(100))

    def push() -> None:
        this = next(rounds)
        for number in range(3):
            clock.advance(minutes=600)
            type_in(f"Add a sidebar to page number{this}{number}", session=f"fill{this}{number}")

    del judge
    return push


def rows(engine: Engine, row: type) -> list:
    with engine._core.store.read() as connection:
        return list(connection.execute(table_of(row).select()).all())


def history(name: str = "session.jsonl") -> Path:
    path = Path.home() / ".claude" / "projects" / "-home-dev-work-shop" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def leave_transcript() -> None:
    """The recorded transcript, where Claude Code left it."""
    shutil.copy(TRANSCRIPT, history("00000000-0000-4000-8000-000000000001.jsonl"))


def prompts() -> list[CaptureRequest]:
    items = [one.item for one in reader("claude-code")(TRANSCRIPT)]
    return [one for one in items if isinstance(one, CaptureRequest) and one.kind is EventKind.PROMPT]


def sent(judge: ScriptedJudge) -> list[str]:
    return [one["text"] for request in judge.requests for one in request["messages"]]


def counted(judge: ScriptedJudge) -> tuple[int, int]:
    """Prompts of the past and those no longer kept, when they are counted."""
    worker = judge.engine._core.judge_worker

    def is_counted() -> bool:
        judge.engine.judge.past()  # asked again: something else may have been written while it was counted
        return worker._past_state() == worker._past_seen[0]

    wait_for(is_counted)
    found = judge.engine.judge.past()
    return found.prompt_count, found.gone_count


def test_the_archive_is_read_the_newest_first_and_each_prompt_once(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]
) -> None:
    judge.engine.archive.choose("forever")
    number = type_in(CENTS, session="old")
    fill()
    type_in("Exports are CSV, not PDF.", session="later")
    fill()
    judge.answers(REMEMBER)
    judge.read()
    texts = sent(judge)
    assert texts.count(CENTS) == 1
    queued, past = judge.requests
    assert [one["text"][-2:] for one in queued["messages"]] == ["10", "11", "12"], "what is in the queue goes first"
    ats = [one["at"] for one in past["messages"]]
    assert ats == sorted(ats), "within a request in the order in which they were typed"
    row = judge.memories()[REMEMBERED]
    assert (row.status, row.trust, row.worded_by) == ("active", 2, "command")
    source = judge.source(row.id)
    assert (source.message_id, source.quote) == (number, "store every price in cents as an integer")
    assert source.conversation_title
    assert judge.read() == 0
    assert counted(judge) == (0, 0)
    reading = next(one for one in judge.engine.judge.readings() if one.remembered_count)
    detail = judge.engine.judge.reading(reading.id)
    assert CENTS in [one.text for one in detail.messages]
    assert detail.gone_count == 0
    assert judge.engine.judge.read_again(reading.id) == 1
    judge.wait()
    assert sent(judge).count(CENTS) == 2


def test_an_imported_history_that_was_too_old_is_read_from_its_file(
    judge: ScriptedJudge, fill: Callable[[], None], clock: FrozenClock, type_in: Type
) -> None:
    leave_transcript()
    clock.advance(minutes=60 * 24 * 30)
    fill()
    judge.read()
    before = sent(judge)
    report = judge.engine.transfer.import_history("claude-code", Path.home() / ".claude")
    assert report.message_count > 5
    assert counted(judge) == (report.message_count, 0)
    assert judge.engine.judge.past().token_count > 100
    plan = judge.engine.judge.plan()
    assert (plan.prompt_count, plan.past_prompt_count, plan.gone_count) == (
        report.message_count,
        report.message_count,
        0,
    )
    judge.answers(REMEMBER)
    assert judge.read() == 1
    assert next(one for one in sent(judge) if one not in before) == CENTS, "in the order in which they were typed"
    row = judge.memories()[REMEMBERED]
    assert (row.status, row.trust) == ("proposed", 1)
    source = next(one for one in rows(judge.engine, MemorySourceRow) if one.memory_id == row.id)
    assert (source.message_id, source.quote) == (None, "store every price in cents as an integer")
    assert source.conversation_title
    assert source.at == prompts()[0].at
    assert len(rows(judge.engine, JudgePastRow)) == report.message_count
    assert judge.read() == 0
    assert counted(judge) == (0, 0)
    guesses = [one for one in judge.memories().values() if "cents" in one.full and one.worded_by == "rules"]
    assert all(one.status == "archived" for one in guesses), "what rules guessed of the same words gives way"


def test_what_was_typed_here_is_known_again_in_the_transcript_and_counts_in_full(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]
) -> None:
    said = prompts()
    numbers = [type_in(one.text, session=one.session, at=one.at, cwd=one.cwd) for one in said[:3]]
    fill()
    assert counted(judge) == (0, 3), "no file yet: they are gone"
    judge.read()
    assert CENTS not in sent(judge)
    leave_transcript()
    judge.answers(REMEMBER)
    assert judge.read() == 1
    assert sent(judge)[-3:] == [one.text for one in said[:3]], "what else the file holds was never ours"
    row = judge.memories()[REMEMBERED]
    assert (row.status, row.trust) == ("active", 2)
    assert {one.message_id for one in rows(judge.engine, JudgeReadingRow)} >= set(numbers)
    assert judge.read() == 0


def test_what_is_told_of_twice_is_read_once(judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]) -> None:
    leave_transcript()
    said = prompts()
    for one in said:
        type_in(one.text, session=one.session, at=one.at, cwd=one.cwd)
    judge.engine.transfer.import_history("claude-code", Path.home() / ".claude")
    fill()
    judge.engine.transfer.import_history("claude-code", Path.home() / ".claude")
    judge.answers(REMEMBER)
    judge.read()
    assert sent(judge).count(CENTS) == 1
    assert judge.memories()[REMEMBERED].trust == 2
    assert judge.read() == 0


def test_what_leaves_while_it_is_read_is_read(judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]) -> None:
    number = type_in(CENTS, session="old")
    judge.answers(f"while not (folder / 'go').exists(): time.sleep(0.02)\n{REMEMBER}\n")
    judge.engine.judge.read()
    wait_for(lambda: judge.requests)
    fill()
    (judge.folder / "go").touch()
    judge.wait()
    row = judge.memories()[REMEMBERED]
    assert (row.status, judge.source(row.id).message_id) == ("active", number)
    judge.read()
    assert sent(judge).count(CENTS) == 1
    assert counted(judge) == (0, 0)


def test_no_longer_kept_is_neither_pending_nor_sent(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]
) -> None:
    type_in(CENTS, session="old")
    fill()
    judge.read()
    assert CENTS not in sent(judge)
    assert counted(judge) == (0, 1)
    assert judge.engine.judge.plan().gone_count == 1
    assert judge.read() == 0


@pytest.mark.parametrize("scope", ["conversation", "project", "app", "time"])
def test_what_was_erased_is_not_read_again_from_the_file(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None], scope: str
) -> None:
    leave_transcript()
    said = prompts()[0]
    number = type_in(CENTS, session=said.session, at=said.at, cwd="/w/secret")
    talk = judge.engine.messages.get(number).conversation_id
    fill()
    assert counted(judge) == (1, 0)
    wanted = {
        "conversation": EraseScope(conversation_id=talk),
        "project": EraseScope(project="/w/secret"),
        "app": EraseScope(app="claude-code"),
        "time": EraseScope(from_at=TYPED_AT, to_at=TYPED_AT + timedelta(hours=1)),
    }
    judge.engine._core.eraser.everything_of(wanted[scope], includes_backups=True)
    assert counted(judge) == (0, 0)
    judge.read()
    assert CENTS not in sent(judge)


def test_a_memory_erased_with_its_words_does_not_come_back_from_the_file(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]
) -> None:
    leave_transcript()
    said = prompts()[0]
    type_in(CENTS, session=said.session, at=said.at)
    (memory,) = [row.id for row in judge.memories().values()]
    fill()
    assert counted(judge) == (1, 0)
    judge.engine.memories.erase([memory], erase_messages=True)
    assert counted(judge) == (0, 0)
    judge.read()
    assert CENTS not in sent(judge)


def test_one_prompt_erased_from_an_imported_talk_is_not_read_again(
    judge: ScriptedJudge, fill: Callable[[], None], clock: FrozenClock
) -> None:
    leave_transcript()
    judge.engine.transfer.import_history("claude-code", Path.home() / ".claude")
    memory = next(row.id for row in judge.memories().values() if "cents" in row.full)
    judge.engine.memories.erase([memory], erase_messages=True)
    clock.advance(minutes=60 * 24)
    fill()
    judge.read()
    assert prompts()[1].text in sent(judge)
    assert CENTS not in sent(judge)


def test_a_capture_that_was_taken_back_stays_so(judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]) -> None:
    leave_transcript()
    first, second = prompts()[:2]
    type_in(second.text, session=first.session, at=first.at - timedelta(seconds=1))
    type_in(first.text, session=first.session, at=first.at)
    operation = next(one for one in judge.engine.journal.list() if one.kind == "capture")
    judge.engine.journal.undo(operation.id)
    fill()
    judge.read()
    assert CENTS not in sent(judge)


def test_exclusions_hold_for_the_past(judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]) -> None:
    leave_transcript()
    said = prompts()
    for one in said[:2]:
        type_in(one.text, session=one.session, at=one.at)
    fill()
    judge.engine.rules.exclude(ExclusionKind.WORDS, "price in cents")
    assert counted(judge) == (1, 0)
    judge.read()
    assert CENTS not in sent(judge)
    assert said[1].text in sent(judge)


def test_secrets_of_a_file_are_taken_out(judge: ScriptedJudge, fill: Callable[[], None], clock: FrozenClock) -> None:
    at = clock.now().isoformat().replace("+00:00", "Z")
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    line = {
        "type": "user", "uuid": "u1", "sessionId": "s-old", "cwd": "/w/shop", "timestamp": at,
        "message": {"role": "user", "content": f"Deploy with {secret} to the staging host."},
    }  # fmt: skip
    history().write_text(json.dumps(line) + "\n", encoding="utf-8")
    clock.advance(minutes=60 * 24 * 30)
    fill()
    judge.engine.transfer.import_history("claude-code", Path.home() / ".claude")
    judge.read()
    (text,) = [one for one in sent(judge) if "staging" in one]
    assert secret not in text


def test_the_older_closes_nothing_that_holds_now(judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]) -> None:
    judge.engine.archive.choose("forever")
    type_in("Exports are PDF, drop the CSV exports.", session="old")
    fill()
    type_in("From now on the exports are CSV and nothing else.", session="new")
    judge.answers("remember('From now on', 'the exports are CSV', 'Exports are CSV.')")
    judge.read(since=judge.engine.clock.now() - timedelta(minutes=1))
    holding = judge.memories()["Exports are CSV."]
    judge.answers(
        "remember('Exports are PDF', 'Exports are PDF', 'Exports are PDF.', replaces=[k('CSV')])\n"
        "answer['changes'].append({'message': m('Exports are PDF'), 'quote': 'drop the CSV exports', 'old': k('CSV'), 'new': None})\n"
        "answer['changes'].append({'message': m('Exports are PDF'), 'quote': '', 'old': 'Exports are CSV', 'new': None})"
    )
    judge.read()
    found = judge.memories()
    assert "Exports are PDF." not in found
    assert (found["Exports are CSV."].status, found["Exports are CSV."].valid_to) == ("active", None)
    assert found["Exports are CSV."].id == holding.id
    newest = judge.engine.judge.readings(limit=1)[0]
    assert dict(newest.drop_reasons)["what is older than what holds now"] == 1


def test_the_cap_stops_at_the_newest(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge.engine.archive.choose("forever")
    type_in(CENTS, session="a", cwd="/w/first")
    type_in("The shop opens at eight.", session="b", cwd="/w/second")
    fill()
    judge.read(project="/w/shop")  # what fills the queue
    spent, plan = judge.engine.stats.now().judge_token_count, judge.engine.judge.plan()
    assert (plan.request_count, plan.past_prompt_count) == (2, 2)
    answer_tokens = 1_500
    cap = spent + plan.token_count // 2 + answer_tokens + 10
    monkeypatch.setenv("REMANENCE_JUDGE_DAILY_TOKENS", str(cap))
    judge.engine._core.reload_settings()
    assert judge.read() == 2
    assert judge.engine._core.judge_worker.is_capped
    assert "The shop opens at eight." in sent(judge)
    assert CENTS not in sent(judge)


def test_a_history_that_cannot_be_read_holds_nothing(
    judge: ScriptedJudge, type_in: Type, fill: Callable[[], None]
) -> None:
    type_in(CENTS, session="old")
    history().write_bytes(b"\x00\xff{broken\n[1, 2]\n")
    (Path.home() / ".codex" / "sessions").mkdir(parents=True)
    fill()
    assert counted(judge) == (0, 1)
