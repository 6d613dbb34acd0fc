"""The full page of the Context screen: head with the tier bar, side pane, lines with the chosen one, text.

Owns the room: three columns, or in a narrow window two. Shows values; what they mean is the panel's. Source: UX 4.6.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.values import Tier
from ui.actions.table import ActionRegistry
from ui.screens.context.detail import ContextDetail
from ui.screens.context.figures import FiguresPage
from ui.screens.context.head import ContextHead
from ui.screens.context.history import ReceiptList
from ui.screens.context.list_view import ContextList
from ui.screens.context.reading import Ground, Shown, why_no_lines
from ui.screens.context.receipt_model import ReceiptModel
from ui.screens.context.rows import ContextRows, build_rows
from ui.screens.context.signals import SignalsForm
from ui.screens.context.text_view import ContextTextPane
from ui.theme import font_px
from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.why_not import WhyNot
from ui.widgets.tabs import Tabs

SIDE_EM, NARROW_EM, SHORT_EM, LOWEST_EM = 18.5, 68.0, 40.0, 30.0


class ContextPage(QWidget):
    def __init__(
        self, actions: ActionRegistry, rows: ContextRows, receipts: ReceiptModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        live, reset, all_tiers = (actions.action(f"context.{name}") for name in ("live", "reset", "allTiers"))
        self.head = ContextHead(live, reset, all_tiers, self)
        self._is_side_first = False
        self.turn = Button("What if, given…", "context.turn", kind="link")
        self.turn.clicked.connect(self._on_turn)
        self.head.add(self.turn)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.form = SignalsForm()
        self.history = ReceiptList(receipts)
        self.figures = FiguresPage()
        self.side = Tabs("context.side", self.splitter)
        self.side.add("whatIf", "What if", self.form)
        self.side.add("history", "Given", self.history)
        self.side.add("figures", "Tokens", self.figures)
        self._rows = rows
        self.list = ContextList(rows)
        self.none_found = PlainLabel("", "sub", wraps=True)
        self.none_found.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.none_found.hide()
        self.why_not = WhyNot("context.whyNot")
        self.detail = ContextDetail(tuple(actions.action(f"context.{name}") for name in ("pin", "exclude", "open")))
        self.text = ContextTextPane(self.splitter)
        self._build()

    def _build(self) -> None:
        middle = QWidget(self.splitter)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.none_found, 0, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.list, 1)
        column.addWidget(self.why_not)
        column.addWidget(self.detail)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(14)
        for widget in (self.side, middle, self.text):
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setStretchFactor(2, 1)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(12)
        page.addWidget(self.head)
        page.addWidget(self.splitter, 1)

    def show_rows(self, shown: Shown, ground: Ground | None, *, tier: Tier | None, query: str) -> None:
        """The lines, of one tier or those that say what is searched for; or why there are none."""
        rows = build_rows(shown.context, shown.usage, shown.placements, acts=shown.acts, tier=tier, needle=query)
        self._rows.set_rows(rows)
        was_here = self.list.hasFocus() if not rows else self.none_found.hasFocus()
        self.list.setVisible(bool(rows))
        self.none_found.setVisible(not rows)
        if was_here:  # what hides would hand the focus to a field, and keys would go there
            (self.list if rows else self.none_found).setFocus(Qt.FocusReason.OtherFocusReason)
        self._arrange_why_not()
        told_tier = tier if shown.context.items else None
        self.none_found.setText(why_no_lines(ground, query=query, tier=told_tier))
        if not rows:
            self.detail.set_row(None)

    def show_side(self, page: str) -> None:
        """A tab of the side pane, and the keys to it; where there is no room for it the text gives way."""
        self.side.show_page(page)
        self._is_side_first = True
        self.arrange()
        first = {"whatIf": self.form.first_line, "history": self.history}.get(page, self.figures)
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_text(self, page: str) -> None:
        """A tab of the text; where there is no room for it the side pane gives way."""
        self.text.tabs.show_page(page)
        self._is_side_first = False
        self.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()  # the screen around it is told its size first

    def arrange(self) -> None:
        """Gives the columns their widths; in a narrow window side pane and text take turns."""
        em = font_px()
        is_narrow = self.width() < NARROW_EM * em
        is_side_shown = not is_narrow or self._is_side_first
        self.side.setVisible(is_side_shown)
        self.text.setVisible(not is_narrow or not self._is_side_first)
        self.turn.setVisible(is_narrow)
        self.turn.set_text("What it reads" if is_side_shown else "What if, given…")
        height = self.height()
        self.detail.set_short(height < SHORT_EM * em, has_menus=height >= LOWEST_EM * em)
        self._arrange_why_not()
        side_px = round(SIDE_EM * em)
        rest = max(0, self.width() - (side_px if is_side_shown else 0) - 40)
        self.splitter.setSizes([side_px, rest // 2, rest // 2])

    def _arrange_why_not(self) -> None:
        """In a low window the lines come first; above them the search asks the same."""
        self.why_not.setVisible(self.height() >= SHORT_EM * font_px() or self._rows.rowCount() == 0)

    def _on_turn(self) -> None:
        self._is_side_first = not self._is_side_first
        self.arrange()
