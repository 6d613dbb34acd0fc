"""Apps: assistants found on this computer, connected and disconnected with the exact change shown first; their tokens.

A token is shown once, never stored here. Source: UX 4.1 step 2, INTEROP section 8.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QWidget

from app.values.capture import AppCard
from app.values.changes import DataKind
from app.values.desk import AssistantCard, Endpoint
from ui.bridge import JobDone
from ui.screens.apps.card import AppPanelCard, AppView, ConnectPreview, read_preview
from ui.screens.apps.create import CreateAppCard
from ui.screens.base import Panel, PanelContext
from ui.screens.notes.box import NotesView
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

RENEW_JOB = "apps.renew:"


@dataclass(frozen=True, slots=True)
class AppsView:
    assistants: tuple[AssistantCard, ...]
    apps: tuple[AppCard, ...]
    endpoint: Endpoint
    now: datetime
    projects: tuple[tuple[str, str], ...] = ()  # name and folder
    notes: Mapping[str, NotesView] = field(default_factory=dict)  # by app


def read_apps_view(engine: "Engine") -> AppsView:
    """The page's values, for the read worker."""
    endpoint = engine.stats.health().endpoint
    projects = tuple(one for one in engine.context.projects() if one[1])
    apps = engine.apps.list()
    return AppsView(
        engine.apps.assistants(),
        apps,
        endpoint,
        engine.clock.now(),
        projects,
        _read_notes(engine, [one.name for one in apps]),
    )


def _read_notes(engine: "Engine", apps: list[str]) -> dict[str, NotesView]:
    notes, expiry, settings = engine.notes.list(), engine.notes.expiry(), engine.settings.current
    return {
        app: NotesView(
            tuple(one for one in notes if one.app == app),
            expiry.get(app, 0),
            settings.notes_per_app,
            settings.note_chars,
        )
        for app in apps
    }


def pair(view: AppsView) -> tuple[AppView, ...]:
    """One entry per name: assistants first, connected ones before the rest, then apps without a known assistant."""
    apps = {app.name: app for app in view.apps if not app.is_revoked}
    known = [
        AppView(found.name, found.title, found, apps.pop(found.name, None), view.projects) for found in view.assistants
    ]
    known.sort(key=lambda entry: (not entry.is_connected, not entry.is_found))
    entries = (*known, *(AppView(app.name, app.title, None, app, view.projects) for app in apps.values()))
    return tuple(replace(entry, notes=view.notes.get(entry.name)) for entry in entries)


class AppsPanel(Panel):
    screen_id: ClassVar[str] = "apps"
    title: ClassVar[str] = "Apps"
    concerns: ClassVar[frozenset[DataKind]] = frozenset(
        {DataKind.APPS, DataKind.STATE, DataKind.MESSAGES, DataKind.NOTES}
    )

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._cards: dict[str, AppPanelCard] = {}
        self._page = ScrollColumn("apps.page", width_px=960)
        self._create = CreateAppCard(context)
        self._intro = PlainLabel(
            "Connecting writes a hook into the assistant's own settings. You see every line first, a copy of the file "
            "is kept, and disconnecting puts it back byte for byte.",
            "sub",
            wraps=True,
        )
        self._page.add(self._intro)
        self._page.add(self._create)
        self._page.add_stretch()
        self.body.addWidget(self._page, 1)
        context.bridge.finished.connect(self._on_job)

    def refresh(self) -> None:
        self.context.bridge.ask("apps", read_apps_view, self._on_view)

    def _on_view(self, view: AppsView) -> None:
        entries = pair(view)
        connected = sum(entry.is_connected for entry in entries)
        told = f"{counted(connected, 'app')} connected" if connected else "No app is connected yet"
        self.set_status(f"{told}. Nothing leaves this computer.")
        self._create.tell(view.endpoint)
        gone = set(self._cards) - {entry.name for entry in entries}
        for name in gone:
            self._cards.pop(name).deleteLater()
        for index, entry in enumerate(entries):
            card = self._cards.get(entry.name) or self._add(entry)
            card.tell(entry, view.now)
            if self._page.column.indexOf(card) != index + 1:
                self._page.column.insertWidget(index + 1, card)
        follow_reading_order(self)

    def _add(self, entry: AppView) -> AppPanelCard:
        card = AppPanelCard(entry.name, self.context)
        card.preview_asked.connect(self._on_preview_asked)
        card.token_asked.connect(self._on_token_asked)
        self._cards[entry.name] = card
        return card

    def _on_preview_asked(self, name: str, is_connecting: bool) -> None:
        def read(engine: "Engine") -> ConnectPreview:
            return read_preview(engine, name, is_connecting=is_connecting)

        self.context.bridge.ask(f"apps.preview:{name}", read, self._on_preview)

    def _on_preview(self, preview: ConnectPreview) -> None:
        if preview.name in self._cards:
            self._cards[preview.name].show_preview(preview)

    def _on_token_asked(self, name: str) -> None:
        self.context.bridge.start(RENEW_JOB + name, lambda job: job.engine.apps.renew_token(name))

    def _on_job(self, done: JobDone) -> None:
        if not done.job_id.startswith(RENEW_JOB):
            return
        name = done.job_id.removeprefix(RENEW_JOB)
        if name in self._cards:
            self._cards[name].show_token(str(done.value))
