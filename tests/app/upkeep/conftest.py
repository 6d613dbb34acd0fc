"""What the tests of upkeep share."""

import pytest

from app.upkeep import notes


@pytest.fixture(autouse=True)
def _notes_wait_for_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests of notes end one conversation at a time; the app waits whether another ends, or is taken back."""
    if request.path.name.startswith("test_note"):
        monkeypatch.setattr(notes, "_SETTLE_S", 0.02)
        monkeypatch.setattr(notes, "_UNDO_S", 0.0)
