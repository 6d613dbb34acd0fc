"""The rail: screens at the left, 188 px (more with larger text), icons only when the window is narrow; the capture light
at its foot.

The line of the meter at the foot of the rail: who reads along and what it cost today. A click opens its page.

Saved searches in the rail, below the screens: one press away from everywhere. Gone where the rail is narrow.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QFrame, QSizePolicy, QVBoxLayout, QWidget

from ui.icons import icon_px, pixmap
from ui.screens.registry import SCREENS, ScreenSpec
from ui.theme import META_FONT_PX, color, font, font_px, tokens
from ui.widgets.buttons import FitButton, IconButton
from ui.widgets.capture_light import CaptureLight
from ui.widgets.labels import PlainLabel, plain_tooltip
from ui.wording.figures import counted

SHOWN_SEARCHES = 6


class RailSearches(QWidget):
    """`chosen` carries the number of a search."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rail.searches")
        self.setAccessibleName("Saved searches")
        self._searches: tuple[tuple[int, str], ...] = ()
        self._is_narrow = False
        self._buttons: list[FitButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 10, 0, 0)
        self._column.setSpacing(0)
        heading = PlainLabel("Saved searches", "meta", parent=self)
        heading.setContentsMargins(11, 0, 0, 2)
        self._column.addWidget(heading)
        self.hide()

    def set_searches(self, searches: Sequence[tuple[int, str]]) -> None:
        """Number and name of each."""
        shown = tuple(searches[:SHOWN_SEARCHES])
        if shown == self._searches:
            return
        self._searches = shown
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(number, name) for number, name in shown]
        self._show()

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self._show()

    def _button(self, number: int, name: str) -> FitButton:
        button = FitButton(name, f"rail.search.{number}", kind="entry", parent=self)
        button.setAccessibleName(f"Saved search {name}")
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setProperty("search", number)
        button.clicked.connect(self._on_chosen)
        self._column.addWidget(button)
        return button

    def _show(self) -> None:
        self.setVisible(bool(self._searches) and not self._is_narrow)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk as in the rest of the rail."""
        step = {Qt.Key.Key_Down: True, Qt.Key.Key_Up: False}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.focusNextPrevChild(step)

    def _on_chosen(self) -> None:
        self.chosen.emit(int(self.sender().property("search")))


_LEFT_PX, _RIGHT_PX = 29, 4


class RailMeter(QAbstractButton):
    """Breaks its line where the rail is wide; only an eye where it is narrow. Hidden while nobody reads along."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail.meter")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._is_narrow = False
        self._is_warning = False
        self.hide()

    def show_values(self, line: str, *, is_warning: bool) -> None:
        """Another line; "" hides it."""
        if (line, is_warning) == (self.text(), self._is_warning):
            return
        self._is_warning = is_warning
        self.setText(line)
        self.setAccessibleName(line)
        self.setToolTip(plain_tooltip(f"{line}. Click to see each reading.") if line else "")
        self.setVisible(bool(line))
        self.updateGeometry()
        self.update()

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return 30 if self._is_narrow else self._bounds(width).height() + 10

    def sizeHint(self) -> QSize:
        width = self.width() or 160
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(30, 30)

    def _bounds(self, width: int) -> QRect:
        room = QRect(0, 0, max(40, width - _LEFT_PX - _RIGHT_PX), 1_000)
        return QFontMetrics(font(META_FONT_PX)).boundingRect(room, int(Qt.TextFlag.TextWordWrap), self.text())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(color("raised"))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 8, 8)
        ink = "danger" if self._is_warning else "sub"
        left = (self.width() - 14) // 2 if self._is_narrow else 9
        top = (self.height() - 14) // 2 if self._is_narrow else 6
        painter.drawPixmap(left, top, pixmap("eye", getattr(tokens(), ink), 14, self.devicePixelRatioF()))
        if self._is_narrow:
            return
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color(ink))
        room = self.rect().adjusted(_LEFT_PX, 5, -_RIGHT_PX, -3)
        painter.drawText(room, int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop), self.text())


