"""Contradictions: the open ones by what they would change, one whole with its answers, the next at once; the resolved
ones.

An answer goes to the write worker and the next one is shown without waiting for it; what could not be written comes
back. Owns the way through them.

The resolved ones: what was said, what was answered, by whom and when, and the way back.

Source: UX 4.7, S4; UX 4.7 "History tab".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.errors import NotFoundError
from app.values import Contradiction, ContradictionDetail, Resolution, ResolutionRequest
from app.values.changes import Changes, DataKind
from ui.bridge import Failure
from ui.navigation import Place
from ui.notices import Notice, NoticeKind
from ui.screens.base import Panel, PanelContext
from ui.screens.contradictions.parts import FOR_SEVERAL, Pair, ResultCard, SideCard
from ui.screens.contradictions.wording import difference_in_words, entry_words, settled_line
from ui.theme import font_px
from ui.widgets.buttons import ActionButton, Button, FitButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.empty_state import EmptyState
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tabs import Tabs
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine


TEXT_CHARS = 400
_NOTHING_SETTLED = ("Nothing resolved yet", "What you decide about contradictions appears here, each with Undo.")


class SettledPage(QWidget):
    """`reopened` carries the number of one to open again, `memory_opened` a memory."""

    reopened = Signal(int)
    memory_opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Contradiction, ...] | None = None
        self.empty = EmptyState("clock", *_NOTHING_SETTLED)
        self.list = ScrollColumn("contradictions.settled")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.empty, 1)
        column.addWidget(self.list, 1)

    @property
    def count(self) -> int:
        return len(self._shown or ())

    def show_list(self, settled: Sequence[Contradiction], now: datetime) -> None:
        """Cards are built again only when something changed: the keyboard stays where it was."""
        if tuple(settled) == self._shown:
            return
        self._shown = tuple(settled)
        place = self._leave_list()
        self.empty.setVisible(not settled)
        self.list.setVisible(bool(settled))
        clear_layout(self.list.column)
        for one in settled:
            self.list.add(self._card(one, now))
        self.list.add_stretch()
        buttons = self._buttons()
        if place is not None and buttons:
            found = buttons[min(place, len(buttons) - 1)]
            found.show()
            found.setFocus(Qt.FocusReason.OtherFocusReason)

    def _buttons(self) -> list[Button]:
        return [one for one in self.list.findChildren(Button) if not one.isHidden()]

    def _leave_list(self) -> int | None:
        """The focused button, remembered before its card is replaced, so that the same button of the next card gets the focus."""
        focus = QApplication.focusWidget()
        place = next((n for n, one in enumerate(self._buttons()) if one is focus), None)
        if focus is not None and place is not None:
            focus.clearFocus()
        return place

    def _card(self, one: Contradiction, now: datetime) -> Card:
        card = Card()
        card.setObjectName(f"contradictions.settled.{one.id}")
        card.setAccessibleName(f"{settled_line(one, now)}. A: {one.a.text} B: {one.b.text}")
        holds = {Resolution.A_WINS: "A", Resolution.B_WINS: "B"}.get(one.resolution) if one.resolution else None
        for name, side in (("A", one.a), ("B", one.b)):
            is_lost = holds is not None and name != holds
            said = PlainLabel(f"{name}  {side.text[:TEXT_CHARS]}", "sub" if is_lost else "body", wraps=True)
            if is_lost:
                look = said.font()
                look.setStrikeOut(True)
                said.setFont(look)
                said.setAccessibleDescription("no longer given to your assistants")
            card.body.addWidget(said)
        card.body.addWidget(PlainLabel(settled_line(one, now), "sub", wraps=True))
        again = Button(
            "Decide again",
            f"contradictions.reopen.{one.id}",
            icon_name="undo",
            tip="Undoes the answer with all that it changed; both hold until you decide",
            parent=card,
        )
        again.setProperty("number", one.id)
        again.clicked.connect(self._on_again)
        again.setVisible(one.resolution is not Resolution.MERGED or one.resolved_by == "person")
        sides = [("A", one.a), ("B", one.b)]
        ways = [self._way(one.id, name, side.id) for name, side in sides if holds in (None, name)]
        card.body.addLayout(row(again, *ways, 1))
        return card

    def _way(self, number: int, name: str, memory_id: int) -> Button:
        """The way to one side."""
        way = Button(
            f"Show memory {name}",
            f"contradictions.settledMemory.{number}.{name}",
            kind="link",
            tip="Show it in Memories",
        )
        way.setProperty("number", memory_id)
        way.clicked.connect(self._on_memory)
        return way

    def _on_again(self) -> None:
        self.reopened.emit(int(self.sender().property("number")))

    def _on_memory(self) -> None:
        self.memory_opened.emit(int(self.sender().property("number")))


AHEAD = 4  # that are read before they are shown
ENTRIES_SHOWN = 40
QUEUE_EM, QUEUE_MOST_EM, QUEUE_SHARE = 14.0, 24.0, 0.2  # of the width that there is
READ_MS = 700  # a pair is on screen before an answer counts: a second Enter was meant for the one before
TOOL_PX = 4_000  # no end to its width
_ANSWERS = {
    "contradiction.keepA": Resolution.A_WINS,
    "contradiction.keepB": Resolution.B_WINS,
    "contradiction.dismiss": Resolution.DISMISSED,
}
_DECIDING = frozenset({*_ANSWERS, "contradiction.accept"})
_SETTLED = "What you decided, the newest first. “Decide again” takes an answer back and asks you once more."
_NOTHING_SETTLED = (
    "No contradictions",
    "When two things that you said cannot both hold, you choose here which one does.",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The list as it was read, with the first ones whole."""

    open: tuple[Contradiction, ...]
    settled: tuple[Contradiction, ...]
    details: dict[int, ContradictionDetail]
    now: datetime
    alike: dict[int, tuple[Contradiction, ...]] = field(default_factory=dict)  # that ask the same as an open one


