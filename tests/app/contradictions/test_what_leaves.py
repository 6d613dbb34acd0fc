"""What of a pair leaves for a judge, and what stays of its words when a memory is erased or a secret is found."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, Places
from app.store.rows import pair_check as pair_rows
from app.values import ExclusionKind, MemoryStatus
from tests.patience import PATIENCE_S

SHOP = "/w/shop"
OLD, NEW = "Mail of the shop goes through Falcon.", "Mail of the shop is sent with Kestrel."
# Contradicts whatever it is shown, and says why with the words of all that it was shown.
JUDGE = """
import json, sys
from pathlib import Path
request = json.load(sys.stdin)
log = Path({log!r})
log.write_text((log.read_text() if log.exists() else "") + json.dumps(request) + "\\n")
why = Path({why!r}).read_text()
verdicts = [{{"id": one["id"], "verdict": "contradict", "why": why, "holds": "b"}} for one in request.get("pairs", [])]
json.dump({{"verdicts": verdicts}}, sys.stdout)
"""


class Desk:
    """An engine with a judge; `why` is what it will say."""

    def __init__(self, places: Places, clock: FrozenClock, folder: Path, flags: dict[str, object]) -> None:
        self.folder = folder
        self.why("they name two of one thing")
        script = folder / "judge.py"
        script.write_text(JUDGE.format(log=str(folder / "log"), why=str(folder / "why")))
        chosen: dict[str, object] = {"judge": "command", "judge_command": f"{sys.executable} {script}"}
        self.engine = Engine.open(places, clock=clock, flags=chosen | flags)

    def why(self, text: str) -> None:
        (self.folder / "why").write_text(text)

    def add(self, text: str, **more: object) -> int:
        return self.engine.memories.create(MemoryDraft(text, project_path=SHOP, **more))  # type: ignore[arg-type]

    def look(self) -> None:
        assert self.engine._core.scanner.wait_idle(PATIENCE_S)

    def decide(self) -> int:
        return self.engine._core.scanner.decide_waiting(at_once=True)

    def waiting(self) -> int:
        with self.engine._core.store.read() as connection:
            return pair_rows.count_waiting(connection)

    def sent(self) -> str:
        log = self.folder / "log"
        return log.read_text() if log.exists() else ""


@pytest.fixture
def open_client(places: Places, clock: FrozenClock, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    opened: list[Desk] = []

    def make(**flags: object) -> Desk:
        opened.append(Desk(places, clock, tmp_path, flags))
        return opened[-1]

    yield make
    for one in opened:
        one.engine.close()


@pytest.fixture
def desk(open_client: Callable[..., Desk]) -> Desk:
    return open_client()


def test_the_control_a_pair_that_may_leave_is_asked(desk: Desk) -> None:
    desk.add(OLD)
    desk.add(NEW)
    desk.look()
    assert desk.decide() == 1
    assert "Falcon" in desk.sent()


@pytest.mark.parametrize("when", ["before it is found", "while it waits"])
@pytest.mark.parametrize(
    ("kind", "text"), [(ExclusionKind.FOLDER, SHOP), (ExclusionKind.FOLDER, "*/shop"), (ExclusionKind.WORDS, "falcon")]
)
def test_what_is_excluded_is_decided_here(desk: Desk, kind: ExclusionKind, text: str, when: str) -> None:
    desk.add(OLD)
    if when == "before it is found":
        desk.engine.rules.exclude(kind, text)
    desk.add(NEW)
    desk.look()
    desk.engine.rules.exclude(kind, text)
    desk.decide()
    assert desk.sent() == ""
    [found] = desk.engine.contradictions.list()
    assert found.judged_by == "rules"


@pytest.mark.parametrize("when", ["before it is found", "while it waits"])
def test_what_is_never_given_is_not_shown_to_a_judge(desk: Desk, when: str) -> None:
    old = desk.add(OLD)
    if when == "before it is found":
        desk.engine.context.withhold([old])
    desk.add(NEW)
    desk.look()
    desk.engine.context.withhold([old])
    desk.decide()
    assert desk.sent() == ""


def test_what_was_only_read_somewhere_is_not_shown(desk: Desk) -> None:
    desk.add(OLD)
    read = desk.add(NEW)
    desk.look()
    with desk.engine._core.store.write_log() as connection:
        connection.exec_driver_sql("UPDATE memory SET status = 'proposed', trust = 0 WHERE id = ?", (read,))
    assert desk.engine.memories.get(read).memory.status is MemoryStatus.PROPOSED
    desk.decide()
    assert desk.sent() == ""


def test_what_is_excluded_while_the_judge_reads_keeps_nothing_of_its_answer(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.add(OLD)
    desk.add(NEW)
    desk.look()
    worker = desk.engine._core.judge_worker
    ask = worker.ask

    def ask_slowly(*args: object, **named: object) -> object:
        answer = ask(*args, **named)  # type: ignore[arg-type]
        desk.engine.rules.exclude(ExclusionKind.WORDS, "falcon")
        return answer

    monkeypatch.setattr(worker, "ask", ask_slowly)
    assert desk.decide() == 0
    assert desk.waiting() == 1, "the rules decide it next"
    desk.decide()
    assert [one.judged_by for one in desk.engine.contradictions.list()] == ["rules"]


def test_a_reason_that_names_another_pair_goes_when_that_is_erased(desk: Desk) -> None:
    other = desk.add("Invoices of the shop are printed by heron.")
    desk.add(OLD)
    desk.add(NEW)
    desk.look()
    desk.why("one goes the way of the heron")
    assert desk.decide() == 1
    [found] = desk.engine.contradictions.list()
    assert "heron" in found.reason, "the control: small letters name nothing, so this passes the check"
    desk.engine.memories.erase([other])
    [found] = desk.engine.contradictions.list()
    assert found.reason == "the two cannot both hold"
    with desk.engine._core.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT why FROM pair_check").all()
        images = connection.exec_driver_sql("SELECT * FROM change WHERE table_name = 'contradiction'").all()
    assert all(row.why == "" for row in rows)
    assert "heron" not in repr(images)


def test_erasing_one_side_takes_verdict_and_contradiction(desk: Desk) -> None:
    old = desk.add(OLD)
    desk.add(NEW)
    desk.look()
    desk.why("Falcon is not Kestrel")
    assert desk.decide() == 1
    desk.engine.memories.erase([old])
    with desk.engine._core.store.read() as connection:
        left = [connection.exec_driver_sql(f"SELECT * FROM {name}").all() for name in ("pair_check", "contradiction")]
    assert left == [[], []]


def test_a_secret_is_found_in_what_a_judge_said_and_taken_out(open_client: Callable[..., Desk]) -> None:
    token = "ghp_" + "Zq7x" * 9
    desk = open_client(is_redacting=False)
    desk.add(f"The mail token of the shop is {token}.")
    desk.add("The mail token of the shop is kept in the vault, not in the code.")
    with desk.engine._core.store.write_log() as connection:
        pair_rows.add_waiting(connection, [
            {"memory_a_id": 1, "memory_b_id": 2, "a_key": "x", "b_key": "y", "found_at": desk.engine.clock.now()}
        ])  # fmt: skip
        pair_rows.settle(connection, 1, {"verdict": "contradict", "why": f"one says {token}", "judged_by": "command"})
    tables = {one.table for one in desk.engine.memories.scan_secrets(purge=False)}
    assert "pair_check" in tables
    desk.engine.memories.scan_secrets(purge=True)
    with desk.engine._core.store.read() as connection:
        [row] = connection.exec_driver_sql("SELECT * FROM pair_check").all()
    assert token not in json.dumps(list(row), default=str)
    assert "[secret:" in row.why
