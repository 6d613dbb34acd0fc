"""One episode: its story, how it went in thirds with the key moments marked, what was made, what was learned, where to go.

Shows a value and says by signals what is wanted. Texts are plain and bounded. Source: S3 "Narrative Arc Tracking".
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.values import ArtifactKind, ConversationRef, EpisodeDetail, MemoryCard, Moment
from ui.icons import pixmap
from ui.screens.episodes.wording import TYPE_LOOKS, TYPE_WORDS, artifact_words, meta_line, moment_line, story_of
from ui.theme import tokens
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.fit_button import FitButton
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import Hairline, PlainLabel
from ui.widgets.scroll import ScrollColumn

NOTHING_TEXT = "Select an episode to see how it went."
_THIRDS = (("beginning", "In the beginning"), ("middle", "In the middle"), ("end", "In the end"))
_MEMORIES_SHOWN, _FILES_SHOWN = 12, 8


class EpisodeView(Card):
    """`conversation_wanted`, `memory_wanted`, `artifact_wanted` carry where to go."""

    conversation_wanted = Signal(int)
    memory_wanted = Signal(int)
    artifact_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("episodes.detail")
        self.setAccessibleName("The selected episode")
        self._detail: EpisodeDetail | None = None
        self.title = PlainLabel("", "section", wraps=True)
        self.meta = PlainLabel("", "meta", wraps=True)
        self.nothing = PlainLabel(NOTHING_TEXT, "sub", wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.scrolled = ScrollColumn("episodes.detail.scroll", parent=self)
        self.scrolled.column.setSpacing(6)
        self.body.addWidget(self.title)
        self.body.addWidget(self.meta)
        self.body.addWidget(self.nothing, 1)
        self.body.addWidget(self.scrolled, 1)
        self.clear()

    @property
    def detail(self) -> EpisodeDetail | None:
        return self._detail

    def clear(self) -> None:
        """Nothing is selected."""
        self._detail = None
        for widget in (self.title, self.meta, self.scrolled):
            widget.hide()
        self.nothing.show()

    def show_detail(self, detail: EpisodeDetail) -> None:
        """Shows it; the same episode read again keeps its scroll."""
        if detail == self._detail:
            return
        is_other = self._detail is None or self._detail.episode.id != detail.episode.id
        self._detail = detail
        episode = detail.episode
        self.title.setText(episode.title)
        self.meta.setText(meta_line(episode))
        clear_layout(self.scrolled.column)
        self.scrolled.add(PlainLabel(story_of(episode, detail.narrative), wraps=True))
        if episode.context:
            self.scrolled.add(PlainLabel(episode.context, "sub", wraps=True))
        self._add_ways(episode.conversations, episode.id)
        self._add_arc()
        self._add_made()
        self._add_learned(detail.memories)
        self.scrolled.add_stretch()
        self.nothing.hide()
        for widget in (self.title, self.meta, self.scrolled):
            widget.show()
        if is_other:
            self.scrolled.verticalScrollBar().setValue(0)

    def _add_ways(self, conversations: Sequence[ConversationRef], episode_id: int) -> None:
        holder = QWidget()
        holder.setProperty("role", "content")
        ways = FlowLayout(holder)
        for one in conversations:
            said = "Open the conversation" if one.is_kept else "What is left of the conversation"
            if len(conversations) > 1:
                said = one.title or said
            way = Button(said[:60], f"episodes.conversation.{one.conversation_id}", icon_name="conversations",
                         tip="Its messages and what was learned" if one.is_kept else "Its text is gone; what was learned stays")  # fmt: skip
            way.setAccessibleName(f"{said}: {one.title}")
            way.setProperty("number", one.conversation_id)
            way.clicked.connect(self._on_conversation)
            ways.addWidget(way)
        own = Button("Show in Memories", f"episodes.memory.{episode_id}", kind="quiet", icon_name="memories",
                     tip="Edit it, pin it, see its history")  # fmt: skip
        own.setProperty("number", episode_id)
        own.clicked.connect(self._on_memory)
        ways.addWidget(own)
        self.scrolled.add(holder)

    def _add_arc(self) -> None:
        if self._detail is None or all(one.text == self._detail.episode.title for one in self._detail.episode.moments):
            return  # nothing that the title does not say
        arc = self._detail.arc
        self._add_heading("How it went")
        for name, said in _THIRDS:
            moments: tuple[Moment, ...] = getattr(arc, name)
            if moments:
                self.scrolled.add(PlainLabel(said, "meta"))
            for one in moments:
                self._add_moment(one, is_key=one in arc.key_moments)

    def _add_moment(self, one: Moment, *, is_key: bool) -> None:
        row = QWidget()
        row.setProperty("role", "content")
        row.setAccessibleName(f"{'Key moment. ' if is_key else ''}{moment_line(one)}")
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        name, role = TYPE_LOOKS[one.type]
        sign = PlainLabel()
        sign.setPixmap(pixmap(name, getattr(tokens(), role), 16, self.devicePixelRatioF()))
        line.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        key = " · key moment" if is_key else ""
        at = one.at.astimezone()
        is_of_many = self._detail is not None and len(self._detail.episode.conversations) > 1
        when = f"{at.day} {at:%b}" if is_of_many else f"message {one.turn}"
        texts.addWidget(PlainLabel(f"{TYPE_WORDS[one.type]} · {when}{key}", "accent" if is_key else "meta"))
        texts.addWidget(PlainLabel(one.text, "heading" if is_key else "body", wraps=True))
        line.addLayout(texts, 1)
        if one.memory_id is not None:
            show = Button("Show", f"episodes.moment.{one.memory_id}", kind="link", tip="Open it in Memories")
            show.setAccessibleName(f"Show the memory: {one.text[:80]}")
            show.setProperty("number", one.memory_id)
            show.clicked.connect(self._on_memory)
            line.addWidget(show, 0, Qt.AlignmentFlag.AlignTop)
        self.scrolled.add(row)

    def _add_made(self) -> None:
        made = self._detail.episode.artifacts if self._detail is not None else ()
        if not made:
            return
        self._add_heading("What was made")
        files = [one for one in made if one.kind is ArtifactKind.FILE]
        holder = QWidget()
        holder.setProperty("role", "content")
        ways = FlowLayout(holder)
        for one in [one for one in made if one.kind is not ArtifactKind.FILE] + files[:_FILES_SHOWN]:
            way = FitButton(artifact_words(one), f"episodes.artifact.{one.id}", kind="chip", tip=one.reference)
            way.setAccessibleName(f"Show what names {artifact_words(one)}")
            way.setProperty("reference", one.reference)
            way.clicked.connect(self._on_artifact)
            ways.addWidget(way)
        self.scrolled.add(holder)
        if len(files) > _FILES_SHOWN:
            self.scrolled.add(PlainLabel(f"and {len(files) - _FILES_SHOWN} more files", "meta"))

    def _add_learned(self, memories: Sequence[MemoryCard]) -> None:
        if not memories:
            return
        self._add_heading("What was learned")
        for card in memories[:_MEMORIES_SHOWN]:
            way = FitButton(
                card.text or card.title, f"episodes.learned.{card.id}", kind="link", tip="Open it in Memories"
            )
            way.setProperty("number", card.id)
            way.clicked.connect(self._on_memory)
            self.scrolled.column.addWidget(way, 0, Qt.AlignmentFlag.AlignLeft)
        if len(memories) > _MEMORIES_SHOWN:
            self.scrolled.add(PlainLabel(f"and {len(memories) - _MEMORIES_SHOWN} more", "meta"))

    def _add_heading(self, text: str) -> None:
        self.scrolled.add(Hairline())
        self.scrolled.add(PlainLabel(text, "heading"))

    def _on_conversation(self) -> None:
        self.conversation_wanted.emit(int(self.sender().property("number")))

    def _on_memory(self) -> None:
        self.memory_wanted.emit(int(self.sender().property("number")))

    def _on_artifact(self) -> None:
        self.artifact_wanted.emit(str(self.sender().property("reference")))