def read_list(engine: "Engine", project: str, first_id: int, apart: frozenset[int] = frozenset()) -> Reading:
    """For the read worker. `first_id`: the one that is looked at; `apart`: those whose alike ones are asked one by one."""
    found: list[Contradiction] = []
    alike: dict[int, tuple[Contradiction, ...]] = {}
    for group in engine.contradictions.groups(project=project):
        is_apart = not apart.isdisjoint(group.ids) or first_id in {one.id for one in group.alike}
        found += [group.first, *(group.alike if is_apart else ())]
        alike |= {group.first.id: group.alike} if group.alike and not is_apart else {}
    settled = (*engine.contradictions.list("resolved", limit=60), *engine.contradictions.list("dismissed", limit=40))
    place = next((n for n, one in enumerate(found) if one.id == first_id), 0)
    details = read_details(engine, [one.id for one in found[place : place + AHEAD]])
    by_time = sorted(settled, key=lambda one: (one.resolved_at or one.detected_at, one.id), reverse=True)
    return Reading(tuple(found), tuple(by_time), details, engine.clock.now(), alike)


def read_details(engine: "Engine", ids: Sequence[int]) -> dict[int, ContradictionDetail]:
    """Those that are still there, whole."""
    found = {}
    for number in ids:
        try:
            found[number] = engine.contradictions.get(number)
        except NotFoundError:
            continue
    return found


