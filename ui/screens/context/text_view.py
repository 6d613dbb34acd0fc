"""The bytes: what the assistant reads, what the hook prints for its host, and the difference to the context before.

All plain and bounded. The line of the chosen item stands on a ground, and the line with the caret chooses its item.
Knows values of contexts, no engine. Source: UX 4.6, QUALITY S11.
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from app.api import ASSISTANT_NAMES
from app.values import Context
from ui.screens.context.text_lines import TextMap, map_text
from ui.screens.context.window import WholeWindowPage
from ui.theme import color
from ui.widgets.buttons import Button
from ui.widgets.controls import Choice
from ui.widgets.diff_view import DiffView
from ui.widgets.labels import PlainLabel
from ui.widgets.plain_viewer import PlainViewer
from ui.widgets.tabs import Tabs
from ui.wording.contexts import copied_notice
from ui.wording.values import app_title, counted

_NOTHING = "Nothing fits: nothing would be sent, not even an empty frame."


class ContextViewer(PlainViewer):
    """`item_pointed` carries the number of the item on whose line the caret was put."""

    item_pointed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("context.text", "What the assistant reads", parent)
        self.setProperty("face", "mono")
        self._map = TextMap("", (), ())
        self._chosen = -1
        self._is_filling = False
        self.cursorPositionChanged.connect(self._on_moved)

    def show_context(self, context: Context) -> None:
        """Another text; the caret keeps its line."""
        made = map_text(context.text, context.items)
        if made.text == self._map.text and made.items == self._map.items:
            return
        self._map = made
        self._is_filling = True
        at = self.verticalScrollBar().value()
        self.setPlainText(made.text)
        self.verticalScrollBar().setValue(at)
        self._is_filling = False

    def choose_item(self, number: int) -> None:
        """Puts the line of an item on a ground, and into sight."""
        self._chosen = number
        self._paint_chosen()
        first, last = self._blocks(number)
        block = self.document().findBlockByNumber(first)
        if first >= 0 and block.isValid() and self._map.item_of(self.textCursor().blockNumber()) != number:
            self._is_filling = True
            end = QTextCursor(self.document().findBlockByNumber(last))
            end.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            for cursor in (end, QTextCursor(block)):  # all of it, and its beginning where it is too long
                self.setTextCursor(cursor)
                self.ensureCursorVisible()
            self._is_filling = False

    @property
    def chosen_lines(self) -> str:
        """The text that stands on the ground of the chosen item."""
        first, last = self._blocks(self._chosen)
        lines = self._map.text.split("\n")
        return "\n".join(lines[first : last + 1]) if first >= 0 else ""

    def repaint_chosen(self) -> None:
        """The ground in the colours that hold now."""
        self._paint_chosen()

    def _blocks(self, number: int) -> tuple[int, int]:
        return self._map.blocks[number] if 0 <= number < len(self._map.blocks) else (-1, -1)

    def _paint_chosen(self) -> None:
        first, last = self._blocks(self._chosen)
        marks = []
        for n in range(first, last + 1) if first >= 0 else ():
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.document().findBlockByNumber(n))
            mark.cursor.movePosition(
                QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor
            )  # all its width
            mark.format.setBackground(color("mark"))
            mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            marks.append(mark)
        self.setExtraSelections(marks)

    def _on_moved(self) -> None:
        number = self._map.item_of(self.textCursor().blockNumber())
        if not self._is_filling and number >= 0 and number != self._chosen:
            self.item_pointed.emit(number)


class ContextTextPane(QWidget):
    """Four tabs. `printed_wanted` carries a host when another one is chosen."""

    printed_wanted = Signal(str)
    item_pointed = Signal(int)
    tab_changed = Signal(str)
    copied = Signal(object)  # the Notice that says so

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context: Context | None = None
        self.viewer = ContextViewer()
        self.viewer.item_pointed.connect(self.item_pointed)
        self.size_line = PlainLabel("", "meta", wraps=True)
        self.copy = Button("Copy", "context.copyText", icon_name="copy", tip="Copy what the assistant reads")
        self.copy.clicked.connect(self.copy_text)
        self.printed = PlainViewer("context.printed", "What the hook prints")
        self.printed.setProperty("face", "mono")
        self.printed_line = PlainLabel("", "meta", wraps=True)
        self.host = Choice()
        self.host.setObjectName("context.host")
        self.host.setAccessibleName("Print as for")
        for name in ASSISTANT_NAMES:
            self.host.addItem(app_title(name), name)
        self.host.currentIndexChanged.connect(self._on_host)
        self.diff_line = PlainLabel("", "meta", wraps=True)
        self.diff = DiffView("context.diff", "Difference to the context before")
        self.diff.setLineWrapMode(PlainViewer.LineWrapMode.WidgetWidth)
        self.tabs = Tabs("context.texts")
        self.tabs.add("reads", "What it reads", _page(self.size_line, self.copy, self.viewer))
        self.tabs.add("printed", "What the hook prints", _page(self.printed_line, self.host, self.printed))
        self.tabs.add("compare", "Compare", _page(self.diff_line, None, self.diff))
        self.window_page = WholeWindowPage()
        self.window_page.copied.connect(self.copied)
        self.tabs.add("window", "Window", self.window_page)
        self.tabs.changed.connect(self.tab_changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)

    @property
    def shown_host(self) -> str:
        return str(self.host.currentData())

    def set_context(self, context: Context) -> None:
        self._context = context
        self.viewer.show_context(context)
        if context.is_empty:
            self.viewer.setPlaceholderText(_NOTHING)
            self.size_line.setText("0 tokens")
        else:
            chars = counted(len(context.text), "character")
            self.size_line.setText(
                f"{counted(context.token_count, 'token')} · {chars} · counted as o200k; other models count a little "
                "differently"
            )
        self.copy.setEnabled(not context.is_empty)

    def set_host(self, app: str) -> None:
        """The host that the context is for, where its output is known."""
        n = self.host.findData(app)
        if n >= 0 and n != self.host.currentIndex():
            self.host.blockSignals(True)
            self.host.setCurrentIndex(n)
            self.host.blockSignals(False)

    def set_printed(self, printed: bytes, event: str) -> None:
        """What the hook writes to stdout for the chosen host; without an event what it would write, if one did."""
        host, size = app_title(self.shown_host), counted(len(printed), "byte")
        if not printed:
            line = f"The hook prints nothing for {host}: there is nothing to give, or it is too long."
        elif not event:
            line = f"Asked for: no hook prints this, the text goes as it is. For {host} one would print {size}"
        else:
            line = f"{size}, as {host} takes them with {'a session start' if event == 'start' else 'a prompt'}"
        self.printed_line.setText(line)
        self.printed.show_text(printed.decode("utf-8"))

    def set_difference(self, line: str, diff: str) -> None:
        self.diff_line.setText(line)
        self.diff.setVisible(bool(diff))
        self.diff.show_text(diff)  # it has all the room there is, and wraps: nothing to fold

    def copy_text(self) -> None:
        if self._context is not None and self._context.text:
            QGuiApplication.clipboard().setText(self._context.text)
            self.copied.emit(copied_notice(self._context))

    def _on_host(self) -> None:
        self.printed_wanted.emit(self.shown_host)


def _page(line: PlainLabel, beside: QWidget | None, viewer: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    head = QHBoxLayout()
    head.setSpacing(8)
    head.addWidget(line, 1)
    if beside is not None:
        head.addWidget(beside)
    column.addLayout(head)
    column.addWidget(viewer, 1000)
    if isinstance(viewer, DiffView):
        column.addStretch(1)  # keeps the sentence at the top while there is no difference to show
    return page
