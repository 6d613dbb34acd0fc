"""The queue as a model: order, sections, fewest row changes, what may be dropped where."""

from dataclasses import replace

from PySide6.QtCore import QMimeData, QModelIndex, QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.values import ConversationState, Intent, Outcome
from tests.ui.made import NOW, conversation
from ui.widgets.conversations.queue_model import (
    CONVERSATION_MIME,
    MESSAGE_MIME,
    QueueModel,
    RowKind,
    queue_rows,
    slot_line,
)


def _drawn(model: QueueModel) -> list[str]:
    """The list as lines of text."""
    return [str(model.index(n).data()) for n in range(model.rowCount())]


def _filled(*numbers: int, size: int = 3) -> QueueModel:
    model = QueueModel()
    _fill(model, *numbers, size=size)
    return model


def _fill(model: QueueModel, *numbers: int, size: int = 3) -> None:
    conversations = [conversation(n) for n in numbers]
    model.set_rows(queue_rows(conversations, size, with_free=True, with_earlier=True), NOW)


def _mime(kind: str, number: int) -> QMimeData:
    data = QMimeData()
    data.setData(kind, str(number).encode())
    return data


def test_newest_first_then_free_slots_then_what_went(qtmodeltester: ModelTester) -> None:
    model = QueueModel()
    gone = conversation(1, "Old one", state=ConversationState.EVICTED, position=None)
    rows = queue_rows([conversation(3, "C"), conversation(2, "B"), gone], 3, with_free=True, with_earlier=True)
    model.set_rows(rows, NOW)
    assert _drawn(model) == ["C", "B", "Free place", "Earlier – only what was learned", "Old one"]
    qtmodeltester.check(model)


def test_free_slots_are_not_shown_of_a_queue_that_is_not_there() -> None:
    assert queue_rows([], 20, with_free=True, with_earlier=True) == ()


def test_a_new_conversation_takes_the_top_and_the_oldest_goes() -> None:
    model = _filled(3, 2, 1)
    kept = QPersistentModelIndex(model.index(1))
    gone = QPersistentModelIndex(model.index(2))
    _fill(model, 4, 3, 2)
    assert _drawn(model) == ["Conversation 4", "Conversation 3", "Conversation 2"]
    assert kept.row() == 2
    assert not gone.isValid()


def test_rows_that_change_places_keep_their_cursor() -> None:
    model = _filled(3, 2, 1)
    cursor = QPersistentModelIndex(model.index(2))
    _fill(model, 1, 3, 2)
    assert cursor.row() == 0
    assert cursor.data() == "Conversation 1"


def test_only_what_grew_is_said_to_have_arrived_and_not_the_first_reading(qtbot: QtBot) -> None:
    model = QueueModel()
    with qtbot.assertNotEmitted(model.arrived):
        _fill(model, 2, 1)
    grown = [replace(conversation(2), message_count=4), conversation(1)]
    with qtbot.waitSignal(model.arrived) as heard:
        model.set_rows(queue_rows(grown, 3, with_free=True, with_earlier=True), NOW)
    assert heard.args == [frozenset({2})]


def test_the_same_reading_again_changes_no_row(qtbot: QtBot) -> None:
    model = _filled(2, 1)
    with qtbot.assertNotEmitted(model.dataChanged), qtbot.assertNotEmitted(model.rowsInserted):
        _fill(model, 2, 1)


def test_the_line_above_says_what_goes_next() -> None:
    full = [conversation(2), conversation(1, "Rename columns", is_next_out=True)]
    assert slot_line(full, 2) == "2 of 2 · next out: Rename columns"
    assert slot_line(full, 20) == "2 of 20 · 18 free"
    assert slot_line(full, 20, 84_000) == "2 of 20 · 84 kB · 18 free"
    assert slot_line(full, 20, 84_000, 2) == "2 of 20 · 84 kB · 18 free"


def test_a_part_of_the_queue_leaves_no_more_places_free_than_there_are() -> None:
    two = [conversation(2), conversation(1)]
    assert slot_line(two, 20, 84_000, 15) == "2 here · 84 kB · 15 of 20 in the queue"
    rows = queue_rows(two, 20, with_free=True, with_earlier=False, queue_count=15)
    assert len(rows) == 2 + 5


def test_a_slot_is_one_sentence_for_a_screen_reader() -> None:
    model = QueueModel()
    one = conversation(
        20,
        "FAB button",
        state=ConversationState.ACTIVE,
        topics=("panel",),
        files=("a.py",),
        intents=(Intent.PLAN,),
        outcome=Outcome.TESTED,
        has_clarification=True,
    )
    model.set_rows(queue_rows([one], 1, with_free=True, with_earlier=True), NOW)
    said = model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == (
        "Place 20, FAB button, active, Claude Code, 3 messages, 10 h ago, about panel, 1 file, plan, tested, needs your answer"
    )


def test_what_may_be_dropped_where() -> None:
    model = _filled(2, 1)
    move, nowhere = Qt.DropAction.MoveAction, QModelIndex()
    slot, free = model.index(0), model.index(2)
    assert model.row_at(2) is not None
    assert model.row_at(2).kind is RowKind.FREE  # type: ignore[union-attr]
    assert model.canDropMimeData(_mime(CONVERSATION_MIME, 1), move, -1, -1, slot)
    assert not model.canDropMimeData(_mime(CONVERSATION_MIME, 2), move, -1, -1, slot)
    assert model.canDropMimeData(_mime(MESSAGE_MIME, 9), move, -1, -1, free)
    assert not model.canDropMimeData(_mime(CONVERSATION_MIME, 1), move, -1, -1, free)
    assert not model.canDropMimeData(_mime("text/plain", 1), move, -1, -1, slot)
    assert not model.canDropMimeData(_mime(CONVERSATION_MIME, 1), move, -1, -1, nowhere)


def test_a_drop_says_what_is_wanted_and_moves_nothing_itself(qtbot: QtBot) -> None:
    model = _filled(2, 1)
    before = _drawn(model)
    with qtbot.waitSignal(model.dropped_on_conversation) as heard:
        model.dropMimeData(_mime(CONVERSATION_MIME, 1), Qt.DropAction.MoveAction, -1, -1, model.index(0))
    assert heard.args == [CONVERSATION_MIME, 1, 2]
    assert _drawn(model) == before


def test_many_changes_at_once_are_one_reset(qtbot: QtBot) -> None:
    model = _filled(1, size=200)
    with qtbot.waitSignal(model.modelReset):
        _fill(model, *range(150, 1, -1), size=200)
    assert model.row_of(150) == 0