class ContradictionsPanel(Panel):
    screen_id: ClassVar[str] = "contradictions"
    title: ClassVar[str] = "Contradictions"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.CONTRADICTIONS, DataKind.MEMORIES})
    has_scope: ClassVar[bool] = True
    has_actions: ClassVar[bool] = True

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._open: tuple[Contradiction, ...] = ()
        self._details: dict[int, ContradictionDetail] = {}
        self._alike: dict[int, tuple[Contradiction, ...]] = {}
        self._apart: set[int] = set()
        self._shown = (0, 0)  # the contradiction whose answers are there, and with how many alike ones
        self._answered: dict[
            int, int
        ] = {}  # given here, and how often it changed since: once it is written, twice undone
        self._stale: set[int] = set()  # of the details
        self._current_id = 0
        self._now = datetime.now(tz=UTC)
        self._status = ""
        self._on_screen = QElapsedTimer()
        self._on_screen.start()
        self._build()
        context.selection.scope_changed.connect(self.mark_dirty)
        context.bridge.failed.connect(self._on_failed)

    def _build(self) -> None:
        actions = self.context.actions
        keep_a = ActionButton(actions.action("contradiction.keepA"), "check", text="Keep A (1)", only_able=True)
        keep_b = ActionButton(actions.action("contradiction.keepB"), "check", text="Keep B (2)", only_able=True)
        self.a = SideCard("A", "older", "warn", "warn_soft", keep_a)
        self.b = SideCard("B", "newer", "accent", "accent_soft", keep_b)
        self.pair = Pair(self.a, self.b)
        self.result = ResultCard(actions)
        self.result.merged.connect(self._on_merged)
        self.result.both.connect(self._on_both)
        self.result.since.connect(self._on_since)
        self.result.asking_changed.connect(self.abilities_changed)
        self.result.watch(Resolution.A_WINS, keep_a)
        self.result.watch(Resolution.B_WINS, keep_b)
        for side in (self.a, self.b):
            side.opened.connect(self.open_message)
            side.memory_opened.connect(self.open_memory)
        self.queue = ScrollColumn("contradictions.queue")
        self.queue.setAccessibleName("Open contradictions")
        self.queue.column.setSpacing(4)
        tool = ScrollColumn(
            "contradictions.tool", width_px=TOOL_PX
        )  # large letters in a small window need more than it has
        tool.column.addWidget(self.pair, 100)
        tool.column.addWidget(self.result)
        tool.add_stretch()
        page = QWidget()
        line = QHBoxLayout(page)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        line.addWidget(self.queue)
        line.addWidget(tool, 1)
        self.history = Button("See the resolved ones", "contradictions.history", icon_name="clock")
        self.history.clicked.connect(self._on_history)
        self.done = EmptyState("check", *_NOTHING_SETTLED, (self.history,))
        self.pages = QStackedWidget()
        for one in (QWidget(), page, self.done):
            self.pages.addWidget(one)
        self.page = page
        self.settled = SettledPage()
        self.settled.reopened.connect(self._on_reopen)
        self.settled.memory_opened.connect(self.open_memory)
        self.tabs = Tabs("contradictions.tabs")
        self.tabs.add("open", "Open", self.pages)
        self.tabs.add("settled", "Resolved", self.settled)
        self.tabs.changed.connect(self._on_tab)
        self.body.addWidget(self.tabs, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        least, most = (round(em * font_px()) for em in (QUEUE_EM, QUEUE_MOST_EM))
        self.queue.setFixedWidth(max(least, min(most, round(self.width() * QUEUE_SHARE))))

    # -- reading
    def refresh(self) -> None:
        project, first = self.context.selection.scope.project_or_none or "", self._current_id
        apart = frozenset(self._apart)
        self.context.bridge.ask(
            "contradictions", lambda engine: read_list(engine, project, first, apart), self._on_list
        )

    def visit(self, place: Place) -> None:
        super().visit(place)
        if place.kind == "contradiction" and place.object_id:
            self._current_id = place.object_id
            self.tabs.show_page("open")
            self.mark_dirty()
        elif place.query == "resolved":
            self.tabs.show_page("settled")

    def _on_list(self, reading: Reading) -> None:
        self._now = reading.now
        listed = {one.id for one in reading.open}
        back = [number for number, count in self._answered.items() if count > 1 and number in listed]
        self._answered = {number: count for number, count in self._answered.items() if count <= 1}
        self._open = tuple(one for one in reading.open if one.id not in self._answered)
        self._alike = reading.alike
        kept = {key: one for key, one in self._details.items() if key == self._current_id or key not in self._stale}
        self._details = kept | reading.details
        self._stale.clear()
        self.settled.show_list(reading.settled, reading.now)
        if QApplication.focusWidget() is None and self.isVisible() and self.tabs.current == "settled":
            self.focus_content()
        self.tabs.set_title("settled", f"Resolved {len(reading.settled)}" if reading.settled else "Resolved")
        if back:  # undone: it is asked again
            self._current_id = back[-1]
        self._show()

    @property
    def current(self) -> ContradictionDetail | None:
        """The one that is shown; None before it is read, and where none is open."""
        return self._details.get(self._current_id) if self._index is not None else None

    @property
    def _index(self) -> int | None:
        return next((n for n, one in enumerate(self._open) if one.id == self._current_id), None)

    def _show(self) -> None:
        """The current one, else the first."""
        if not self._open:
            self._show_done()
            return
        if self._index is None:
            self._current_id = self._open[0].id
        self.tabs.set_title("open", f"Open {len(self._open)}")
        self._fill_queue()
        index = self._index or 0
        detail = self._details.get(self._current_id)
        if detail is not None:
            self._show_detail(detail, index)
        missing = [one.id for one in self._open[index : index + AHEAD] if one.id not in self._details]
        if missing:
            self.context.bridge.ask(
                "contradictions.ahead", lambda engine: read_details(engine, missing), self._on_ahead
            )

    def _on_ahead(self, details: dict[int, ContradictionDetail]) -> None:
        is_waiting = self.current is None
        self._details |= details
        if is_waiting and self._current_id in details:
            self._show()

    def _show_detail(self, detail: ContradictionDetail, index: int) -> None:
        shown = (detail.contradiction.id, len(self._alike.get(detail.contradiction.id, ())))
        is_new = self.pages.currentWidget() is not self.page or self._shown != shown
        if not is_new and self.result.is_asking:
            return  # what is being typed stays
        self.pages.setCurrentWidget(self.page)
        self.pair.set_detail(detail, self._now)
        self.result.set_detail(detail, self._alike.get(detail.contradiction.id, ()))
        self._shown = shown
        self._status = f"Question {index + 1} of {len(self._open)} · {detail.contradiction.reason}"
        self._say_status()
        self.place_changed.emit(Place(self.screen_id, "contradiction", detail.contradiction.id))
        self.abilities_changed.emit()
        if is_new:
            self._on_screen.restart()
        if is_new and self.isVisible() and self.tabs.current == "open":
            self.result.accept.setFocus(Qt.FocusReason.OtherFocusReason)
            a, b = (side.memory.levels.full.text for side in (detail.a, detail.b))
            said = f"Contradiction {index + 1} of {len(self._open)}. A, older: {a} B, newer: {b} "
            self._announce(said + difference_in_words(a, b))

    def _show_done(self) -> None:
        self.tabs.set_title("open", "Open")
        resolved = self.settled.count
        if resolved:
            self.done.set_texts("No contradictions", f"{counted(resolved, 'contradiction')} resolved so far.")
        else:
            self.done.set_texts(*_NOTHING_SETTLED)
        self.history.setVisible(bool(resolved))
        self._shown = (0, 0)
        self.pages.setCurrentWidget(self.done)
        self._status = ""
        self._say_status()
        self.abilities_changed.emit()

    def _say_status(self) -> None:
        self.set_status(_SETTLED if self.tabs.current == "settled" else self._status)

    def _fill_queue(self) -> None:
        clear_layout(self.queue.column)
        index = self._index or 0
        start = max(0, min(index - ENTRIES_SHOWN // 2, len(self._open) - ENTRIES_SHOWN))
        for one in self._open[start : start + ENTRIES_SHOWN]:
            words = entry_words(one, alike_count=len(self._alike.get(one.id, ())))
            entry = FitButton(words, f"contradictions.entry.{one.id}", kind="entry", tip=one.reason, lines=2)
            entry.setCheckable(True)
            entry.setChecked(one.id == self._current_id)
            entry.setProperty("number", one.id)
            entry.clicked.connect(self._on_entry)
            self.queue.add(entry)
        left = len(self._open) - min(len(self._open), ENTRIES_SHOWN)
        if left:
            self.queue.add(PlainLabel(f"and {counted(left, 'more', 'more')}", "meta"))
        self.queue.add_stretch()

    def _announce(self, text: str) -> None:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    # -- doing
    def abilities(self) -> frozenset[str]:
        if self.tabs.current != "open" or self.current is None or self.pages.currentWidget() is not self.page:
            return frozenset()
        if self.result.is_asking:
            return frozenset()
        able = {*_ANSWERS} | {
            f"contradiction.{verb}" for verb in ("both", "since", "merge", "accept", "later", "graph")
        }
        able |= {"contradiction.next", "contradiction.previous"} if len(self._open) > 1 else set()
        able |= {"contradiction.sourceA"} if self.a.message_id else set()
        able |= {"contradiction.apart"} if self._current_id in self._alike else set()
        able |= {"contradiction.sourceB"} if self.b.message_id else set()
        return frozenset(able)

    def run(self, action_id: str) -> None:
        detail = self.current
        if detail is None or (action_id in _DECIDING and self._is_unread()):
            return
        match action_id:
            case "contradiction.accept":
                self._accept(detail)
            case "contradiction.both":
                self.result.ask_scopes()
            case "contradiction.since":
                self.result.ask_day(detail.b.memory.valid_from.astimezone().date().isoformat())
            case "contradiction.merge":
                self.result.edit()
            case "contradiction.later" | "contradiction.next" | "contradiction.previous":
                self._step(-1 if action_id == "contradiction.previous" else 1)
            case "contradiction.apart":
                self._apart.add(self._current_id)
                self.mark_dirty()
            case "contradiction.graph":
                self.context.navigate(Place("graph", query=f"memory:{detail.b.memory.id}"))
            case "contradiction.sourceA" | "contradiction.sourceB":
                self.open_message((self.a if action_id == "contradiction.sourceA" else self.b).message_id)
            case _:
                self._answer(ResolutionRequest(_ANSWERS[action_id]))

    def _is_unread(self) -> bool:
        """Whether the pair came up only now. Each try begins again, so that a key held down decides nothing."""
        if self._on_screen.elapsed() >= READ_MS:
            return False
        self._on_screen.restart()
        self._announce("This is the next pair.")
        return True

    def _accept(self, detail: ContradictionDetail) -> None:
        if detail.suggested is Resolution.BOTH_VALID:
            self.result.ask_scopes()
        elif detail.suggested is Resolution.MERGED:
            self.result.edit()
        else:
            self._answer(ResolutionRequest(detail.suggested))

    def _on_merged(self, text: str) -> None:
        self._answer(ResolutionRequest(Resolution.MERGED, text=text))

    def _on_both(self, scope_a: str, scope_b: str) -> None:
        if not scope_a and not scope_b:
            self._report("Say where one of them holds: tests, production, a language, an assistant.")
            return
        self._answer(ResolutionRequest(Resolution.BOTH_VALID, scope_a=scope_a, scope_b=scope_b))

    def _on_since(self, day: str) -> None:
        try:
            since = datetime.fromisoformat(day).astimezone()
        except ValueError:
            self._report(f"“{day}” is not a date. Write it like 2026-11-02.")
            return
        self._answer(ResolutionRequest(Resolution.B_WINS, since=since))

    def _report(self, text: str) -> None:
        self.context.notify(Notice(text, NoticeKind.WARN))

    def _answer(self, wanted: ResolutionRequest) -> None:
        """Written behind; the next one is shown at once."""
        number, index = self._current_id, self._index
        if index is None:
            return
        alike = self._alike.get(number, ()) if wanted.resolution in FOR_SEVERAL else ()
        ids = (number, *(one.id for one in alike))
        self._answered[number] = 0
        self._details.pop(number, None)  # after an undo it is read again
        self._open = tuple(one for one in self._open if one.id != number)
        self._current_id = self._open[min(index, len(self._open) - 1)].id if self._open else 0
        self.context.bridge.do(
            f"contradiction.resolve.{number}", lambda engine: engine.contradictions.resolve_alike(ids, wanted)
        )
        self._show()

    def _on_changes(self, changes: Changes) -> None:
        for number in changes.ids.get(DataKind.CONTRADICTIONS, ()):
            self._stale.add(number)
            if number in self._answered:
                self._answered[number] += 1
        if DataKind.MEMORIES in changes.kinds:
            self._stale.update(self._details)  # shown on until it is read again: the keyboard stays where it is
        super()._on_changes(changes)

    def _on_failed(self, failure: Failure) -> None:
        """What could not be written is open still; the notice says why."""
        lead, _, number = failure.action_id.rpartition(".")
        if lead == "contradiction.resolve" and number.isdigit():
            self._answered.pop(int(number), None)
            self._current_id = int(number)
            self.mark_dirty()

    def _step(self, step: int) -> None:
        index = self._index
        if index is None or len(self._open) < 2:
            return
        self._current_id = self._open[(index + step) % len(self._open)].id
        self._show()

    def _on_entry(self) -> None:
        sender = self.sender()
        if sender is not None:
            self._current_id = int(sender.property("number"))
            self._show()

    def _on_tab(self, _page: str) -> None:
        self._say_status()
        self.abilities_changed.emit()

    def _on_history(self) -> None:
        self.tabs.show_page("settled")

    def _on_reopen(self, number: int) -> None:
        self._current_id = number
        self.context.bridge.do("contradiction.reopen", lambda engine: engine.contradictions.reopen(number))
