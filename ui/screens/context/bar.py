"""The tier bar: four segments as wide as their share, filled with a block per item in stable order.

A segment is a button: pressing it shows only its tier, ← and → walk its blocks, Ctrl+← and Ctrl+→ move its right
border, as dragging the grip beside it does. Knows views of tiers, no engine.

The border between two tiers of the bar: a grip in the gap, dragged in steps.

Source: UX 4.2, 4.6, 6; UX 4.6.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QEnterEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QSizePolicy, QToolTip, QWidget

from app.values import Tier
from ui.screens.context.rows import dragged_memory, memory_mime
from ui.screens.context.tiers import BORDER_STEPS, TIERS, Block, TierView, with_shares
from ui.theme import META_FONT_PX, color, font
from ui.widgets.labels import plain_tooltip
from ui.widgets.paint import draw_elided, draw_focus_ring, mixed
from ui.widgets.popups.drag_label import start_drag
from ui.wording.contexts import TIER_HELP, TIER_NOTES, spoken_tier
from ui.wording.memories import TIER_COLORS, TIER_WORDS
from ui.wording.values import counted

GRIP_WIDTH_PX, GRIP_HEIGHT_PX = 3.0, 14.0


class BorderGrip(QWidget):
    """`moved` carries the steps that it was dragged to the right since it last said so; `let_go` ends the drag."""

    moved = Signal(int)
    let_go = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._step_px = 1.0
        self._dragged_from: float | None = None  # on the screen: the grip itself moves along
        self.setObjectName(name)
        self.setAccessibleName("Border between two tiers")
        self.setToolTip("Drag to give one tier more room and the other less (Ctrl+→ and Ctrl+← on a tier)")
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def set_step(self, step_px: float) -> None:
        """How wide one step is."""
        self._step_px = max(1.0, step_px)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("accent" if self.underMouse() or self._dragged_from is not None else "edge"))
        left, top = (self.width() - GRIP_WIDTH_PX) / 2, (self.height() - GRIP_HEIGHT_PX) / 2
        painter.drawRoundedRect(QRectF(left, top, GRIP_WIDTH_PX, GRIP_HEIGHT_PX), 1.5, 1.5)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged_from = event.globalPosition().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged_from is None:
            return
        steps = round((event.globalPosition().x() - self._dragged_from) / self._step_px)
        if steps:
            self._dragged_from += steps * self._step_px
            self.moved.emit(steps)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._dragged_from is not None:
            self._dragged_from = None
            self.let_go.emit()
        self.update()


GAP_PX = 10
LEAST_SEGMENT_PX = 56
LEAST_BLOCK_PX = 7.0  # while there is room: a line of 12 tokens in 8,000 would be a hair
RADIUS_PX = 6.0


def block_rects(bar: QRectF, view: TierView) -> tuple[QRectF, ...]:
    """Where the blocks of a tier are in its bar: true to scale, but none thinner than can be pressed while there is room."""
    if not view.blocks or bar.width() <= 0:
        return ()
    scale = bar.width() / max(1, view.room_tokens, view.used_tokens)
    least = min(LEAST_BLOCK_PX, bar.width() / len(view.blocks))
    widths = [max(least, block.token_count * scale) for block in view.blocks]
    excess = sum(widths) - bar.width()
    if excess > 0:
        spare = sum(width - least for width in widths) or 1.0
        widths = [width - (width - least) * min(1.0, excess / spare) for width in widths]
    rects, left = [], bar.left()
    for width in widths:
        rects.append(QRectF(left, bar.top(), width, bar.height()))
        left += width
    return tuple(rects)


def _label_height() -> float:
    """The name of a tier and, below it, what it is for."""
    return QFontMetricsF(font()).height() + QFontMetricsF(font(META_FONT_PX)).height() + 5


class TierSegment(QAbstractButton):
    """One tier. `block_chosen` carries the number of an item; `border_moved` steps for its right border; `memory_dropped`
    the memory that was let go over it."""

    block_chosen = Signal(int)
    border_moved = Signal(int)
    memory_dropped = Signal(int)

    def __init__(self, tier: Tier, name: str, *, is_compact: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tier = tier
        self._is_compact = is_compact
        self._view = TierView(tier, 0, 0, 0, ())
        self._chosen = -1
        self._hovered = -1
        self._pressed_at: QPointF | None = None
        self._is_target = False
        self.setAcceptDrops(not is_compact)
        self.setObjectName(f"{name}.{tier.value}")
        self.setCheckable(not is_compact)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.set_view(self._view)

    @property
    def view(self) -> TierView:
        return self._view

    def set_view(self, view: TierView) -> None:
        self._view = view
        self._hovered = -1
        self.setAccessibleName(spoken_tier(self.tier, view.used_tokens, view.room_tokens, len(view.blocks)))
        borrowed = f"; {counted(view.borrowed_tokens, 'token')} left over from the tiers before it"
        self.setAccessibleDescription(TIER_HELP[self.tier] + (borrowed if view.borrowed_tokens else ""))
        self.update()

    def set_chosen(self, number: int) -> None:
        """The item that is selected in the list; -1 for none."""
        self._chosen = number
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, round(_label_height() + (24 if self._is_compact else 30) + 3))

    def bar_rect(self) -> QRectF:
        label = _label_height()
        return QRectF(1, label, self.width() - 2, max(8.0, self.height() - label - 2))

    def block_at(self, where: QPointF) -> Block | None:
        for block, rect in zip(self._view.blocks, block_rects(self.bar_rect(), self._view), strict=False):
            if rect.contains(where):
                return block
        return None

    # -- painting
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_label(painter)
        bar = self.bar_rect()
        edge = "accent" if self._is_target else "edge" if self.isChecked() or self.underMouse() else "line"
        painter.setPen(QPen(color(edge), 2.0 if self._is_target else 1.0))
        painter.setBrush(color("accent_soft" if self._is_target else "raised"))
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)
        grounds = self._grounds()
        for n, rect in enumerate(block_rects(bar.adjusted(1, 1, -1, -1), self._view)):
            self._paint_block(painter, rect, n, grounds)
        if self.isChecked():
            painter.setPen(QPen(color(TIER_COLORS[self.tier]), 2.0))
            painter.drawLine(QPointF(2, self.height() - 1.0), QPointF(self.width() - 2, self.height() - 1.0))
        if self.hasFocus():
            draw_focus_ring(painter, bar, RADIUS_PX)

    def _paint_label(self, painter: QPainter) -> None:
        line = QRectF(1, 0, self.width() - 2, QFontMetricsF(font()).height() + 2)
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        figures = f"{self._view.used_tokens:,} / {self._view.room_tokens:,}"
        name_px = QFontMetricsF(font(weight=QFont.Weight.Medium)).horizontalAdvance(TIER_WORDS[self.tier])
        needed = QFontMetricsF(painter.font()).horizontalAdvance(figures)
        if name_px + needed + 6 <= line.width():
            line.setRight(line.right() - draw_elided(painter, line, figures, is_right=True) - 6)
        painter.setFont(font(weight=QFont.Weight.DemiBold if self.isChecked() else QFont.Weight.Medium))
        painter.setPen(color("text"))
        draw_elided(painter, line, TIER_WORDS[self.tier])
        painter.setFont(font(META_FONT_PX))
        painter.setPen(color("sub"))
        note = QRectF(1, line.bottom() - 1, self.width() - 2, QFontMetricsF(painter.font()).height())
        draw_elided(painter, note, TIER_NOTES[self.tier])

    def _grounds(self) -> tuple[QColor, QColor, QColor]:
        """Colours of even, odd and hovered blocks."""
        own = color(TIER_COLORS[self.tier])
        return own, mixed(own, color("panel"), 0.22), mixed(own, color("text"), 0.25)

    def _paint_block(self, painter: QPainter, rect: QRectF, n: int, grounds: tuple[QColor, QColor, QColor]) -> None:
        is_chosen = self._view.blocks[n].number == self._chosen
        ground = grounds[2 if n == self._hovered else n % 2]
        if rect.width() < 4 and not is_chosen:  # hundreds of hairs: corners would not be seen
            painter.fillRect(rect.adjusted(0, 0, -0.5, 0), ground)
            return
        painter.setPen(QPen(color("text"), 2.0) if is_chosen else Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        inset = 1.0 if is_chosen else 0.0
        inner = rect.adjusted(inset, inset, -1.0 - inset, -inset)
        painter.drawRoundedRect(inner, min(3.0, rect.width() / 2), 3)

    # -- mouse and keys
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = event.position()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is not None and self._drag_block(event):
            return
        block = self.block_at(event.position())
        hovered = -1 if block is None else self._view.blocks.index(block)
        if hovered != self._hovered:
            self._hovered = hovered
            self.update()
        super().mouseMoveEvent(event)

    def _drag_block(self, event: QMouseEvent) -> bool:
        """Starts to carry the memory of the block that is held; whether it did."""
        held = self._pressed_at if event.buttons() & Qt.MouseButton.LeftButton and self.acceptDrops() else None
        block = self.block_at(held) if held is not None else None
        if held is None or block is None or not block.memory_id:
            return False
        if (event.position() - held).manhattanLength() < QApplication.startDragDistance():
            return False
        self._pressed_at = None
        self.setDown(False)
        self.block_chosen.emit(block.number)  # what is carried is what is looked at
        start_drag(self, memory_mime(block.memory_id), block.title)
        return True

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        memory_id = dragged_memory(event.mimeData())
        if memory_id and all(block.memory_id != memory_id for block in self._view.blocks):  # not where it is already
            self._set_target(is_target=True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._set_target(is_target=False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_target(is_target=False)
        memory_id = dragged_memory(event.mimeData())
        if memory_id:
            event.acceptProposedAction()
            self.memory_dropped.emit(memory_id)

    def _set_target(self, *, is_target: bool) -> None:
        self._is_target = is_target
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        super().leaveEvent(event)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = None
        block = self.block_at(event.position()) if event.button() is Qt.MouseButton.LeftButton else None
        if block is not None:
            self.setDown(False)
            self.block_chosen.emit(block.number)
            return
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.border_moved.emit(step)
        elif step and self._view.blocks:
            numbers = [block.number for block in self._view.blocks]
            here = (
                numbers.index(self._chosen) + step if self._chosen in numbers else 0 if step > 0 else len(numbers) - 1
            )
            self.block_chosen.emit(numbers[min(max(here, 0), len(numbers) - 1)])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            block = self.block_at(QPointF(event.pos()))
            text = (
                f"{block.title} – {counted(block.token_count, 'token')}" if block is not None else TIER_HELP[self.tier]
            )
            QToolTip.showText(event.globalPos(), plain_tooltip(text), self)
            return True
        return super().event(event)


class TierBar(QWidget):
    """`tier_chosen` carries a tier or None; `border_moved` the number of a border and the steps it goes right."""

    tier_chosen = Signal(object)
    block_chosen = Signal(int)
    border_moved = Signal(int, int)
    borders_settled = Signal()  # the hand let go: what was moved is meant
    memory_moved = Signal(int, object)  # memory, tier that it was let go over

    def __init__(self, name: str, *, is_compact: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.is_adjustable = False
        self.segments = tuple(TierSegment(tier, name, is_compact=is_compact, parent=self) for tier in TIERS)
        for segment in self.segments:
            segment.clicked.connect(self._on_clicked)
            segment.block_chosen.connect(self.block_chosen)
            segment.border_moved.connect(self._on_border)
            segment.memory_dropped.connect(self._on_dropped)
        self.grips = tuple(BorderGrip(f"{name}.border{n}", self) for n in range(len(TIERS) - 1))
        for grip in self.grips:
            grip.moved.connect(self._on_grip)
            grip.let_go.connect(self.borders_settled)
            grip.hide()
        self.setAccessibleName("Context budget")

    def sizeHint(self) -> QSize:
        return QSize(480, self.segments[0].sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(4 * LEAST_SEGMENT_PX + 3 * GAP_PX, self.segments[0].sizeHint().height())

    def set_views(self, views: Sequence[TierView], *, is_adjustable: bool = False) -> None:
        self.is_adjustable = is_adjustable
        for segment, view in zip(self.segments, views, strict=True):
            segment.set_view(view)
        for grip in self.grips:
            grip.setVisible(is_adjustable)
        self._place()

    def set_shares(self, shares: Mapping[Tier, float]) -> None:
        """Other shares, about as they will be: a border that is moved does not wait until the lines are chosen again."""
        self.set_views(with_shares([segment.view for segment in self.segments], shares), is_adjustable=True)

    def set_chosen(self, number: int) -> None:
        for segment in self.segments:
            segment.set_chosen(number)

    def set_tier(self, tier: Tier | None) -> None:
        """Marks the tier that is shown alone."""
        for segment in self.segments:
            segment.setChecked(segment.tier is tier)

    def _on_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, TierSegment):
            is_on = sender.isChecked() or not sender.isCheckable()
            self.tier_chosen.emit(sender.tier if is_on else None)

    def _on_border(self, steps: int) -> None:
        sender = self.sender()
        if self.is_adjustable and isinstance(sender, TierSegment):
            self.border_moved.emit(min(TIERS.index(sender.tier), len(TIERS) - 2), steps)
            self.borders_settled.emit()

    def _on_grip(self, steps: int) -> None:
        sender = self.sender()
        if isinstance(sender, BorderGrip):
            self.border_moved.emit(self.grips.index(sender), steps)

    def _on_dropped(self, memory_id: int) -> None:
        sender = self.sender()
        if isinstance(sender, TierSegment):
            self.memory_moved.emit(memory_id, sender.tier)

    # -- places
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.updateGeometry()

    def _place(self) -> None:
        room = self.width() - GAP_PX * (len(self.segments) - 1)
        spare = max(0, room - LEAST_SEGMENT_PX * len(self.segments))
        total = sum(segment.view.room_tokens for segment in self.segments) or 1
        left = 0.0
        for segment in self.segments:
            true_px = room * segment.view.room_tokens / total
            width = max(true_px, LEAST_SEGMENT_PX)
            segment.setGeometry(round(left), 0, round(width), self.height())
            left += width + GAP_PX
        over = left - GAP_PX - self.width()
        if over > 1 and spare:  # the least width of some is taken from the others
            self._squeeze(over)
        bar = self.segments[0].bar_rect()
        for grip, segment in zip(self.grips, self.segments, strict=False):
            grip.set_step(room / BORDER_STEPS)
            grip.setGeometry(segment.geometry().right() + 1, round(bar.top()), GAP_PX, round(bar.height()))

    def _squeeze(self, over_px: float) -> None:
        spare = sum(max(0, segment.width() - LEAST_SEGMENT_PX) for segment in self.segments) or 1
        left = 0.0
        for segment in self.segments:
            width = segment.width() - max(0, segment.width() - LEAST_SEGMENT_PX) * over_px / spare
            segment.setGeometry(round(left), 0, round(width), self.height())
            left += width + GAP_PX
