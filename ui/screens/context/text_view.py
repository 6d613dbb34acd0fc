"""The bytes: what the assistant reads, what the hook prints for its host, and the difference to the context before.

All plain and bounded. The line of the chosen item is on a ground, and the line with the caret chooses its item.
Knows values of contexts, no engine.

The text of a context cut into bounded lines, and which item is on which: the one place that maps both ways.
A model's whole window: what each part takes of what is kept for it, and the text itself, to the byte.

Source: UX 4.6, QUALITY S11; UX 4.6; S3 "Context Window Management".
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QTextEdit, QVBoxLayout, QWidget

from app.api import ASSISTANT_NAMES
from app.values import Context, ContextItem, WindowPlan
from ui.notices import Notice, NoticeKind
from ui.theme import color
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.charts import ShareBar
from ui.widgets.controls import Choice
from ui.widgets.diff_view import DiffView
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.plain_viewer import MAX_LINE_CHARS, PlainViewer, bound_text
from ui.widgets.tabs import Tabs
from ui.wording.contexts import copied_notice
from ui.wording.values import app_title, counted

PART_WORDS = {
    "system": "System prompt",
    "working": "This turn: open file, errors, prompt",
    "recent": "Recent messages",
    "memories": "Memories",
    "chunks": "Summary of what was said before",
}
SYSTEM_CHARS = 100_000
TYPED_AFTER_MS = 300


WINDOW_HELP = (
    "For a model to which your own program sends everything at once: messages, memories and a summary of what was said "
    "before. Your assistants get only the context at the left."
)


class WholeWindowPage(QWidget):
    wanted = Signal()
    copied = Signal(object)  # the Notice that says so

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: WindowPlan | None = None
        self.total = PlainLabel("", wraps=True)
        self.copy = Button("Copy", "context.window.copy", icon_name="copy", tip="Copy the whole window")
        self.copy.clicked.connect(self._on_copy)
        self.system = QLineEdit()
        self.system.setObjectName("context.window.system")
        self.system.setAccessibleName("System prompt")
        self.system.setPlaceholderText("System prompt of your model")
        self.system.setMaxLength(SYSTEM_CHARS)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(TYPED_AFTER_MS)
        self._typed.timeout.connect(self.wanted)
        self.system.textChanged.connect(self._on_typed)
        self.parts = QWidget()
        self.parts.setObjectName("context.window.parts")
        self._rows = QVBoxLayout(self.parts)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(6)
        self.warnings = PlainLabel("", "meta", wraps=True)
        self.viewer = PlainViewer("context.window.text", "The whole window")
        self.viewer.setProperty("face", "mono")
        head = QHBoxLayout()
        head.addWidget(self.total, 1)
        head.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        what = PlainLabel(WINDOW_HELP, "meta", wraps=True)
        for widget in (what, self.system, self.parts, self.warnings):
            column.addWidget(widget)
        column.addWidget(self.viewer, 1)

    def set_plan(self, plan: WindowPlan) -> None:
        """Another plan; the viewer keeps its place."""
        self._plan = plan
        budget = plan.budget
        said = f"{budget.used:,} of {counted(budget.total, 'token')} used, {budget.available:,} free for the answer"
        self.total.setText(said)
        clear_layout(self._rows)
        for part in plan.parts:
            self._rows.addWidget(_part_row(part.name, part.used_tokens, part.budget_tokens))
        told = ", ".join(f"{PART_WORDS[part.name]} {part.used_tokens:,}" for part in plan.parts)
        self.parts.setAccessibleName(f"Tokens by part: {told}")
        self.warnings.setText(" ".join(plan.warnings))
        self.warnings.setVisible(bool(plan.warnings))
        at = self.viewer.verticalScrollBar().value()
        self.viewer.show_text(plan.text)
        self.viewer.verticalScrollBar().setValue(at)
        self.copy.setEnabled(bool(plan.text))

    def _on_typed(self) -> None:
        self._typed.start()

    def _on_copy(self) -> None:
        if self._plan is not None:
            QGuiApplication.clipboard().setText(self._plan.text)
            self.copied.emit(Notice(f"Copied {counted(self._plan.budget.used, 'token')} of window", NoticeKind.GOOD))


def _part_row(name: str, used: int, most: int) -> QWidget:
    row = QWidget()
    row.setObjectName(f"context.window.part.{name}")
    box = QVBoxLayout(row)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(2)
    line = QHBoxLayout()
    line.addWidget(ElidedLabel(PART_WORDS[name]), 1)
    line.addWidget(PlainLabel(f"{used:,} / {most:,}", "meta"))
    box.addLayout(line)
    box.addWidget(ShareBar(used / most if most else 0.0))
    return row


@dataclass(frozen=True, slots=True)
class TextMap:
    """`text` as shown; `blocks[n]` are first and last block of item n, `items[b]` the item of block b or -1."""

    text: str
    blocks: tuple[tuple[int, int], ...]
    items: tuple[int, ...]

    def item_of(self, block: int) -> int:
        return self.items[block] if 0 <= block < len(self.items) else -1


def map_text(text: str, items: Sequence[ContextItem]) -> TextMap:
    """The map of a text; each item is on one line of it.

    >>> from app.values import Level, Tier
    >>> item = ContextItem(7, Tier.CRITICAL, Level.FULL, "- [7] b", 3, 0.5, "", start=2, end=9)
    >>> map_text("a\\n- [7] b\\nc", [item]).items
    (-1, 0, -1)
    """
    lines = text.split("\n") if text else []
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    owner = {bisect_right(starts, item.start) - 1: number for number, item in enumerate(items)}
    shown: list[str] = []
    owners: list[int] = []
    blocks: dict[int, tuple[int, int]] = {}
    for n, line in enumerate(lines):
        parts = bound_text(line, max_chars=len(line) + 1, max_line_chars=MAX_LINE_CHARS).split("\n")
        number = owner.get(n, -1)
        if number >= 0:
            blocks[number] = (len(shown), len(shown) + len(parts) - 1)
        shown += parts
        owners += [number] * len(parts)
    return TextMap("\n".join(shown), tuple(blocks.get(n, (-1, -1)) for n in range(len(items))), tuple(owners))


_NOTHING = "Nothing is relevant, so nothing is sent."


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
        self.printed = PlainViewer("context.printed", "Raw output")
        self.printed.setProperty("face", "mono")
        self.printed_line = PlainLabel("", "meta", wraps=True)
        self.host = Choice()
        self.host.setObjectName("context.host")
        self.host.setAccessibleName("Output for")
        for name in ASSISTANT_NAMES:
            self.host.addItem(app_title(name), name)
        self.host.currentIndexChanged.connect(self._on_host)
        self.diff_line = PlainLabel("", "meta", wraps=True)
        self.diff = DiffView("context.diff", "What changed since the previous context")
        self.diff.setLineWrapMode(PlainViewer.LineWrapMode.WidgetWidth)
        self.tabs = Tabs("context.texts")
        self.tabs.add("reads", "Text", _page(self.size_line, None, self.viewer))
        self.tabs.add("printed", "Raw output", _page(self.printed_line, self.host, self.printed))
        self.tabs.add("compare", "Compare", _page(self.diff_line, None, self.diff))
        self.window_page = WholeWindowPage()
        self.window_page.copied.connect(self.copied)
        self.tabs.add("window", "Whole window", self.window_page)
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
                f"{counted(context.token_count, 'token')} · {chars} · counted with the tokenizer o200k; other models count a little "
                "differently"
            )

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
            line = f"Your assistant asked for this: it gets the text as it is. A hook for {host} would print {size}"
        else:
            line = f"{size}, as {host} receives them with {'a session start' if event == 'start' else 'a prompt'}"
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
