"""Buttons and chips with icons that follow the theme. Every one has an object name and an accessible name.

A quiet icon button that is one row of the action table: what it does, its tip and enabledness follow the row.

A button whose text gives way: it breaks into `lines` and ends in "…" where it does not fit; name and tool tip keep
the whole.
"""

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QWidget

from ui.actions.table import ACTIONS
from ui.icons import ICON_PX, icon, icon_px
from ui.theme import tokens
from ui.widgets.labels import plain_tooltip

_FRAME_PX = 32  # what border and padding take of the width
ACTION_ICONS = {spec.id: spec.icon for spec in ACTIONS}
_BOLD_KINDS = frozenset({"entry", "tab"})
_ICON_ROLES = {"primary": "on_accent", "danger": "danger", "quiet": "sub", "link": "accent", "chip": "sub"}


class Button(QPushButton):
    """Kinds: primary, plain, quiet, danger, link, chip, tab."""

    def __init__(
        self,
        text: str,
        object_name: str,
        *,
        kind: str = "plain",
        icon_name: str = "",
        tip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text.replace("&", "&&"), parent)
        self._icon_name = icon_name
        self._kind = kind
        self._tinted_for = ("", 0)
        self.setObjectName(object_name)
        self.setProperty("kind", kind)
        self.setAccessibleName(text or tip)
        self.setToolTip(plain_tooltip(tip) if "<" in tip else tip)  # tips may name what people wrote
        self.setAutoDefault(False)
        self.setMinimumHeight(24)
        if not text:
            self.setMinimumWidth(28)
        if icon_name:
            self._tint()

    def set_text(self, text: str) -> None:
        """Another text, shown literally, and its accessible name."""
        self.setText(text.replace("&", "&&"))
        self.setAccessibleName(text)

    def set_kind(self, kind: str) -> None:
        """Another look, as the situation weighs it."""
        if kind != self._kind:
            self._kind = kind
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)
            self._tint()

    def sizeHint(self) -> QSize:
        """One of several, or a tab, is bold while it is chosen: the room for that is there from the beginning."""
        hint = super().sizeHint()
        if self._kind in _BOLD_KINDS:
            bold = QFont(self.font())
            bold.setWeight(QFont.Weight.DemiBold)
            more = QFontMetrics(bold).horizontalAdvance(self.text()) - self.fontMetrics().horizontalAdvance(self.text())
            hint.setWidth(hint.width() + max(0, more))
        return hint

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint() if self._kind in _BOLD_KINDS else super().minimumSizeHint()

    def set_icon_name(self, name: str) -> None:
        self._icon_name = name
        self._tint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses it as Space does; Qt does so only in dialogs, and there are none here.

        Not a chip that is on or off: among such, Return says yes to all of them, which is their sheet's to do.
        """
        is_choice = self._kind == "chip" and self.isCheckable()
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and not is_choice and not event.isAutoRepeat():
            self.click()
            event.accept()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        changed = event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange)
        if changed and self._tinted_for != (tokens().name, icon_px()):
            self._tint()

    def _tint(self) -> None:
        """The icon in the theme's colour, as large as the text makes it."""
        self._tinted_for = (tokens().name, icon_px())
        if self._icon_name:
            size_px = icon_px(ICON_PX - 2)
            self.setIconSize(QSize(size_px, size_px))
            self.setIcon(icon(self._icon_name, _ICON_ROLES.get(self._kind, "text"), icon_px()))


