"""R3: where the files for the hooks cannot be written the app starts, the person is told, and they are written when the disk is well."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, EventState, ExclusionKind, FrozenClock, Places
from app.capture import exclusion
from app.capture.exclusion import EXCLUDED_NAME
from app.privacy import hook_rules
from app.privacy.hook_rules import RULES_NAME
from app.upkeep import housekeeping
from tests.flows.processes import wait_for
from tests.patience import PATIENCE_S

SAID = "could not be written down for the hooks: read-only file system."


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "_ROUND_S", 0.05)  # the suite has it wait for a day


@contextlib.contextmanager
def read_only() -> Iterator[list[Path]]:
    """Nothing can be written for the hooks; the files of which it was tried, as it goes on."""
    tried: list[Path] = []

    def refuse(path: Path, _data: bytes, **_: object) -> None:
        tried.append(path)
        raise OSError(errno.EROFS, "Read-only file system")

    with pytest.MonkeyPatch.context() as patch:
        for module in (exclusion, hook_rules):
            patch.setattr(module, "write_private", refuse)
        yield tried


def said(engine: Engine) -> bool:
    return SAID in engine.stats.health().store_notice


def test_the_app_starts_without_them_and_writes_them_later(places: Places, clock: FrozenClock) -> None:
    with contextlib.ExitStack() as stack:
        with read_only() as tried:
            engine = stack.enter_context(contextlib.closing(Engine.open(places, clock=clock)))
            request = CaptureRequest(
                app="claude-code", kind=EventKind.PROMPT, key="k", session="s", text="Paint the door green.", cwd="/w/a"
            )
            assert engine.events.capture([request], wait_s=PATIENCE_S)[0].state is EventState.DONE
            assert tried
            assert said(engine)
        wait_for((places.hook_dir / RULES_NAME).exists)
        wait_for(lambda: not said(engine))


def test_an_exclusion_that_cannot_be_written_holds_is_said_and_written_later(places: Places, engine: Engine) -> None:
    engine.warm_up()
    told: list[bool] = []
    with read_only() as tried:
        engine.subscribe(lambda _changes: told.append(said(engine)))
        engine.rules.exclude(ExclusionKind.WORDS, "kingfisher")
        assert places.hook_dir / EXCLUDED_NAME in tried
        assert said(engine)
        assert told[-1], "the window hears of it"
        assert engine.rules.is_excluded("a kingfisher"), "the app itself keeps to it"
    assert not (places.hook_dir / EXCLUDED_NAME).exists()
    wait_for((places.hook_dir / EXCLUDED_NAME).exists)
    wait_for(lambda: not said(engine))
