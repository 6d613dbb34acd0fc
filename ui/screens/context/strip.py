"""The context told last, as one strip: how much, to whom, when, and the tier bar. Every part leads to the Context screen.

Knows values of receipts; no engine. Source: UX 4.2.
"""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.values import ReceiptDetail, Tier
from ui.navigation import Place
from ui.notices import Notice
from ui.screens.context.bar import TierBar
from ui.screens.context.tiers import frame_tokens, view_tiers
from ui.widgets.buttons import Button
from ui.widgets.card import Card
from ui.widgets.labels import ElidedLabel
from ui.wording.contexts import budget_words, copied_notice, given_line


class ContextStrip(Card):
    """Hidden until something was told. `navigate` goes to a place, `notify` tells what was done."""

    def __init__(
        self, navigate: Callable[[Place], None], notify: Callable[[Notice], None], parent: QWidget | None = None
    ) -> None:
        super().__init__("Context budget", parent=parent)
        self.setObjectName("now.context")
        self._navigate = navigate
        self._notify = notify
        self._detail: ReceiptDetail | None = None
        self.line = ElidedLabel("", "sub")
        self.copy = Button("Copy it", "now.context.copy", kind="link", icon_name="copy")
        self.copy.clicked.connect(self._on_copy)
        self.open = Button("Open", "now.context.open", kind="link", icon_name="context", tip="Look into this context")
        self.open.setAccessibleName("Open this context")
        self.open.clicked.connect(self._on_open)
        self.head.insertWidget(1, self.line, 1)
        self.head.setStretch(2, 0)
        self.head.addWidget(self.copy)
        self.head.addWidget(self.open)
        self.bar = TierBar("now.tier", is_compact=True)
        self.bar.tier_chosen.connect(self._on_tier)
        self.bar.block_chosen.connect(self._on_block)
        self.body.addWidget(self.bar)
        self.hide()

    def set_given(self, detail: ReceiptDetail | None, now: datetime) -> None:
        self._detail = detail
        self.setVisible(detail is not None)
        if detail is None:
            return
        self.show_time(now)
        self.bar.set_views(view_tiers(detail.context))
        said = budget_words(detail.receipt.token_count, detail.receipt.budget_tokens)
        self.setAccessibleName(f"Context budget, {said}")

    def show_time(self, now: datetime) -> None:
        """How long ago it was told."""
        if self._detail is not None:
            frame = frame_tokens(self._detail.context)
            self.line.setText(given_line(self._detail.receipt, now, frame))

    def set_short(self, is_short: bool) -> None:
        """Only the line, where the window has no room for the bar."""
        self.bar.setVisible(not is_short)

    def _on_copy(self) -> None:
        if self._detail is not None:
            QGuiApplication.clipboard().setText(self._detail.context.text)
            self._notify(copied_notice(self._detail.context))

    def _on_open(self) -> None:
        if self._detail is not None:
            self._navigate(Place("context", "receipt", self._detail.receipt.id))

    def _on_tier(self, tier: Tier | None) -> None:
        if self._detail is not None and tier is not None:
            self._navigate(Place("context", "receipt", self._detail.receipt.id, tier.value))

    def _on_block(self, number: int) -> None:
        """A block leads to its memory; a topic or a question to the context."""
        items = self._detail.context.items if self._detail is not None else ()
        memory_id = items[number].memory_id if number < len(items) else None
        if memory_id:
            self._navigate(Place("memories", "memory", memory_id))
        else:
            self._on_open()
