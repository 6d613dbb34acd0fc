"""The full page of the Context screen: head with the tier bar, side pane, lines with the chosen one, text.

Owns the room: three columns, or in a narrow window two. Shows values; what they mean is the panel's.

Tokens told by day, kind, project and assistant as simple bars, and the meter of models and energy.
The head of the Context screen: which moment is shown, the tier bar, and the way back to now.
The contexts that were given, newest first: when, to whom, how much, and what came of it. Choosing one shows it.

Receipts as a list model, newest first. Knows no engine and no painting.

Source: UX 4.6; issue 4 "Window", DESIGN section 7.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.values import ContextFigures, Receipt, Tier
from ui.actions.table import ActionRegistry
from ui.screens.context.bar import TierBar
from ui.screens.context.detail import ContextDetail
from ui.screens.context.list_view import ContextList
from ui.screens.context.reading import Ground, Shown, why_no_lines
from ui.screens.context.rows import ContextRows, build_rows
from ui.screens.context.signals import SignalsForm
from ui.screens.context.text_view import ContextTextPane
from ui.screens.context.tiers import frame_tokens, view_tiers
from ui.theme import META_FONT_PX, color, font, font_px
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.card_list import CardPointer, prepare_list
from ui.widgets.charts import ShareBar, Sparkline
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.memories.provenance import Section
from ui.widgets.memories.why_not import WhyNot
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tabs import Tabs
from ui.wording.contexts import (
    activity_line,
    budget_words,
    delivery_words,
    kind_words,
    notes_of,
    receipt_title,
    receipt_uses,
    short_path,
    spoken_receipt,
)
from ui.wording.values import ago, app_title, counted, moment

RECEIPT_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex


class ReceiptModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._receipts: tuple[Receipt, ...] = ()
        self.now: datetime | None = None

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        return self._receipts

    def set_receipts(self, receipts: Sequence[Receipt], now: datetime) -> None:
        self.beginResetModel()
        self._receipts, self.now = tuple(receipts), now
        self.endResetModel()

    def set_now(self, now: datetime) -> None:
        """Time passed: the ages are other ones."""
        self.now = now
        if self._receipts:
            self.dataChanged.emit(self.index(0), self.index(len(self._receipts) - 1))

    def receipt_at(self, n: int) -> Receipt | None:
        return self._receipts[n] if 0 <= n < len(self._receipts) else None

    def row_of(self, receipt_id: int) -> int | None:
        return next((n for n, one in enumerate(self._receipts) if one.id == receipt_id), None)

    def neighbour(self, receipt_id: int, step: int) -> int:
        """The receipt so many rows further down, 0 for none; beside id 0, which is now, the newest is next."""
        row = self.row_of(receipt_id) if receipt_id else -1
        found = self.receipt_at(row + step) if row is not None else None
        return found.id if found is not None else 0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._receipts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        receipt = self.receipt_at(index.row()) if index.isValid() else None
        if receipt is None or self.now is None:
            return None
        if role == RECEIPT_ROLE:
            return receipt
        if role == Qt.ItemDataRole.DisplayRole:
            return receipt_title(receipt)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_receipt(receipt, self.now)
        return None


GAP_PX = 4
NOTHING_GIVEN = "Nothing was given yet. Each context your assistants are given appears here, with what they used of it."


class _ReceiptDelegate(QStyledItemDelegate):
    def __init__(self, model: ReceiptModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._receipts = model

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        meta = QFontMetricsF(font(META_FONT_PX)).height()
        return QSize(option.rect.width(), round(QFontMetricsF(font()).height() + 2 * meta + 20) + GAP_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        receipt, now = index.data(RECEIPT_ROLE), self._receipts.now
        if not isinstance(receipt, Receipt) or now is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect).adjusted(0, 0, 0, -GAP_PX)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(QPen(color("accent" if is_selected else "line"), 1.0))
        painter.setBrush(color("accent_soft" if is_selected else "raised" if is_hovered else "panel"))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        self._paint_texts(painter, rect.adjusted(10, 7, -10, -7), receipt, ago(receipt.at, now))
        if option.state & QStyle.StateFlag.State_HasFocus:
            draw_focus_ring(painter, rect, 7)
        painter.restore()

    @staticmethod
    def _paint_texts(painter: QPainter, inner: QRectF, receipt: Receipt, when: str) -> None:
        base, meta = QFontMetricsF(font()).height(), QFontMetricsF(font(META_FONT_PX)).height()
        first = QRectF(inner.left(), inner.top(), inner.width(), base)
        second = QRectF(inner.left(), first.bottom() + 2, inner.width(), meta)
        third = QRectF(inner.left(), second.bottom() + 2, inner.width(), meta)
        painter.setFont(font(weight=QFont.Weight.Medium))
        painter.setPen(color("text"))
        draw_elided(painter, first, receipt.signals.prompt or receipt_title(receipt))
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        draw_elided(painter, second, f"{when} · {receipt.token_count:,} tokens · {receipt_uses(receipt)}")
        draw_elided(painter, third, f"{receipt_title(receipt)} · {delivery_words(receipt.delivery)}")


class ReceiptList(QListView):
    """`receipt_chosen` carries the id of the receipt that has the cursor now, by key or mouse."""

    receipt_chosen = Signal(int)

    def __init__(self, model: ReceiptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._receipts = model
        self._current_id = 0
        self._is_taking = False
        self.setObjectName("context.history")
        self.setAccessibleName("Contexts your assistants were given")
        self.setItemDelegate(_ReceiptDelegate(model, self))
        self.setModel(model)
        prepare_list(self)
        CardPointer(self)
        model.modelAboutToBeReset.connect(self._on_about_to_reset)
        model.modelReset.connect(self._on_reset)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.clicked.connect(self._on_clicked)

    def choose(self, receipt_id: int) -> None:
        """Puts the cursor on a receipt without saying so; 0 takes it away."""
        self._current_id = receipt_id
        was, self._is_taking = self._is_taking, True
        row = self._receipts.row_of(receipt_id)
        if row is None:
            self.selectionModel().clear()
        else:
            self.setCurrentIndex(self._receipts.index(row))
        self._is_taking = was

    def _on_about_to_reset(self) -> None:
        self._is_taking = True

    def _on_reset(self) -> None:
        self.setAccessibleDescription("" if self._receipts.rowCount() else NOTHING_GIVEN)
        self.choose(self._current_id)
        self._is_taking = False

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._report(current)

    def _on_clicked(self, index: QModelIndex) -> None:
        self._report(index)

    def _report(self, index: QModelIndex) -> None:
        receipt = self._receipts.receipt_at(index.row())
        if receipt is not None and not self._is_taking and receipt.id != self._current_id:
            self._current_id = receipt.id
            self.receipt_chosen.emit(receipt.id)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._receipts.rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setPen(color("sub"))
            flags = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
            painter.drawText(self.viewport().rect().adjusted(2, 0, -2, 0), flags, self.accessibleDescription())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape or (event.text() and event.text().isprintable()):
            event.ignore()  # of the screen, not of a search for what begins so
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.scheduleDelayedItemsLayout()


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
        self.total.setMinimumHeight(self.live.sizeHint().height())  # what is below stays where it is as buttons come
        over = context.token_count - context.budget_tokens
        self.total.setText(budget_words(context.token_count, context.budget_tokens))
        self.total.set_role("danger" if over > 0 else "heading")
        parts = []
        if receipt is None:
            parts.append("what would be given now")
        else:
            parts.append(f"as it was given {moment(receipt.at, now)}")
            parts += [
                app_title(receipt.app) if receipt.app else "",
                receipt.project or short_path(receipt.signals.project_path),
            ]
            parts.append(delivery_words(receipt.delivery))
        parts += [activity_line(context), *notes_of(context)]
        frame = frame_tokens(context)
        parts.insert(1, f"of them {frame:,} for headings" if frame else "")
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


MAX_BARS = 8
NO_MODEL = "No model is set: 0 used"


class BarSection(Section):
    """Names with their tokens, a bar below each."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._title = title
        self.body.setSpacing(8)

    def set_pairs(self, pairs: Sequence[tuple[str, int]], rest_line: str = "") -> None:
        """`rest_line` says what the names together leave over."""
        clear_layout(self.body)
        self.setVisible(bool(pairs))
        most = max((count for _name, count in pairs), default=0) or 1
        for name, count in pairs[:MAX_BARS]:
            box = QVBoxLayout()
            box.setSpacing(2)
            line = QHBoxLayout()
            line.addWidget(ElidedLabel(name), 1)
            line.addWidget(PlainLabel(f"{count:,}", "meta"))
            box.addLayout(line)
            box.addWidget(ShareBar(count / most))
            self.body.addLayout(box)
        if len(pairs) > MAX_BARS:
            rest = sum(count for _name, count in pairs[MAX_BARS:])
            self.body.addWidget(PlainLabel(f"and {len(pairs) - MAX_BARS} more, {counted(rest, 'token')}", "meta"))
        if rest_line:
            self.body.addWidget(PlainLabel(rest_line, "meta", wraps=True))
        said = ", ".join(f"{name} {count:,}" for name, count in pairs[:MAX_BARS])
        self.setAccessibleName(f"{self._title}: {said}")
        self.setAccessibleDescription(rest_line)


