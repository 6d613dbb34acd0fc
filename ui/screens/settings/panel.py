"""Settings: ten everyday options, privacy, backups, and all other options under Advanced; the search finds in all of them.

Changes apply at once and can be undone. No option is known here by name: a new one appears under Advanced; one group
has a head. The rows of Advanced are made when somebody looks, a few at a time, those on top first, so that the window
answers meanwhile.

The card of what is never captured: folders and words, added and removed, with how much each rule kept out.
"""

from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.values.changes import DataKind
from ui.bridge import Failure
from ui.matching import match_score
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.reading.readers import ReadersHead
from ui.screens.settings.archive_choice import ArchiveChoice
from ui.screens.settings.parts import (
    AboutCard,
    BackupsCard,
    PlacesCard,
    SecretsCard,
    SettingsView,
    read_cards,
    read_settings_view,
)
from ui.screens.settings.row import SettingRow
from ui.widgets.buttons import Button
from ui.widgets.card import Card
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import SettingCard

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QLineEdit, QVBoxLayout

from app.values.capture import ExclusionKind, ExclusionRule
from ui.widgets.buttons import IconButton
from ui.widgets.card import clear_layout, row
from ui.widgets.memories.fields import line_field

SHOWN_RULES = 200


def rule_text(rule: ExclusionRule) -> str:
    """A rule as one line.

    >>> from datetime import UTC, datetime
    >>> rule_text(ExclusionRule(1, ExclusionKind.WORDS, "project zeus", datetime(2026, 1, 1, tzinfo=UTC), 0))
    'Anything containing “project zeus”'
    """
    return f"Everything in {rule.text}" if rule.kind is ExclusionKind.FOLDER else f"Anything containing “{rule.text}”"


class ExclusionsCard(Card):
    words = "exclude exclusion rules never captured folders paths words privacy ignore"

    def __init__(self, context: PanelContext) -> None:
        super().__init__("Never captured")
        self.setObjectName("settings.exclusions")
        self._context = context
        self._rules: tuple[ExclusionRule, ...] = ()
        self._status = PlainLabel("", "sub", wraps=True)
        self.body.addWidget(self._status)
        self._folder = line_field("settings.exclusions.folder", "A folder to exclude", "~/work/private, or */private")
        self._words = line_field("settings.exclusions.words", "Words to exclude", "words that occur together")
        browse = Button("Browse…", "settings.exclusions.browse", kind="quiet", tip="Choose a folder on this computer")
        browse.clicked.connect(self._on_browse)
        self._add_form("Exclude folder", self._folder, self._on_folder, browse)
        self._add_form("Exclude words", self._words, self._on_words)
        self._list = QVBoxLayout()
        self._list.setSpacing(4)
        self.body.addLayout(self._list)

    def _add_form(self, title: str, field: QLineEdit, add: Callable[[], None], *beside: QWidget) -> None:
        button = Button(title, f"{field.objectName()}.add")
        button.clicked.connect(add)
        field.returnPressed.connect(add)
        line = row(field, *beside, button)
        line.setStretch(0, 1)
        self.body.addLayout(line)

    def show_values(self, rules: tuple[ExclusionRule, ...]) -> None:
        for field in (self._folder, self._words):
            if len(rules) > len(self._rules):  # what was typed is a rule now; else it was refused and can be mended
                field.clear()
        self._rules = rules
        self._status.setText(
            "Nothing that matches is stored, whichever assistant sends it. What was stored before stays until you erase it."
            if rules
            else "Nothing is excluded yet. What comes from a folder that you name here, or has these words, is not stored anywhere."
        )
        clear_layout(self._list)
        for rule in rules[:SHOWN_RULES]:
            remove = IconButton(
                "trash", f"settings.exclusions.remove.{rule.id}", f"Capture again: {rule_text(rule)[:120]}"
            )
            remove.setProperty("rule", rule.id)
            remove.clicked.connect(self._on_remove)
            kept_out = PlainLabel(f"excluded {counted(rule.hit_count, 'event')}", "meta")
            line = row(PlainLabel(rule_text(rule), wraps=True), kept_out, remove)
            line.setStretch(0, 1)
            self._list.addLayout(line)

    def _on_browse(self) -> None:
        found = QFileDialog.getExistingDirectory(
            self, "Exclude a folder", options=QFileDialog.Option.ShowDirsOnly | QFileDialog.Option.ReadOnly
        )
        if found:
            self._folder.setText(found)

    def _on_folder(self) -> None:
        self._exclude(ExclusionKind.FOLDER, self._folder.text())

    def _on_words(self) -> None:
        self._exclude(ExclusionKind.WORDS, self._words.text())

    def _exclude(self, kind: ExclusionKind, text: str) -> None:
        if text.strip():
            self._context.bridge.do("settings.exclude", lambda engine: engine.rules.exclude(kind, text))

    def _on_remove(self) -> None:
        rule_id = int(self.sender().property("rule"))
        self._context.bridge.do("settings.include", lambda engine: engine.rules.remove_exclusion(rule_id))


