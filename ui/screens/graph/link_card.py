"""The link that the row of the list names: why it is there, how strong, and what the person says about it.

Shown under the list, so that a link is accepted, rejected and worded by keyboard as well as by mouse. Source: issue 18 "A person's
accept and reject is kept", UX 4.5 "Accessible twin".
"""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSlider, QWidget

from app.values.graph import GraphLink, LinkBasis, NodeId, Relation
from ui.screens.graph.look import relation_from
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.wording.values import percent

_ORIGINS = {
    "person": "You drew it", LinkBasis.SIMILAR: "Found by consolidation", LinkBasis.SAME_ENTITY: "Found by consolidation",
    LinkBasis.CAUSE: "Found by consolidation", LinkBasis.FIX: "Found by consolidation",
}  # fmt: skip
_STEPS = 20  # of the strength


def origin_of(link: GraphLink) -> str:
    """Where it comes from, in words."""
    if link.contradiction_id is not None:
        return "Found by comparing the two"
    if link.link_id is not None:
        return _ORIGINS.get(link.origin, "Kept when the conversation left the queue")
    return "You accepted it" if link.is_accepted else "Found in what was said and done"


def link_line(link: GraphLink, node: NodeId) -> str:
    """How the thing at the other end is linked with `node`, in a few words: what was worked out says it itself."""
    why = " ".join(link.reason.split())
    if link.link_id is None and link.contradiction_id is None:
        return relation_from(link, node) if link.relation is Relation.SUPERSEDES else why or relation_from(link, node)
    return " · ".join((relation_from(link, node), why or origin_of(link)[:1].lower() + origin_of(link)[1:]))


class LinkCard(Card):
    """`edited` carries the link as the person wants it; `followed`: to the other end."""

    edited = Signal(object)
    followed = Signal()

    def __init__(self, buttons: Sequence[ActionButton], parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("graph.link_card")
        self.setAccessibleName("The link in this row")
        self.link: GraphLink | None = None
        self.facts = PlainLabel("", "meta", wraps=True)
        self.facts.setObjectName("graph.link.facts")
        self.reason = QLineEdit()
        self.reason.setObjectName("graph.link.reason")
        self.reason.setAccessibleName("Why the two are linked")
        self.reason.setPlaceholderText("Why? In your own words")
        self.reason.setMaxLength(300)
        self.reason.editingFinished.connect(self._on_edited)
        self.strength = QSlider(Qt.Orientation.Horizontal)
        self.strength.setObjectName("graph.link.strength")
        self.strength.setAccessibleName("How strong the link is")
        self.strength.setRange(1, _STEPS)
        self.strength.valueChanged.connect(self._on_strength)
        self.strength.sliderReleased.connect(self._on_edited)
        self.weight = PlainLabel("", "meta")
        line = QHBoxLayout()
        line.addWidget(self.strength, 1)
        line.addWidget(self.weight)
        row = FlowLayout()
        self.go = Button(
            "Go there", "graph.link.go", kind="quiet", icon_name="forward", tip="Select the other end of the link"
        )
        self.go.clicked.connect(self.followed)
        row.addWidget(self.go)
        for button in buttons:
            row.addWidget(button)
        self.body.addWidget(self.facts)
        self.body.addWidget(self.reason)
        self.body.addLayout(line)
        self.body.addLayout(row)
        self.show_link(None)

    def show_link(self, link: GraphLink | None) -> None:
        """Only what a person drew or accepted can be worded; of the rest it says where it comes from."""
        self.link = None  # what is set now is no edit
        self.setVisible(link is not None)
        if link is None:
            return
        is_own = link.origin == "person"
        why = link.reason if link.reason and not is_own else ""
        strong = f"{percent(link.strength)} strong" if not is_own else ""
        self.facts.setText(" · ".join(one for one in (origin_of(link), why, strong) if one))
        for widget in (self.reason, self.strength, self.weight):
            widget.setVisible(is_own)
        self.reason.setText(link.reason)
        self.strength.setValue(round(link.strength * _STEPS))
        self._say()
        self.link = link

    def _say(self) -> None:
        ratio = self.strength.value() / _STEPS
        self.weight.setText(f"{percent(ratio)} strong")
        self.strength.setAccessibleDescription(self.weight.text())

    def _on_strength(self, _value: int) -> None:
        self._say()
        if not self.strength.isSliderDown():
            self._on_edited()

    def _on_edited(self) -> None:
        link = self.link
        if link is None or link.origin != "person":
            return
        wanted = replace(link, strength=self.strength.value() / _STEPS, reason=" ".join(self.reason.text().split()))
        if (round(wanted.strength, 2), wanted.reason) != (round(link.strength, 2), link.reason):
            self.link = wanted
            self.edited.emit(wanted)


def is_judged(link: GraphLink) -> bool:
    """Whether the person has said yes to it already."""
    return link.is_accepted or link.origin == "person"


def can_reject(link: GraphLink) -> bool:
    """A contradiction is decided on its own screen, and what replaced what is a fact."""
    return (
        link.relation not in (Relation.CONTRADICTS, Relation.SUPERSEDES, Relation.MERGED_FROM)
        or link.origin == "person"
    )
