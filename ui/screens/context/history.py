"""The contexts that were handed out, newest first: when, to whom, how much, and what came of it. Choosing one shows it.

Owns cursor and painting; a new reading keeps the cursor by id. Knows ReceiptModel; no engine. Source: UX 4.6.
"""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.values import Receipt
from ui.screens.context.receipt_model import RECEIPT_ROLE, ReceiptModel
from ui.theme import META_FONT_PX, color, font
from ui.widgets.card_list import CardPointer, prepare_list
from ui.widgets.paint import draw_elided, draw_focus_ring
from ui.wording.contexts import delivery_words, receipt_title, receipt_uses
from ui.wording.values import ago

Index = QModelIndex | QPersistentModelIndex
GAP_PX = 4
NOTHING_TOLD = "Nothing was given yet. Each context your assistants are given appears here, with what they used of it."


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
        self.setAccessibleDescription("" if self._receipts.rowCount() else NOTHING_TOLD)
        self.choose(self._current_id)
        self._is_taking = False

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._tell(current)

    def _on_clicked(self, index: QModelIndex) -> None:
        self._tell(index)

    def _tell(self, index: QModelIndex) -> None:
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
