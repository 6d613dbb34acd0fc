"""Context: what an assistant reads, to the byte, what it costs, and what was left out and why.

Shows either what would be given now, computed again while one types, or one moment of the past, frozen. The tier
bar, the lines and the text point at each other.

How a person has the memory under the cursor told: level, tier, always, not at all; and the menus that offer it.

Source: UX 4.6, S4; UX 4.6, STYLE rule 3.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QStackedWidget, QWidget

from app.values import ContextSignals, DataKind, Level, Placement, Receipt, Tier
from ui.navigation import Place
from ui.screens.base import Ages, Panel, PanelContext
from ui.screens.context.bar import TierBar
from ui.screens.context.detail import MemoryNow, act_words, pin_word
from ui.screens.context.list_view import ContextList
from ui.screens.context.page import ContextPage, ReceiptModel
from ui.screens.context.reading import (
    CONCERNS,
    Ground,
    Shown,
    find_before,
    read_ground,
    read_live,
    read_receipt,
    read_window,
    request_of,
    status_line,
)
from ui.screens.context.rows import ContextRow, ContextRows
from ui.screens.context.tiers import move_border, own_shares, shares_text
from ui.screens.memories.commands import MemoryCommands
from ui.selection import ScopeFilter
from ui.widgets.buttons import Button
from ui.widgets.empty_state import EmptyState, Skeleton
from ui.widgets.menus import add_heading
from ui.widgets.tab_order import follow_reading_order
from ui.wording.contexts import asked_words, asking_words
from ui.wording.values import connect_words, empty_texts

if TYPE_CHECKING:
    from app.api import Engine


LEVELS: Mapping[str, Level | None] = {
    "context.levelAutomatic": None,
    "context.levelFull": Level.FULL,
    "context.levelSummary": Level.SUMMARY,
    "context.levelCompressed": Level.COMPRESSED,
    "context.levelIndex": Level.INDEX,
}
TIERS: Mapping[str, Tier | None] = {
    "context.tierAutomatic": None,
    "context.tierCritical": Tier.CRITICAL,
    "context.tierRelevant": Tier.RELEVANT,
    "context.tierBackground": Tier.BACKGROUND,
    "context.tierIndex": Tier.INDEX,
}
ACTIONS = frozenset(
    {*LEVELS, *TIERS, "context.pin", "context.exclude", "context.forget", "context.open", "context.graph"}
)  # what needs a memory

TWO_WAYS = ("context.pin", "context.exclude")  # done and undone by the same key


def _read_memory(engine: "Engine", memory_id: int) -> MemoryNow:
    memory = engine.memories.get(memory_id).memory
    return MemoryNow(memory_id, memory.levels, memory.is_pinned)


class ContextPlacing:
    """Bound to a panel's context. Actions are enabled and run by the panel; what they do is here."""

    def __init__(self, context: PanelContext) -> None:
        self._context = context
        self._commands = MemoryCommands(context)
        for name in (*LEVELS, *TIERS):
            context.actions.action(name).setCheckable(True)

    @staticmethod
    def abilities(row: ContextRow | None) -> frozenset[str]:
        """What can be done to a line."""
        if row is None or not (row.memory_id or row.dismissable):
            return frozenset()
        return ACTIONS if row.memory_id else frozenset({"context.exclude"})

    def run(self, action_id: str, row: ContextRow | None, project_path: str) -> None:
        """Carries out one of `ACTIONS` but open on a line of a context of this project."""
        if row is not None:
            self._run(action_id, row, project_path)
        self.tick(row)  # a tick follows what is kept, not what was pressed

    def _run(self, action_id: str, row: ContextRow, project_path: str) -> None:
        memory_id = row.memory_id
        if action_id in LEVELS:
            level = LEVELS[action_id]
            self._context.bridge.do("context.level", lambda engine: engine.context.place_at_level((memory_id,), level))
        elif action_id in TIERS:
            self.move(memory_id, TIERS[action_id])
        elif action_id == "context.pin":
            self._pin(memory_id)
        elif action_id == "context.forget":
            self._commands.archive((memory_id,))
        elif memory_id:
            self._withhold(memory_id, is_withheld=not (row.placement is not None and row.placement.is_withheld))
        else:
            self._dismiss(row.dismissable, project_path)

    def move(self, memory_id: int, tier: Tier | None) -> None:
        """From now on the memory is in this tier."""
        self._context.bridge.do("context.tier", lambda engine: engine.context.place_in_tier((memory_id,), tier))

    def _pin(self, memory_id: int) -> None:
        """The other state than it has now: a moment of the past may show another one."""

        def turn(engine: "Engine") -> None:
            engine.memories.pin((memory_id,), not engine.memories.get(memory_id).memory.is_pinned)

        self._context.bridge.do("memory.pin", turn)

    def _withhold(self, memory_id: int, *, is_withheld: bool) -> None:
        """Never given, or told again; it is found as before."""
        self._context.bridge.do(
            "context.exclude", lambda engine: engine.context.withhold((memory_id,), is_withheld=is_withheld)
        )

    def _dismiss(self, line: str, project_path: str) -> None:
        """The line is given no more until its command runs again."""
        self._context.bridge.do(
            "context.exclude", lambda engine: engine.context.dismiss(line, project_path=project_path)
        )

    def follow(self, *sources: TierBar | ContextList) -> None:
        """What is let go over a tier of these is moved there."""
        for source in sources:
            source.memory_moved.connect(self.move)

    def tick(self, row: ContextRow | None) -> None:
        """Marks in the menus what is chosen of this line's memory, and says there what an act would do to it."""
        memory_id = row.memory_id if row is not None else 0
        placement = (row.placement if row is not None else None) or Placement(memory_id)
        for name, level in LEVELS.items():
            self._context.actions.action(name).setChecked(bool(memory_id) and level is placement.level)
        for name, tier in TIERS.items():
            self._context.actions.action(name).setChecked(bool(memory_id) and tier is placement.tier)
        for name in TWO_WAYS:
            action = self._context.actions.action(name)
            action.setText(act_words(row)[name] if row is not None else self._context.actions.spec(name).text)

    def ask_memory(self, row: ContextRow | None, then: Callable[[MemoryNow], None]) -> None:
        """Asks how long each level of this line's memory is, and if it is pinned: what a choice does is seen before it is made."""
        memory_id = row.memory_id if row is not None else 0

        def answer(now: MemoryNow) -> None:
            self._context.actions.action("context.pin").setText(pin_word(is_pinned=now.is_pinned))
            then(now)

        if memory_id:
            self._context.bridge.ask("context.memory", lambda engine: _read_memory(engine, memory_id), answer)

    # -- menus
    def row_menu(self, parent: QWidget) -> QMenu:
        """Everything that can be done to the chosen line."""
        menu = self._new_menu(parent)
        for name in ("context.open", "context.pin", "context.exclude", "context.forget", "context.graph"):
            menu.addAction(self._context.actions.action(name))
        menu.addSeparator()
        self._fill(menu.addMenu("Size"), LEVELS)
        self._fill(menu.addMenu("Move to tier"), TIERS)
        menu.addSeparator()
        menu.addAction(self._context.actions.action("context.copy"))
        return menu

    def level_menu(self, parent: QWidget) -> QMenu:
        """The levels, as the switch of a line opens them."""
        menu = self._new_menu(parent)
        self._fill(menu, LEVELS)
        return menu

    def place_menu(self, parent: QWidget) -> QMenu:
        """Sizes, then tiers."""
        menu = self._new_menu(parent)
        add_heading(menu, "Size")
        self._fill(menu, LEVELS)
        menu.addSeparator()
        add_heading(menu, "Tier")
        self._fill(menu, TIERS)
        return menu

    def _new_menu(self, parent: QWidget) -> QMenu:
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _fill(self, menu: QMenu, names: Mapping[str, object]) -> None:
        automatic, *others = names
        for name in others:
            menu.addAction(self._context.actions.action(name))
        menu.addSeparator()
        menu.addAction(self._context.actions.action(automatic))