class FitButton(Button):
    """For texts of people on buttons: titles, candidates."""

    def __init__(
        self,
        text: str,
        object_name: str,
        *,
        kind: str = "plain",
        tip: str = "",
        lines: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        self._lines = lines
        self._full_text = " ".join(text.split())
        super().__init__(self._full_text, object_name, kind=kind, tip=tip, parent=parent)
        policy = QSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(lines > 1)
        self.setSizePolicy(policy)
        self.setToolTip(plain_tooltip(f"{self._full_text} – {tip}" if tip else self._full_text))

    def set_full_text(self, text: str) -> None:
        """Another text; it is cut to the room there is."""
        self._full_text = " ".join(text.split())
        self.setAccessibleName(self._full_text)
        self.setToolTip(plain_tooltip(self._full_text))
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        self.ensurePolished()  # before that the font is another one
        width = self.fontMetrics().horizontalAdvance(self._full_text.replace("&", "&&")) + _FRAME_PX
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(60, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def hasHeightForWidth(self) -> bool:
        return self._lines > 1

    def heightForWidth(self, width: int) -> int:
        """Known before it is placed: a height that follows the text only afterwards left a second line cut in half."""
        more = self._broken(width).count("\n") - self.text().count("\n")
        return super().sizeHint().height() + more * self.fontMetrics().lineSpacing()

    def _fit(self) -> None:
        text = self._broken(self.width())
        if text != self.text():
            self.setText(text)
            self.updateGeometry()

    def _broken(self, width: int) -> str:
        """The text in lines that fit into this width, the last one cut where it must be."""
        room = max(20, width - _FRAME_PX + 4)
        lines, rest = [], self._full_text
        for _ in range(self._lines - 1):
            line, rest = self._break(rest, room)
            lines += [line] if line else []
        fitting = self.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideRight, room)
        return "\n".join([*lines, fitting] if fitting else lines).replace("&", "&&")

    def _break(self, text: str, room: int) -> tuple[str, str]:
        """The words that fit on one line, and those that are left."""
        words = text.split()
        count = len(words)
        while count > 1 and self.fontMetrics().horizontalAdvance(" ".join(words[:count])) > room:
            count -= 1
        return " ".join(words[:count]), " ".join(words[count:])


class IconButton(Button):
    """A quiet button with only an icon; `tip` is its name."""

    def __init__(self, icon_name: str, object_name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__("", object_name, kind="quiet", icon_name=icon_name, tip=tip, parent=parent)
        self.setProperty("shape", "icon")

    def _tint(self) -> None:
        super()._tint()
        self.setFixedSize(max(30, icon_px(30)), max(30, icon_px(30)))


class ChipButton(Button):
    """A filter that is on or off."""

    def __init__(self, text: str, object_name: str, *, is_on: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(text, object_name, kind="chip", parent=parent)
        self.setCheckable(True)
        self.setChecked(is_on)


@runtime_checkable
class _Screen(Protocol):
    """A widget that holds a whole screen."""

    def focus_content(self) -> bool: ...
    def isAncestorOf(self, child: QWidget) -> bool: ...


class ActionButton(Button):
    """A button that is one row of the action table: text, tip, icon and enabledness follow it.

    `text`: a shorter one, where there is little room. `only_able`: what cannot be done now is not shown. `leaving` comes before it is
    disabled while it has the focus: Qt gives that to whatever comes next, and scrolls there.
    """

    leaving = Signal()

    def __init__(
        self,
        action: QAction,
        icon_name: str = "",
        *,
        kind: str = "plain",
        text: str = "",
        only_able: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        name = f"button.{action.objectName()}"
        super().__init__(text or action.text(), name, kind=kind, icon_name=icon_name, parent=parent)
        self.setAccessibleName(action.text())
        self._action = action
        self._only_able = only_able
        action.changed.connect(self._follow)
        self.clicked.connect(action.trigger)
        self._follow()

    def _follow(self) -> None:
        is_left = self.hasFocus() and not self._action.isEnabled()
        if is_left:
            self.leaving.emit()
        self.setEnabled(self._action.isEnabled())
        if self._only_able:
            self.setVisible(self._action.isEnabled())
        if is_left:
            self._keep_keys_in_screen()
        self.setToolTip(self._action.toolTip())

    def _keep_keys_in_screen(self) -> None:
        """What is disabled loses the focus; Qt gives it to whatever comes next, which may be the rail."""
        screen = self.parentWidget()
        while screen is not None and not isinstance(screen, _Screen):
            screen = screen.parentWidget()
        focus = QApplication.focusWidget()
        if isinstance(screen, _Screen) and (focus is None or not screen.isAncestorOf(focus)):
            screen.focus_content()


class ActionIcon(IconButton):
    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(ACTION_ICONS[action.objectName()], f"icon.{action.objectName()}", action.text(), parent)
        self._action = action
        action.changed.connect(self._follow)
        self.clicked.connect(action.trigger)
        self._follow()

    def _follow(self) -> None:
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
        self.setAccessibleName(self._action.text())
