"""Labels that never guess HTML: plain text only, elided or wrapped. Text of people goes through these (S11)."""

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

_LONG_WORD = re.compile(r"\S{32,}")
_BREAK, _BREAK_EVERY = "\u200b", 16
MAX_LABEL_CHARS = 2_000  # a label lays out all it is given; more than this nobody reads there


class PlainLabel(QLabel):
    """A QLabel for plain text. Roles: title, heading, section, body, meta, sub, warn, good, danger, mono."""

    def __init__(
        self, text: str = "", role: str = "body", *, wraps: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setWordWrap(wraps)
        if wraps:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setText(text)

    def setText(self, text: str) -> None:
        shown = text if len(text) <= MAX_LABEL_CHARS else text[:MAX_LABEL_CHARS] + "…"
        super().setText(breakable(shown) if self.wordWrap() else shown)

    def text(self) -> str:
        """What was set, without the places where a long word may break."""
        return super().text().replace(_BREAK, "")

    def set_role(self, role: str) -> None:
        """Another role, effective at once."""
        if self.property("role") != role:
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)


_PART = " · "


class ElidedLabel(PlainLabel):
    """One line that ends in "…" where it does not fit; the whole text is its tool tip then.

    `by_parts`: of counts with " · " between them those that fit are shown whole, and no half of the next.
    """

    def __init__(
        self, text: str = "", role: str = "body", parent: QWidget | None = None, *, by_parts: bool = False
    ) -> None:
        super().__init__(text, role, parent=parent)
        self._by_parts = by_parts
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(24)

    def setText(self, text: str) -> None:
        super().setText(" ".join(text[: MAX_LABEL_CHARS + 1].split()))
        self._show_whole()

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_whole()

    def _show_whole(self) -> None:
        is_cut = self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()
        self.setToolTip(f"<qt>{_escape(self.text())}</qt>" if is_cut else "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        room = self.contentsRect()
        shown = self.shown_in(room.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, int(self.alignment() | Qt.TextFlag.TextSingleLine), shown)

    def shown_in(self, width_px: int) -> str:
        """The text that fits into a width."""
        metrics, text = self.fontMetrics(), self.text()
        parts = text.split(_PART) if self._by_parts and metrics.horizontalAdvance(text) > width_px else []
        for count in range(len(parts) - 1, 0, -1):
            shown = f"{_PART.join(parts[:count])} …"
            if metrics.horizontalAdvance(shown) <= width_px:
                return shown
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width_px)


class Hairline(QFrame):
    """A line of one pixel between parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "hairline")
        self.setFixedHeight(1)


def breakable(text: str) -> str:
    """The same with places where a word longer than a column may break: a hash or a path would widen all around it.

    >>> breakable("at " + "e4" * 20).replace("\u200b", "|")
    'at e4e4e4e4e4e4e4e4|e4e4e4e4e4e4e4e4|e4e4e4e4'
    """

    def cut(found: re.Match[str]) -> str:
        word = found[0]
        return _BREAK.join(word[at : at + _BREAK_EVERY] for at in range(0, len(word), _BREAK_EVERY))

    return _LONG_WORD.sub(cut, text)


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain_tooltip(text: str) -> str:
    """A tool tip that shows `text` literally: tool tips guess HTML, so it is escaped.

    >>> plain_tooltip("<b>a</b>")
    '<qt>&lt;b&gt;a&lt;/b&gt;</qt>'
    """
    return f"<qt>{_escape(text[:MAX_LABEL_CHARS])}</qt>" if text else ""
