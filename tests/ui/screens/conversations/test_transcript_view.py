"""The transcript as a view: bounded work for huge input, nothing jumps, everything lies inside, text is literal."""

from dataclasses import replace
from datetime import timedelta

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.values import BoundaryFactor, BoundaryJudgement, Intent, IntentScore, Message, ReferenceState
from tests.ui.made import detail, message, reference
from ui.screens.conversations.message_text import SLICE_CHARS
from ui.screens.conversations.transcript_layout import KEPT_LAYOUTS, TargetKind
from ui.screens.conversations.transcript_model import Neighbours, RowKind, TranscriptModel
from ui.screens.conversations.transcript_view import TranscriptView
from ui.theme import DARK, LIGHT, apply_theme

MANY = 5_000


@pytest.fixture
def view(qtbot: QtBot) -> TranscriptView:
    made = TranscriptView(TranscriptModel())
    made.setAccessibleName("Transcript")
    qtbot.addWidget(made)
    made.resize(640, 420)
    made.show()
    qtbot.waitExposed(made)
    return made


def _model(view: TranscriptView) -> TranscriptModel:
    model = view.model()
    assert isinstance(model, TranscriptModel)
    return model


def _show(view: TranscriptView, *messages: Message) -> None:
    _model(view).set_detail(detail(*messages), Neighbours())
    QApplication.processEvents()


def _with_reference(number: int, text: str = "Make it purple") -> Message:
    return message(number, text, references=((number, reference(text, "it", "FAB button")),))


def _top_message(view: TranscriptView) -> tuple[int, int]:
    """The first message in the viewport and where it stands."""
    row = view.rowAt(0)
    shown = _model(view).row_at(row)
    assert shown is not None
    assert shown.message is not None
    return shown.message.id, view.rowViewportPosition(row)


