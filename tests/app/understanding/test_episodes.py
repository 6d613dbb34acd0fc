"""An episode says how its conversation went, with its moments, what was made and what was learned; and is found by project and time."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from app.api import (
    CaptureRequest,
    Engine,
    EpisodeFilter,
    EpisodeType,
    EventKind,
    FactType,
    FrozenClock,
    Level,
    MemoryDraft,
    MemoryKind,
)
from app.errors import NotFoundError
from app.understanding.episodes.queries import read_wish
from tests.patience import PATIENCE_S

Say = Callable[..., Any]


@pytest.fixture
def use(engine: Engine, clock: FrozenClock) -> Callable[..., None]:
    numbers = iter(range(1, 1_000))

    def send(name: str, *, session: str = "s1", response: Any = None, **given: Any) -> None:
        clock.advance(seconds=5)
        payload = {"tool_name": name, "tool_input": given, "tool_response": response or {}}
        request = CaptureRequest(
            app="claude-code", kind=EventKind.TOOL, key=f"{session}:{name}:{next(numbers)}", session=session,
            cwd="/w/app", at=clock.now(), payload=payload,
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)

    return send


@pytest.fixture
def end(engine: Engine, clock: FrozenClock) -> Callable[..., None]:
    numbers = iter(range(1, 1_000))

    def send(session: str = "s1", cwd: str = "/w/app") -> None:
        clock.advance(seconds=5)
        request = CaptureRequest(
            app="claude-code", kind=EventKind.SESSION_END, key=f"{session}:end:{next(numbers)}", session=session, cwd=cwd,
            at=clock.now(), payload={"reason": "other"},
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)

    return send


def work(say: Say, use: Callable[..., None]) -> None:
    say("the export of the orders fails with a KeyError, why?")
    use("Edit", file_path="/w/app/src/orders.py", old_string="a", new_string="b")
    say("still fails, same error")
    say("no change, it still fails")
    use("Write", file_path="/w/app/docs/adr/0003-cents.md", content="# Cents")
    say("We decided to store all prices in cents instead of floats.")
    say("that fixed it, works now. great!")
    use(
        "Bash",
        command="git commit -m 'Prices are cents'",
        response={"stdout": "[main 1a2b3c4] Prices are cents\n 2 files"},
    )


@pytest.mark.seed("S3", "episodic.fields")
@pytest.mark.seed("S4", "episode.artifacts")
def test_an_episode_has_what_the_specifications_name(
    engine: Engine, say: Say, use: Callable[..., None], end: Callable[..., None], clock: FrozenClock
) -> None:
    began = clock.now()
    work(say, use)
    end()
    (one,) = engine.episodes.list()
    detail = engine.episodes.get(one.id)
    assert detail.episode == one
    assert one.participants == ("you", "claude-code")
    assert one.project_path == "/w/app"
    assert one.valence is not None
    assert -1 <= one.valence < 0.5
    assert one.significance is not None
    assert one.significance >= 0.9
    assert one.type is EpisodeType.BREAKTHROUGH
    (place,) = one.conversations
    assert place.turn_range is not None
    assert (place.turn_range.start, place.turn_range.end, place.is_kept) == (
        1,
        5,
        True,
    )
    assert began < one.began_at < one.ended_at
    assert [(made.kind.value, made.reference) for made in one.artifacts] == [
        ("commit", "1a2b3c4"),
        ("file", "src/orders.py"),
        ("adr", "docs/adr/0003-cents.md"),
    ]
    assert "Prices are cents" in detail.narrative
    kinds = {moment.type for moment in one.moments}
    assert {EpisodeType.ISSUE_IDENTIFIED, EpisodeType.BREAKTHROUGH, EpisodeType.TASK_COMPLETED} <= kinds
    assert detail.arc.beginning[0].type is EpisodeType.ISSUE_IDENTIFIED
    assert all(moment.turn >= 4 for moment in detail.arc.end)
    assert detail.arc.key_moments
    assert all(moment.significance >= 0.7 for moment in detail.arc.key_moments)
    assert engine.episodes.narrative_arc(place.conversation_id) == detail.arc
    assert {card.id for card in detail.memories} == {
        card.id for card in engine.memories.of_conversation(place.conversation_id)
    }
    memory = engine.memories.get(one.id).memory
    assert all(memory.levels.at(level).text for level in Level)


def test_what_nothing_shows_stays_empty(
    engine: Engine, say: Say, use: Callable[..., None], end: Callable[..., None]
) -> None:
    say("add an export of the orders as CSV")
    use("Edit", file_path="/w/app/orders.py", old_string="a", new_string="b")
    end()
    assert engine.episodes.list() == ()  # that files were changed, the conversation's own record says
    say("add an export of the guests as CSV", session="s2")
    use("TodoWrite", todos=[{"content": "Write the route", "status": "completed"}], session="s2")
    end("s2")
    (one,) = engine.episodes.list()
    assert (one.type, one.valence, one.significance, one.moments) == (None, None, None, ())
    assert engine.episodes.get(one.id).arc.key_moments == ()


def test_a_moment_goes_with_the_memory_that_says_it(
    engine: Engine, say: Say, use: Callable[..., None], end: Callable[..., None]
) -> None:
    work(say, use)
    end()
    (one,) = engine.episodes.list()
    said = [moment.memory_id for moment in one.moments if moment.memory_id]
    assert said
    engine.memories.archive(said)
    assert not [moment for moment in engine.episodes.list()[0].moments if moment.memory_id]
    engine.memories.unarchive(said)
    assert [moment.memory_id for moment in engine.episodes.list()[0].moments if moment.memory_id] == said
    stored = engine.memories.get(one.id).memory.details["moments"]
    assert all(not moment["text"] for moment in stored if moment["memory_id"]), "its words stand once in the store"


def test_what_happened_in_march_by_project(
    engine: Engine, say: Say, use: Callable[..., None], end: Callable[..., None], clock: FrozenClock
) -> None:
    say("add an export of the orders as CSV")
    use("Bash", command="git commit -m 'Orders can be exported'")
    end()
    clock.advance(days=40)
    say("add a filter for the customers", session="s2")
    use("Bash", session="s2", command="git commit -m 'Customers can be filtered'")
    end("s2")
    newest, oldest = engine.episodes.list()
    assert (newest.began_at.month, oldest.began_at.month) == (4, 3)
    assert engine.episodes.list(EpisodeFilter(text="what happened in March")) == (oldest,)
    assert engine.episodes.list(EpisodeFilter(text="april")) == (newest,)
    assert engine.episodes.list(EpisodeFilter(text="2026-03")) == (oldest,)
    assert engine.episodes.list(EpisodeFilter(text="customers")) == (newest,)
    assert engine.episodes.list(EpisodeFilter(text="50%")) == ()
    assert engine.episodes.list(EpisodeFilter(project="/w/other")) == ()
    assert engine.episodes.list(EpisodeFilter(project="app", until=datetime(2026, 4, 1, tzinfo=UTC))) == (oldest,)
    assert engine.episodes.list(before=newest.id) == (oldest,)
    assert engine.episodes.list(limit=1) == (newest,)
    with pytest.raises(NotFoundError):
        engine.episodes.list(before=10_000)


def test_an_episode_written_by_hand_or_from_a_file_is_told_too(engine: Engine) -> None:
    draft = MemoryDraft(
        "We moved the login to sessions.", kind=MemoryKind.EPISODE, details={"valence": "high", "moments": 3}
    )
    made = engine.memories.create(draft)
    fact = engine.memories.create(MemoryDraft("Prices are cents.", type=FactType.DECISION))
    one = engine.episodes.get(made).episode
    assert (one.valence, one.moments, one.conversations, one.participants) == (None, (), (), ())
    with pytest.raises(NotFoundError):
        engine.episodes.get(fact)


@pytest.mark.parametrize(
    ("text", "since", "until", "words"),
    [
        ("march", "2026-03-01", "2026-04-01", ""),
        ("December 2025", "2025-12-01", "2026-01-01", ""),
        ("2025", "2025-01-01", "2026-01-01", ""),
        ("export", None, None, "export"),
        ("what did we do with src/orders.py last week", "2026-11-16", "2026-11-23", "src/orders.py"),
    ],
)
def test_a_time_is_read_as_people_say_it(text: str, since: str | None, until: str | None, words: str) -> None:
    first, last, rest = read_wish(text, datetime(2026, 11, 25, tzinfo=UTC))
    assert (first and first.date().isoformat(), last and last.date().isoformat(), rest) == (since, until, words)
