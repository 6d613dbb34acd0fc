"""A big card over the list: one memory to read, nothing to change. The list's cursor continues below it by the same keys.

Shows the card at once and the rest when it was read. Says by signals where to go. Source: UX 3.2 (Space).
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.values import MemoryCard, MemoryDetail, MemoryReason
from ui.icons import pixmap
from ui.theme import font_px, tokens
from ui.widgets.buttons import Button, IconButton
from ui.widgets.card import row
from ui.widgets.labels import Hairline, PlainLabel
from ui.widgets.memories.provenance import origin_without_message
from ui.widgets.plain_viewer import PlainViewer
from ui.widgets.popups.overlay import Overlay
from ui.wording.memories import TIER_WORDS, TRUST_WORDS, icon_of, reason_line, states_of, token_of, type_word, used_line
from ui.wording.values import ago, app_title, counted, moment, percent

TEXT_PX = 17
SHORT_CHARS = 700  # longer ones scroll
VIEWER_EM = 22
QUOTES = 2
QUOTE_CHARS = 240
_STEPS = {Qt.Key.Key_J: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_K: -1, Qt.Key.Key_Up: -1}
HINT = "↑ ↓ the ones before and after · Enter opens it · Space or Esc closes"


class PeekSheet(Overlay):
    """`stepped` carries how many rows on; `opened` when the person wants to go into it."""

    stepped = Signal(int)
    opened = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="memory.peek.sheet", name="One memory", width_px=680)
        self.sheet.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._id = 0
        self.sign = PlainLabel()
        self.what = PlainLabel("", "heading")
        self.open_button = Button("Open", "memory.peek.open", kind="link", tip="Go into it (Enter)")
        self.close_button = IconButton("close", "memory.peek.close", "Close (Space or Esc)")
        self.text = PlainLabel("", wraps=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.long = PlainViewer("memory.peek.text", "Text of the memory")
        self.meta = PlainLabel("", "meta", wraps=True)
        self.tags = PlainLabel("", "meta", wraps=True)
        self.quotes = PlainLabel("", "sub", wraps=True)
        self._build()

    def _build(self) -> None:
        self.sheet_layout.setContentsMargins(22, 16, 18, 14)
        self.sheet_layout.setSpacing(10)
        self.sheet_layout.addLayout(row(self.sign, self.what, 1, self.open_button, self.close_button))
        for widget in (self.text, self.long, self.meta, self.tags, Hairline(), self.quotes):
            self.sheet_layout.addWidget(widget)
        self.sheet_layout.addStretch(1)
        self.sheet_layout.addWidget(PlainLabel(HINT, "meta", wraps=True))
        self.open_button.clicked.connect(self._on_open)
        self.close_button.clicked.connect(self.close_sheet)

    # -- showing
    def show_card(self, card: MemoryCard, now: datetime | None) -> None:
        """What the list knows of it; the rest follows."""
        self._id = card.id
        name, token = icon_of(card.kind, card.type), token_of(card.kind, card.type)
        self.sign.setPixmap(pixmap(name, getattr(tokens(), token), 22, self.devicePixelRatioF()))
        word = type_word(card) if card.id > 0 else "part of a conversation"
        self.what.setText(" · ".join((word.capitalize(), *states_of(card), *(("pinned",) if card.is_pinned else ()))))
        self._show_text(card.text or card.summary or card.title)
        parts = [card.project, app_title(card.app) if card.app else "", f"{percent(card.confidence)} sure"]
        parts += [TRUST_WORDS[card.trust], counted(card.token_count, "token")]
        parts += [f"tier {TIER_WORDS[card.tier]}"] if card.tier is not None else []
        parts += [f"changed {ago(card.updated_at, now)}"] if now is not None else []
        self.meta.setText(" · ".join(filter(None, parts)))
        self.tags.setText("  ".join(f"#{tag}" for tag in card.tags))
        self.tags.setVisible(bool(card.tags))
        self.quotes.setText("")
        self._report()

    def show_detail(self, detail: MemoryDetail, now: datetime, reasons: Sequence[MemoryReason] = ()) -> None:
        """Everything else, if it is still about the same one."""
        memory = detail.memory
        if memory.id != self._id:
            return
        self._show_text(memory.levels.full.text)
        lines = [
            f"“{' '.join(one.quote.split())[:QUOTE_CHARS]}”\n"
            + " · ".join(filter(None, (app_title(one.app), moment(one.at, now))))
            for one in detail.sources[:QUOTES]
        ]
        lines[:0] = [reason_line(one) for one in reasons]
        if len(detail.sources) > QUOTES:
            lines.append(f"and {counted(len(detail.sources) - QUOTES, 'more time')}")
        used = used_line(memory.retrieved_count, memory.cited_count, memory.ignored_count)
        self.quotes.setText("\n\n".join((*(lines or [origin_without_message(memory)]), used.capitalize())))
        self._report()

    def _show_text(self, text: str) -> None:
        is_long = len(text) > SHORT_CHARS
        self.text.setVisible(not is_long)
        self.long.setVisible(is_long)
        self.long.setMinimumHeight(VIEWER_EM * font_px() if is_long else 0)
        large = QFont(self.font())
        large.setPixelSize(font_px(TEXT_PX))
        for widget in (self.text, self.long):
            widget.setStyleSheet(f"font-size: {font_px(TEXT_PX)}px;")
        if is_long:
            self.long.show_text(text)
        else:
            self.text.setText(text)

    def _report(self) -> None:
        self.sheet.setAccessibleName(f"{self.what.text()}: {self.text.text()[:200]}")
        self.fit()

    def sheet_height(self) -> int:
        layout = self.sheet.layout()
        assert layout is not None
        width = self.sheet.width()
        return max(layout.heightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height(), 220)

    # -- keys
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Space:
            self.close_sheet()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_open()
        elif key in _STEPS:
            self.stepped.emit(_STEPS[key])
        else:
            super().keyPressEvent(event)

    def _on_open(self) -> None:
        self.close_sheet()
        self.opened.emit()