def test_of_five_thousand_messages_only_those_in_sight_are_laid_out(view: TranscriptView) -> None:
    _show(view, *(message(n, f"Message {n} " + "with some words " * (n % 9)) for n in range(1, MANY + 1)))
    assert len(view.layouter._kept) < 100
    view.scroll_to_end()
    last = _model(view).index(_model(view).rowCount() - 1)
    assert 0 < view.visualRect(last).bottom() <= view.viewport().height()
    bar = view.verticalScrollBar()
    for step in range(40):
        bar.setValue(bar.maximum() * step // 40)
    assert len(view.layouter._kept) <= KEPT_LAYOUTS


@pytest.mark.parametrize(
    "text", [pytest.param("x" * 10_000_000, id="one-line"), pytest.param("a line\n" * 1_400_000, id="lines")]
)
def test_of_ten_megabytes_one_slice_is_laid_out(view: TranscriptView, text: str) -> None:
    _show(view, message(1, text))
    shown = [view.layouter.layout(row, view.column_px()) for n in range(3) if (row := _model(view).row_at(n))]
    texts = [layout.text.text() for layout in shown if layout.text is not None]
    assert [len(one) <= SLICE_CHARS for one in texts] == [True]
    assert shown[-1].row.kind is RowKind.MORE


def test_the_text_is_literal(view: TranscriptView) -> None:
    evil = '<img src="file:///etc/passwd"><b>bold</b> &amp;'
    _show(view, message(1, evil))
    row = _model(view).row_at(1)
    assert row is not None
    layout = view.layouter.layout(row, view.column_px())
    assert layout.text is not None
    assert layout.text.text() == evil


def test_unfolding_above_does_not_move_what_is_being_read(view: TranscriptView) -> None:
    _show(view, *(message(n, f"Message {n} " * 12, expanded_text="read " * 90) for n in range(1, 60)))
    view.show_message(40, is_flashed=False)
    before = _top_message(view)
    _model(view).toggle_expanded(2)
    assert _top_message(view) == before


def test_messages_that_arrive_do_not_move_what_is_being_read(view: TranscriptView) -> None:
    messages = [message(n, f"Message {n} " * 9) for n in range(1, 60)]
    _show(view, *messages)
    view.show_message(30, is_flashed=False)
    before = _top_message(view)
    _show(view, *messages, message(60, "new"))
    assert _top_message(view) == before
    assert view.current_message_id() == 30


def test_at_the_end_it_follows(view: TranscriptView) -> None:
    messages = [message(n, f"Message {n} " * 9) for n in range(1, 60)]
    _show(view, *messages)
    view.scroll_to_end()
    _show(view, *messages, message(60, "new " * 200))
    assert view.is_at_end()


def test_references_are_walked_over_messages_and_round_the_end(view: TranscriptView) -> None:
    _show(view, message(1, "plain"), _with_reference(2), message(3, "plain"), _with_reference(4))
    walked = []
    for step in (1, 1, 1, -1):
        view.step_reference(step)
        walked.append((view.current_message_id(), view.focused_reference))
    assert walked == [(2, 2), (4, 4), (2, 2), (4, 4)]


def test_without_references_the_walk_stays_where_it_is(view: TranscriptView) -> None:
    _show(view, message(1, "plain"), message(2, "plain"))
    view.step_reference(1)
    assert view.focused_reference == 0


def test_enter_on_a_marker_unfolds_it_and_enter_on_more_shows_more(view: TranscriptView, qtbot: QtBot) -> None:
    factors = (BoundaryFactor("gap", 0.8, "2 h gap"), BoundaryFactor("overlap", -0.4, "one shared entity"))
    start = message(1, "word " * 4_000, boundary=BoundaryJudgement(True, "decided", 0.9, "new: 2 h gap", factors))
    _show(view, start)
    model = _model(view)
    low = view.rowHeight(0)
    view.setCurrentIndex(model.index(0))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.rowHeight(0) > low
    view.setCurrentIndex(model.index(2))
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert sum(row.kind is RowKind.TEXT for n in range(model.rowCount()) if (row := model.row_at(n))) == 9


@pytest.mark.parametrize("width", [300, 500, 900])
@pytest.mark.parametrize("percent", [100, 150])
def test_everything_lies_inside_the_row_at_every_width_and_text_size(
    view: TranscriptView, width: int, percent: int
) -> None:
    scores = tuple(IntentScore(intent, 0.5, "") for intent in Intent)
    text = "Change its color " + "andaverylongwordwithoutanybreak" * 8
    made = message(
        1,
        text,
        intents=scores,
        expanded_text="Change the header's color",
        references=((1, reference(text, "its", "header", ReferenceState.AMBIGUOUS)),),
    )
    apply_theme(LIGHT, percent)
    try:
        view.resize(width, 420)
        _show(view, made)
        row = _model(view).row_at(1)
        assert row is not None
        layout = view.layouter.layout(row, view.column_px())
        rects = [rect for target in layout.targets for rect in target.rects]
        assert {target.kind for target in layout.targets} == {TargetKind.REFERENCE, TargetKind.INTENTS, TargetKind.READ}
        assert all(rect.left() >= 0 and rect.right() <= view.column_px() for rect in rects)
        assert all(rect.bottom() <= layout.height for rect in rects)
        assert view.rowHeight(1) == round(layout.height)
    finally:
        apply_theme(LIGHT)


def test_a_cut_after_a_line_end_leaves_no_empty_line(view: TranscriptView) -> None:
    _show(view, message(1, "one line of a log\n" * 500))
    row = _model(view).row_at(1)
    assert row is not None
    layout = view.layouter.layout(row, view.column_px())
    assert layout.text is not None
    assert layout.text.lineAt(layout.text.lineCount() - 1).textLength() > 0


def test_a_secret_that_was_kept_out_is_said(view: TranscriptView) -> None:
    _show(view, message(1, "My key is [secret]", redaction_count=1))
    row = _model(view).row_at(1)
    assert row is not None
    assert "1 secret removed" in [text for _rect, text, _look in view.layouter.layout(row, view.column_px()).chips]


def test_what_was_pasted_and_teaches_nothing_is_said(view: TranscriptView) -> None:
    _show(view, message(1, "look:\n> we use Mongo", foreign=("quoted lines",)))
    row = _model(view).row_at(1)
    assert row is not None
    assert "pasted: not learned from" in [
        text for _rect, text, _look in view.layouter.layout(row, view.column_px()).chips
    ]


def test_chips_do_not_lie_on_each_other_or_on_the_text(view: TranscriptView) -> None:
    made = message(1, "Plan it, do it, test it", intents=tuple(IntentScore(i, 0.9, "") for i in Intent))
    for width in (320, 900):
        view.resize(width, 420)
        _show(view, made)
        row = _model(view).row_at(1)
        assert row is not None
        layout = view.layouter.layout(row, view.column_px())
        chips = [rect for rect, _text, _look in layout.chips]
        assert not any(one.intersects(other) for n, one in enumerate(chips) for other in chips[:n])
        assert layout.text is not None
        words = layout.text.boundingRect().translated(layout.text_at)
        words.setWidth(layout.text.lineAt(0).naturalTextWidth())
        assert not any(chip.intersects(words) for chip in chips)


def test_what_one_points_at_is_said_plainly(view: TranscriptView) -> None:
    _show(view, _with_reference(1))
    row = _model(view).row_at(1)
    assert row is not None
    layout = view.layouter.layout(row, view.column_px())
    target = next(one for one in layout.targets if one.kind is TargetKind.REFERENCE)
    assert layout.target_at(QPointF(target.rects[0].center())) is target
    assert target.tip.splitlines()[0] == "“it” = FAB button (sure, 90 %)"


def test_both_themes_draw_the_same_places_in_other_colours(view: TranscriptView) -> None:
    _show(view, _with_reference(1), message(2, "later", at=message(2, "").at + timedelta(hours=3)))
    light = view.viewport().grab().toImage()
    apply_theme(DARK)
    try:
        QApplication.processEvents()
        dark = view.viewport().grab().toImage()
    finally:
        apply_theme(LIGHT)
    assert light.size() == dark.size()
    assert light != dark


def test_a_changed_message_gets_its_new_height(view: TranscriptView) -> None:
    first = message(1, "Make it blue", expanded_text="Make the very long named button blue " * 9)
    _show(view, first)
    low = view.rowHeight(1)
    _model(view).toggle_expanded(1)
    high = view.rowHeight(1)
    assert high > low
    _show(view, replace(first, expanded_text="Make the button blue"))
    assert view.rowHeight(1) < high


def test_a_scroll_bar_that_comes_with_more_messages_lets_no_row_run_into_the_next(view: TranscriptView) -> None:
    text = "Move the export button to the right of the search field"
    view.resize(640, 420)
    for px in range(300, 420, 8):  # somewhere in between the last word just fits without the bar
        view.resize(px, 420)
        _show(view, message(1, text))
        _show(view, message(1, text), *(message(n, f"And then step {n} of it") for n in range(2, 14)))
        assert view.verticalScrollBar().isVisible()
        for n in range(6):
            assert view.rowHeight(n) == max(4, round(view.measure_row_px(n))), (px, n)
