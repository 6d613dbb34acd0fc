"""What the card of an app says of it: one that only reads never waits for a message."""

from datetime import UTC, datetime

import pytest

from app.values.admin import AssistantCard
from app.values.capture import AppCard, Scope
from ui.screens.apps.card import AppView, describe_app

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def view(scopes: set[Scope], last_seen_at: datetime | None = None) -> AppView:
    app = AppCard(
        id=1, name="panel", title="Panel", scopes=frozenset(scopes), is_paused=False, paused_until=None, keeps_answers=False,
        created_at=NOW, last_seen_at=last_seen_at, message_count=0, is_revoked=False,
    )  # fmt: skip
    return AppView("panel", "Panel", None, app)


@pytest.mark.parametrize(
    ("scopes", "seen", "role", "part"),
    [
        ({Scope.READ}, None, "sub", "has not asked yet"),
        ({Scope.READ}, NOW, "sub", "last asked"),
        ({Scope.CAPTURE, Scope.READ}, None, "warn", "turns green"),
        ({Scope.CAPTURE}, NOW, "good", "Receiving"),
    ],
)
def test_the_state_follows_what_it_may_do(scopes: set[Scope], seen: datetime | None, role: str, part: str) -> None:
    said = describe_app(view(scopes, seen), NOW)
    assert said[0] == role
    assert part in said[1]


def assistant(*, problem: str = "", waiting: str = "", is_connected: bool = True, is_unheard: bool = False) -> AppView:
    card = AssistantCard(
        name="codex", title="Codex", is_found=True, is_connected=is_connected, config_paths=(), problem=problem,
        last_seen_at=NOW, message_count=3, is_paused=False, waiting=waiting, is_unheard=is_unheard,
    )  # fmt: skip
    return AppView("codex", "Codex", card, None)


@pytest.mark.parametrize(
    ("card", "role", "part"),
    [
        (assistant(), "good", "Receiving"),
        (assistant(waiting="Start codex and choose “Trust all and continue”."), "warn", "Trust all and continue"),
        (assistant(problem="Claude Code runs no hooks now."), "warn", "runs no hooks"),
        (assistant(problem="hooks.json is not valid JSON.", is_connected=False), "danger", "not valid JSON"),
        (assistant(is_unheard=True), "danger", "Nothing was captured for an hour although a session of Codex is open"),
        (assistant(is_unheard=True, waiting="Trust them."), "danger", "Nothing was captured for an hour. Trust them."),
    ],
)
def test_connected_is_never_red_and_an_hour_without_a_word_is(card: AppView, role: str, part: str) -> None:
    said = describe_app(card, NOW)
    assert said[0] == role
    assert part in said[1]
