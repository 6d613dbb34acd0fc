"""Settings: one searchable page made from the engine's setting cards, then places, backups, secrets, about.

Changes hold at once and can be undone. No option is known here by name: a new one appears by itself; one group has a head. Rows are made a few at
a time, those on top first, so that the window answers meanwhile.
"""

from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.values.changes import DataKind
from ui.matching import match_score
from ui.navigation import Place
from ui.screens.base import Panel, PanelContext
from ui.screens.reading.readers import ReadersHead
from ui.screens.settings.archive_choice import ArchiveChoice
from ui.screens.settings.exclusions import ExclusionsCard
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
from ui.widgets.card import Card
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import SettingCard

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

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._archive = ArchiveChoice(self, context)
        self._archive.kept.connect(self.refresh)
        self._rows: dict[str, SettingRow] = {}
        self._groups: dict[str, Card] = {}
        self._to_make: deque[SettingCard] = deque()
        self._making = QTimer(self)
        self._making.setInterval(0)
        self._making.timeout.connect(self._make_rows)
        self._page = ScrollColumn("settings.page", width_px=960)
        self.body.addWidget(self._page, 1)
        held = self._page.sizePolicy()
        held.setRetainSizeWhenHidden(True)  # else the header would stand in the middle for that long
        self._page.setSizePolicy(held)
        self._page.hide()  # until there is something in it
        self._nothing = PlainLabel("", "sub")
        self._nothing.hide()
        self._page.add(self._nothing)
        self._readers = ReadersHead(context)
        self._readers.hide()  # until its group is there
        self._exclusions = ExclusionsCard(context)
        self._secrets = SecretsCard(context)
        self._places = PlacesCard()
        self._backups = BackupsCard(context)
        self._about = AboutCard(context)
        self._parts = (self._exclusions, self._secrets, self._places, self._backups, self._about)
        for card in self._parts:
            self._page.add(card)
        self._page.add_stretch()

    @property
    def is_filling(self) -> bool:
        return bool(self._to_make)

    def refresh(self) -> None:
        self.context.bridge.ask("settings", read_cards, self._on_cards)
        self._readers.refresh()
        self.context.bridge.ask("settings.below", read_settings_view, self._on_view)

    def visit(self, place: Place) -> None:
        self.header.set_query(place.query)

    def search(self, text: str) -> None:
        """Shows the rows that fit; an empty text shows all."""
        found = 0
        for group, card in self._groups.items():
            rows = [row for row in self._rows.values() if row.card.group == group]
            shown = [row for row in rows if not text.strip() or match_score(text, row.words) > 0]
            for row in rows:
                _set_shown(row, row in shown)
                _set_shown(row.hairline, row in shown[1:])
            found += len(shown)
            _set_shown(card, bool(shown))
        for part in self._parts:  # in place only when all above them are
            fits = not text.strip() or match_score(text, part.words) > 0
            _set_shown(part, fits and not self._to_make)
            found += not part.isHidden()
        self._nothing.setText(f"No setting is about “{text.strip()}”.")
        self._nothing.setVisible(not found and not self._to_make)

    def _on_view(self, view: SettingsView) -> None:
        self._exclusions.tell(view.exclusions)
        self._places.tell(view)
        self._backups.tell(view.backups)
        self._about.tell(view)
        if not self._to_make:
            follow_reading_order(self)

    def _on_cards(self, cards: "tuple[SettingCard, ...]") -> None:
        self._to_make.clear()
        for card in cards:
            row = self._rows.get(card.name)
            if row is None:
                self._to_make.append(card)
            else:
                row.tell(card)
        changed = sum(card.value != card.default for card in cards)
        self.set_status(
            f"{counted(len(cards), 'option')}, {changed or 'none'} changed. Changes hold at once, unless a line says otherwise."
        )
        self._make_rows()

    def _make_rows(self) -> None:
        """Some of the rows that are not there yet; the page is shown as soon as there is something on top of it."""
        until_s = perf_counter() + (AT_ONCE_S if self._rows else FIRST_S)
        while self._to_make:
            self._add(self._to_make.popleft())
            if perf_counter() >= until_s:
                break
        self.search(self.header.query)
        self._page.show()
        if self._to_make:
            self._making.start()
        else:
            self._making.stop()
            follow_reading_order(self)

    def _add(self, setting: "SettingCard") -> None:
        card = self._groups.get(setting.group)
        if card is None:
            card = Card(setting.group)
            card.setObjectName(f"settings.group.{setting.group.lower()}")
            self._page.column.insertWidget(len(self._groups), card)
            self._groups[setting.group] = card
            if setting.group == _READERS_GROUP:
                card.body.addWidget(self._readers)
                self._readers.show()
        row = SettingRow(setting)
        row.chosen.connect(self._on_chosen)
        row.reset_pressed.connect(self._on_reset)
        card.body.addWidget(row)
        self._rows[setting.name] = row

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