EMPTY_TEXTS = (
    "No context was given yet",
    "When an assistant starts or gets a prompt, it is given what fits. What it reads appears here, to the byte.",
)
HISTORY = "history"  # as a query: what was told
LIVE_AFTER_MS = 200
ALWAYS = frozenset(
    f"context.{name}"
    for name in ("next", "previous", "compare", "printed", "window", "whatIf", "history", "figures", "sample")
)


class ContextPanel(Panel):
    """Page object: tests/ui/pages/context.py."""

    screen_id: ClassVar[str] = "context"
    title: ClassVar[str] = "Context"
    search_hint: ClassVar[str] = "Why was this given, why not that…"
    primary_action: ClassVar[str] = "context.copy"
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True
    concerns: ClassVar[frozenset[DataKind]] = CONCERNS

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.placing = ContextPlacing(context)
        self.rows = ContextRows(self)
        self.receipts = ReceiptModel(self)
        self._ground: Ground | None = None
        self._shown: Shown | None = None
        self._receipt_id = 0  # the moment that is shown, 0 for now
        self._replayed: Receipt | None = None  # the moment whose question is asked again
        self._tier: Tier | None = None
        self._shares: dict[Tier, float] = {}  # as a border is being moved; empty once they are saved
        self._is_moving = False  # a border is held
        self._is_begun = False  # the person has asked for a preview, or there is something to look back at
        self._live_due = QTimer(self)
        self._live_due.setSingleShot(True)
        self._live_due.setInterval(LIVE_AFTER_MS)
        self._build()
        self._connect()
        self.ages = Ages(self, self._on_time_passed)

    # -- building
    def _build(self) -> None:
        self.pages = QStackedWidget(self)
        self.body.addWidget(self.pages, 1)
        sample = Button("Preview what would be sent", "context.empty.sample", kind="primary", icon_name="eye")
        sample.clicked.connect(self._on_sample)
        self.connect_button = Button("Connect an assistant", "context.empty.connect", icon_name="apps")
        self.connect_button.clicked.connect(self._on_connect)
        self.empty = EmptyState("context", *EMPTY_TEXTS, (sample, self.connect_button))
        self.full = ContextPage(self.context.actions, self.rows, self.receipts, self.pages)
        self.form, self.list, self.text = self.full.form, self.full.list, self.full.text
        self.pages.addWidget(Skeleton())
        self.pages.addWidget(self.full)
        self.pages.addWidget(self.empty)
        follow_reading_order(self)

    def _connect(self) -> None:
        self.full.head.bar.tier_chosen.connect(self.show_tier)
        self.full.head.bar.block_chosen.connect(self._on_block)
        self.full.head.bar.border_moved.connect(self._on_border)
        self.full.head.bar.borders_settled.connect(self._on_borders_settled)
        self.form.changed.connect(self._on_what_if)
        self.full.history.receipt_chosen.connect(self.show_receipt)
        self.list.row_chosen.connect(self._on_row)
        self.list.memory_opened.connect(self._open_memory)
        self.list.menu_wanted.connect(self._on_menu)
        self.list.level_wanted.connect(self._on_level_menu)
        self.full.detail.place_wanted.connect(self._on_place_menu)
        self.full.detail.decide_wanted.connect(self._on_decide)
        self.placing.follow(self.full.head.bar, self.list)
        self.text.item_pointed.connect(self._on_block)
        self.text.printed_wanted.connect(self._ask_shown)
        self.text.copied.connect(self.context.notify)
        self.text.tab_changed.connect(self._on_tab)
        self.text.window_page.wanted.connect(self._ask_window)
        self._live_due.timeout.connect(self._ask_shown)
        self.full.why_not.asked.connect(self._on_why_not)
        self.full.why_not.memory_wanted.connect(self._open_memory)
        self.full.why_not.message_wanted.connect(self.open_message)
        self.full.why_not.left.connect(self._focus_list)
        self.context.selection.scope_changed.connect(self._on_scope)
        self.context.theme.changed.connect(self._on_theme)
        if self.header.search is not None:
            self.header.search.left_down.connect(self._focus_list)

    def _on_decide(self) -> None:
        self.context.navigate(Place("contradictions"))

    # -- reading
    def parts(self) -> tuple[QWidget, ...]:
        return self.full.side, self.list, self.text

    def refresh(self) -> None:
        scope = self.context.selection.scope
        self.context.bridge.ask(
            "context.ground",
            lambda engine: read_ground(engine, app=scope.app, project=scope.project),
            self._on_ground,
        )

    def _on_ground(self, ground: Ground) -> None:
        is_first = self._ground is None
        self._ground = ground
        if not self._is_moving:
            self._shares = {}
        self.receipts.set_receipts(ground.receipts, ground.now)
        self.form.set_projects(ground.projects)
        self.form.set_budgets(ground.hook_tokens, ground.start_tokens, ground.context_tokens)
        self.full.figures.set_figures(ground.figures)
        asked = asked_words(ground.figures.asked_count, ground.figures.asked_tokens)
        each_time = asking_words(
            ground.asking, is_asking=ground.is_asking, is_with_prompts=ground.is_asking_with_prompts
        )
        self.full.figures.set_asking(asked, each_time)
        if ground.receipts and (is_first or not self._is_begun):
            self._is_begun = True
            self._take_signals(ground.receipts[0].signals, ground.receipts[0].delivery)
        self.set_status(status_line(ground, ground.now))
        if self._is_begun or self._receipt_id:
            self._ask_shown()
        else:
            self._show_empty()

    def _show_empty(self) -> None:
        scope = self.context.selection.scope
        self.empty.set_texts(*empty_texts("" if scope == ScopeFilter() else scope.describe(), EMPTY_TEXTS))
        self.connect_button.set_text(connect_words(self._ground.connected if self._ground is not None else ()))
        self.pages.setCurrentWidget(self.empty)
        self.abilities_changed.emit()

    def _ask_shown(self) -> None:
        """The context of the chosen moment, or of now: the newest question wins."""
        if not self.context.bridge.is_open:
            return
        host, signals = self.text.shown_host, self.form.what_if.signals
        known = self.receipts.receipts
        before = find_before(known, shown_id=self._receipt_id, signals=signals, replayed=self._replayed)
        if self._receipt_id:
            wanted = self._receipt_id
            self.context.bridge.ask(
                "context.shown", lambda engine: read_receipt(engine, wanted, host, before), self._on_shown
            )
            return
        what_if, shares = self.form.what_if, dict(self._shares)
        self.context.bridge.ask(
            "context.shown", lambda engine: read_live(engine, what_if, shares, host, before), self._on_shown
        )

    def _ask_window(self) -> None:
        """A model's whole window, only while it is looked at: it takes longer than what a prompt gets."""
        if self.text.tabs.current != "window" or not self.context.bridge.is_open:
            return
        what_if, system_prompt = self.form.what_if, self.text.window_page.system.text()
        self.context.bridge.ask(
            "context.window", lambda engine: read_window(engine, what_if, system_prompt), self.text.window_page.set_plan
        )

    def _on_tab(self, page: str) -> None:
        if page == "window":
            self._ask_window()

    def _on_shown(self, shown: Shown) -> None:
        if (shown.receipt.id if shown.receipt is not None else 0) != self._receipt_id:
            return
        is_other = self._shown is not None and self._shown.receipt != shown.receipt
        self._shown = shown
        if shown.receipt is not None and shown.receipt != self._replayed:  # what if asks the same, until it is changed
            self._replayed = shown.receipt
            self._take_signals(shown.receipt.signals, shown.receipt.delivery, shown.receipt.budget_tokens)
        if self.pages.currentWidget() is not self.full:
            self.pages.setCurrentWidget(self.full)
            self.full.arrange()
            self._take_focus()
        now = self._ground.now if self._ground is not None else None
        if now is not None:
            self.full.head.show_moment(shown, now, has_own_shares=self._has_own_shares)
        self.text.set_context(shown.context)
        self.text.set_printed(shown.printed, shown.event)
        self.text.set_difference(shown.difference_line, shown.difference)
        self._ask_window()
        self._fill_rows()
        if is_other:  # another moment: what has the cursor is shown, wherever one was before
            self.list.show_current()
        self.full.history.choose(self._receipt_id)
        self.abilities_changed.emit()

    def _fill_rows(self) -> None:
        if self._shown is not None:
            self.full.show_rows(self._shown, self._ground, tier=self._tier, query=self.header.query)

    # -- places, search, moments
    def visit(self, place: Place) -> None:
        is_tier = place.query in {tier.value for tier in Tier}
        if is_tier or place.query == HISTORY:
            self.header.set_query("")
        else:
            super().visit(place)
        if is_tier or place.kind == "receipt":  # a moment is shown whole, unless one of its tiers was pressed
            self.show_tier(Tier(place.query) if is_tier else None)
        if place.kind == "receipt" and place.object_id is not None:
            self.show_receipt(place.object_id)
        if place.query == HISTORY:
            self.full.show_side("history")
        self._take_focus()

    def search(self, text: str) -> None:
        self.full.why_not.forget()
        self._fill_rows()
        if text.strip() and not self.rows.rowCount():
            self._on_why_not(text.strip())

    def show_receipt(self, receipt_id: int) -> None:
        """That moment, frozen: what was told, and nothing computed again."""
        self._live_due.stop()
        self._receipt_id = receipt_id
        row = self.receipts.row_of(receipt_id)
        receipt = self.receipts.receipt_at(row) if row is not None else None
        if receipt is not None:
            self.text.set_host(receipt.app)
        self.full.side.show_page("history")
        self.place_changed.emit(Place("context", "receipt", receipt_id))
        self._ask_shown()

    def show_live(self, signals: ContextSignals | None = None) -> None:
        """What would be told now; unless signals are given, to the question of the moment that was shown."""
        self._receipt_id = 0
        self._is_begun = True
        if signals is not None:
            self._replayed = None
            self._take_signals(signals)
        vanishing = (self.full.head.live, self.full.history, self.full.figures)
        if any(widget.hasFocus() for widget in vanishing):  # what is typed next is meant for the lines, not for a field
            self._focus_list()
        self.full.side.show_page("whatIf")
        self.place_changed.emit(Place("context"))
        self._ask_shown()

    def _take_signals(self, signals: ContextSignals, delivery: str = "", budget_tokens: int = 0) -> None:
        self.form.set_signals(signals, delivery, budget_tokens)
        self.text.set_host(signals.app)

    def show_tier(self, tier: Tier | None) -> None:
        """Only the lines of one tier, or all of them."""
        self._tier = tier
        self.full.head.show_tier(tier)
        self._fill_rows()
        self.abilities_changed.emit()

    # -- abilities
    def abilities(self) -> frozenset[str]:
        able = {"context.sample"} if self._ground is not None else set()
        if self.pages.currentWidget() is not self.full or self._shown is None:
            return frozenset(able)
        able |= ALWAYS
        able |= {"context.copy"} if self._shown.context.text else set()
        able |= self.placing.abilities(self.list.current)
        able |= {"context.live"} if self._receipt_id else set()
        able |= {"context.reset"} if self._has_own_shares and not self._receipt_id else set()
        able |= {"context.allTiers"} if self._tier is not None else set()
        able |= {"context.older"} if self.receipts.neighbour(self._receipt_id, 1) else set()
        able |= {"context.newer"} if self.receipts.neighbour(self._receipt_id, -1) else set()
        return frozenset(able)

    def run(self, action_id: str) -> None:
        name = action_id.removeprefix("context.")
        if action_id in ACTIONS and name not in {"open", "graph"}:
            moment = (self._shown and self._shown.receipt) or self.form.what_if
            self.placing.run(action_id, self.list.current, moment.signals.project_path)
            return
        match name:
            case "next" | "previous":
                self.list.step(1 if name == "next" else -1)
            case "older" | "newer":
                self.show_receipt(self.receipts.neighbour(self._receipt_id, 1 if name == "older" else -1))
            case "compare" | "printed" | "window":
                self.full.show_text(name)
            case "whatIf" | "history" | "figures":
                self.full.show_side(name)
            case _:
                self._run_plain(name)

    def _run_plain(self, name: str) -> None:
        acts: dict[str, Callable[[], None]] = {
            "copy": self.text.copy_text,
            "open": lambda: self._open_memory(self._memory_id()),
            "graph": self._show_in_graph,
            "live": self.show_live,
            "allTiers": lambda: self.show_tier(None),
            "reset": self._reset_shares,
            "sample": self._on_sample,
        }
        acts[name]()

    @property
    def _has_own_shares(self) -> bool:
        return bool(self._shares) or (self._ground is not None and self._ground.has_own_shares)

    def _reset_shares(self) -> None:
        self._save_shares("")

    def _save_shares(self, text: str) -> None:
        """One act: it holds for every context from now on, and Ctrl+Z takes back it alone."""
        self.context.bridge.do("context.shares", lambda engine: engine.settings.set("tier_shares", text))

    def _memory_id(self) -> int:
        row = self.list.current
        return row.memory_id if row is not None else 0

    # -- slots
    def _on_row(self) -> None:
        row = self.list.current
        number = row.number if row is not None else -1
        self.full.detail.set_row(row)
        self.full.head.bar.set_chosen(number)
        self.text.viewer.choose_item(number)
        self.placing.tick(row)
        self.placing.ask_memory(row, self.full.detail.set_memory)
        self.abilities_changed.emit()

    def _on_block(self, number: int) -> None:
        """A block or a line of the text was pointed at."""
        if not self.list.choose_item(number):
            self.header.set_query("")
            self.show_tier(None)
            self.list.choose_item(number)

    def _on_border(self, border: int, steps: int) -> None:
        if self._shown is None or self._receipt_id:
            return
        budget = self.form.what_if.budget_tokens
        shares: dict[Tier, float] = self._shares or {**own_shares(self._shown.context)}
        self._is_moving = True
        self._shares = move_border(shares, border, steps, budget)
        self.full.head.show_shares(self._shares)
        self.abilities_changed.emit()
        self._live_due.start()

    def _on_borders_settled(self) -> None:
        if self._is_moving:
            self._is_moving = False
            self._save_shares(shares_text(self._shares))

    def _on_what_if(self) -> None:
        """Something was typed: now is shown again, as soon as typing stops."""
        self._receipt_id = 0
        self.full.history.choose(0)
        self._live_due.start()

    def _on_sample(self) -> None:
        if self._ground is not None:
            self.show_live(self._ground.sample)

    def _on_connect(self) -> None:
        self.context.navigate(Place("apps"))

    def _on_menu(self, where: QPoint) -> None:
        self.abilities_changed.emit()
        self.placing.row_menu(self).popup(where)

    def _on_level_menu(self, where: QPoint) -> None:
        self.abilities_changed.emit()
        self.placing.level_menu(self).popup(where)

    def _on_place_menu(self, where: QPoint) -> None:
        self.abilities_changed.emit()
        self.placing.place_menu(self).popup(where)

    def _show_in_graph(self) -> None:
        if memory_id := self._memory_id():
            self.context.navigate(Place("graph", query=f"memory:{memory_id}"))

    def _open_memory(self, memory_id: int) -> None:
        if memory_id:
            self.context.navigate(Place("memories", "memory", memory_id))

    def _on_why_not(self, text: str) -> None:
        """Of what would be given now, or of the question of the moment that is shown, asked again."""
        request = request_of(self.form.what_if, self._shares)
        self.context.bridge.ask(
            "context.whyNot", lambda engine: engine.context.why_not(text, request), self.full.why_not.set_answers
        )

    def _on_time_passed(self, now: datetime) -> None:
        self.receipts.set_now(now)
        if self._ground is not None:
            self.set_status(status_line(self._ground, now))

    def _on_scope(self) -> None:
        self._receipt_id = 0
        self._replayed = None
        self._is_begun = False
        self.mark_dirty()

    def _on_theme(self) -> None:
        self.text.viewer.repaint_chosen()
        self.full.arrange()

    def _take_focus(self) -> None:
        """Arrived from elsewhere: the keys work at once, also where Qt put the focus of the last screen into the head."""
        focus = QApplication.focusWidget()
        is_typing = bool(self.header.query) and focus is self.header.search
        if self.isVisible() and not is_typing and (focus is None or not self.pages.isAncestorOf(focus)):
            self._focus_list()

    def _focus_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape goes one step out: to the lines, from one tier to all of them, from a moment of the past to now."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif QApplication.focusWidget() is not self.list and self.list.isVisible():
            self._focus_list()
        elif self._tier is not None:
            self.show_tier(None)
        elif self._receipt_id:
            self.show_live()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.full.arrange()
