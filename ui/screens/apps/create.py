"""The card for a tool that we do not know how to connect: a name, what it may do, and its token, shown once."""

import re

from PySide6.QtWidgets import QLineEdit, QVBoxLayout

from app.values.capture import Scope
from app.values.desk import Endpoint
from ui.bridge import Failure, JobDone
from ui.screens.apps.card import TokenField
from ui.screens.base import PanelContext
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.controls import CheckBox
from ui.widgets.labels import PlainLabel

CREATE_JOB = "apps.create"
MAX_TITLE_CHARS = 60
_SCOPES = (
    (Scope.CAPTURE, "Capture", "Send what you type"),
    (Scope.READ, "Read", "Read conversations and messages"),
    (Scope.WRITE, "Correct", "Rename, split, merge and correct"),
    (Scope.ADMIN, "Manage", "Settings, apps, backups"),
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
        self.body.addLayout(row(*self._boxes.values(), 1))
        self._result = QVBoxLayout()
        self.body.addLayout(self._result)
        self._on_typed()
        context.bridge.finished.connect(self._on_job)
        context.bridge.failed.connect(self._on_failed)

    def tell(self, endpoint: Endpoint) -> None:
        address = f"http://{endpoint.host}:{endpoint.port}" if endpoint.port else "the capture socket"
        self._where.setText(
            f"Anything that can send JSON to {address} can be an app: it gets a token of its own, "
            "and may only do what you tick."
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