class FiguresPage(ScrollColumn):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("context.figures", parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # nothing in it takes the keys that move it
        self.setProperty("role", "reading")  # shows that it has them
        self.setAccessibleName("Tokens given")
        self.total = PlainLabel("", wraps=True)
        self.days = Sparkline("tokens given")
        self.days.setObjectName("context.figures.days")
        self.span = PlainLabel("", "meta", wraps=True)
        self.by_kind = BarSection("By type")
        self.by_project = BarSection("By project")
        self.by_app = BarSection("By assistant")
        self.asking = Section("Asking to remember")
        self.asked_line = PlainLabel("", "sub", wraps=True)
        self.asking_line = PlainLabel("", "meta", wraps=True)
        self.asking.body.addWidget(self.asked_line)
        self.asking.body.addWidget(self.asking_line)
        self.meter = Section("Models and energy")
        self.model_line = PlainLabel(NO_MODEL, "sub", wraps=True)
        self.meter.body.addWidget(self.model_line)
        self.meter.body.addWidget(PlainLabel("Every context here was made by rules and statistics on this computer.", "meta",
                                             wraps=True))  # fmt: skip
        for widget in (
            self.total, self.days, self.span, self.by_kind, self.by_project, self.by_app, self.asking, self.meter,
        ):  # fmt: skip
            self.add(widget)
        self.add_stretch()

    def set_figures(self, figures: ContextFigures) -> None:
        contexts = counted(figures.receipt_count, "context")
        today = counted(figures.today_tokens, "token")
        self.total.setText(
            f"{counted(figures.token_count, 'token')} given in {len(figures.by_day)} days, in {contexts}. Today: {today}."
        )
        self.days.set_days(figures.by_day)
        self.span.setText(_span_line(figures.by_day))
        self.span.setVisible(bool(self.span.text()))
        frame = figures.token_count - sum(count for _name, count in figures.by_kind)
        frame_line = f"and {counted(frame, 'token')} of headings around them" if frame > 0 else ""
        self.by_kind.set_pairs([(kind_words(name), count) for name, count in figures.by_kind], frame_line)
        self.by_project.set_pairs([(name or "no project", count) for name, count in figures.by_project])
        self.by_app.set_pairs([(app_title(name), count) for name, count in figures.by_app])

    def set_asking(self, asked: str, each_time: str) -> None:
        """How often assistants were asked to remember, and what each time costs."""
        self.asked_line.setText(asked)
        self.asking_line.setText(each_time)


def _span_line(by_day: Sequence[tuple[date, int]]) -> str:
    """From when the bars are, and which is the highest.

    >>> _span_line([(date(2026, 11, 21), 0), (date(2026, 11, 22), 1791), (date(2026, 11, 23), 12)])
    'since 21 Nov; busiest on 22 Nov: 1,791'
    """
    day, most = max(by_day, key=lambda pair: pair[1], default=(None, 0))
    if day is None or not most:
        return ""
    when = "today" if day == by_day[-1][0] else f"on {day:%-d %b}"
    return f"since {by_day[0][0]:%-d %b}; busiest {when}: {most:,}"


SIDE_EM, NARROW_EM = 18.5, 68.0
BRIEF_EM, LOWEST_EM = 50.0, 30.0  # heights: the chosen line says less, its menus go


class ContextPage(QWidget):
    def __init__(
        self, actions: ActionRegistry, rows: ContextRows, receipts: ReceiptModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        live, reset, all_tiers = (actions.action(f"context.{name}") for name in ("live", "reset", "allTiers"))
        self.head = ContextHead(live, reset, all_tiers, self)
        self._is_side_first = False
        self.turn = Button("What if · History", "context.turn", kind="link")
        self.turn.clicked.connect(self._on_turn)
        self.head.add(self.turn)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.form = SignalsForm()
        self.history = ReceiptList(receipts)
        self.figures = FiguresPage()
        self.side = Tabs("context.side", self.splitter)
        self.side.add("whatIf", "What if", self.form)
        self.side.add("history", "History", self.history)
        self.side.add("figures", "Tokens", self.figures)
        self._rows = rows
        self.list = ContextList(rows)
        self.none_found = PlainLabel("", "sub", wraps=True)
        self.none_found.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.none_found.hide()
        self.why_not = WhyNot("context.whyNot", has_field=False)
        self.detail = ContextDetail(tuple(actions.action(f"context.{name}") for name in ("pin", "exclude", "open")))
        self.text = ContextTextPane(self.splitter)
        self._build()

    def _build(self) -> None:
        middle = QWidget(self.splitter)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.none_found)
        column.addWidget(self.list, 1)
        column.addWidget(self.why_not)
        column.addWidget(self.detail)
        column.addStretch(0)  # takes what the lines leave free: what is said of one stands right below them
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
        shown_tier = tier if shown.context.items else None
        self.none_found.setText(why_no_lines(ground, query=query, tier=shown_tier))
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
        self.turn.set_text("Text" if is_side_shown else "What if · History")
        height = self.height()
        self.detail.set_short(height < BRIEF_EM * em, has_menus=height >= LOWEST_EM * em)
        side_px = round(SIDE_EM * em)
        rest = max(0, self.width() - (side_px if is_side_shown else 0) - 40)
        self.splitter.setSizes([side_px, rest // 2, rest // 2])

    def _on_turn(self) -> None:
        self._is_side_first = not self._is_side_first
        self.arrange()
