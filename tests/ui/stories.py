"""Twenty-five small conversations to fill a queue with, and how they are captured. Our own texts.

Each story is one session: (app, project, hours before `now`, prompts, files edited).
"""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from tests.patience import PATIENCE_S


class Story(NamedTuple):
    app: str
    project: str
    hours_ago: float
    prompts: tuple[str, ...]
    files: tuple[str, ...] = ()
    last_after_hours: float = 0.0  # a pause before the last prompt, long enough to be asked about


STORIES: tuple[Story, ...] = (
    Story(
        "codex",
        "ledger",
        620,
        ("Rename the columns of the CSV export to snake case", "Do the same for the totals sheet"),
    ),
    Story("claude-code", "ledger", 560, ("Which Python versions do we support?", "Drop 3.9 then")),
    Story("cursor", "atlas", 500, ("Sketch a plan for tiles that load lazily", "Go with the second option")),
    Story(
        "codex", "atlas", 470, ("The map flickers when I zoom fast, find out why", "Yes, it is the tile cache. Fix it")
    ),
    Story("claude-code", "atlas", 440, ("Write a changelog entry for the zoom fix",)),
    Story(
        "claude-code",
        "ledger",
        400,
        (
            "Add an invoice export as PDF",
            "The margins are too wide, make them 15 mm",
            "Use the same font as in the web view",
            "Now test it with an invoice of three pages",
        ),
        ("src/export/pdf.py", "tests/test_pdf.py"),
    ),
    Story(
        "cursor",
        "ledger",
        350,
        ("Why does the login test fail on Mondays?", "So it is the time zone. Freeze the clock in it"),
    ),
    Story(
        "codex",
        "hearth",
        300,
        ("Set up GitHub Actions with a matrix for 3.11 and 3.12", "It fails on Windows, skip that"),
    ),
    Story(
        "claude-code",
        "hearth",
        270,
        ("Review the retry logic in sync/client.py", "Your second remark is right, change that"),
    ),
    Story(
        "claude-code", "hearth", 240, ("Document the settings file", "Shorter. And mention the environment variables")
    ),
    Story("codex", "hearth", 200, ("Move the queue to WAL mode", "What happens to it when the disk is full?")),
    Story("cursor", "atlas", 170, ("Add a legend to the map", "Put it at the bottom left", "Make it collapsible")),
    Story(
        "claude-code", "atlas", 150, ("Refactor TileCache into its own module", "Run the tests"), ("atlas/tiles.py",)
    ),
    Story("codex", "ledger", 120, ("Fix the rounding of VAT", "No, half up, not half even", "Add a test for it")),
    Story("claude-code", "ledger", 100, ("Let people upload a logo", "Limit it to 1 MB", "And show a preview of it")),
    Story("cursor", "hearth", 80, ("Profile the start-up, it takes 4 seconds", "Load the parser lazily then")),
    Story("claude-code", "hearth", 55, ("Add dark mode to the settings page", "The contrast of the labels is too low")),
    Story(
        "codex", "atlas", 47, ("How do I cluster markers?", "Use Supercluster for that", "Test it with 50,000 points")
    ),
    Story(
        "claude-code",
        "hearth",
        30,
        (
            "The websocket drops after a minute behind nginx",
            "Add a heartbeat to it, every 20 s",
            "And log when it is missed\n\nlike this:\n    heartbeat missed after 21.4 s (peer 10.0.0.7)",
        ),
        ("hearth/socket.py", "hearth/heartbeat.py", "docs/nginx.md"),
    ),
    Story(
        "codex", "ledger", 26, ("Translate the invoice template to French", "“Montant dû” instead of “Total”, please")
    ),
    Story("cursor", "atlas", 20, ("Write the header component and the footer component", "Change its color to teal")),
    Story(
        "claude-code",
        "ledger",
        9,
        ("Add rate limiting to the API", "Start with the public routes", "Write down how the limits work"),
        last_after_hours=5,
    ),
    Story(
        "claude-code", "atlas", 5, ("Cache the geocoder's answers in SQLite", "Expire them after 30 days", "Test that")
    ),
    Story(
        "codex",
        "hearth",
        3,
        ("Upgrade httpx to 0.28", "It breaks the proxy settings. Pin it again", "Try it once more"),
    ),
    Story(
        "claude-code",
        "hearth",
        0.6,
        (
            "I want to add a FAB button to HostControlPanel.tsx",
            "Make it purple",
            "Add a pulse animation",
            "Test it",
        ),
        ("web/src/HostControlPanel.tsx", "web/src/fab.css"),
    ),
)
PROMPT_EVERY = timedelta(minutes=4)


def requests_of(story: Story, n: int, now: datetime) -> Iterator[CaptureRequest]:
    """Events of one story in order: session start, prompts with the edits after them, session end for old ones."""
    at = now - timedelta(hours=story.hours_ago)
    session, cwd = f"session-{n}", f"/src/{story.project}"
    common = {"app": story.app, "session": session, "cwd": cwd, "project_root": cwd}
    yield CaptureRequest(kind=EventKind.SESSION_START, key=f"{session}-start", at=at, **common)
    for step, prompt in enumerate(story.prompts):
        is_late = step == len(story.prompts) - 1 and story.last_after_hours
        at += timedelta(hours=story.last_after_hours) if is_late else PROMPT_EVERY
        yield CaptureRequest(kind=EventKind.PROMPT, key=f"{session}-{step}", text=prompt, at=at, **common)
    for step, name in enumerate(story.files):
        payload = {"tool_name": "Edit", "tool_input": {"file_path": f"{cwd}/{name}"}}
        at += timedelta(seconds=20)
        yield CaptureRequest(kind=EventKind.TOOL, key=f"{session}-tool-{step}", at=at, payload=payload, **common)
    if story.hours_ago > 1:
        at += timedelta(minutes=2)
        yield CaptureRequest(kind=EventKind.SESSION_END, key=f"{session}-end", at=at, **common)


def all_requests(now: datetime, stories: tuple[Story, ...] = STORIES) -> list[CaptureRequest]:
    return [request for n, story in enumerate(stories) for request in requests_of(story, n, now)]


def make_store(home: Path, stories: tuple[Story, ...], now: datetime) -> Path:
    """A store under `home` that has understood the stories; made once a module and copied a test."""
    made = Engine.open(Places.under(home), clock=FrozenClock(now))
    made.events.capture(all_requests(now, stories), wait_s=0)
    assert made.events.wait_idle(PATIENCE_S)
    made.close()
    return home


def copy_store(template: Path, places: Places) -> None:
    shutil.copytree(Places.under(template).data_dir, places.data_dir)