WIDE_PX = 188
_ICONS_PX = 60  # of it: what does not grow with the text
NARROW_PX = 56


class RailButton(QAbstractButton):
    """One screen: icon, name, and a count at the right; a warm badge when something needs the person."""

    def __init__(self, screen: ScreenSpec, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = screen
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)  # painted again when the mouse comes and goes
        self._badge = ""
        self._is_urgent = False
        self._is_narrow = False
        self._tip = f"{screen.title} (Ctrl+{number})"
        self.setObjectName(f"rail.{screen.id}")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(self._tip)
        self._name()

    @property
    def badge(self) -> str:
        return self._badge

    def set_badge(self, text: str, *, is_urgent: bool = False) -> None:
        if (text, is_urgent) != (self._badge, self._is_urgent):
            self._badge, self._is_urgent = text, is_urgent
            self._name()
            self.update()

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(NARROW_PX - 20, max(36, font().pixelSize() + 22))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        role = "accent" if self.isChecked() else "sub"
        middle = self.height() // 2
        size = icon_px()
        left = (self.width() - size) // 2 if self._is_narrow else 11
        picture = pixmap(self.spec.icon, getattr(tokens(), role), size, self.devicePixelRatioF())
        painter.drawPixmap(left, middle - size // 2, picture)
        if self._is_narrow:
            if self._is_urgent:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color("warn"))
                painter.drawEllipse(left + 14, middle - 12, 8, 8)
            return
        right = self._paint_badge(painter)
        painter.setFont(font(weight=QFont.Weight.DemiBold if self.isChecked() else QFont.Weight.Normal))
        painter.setPen(color("accent" if self.isChecked() else "text"))
        space = self.rect().adjusted(21 + size, 0, -right, 0)
        title = painter.fontMetrics().elidedText(self.spec.title, Qt.TextElideMode.ElideRight, space.width())
        painter.drawText(space, int(Qt.AlignmentFlag.AlignVCenter), title)

    def _paint_ground(self, painter: QPainter) -> None:
        ground = self.rect().adjusted(1, 1, -1, -1)
        painter.setPen(color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
        if self.isChecked():
            painter.setBrush(color("accent_soft"))
        elif self.underMouse():
            painter.setBrush(color("raised"))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ground, 8, 8)

    def _paint_badge(self, painter: QPainter) -> int:
        """How many pixels at the right it took."""
        if not self._badge:
            return 4
        painter.setFont(font(META_FONT_PX, QFont.Weight.DemiBold if self._is_urgent else QFont.Weight.Normal))
        width = max(20, painter.fontMetrics().horizontalAdvance(self._badge) + 12)
        place = QRect(self.width() - width - 8, self.height() // 2 - 9, width, 18)
        if self._is_urgent:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("warn"))
            painter.drawRoundedRect(place, 9, 9)
            painter.setPen(color("panel"))
        else:
            painter.setPen(color("accent" if self.isChecked() else "sub"))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), self._badge)
        return width + 8

    def _name(self) -> None:
        suffix = f", {self._badge} need you" if self._is_urgent else (f", {self._badge}" if self._badge else "")
        self.setAccessibleName(self.spec.title + suffix)


