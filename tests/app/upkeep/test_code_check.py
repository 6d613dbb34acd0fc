"""A memory that names a file or symbol which the project lost is called outdated; nothing else is, and nobody waits for it."""

from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, MemoryDraft
from app.deciders.recall.context.named_code import find_named_code
from app.values import Context, ContextRequest, ContextSignals


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    (root / "src" / "net").mkdir(parents=True)
    (root / "node_modules" / "left").mkdir(parents=True)
    (root / "src" / "net" / "backoff.py").write_text("def retry_later(): ...\n")
    (root / "node_modules" / "left" / "gone.js").write_text("")
    return root


def give(engine: Engine, project: Path) -> Context:
    signals = ContextSignals(project_path=str(project), prompt="how do retries and the parser work?")
    return engine.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))


def stale_texts(engine: Engine, project: Path) -> list[str]:
    give(engine, project)
    engine._core.parts.code_check.wait()
    return [item.text for item in give(engine, project).items if item.is_stale]


def remember(engine: Engine, project: Path, clock: FrozenClock, *texts: str) -> None:
    for text in texts:
        engine.memories.create(MemoryDraft(text=text, project_path=str(project)))
    clock.advance(minutes=60 * 25)


def test_lost_files_and_symbols_are_outdated_others_are_not(engine: Engine, project: Path, clock: FrozenClock) -> None:
    remember(
        engine, project, clock,
        "Retries live in src/net/backoff.py and in `retry_later`.",
        "Retries were once in src/old/retry.py before that.",
        "The parser calls parse_quickly() for every retry.",
        "Retries are described at https://example.org/retry.md and in /etc/retry.conf.json.",
        "The parser retries backoff.py thrice.",
    )  # fmt: skip
    found = stale_texts(engine, project)
    assert len(found) == 2
    assert any("src/old/retry.py" in text for text in found)
    assert any("parse_quickly" in text for text in found)
    assert all("may be outdated" in text for text in found)


def test_what_was_said_today_may_be_about_to_be_written(engine: Engine, project: Path) -> None:
    engine.memories.create(MemoryDraft(text="Retries will live in src/new/retry.py.", project_path=str(project)))
    assert stale_texts(engine, project) == []


def test_the_first_answer_waits_for_nothing_and_a_missing_folder_proves_nothing(
    engine: Engine, tmp_path: Path, clock: FrozenClock
) -> None:
    remember(engine, tmp_path / "nowhere", clock, "Retries live in src/old/retry.py.")
    assert stale_texts(engine, tmp_path / "nowhere") == []


def test_a_folder_that_cannot_be_read_is_tried_again_after_a_minute(
    engine: Engine, tmp_path: Path, clock: FrozenClock
) -> None:
    project = tmp_path / "later"
    remember(engine, project, clock, "Retries live in src/old/retry.py.")
    assert stale_texts(engine, project) == []
    project.mkdir()
    assert stale_texts(engine, project) == []
    clock.advance(seconds=61)
    assert len(stale_texts(engine, project)) == 1


def test_links_out_of_the_folder_are_not_followed(
    engine: Engine, project: Path, tmp_path: Path, clock: FrozenClock
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "retry.py").write_text("def hidden_symbol(): ...\n")
    (project / "src" / "linked").symlink_to(outside)
    (project / "src" / "one.py").symlink_to(outside / "retry.py")
    remember(engine, project, clock, "Retries call hidden_symbol() of the parser.")
    assert len(stale_texts(engine, project)) == 1


@pytest.mark.parametrize(
    ("text", "files", "symbols"),
    [
        ("see `src/a.py`", ("src/a.py",), ()),
        ("Version 3.11.py is odd, e.g. this", ("3.11.py",), ()),
        ("write to me@site.io or a.b", (), ()),
        ("`color` and `maxRetries`", (), ("maxRetries",)),
    ],
)
def test_only_what_is_surely_meant_counts(text: str, files: tuple[str, ...], symbols: tuple[str, ...]) -> None:
    assert find_named_code(text).files == files
    assert find_named_code(text).symbols == symbols


def test_another_major_than_the_project_declares_is_outdated(engine: Engine, project: Path, clock: FrozenClock) -> None:
    (project / "package.json").write_text('{"dependencies": {"react": "^18.2.0", "next": ">=13"}}')
    (project / "requirements.txt").write_text("Django==4.2.1\npytest>=7,<9  # tests\n")
    remember(
        engine, project, clock,
        "The parser page uses React 17.",
        "The retries page moved from React 17 to React 18.",
        "The retries page needs React 17+.",
        "The parser of the shop runs on Next.js 14.",
        "The parser retries in Django 3.2.",
        "Retries are tested with pytest 8.",
        "The parser has Angular 9 in mind.",
    )  # fmt: skip
    found = stale_texts(engine, project)
    assert len(found) == 2
    assert any("React 17." in text for text in found)
    assert any("Django 3.2" in text for text in found)
