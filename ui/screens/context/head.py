"""The head of the Context screen: which moment is shown, the tier bar, and the way back to now.

Shows values and says by signals what is wanted. Source: UX 4.6.
"""

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction
from PySide6.QtWidgets import QWidget

from app.values import Tier
from ui.screens.context.bar import TierBar
from ui.screens.context.reading import Shown
from ui.screens.context.tiers import frame_tokens, view_tiers
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.wording.contexts import activity_line, budget_words, delivery_words, notes_of, short_path
from ui.wording.values import app_title, counted, moment


class ContextHead(Card):
    def __init__(self, live: QAction, reset: QAction, all_tiers: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("context.head")
        self.total = PlainLabel("", "heading")
        self.line = ElidedLabel("", "sub")
        self.reset = ActionButton(reset, kind="link")
        self.all_tiers = ActionButton(all_tiers, kind="link")
        self.all_tiers.hide()
        self.live = ActionButton(live, kind="primary")
        self.bar = TierBar("context.tier")
        self.head.insertWidget(0, self.total)
        self.head.insertWidget(1, self.line, 1)
        self.head.setStretch(3, 0)
        self.head.addWidget(self.all_tiers)
        self.head.addWidget(self.reset)
        self.head.addWidget(self.live)
        self.body.addWidget(self.bar)

    def add(self, button: Button) -> None:
        """One more button, before the others."""
        self.head.insertWidget(self.head.count() - 3, button)

    def show_tier(self, tier: Tier | None) -> None:
        """Which tier is shown alone, and the way back to all."""
        self.bar.set_tier(tier)
        self.all_tiers.setVisible(tier is not None)

    def show_shares(self, shares: Mapping[Tier, float]) -> None:
        """Shares that the person has just chosen, before what they change is known."""
        self.bar.set_shares(shares)
        self.reset.show()

    def show_moment(self, shown: Shown, now: datetime, *, has_own_shares: bool) -> None:
        context, receipt = shown.context, shown.receipt
        self.total.setMinimumHeight(self.live.sizeHint().height())  # what lies below stays where it is as buttons come
        over = context.token_count - context.budget_tokens
        self.total.setText(budget_words(context.token_count, context.budget_tokens))
        self.total.set_role("danger" if over > 0 else "heading")
        parts = []
        if receipt is None:
            parts.append("what would be given now")
        else:
            parts.append(f"frozen, as given {moment(receipt.at, now)}")
            parts += [
                app_title(receipt.app) if receipt.app else "",
                receipt.project or short_path(receipt.signals.project_path),
            ]
            parts.append(delivery_words(receipt.delivery))
        parts += [activity_line(context), *notes_of(context)]
        frame = frame_tokens(context)
        parts.append(f"{counted(frame, 'token')} of frame" if frame else "")
        line = " · ".join(filter(None, parts))
        if line != self.line.text() and self.isVisible():
            said = f"{self.total.text()}, {line}"
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))
        self.line.setText(line)
        self.set_kind("" if receipt is None else "accent")
        self.live.setVisible(receipt is not None)
        self.reset.setVisible(receipt is None and has_own_shares)
        self.bar.set_views(view_tiers(context), is_adjustable=receipt is None)
        self.bar.setAccessibleName(f"Context budget, {budget_words(context.token_count, context.budget_tokens)}")
