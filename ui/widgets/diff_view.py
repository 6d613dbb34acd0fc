"""A diff as plain text, with the ground of added and removed lines coloured; + and − say it without colour."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import (
    QColor,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ui.theme import color
from ui.widgets.plain_viewer import PlainViewer

MAX_DIFF_LINE_CHARS = 110


class _DiffHighlighter(QSyntaxHighlighter):
    """Asks the tokens when it highlights: a change of theme asks for that again."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)

    def highlightBlock(self, text: str) -> None:
        if text.startswith(("+++", "---", "@@")):
            self._paint(len(text), "sub", None)
        elif text.startswith("+"):
            self._paint(len(text), "good", "good_soft")
        elif text.startswith("-"):
            self._paint(len(text), "danger", "danger_soft")

    def _paint(self, length: int, front: str, ground: str | None) -> None:
        look = QTextCharFormat()
        look.setForeground(color(front))
        if ground is not None:
            look.setBackground(QColor(color(ground)))
        self.setFormat(0, length, look)


def fold_diff(diff: str, max_line_chars: int = MAX_DIFF_LINE_CHARS) -> str:
    """`diff` with long lines folded, each part with the sign of its line.

    >>> fold_diff("+abcdef", 4)
    '+abcd\\n+ef'
    """
    lines = []
    for line in diff.splitlines():
        sign, rest = line[:1], line[1:]
        if sign not in {"+", "-", " "} or len(line) <= max_line_chars:
            lines.append(line)
            continue
        lines += [sign + rest[start : start + max_line_chars] for start in range(0, len(rest), max_line_chars)]
    return "\n".join(lines)


class DiffView(PlainViewer):
    """Shows a unified diff; grows with it up to 16 lines."""

    def __init__(self, object_name: str, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(object_name, accessible_name, parent)
        self._highlighter = _DiffHighlighter(self.document())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setProperty("face", "mono")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_highlighter"):
            self._highlighter.rehighlight()

    def show_diff(self, diff: str) -> None:
        self.show_text(fold_diff(diff))
        line_px = self.fontMetrics().lineSpacing()
        count = min(16, max(2, self.document().blockCount()))
        self.setFixedHeight(line_px * count + 30)
        cursor = QTextCursor(self.document())
        cursor.setBlockFormat(QTextBlockFormat())