EVERYDAY, PRIVACY, BACKUPS, ADVANCED = "everyday", "privacy", "backups", "advanced"
_TABS = ((EVERYDAY, "Everyday"), (PRIVACY, "Privacy"), (BACKUPS, "Backups and files"), (ADVANCED, "Advanced"))
_READERS_GROUP = "Reading along"
FIRST_S, AT_ONCE_S = 0.012, 0.030  # rows are made for so long, then the window has its turn


def _set_shown(widget: QWidget, is_shown: bool) -> None:
    """Shows or hides what is not so already: each call to Qt has the whole page laid out again."""
    if widget.isHidden() is is_shown:
        widget.setVisible(is_shown)


class SettingsPanel(Panel):
    screen_id: ClassVar[str] = "settings"
    title: ClassVar[str] = "Settings"
    search_hint: ClassVar[str] = "Search settings…"
    concerns: ClassVar[frozenset[DataKind]] = frozenset({DataKind.SETTINGS, DataKind.STATE, DataKind.RULES})
    let_go_ms: ClassVar[int] = 10_000  # the rows of Advanced are a thousand widgets, 20 MB

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._archive = ArchiveChoice(self, context)
        self._archive.kept.connect(self.refresh)
        self._rows: dict[str, SettingRow] = {}
        self._groups: dict[str, Card] = {}
        self._refused: dict[str, tuple[str, str]] = {}  # of rows that were let go
        self._scrolled_to = 0  # when they were
        self._to_make: deque[SettingCard] = deque()
        self._making = QTimer(self)
        self._making.setInterval(0)
        self._making.timeout.connect(self._make_rows)
        self._tab = EVERYDAY
        self._tabs: dict[str, Button] = {}
        self.body.addLayout(self._make_tabs())
        self._page = ScrollColumn("settings.page", width_px=1080)
        self.body.addWidget(self._page, 1)
        self._page.verticalScrollBar().rangeChanged.connect(self._on_range)
        held = self._page.sizePolicy()
        held.setRetainSizeWhenHidden(True)  # else the header would be in the middle for that long
        self._page.setSizePolicy(held)
        self._page.hide()  # until there is something in it
        self._nothing = PlainLabel("", "sub")
        self._nothing.hide()
        self._page.add(self._nothing)
        self._everyday = Card()
        self._everyday.setObjectName("settings.everyday")
        self._page.add(self._everyday)
        self._readers = ReadersHead(context)
        self._readers.hide()  # until its group is there
        self._exclusions = ExclusionsCard(context)
        self._secrets = SecretsCard(context)
        self._places = PlacesCard()
        self._backups = BackupsCard(context)
        self._about = AboutCard(context)
        self._parts = (
            (self._exclusions, PRIVACY),
            (self._secrets, PRIVACY),
            (self._backups, BACKUPS),
            (self._places, BACKUPS),
            (self._about, BACKUPS),
        )
        for card, _tab in self._parts:
            self._page.add(card)
        self._page.add_stretch()
        context.bridge.failed.connect(self._on_failed)

    @property
    def is_filling(self) -> bool:
        return self._is_making and bool(self._to_make)

    @property
    def _is_making(self) -> bool:
        """Whether somebody looks at rows that are not made yet."""
        return self._tab == ADVANCED or bool(self.header.query.strip())

    def refresh(self) -> None:
        self.context.bridge.ask("settings", read_cards, self._on_cards)
        self._readers.refresh()
        self.context.bridge.ask("settings.below", read_settings_view, self._on_view)

    def let_go(self) -> None:
        """The rows of Advanced. What was typed and refused is kept, and how far the page was scrolled."""
        advanced = {name: row for name, row in self._rows.items() if not row.card.is_everyday}
        if not advanced:
            return
        self._refused |= {name: row.refused for name, row in advanced.items() if row.refused is not None}
        self._scrolled_to = self._page.verticalScrollBar().value()
        self._making.stop()
        self._to_make.clear()
        self._readers.hide()
        self._readers.setParent(self)
        self._rows = {name: row for name, row in self._rows.items() if name not in advanced}
        for card in self._groups.values():
            self._page.column.removeWidget(card)
            card.deleteLater()
        self._groups.clear()
        self.mark_dirty()

    def visit(self, place: Place) -> None:
        if place.query in self._tabs:
            self.show_tab(place.query)
        else:
            self.header.set_query(place.query)

    def show_tab(self, tab: str) -> None:
        """One of the four parts; what was searched is forgotten."""
        self._tab, self._scrolled_to = tab, 0
        if self.header.query:
            self.header.set_query("")
        self._make_rows()

    def search(self, text: str) -> None:
        """Shows the rows that fit, wherever they are; an empty text shows the chosen tab."""
        self._show_found(text)
        if self._is_making and self._to_make:
            self._making.start()

    def _show_found(self, text: str) -> None:
        wanted = text.strip()
        for tab, button in self._tabs.items():
            button.setChecked(not wanted and tab == self._tab)
        found = 0
        for card, tab in ((self._everyday, EVERYDAY), *((card, ADVANCED) for card in self._groups.values())):
            shown = [one for one in self._rows.values() if self._card_of(one) is card]
            fits = [one for one in shown if (match_score(wanted, one.words) > 0 if wanted else tab == self._tab)]
            for one in shown:
                _set_shown(one, one in fits)
                _set_shown(one.hairline, one in fits[1:])
            found += len(fits)
            _set_shown(card, bool(fits))
        for part, tab in self._parts:  # in place only when all above them are
            fits_part = match_score(wanted, part.words) > 0 if wanted else tab == self._tab
            _set_shown(part, fits_part and not self.is_filling)
            found += not part.isHidden()
        self._nothing.setText(f"No setting found for “{wanted}”. Try one word of it, or look in Help.")
        self._nothing.setVisible(not found and not self.is_filling)

    def _card_of(self, row: SettingRow) -> Card:
        return self._everyday if row.card.is_everyday else self._groups[row.card.group]

    def _make_tabs(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(4)
        for tab, title in _TABS:
            button = Button(title, f"settings.tab.{tab}", kind="tab")
            button.setCheckable(True)
            button.setProperty("tab", tab)
            button.clicked.connect(self._on_tab)
            line.addWidget(button)
            self._tabs[tab] = button
        line.addStretch(1)
        return line

    def _on_tab(self) -> None:
        self.show_tab(str(self.sender().property("tab")))

    def _on_view(self, view: SettingsView) -> None:
        self._exclusions.show_values(view.exclusions)
        self._places.show_values(view)
        self._backups.show_values(view.backups)
        self._about.show_values(view)
        if not self._to_make:
            follow_reading_order(self)

    def _on_cards(self, cards: "tuple[SettingCard, ...]") -> None:
        self._to_make.clear()
        for card in sorted(cards, key=lambda card: not card.is_everyday):
            row = self._rows.get(card.name)
            if row is None:
                self._to_make.append(card)
            else:
                row.show_values(card)
        changed = sum(card.value != card.default for card in cards)
        self.set_status(
            f"{counted(len(cards), 'setting')}, {changed or 'none'} changed. They apply at once, unless a line says otherwise."
        )
        self._make_rows()

    def _make_rows(self) -> None:
        """Some of the rows that are not there yet and are looked at; the page is shown as soon as there is something on top of it."""
        until_s = perf_counter() + (AT_ONCE_S if self._rows else FIRST_S)
        while self._to_make and (self._is_making or self._to_make[0].is_everyday):
            is_everyday = self._to_make[0].is_everyday
            self._add(self._to_make.popleft())
            if perf_counter() >= until_s and not is_everyday:
                break
        self._show_found(self.header.query)
        self._page.show()
        if self.is_filling:
            self._making.start()
        else:
            self._making.stop()
            follow_reading_order(self)

    def _add(self, setting: "SettingCard") -> None:
        card = self._everyday if setting.is_everyday else self._groups.get(setting.group)
        if card is None:
            card = Card(setting.group)
            card.setObjectName(f"settings.group.{setting.group.lower()}")
            self._page.column.insertWidget(self._page.column.indexOf(self._parts[0][0]), card)
            self._groups[setting.group] = card
            if setting.group == _READERS_GROUP:
                card.body.addWidget(self._readers)
                self._readers.show()
        row = SettingRow(setting)
        row.chosen.connect(self._on_chosen)
        row.reset_pressed.connect(self._on_reset)
        card.body.addWidget(row)
        self._rows[setting.name] = row
        if setting.name in self._refused:
            row.show_refused(*self._refused.pop(setting.name))

    def _on_range(self, _least: int, most: int) -> None:
        """Scrolls back to where it was once all rows are made again."""
        if self._groups and not self._to_make and 0 < self._scrolled_to <= most:
            self._page.verticalScrollBar().setValue(self._scrolled_to)
            self._scrolled_to = 0

    def _on_failed(self, failure: Failure) -> None:
        """A text that was refused stays as it was typed, and what is wrong is below it."""
        row = self._rows.get(failure.action_id.removeprefix("settings.set:"))
        if row is not None:
            row.show_wrong(str(failure.error))

    def _on_chosen(self, name: str, value: object) -> None:
        if name == "archive":
            self._archive.choose(str(value))
            return
        self.context.bridge.do(f"settings.set:{name}", lambda engine: engine.settings.set(name, value))

    def _on_reset(self, name: str) -> None:
        if name == "archive":
            self._archive.choose("off")
            return
        self.context.bridge.do(f"settings.reset:{name}", lambda engine: engine.settings.reset(name))
