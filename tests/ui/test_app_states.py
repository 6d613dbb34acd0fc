"""What the card of an app says of it: one that only reads never waits for a message."""

from datetime import UTC, datetime

import pytest

from app.values.capture import AppCard, Scope
from ui.panels.app_card import AppView, describe_app

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
