"""Learned: workflows, code patterns and rules in one list, the selected one beside it: edited in place, off, put away, each undoable.

Reads again when something concerned it; the cursor stays by what it is on. Source: issue 17 "Rules", issue 18 "Workflows".
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QButtonGroup, QFrame, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.values import DataKind, MemoryKind
from app.values.practices import Practice
from app.values.rules import LearnedRule, RuleKind
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.learned.detail import Draft, LearnedDetail, can_edit
from ui.screens.learned.view import LearnedModel, LearnedView
from ui.screens.learned.wording import Entry, practice_entry, rule_entry
from ui.widgets.buttons import ActionButton, Button, ChipButton
from ui.widgets.card import row
from ui.widgets.empty_state import EmptyState
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.skeleton import Skeleton
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

EMPTY_TEXTS = (
    "Nothing learned yet",
    "What your assistants do again and again, and how you phrase things, appears here after conversations end, with each consolidation.",
)
_CHIPS: tuple[tuple[str, str, frozenset[str]], ...] = (
    ("all", "Everything", frozenset()),
    ("workflows", "Workflows", frozenset({"workflow"})),
    ("patterns", "Code patterns", frozenset({"pattern"})),
    ("phrases", "Phrases", frozenset({RuleKind.PHRASE.value})),
    ("pointing", "Pointing words", frozenset({RuleKind.PRONOUN.value, RuleKind.DEMONSTRATIVE.value})),
    ("beginnings", "Beginnings", frozenset({RuleKind.MARKER.value, RuleKind.SIGN.value})),
    ("files", "Files", frozenset({RuleKind.FILES.value})),
    ("commands", "Commands and fixes", frozenset({RuleKind.SEQUENCE.value, RuleKind.FIX.value})),
)


@dataclass(frozen=True, slots=True)
class Learned:
    """All that was learned, in the order in which it is shown."""

    entries: tuple[Entry, ...]


def read_learned(engine: "Engine") -> Learned:
    """For the read worker."""
    practices = [*engine.rules.practices(MemoryKind.WORKFLOW), *engine.rules.practices(MemoryKind.PATTERN)]
    return Learned((*map(practice_entry, practices), *map(rule_entry, engine.rules.learned())))


class LearnedPanel(Panel):
    screen_id: ClassVar[str] = "learned"
    title: ClassVar[str] = "Learned"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    search_hint: ClassVar[str] = "deploy, a file, a word…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.RULES, DataKind.MEMORIES})

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._text, self._chip = "", 0
        self._learned = Learned(())
        self._wanted: tuple[bool, int] | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self.pages)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        left = QFrame(self.splitter)
        left.setProperty("role", "card")
        column = QVBoxLayout(left)
        column.setContentsMargins(10, 10, 6, 8)
        column.setSpacing(8)
        holder = QWidget()
        holder.setProperty("role", "content")
        chips = FlowLayout(holder)
        self._chips = QButtonGroup(self)
        for place, (name, text, _) in enumerate(_CHIPS):
            chip = ChipButton(text, f"learned.chip.{name}", is_on=place == 0)
            self._chips.addButton(chip, place)
            chips.addWidget(chip)
        self.model = LearnedModel(self)
        self.list = LearnedView(self.model)
        self.none = PlainLabel("", "sub", wraps=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.lists = QStackedWidget()
        self.lists.addWidget(self.list)
        self.lists.addWidget(self.none)
        column.addWidget(holder)
        column.addWidget(self.lists, 1)
        self.detail = LearnedDetail(self.splitter)
        self._add_acts()
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.detail)
        self.splitter.setStretchFactor(0, 5)
        self.splitter.setStretchFactor(1, 4)
        self.splitter.setSizes([560, 450])
        run = Button("What the next run would learn", "learned.consolidation", kind="primary", icon_name="merge")
        run.clicked.connect(self._on_consolidation)
        self.empty = EmptyState("workflow", *EMPTY_TEXTS, (run,))
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.splitter)
        self.pages.addWidget(self.empty)

    def _add_acts(self) -> None:
        named = (
            ("learned.edit", "rename", "Edit"),
            ("learned.switch_off", "pause", "Switch off"),
            ("learned.switch_on", "play", "Switch on"),
            ("learned.purge", "trash", "Put away"),
            ("learned.memory", "memories", "In Memories"),
        )
        buttons = [
            ActionButton(self.context.actions.action(name), icon, text=text, only_able=True, parent=self.detail)
            for name, icon, text in named
        ]
        self.detail.acts.addLayout(row(*buttons, 1))

    def _connect(self) -> None:
        self._chips.idClicked.connect(self._on_chip)
        self.list.entry_chosen.connect(self._on_chosen)
        self.list.edit_wanted.connect(self.detail.edit)
        self.detail.saved.connect(self._on_saved)
        self.detail.editing_changed.connect(self.abilities_changed)
        self.context.selection.scope_changed.connect(self.mark_dirty)
        if self.header.search is not None:
            self.header.search.left_down.connect(self.take_focus)
            self.header.search.returnPressed.connect(self.take_focus)

    # -- reading
    def refresh(self) -> None:
        self.context.bridge.ask("learned", read_learned, self._on_learned)

    def search(self, text: str) -> None:
        self._text = text.strip().lower()
        self._show()

    def _on_learned(self, learned: Learned) -> None:
        self._learned = learned
        self._show()

    def _show(self) -> None:
        """The rows that are wanted; the cursor stays on what it was on, else goes to the next."""
        before = self.list.current
        wanted = self._wanted if self._wanted is not None else before.key if before is not None else None
        row_before = max(0, self.list.currentIndex().row())
        shown = [one for one in self._learned.entries if self._fits(one)]
        self.model.set_entries(shown)
        self.pages.setCurrentWidget(self.splitter if self._learned.entries else self.empty)
        self.none.setText(f"Nothing learned fits “{self._text}”." if self._text else "Nothing of this kind yet.")
        self.lists.setCurrentWidget(self.list if shown else self.none)
        self.set_status(counted(len(shown), "thing") + " learned" if shown else "")
        place = self.model.row_of(wanted)
        if place >= 0:
            self._wanted = None
        elif shown:
            place = min(row_before, len(shown) - 1)
        if place >= 0:
            self.list.choose_row(place)
        self.detail.show_entry(self.list.current)
        self.abilities_changed.emit()

    def _fits(self, one: Entry) -> bool:
        kinds, project = _CHIPS[self._chip][2], self.context.selection.scope.project_or_none
        is_here = project is None or not one.project or one.project == project
        return (not kinds or one.kind in kinds) and is_here and all(word in one.searched for word in self._text.split())

    def _on_chosen(self) -> None:
        entry = self.list.current
        self.detail.show_entry(entry)
        if entry is not None:
            kind = "practice" if isinstance(entry.value, Practice) else "rule"
            self.place_changed.emit(Place("learned", kind, entry.id, self._text))
        self.abilities_changed.emit()

    # -- places and acts
    def visit(self, place: Place) -> None:
        super().visit(place)
        if place.object_id is not None and place.kind in {"rule", "practice"}:
            self._wanted = (place.kind == "practice", place.object_id)
            self._show()
        focus = QApplication.focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            self.take_focus()

    def take_focus(self) -> None:
        """The keyboard goes into the list."""
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def abilities(self) -> frozenset[str]:
        entry = self.detail.entry
        able = {"learned.next", "learned.previous"} if self.model.rowCount() else set[str]()
        if entry is None or self.detail.is_editing:
            return frozenset(able)
        able |= {"learned.purge", "learned.switch_off" if entry.is_on else "learned.switch_on"}
        able |= {"learned.edit"} if can_edit(entry) else set()
        able |= {"learned.memory"} if isinstance(entry.value, Practice) else set()
        return frozenset(able)

    def run(self, action_id: str) -> None:
        entry = self.detail.entry
        match action_id:
            case "learned.next":
                self.list.step(1)
            case "learned.previous":
                self.list.step(-1)
            case "learned.edit":
                self.detail.edit()
            case "learned.switch_off" | "learned.switch_on" if entry is not None:
                self._switch(action_id, entry, is_on=action_id == "learned.switch_on")
            case "learned.purge" if entry is not None:
                self._purge(action_id, entry)
            case "learned.memory" if entry is not None:
                self.context.navigate(Place("memories", "memory", entry.id))

    def _switch(self, action_id: str, entry: Entry, *, is_on: bool) -> None:
        number = entry.id
        if isinstance(entry.value, Practice):
            self.context.bridge.do(action_id, lambda engine: engine.rules.switch_practices([number], is_on=is_on))
        else:
            self.context.bridge.do(action_id, lambda engine: engine.rules.switch([number], is_on=is_on))

    def _purge(self, action_id: str, entry: Entry) -> None:
        number = entry.id
        if isinstance(entry.value, Practice):
            self.context.bridge.do(action_id, lambda engine: engine.rules.purge_practices([number]))
        else:
            self.context.bridge.do(action_id, lambda engine: engine.rules.purge([number]))

    def _on_saved(self, draft: Draft) -> None:
        entry = self.detail.entry
        if entry is None:
            return
        number = entry.id
        if isinstance(entry.value, Practice):
            self.context.bridge.do(
                "learned.edit",
                lambda engine: engine.rules.edit_practice(
                    number, title=draft.title, trigger=draft.trigger or None, parts=draft.parts
                ),
            )
        elif isinstance(entry.value, LearnedRule):
            self.context.bridge.do(
                "learned.edit",
                lambda engine: engine.rules.edit(
                    number, pattern=draft.title, intents=draft.intents, lookback=draft.lookback
                ),
            )
        self.take_focus()

    def _on_chip(self, place: int) -> None:
        self._chip = place
        self._show()

    def _on_consolidation(self) -> None:
        self.context.navigate(Place("consolidation"))
