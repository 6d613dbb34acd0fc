"""Why a memory is as it is, under its name: what the person typed and where, the reasons that its links give, what it replaced.

Answers "why do we use X" where the thing is shown. Source: UX 4.5, issue 18 "a stranger finds why do we use X by the graph".
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.errors import NotFoundError
from app.values import ArtifactKind, Memory, MemoryDetail, MemorySource, MemoryStatus, Trust
from app.values.graph import GraphLink, GraphNode, GraphView, NodeId, NodeKind, Relation
from ui.screens.graph.look import name_of
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.provenance import origin_without_message
from ui.wording.values import app_title, counted, curled, day, moment

if TYPE_CHECKING:
    from app.api import Engine

QUOTE_CHARS = 240
MOST_REASONS = 3
_WORKED_OUT = "it replaced the other"  # what the graph says of a replacement of which no reason is kept
_NO_MORE = {
    MemoryStatus.PROPOSED: "It waits for your yes or no.", MemoryStatus.QUARANTINED: "Blocked: it looks like an instruction.",
    MemoryStatus.ARCHIVED: "It is archived.",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Story:
    """A memory whole, and its neighbours in the graph."""

    detail: MemoryDetail
    view: GraphView
    now: datetime
    typed: str = ""  # the message of the first quote, as long as it is kept

    @property
    def node(self) -> NodeId:
        return NodeId(NodeKind.MEMORY, self.detail.memory.id)


def read_story(engine: "Engine", node: NodeId) -> Story | None:
    """None when the memory is no more."""
    with suppress(NotFoundError):
        detail, view = engine.memories.get(node.number), engine.graph.around(node, depth=1)
        return Story(detail, view, engine.clock.now(), _message_of(engine, quoted(detail)))
    return None


def quoted(detail: MemoryDetail) -> MemorySource | None:
    """Where it was said: the first source with words, else the first."""
    return next((one for one in detail.sources if one.quote.strip()), next(iter(detail.sources), None))


def _message_of(engine: "Engine", source: MemorySource | None) -> str:
    """The whole message: the reason often stands beside what was quoted."""
    if source is None or source.message_id is None or not source.is_message_kept:
        return ""
    with suppress(NotFoundError):
        (message,) = engine.messages.around(source.message_id, count=0)
        return message.text
    return ""


def around_quote(quote: str, text: str) -> str:
    """What of a message is shown: all of it where it is short, else what stands around the quote.

    >>> around_quote("use Ruff", "We use Ruff, because Flake8 is slow"), around_quote("gone words", "")
    ('We use Ruff, because Flake8 is slow', 'gone words')
    >>> around_quote("We use Ruff" + 300 * "!", "")[:20]
    'We use Ruff!!!!!!!!!'
    """
    quote, text = " ".join(quote.split()), " ".join(text.split())
    at = text.find(quote)
    if at < 0:
        text, at = quote, 0
    before = max(0, QUOTE_CHARS - len(quote)) // 2  # a long quote is shown from its own beginning
    start = max(0, min(at - before, len(text) - QUOTE_CHARS))
    cut = text[start : start + QUOTE_CHARS].strip()
    return f"{'…' if start else ''}{cut}{'…' if start + QUOTE_CHARS < len(text) else ''}"


def reasons_of(story: Story) -> Iterator[str]:
    """What led to it, what it needs, what it replaced or was replaced by, each as a sentence."""
    node = story.node
    nodes = {one.id: one for one in story.view.nodes}
    for link in story.view.links:
        if node in (link.a, link.b):
            other = nodes.get(link.b if link.a == node else link.a)
            said = _sentence(link, node, other, story.now) if other is not None else ""
            if said:
                yield said


def _sentence(link: GraphLink, node: NodeId, other: GraphNode, now: datetime) -> str:
    is_first, name = link.a == node, f"“{name_of(other)}”"
    why = f": {link.reason.rstrip('.')}" if link.reason and link.reason != _WORKED_OUT else ""
    match link.relation:
        case Relation.SUPERSEDES if is_first:
            until = f", which held until {day(other.until_at, now)}" if other.until_at is not None else ""
            return f"It replaced {name}{until}{why}."
        case Relation.SUPERSEDES:
            return f"Replaced by {name}{why}."
        case Relation.CONTRADICTS if link.is_open:
            return f"It contradicts {name}, and nobody has decided yet."
        case Relation.CAUSED_BY if is_first:
            return f"Because of {name}{why}."
        case Relation.CAUSES if not is_first:
            return f"Because of {name}{why}."
        case Relation.DEPENDS_ON if is_first:
            return f"It needs {name}{why}."
    return ""


def _why_remembered(memory: Memory) -> str:
    """A rule's reason is one; a reader's says who worded it."""
    why = curled(memory.reason)
    return f"remembered because: {why}" if why and memory.worded_by == "rules" else why


class StoryPart(QWidget):
    """Empty until `show_story`. `message_wanted` carries the number of the message that it was learned from."""

    message_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Why, and where it comes from")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 2, 0, 0)
        self._column.setSpacing(4)
        self.hide()

    def texts(self) -> tuple[str, ...]:
        """What is said, from top to bottom."""
        return tuple(label.text() for label in self.findChildren(PlainLabel))

    def clear(self) -> None:
        clear_layout(self._column)
        self.hide()

    def show_story(self, story: Story) -> None:
        self.clear()
        memory = story.detail.memory
        for said in list(reasons_of(story))[:MOST_REASONS]:
            self._column.addWidget(PlainLabel(said, "body", wraps=True))
        if memory.status in _NO_MORE:
            self._column.addWidget(PlainLabel(_NO_MORE[memory.status], "warn", wraps=True))
        source = quoted(story.detail)
        if source is None:
            self._column.addWidget(PlainLabel(origin_without_message(memory), "meta", wraps=True))
        else:
            self._show_source(source, story)
        kept = ", ".join(one.reference for one in story.detail.artifacts if one.kind is not ArtifactKind.FILE)
        if kept:
            self._column.addWidget(PlainLabel(f"Written down in {kept}", "meta", wraps=True))
        self.show()

    def _show_source(self, source: MemorySource, story: Story) -> None:
        memory = story.detail.memory
        shown = around_quote(source.quote, story.typed) if source.quote.strip() else ""
        if shown:
            typed = "You typed" if memory.trust >= Trust.SPOKEN else "It was said"
            self._column.addWidget(PlainLabel(f"{typed}: “{shown}”", "sub", wraps=True))
        more = len([one for one in story.detail.sources if one.quote.strip()]) - 1
        words = (
            app_title(source.app),
            moment(source.at, story.now),
            f"and {counted(more, 'more time')}" if more > 0 else "",
            _why_remembered(memory) if shown else "",
        )
        line = QHBoxLayout()
        line.addWidget(PlainLabel(" · ".join(filter(None, words)), "meta", wraps=True), 1)
        if source.is_message_kept and source.message_id is not None:
            line.addWidget(self._message_button(source.message_id, source.conversation_title))
        self._column.addLayout(line)

    def _message_button(self, message_id: int, conversation: str) -> Button:
        button = Button("Message", "graph.story.message", kind="link", tip="Show the message in its conversation")
        button.setAccessibleName(f"Show the message in {conversation[:60]}")
        button.setProperty("message", message_id)
        button.clicked.connect(self._on_message)
        return button

    def _on_message(self) -> None:
        self.message_wanted.emit(int(self.sender().property("message")))
