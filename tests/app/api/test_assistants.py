"""What is told of a connected assistant: what it waits for, and that nothing was heard of it although a session runs."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, Places
from app.api import apps as apps_module
from app.api.doctor import examine
from app.clock import FrozenClock
from app.values import AssistantCard, ExclusionKind


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime.now(UTC))


@pytest.fixture
def engine(tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(apps_module, "_LOOK_EVERY_S", 0.0)
    for folder in (".claude/projects/-w-app", ".codex"):
        (Path.home() / folder).mkdir(parents=True)
    opened = Engine.open(Places.under(tmp_path / "ours"), clock=clock)
    yield opened
    opened.close()


def card(engine: Engine, name: str) -> AssistantCard:
    return next(one for one in engine.apps.assistants() if one.name == name)


def write_transcript(clock: FrozenClock) -> None:
    path = Path.home() / ".claude/projects/-w-app/5f0e.jsonl"
    path.write_text('{"type": "user"}\n')
    os.utime(path, (clock.now().timestamp(),) * 2)


def test_a_session_that_is_written_for_an_hour_and_says_nothing_is_told(engine: Engine, clock: FrozenClock) -> None:
    engine.apps.connect("claude-code")
    write_transcript(clock)
    assert not card(engine, "claude-code").is_unheard
    clock.advance(minutes=61)
    assert not card(engine, "claude-code").is_unheard, "no session was written since"
    write_transcript(clock)
    assert card(engine, "claude-code").is_unheard
    engine.apps.pause("claude-code")
    assert not card(engine, "claude-code").is_unheard
    engine.apps.resume("claude-code")
    clock.advance(minutes=61)
    assert not card(engine, "claude-code").is_unheard, "the session is over"


def test_what_was_heard_counts_even_if_it_was_kept_out(engine: Engine, clock: FrozenClock, tmp_path: Path) -> None:
    engine.apps.connect("claude-code")
    engine.rules.exclude(ExclusionKind.FOLDER, str(tmp_path))
    clock.advance(minutes=61)
    write_transcript(clock)
    engine.events.capture(
        [CaptureRequest("claude-code", EventKind.PROMPT, "k1", session="s", text="private", cwd=str(tmp_path))]
    )
    assert not card(engine, "claude-code").is_unheard


def test_a_hook_that_spoke_since_needs_no_trust_whatever_its_configuration_says(
    engine: Engine, clock: FrozenClock
) -> None:
    engine.apps.connect("codex")
    assert "Trust all and continue" in card(engine, "codex").waiting
    clock.advance(minutes=1)
    engine.events.capture([CaptureRequest("codex", EventKind.PROMPT, "k1", session="s", text="hello", cwd="/w")])
    assert card(engine, "codex").waiting == ""


def test_doctor_says_what_an_assistant_waits_for(engine: Engine) -> None:
    def found() -> list[tuple[bool, str]]:
        return [(one.is_ok, one.text) for one in examine(engine.places) if one.check == "assistants"]

    assert found() == [(True, "none is connected")]
    engine.apps.connect("claude-code")
    assert found() == [(True, "connected: Claude Code")]
    engine.apps.connect("codex")
    ((is_ok, text),) = found()
    assert not is_ok
    assert "Trust all and continue" in text


def test_connecting_tells_what_the_first_call_of_a_tool_asks_for(engine: Engine) -> None:
    assert any("mcp__remanence__recall" in note for note in engine.apps.connect_notes("claude-code"))
    assert any("Trust all and continue" in note for note in engine.apps.connect_notes("codex"))


def test_what_assistants_run_is_written_anew_when_the_app_starts(engine: Engine) -> None:
    engine.apps.connect("claude-code")
    places = engine.places
    launcher = places.state_dir / "remanence-hook"
    text = launcher.read_text()
    launcher.write_text(text.replace("import", "imports"))
    engine.close()
    Engine.open(places).close()
    assert launcher.read_text() == text
    assert f'["--home", {str(places.state_dir.parent)!r}]' in text
