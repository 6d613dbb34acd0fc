"""The cards that need an answer and the sheets: what each button says, literal text, room in narrow columns."""

from datetime import timedelta

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.values import EventKind, EventState, InboxEvent, Intent, IntentScore, ReferenceState
from tests.ui.made import NOW, question, reference
from ui.screens.conversations.view import IntentPopup, ReferencePopup
from ui.theme import LIGHT, apply_theme
from ui.widgets.conversations.needs_you import ClarificationCard, FailedEventCard
from ui.widgets.flow import FlowLayout
from ui.widgets.popups.popover import Popover

EVIL = '<a href="file:///etc/passwd">x</a> ' + "very " * 900


def _press(qtbot: QtBot, parent: QWidget, name: str) -> None:
    button = next(b for b in parent.findChildren(QAbstractButton) if b.accessibleName().startswith(name))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _failed() -> InboxEvent:
    return InboxEvent(7, "codex", EventKind.PROMPT, EventState.FAILED, NOW - timedelta(hours=2), 3, "KeyError: x", EVIL)


def test_a_border_is_answered_once(qtbot: QtBot) -> None:
    card = ClarificationCard(question(51, "Rate limiting"), NOW)
    qtbot.addWidget(card)
    card.show()
    with qtbot.waitSignal(card.answered) as heard:
        _press(qtbot, card, "Continue “Rate limiting”")
    assert heard.args == [51, False]
    with qtbot.assertNotEmitted(card.answered):
        _press(qtbot, card, "Start new")


def test_a_border_shows_where(qtbot: QtBot) -> None:
    card = ClarificationCard(question(51), NOW)
    qtbot.addWidget(card)
    card.show()
    with qtbot.waitSignal(card.opened) as heard:
        _press(qtbot, card, "Show")
    assert heard.args == [1, 51]


def test_a_failed_event_is_tried_again_or_left_out(qtbot: QtBot) -> None:
    for name, signal in (("Retry", "retried"), ("Discard", "discarded")):
        card = FailedEventCard(_failed(), NOW)
        qtbot.addWidget(card)
        card.show()
        with qtbot.waitSignal(getattr(card, signal)) as heard:
            _press(qtbot, card, name)
        assert heard.args == [7]


@pytest.mark.parametrize("percent", [100, 150])
def test_cards_fit_a_narrow_column_and_text_stays_literal(qtbot: QtBot, percent: int) -> None:
    apply_theme(LIGHT, percent)
    try:
        for card in (
            ClarificationCard(question(1, EVIL), NOW),
            FailedEventCard(_failed(), NOW),
        ):
            qtbot.addWidget(card)
            card.resize(300, 100)
            card.show()
            card.resize(300, card.heightForWidth(300))
            assert card.width() == 300, "the texts made it wider"
            assert all(label.textFormat() is Qt.TextFormat.PlainText for label in card.findChildren(QLabel))
            inside = QRect(0, 0, card.width(), card.height())
            for button in card.findChildren(QAbstractButton):
                assert inside.contains(QRect(button.mapTo(card, button.rect().topLeft()), button.size()))
                assert "<a" not in button.toolTip()
    finally:
        apply_theme(LIGHT)


@pytest.fixture
def stage(qtbot: QtBot) -> QWidget:
    """A window with a field, for sheets to open over."""
    window = QWidget()
    window.setAccessibleName("Stage")
    window.resize(640, 480)
    field = QLineEdit(window)
    field.setAccessibleName("Field")
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    field.setFocus()
    return window


@pytest.mark.parametrize(
    "place",
    [pytest.param((5, 5), id="corner"), pytest.param((620, 20), id="right"), pytest.param((300, 470), id="low")],
)
def test_a_sheet_stays_inside_its_window(stage: QWidget, place: tuple[int, int]) -> None:
    sheet = ReferencePopup(stage, reference("Make it blue", "it", "FAB button"))
    sheet.open_at(QRect(stage.mapToGlobal(stage.rect().topLeft()), QSize(10, 10)).translated(*place), 360)
    assert stage.rect().contains(sheet.geometry())
    sheet.dismiss()


def test_a_sheet_closes_when_the_focus_leaves_it(stage: QWidget, qtbot: QtBot) -> None:
    sheet = Popover(stage, "sheet", "Sheet")
    sheet.open_at(QRect(stage.mapToGlobal(stage.rect().center()), QSize(10, 10)), 200)
    with qtbot.waitSignal(sheet.closed):
        field = stage.findChild(QLineEdit)
        assert field is not None
        field.setFocus()


def test_an_unclear_reference_lists_all_that_fit_and_digits_choose(stage: QWidget, qtbot: QtBot) -> None:
    value = reference("Change its color", "its", "footer", ReferenceState.AMBIGUOUS)
    sheet = ReferencePopup(stage, value)
    sheet.open_at(QRect(stage.mapToGlobal(stage.rect().center()), QSize(10, 10)), 300)
    names = [b.accessibleName() for b in sheet.findChildren(QAbstractButton)]
    assert [name for name in names if name.startswith("It means")] == ["It means footer", "It means header"]
    with qtbot.waitSignal(sheet.chosen) as heard:
        qtbot.keyClick(sheet, Qt.Key.Key_2)
    assert heard.args == ["header", 1]


def test_several_intents_may_hold_and_none_may(stage: QWidget, qtbot: QtBot) -> None:
    sheet = IntentPopup(stage, (IntentScore(Intent.PLAN, 0.9, ""),))
    sheet.open_at(QRect(stage.mapToGlobal(stage.rect().center()), QSize(10, 10)), 300)
    qtbot.keyClick(sheet, Qt.Key.Key_3)
    with qtbot.waitSignal(sheet.chosen) as heard:
        qtbot.keyClick(sheet, Qt.Key.Key_Return)
    assert heard.args == [(Intent.PLAN, Intent.TEST)]
    empty = IntentPopup(stage, ())
    empty.open_at(QRect(stage.mapToGlobal(stage.rect().center()), QSize(10, 10)), 300)
    with qtbot.waitSignal(empty.chosen) as none:
        qtbot.keyClick(empty, Qt.Key.Key_Return)
    assert none.args == [()]


def test_a_flow_breaks_its_line_and_asks_for_the_height(qtbot: QtBot) -> None:
    box = QWidget()
    qtbot.addWidget(box)
    flow = FlowLayout(box, spacing_px=4)
    for _n in range(3):
        part = QWidget()
        part.setFixedSize(60, 20)
        flow.addWidget(part)
    assert flow.heightForWidth(200) == 20
    assert flow.heightForWidth(130) == 44
    assert flow.heightForWidth(50) == 68
    first = flow.takeAt(0)
    assert first is not None
    assert flow.count() == 2
    assert flow.itemAt(9) is None
