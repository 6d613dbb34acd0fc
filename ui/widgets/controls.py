"""Check box, choice and number field, painted so that they follow the tokens: a stylesheet alone cannot tint their marks."""

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSpinBox,
    QStyledItemDelegate,
    QWidget,
)

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
            return True  # and on it goes to what lies around the field
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


class FractionField(QDoubleSpinBox):
    """As NumberField, with two decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _prepare_number(self)
