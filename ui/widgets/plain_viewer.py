"""The safe viewers (S11): one for any text as plain text, one for our own help pages.

Foreign text is cut into bounded, hard-wrapped lines, because one line of half a megabyte freezes Qt's layout for
half a minute (measured). Neither viewer ever loads a file or an address; help shows the pictures that we ship, by name.
"""

import re
import unicodedata

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QImage,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextBrowser, QWidget

from app.resources import resource_path
from ui.theme import TITLE_FONT_PX, font, tokens

MAX_CHARS = 200_000
_PICTURE = "\N{OBJECT REPLACEMENT CHARACTER}"  # what stands for one in the text
_PICTURE_NAME = re.compile(r"[a-z-]{1,40}")
MAX_LINE_CHARS = 1_000


def bound_text(text: str, max_chars: int = MAX_CHARS, max_line_chars: int = MAX_LINE_CHARS) -> str:
    """`text` fit for a text widget: at most `max_chars`, no long line, no control or direction-changing characters.

    >>> bound_text("abcdef", max_line_chars=4)
    'abcd\\nef'
    """
    shown = text[:max_chars]
    lines: list[str] = []
    for line in shown.splitlines():
        clean = "".join(char for char in line if char == "\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"})
        lines += [clean[start : start + max_line_chars] for start in range(0, max(1, len(clean)), max_line_chars)]
    if len(text) > max_chars:
        lines.append(f"… {len(text) - max_chars:,} more characters are not shown here")
    return "\n".join(lines)


class PlainViewer(QPlainTextEdit):
    """Read-only plain text; can be selected and copied."""

    def __init__(self, object_name: str, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(accessible_name)
        self.setProperty("role", "viewer")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def show_text(self, text: str) -> None:
        self.setPlainText(bound_text(text))


class HelpViewer(QTextBrowser):
    """Shows our own Markdown. `link_chosen` carries a `remanence://` or `help:` link; all others do nothing."""

    link_chosen = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._picture_px = "", 0
        self._refit = QTimer(self)
        self._refit.setSingleShot(True)
        self._refit.setInterval(0)
        self._refit.timeout.connect(self._on_refit)
        self.setObjectName(object_name)
        self.setAccessibleName("Help page")
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.anchorClicked.connect(self._on_anchor)

    def show_markdown(self, text: str) -> None:
        self._text, self._picture_px = text, self._room_px()
        feature = QTextDocument.MarkdownFeature
        self.document().setMarkdown(text, feature.MarkdownDialectGitHub | feature.MarkdownNoHTML)
        self.document().setDocumentMargin(4)
        self._give_room()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def mark(self, *texts: str) -> None:
        """Selects the first of these words that occurs, and scrolls to it."""
        self.moveCursor(QTextCursor.MoveOperation.Start)
        next((text for text in texts if text and self.find(text)), None)

    def _give_room(self) -> None:
        """Space between paragraphs and sizes of headings: Markdown brings none of ours."""
        block = self.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            look = block.blockFormat()
            level = look.headingLevel()
            in_table = cursor.currentTable() is not None
            look.setTopMargin(0 if in_table else 14 if level > 1 else 2)
            look.setBottomMargin(0 if in_table else 6 if level else 5)
            if block.text() != _PICTURE:  # else a fifth of its height stays empty below it
                look.setLineHeight(118, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor.setBlockFormat(look)
            if level:
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                size = QTextCharFormat()
                size.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
                size.setFont(font(TITLE_FONT_PX if level == 1 else 14, QFont.Weight.DemiBold))
                cursor.mergeCharFormat(size)
            block = block.next()
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                shape = frame.format()
                shape.setBorder(0)
                shape.setCellPadding(4)
                shape.setCellSpacing(0)
                shape.setTopMargin(4)
                frame.setFormat(shape)

    def _room_px(self) -> int:
        """Beside the bar, whether it is there or not: a picture that made it come and go would never rest."""
        return max(120, self.width() - 40)

    def loadResource(self, kind: int, name: QUrl | str) -> QImage | None:
        """The picture `picture:NAME` that we ship, for the theme that is on; neither style sheets nor pages, nothing by address."""
        url = QUrl(name) if isinstance(name, str) else name
        if kind != QTextDocument.ResourceType.ImageResource.value or url.scheme() != "picture":
            return None
        if _PICTURE_NAME.fullmatch(url.path()) is None:
            return None
        picture = QImage(str(resource_path("help", "pictures", f"{url.path()}-{tokens().name}.png")))
        if picture.isNull():
            return None
        wide = min(picture.width(), self._room_px())
        return picture.scaledToWidth(wide, Qt.TransformationMode.SmoothTransformation)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if "](picture:" in self._text and self._room_px() != self._picture_px:
            self._refit.start()  # behind the layout: another document in the middle of it is a crash

    def _on_refit(self) -> None:
        at = self.verticalScrollBar().value()
        self.show_markdown(self._text)
        self.verticalScrollBar().setValue(at)

    def _on_anchor(self, url: QUrl) -> None:
        if url.scheme() in {"remanence", "help"}:
            self.link_chosen.emit(url.toString())
