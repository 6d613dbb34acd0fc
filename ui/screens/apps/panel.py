"""Apps: assistants found on this computer, connected and disconnected with the exact change shown first; their tokens.

A token is shown once, never stored here.

The card for a tool that we do not know how to connect: a name, what it may do, and its token, shown once.

Source: UX 4.1 step 2, INTEROP section 8.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.values.admin import AssistantCard, Endpoint
from app.values.capture import AppCard, Scope
from app.values.changes import DataKind
from ui.bridge import Failure, JobDone
from ui.navigation import Place
from ui.screens.apps.card import AppPanelCard, AppView, ConnectPreview, TokenField, read_preview
from ui.screens.base import Ages, Panel, PanelContext
from ui.screens.notes.box import NotesView
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.controls import CheckBox
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine


CREATE_JOB = "apps.create"
MAX_TITLE_CHARS = 60
_SCOPES = (
    (Scope.CAPTURE, "Send what you type", "Its prompts are kept like those of any assistant"),
    (Scope.READ, "Read memories and messages", "Conversations too"),
    (Scope.WRITE, "Edit memories and conversations", "Rename, split, merge and correct"),
    (Scope.ADMIN, "Change settings", "Apps and backups too"),
)


def name_of_title(title: str) -> str:
    """A name for the socket out of a title.

    >>> name_of_title("My Tool 2!")
    'my-tool-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")


class CreateAppCard(Card):
    def __init__(self, context: PanelContext) -> None:
        super().__init__("Another tool")
        self.setObjectName("apps.create")
        self._context = context
        self._where = PlainLabel("", "sub", wraps=True)
        self.body.addWidget(self._where)
        self._tool = QLineEdit()
        self._tool.setObjectName("apps.create.title")
        self._tool.setAccessibleName("Name of the tool")
        self._tool.setPlaceholderText("Name of the tool")
        self._tool.setMaxLength(MAX_TITLE_CHARS)
        self._tool.textChanged.connect(self._on_typed)
        self._tool.returnPressed.connect(self._on_create)
        self._boxes: dict[Scope, CheckBox] = {}
        for scope, text, tip in _SCOPES:
            box = CheckBox(text)
            box.setObjectName(f"apps.create.{scope.value}")
            box.setToolTip(tip)
            box.setAccessibleDescription(tip)
            box.setChecked(scope is Scope.CAPTURE)
            box.toggled.connect(self._on_typed)
            self._boxes[scope] = box
        self._create = Button("Create token", "apps.create.go", icon_name="key")
        self._create.clicked.connect(self._on_create)
        self._tool.setMinimumWidth(180)
        name_row = row(self._tool, self._create, 1)
        name_row.setStretch(0, 1)
        self.body.addLayout(name_row)
        self.body.addWidget(PlainLabel("It may:", "sub"))
        choices = FlowLayout()
        for box in self._boxes.values():
            choices.addWidget(box)
        self.body.addLayout(choices)
        self._result = QVBoxLayout()
        self.body.addLayout(self._result)
        self._on_typed()
        context.bridge.finished.connect(self._on_job)
        context.bridge.failed.connect(self._on_failed)

    def show_values(self, endpoint: Endpoint) -> None:
        address = f"http://{endpoint.host}:{endpoint.port}" if endpoint.port else "the capture socket"
        self._where.setText(
            f"Any program that can send JSON to {address} can use this memory. It gets a token of its own, "
            "and may do only what you tick."
        )

    def _on_typed(self) -> None:
        has_scope = any(box.isChecked() for box in self._boxes.values())
        self._create.setEnabled(bool(name_of_title(self._tool.text())) and has_scope)

    def _on_create(self) -> None:
        title = self._tool.text().strip()
        name = name_of_title(title)
        scopes = frozenset(scope for scope, box in self._boxes.items() if box.isChecked())
        if name and scopes:
            self._create.setEnabled(False)
            self._context.bridge.start(CREATE_JOB, lambda job: job.engine.apps.create(name, title, scopes)[1])

    def _on_job(self, done: JobDone) -> None:
        if done.job_id != CREATE_JOB:
            return
        clear_layout(self._result)
        text = f"The token of {self._tool.text().strip()}, shown only now:"
        self._result.addWidget(PlainLabel(text, "good"))
        self._result.addWidget(TokenField(str(done.value), "apps.create.token"))
        self._tool.clear()

    def _on_failed(self, failure: Failure) -> None:
        if failure.action_id == CREATE_JOB:
            self._on_typed()


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
        self._page = ScrollColumn("apps.page", width_px=1080)
        self._create = CreateAppCard(context)
        self._intro = PlainLabel(
            "Connecting adds a few lines to the assistant's own settings. You can see every line first, a copy of the file is "
            "kept, and disconnecting restores it exactly.",
            "sub",
            wraps=True,
        )
        self._page.add(self._intro)
        self._page.add(self._create)
        self._page.add_stretch()
        self.body.addWidget(self._page, 1)
        context.bridge.finished.connect(self._on_job)
        self.ages = Ages(self, self._on_time_passed)

    def visit(self, place: Place) -> None:
        super().visit(place)
        self.mark_dirty()  # the times that are said here continued meanwhile

    def _on_time_passed(self, _now: datetime) -> None:
        self.refresh()

    def refresh(self) -> None:
        self.context.bridge.ask("apps", read_apps_view, self._on_view)

    def _on_view(self, view: AppsView) -> None:
        entries = pair(view)
        connected = sum(entry.is_connected for entry in entries)
        told = f"{counted(connected, 'app')} connected" if connected else "No app is connected yet"
        self.set_status(told)
        self._create.show_values(view.endpoint)
        gone = set(self._cards) - {entry.name for entry in entries}
        for name in gone:
            self._cards.pop(name).deleteLater()
        for index, entry in enumerate(entries):
            card = self._cards.get(entry.name) or self._add(entry)
            card.show_values(entry, view.now)
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
