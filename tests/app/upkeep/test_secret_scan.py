"""S6: secrets that were stored before the rules knew them are found wherever they stand, and purged to the last byte."""

import random
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.store.store import Store
from app.store.tables.core import RuleRow
from app.upkeep.secret_scan import find_secrets
from app.values import MemoryDraft, MemoryEdit, MemoryFilter, MemoryStatus, Origin, RecallQuery, SecretFinding
from tests.app.privacy.secret_samples import SHAPES
from tests.conftest import START
from tests.patience import PATIENCE_S
from tests.shipped_rules import secret_rules

SECRETS = secret_rules()
TOKEN = "ghp_" + "Zq7x" * 9
PASSWORD = "wn5!kRt9pLx2"


def rule_row(text: str, at: datetime) -> dict[str, object]:
    return {"kind": "intent", "pattern": text, "data": {}, "confidence": 1.0, "learned_from": 1, "created_at": at}


@dataclass
class Story:
    """A store whose owner once had redaction switched off."""

    home: Path
    memory_id: int = 0
    message_id: int = 0
    kept_texts: list[str] = field(default_factory=list)


@pytest.fixture
def story(places: Places, clock: FrozenClock) -> Story:
    with closing(Engine.open(places, clock=clock, flags={"is_redacting": False})) as engine:
        say(engine, f"Deploys use the token {TOKEN} for the registry, never the old one.", "k1")
        say(engine, "Put it into the CI settings page", "k2")
        memory_id = engine.memories.create(
            MemoryDraft(f"The CI token is {TOKEN}.", tags=("ci",), details={"steps": [f"export T={TOKEN}"]})
        )
        engine.memories.edit(memory_id, MemoryEdit(full=f"The database password is {PASSWORD}.", title="Login"))
        engine.memories.edit(memory_id, MemoryEdit(category="access"))
        engine.memories.create(MemoryDraft("Backups run at night."))
        engine.conversations.rename(1, f"Token {TOKEN}")
        engine.memories.archive([memory_id])
        engine.journal.undo()
        engine.search.search(RecallQuery("CI token"))
        message = engine.conversations.get(1).messages[0]
        return Story(places.data_dir.parent, memory_id, message.id)


def say(engine: Engine, text: str, key: str) -> None:
    request = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=key, session="s1", text=text, cwd="/w/app")
    engine.events.capture([request], wait_s=PATIENCE_S)


def leaks(home: Path) -> list[str]:
    found = []
    for path in sorted(home.rglob("*")):
        if path.is_file():
            data = path.read_bytes().lower()
            found += [path.name for secret in (TOKEN, PASSWORD) if secret.lower().encode() in data]
    return found


def tables(findings: tuple[SecretFinding, ...]) -> set[str]:
    return {one.table for one in findings}


def test_a_scan_finds_them_everywhere_and_shows_none(places: Places, clock: FrozenClock, story: Story) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        before = engine.journal.list()
        findings = engine.memories.scan_secrets(purge=False)
        assert {"message", "memory", "version", "journal", "conversation", "source"} <= tables(findings)
        assert all(TOKEN not in one.excerpt and PASSWORD not in one.excerpt for one in findings)
        assert all("[secret:" in one.excerpt and one.rule for one in findings)
        (one,) = [one for one in findings if one.table == "message" and one.row_id == story.message_id][:1]
        assert "Deploys use the token" in one.excerpt
        assert engine.journal.list() == before, "a scan writes nothing"
        assert leaks(story.home)


def test_a_purge_leaves_no_byte_and_everything_still_works(places: Places, clock: FrozenClock, story: Story) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        findings = engine.memories.scan_secrets(purge=True, includes_backups=True)
        assert findings
        assert leaks(story.home) == [], "while running"
        assert engine.memories.scan_secrets(purge=False) == ()
        assert engine.memories.scan_secrets(purge=True) == ()
        newest = engine.journal.list()[0]
        assert (newest.kind, newest.is_undoable) == ("purge_secrets", False)
        memory = engine.memories.get(story.memory_id)
        assert "[secret:" in memory.memory.levels.full.text
        assert memory.memory.tags == ("ci",)
        assert "[secret:" in engine.messages.get(story.message_id).text
        assert engine.memories.list(MemoryFilter(tags=("ci",))).total == 1
        assert engine.search.search(RecallQuery("night backups")).hits
    assert leaks(story.home) == [], "after the end"


