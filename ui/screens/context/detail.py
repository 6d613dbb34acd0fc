"""The chosen line of a context: what it says, why it is in or out with the shares of its score, and what can be done.

The buttons are rows of the action table. Knows rows of ContextRows; no engine. Source: UX 4.6, 2.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.values import Levels, Placement, Tier
from ui.screens.context.rows import ContextRow
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.provenance import ShareBar, shares_line
from ui.wording.contexts import AUTOMATIC, USAGE_WORDS, item_figures, levels_line, out_figures
from ui.wording.memories import LEVEL_WORDS, TIER_WORDS

SHOWN_CHARS = 400
_SHORT = {"context.open": "Open"}  # four buttons fit in a row
_SHORT_CHARS = 150  # of the reason where the window is low; the rest is in its tip


@dataclass(frozen=True, slots=True)
class MemoryNow:
    """What holds of a line's memory now, also where a moment of the past is shown."""

    memory_id: int
    levels: Levels
    is_pinned: bool


def act_words(row: ContextRow) -> Mapping[str, str]:
    """What each act that goes both ways would do to this line."""
    is_withheld = row.placement is not None and row.placement.is_withheld
    return {
        "context.pin": pin_word(is_pinned=row.item is not None and row.item.is_pinned),
        "context.exclude": "Give it again" if is_withheld else "Never include",
    }


def pin_word(*, is_pinned: bool) -> str:
    """What pressing would do.

    >>> pin_word(is_pinned=True), pin_word(is_pinned=False)
    ('Unpin', 'Pin')
    """
    return "Unpin" if is_pinned else "Pin"


def place_word(placement: Placement) -> str:
    """What a person chose of size and tier.

    >>> from app.values import Level, Tier
    >>> place_word(Placement(1)), place_word(Placement(1, Level.SUMMARY, Tier.CRITICAL))
    ('Automatic', 'Summary, Critical')
    """
    level = [LEVEL_WORDS[placement.level]] if placement.level is not None else []
    tier = [TIER_WORDS[placement.tier]] if placement.tier is not None else []
    return ", ".join(level + tier) or AUTOMATIC


class ContextDetail(QFrame):
    """`place_wanted`: the menu of sizes and tiers is asked for at this place of the screen; `decide_wanted`: the contradiction
    that the line tells is to be decided.
    """

    place_wanted = Signal(object)
    decide_wanted = Signal()

    def __init__(self, actions: tuple[QAction, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("context.detail")
        self.setProperty("role", "card")
        self.setAccessibleName("The chosen line")
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(5)
        self.text = PlainLabel("", wraps=True)
        self.figures = PlainLabel("", "meta", wraps=True)
        self.why = PlainLabel("", "sub", wraps=True)
        self.bar = ShareBar()
        self.bar.setObjectName("context.shares")
        self.shares = PlainLabel("", "meta", wraps=True)
        self.levels = PlainLabel("", "meta", wraps=True)
        self.levels.setObjectName("context.levels")
        for widget in (self.text, self.figures, self.why, self.bar, self.shares, self.levels):
            column.addWidget(widget)
        buttons = QWidget()
        line = FlowLayout(buttons)
        self._acts = {
            action.objectName(): ActionButton(action, text=_SHORT.get(action.objectName(), "")) for action in actions
        }
        for act in self._acts.values():
            line.addWidget(act)
        self.place = Button(
            "",
            "context.place",
            icon_name="chevron-down",
            tip="Its size (0 to 4) and its tier, the part of the context that it is in (Alt+0 to 4)",
        )
        self.place.clicked.connect(self._on_place)
        self.place.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow after the words
        line.addWidget(self.place)
        self.decide = Button("Decide which one is true", "context.decide", kind="primary", icon_name="split")
        self.decide.clicked.connect(self.decide_wanted)
        line.addWidget(self.decide)
        column.addWidget(buttons)
        self._row: ContextRow | None = None
        self._levels_of = 0  # the memory that the counts are of
        self._is_short = False
        self._has_menus = True

    def set_short(self, is_short: bool, *, has_menus: bool = True) -> None:
        """Only why, where the window has no room for more; the list says the rest, and keys and its menu place a line."""
        if (is_short, has_menus) != (self._is_short, self._has_menus):
            self._is_short, self._has_menus = is_short, has_menus
            self.set_row(self._row)

    def set_row(self, row: ContextRow | None) -> None:
        self._row = row
        self.setVisible(row is not None)
        if row is None:
            return
        text = row.text if len(row.text) <= SHOWN_CHARS else row.text[:SHOWN_CHARS] + "…"
        self.text.setText(text)
        signals = row.item.signals if row.item is not None else ()
        if row.item is not None:
            parts = [TIER_WORDS[row.tier], item_figures(row.item)]
            parts += ["pinned: always given"] if row.item.is_pinned else []
            parts += ["may be outdated: the project changed"] if row.item.is_stale else []
            used = USAGE_WORDS.get(row.usage, row.usage)
            parts += [f"{used}, {row.act}" if row.act else used] if used else []
            self.figures.setText(" · ".join(parts))
            self._set_why(f"Why it is given: {row.item.reason}")
        elif row.out is not None:
            self.figures.setText(out_figures(row.out))
            self._set_why(f"Why it is left out: {row.out.reason}")
        self._show_choice(row)
        self._name_acts(row)
        self.levels.setVisible(bool(row.memory_id) and row.memory_id == self._levels_of and not self._is_short)
        for widget in (self.bar, self.shares):
            widget.setVisible(bool(signals) and not self._is_short)
        self.text.setVisible(not self._is_short)
        self.figures.setVisible(bool(self.figures.text()) and not self._is_short)
        self.bar.set_shares(signals)
        self.shares.setText(shares_line(signals))

    def _set_why(self, text: str) -> None:
        is_cut = self._is_short and len(text) > _SHORT_CHARS
        self.why.setText(f"{text[:_SHORT_CHARS].rstrip()}…" if is_cut else text)
        self.why.setToolTip(text if is_cut else "")

    def set_memory(self, now: MemoryNow) -> None:
        """How long each level of the memory is, and whether pressing would pin it."""
        if self._row is not None and self._row.memory_id == now.memory_id:
            self._levels_of = now.memory_id
            self.levels.setText(levels_line(now.levels, self._row.item))
            self.levels.setVisible(not self._is_short)
            self._acts["context.pin"].set_text(pin_word(is_pinned=now.is_pinned))

    def _name_acts(self, row: ContextRow) -> None:
        """What pressing would do to this line, now; a line that tells a contradiction is no memory."""
        item = row.item
        self.decide.setVisible(item is not None and item.memory_id is None and item.tier is not Tier.INDEX)
        for act in self._acts.values():
            act.setVisible(bool(row.memory_id))
        for name, word in act_words(row).items():
            if name in self._acts:
                self._acts[name].set_text(word)

    def _show_choice(self, row: ContextRow) -> None:
        placement = row.placement or Placement(row.memory_id)
        self.place.set_text(place_word(placement))
        self.place.setAccessibleName(f"Size and tier: {place_word(placement)}")
        self.place.setVisible(bool(row.memory_id) and self._has_menus)

    def _on_place(self) -> None:
        self.place_wanted.emit(self.place.mapToGlobal(self.place.rect().bottomLeft()))
