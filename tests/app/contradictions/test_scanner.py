"""What was just learned is held against what is known, behind every answer: by rules, or by a judge whose verdicts are kept."""

import json
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, MemoryEdit, Places, Resolution
from app.consolidation.steps import contradictions as step
from app.contradictions import scanner
from app.contradictions.finding import FoundPair
from app.store.rows import pair_check as pair_rows
from app.understanding.message_rows import AnyRow
from tests.patience import PATIENCE_S

SHOP = "/w/shop"
JUDGE = """
import json, sys
from pathlib import Path
request = json.load(sys.stdin)
log = Path({log!r})
log.write_text(log.read_text() + json.dumps(request) + "\\n" if log.exists() else json.dumps(request) + "\\n")
answers = json.loads(Path({answers!r}).read_text())
verdicts = [
    {{"id": one["id"], "verdict": said[0], "why": "they name two of one thing", "holds": said[1]}}
    for one in request.get("pairs", []) for key, said in answers.items() if key in one["b"]
]
json.dump({{"verdicts": verdicts}}, sys.stdout)
"""


def add(engine: Engine, text: str) -> int:
    return engine.memories.create(MemoryDraft(text, project_path=SHOP))


def idle(engine: Engine) -> None:
    assert engine._core.scanner.wait_idle(PATIENCE_S)


@pytest.fixture
def judged(
    places: Places, clock: FrozenClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, tuple[str, str]]], Engine]:
    """An engine with a judge that answers by a word of the newer text; its requests stand in `judge.log`."""
    opened: list[Engine] = []

    def make(answers: dict[str, tuple[str, str]]) -> Engine:
        (tmp_path / "answers.json").write_text(json.dumps(answers))
        script = tmp_path / "judge.py"
        script.write_text(JUDGE.format(log=str(tmp_path / "judge.log"), answers=str(tmp_path / "answers.json")))
        monkeypatch.setenv("REMANENCE_JUDGE", "command")
        monkeypatch.setenv("REMANENCE_JUDGE_COMMAND", f"{sys.executable} {script}")
        opened.append(Engine.open(places, clock=clock))
        return opened[-1]

    yield make  # type: ignore[misc]
    for one in opened:
        one.close()


def requests(tmp_path: Path) -> list[dict[str, object]]:
    log = tmp_path / "judge.log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.mark.seed("S4", "con.contradictions", "contra.background")
def test_a_pair_without_a_slot_opens_behind_the_answer(engine: Engine) -> None:
    old = add(engine, "Mail of the shop goes through Falcon.")
    new = add(engine, "Mail of the shop is sent with Kestrel.")
    idle(engine)
    [found] = engine.contradictions.list()
    assert (found.a.id, found.b.id, found.kind, found.judged_by) == (old, new, "replaced", "rules")


def test_what_is_about_something_else_opens_nothing(engine: Engine) -> None:
    for text in (
        "The owner of payments is Anna.",
        "The owner of search is Ben.",
        "The access token lives for 15 minutes.",
        "The refresh token lives for 30 days.",
        "We might switch to MySQL one day.",
        "The primary database is PostgreSQL.",
    ):
        add(engine, text)
    idle(engine)
    assert engine.contradictions.list() == ()


def test_undo_takes_back_what_opened(engine: Engine) -> None:
    add(engine, "Mail of the shop goes through Falcon.")
    add(engine, "Mail of the shop is sent with Kestrel.")
    idle(engine)
    [found] = engine.journal.list(limit=1)
    assert found.label == "Found 1 contradiction"
    engine.journal.undo(found.id)
    assert engine.contradictions.list() == ()


