"""Links of a memory to others, and what it belongs to outside: commits, pull requests, decision records, files.

Says by signals what is to be linked, opened or taken away; finding another memory is the panel's. Source: UX 4.4, S4.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.values import Artifact, ArtifactKind, MemoryLink
from ui.widgets.buttons import Button, IconButton
from ui.widgets.card import clear_layout
from ui.widgets.controls import Choice
from ui.widgets.fit_button import FitButton
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.memories.fields import line_field
from ui.widgets.memories.story import Section
from ui.wording.memories import ARTIFACT_WORDS, LINK_WORDS

MAX_SHOWN = 30


class LinkSection(Section):
    """`memory_wanted` carries the memory at the other end, `conversation_wanted` a conversation."""

    memory_wanted = Signal(int)
    conversation_wanted = Signal(int)
    link_asked = Signal()
    unlink_wanted = Signal(int)
    attach_wanted = Signal(str, str)  # kind, reference
    detach_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Links", parent)
        self._add_link = Button(
            "Link to another memory…", "memory.link", kind="link", icon_name="link", tip="Find it by its words"
        )
        self._add_link.clicked.connect(self.link_asked)
        self.kind = Choice()
        self.kind.setObjectName("memory.artifact.kind")
        self.kind.setAccessibleName("What it belongs to")
        for kind, word in ARTIFACT_WORDS.items():
            self.kind.addItem(word, kind.value)
        self.kind.setCurrentIndex(self.kind.findData(ArtifactKind.FILE.value))
        self.reference = line_field("memory.artifact.reference", "Its name or number", "src/login.ts, #214, 9fce12…")
        self.reference.returnPressed.connect(self._on_attach)
        foot = QHBoxLayout()
        foot.setSpacing(6)
        foot.addWidget(self.kind)
        foot.addWidget(self.reference, 1)
        self._column.addWidget(self._add_link)
        self._column.addLayout(foot)

    def set_links(
        self, links: Sequence[MemoryLink], artifacts: Sequence[Artifact], contradicting: Sequence[int] = ()
    ) -> None:
        """`contradicting`: memories that cannot hold beside this one."""
        clear_layout(self.body)
        for n, other_id in enumerate(contradicting[:MAX_SHOWN], start=1):
            text = "Contradicts another memory: show it" if len(contradicting) == 1 else f"Contradicts: show number {n}"
            button = Button(text, f"memory.contradicts.{other_id}", kind="link", icon_name="warning")
            button.setProperty("kind_of", "memory")
            button.setProperty("other", other_id)
            button.clicked.connect(self._on_open)
            self.body.addWidget(button)
        for link in links[:MAX_SHOWN]:
            self._link(link)
        for artifact in artifacts[:MAX_SHOWN]:
            self._artifact(artifact)

    def _link(self, link: MemoryLink) -> None:
        words = LINK_WORDS[link.type][0 if link.is_outgoing else 1]
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(PlainLabel(words, "meta"))
        title = FitButton(link.other_title or link.other_kind, f"memory.link.{link.id}.open", kind="link")
        title.setAccessibleName(f"{words} {link.other_title[:80]}")
        title.setProperty("kind_of", link.other_kind)
        title.setProperty("other", link.other_id)
        title.setEnabled(link.other_kind in ("memory", "conversation"))
        title.clicked.connect(self._on_open)
        line.addWidget(title, 1)
        remove = IconButton("close", f"memory.link.{link.id}.remove", f"Remove the link to {link.other_title[:60]}")
        remove.setProperty("link", link.id)
        remove.clicked.connect(self._on_unlink)
        line.addWidget(remove)
        self.body.addLayout(line)

    def _artifact(self, artifact: Artifact) -> None:
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(PlainLabel(ARTIFACT_WORDS[artifact.kind], "meta"))
        line.addWidget(ElidedLabel(artifact.reference), 1)
        name = f"memory.artifact.{artifact.id}.remove"
        remove = IconButton("close", name, f"Remove {artifact.reference[:60]}")
        remove.setProperty("artifact", artifact.id)
        remove.clicked.connect(self._on_detach)
        line.addWidget(remove)
        self.body.addLayout(line)

    def _on_open(self) -> None:
        sender = self.sender()
        wanted = self.memory_wanted if sender.property("kind_of") == "memory" else self.conversation_wanted
        wanted.emit(int(sender.property("other")))

    def _on_unlink(self) -> None:
        self.unlink_wanted.emit(int(self.sender().property("link")))

    def _on_attach(self) -> None:
        typed = self.reference.text().strip()
        if typed:
            self.reference.clear()
            self.attach_wanted.emit(str(self.kind.currentData()), typed)

    def _on_detach(self) -> None:
        self.detach_wanted.emit(int(self.sender().property("artifact")))
