"""Check box, choice, number and amount field, painted so that they follow the tokens: a stylesheet alone cannot tint their marks."""

from math import floor, log10

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QSpinBox,
    QStyledItemDelegate,
    QWidget,
)

from app.values.amounts import RATIO, AmountError, read_amount, to_amount
from ui.icons import pixmap
from ui.theme import color, tokens

BOX_PX = 18


class CheckBox(QCheckBox):
    """A box with our own mark, 24 px high at least."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text.replace("&", "&&"), parent)
        self.setAccessibleName(text)
        self.setMinimumHeight(26)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # painted again when the mouse comes and goes

    def sizeHint(self) -> QSize:
        text = self.text().replace("&&", "&")
        width = self.fontMetrics().horizontalAdvance(text) + BOX_PX + 16
        return QSize(width, max(26, self.fontMetrics().height() + 8))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, _pos: object) -> bool:
        return True

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(3, (self.height() - BOX_PX) / 2, BOX_PX, BOX_PX)
        is_on = self.isChecked()
        if self.hasFocus():
            painter.setPen(QPen(color("accent"), 2))
            painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 7, 7)
        edge = "line" if not self.isEnabled() else "accent" if is_on or self.underMouse() else "edge"
        painter.setPen(QPen(color(edge), 1.2))
        painter.setBrush(color("accent" if is_on and self.isEnabled() else "panel"))
        painter.drawRoundedRect(box, 5, 5)
        if is_on:
            mark = tokens().on_accent if self.isEnabled() else tokens().faint
            painter.drawPixmap(round(box.left()) + 2, round(box.top()) + 2, pixmap("check", mark, 14, 2.0))
        painter.setPen(color("text" if self.isEnabled() else "faint"))
        space = self.rect().adjusted(BOX_PX + 11, 0, 0, 0)
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), self.text().replace("&&", "&"))


class Choice(QComboBox):
    """A combo box with our own arrow; the wheel scrolls the page until it has the focus, letters choose while it has it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(QStyledItemDelegate(self))  # Qt's own for this box knows no padding
        guard_wheel(self)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_typed(event):
            event.accept()  # N for "New feature" is not the screen's N
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        at = self.width() - 24
        painter.drawPixmap(at, (self.height() - 14) // 2, pixmap("chevron-down", tokens().sub, 14, 2.0))


def _is_typed(event: QKeyEvent) -> bool:
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
    return bool(event.text()) and event.text().isprintable() and not event.modifiers() & modifiers


class _WheelGuard(QObject):
    """Lets the wheel scroll the page until the field has the focus."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True  # and on it goes to what is around the field
        return super().eventFilter(watched, event)


def guard_wheel(field: QWidget) -> None:
    """The wheel changes the field only while it has the focus, which the wheel does not give."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelGuard(field))


def _prepare_number(field: QAbstractSpinBox) -> None:
    field.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.PlusMinus)  # NoButtons and a stylesheet: a field of one pixel
    field.setKeyboardTracking(False)
    guard_wheel(field)
    inner = field.findChild(QLineEdit)
    if inner is not None:
        inner.setTextMargins(7, 0, 7, 0)


class NumberField(QSpinBox):
    """A whole number; arrows step, the wheel only with the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _prepare_number(self)


class AmountField(QLineEdit):
    """An amount as people write it ("4 h", "10 MB"); Enter or leaving takes it, arrows step, Esc brings the old one back.

    What cannot be read is marked and stays to be mended; the value is as before.
    """

    amount_chosen = Signal(float)
    refused = Signal(str)  # what is wrong with the typed text, "" when it is well again

    def __init__(self, unit: str, *, low: float, high: float, is_whole: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unit, self._low, self._high, self._is_whole = unit, low, high, is_whole
        self._value = low
        self._is_wrong = False
        self.editingFinished.connect(self._on_finished)

    @property
    def value(self) -> float:
        return self._value

    def set_value(self, value: float) -> None:
        """Shows a value that was stored; what somebody types or has to mend stays until they are done."""
        self._value = value
        if not (self.isModified() or self._is_wrong):
            self.drop_typed()

    def step(self, steps: int) -> None:
        """One unit of what is shown up or down, ten for hundreds, five for percents."""
        shown = to_amount(self._value, self._unit)
        size = self._value / shown.number if shown.number else 1.0
        step = size * (10 ** max(0, floor(log10(shown.number)) - 1) if shown.number >= 1 else 1)
        step = {RATIO: 0.05, "%": 5}.get(self._unit, step)
        self._choose(min(self._high, max(self._low, round(self._value + steps * step, 6))))

    def drop_typed(self) -> None:
        """Shows the value again in place of what was typed."""
        self.setText(str(to_amount(self._value, self._unit)))
        self._mark("")

    def show_refused(self, text: str, wrong: str) -> None:
        """Shows a text that could not be read, marked, to be mended."""
        self.setText(text)
        self._mark(wrong)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.step(1 if event.key() == Qt.Key.Key_Up else -1)
        elif event.key() == Qt.Key.Key_Escape and self.text() != str(to_amount(self._value, self._unit)):
            self.drop_typed()
        else:
            super().keyPressEvent(event)

    def _on_finished(self) -> None:
        if not self.isModified():
            return
        shown = to_amount(self._value, self._unit)
        try:
            value = read_amount(self.text(), self._unit, shown.unit)
        except AmountError as error:
            self._mark(str(error))
            return
        if self._is_whole and value != int(value):
            self._mark(f"Only whole {self._unit or 'numbers'}.")
        elif not self._low <= value <= self._high:
            low, high = (to_amount(bound, self._unit) for bound in (self._low, self._high))
            self._mark(f"It must be between {low} and {high}.")
        else:
            self._choose(value)

    def _choose(self, value: float) -> None:
        is_other = value != self._value
        self._value = value
        self.drop_typed()
        if is_other:
            self.amount_chosen.emit(value)

    def _mark(self, wrong: str) -> None:
        self.setModified(False)
        if wrong or self._is_wrong:
            self._is_wrong = bool(wrong)
            self.setProperty("wrong", self._is_wrong)
            self.style().unpolish(self)
            self.style().polish(self)
            self.refused.emit(wrong)
