"""Draws one invented card where nobody sees it, so that the first real ones need not wait for glyphs and icons.

Measured: 5 ms while the screen is built behind the others, for 10 ms of the 45 until its first cards are painted (QUALITY P9).
Knows the delegate only.
"""

from datetime import UTC, datetime

from PySide6.QtCore import QSize
from PySide6.QtGui import QPixmap

from app.values import FactType, MemoryCard, MemoryKind, MemoryStatus, RecallHit, Tier, Trust
from ui.screens.memories.listing.delegate import CardLook, MemoryDelegate, card_height_px
from ui.screens.memories.listing.model import MemoryRow

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_TITLE = "The quick brown fox, 0123456789"
_TEXT = "Jumps over the lazy dog: (AZERTY) / #QUBIT-KLVWXM “…” · × %"


def warm_up(delegate: MemoryDelegate, width_px: int = 460) -> None:
    """Fills the caches that drawing a card fills; the delegate keeps nothing of it that it would show."""
    card = MemoryCard(
        id=-1, kind=MemoryKind.FACT, type=FactType.DECISION, title=_TITLE, summary=_TEXT, status=MemoryStatus.ACTIVE,
        trust=Trust.SPOKEN, confidence=0.5, importance=0.5, is_pinned=True, is_live=False, token_count=10,
        tags=("abcdefgh",), project="ijklmnop", app="claude-code", updated_at=_AT, last_accessed_at=_AT,
        retrieved_count=0, tier=Tier.RELEVANT,
    )  # fmt: skip
    hit = RecallHit(card, _TEXT, 0.5, (), ("quick",), ((0, 5),), "says “over” and “dog”; recorded today")
    size = QSize(width_px, card_height_px())
    delegate.card(MemoryRow(card, hit), CardLook(is_selected=True), size, _AT, QPixmap(size))
