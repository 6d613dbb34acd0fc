"""Dragging memories from the list: onto a tag, project, tier or saved search to set it, or out of the window as Markdown.

Each drop is one act with one undo; what a drop cannot set is said in a sentence. By keys the same is done with T and Shift+T.
Source: UX 4.4.
"""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QObject
from PySide6.QtWidgets import QWidget

from app.values import QueryPart, SavedSearch, Tier
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.screens.memories.commands import MemoryCommands
from ui.screens.memories.filter import choice_of
from ui.screens.memories.filter_pane import FilterPane
from ui.screens.memories.listing.drop import memories_mime, set_markdown
from ui.screens.memories.listing.model import MemoryModel
from ui.screens.memories.listing.view import MemoryView
from ui.widgets.popups.drag_label import start_drag
from ui.wording.values import counted

REFUSALS = {
    "type": "A type is not set by dragging: choose it in the details of the memory.",
    "kind": "A memory does not become an episode, a code pattern or a workflow by dragging.",
    "status": "A state is not set by dragging: A accepts, Del archives, U brings back.",
    "app": "Which assistant said it does not change.",
    "trust": "Where it comes from does not change.",
    "time": "When it was learned does not change.",
}
WRITTEN_MAX = 200  # as text for other programs; more is what "Export…" is for
Ids = tuple[int, ...]


class MemoryDragging(QObject):
    """`searches` tells which saved searches there are."""

    def __init__(
        self,
        context: PanelContext,
        commands: MemoryCommands,
        model: MemoryModel,
        view: MemoryView,
        pane: FilterPane,
        searches: Callable[[], Sequence[SavedSearch]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._model = model
        self._view = view
        self._searches = searches
        self._mime: QMimeData | None = None
        self._dropped: tuple[Ids, SavedSearch] | None = None
        view.drag_wanted.connect(self._on_drag)
        pane.dropped.connect(self._on_dropped)
        pane.saved.dropped.connect(self._on_dropped_on_search)

    # -- out of the list
    def carry(self) -> tuple[QMimeData, str] | None:
        """What hangs at the pointer now, and in which words; None where nothing can be dragged."""
        found = self._model.dragged_from(self._view.currentIndex().row())
        if not found:
            return None
        ids, cards = tuple(found), [card for card in found.values() if card is not None]
        self._mime = memories_mime(ids, "".join(f"- {card.text or card.title}\n" for card in cards[:WRITTEN_MAX]))
        self._context.bridge.ask(
            "memories.drag", lambda engine: engine.transfer.as_markdown(ids[:WRITTEN_MAX]), self._on_markdown
        )
        said = cards[0].title if len(ids) == 1 else counted(len(ids), "memory", "memories")
        return self._mime, said

    def _on_drag(self) -> None:
        carried = self.carry()
        if carried is not None:
            start_drag(self._view, *carried)
            self._mime = None  # it went with the drag

    def _on_markdown(self, markdown: str) -> None:
        """The whole texts with their sources, read while the drag is on its way."""
        if self._mime is not None:
            set_markdown(self._mime, markdown)

    # -- onto the filter pane
    def _on_dropped(self, facet: str, value: str, ids: Ids) -> None:
        match facet:
            case "tag":
                self._commands.tag(ids, add=(value,))
            case "project":
                self._commands.move(ids, project=value)
            case "tier":
                self._commands.place(ids, Tier(value))
            case _:
                self._refuse(REFUSALS[facet])

    def _on_dropped_on_search(self, search_id: int, ids: Ids) -> None:
        search = next((one for one in self._searches() if one.id == search_id), None)
        if search is not None:
            self._dropped = ids, search
            self._context.bridge.ask("memories.drop", lambda engine: engine.search.parts(search.text), self._on_parts)

    def _on_parts(self, parts: tuple[QueryPart, ...]) -> None:
        """What a saved search asks for is set, as far as tags and one project go."""
        if self._dropped is None:
            return
        (ids, search), self._dropped = self._dropped, None
        choices = dict.fromkeys((*search.choices, *filter(None, map(choice_of, parts))))
        tags = tuple(value for facet, value in choices if facet == "tag")
        projects = [value for facet, value in choices if facet == "project"]
        project = projects[0] if len(projects) == 1 else None
        if tags or project is not None:
            self._commands.file(ids, tags=tags, project=project)
        else:
            self._refuse(f"“{search.name}” asks for no tag and no single project: there is nothing to set.")

    def _refuse(self, said: str) -> None:
        self._context.notify(Notice(said, NoticeKind.WARN))