def test_undo_after_a_purge_brings_back_the_acts_but_not_the_secrets(
    places: Places, clock: FrozenClock, story: Story
) -> None:
    with closing(Engine.open(places, clock=clock)) as engine:
        engine.memories.scan_secrets(purge=True, includes_backups=True)
        undone = 0
        while engine.journal.undo_label():
            engine.journal.undo()
            undone += 1
        assert undone >= 5
        assert engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus))).total < 2
        assert engine.conversations.list()[0].is_title_edited is False
        for _ in range(undone):
            engine.journal.redo()
        assert engine.memories.get(story.memory_id).memory.category == "access"
        assert leaks(story.home) == []


def test_a_store_without_secrets_is_left_as_it_is(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("Backups run at night."))
    before = engine.journal.list()
    assert engine.memories.scan_secrets(purge=True) == ()
    assert engine.journal.list() == before


def test_every_shape_of_secret_is_found_among_many_rows(tmp_path: Path) -> None:
    """Rows are looked at many at a time: no secret may hide behind its neighbours."""
    chance = random.Random(4)
    store = Store(Places.under(tmp_path / "home"), FrozenClock(START), owner="command")
    try:
        planted: dict[int, str] = {}
        with store.write(origin=Origin.PERSON, kind="fill", label="") as write:
            for number, shape in enumerate(sorted(SHAPES)):
                secret = SHAPES[shape](chance)
                planted[write.insert(RuleRow, rule_row(f"Step {number}: use {secret} for it", write.at))] = secret
                for plain in range(chance.randrange(5)):
                    write.insert(RuleRow, rule_row(f"Step {plain} uses port {8000 + plain}.", write.at))
        with store.read() as connection:
            found = find_secrets(connection, SECRETS)
        assert {one.row_id for one in found} == set(planted)
        for one in found:
            assert not any(part in one.excerpt for part in planted[one.row_id].splitlines() if len(part) > 12)
    finally:
        store.close()


def test_a_purge_reaches_what_assistants_and_the_archive_keep(places: Places, clock: FrozenClock) -> None:
    """Notes, titles, the ends of answers, branches, episodes, and prompts that have left the queue."""
    flags: dict[str, object] = {"is_redacting": False, "archive": "forever", "queue_size": 3}
    with closing(Engine.open(places, clock=clock, flags=flags)) as engine:
        for number in range(6):
            session = f"s{number}"

            def tell(kind: EventKind, text: str = "", *, session: str = session, **payload: object) -> None:
                clock.advance(minutes=90)
                key = f"{session}:{kind}:{clock.now()}"
                event = CaptureRequest(
                    "claude-code", kind, key, session, text, clock.now(), "/w/app", git_branch=f"fix-{TOKEN}",
                    payload=dict(payload),
                )  # fmt: skip
                engine.events.capture([event], wait_s=PATIENCE_S)

            tell(EventKind.PROMPT, f"Deploy number {number} with {TOKEN} to the registry")
            commit = {"command": f"git commit -m 'Use {TOKEN} for deploys'"}
            tell(EventKind.TOOL, tool_name="Bash", tool_input=commit, tool_response={"exit_code": 0})
            rule = {"file_path": "/w/app/CLAUDE.md", "content": f"- Run `make deploy T={TOKEN}` first\n"}
            tell(EventKind.TOOL, tool_name="Write", tool_input=rule, tool_response={"exit_code": 0})
            tell(EventKind.SIGNAL, distilled=[["title", f"Deploys with {TOKEN} {number}", ""]])
            tell(EventKind.ANSWER, f"I have deployed it with {TOKEN}.")
            tell(EventKind.SESSION_END)
    with closing(Engine.open(places, clock=clock, flags=flags | {"is_redacting": True})) as engine:
        found = tables(engine.memories.scan_secrets(purge=True, includes_backups=True))
        assert {"archived_prompt", "answer_end", "message_branch", "conversation", "memory", "journal"} <= found
        assert leaks(places.data_dir.parent) == []
        assert engine.memories.scan_secrets(purge=False) == ()
