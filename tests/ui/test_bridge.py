"""The bridge: order of writes, newest question wins, throttled changes, jobs that can be stopped, a quiet end."""

import threading
import time
from collections.abc import Callable
from typing import cast

import pytest
from PySide6.QtCore import QObject, QThread
from pytestqt.qtbot import QtBot

from app.api import Changes, DataKind, Engine, InvalidError, Origin, Progress
from tests.patience import PATIENCE_S
from ui.bridge import EngineBridge, Failure, Job, JobDone


class _Engine:
    """As much of an engine as the bridge knows."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[Changes], None]] = []
        self.written: list[str] = []

    def subscribe(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def announce(self, changes: Changes) -> None:
        worker = threading.Thread(target=lambda: [listener(changes) for listener in self.listeners])
        worker.start()
        worker.join()


class _Receiver(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.got: list[object] = []
        self.threads: list[QThread] = []

    def take(self, value: object) -> None:
        self.got.append(value)
        self.threads.append(QThread.currentThread())


@pytest.fixture
def fake(bridge: EngineBridge) -> _Engine:
    made = _Engine()
    bridge.attach(cast(Engine, made))
    return made


def _changes(*kinds: DataKind, seq: int = 1, origin: Origin = Origin.CAPTURE, label: str = "") -> Changes:
    return Changes(seq, frozenset(kinds), dict.fromkeys(kinds, (seq,)), origin=origin, label=label)


def test_writes_happen_in_the_order_they_were_sent(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    for number in range(20):
        bridge.do(f"write.{number}", lambda engine, at=number: cast(_Engine, engine).written.append(str(at)))
    qtbot.waitUntil(lambda: len(fake.written) == 20)
    assert fake.written == [str(number) for number in range(20)]


def test_answers_arrive_on_the_gui_thread(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    receiver = _Receiver()
    bridge.ask("tag", lambda _engine: 42, receiver.take)
    qtbot.waitUntil(lambda: receiver.got == [42])
    assert receiver.threads == [receiver.thread()]


def test_the_newest_question_of_a_tag_wins(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    gate, receiver = threading.Event(), _Receiver()
    bridge.ask("list", lambda _engine: gate.wait(PATIENCE_S) and "old", receiver.take)
    bridge.ask("list", lambda _engine: "new", receiver.take)
    gate.set()
    qtbot.waitUntil(lambda: bool(receiver.got))
    qtbot.wait(30)
    assert receiver.got == ["new"]


def test_different_tags_do_not_disturb_each_other(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    receiver = _Receiver()
    bridge.ask("one", lambda _engine: 1, receiver.take)
    bridge.ask("two", lambda _engine: 2, receiver.take)
    qtbot.waitUntil(lambda: sorted(cast(list[int], receiver.got)) == [1, 2])


def test_an_answer_for_a_deleted_panel_is_dropped(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    gate, receiver, other = threading.Event(), _Receiver(), _Receiver()
    bridge.ask("panel", lambda _engine: gate.wait(PATIENCE_S), receiver.take)
    bridge.ask("other", lambda _engine: "here", other.take)
    receiver.deleteLater()
    qtbot.wait(10)
    gate.set()
    qtbot.waitUntil(lambda: other.got == ["here"])


def test_what_was_asked_before_the_engine_is_open_waits_for_it(qtbot: QtBot, bridge: EngineBridge) -> None:
    receiver, fake = _Receiver(), _Engine()
    bridge.ask("early", lambda _engine: "answer", receiver.take)
    bridge.do("early.write", lambda engine: cast(_Engine, engine).written.append("done"))
    qtbot.wait(20)
    assert not receiver.got
    bridge.attach(cast(Engine, fake))
    qtbot.waitUntil(lambda: receiver.got == ["answer"] and fake.written == ["done"])


def test_errors_for_people_and_bugs_are_told_apart(
    qtbot: QtBot, bridge: EngineBridge, fake: _Engine, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[Failure] = []
    bridge.failed.connect(failures.append)

    def refuse(_engine: object) -> None:
        raise InvalidError("The title is empty.", hint="Type one.")

    def stumble(_engine: object) -> None:
        raise ZeroDivisionError

    bridge.do("rename", refuse)
    bridge.do("bug", stumble)
    qtbot.waitUntil(lambda: len(failures) == 2)
    told = {failure.action_id: failure.is_bug for failure in failures}
    assert told == {"rename": False, "bug": True}
    assert "action bug failed" in caplog.text


def test_a_burst_of_changes_becomes_one(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    receiver = _Receiver()
    bridge.changed.connect(receiver.take)
    for seq in range(1, 31):
        fake.announce(_changes(DataKind.MESSAGES if seq % 2 else DataKind.EVENTS, seq=seq))
    qtbot.waitUntil(lambda: bool(receiver.got))
    (merged,) = cast(list[Changes], receiver.got)
    assert merged.kinds == {DataKind.MESSAGES, DataKind.EVENTS}
    assert merged.seq == 30
    assert merged.ids[DataKind.EVENTS] == tuple(range(2, 31, 2))
    assert receiver.threads == [receiver.thread()]


def test_each_act_of_the_person_is_told_at_once_and_after_what_came_before(
    qtbot: QtBot, bridge: EngineBridge, fake: _Engine
) -> None:
    told: list[Changes] = []
    bridge.changed.connect(told.append)
    fake.announce(_changes(DataKind.MESSAGES))
    fake.announce(_changes(DataKind.CONVERSATIONS, seq=2, origin=Origin.PERSON, label="Renamed"))
    fake.announce(_changes(DataKind.CONVERSATIONS, seq=3, origin=Origin.PERSON, label="Split"))
    qtbot.waitUntil(lambda: len(told) == 3)
    assert [changes.label for changes in told] == ["", "Renamed", "Split"]


def test_a_job_tells_progress_and_its_end(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    steps: list[Progress] = []
    bridge.progressed.connect(steps.append)

    def work(job: Job) -> str:
        for done in range(3):
            job.progress(Progress("import", "Reading", done, 3))
        return "report"

    with qtbot.waitSignal(bridge.finished) as ended:
        bridge.start("import", work)
    assert ended.args == [JobDone("import", "report")]
    assert [step.done for step in steps] == [0, 1, 2]
    qtbot.waitUntil(lambda: not bridge.is_busy)


def test_a_job_that_runs_is_not_begun_twice_and_can_be_stopped(
    qtbot: QtBot, bridge: EngineBridge, fake: _Engine
) -> None:
    begun: list[bool] = []

    def work(job: Job) -> bool:
        begun.append(True)
        return job.cancel.wait(PATIENCE_S)

    bridge.start("import", work)
    bridge.start("import", work)
    qtbot.waitUntil(lambda: bool(begun))
    with qtbot.waitSignal(bridge.finished) as ended:
        bridge.cancel("import")
    assert ended.args == [JobDone("import", value=True)]
    assert begun == [True]


def test_a_job_is_begun_again_as_soon_as_its_end_is_told(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    ends: list[object] = []

    def again(done: JobDone) -> None:
        ends.append(done.value)
        if len(ends) < 20:  # the answer to the end of one is the begin of the next: a click on Continue
            bridge.start("import", lambda _job: len(ends))

    bridge.finished.connect(again)
    bridge.start("import", lambda _job: 0)
    qtbot.waitUntil(lambda: len(ends) == 20)
    assert ends == list(range(20))


def test_a_failed_job_can_be_started_again(qtbot: QtBot, bridge: EngineBridge, fake: _Engine) -> None:
    def fail(_job: Job) -> None:
        raise InvalidError("Not a history.")

    with qtbot.waitSignal(bridge.failed):
        bridge.start("import", fail)
    qtbot.waitUntil(lambda: not bridge.is_busy)
    with qtbot.waitSignal(bridge.finished):
        bridge.start("import", lambda _job: None)


def test_detaching_stops_jobs_finishes_writes_and_drops_the_rest(qtbot: QtBot, fake: _Engine) -> None:
    bridge = EngineBridge()
    bridge.attach(cast(Engine, fake))
    stopped: list[bool] = []
    bridge.start("import", lambda job: stopped.append(job.cancel.wait(PATIENCE_S)))
    bridge.do("write", lambda engine: cast(_Engine, engine).written.append("kept"))
    bridge.detach()
    assert fake.written == ["kept"]
    assert stopped in ([True], [])  # begun and asked to stop, or not begun any more
    bridge.detach()
    bridge.do("late", lambda engine: cast(_Engine, engine).written.append("late"))
    assert fake.written == ["kept"]
    bridge.deleteLater()


def test_a_read_that_goes_on_does_not_hold_the_end_up(bridge: EngineBridge, fake: _Engine) -> None:
    has_begun, is_over = threading.Event(), threading.Event()
    before = set(threading.enumerate())

    def read(_engine: Engine) -> None:
        has_begun.set()
        is_over.wait(PATIENCE_S)

    bridge.ask("slow", read, lambda _answer: None)
    assert has_begun.wait(PATIENCE_S)
    began_s = time.monotonic()
    try:
        assert bridge.detach() is False
        assert time.monotonic() - began_s < 2
    finally:
        is_over.set()
        for thread in set(threading.enumerate()) - before:
            thread.join(PATIENCE_S)
