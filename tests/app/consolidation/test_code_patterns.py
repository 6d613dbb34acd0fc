"""Code patterns in a run: read from the files that were changed, kept without their code, taken back, given when one is made."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.api import (
    CaptureRequest,
    ContextRequest,
    ContextSignals,
    Engine,
    EventKind,
    ExclusionKind,
    FrozenClock,
    Places,
)
from app.deciders.learning.endpoint_shapes import can_read
from app.values import MemoryKind, Tier
from tests.app.deciders import code_samples as samples
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not can_read("a.ts"), reason="the grammar is not installed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "src" / "api").mkdir(parents=True)
    (root / ".git").mkdir()
    for name in ("order", "user", "item"):
        (root / "src" / "api" / f"{name}.ts").write_text(samples.zod(name), encoding="utf-8")
    return root


def change(engine: Engine, clock: FrozenClock, say: Say, root: Path, *names: str) -> None:
    """One conversation in which these files were edited."""
    first = say("Add the orders", session="a", cwd=str(root))
    for name in names:
        clock.advance(seconds=5)
        payload = {
            "tool_name": "Edit",
            "tool_input": {"file_path": str(root / name)},
            "tool_response": {"exit_code": 0},
        }
        base = CaptureRequest("claude-code", EventKind.TOOL, name, session="a", cwd=str(root))
        engine.events.capture([replace(base, payload=payload)], wait_s=PATIENCE_S)
    assert first.conversation_id is not None


FILES = ("src/api/order.ts", "src/api/user.ts", "src/api/item.ts")


def test_what_recurs_in_changed_files_is_kept_without_their_code(
    engine: Engine, clock: FrozenClock, say: Say, project: Path, places: Places
) -> None:
    change(engine, clock, say, project, *FILES)
    before = dump_store(places.store_path, without=frozenset({"note"}))
    card = engine.consolidation.run()
    (one,) = engine.rules.practices(MemoryKind.PATTERN)
    assert (one.hint, one.trigger, one.times) == ("endpoint: route→zod→result→query→json", "new_endpoint", 6)
    assert set(one.examples) == {"src/api/item.ts:6", "src/api/order.ts:6", "src/api/user.ts:6"}
    whole = engine.memories.get(one.id).memory
    assert "safeParse" not in f"{whole}"
    engine.consolidation.undo(card.id)
    assert engine.rules.practices(MemoryKind.PATTERN) == ()
    assert dump_store(places.store_path, without=frozenset({"note"})) == before


def test_a_second_run_has_nothing_to_do_and_a_changed_file_counts(
    engine: Engine, clock: FrozenClock, say: Say, project: Path
) -> None:
    change(engine, clock, say, project, *FILES)
    engine.consolidation.run()
    again = engine.consolidation.run()
    assert (again.report.patterns_added, again.report.patterns_reinforced) == (0, 0)
    (project / "src/api/order.ts").unlink()
    engine.consolidation.run()
    assert [one.times for one in engine.rules.practices(MemoryKind.PATTERN)] == [4]


def test_it_comes_when_one_is_made_and_in_a_new_file_beside_the_others(
    engine: Engine, clock: FrozenClock, say: Say, project: Path
) -> None:
    change(engine, clock, say, project, *FILES)
    engine.consolidation.run()
    (one,) = engine.rules.practices(MemoryKind.PATTERN)

    def given(prompt: str, file: str = "", delivery: str = "api") -> Tier | None:
        signals = ContextSignals(project_path=str(project), prompt=prompt, current_file=file)
        context = engine.context.assemble(ContextRequest(signals, delivery=delivery))
        return next((item.tier for item in context.items if item.memory_id == one.id), None)

    assert given("Add an endpoint for invoices", delivery="hook:prompt") is Tier.RELEVANT
    assert given("", str(project / "src/api/invoice.ts")) is Tier.RELEVANT
    assert given("Why does the map flicker?", delivery="hook:prompt") is None


def test_excluded_outside_gone_and_switched_off_are_not_read(
    engine: Engine, clock: FrozenClock, say: Say, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "other.ts"
    outside.write_text(samples.zod("secret"), encoding="utf-8")
    (project / "src" / "link.ts").symlink_to(outside)
    change(
        engine, clock, say, project, "src/api/order.ts", "src/api/user.ts", "../other.ts", "src/link.ts", "src/gone.ts"
    )
    engine.consolidation.run()
    assert [one.times for one in engine.rules.practices(MemoryKind.PATTERN)] == [4]
    assert all("api/" in said for one in engine.rules.practices(MemoryKind.PATTERN) for said in one.examples)


def test_an_excluded_folder_teaches_nothing(engine: Engine, clock: FrozenClock, say: Say, project: Path) -> None:
    change(engine, clock, say, project, *FILES)
    engine.rules.exclude(ExclusionKind.FOLDER, str(project / "src"))
    engine.consolidation.run()
    assert engine.rules.practices(MemoryKind.PATTERN) == ()


def test_switched_off_no_file_is_read(engine: Engine, clock: FrozenClock, say: Say, project: Path) -> None:
    engine.settings.set("is_reading_code", False)
    change(engine, clock, say, project, *FILES)
    engine.consolidation.run()
    assert engine.rules.practices(MemoryKind.PATTERN) == ()