@pytest.mark.seed("S4", "contra.verdict")
def test_with_a_judge_it_is_unseen_until_the_verdict(
    judged: Callable[[dict[str, tuple[str, str]]], Engine], tmp_path: Path
) -> None:
    engine = judged({"Kestrel": ("contradict", "b"), "weekly": ("compatible", "both")})
    add(engine, "Mail of the shop goes through Falcon.")
    new = add(engine, "Mail of the shop is sent with Kestrel.")
    idle(engine)
    assert engine.contradictions.list() == ()
    assert engine._core.scanner.decide_waiting(at_once=True) == 1
    [found] = engine.contradictions.list()
    assert (found.b.id, found.judged_by, found.reason) == (new, "command", "they name two of one thing")
    assert engine.contradictions.get(found.id).suggested is Resolution.B_WINS
    asked = len(requests(tmp_path))
    engine._core.scanner.scan([new])
    assert engine._core.scanner.decide_waiting(at_once=True) == 0
    assert len(requests(tmp_path)) == asked, "a verdict on the same two texts is kept"


def test_a_declared_replacement_is_resolved_and_can_be_opened_again(
    judged: Callable[[dict[str, tuple[str, str]]], Engine], clock: FrozenClock
) -> None:
    engine = judged({"Kestrel": ("contradict", "b")})
    from tests.app.contradictions.made import speak

    old = speak(engine, clock, "From now on mail of the shop goes through Falcon.")
    speak(engine, clock, "From now on mail of the shop is sent with Kestrel, Falcon was uninstalled.")
    idle(engine)
    engine._core.scanner.decide_waiting(at_once=True)
    [done] = engine.contradictions.list("resolved")
    assert (done.resolution, done.resolved_by, done.a.id) == (Resolution.B_WINS, "command", old)
    engine.contradictions.reopen(done.id)
    assert engine.memories.get(old).memory.valid_to is None


def test_without_an_answer_for_a_day_the_rules_decide(
    judged: Callable[[dict[str, tuple[str, str]]], Engine], clock: FrozenClock
) -> None:
    engine = judged({})
    add(engine, "Mail of the shop goes through Falcon.")
    add(engine, "Mail of the shop is sent with Kestrel.")
    idle(engine)
    engine._core.scanner.decide_waiting(at_once=True)
    assert engine.contradictions.list() == ()
    clock.advance(days=1)
    assert engine._core.scanner.decide_waiting() == 1
    [found] = engine.contradictions.list()
    assert found.judged_by == "rules"


def test_a_verdict_goes_with_its_memory(judged: Callable[[dict[str, tuple[str, str]]], Engine]) -> None:
    engine = judged({})
    first = add(engine, "Mail of the shop goes through Falcon.")
    add(engine, "Mail of the shop is sent with Kestrel.")
    idle(engine)
    with engine._core.store.read() as connection:
        assert pair_rows.count_waiting(connection) == 1
    engine.memories.erase([first])
    with engine._core.store.read() as connection:
        assert pair_rows.count_waiting(connection) == 0


def test_a_run_looks_only_at_what_was_not_held_already(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    found = step.find_candidates

    def find(connection: object, memory: AnyRow, *rest: object) -> tuple[FoundPair, ...]:
        looked_at.append(memory.id)
        return found(connection, memory, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(step, "find_candidates", find)
    first, second = add(engine, "Mail of the shop goes through Falcon."), add(engine, "Buttons are blue.")
    idle(engine)
    engine.memories.edit(second, MemoryEdit(full="Buttons of the shop are green."))
    engine.consolidation.run()
    assert looked_at == [second], f"not {first}: the scanner has held it"


def test_what_is_too_much_for_one_run_is_held_behind_it_also_after_a_restart(
    places: Places, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "_AT_ONCE", 1)
    monkeypatch.setattr(scanner, "_QUEUE_MOST", 0)  # as if it came in bulk
    engine = Engine.open(places, clock=clock)
    for name in ("Falcon", "Kestrel", "Osprey"):
        add(engine, f"Mail of the shop goes through {name}.")
    add(engine, "The reports are written on Monday.")
    engine.consolidation.run()
    held = len(engine.contradictions.list())
    left = engine._core.scanner._left
    engine.close()
    assert (held, left[0] < left[1]) == (0, True), "the control"
    with closing(Engine.open(places, clock=clock)) as engine:
        assert engine._core.scanner._left == left
        idle(engine)
        assert len(engine.contradictions.list()) == 3
        assert engine._core.scanner._left[0] >= engine._core.scanner._left[1]
