"""The transcript as a model: which rows there are, what unfolds, and that a newer reading changes only what is new."""

from dataclasses import replace
from datetime import timedelta

from PySide6.QtCore import QPersistentModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.values import BoundaryFactor, BoundaryJudgement
from tests.ui.made import NOW, conversation, detail, message, question, reference
from ui.screens.conversations.transcript_model import Neighbours, TranscriptModel, neighbours_of

LONG = "a line of a long log\n" * 2_000


def _drawn(model: TranscriptModel) -> list[str]:
    """The list as "kind: text"."""
    rows = [model.row_at(n) for n in range(model.rowCount())]
    return [
        f"{row.kind}: {row.text or (row.message.text[row.start : row.end] if row.message else '')}"
        for row in rows
        if row
    ]


def test_a_conversation_starts_with_why_it_starts(qtmodeltester: ModelTester) -> None:
    model = TranscriptModel()
    model.set_detail(detail(message(1, "Add a button"), message(2, "Make it blue")), Neighbours())
    assert _drawn(model) == ["marker: Starts here: 4 minutes later · 95 %", "text: Add a button", "text: Make it blue"]
    qtmodeltester.check(model)


def test_markers_stand_where_it_was_late_close_or_corrected() -> None:
    late = message(2, "late", at=NOW + timedelta(hours=3))
    close = message(
        3, "close", at=late.at, boundary=BoundaryJudgement(False, "decided", 0.52, "continues: other words")
    )
    mine = message(4, "mine", at=late.at, boundary=BoundaryJudgement(False, "corrected", 1.0, ""))
    plain = message(5, "plain", at=late.at)
    model = TranscriptModel()
    model.set_detail(detail(message(1, "first"), late, close, mine, plain), Neighbours())
    assert [line for line in _drawn(model) if line.startswith("marker")][1:] == [
        "marker: 2 h later · Continues: 4 minutes later · 95 %",
        "marker: Continues: other words · 52 %",
        "marker: Continues · set by you",
    ]


def test_an_open_question_stands_before_its_message() -> None:
    model = TranscriptModel()
    model.set_detail(detail(message(1, "Limit the API"), message(2, "Make it stricter")), Neighbours(), [question(2)])
    assert _drawn(model)[2:] == ["ask: New topic, or still “Rate limiting”?", "text: Make it stricter"]


def test_a_long_message_is_one_slice_until_more_is_asked_for() -> None:
    model = TranscriptModel()
    model.set_detail(detail(message(1, LONG)), Neighbours())
    assert [line.split(":")[0] for line in _drawn(model)] == ["marker", "text", "more"]
    assert _drawn(model)[-1].endswith("characters hidden)")
    model.show_more(1)
    assert [line.split(":")[0] for line in _drawn(model)].count("text") == 9


def test_going_to_an_offset_unfolds_what_hides_it() -> None:
    model = TranscriptModel()
    model.set_detail(detail(message(1, LONG)), Neighbours())
    row = model.row_for(1, len(LONG) - 1)
    assert row is not None
    found = model.row_at(row)
    assert found is not None
    assert found.start <= len(LONG) - 1 < found.end


def test_one_more_message_is_one_inserted_row_and_cursors_stay(qtbot: QtBot) -> None:
    first, second, third = message(1, "one"), message(2, "two"), message(3, "three")
    model = TranscriptModel()
    model.set_detail(detail(first, second), Neighbours())
    cursor = QPersistentModelIndex(model.index(2))
    with qtbot.waitSignal(model.rowsInserted) as inserted, qtbot.waitSignal(model.grew) as grew:
        model.set_detail(detail(replace(first), replace(second), third), Neighbours())
    assert inserted.args[1:] == [3, 3]
    assert grew.args == [1]
    assert cursor.row() == 2
    assert _drawn(model)[-1] == "text: three"


def test_a_correction_changes_its_row_only(qtbot: QtBot) -> None:
    first, second = message(1, "one"), message(2, "Make it blue")
    model = TranscriptModel()
    model.set_detail(detail(first, second), Neighbours())
    corrected = replace(second, references=((1, reference(second.text, "it", "header")),))
    with qtbot.waitSignal(model.dataChanged) as heard, qtbot.assertNotEmitted(model.modelReset):
        model.set_detail(detail(first, corrected), Neighbours())
    assert heard.args[0].row() == 2


def test_reading_as_expanded_is_per_message_or_for_all() -> None:
    first, second = message(1, "one"), message(2, "Make it blue", expanded_text="Make the button blue")
    model = TranscriptModel()
    model.set_detail(detail(first, second), Neighbours())

    def is_open() -> list[bool]:
        return [row.is_open for row in (model.row_at(1), model.row_at(2)) if row]

    model.toggle_expanded(1)
    assert is_open() == [False, False]  # nothing was put in: there is nothing to show
    model.toggle_expanded(2)
    assert is_open() == [False, True]
    model.set_all_expanded(is_on=True)
    assert is_open() == [False, True]
    model.toggle_expanded(2)
    assert is_open() == [False, False]


def test_another_conversation_forgets_what_was_unfolded(qtbot: QtBot) -> None:
    factors = (BoundaryFactor("gap", 0.8, "2 h gap"),)
    start = message(1, "one", boundary=BoundaryJudgement(True, "decided", 0.9, "new: 2 h gap", factors))
    model = TranscriptModel()
    model.set_detail(detail(start), Neighbours())
    model.toggle_marker(1)
    assert model.row_at(0).is_open  # type: ignore[union-attr]
    other = detail(start)
    other = replace(other, conversation=replace(other.conversation, id=2))
    with qtbot.waitSignal(model.modelReset):
        model.set_detail(other, Neighbours())
    assert not model.row_at(0).is_open  # type: ignore[union-attr]


def test_neighbours_are_of_the_same_stream() -> None:
    here = conversation(5, session="a")
    others = [conversation(4, session="b"), conversation(3, session="a"), here, conversation(8, session="a")]
    found = neighbours_of(here, others)
    assert (found.before.id if found.before else 0, found.after.id if found.after else 0) == (3, 8)


def test_a_message_is_a_sentence_for_a_screen_reader() -> None:
    text = "Make it blue"
    model = TranscriptModel()
    model.set_detail(detail(message(1, text, references=((1, reference(text, "it", "FAB button")),))), Neighbours())
    said = model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "You, 15:01, request. Make it blue. “it” = FAB button"
