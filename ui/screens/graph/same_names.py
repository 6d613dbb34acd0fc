"""Names that may mean the same thing, one below the other: what speaks for it, what was said, and the two answers.

Stands in the place of the list of links while somebody looks through them. Source: issue 18 "One thing, one node".
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.values.graph import SameEvidence, SameProposal
from ui.screens.graph.shapes import look_icon
from ui.widgets.buttons import Button
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.wording.values import counted

EVIDENCE_WORDS = {
    SameEvidence.SPELLING: "the same letters", SameEvidence.PLURAL: "singular and plural", SameEvidence.PATH: "a path and its short name",
    SameEvidence.INITIALS: "its initials", SameEvidence.SLIP: "a typing error",
}  # fmt: skip
_ROLE = Qt.ItemDataRole.UserRole + 1


class SameNames(QWidget):
    """`merge_wanted` and `apart_wanted` carry two nodes, the one that stays first · `closed`: back to the links."""

    merge_wanted = Signal(object)
    apart_wanted = Signal(object)
    chosen = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Names that may mean the same thing")
        self.title = PlainLabel("Names for the same thing", "section", wraps=True)
        self.back = Button("Back to the links", "graph.same.back", kind="link")
        self.back.clicked.connect(self.closed)
        self.count = PlainLabel("", "meta", wraps=True)
        self.count.setObjectName("graph.same.count")
        self.list = QListWidget()
        self.list.setObjectName("graph.same.list")
        self.list.setAccessibleName("Names that may mean the same thing")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setWordWrap(True)
        self.list.currentItemChanged.connect(self._on_row)
        self.card = Card()
        self.what = PlainLabel("", "body", wraps=True)
        self.what.setObjectName("graph.same.what")
        self.said = PlainLabel("", "meta", wraps=True)
        self.said.setObjectName("graph.same.said")
        row = FlowLayout()
        self.merge = Button("Merge them", "graph.same.merge", kind="primary", tip="Undo separates them again")
        self.merge.clicked.connect(self._on_merge)
        self.other = Button("Keep the other name", "graph.same.other", kind="quiet")
        self.other.clicked.connect(self._on_other)
        self.apart = Button("Keep them apart", "graph.same.apart", kind="quiet", tip="Never propose these two again")
        self.apart.clicked.connect(self._on_apart)
        for button in (self.merge, self.other, self.apart):
            row.addWidget(button)
        self.card.body.addWidget(self.what)
        self.card.body.addWidget(self.said)
        self.card.body.addLayout(row)
        line = QHBoxLayout()
        line.addWidget(self.title, 1)
        line.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(line)
        column.addWidget(self.count)
        column.addWidget(self.list, 1)
        column.addWidget(self.card)
        self.card.hide()

    def show_proposals(self, proposals: Sequence[SameProposal]) -> None:
        """The list anew; the row that follows the one that was answered becomes current."""
        row = max(0, self.list.currentRow())
        self.list.clear()
        for one in proposals:
            item = QListWidgetItem(look_icon(one.gone.look), _line(one))
            item.setData(_ROLE, one)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{_line(one)}, {EVIDENCE_WORDS[one.evidence]}")
            self.list.addItem(item)
        text = counted(len(proposals), "pair") + ", the surest first. Nothing is merged without your yes."
        self.count.setText(text if proposals else "No two names seem to mean the same thing.")
        self.card.setVisible(bool(proposals))
        if proposals:
            self.list.setCurrentRow(min(row, len(proposals) - 1))

    @property
    def proposal(self) -> SameProposal | None:
        item = self.list.currentItem()
        found = item.data(_ROLE) if item is not None else None
        return found if isinstance(found, SameProposal) else None

    def _on_row(self, _item: object, _before: object) -> None:
        one = self.proposal
        if one is None:
            return
        moved = counted(one.gone_count, "mention")
        self.what.setText(
            f"{EVIDENCE_WORDS[one.evidence].capitalize()}. “{one.gone.title}” goes: its {moved} and links become those of "
            f"“{one.keep.title}” ({counted(one.keep_count, 'mention')}), and mentions of it mean that one."
        )
        said = [f"“{text}”" for text in (*one.keep_said[:1], *one.gone_said[:2])]
        self.said.setText("\n".join(said))
        self.said.setVisible(bool(said))
        self.other.setText(f"Keep “{one.gone.title}”" if len(one.gone.title) <= 20 else "Keep the other name")
        self.chosen.emit(one.keep.id)

    def _on_merge(self) -> None:
        if self.proposal is not None:
            self.merge_wanted.emit((self.proposal.keep.id, self.proposal.gone.id))

    def _on_other(self) -> None:
        if self.proposal is not None:
            self.merge_wanted.emit((self.proposal.gone.id, self.proposal.keep.id))

    def _on_apart(self) -> None:
        if self.proposal is not None:
            self.apart_wanted.emit((self.proposal.keep.id, self.proposal.gone.id))


def _line(one: SameProposal) -> str:
    return f"“{one.gone.title}” = “{one.keep.title}”"
