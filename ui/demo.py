"""A small invented history, for pictures and for trying the window: two projects, three assistants, one week.

Goes in through `engine.events.capture`, as everything does; nothing is written past the engine.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from app.values.capture import CaptureRequest, EventKind
from ui.demo_contexts import fill_with_contexts
from ui.demo_memories import fill_with_memories

if TYPE_CHECKING:
    from app.api import Engine

IDLE_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class _Session:
    app: str
    project: str
    hours_ago: float
    prompts: tuple[str, ...]
    files: tuple[str, ...] = ()


_SESSIONS: tuple[_Session, ...] = (
    _Session(
        "claude-code", "orchard", 150.0,
        ("Plan the import of delivery notes from the supplier portal",
         "Start with the parser for the CSV format, the XML one can wait",
         "Now write tests for it",
         "From now on delivery notes are sent to the customer as PDF",
         "The third test fails because the date has no timezone, fix that"),
        ("importer/notes.py", "tests/test_notes.py"),
    ),
    _Session(
        "codex", "orchard", 128.0,
        ("Why does the nightly job take forty minutes?",
         "Profile it and show me the three slowest queries",
         "Add an index for the second one"),
        ("jobs/nightly.py",),
    ),
    _Session(
        "claude-code", "lantern", 101.0,
        ("Add a language switch to the settings page",
         "It should remember the choice after a reload",
         "Put it below the theme picker",
         "From now on order mails of the shop go through Postmark",
         "Review the accessibility of the settings page"),
        ("src/settings/LanguageSwitch.tsx",),
    ),
    _Session(
        "cursor", "lantern", 77.0,
        ("The login form shows the error twice when the password is wrong",
         "Can you reproduce it?",
         "From now on sessions expire after 2 hours without a click",
         "Fix it and add a regression test"),
        ("src/login/LoginForm.tsx", "src/login/LoginForm.test.tsx"),
    ),
    _Session(
        "claude-code", "orchard", 52.0,
        ("Rename the table deliveries to shipments everywhere",
         "Write a migration for it that can be rolled back",
         "Run the migration on a copy of the production data"),
        ("db/migrations/0042_shipments.sql", "models/shipment.py"),
    ),
    _Session(
        "codex", "lantern", 30.0,
        ("Update the dependencies and tell me what breaks",
         "Pin the router to version 6.28 for now",
         "From now on order mails of the shop are sent with Mailgun"),
        ("package.json",),
    ),
    _Session(
        "claude-code", "lantern", 26.0,
        ("Make the export button purple",
         "No, a bit darker, use the brand colour",
         "And move it to the right of the search field",
         "Does it work on small screens?"),
        ("src/toolbar/ExportButton.tsx", "src/theme/colors.ts"),
    ),
    _Session(
        "claude-code", "orchard", 11.0,
        ("We decided to use Ruff for linting in the warehouse service",
         "Never disable a rule without a comment that says why",
         "I prefer dataclasses over dictionaries for values",
         "Delivery notes must never be sent to the customer as PDF",
         "The staging database listens on port 5433"),
        ("pyproject.toml",),
    ),
    _Session(
        "claude-code", "orchard", 5.0,
        ("Document the shipment API in the README",
         "Include an example for the webhook",
         "Explain what happens when the signature is wrong"),
        ("README.md",),
    ),
    _Session(
        "claude-code", "lantern", 0.9,
        ("Build a filter panel for the orders page",
         "It needs a date range and a status dropdown",
         "Test it with an empty result",
         "The dropdown closes when I scroll, that is wrong",
         "Great, now add a button that resets the filter panel"),
        ("src/orders/FilterPanel.tsx", "src/orders/FilterPanel.test.tsx"),
    ),
    _Session(
        "codex", "orchard", 0.3,
        ("Refactor the webhook handler into smaller functions",
         "Connect to the staging database with password hunter2-Staging! and check the retry table",
         "The retries must stop after five attempts"),
        ("api/webhook.py",),
    ),
)  # fmt: skip


def open_with_demo(engine: "Engine") -> None:
    """Fills an empty engine and leaves the first start behind, so that the window opens on what there is."""
    engine.settings.set("first_start_done", value=True)
    fill_with_demo(engine)


def fill_with_demo(engine: "Engine") -> int:
    """How many events went in; returns when all are understood."""
    now = engine.clock.now()
    requests = [request for number, session in enumerate(_SESSIONS) for request in _requests(number, session, now)]
    for request in requests:  # one by one, as assistants send them
        engine.events.capture((request,), wait_s=0)
    engine.events.wait_idle(IDLE_TIMEOUT_S)
    fill_with_memories(engine)
    engine.contradictions.settle(IDLE_TIMEOUT_S)
    fill_with_contexts(engine)
    return len(requests)


def _requests(number: int, session: _Session, now: datetime) -> list[CaptureRequest]:
    at = now - timedelta(hours=session.hours_ago)
    root = f"/home/demo/src/{session.project}"
    made: list[CaptureRequest] = []
    for step, text in enumerate(session.prompts):
        made.append(
            _request(session, f"{number}-{step}", EventKind.PROMPT, at + timedelta(minutes=3 * step), root, text)
        )
    for step, name in enumerate(session.files):
        payload: dict[str, object] = {"tool": "Edit", "file": f"{root}/{name}"}
        moment = at + timedelta(minutes=3 * len(session.prompts) - 2, seconds=step)
        made.append(_request(session, f"{number}-f{step}", EventKind.TOOL, moment, root, "", payload))
    return made


def _request(
    session: _Session,
    key: str,
    kind: EventKind,
    at: datetime,
    root: str,
    text: str,
    payload: dict[str, object] | None = None,
) -> CaptureRequest:
    return CaptureRequest(
        app=session.app,
        kind=kind,
        key=f"demo-{key}",
        session=f"demo-{session.app}-{session.hours_ago:g}",
        text=text,
        at=at,
        cwd=root,
        project_root=root,
        payload=payload or {},
    )
