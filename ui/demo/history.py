"""A small invented history, for pictures and for trying the window: two projects, three assistants, two weeks.

Goes in through `engine.events.capture`, as everything does; nothing is written past the engine.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.clock import MovedClock
from app.values.capture import CaptureRequest, EventKind
from ui.demo.derived_data import (
    background_steps,
    connect_assistants,
    context_steps,
    give_at_prompt,
    let_read,
    link_steps,
    wait_for_background,
)
from ui.demo.memories import memory_steps
from ui.demo.when import When

if TYPE_CHECKING:
    from app.api import Engine

IDLE_TIMEOUT_S = 60.0
_GOING_ON_MINUTES = 60  # a session this young may go on; an older one is over, and was read


@dataclass(frozen=True, slots=True)
class _Session:
    app: str
    project: str
    when: When
    prompts: tuple[str, ...]
    files: tuple[str, ...] = ()
    commit: str = ""
    answer: str = ""  # how the last answer ended
    checks: tuple[str, ...] = ()  # what the assistant runs between its edits and the commit


_SESSIONS: tuple[_Session, ...] = (
    _Session(
        "claude-code", "orchard", When(13, "09:40"),
        ("Fix the rounding of invoices, the sum is a cent off",
         "Prices are kept in cents, never as floats",
         "Write tests for amounts that end in half a cent"),
        ("billing/money.py", "tests/test_money.py"),
        "Keep prices in cents and round half to even",
        "I've moved all prices to cents. All 48 tests pass. Next: the old invoices still have to be checked once.",
        checks=("ruff check .", "pytest -q"),
    ),
    _Session(
        "copilot", "lantern", When(12, "10:15"),
        ("Set up the shop with sessions",
         "From now on sessions of the shop expire after 30 minutes",
         "Show a warning two minutes before"),
        ("src/session/expiry.ts",),
        "Sessions expire after 30 minutes",
        "I've added the warning. It is shown two minutes before a session ends.",
    ),
    _Session(
        "cursor", "orchard", When(11, "16:20"),
        ("Where are the labels of a pallet stored?",),
        (),
        "",
        "They are in the table pallet_labels, one row a print.",
    ),
    _Session(
        "claude-code", "orchard", When(10, "11:05"),
        ("Number the invoices without a lock on the whole table",
         "Remember: invoice numbers never have gaps",
         "Try it with four workers at once",
         "Two workers got the same number, please fix that"),
        ("billing/numbers.py", "tests/test_numbers.py"),
        "Invoice numbers come from a counter row",
        "The duplicate number is fixed: each worker locks the counter row. All tests pass.",
        checks=("ruff check .", "pytest -q"),
    ),
    _Session(
        "cursor", "orchard", When(9, "11:30"),
        ("Which worker sends the labels to the printer?",
         "Write that down in the README of the label service"),
        ("labels/README.md",),
        "",
        "The worker in labels/printer.py sends them. I've added two lines to the README.",
    ),
    _Session(
        "cursor", "lantern", When(8, "14:30"),
        ("The cart forgets its items after the login",
         "Merge the cart of the guest into the one of the account",
         "Keep the higher amount where both have the same item"),
        ("src/cart/merge.ts",),
        "",
        "I've merged both carts at the login. Next: the merge needs a test for sold out items.",
    ),
    _Session(
        "claude-code", "orchard", When(6, "09:20"),
        ("Plan the import of delivery notes from the supplier portal",
         "Start with the parser for the CSV format, the XML one can wait",
         "Now write tests for it",
         "From now on delivery notes are sent to the customer as PDF",
         "The third test fails because the date has no timezone, fix that"),
        ("importer/notes.py", "tests/test_notes.py"),
        "Read delivery notes from CSV",
        "I've written the parser for CSV. All 12 tests pass. Next: the XML format.",
        checks=("ruff check .", "pytest -q"),
    ),
    _Session(
        "copilot", "orchard", When(5, "15:10"),
        ("Why does the nightly job take forty minutes?",
         "Profile it and show me the three slowest queries",
         "Add an index for the second one"),
        ("jobs/nightly.py",),
        "Add an index on shipments by day",
        "I've added the index. The nightly job now takes ten minutes instead of forty.",
        checks=("ruff check .", "pytest -q"),
    ),
    _Session(
        "claude-code", "lantern", When(4, "10:45"),
        ("Add a language switch to the settings page",
         "It should remember the choice after a reload",
         "Put it below the theme picker",
         "From now on order emails of the shop go through Postmark",
         "Review the accessibility of the settings page"),
        ("src/settings/LanguageSwitch.tsx",),
        "Add a language switch below the theme picker",
        "The language switch is now reachable by keyboard. Two labels still have to be translated.",
    ),
    _Session(
        "cursor", "lantern", When(3, "13:35"),
        ("The login form shows the error twice when the password is wrong",
         "Can you reproduce it?",
         "From now on sessions expire after 2 hours without a click",
         "Fix it and add a regression test"),
        ("src/login/LoginForm.tsx", "src/login/LoginForm.test.tsx"),
        "",
        "I've fixed the doubled error and added a regression test. All tests pass.",
    ),
    _Session(
        "claude-code", "orchard", When(2, "09:05"),
        ("Rename the table deliveries to shipments everywhere",
         "Write a migration for it that can be rolled back",
         "Run the migration on a copy of the production data"),
        ("db/migrations/0042_shipments.sql", "models/shipment.py"),
        "Rename deliveries to shipments",
        "The migration ran on the copy in eleven minutes. All tests pass.",
    ),
    _Session(
        "copilot", "lantern", When(1, "09:50"),
        ("Update the dependencies and tell me what breaks",
         "Pin the router to version 6.28 for now",
         "From now on order emails of the shop are sent with Mailgun"),
        ("package.json",),
    ),
    _Session(
        "claude-code", "lantern", When(1, "11:20"),
        ("Make the export button purple",
         "No, a bit darker, use the brand colour",
         "And move it to the right of the search field",
         "Does it work on small screens?"),
        ("src/toolbar/ExportButton.tsx", "src/theme/colors.ts"),
    ),
    _Session(
        "claude-code", "orchard", When(1, "14:10"),
        ("We decided to use Ruff for linting in the warehouse service, because Flake8 took a minute on every commit",
         "Never disable a rule without a comment that says why",
         "I prefer dataclasses over dictionaries for values",
         "Delivery notes must never be sent to the customer as PDF",
         "The staging database listens on port 5433"),
        ("pyproject.toml",),
    ),
    _Session(
        "claude-code", "orchard", When(minutes_ago=230),
        ("Document the shipment API in the README",
         "Include an example for the webhook",
         "Explain what happens when the signature is wrong"),
        ("README.md",),
    ),
    _Session(
        "claude-code", "lantern", When(minutes_ago=54),
        ("Build a filter panel for the orders page",
         "It needs a date range and a status dropdown",
         "Test it with an empty result",
         "The dropdown closes when I scroll, that is wrong",
         "Great, now add a button that resets the filter panel"),
        ("src/orders/FilterPanel.tsx", "src/orders/FilterPanel.test.tsx"),
    ),
    _Session(
        "copilot", "orchard", When(minutes_ago=18),
        ("Refactor the webhook handler into smaller functions",
         "Connect to the staging database with password hunter2-Staging! and check the retry table",
         "The retries must stop after five attempts"),
        ("api/webhook.py",),
    ),
)  # fmt: skip


def open_with_demo(engine: "Engine", *, home: Path | None = None) -> None:
    """Fills an empty engine and leaves the first start behind, so that the window opens on what there is.

    `home`: a folder of the example's own, where its assistants are connected.
    """
    engine.settings.set("first_start_done", value=True)
    if home is not None:
        connect_assistants(engine, home)
    fill_with_demo(engine)


def demo_clock() -> MovedClock:
    """For the engine that is to be filled: before the first session. Whatever is done then has the time at which it was done."""
    clock = MovedClock()
    clock.move_to(_SESSIONS[0].when.before(datetime.now(UTC)) - timedelta(hours=1))
    return clock


def fill_with_demo(engine: "Engine") -> int:
    """How many events went in; returns when all are understood. A clock of `demo_clock` goes along and ends at the present."""
    moved = engine.clock if isinstance(engine.clock, MovedClock) else None
    now = datetime.now(UTC) if moved is not None else engine.clock.now()
    written: dict[str, int] = {}
    steps = [
        (one.when.before(now), partial(_play, engine, number, one, now, moved)) for number, one in enumerate(_SESSIONS)
    ]
    steps += [(at, partial(write, engine, written)) for at, write in memory_steps(now)]
    steps += [(at, partial(give, engine)) for at, give in context_steps(now)]
    steps += [(at, partial(act, engine)) for at, act in background_steps(now)]
    steps += [(at, partial(link, engine)) for at, link in link_steps(now)]
    let_read(engine)
    for at, step in sorted(steps, key=lambda one: one[0]):
        if moved is not None:
            moved.move_to(at)
        step()
    engine.events.wait_idle(IDLE_TIMEOUT_S)
    if moved is not None:
        moved.catch_up()
    for _ in range(2):  # what the reader answers may ask for another look
        engine.contradictions.settle(IDLE_TIMEOUT_S)
        wait_for_background(engine)
    return sum(len(_requests(number, one, now)) for number, one in enumerate(_SESSIONS))


def _play(engine: "Engine", number: int, session: _Session, now: datetime, moved: MovedClock | None) -> None:
    """One session as its assistant sends it, with what the assistant was given at its first prompt; then it is read, if it is over."""
    for step, request in enumerate(_requests(number, session, now)):
        if moved is not None and request.at is not None:
            moved.move_to(request.at)
        if step == 0:
            give_at_prompt(engine, request)
        engine.events.capture((request,), wait_s=0)
    engine.events.wait_idle(IDLE_TIMEOUT_S)
    if not 0 < session.when.minutes_ago < _GOING_ON_MINUTES:
        engine.judge.read()
        wait_for_background(engine)


def _requests(number: int, session: _Session, now: datetime) -> list[CaptureRequest]:
    at = session.when.before(now)
    root = f"/home/demo/src/{session.project}"
    made: list[CaptureRequest] = []
    for step, text in enumerate(session.prompts):
        made.append(
            _request(session, f"{number}-{step}", EventKind.PROMPT, at + timedelta(minutes=3 * step), root, text)
        )
    for step, name in enumerate(session.files):
        payload: dict[str, object] = {"tool_name": "Edit", "tool_input": {"file_path": f"{root}/{name}"}}
        moment = at + timedelta(minutes=3 * len(session.prompts) - 2, seconds=step)
        made.append(_request(session, f"{number}-f{step}", EventKind.TOOL, moment, root, "", payload))
    for step, command in enumerate(session.checks):
        ran: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {}}
        moment = at + timedelta(minutes=3 * len(session.prompts) - 2, seconds=30 + step)
        made.append(_request(session, f"{number}-r{step}", EventKind.TOOL, moment, root, "", ran))
    end = at + timedelta(minutes=3 * len(session.prompts) - 1)
    if session.commit:
        said: dict[str, object] = {
            "tool_name": "Bash",
            "tool_input": {"command": f"git commit -am '{session.commit}'"},
            "tool_response": {},
        }
        made.append(_request(session, f"{number}-c", EventKind.TOOL, end, root, "", said))
    if session.answer:
        made.append(_request(session, f"{number}-a", EventKind.ANSWER, end, root, session.answer))
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
        session=f"demo-{session.app}-{key.split('-', maxsplit=1)[0]}",
        text=text,
        at=at,
        cwd=root,
        project_root=root,
        payload=payload or {},
    )
