"""Carries out the rows of the action table on the Memories screen: on the marked memories, else on the current one.

Owns the sheets of the screen (new, tags, erase, rules, link) and which memories an act is about.

Acts on several memories that need a look first: merging, filing under a project, writing to a file; and never telling.

Source: UX 3.2, 4.4; UX 4.4 "Bulk".
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.values import (
    FacetValue,
    FactType,
    Likeness,
    LinkType,
    Memory,
    MemoryCard,
    MemoryDetail,
    MemoryDraft,
    MemoryFilter,
    MemoryRule,
    MemoryStatus,
    RecallQuery,
)
from ui.bridge import Failure, JobDone
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.screens.memories.commands import MemoryCommands, abilities_for
from ui.screens.memories.inspector.pane import MemoryInspector
from ui.screens.memories.listing.pane import MemoryList
from ui.screens.memories.reading import MARK_LIMIT, read_is_said, read_rules
from ui.screens.memories.sheets.merge import SCOPE_WIDTH_PX, MergeSheet, ScopePopup
from ui.screens.memories.sheets.new import NewMemorySheet
from ui.screens.memories.sheets.small import (
    RULE_WIDTH_PX,
    TAG_WIDTH_PX,
    EraseSheet,
    LinkSheet,
    RulePopup,
    RulesSheet,
    TagPopup,
)
from ui.widgets.popups.export_dialog import open_memories_dialog
from ui.widgets.popups.overlay import Overlay
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine


MERGED_MAX = 20  # at once, as the engine takes them
Ids = tuple[int, ...]
Merging = tuple[tuple[MemoryDetail, ...], datetime]


class MemoryJointActs(QObject):
    """`place` tells beside what a small sheet opens. `done` carries the memory that is left of several."""

    done = Signal(int)

    def __init__(
        self, context: PanelContext, commands: MemoryCommands, place: Callable[[], QRect], panel: QWidget
    ) -> None:
        super().__init__(panel)
        self._context = context
        self._commands = commands
        self._place = place
        self._panel = panel
        self._merge_sheet: MergeSheet | None = None
        self._ids: Ids = ()
        self._keep_id = 0

    # -- merging
    def merge(self, ids: Ids, keep_id: int) -> None:
        """Reads them, then shows what would be made of them."""
        if len(ids) > MERGED_MAX:
            self._context.notify(Notice(f"At most {MERGED_MAX} memories can be merged at once.", NoticeKind.WARN))
            return
        self._keep_id = keep_id if keep_id in ids else ids[0]

        def read(engine: "Engine") -> Merging:
            return tuple(engine.memories.get(one) for one in ids), engine.clock.now()

        self._context.bridge.ask("memories.merge", read, self._on_merging)

    def _on_merging(self, merging: Merging) -> None:
        if self._merge_sheet is None:
            self._merge_sheet = MergeSheet(self._panel.window())
            self._merge_sheet.merged.connect(self._on_merged)
            self._merge_sheet.measure_wanted.connect(self._on_measure)
        self._merge_sheet.ask(merging[0], self._keep_id, merging[1])

    def _on_merged(self, ids: object, keep_id: int, text: str) -> None:
        assert isinstance(ids, tuple)
        self._commands.merge(ids, keep_id, text)
        self.done.emit(keep_id)

    def _on_measure(self, text: str) -> None:
        self._context.bridge.ask(
            "memories.mergeTokens",
            lambda engine: (text, engine.memories.measure(text).full.token_count if text.strip() else 0),
            self._on_measured,
        )

    def _on_measured(self, measured: tuple[str, int]) -> None:
        if self._merge_sheet is not None:
            self._merge_sheet.set_measured(*measured)

    # -- filing
    def file(self, ids: Ids) -> None:
        """Asks which project, among those that have memories."""
        self._ids = ids
        self._context.bridge.ask(
            "memories.projects", lambda engine: engine.memories.facets(MemoryFilter())["project"], self._on_projects
        )

    def _on_projects(self, projects: Sequence[FacetValue]) -> None:
        sheet = ScopePopup(self._panel.window(), len(self._ids), [one for one in projects if one.value])
        sheet.filed.connect(self._on_filed)
        sheet.shared.connect(self._on_shared)
        sheet.open_at(self._place(), SCOPE_WIDTH_PX)

    def _on_filed(self, project: str) -> None:
        self._commands.move(self._ids, project=project)

    def _on_shared(self, visibility: object) -> None:
        self._commands.share(self._ids, visibility)  # type: ignore[arg-type]  # what the popup's signal carries

    # -- writing out
    def export(self, ids: Ids) -> None:
        self._ids = ids
        open_memories_dialog(self._panel, len(ids)).fileSelected.connect(self._on_file_chosen)

    def _on_file_chosen(self, name: str) -> None:
        ids, path = self._ids, Path(name)

        def write(engine: "Engine") -> str:
            count = engine.transfer.export_some(ids, path, is_replacing=True)  # the dialog has asked
            return f"Wrote {counted(count, 'memory', 'memories')} to {path.name}"

        self._context.bridge.ask("memories.export", write, self._on_written)

    def _on_written(self, said: str) -> None:
        self._context.notify(Notice(said, NoticeKind.GOOD))


Guess = tuple[str, MemoryDraft, int, tuple[tuple[MemoryCard, Likeness], ...]]
BULK = frozenset(
    f"memory.{verb}" for verb in ("accept", "reject", "pin", "tag", "archive", "erase", "withhold", "scope", "export")
)
ANSWERS = frozenset({"memory.accept", "memory.reject"})  # to those that wait
LINK_LIMIT = 8
S = TypeVar("S", bound=Overlay)


class MemoryActs(QObject):
    """`open_memory` shows a memory that an act led to; `erased` comes when also the index has forgotten."""

    erased = Signal()

    def __init__(
        self,
        context: PanelContext,
        commands: MemoryCommands,
        parts: tuple[MemoryList, MemoryInspector],
        open_memory: Callable[[int], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._list, self._inspector = parts
        self._open_memory = open_memory
        self._panel = parent
        self._sheets: dict[type[Overlay], Overlay] = {}
        self._created_text = ""  # of the memory that was written down last
        self._joint = MemoryJointActs(context, commands, self._beside_cursor, parent)
        self._joint.done.connect(self._on_joined)
        context.bridge.finished.connect(self._on_finished)
        context.bridge.failed.connect(self._on_failed)

    # -- what an act is about
    def card(self) -> MemoryCard | Memory | None:
        """The memory under the cursor, or the one that is shown although the list does not hold it; None also for a part
        of a conversation."""
        card = self._list.view.current_card()
        if card is None:
            return self._shown()
        return card if card.id > 0 else None

    def _shown(self) -> Memory | None:
        """What the inspector shows, as long as it is what the keys act on: an answer may still be on its way."""
        memory = self._inspector.memory
        return memory if memory is not None and memory.id == self._list.view.current_id else None

    def ids(self) -> tuple[int, ...]:
        """The marked ones, else the one under the cursor."""
        current = self._list.view.current_id
        return self._list.model.marked_ids or ((current,) if current > 0 else ())

    def _cards(self) -> tuple[MemoryCard | Memory, ...]:
        """The marked ones, else the current one."""
        card = self.card()
        return self._list.model.marked_cards() or (() if card is None else (card,))

    def acceptable_ids(self) -> tuple[int, ...]:
        """Of the marked ones those that wait, else the one under the cursor."""
        model = self._list.model
        return model.marked_waiting_ids() if model.marked_ids else self.ids()

    def abilities(self) -> frozenset[str]:
        """Ids of the actions that fit now."""
        able = set(abilities_for(self.card()))
        if "memory.reject" in able:
            able.add("memory.archive")
        if not self._context.bridge.is_open:
            return frozenset()
        if self._list.model.marked_ids:
            waiting = self._list.model.marked_waiting_ids()
            able = (able - ANSWERS) | (BULK if waiting else BULK - ANSWERS)
            able |= {"memory.merge"} if len(self._list.model.marked_ids) > 1 else frozenset()
        if able:
            able |= {"memory.open", "memory.link"}
        if self._list.view.current_id < 0:
            able.add("memory.open")
        if self._list.model.rowCount():
            able |= {"memory.next", "memory.previous", "memory.markAll"}
        if self._list.view.current_card() is None:
            able -= {"memory.mark"}
        memory = self._shown()
        if memory is None or not self._inspector.has_source:
            able -= {"memory.source"}
        if memory is not None and self._inspector.has_own_words:
            able.add("memory.useWords")
        return frozenset(able)

    def run(self, action_id: str) -> None:
        """Carries out one act that is not about the layout of the screen."""
        verb = action_id.removeprefix("memory.")
        on_ids: dict[str, Callable[[], None]] = {
            "pin": self._pin,
            "tag": self._tag,
            "merge": self._merge,
            "withhold": lambda: self._commands.withhold(self.ids()),
            "scope": lambda: self._joint.file(self.ids()),
            "export": lambda: self._joint.export(self.ids()),
            "archive": self._archive,
            "unarchive": lambda: self._commands.unarchive(self.ids()),
            "erase": self._erase,
            "accept": self._accept,
            "reject": self._reject,
            "always": lambda: self._rule(is_always=True),
            "never": lambda: self._rule(is_always=False),
            "copy": self._copy,
            "link": self.ask_link,
            "rules": self.show_rules,
        }
        if verb in on_ids:
            on_ids[verb]()

    # -- acts
    def _accept(self) -> None:
        """What is held back is not accepted in passing: the review shows it whole, with the words it came from."""
        ids = self.acceptable_ids()
        held = [card for card in self._cards() if card.id in ids and card.status is MemoryStatus.QUARANTINED]
        if held and len(ids) == 1:
            self._list.model.set_marks(())
            if self._shown() is None or held[0].id != self._list.view.current_id:
                self._open_memory(held[0].id)
            self._inspector.show_waiting()
            return
        self._commands.accept(ids)
        self._list.model.set_marks(())

    def _pin(self) -> None:
        cards = self._cards()
        if self.ids():
            self._commands.pin(self.ids(), is_pinned=not all(card.is_pinned for card in cards))

    def _archive(self) -> None:
        card = self.card()
        if not self._list.model.marked_ids and card is not None and card.status is not MemoryStatus.ACTIVE:
            self._commands.reject(self.ids())
        elif self.ids():
            self._commands.archive(self.ids())
            self._list.model.set_marks(())

    def _reject(self) -> None:
        self._commands.reject(self.acceptable_ids())
        self._list.model.set_marks(())

    def _merge(self) -> None:
        if len(self._list.model.marked_ids) > 1:
            self._joint.merge(self._list.model.marked_ids, self._list.view.current_id)

    def _on_joined(self, memory_id: int) -> None:
        self._list.model.set_marks(())
        self._open_memory(memory_id)

    def _tag(self) -> None:
        ids = self.ids()
        if not ids:
            return
        sheet = TagPopup(self._panel.window(), len(ids))
        sheet.chosen.connect(self._on_tags)
        sheet.open_at(self._beside_cursor(), TAG_WIDTH_PX)

    def _on_tags(self, add: object, remove: object) -> None:
        assert isinstance(add, tuple)
        assert isinstance(remove, tuple)
        self._commands.tag(self.ids(), add=add, remove=remove)

    def _erase(self) -> None:
        sheet = self._sheet(EraseSheet)
        cards = self._cards()
        ids = self.ids()
        if ids:
            sheet.ask(ids, cards)
            self._context.bridge.ask("memories.erase", lambda engine: read_is_said(engine, ids), sheet.offer_messages)

    def _on_erase(self, ids: object, has_messages: bool, includes_backups: bool) -> None:
        assert isinstance(ids, tuple)
        self._commands.erase(ids, has_messages=has_messages, includes_backups=includes_backups)
        self._list.model.set_marks(())

    def _on_finished(self, done: JobDone) -> None:
        if done.job_id == "memory.erase":
            self._commands.show_erased(done.value)  # type: ignore[arg-type]  # what `erase` returns
            self.erased.emit()  # what was read right after the commit may still know words of it

    def _copy(self) -> None:
        memory = self._shown()
        if memory is not None:
            QGuiApplication.clipboard().setText(memory.levels.full.text)
            self._context.notify(Notice("Copied the memory's text", NoticeKind.GOOD))

    def mark(self, ids: tuple[int, ...]) -> None:
        """Marks these as well; says so when there were more than can be marked at once."""
        self._list.model.set_marks((*self._list.model.marked_ids, *ids))
        if len(ids) >= MARK_LIMIT and self._list.model.rowCount() > MARK_LIMIT:
            self._context.notify(Notice(f"Selected the first {MARK_LIMIT:,} of {self._list.model.rowCount():,}"))

    # -- rules
    def _rule(self, *, is_always: bool) -> None:
        memory = self._shown()
        if memory is None:
            return
        sheet = RulePopup(self._panel.window(), memory, is_always=is_always)
        sheet.chosen.connect(self._on_always if is_always else self._on_never)
        sheet.open_at(self._beside_cursor(), RULE_WIDTH_PX)

    def _on_always(self, fact_type: FactType | None, attribute: str, phrase: str) -> None:
        self._commands.always(self.ids(), fact_type, attribute, phrase)

    def _on_never(self, fact_type: FactType | None, attribute: str, phrase: str) -> None:
        self._commands.never(self.ids(), fact_type, attribute, phrase)

    def show_rules(self) -> None:
        sheet = self._sheet(RulesSheet)
        sheet.set_rules(())
        sheet.open()
        self._read_rules()

    def _read_rules(self) -> None:
        self._context.bridge.ask("memories.rules", read_rules, self._on_rules)

    def _on_rules(self, rules: tuple[MemoryRule, ...]) -> None:
        self._sheet(RulesSheet).set_rules(rules)

    def reread(self) -> None:
        """Something changed: an open list of rules is read again."""
        sheet = self._sheets.get(RulesSheet)
        if isinstance(sheet, RulesSheet) and sheet.is_open:
            self._read_rules()

    # -- new and link
    def open_new(self, text: str = "") -> None:
        """The sheet to write a memory down; it belongs to the project that one looks at, unless another is chosen."""
        sheet = self._sheet(NewMemorySheet)
        sheet.open_with(text or self._context.unsaved.new_memory, self._context.selection.scope.project)
        self._context.bridge.ask("memories.newProjects", lambda engine: engine.context.projects(), sheet.set_projects)

    def _on_new_typed(self) -> None:
        """Keeps what was typed over Esc, another screen or quitting: it is there when the sheet opens again."""
        self._context.unsaved.keep_new_memory(self._sheet(NewMemorySheet).typed)

    def _on_created(self, draft: MemoryDraft) -> None:
        self._context.unsaved.keep_new_memory("")
        self._created_text = draft.text
        self._commands.create(draft)

    def _on_failed(self, failure: Failure) -> None:
        if failure.action_id == "memory.new" and self._created_text:
            self._context.unsaved.keep_new_memory(self._created_text)

    def _on_guess(self, text: str) -> None:
        def read(engine: "Engine") -> Guess:
            memories = engine.memories
            return text, memories.guess(text), memories.measure(text).full.token_count, memories.alike(text)

        self._context.bridge.ask("memories.guess", read, self._on_guessed)

    def _on_guessed(self, guess: Guess) -> None:
        text, draft, token_count, alike = guess
        sheet = self._sheet(NewMemorySheet)
        sheet.set_guess(text, draft, token_count)
        sheet.set_alike(text, alike)

    def ask_link(self) -> None:
        if self._shown() is not None:
            self._sheet(LinkSheet).ask()

    def _on_link_search(self, text: str) -> None:
        if len(text.strip()) < 2:
            return
        asked = RecallQuery(text.strip(), limit=LINK_LIMIT + 1, is_counted=False)
        self._context.bridge.ask(
            "memories.link", lambda engine: tuple(hit.card for hit in engine.search.search(asked).hits), self._on_found
        )

    def _on_found(self, cards: tuple[MemoryCard, ...]) -> None:
        memory = self._shown()
        others = [card for card in cards if memory is None or card.id != memory.id]
        self._sheet(LinkSheet).set_found(others)

    def _on_linked(self, other_id: int, link_type: str) -> None:
        memory = self._inspector.memory
        if memory is not None:
            self._commands.link(memory.id, other_id, LinkType(link_type))

    # -- sheets
    def _sheet(self, make: type[S]) -> S:
        """The sheet of that class, built on first use: over the window, not over the panel."""
        made = self._sheets.get(make)
        if made is None:
            made = self._sheets[make] = make(self._panel.window())  # type: ignore[call-arg]  # ours say their name
            self._wire(made)
        assert isinstance(made, make)
        return made

    def _wire(self, made: Overlay) -> None:
        match made:
            case NewMemorySheet():
                made.guess_wanted.connect(self._on_guess)
                made.created.connect(self._on_created)
                made.text.textChanged.connect(self._on_new_typed)
                made.memory_wanted.connect(self._open_memory)
            case EraseSheet():
                made.confirmed.connect(self._on_erase)
            case RulesSheet():
                made.removed.connect(self._commands.remove_rule)
            case LinkSheet():
                made.searched.connect(self._on_link_search)
                made.chosen.connect(self._on_linked)

    def _beside_cursor(self) -> QRect:
        view = self._list.view
        rect = view.visualRect(view.currentIndex())
        return QRect(view.viewport().mapToGlobal(rect.topLeft() + QPoint(40, 0)), QSize(rect.width() - 40, 24))