class Rail(QFrame):
    """`chosen` carries the id of a screen."""

    chosen = Signal(str)

    def __init__(self, screens: Sequence[ScreenSpec], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_narrow = False
        self.setProperty("role", "rail")
        self.setAccessibleName("Screens")
        self._buttons: dict[str, RailButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 8, 12)
        column.setSpacing(3)
        self._mark = _Mark(self)
        self.menu_button = IconButton("more", "rail.menu", "All actions", self)
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(0)
        self._head.addWidget(self._mark, 1)
        self._head.addWidget(self.menu_button, 0, Qt.AlignmentFlag.AlignCenter)
        column.addLayout(self._head)
        column.addSpacing(6)
        below = []
        for number, screen in enumerate(screens, start=1):
            button = RailButton(screen, number, self)
            button.clicked.connect(self._on_clicked)
            self._buttons[screen.id] = button
            if screen.is_below:
                below.append(button)
            else:
                column.addWidget(button)
        self.searches = RailSearches(self)
        column.addWidget(self.searches)
        column.addStretch(1)
        for button in below:
            column.addWidget(button)
        self.example = PlainLabel("", "warn", wraps=True, parent=self)
        self.example.setObjectName("rail.example")
        self.example.setContentsMargins(11, 0, 4, 4)
        self.example.hide()
        column.addWidget(self.example)
        self.given = PlainLabel("", "meta", parent=self)
        self.given.setObjectName("rail.told")
        self.given.setContentsMargins(11, 4, 0, 0)
        column.addWidget(self.given)
        self.meter = RailMeter(self)
        column.addWidget(self.meter)
        self.light = CaptureLight(self)
        column.addWidget(self.light)
        self.set_narrow(False)

    @property
    def is_narrow(self) -> bool:
        return self._is_narrow

    def button(self, screen_id: str) -> RailButton | None:
        return self._buttons.get(screen_id)

    def set_current(self, screen_id: str) -> None:
        """Marks the button of a screen; for one without a button that of the screen it belongs to, if any."""
        marked = next((one.within for one in SCREENS if one.id == screen_id and one.within), screen_id)
        for button in self._buttons.values():
            button.setAutoExclusive(False)
            button.setChecked(button.spec.id == marked)
            button.setAutoExclusive(True)

    def set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self._place()
        self._mark.is_narrow = is_narrow
        side, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._head.setDirection(down if is_narrow else side)
        self.light.set_narrow(is_narrow)
        self.meter.set_narrow(is_narrow)
        self.searches.set_narrow(is_narrow)
        self.given.setVisible(bool(self.given.text()) and not is_narrow)
        self.example.setVisible(bool(self.example.text()) and not is_narrow)
        for button in self._buttons.values():
            button.set_narrow(is_narrow)

    def _place(self) -> None:
        wide_px = max(WIDE_PX, _ICONS_PX + font_px(WIDE_PX - _ICONS_PX))
        self.setFixedWidth(NARROW_PX if self._is_narrow else wide_px)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._place()  # larger text, longer names

    def mark_example(self, text: str, more: str) -> None:
        """Says on every screen that nothing here is the person's."""
        self.example.setText(text)
        self.example.setToolTip(more)
        self.example.setVisible(not self._is_narrow)

    def show_today(self, tokens: int, contexts: int) -> None:
        """What assistants were told today; nothing is said where that is nothing."""
        self.given.setText(f"{counted(tokens, 'token')} given today" if tokens else "")
        self.given.setToolTip(f"In {counted(contexts, 'context')}; the Context screen shows each")
        self.given.setVisible(bool(tokens) and not self._is_narrow)

    def focus_current(self) -> bool:
        """Focus on the button of the shown screen, on the first where that has none here."""
        shown = [button for button in self._buttons.values() if not button.isHidden()]
        wanted = next((button for button in shown if button.isChecked()), next(iter(shown), None))
        if wanted is None:
            return False
        wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        order = [*self._buttons.values()]
        focused = self.focusWidget()
        if step and isinstance(focused, RailButton):
            order[(order.index(focused) + step) % len(order)].setFocus(Qt.FocusReason.TabFocusReason)
            return
        super().keyPressEvent(event)

    def _on_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, RailButton):
            self.chosen.emit(sender.spec.id)


class _Mark(QWidget):
    """Name and mark at the head of the rail."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.is_narrow = False
        self.setFixedHeight(38)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        left = (self.width() - 20) // 2 if self.is_narrow else 10
        painter.drawPixmap(left, 8, pixmap("logo", tokens().accent, 20, self.devicePixelRatioF()))
        if not self.is_narrow:
            painter.setFont(font(15, QFont.Weight.DemiBold))
            painter.setPen(color("text"))
            painter.drawText(self.rect().adjusted(39, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), "Remanence")
