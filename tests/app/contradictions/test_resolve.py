"""A person's answer: validity, supersedes, links and the next context follow it, and one undo brings the store back as it was."""

from datetime import timedelta

import pytest

from app.api import Engine, FrozenClock, InvalidError, NotFoundError, Places, StaleError
from app.context.answers import CallerProject
from app.deciders.memory.contradictions.resolutions import Evidence, Suggestion, suggest_resolution
from app.values import (
    ContextRequest,
    ContextSignals,
    ContradictionState,
    LinkType,
    MemoryDraft,
    MemoryStatus,
    Origin,
    Resolution,
    ResolutionRequest,
)
from tests.app.consolidation.memories import project_of
from tests.app.consolidation.test_notes_step import insert
from tests.dump import dump_store

REDIS, MEMCACHED = "We decided to use Redis for caching.", "We decided to use Memcached for caching."
SHOP = "/w/shop"


@pytest.fixture
def pair(engine: Engine, clock: FrozenClock) -> tuple[int, int]:
    first = engine.memories.create(MemoryDraft(REDIS, project_path=SHOP))
    clock.advance(days=10)
    second = engine.memories.create(MemoryDraft(MEMCACHED, project_path=SHOP))
    clock.advance(days=1)
    return first, second


@pytest.fixture
def number(engine: Engine, pair: tuple[int, int]) -> int:
    [found] = engine.contradictions.list()
    assert (found.a.id, found.b.id) == pair
    return found.id


def context_of(engine: Engine) -> str:
    signals = ContextSignals(project_path=SHOP, app="claude-code", prompt="How do we cache?")
    return engine.context.assemble(ContextRequest(signals)).text


def resolve(engine: Engine, number: int, resolution: Resolution, **more: object) -> None:
    engine.contradictions.resolve(number, ResolutionRequest(resolution, **more))  # type: ignore[arg-type]


@pytest.mark.seed("S4", "con.superseded", "schema.resolution")
def test_b_wins_closes_a_where_b_began(engine: Engine, pair: tuple[int, int], number: int) -> None:
    assert "Unresolved" in context_of(engine), "the control: it is asked as one question"
    resolve(engine, number, Resolution.B_WINS, note="Migration completed, A is outdated")
    a, b = (engine.memories.get(one) for one in pair)
    assert a.memory.valid_to == b.memory.valid_from
    assert (a.memory.superseded_by_id, b.memory.supersedes_id) == (pair[1], pair[0])
    assert [(one.type, one.other_id) for one in b.links] == [(LinkType.SUPERSEDES, pair[0])]
    given = context_of(engine)
    assert "Memcached" in given
    assert "Unresolved" not in given
    assert REDIS not in given
    [done] = engine.contradictions.list("resolved")
    assert (done.resolution, done.resolution_note) == (Resolution.B_WINS, "Migration completed, A is outdated")
    assert (done.resolved_by, done.state) == ("person", ContradictionState.RESOLVED)
    assert engine.contradictions.list() == ()


@pytest.mark.seed("S4", "schema.resolution")
def test_a_wins_closes_b_from_now_on(engine: Engine, pair: tuple[int, int], number: int, clock: FrozenClock) -> None:
    resolve(engine, number, Resolution.A_WINS)
    assert engine.memories.get(pair[1]).memory.valid_to == clock.now()
    given = context_of(engine)
    assert "Redis" in given
    assert "Memcached" not in given


def test_since_says_when_the_older_stopped(engine: Engine, pair: tuple[int, int], number: int) -> None:
    since = engine.memories.get(pair[0]).memory.valid_from + timedelta(days=3)
    resolve(engine, number, Resolution.B_WINS, since=since)
    assert engine.memories.get(pair[0]).memory.valid_to == since


@pytest.mark.seed("S4", "schema.resolution")
def test_both_hold_with_the_scope_in_the_words_that_are_given(
    engine: Engine, pair: tuple[int, int], number: int
) -> None:
    resolve(engine, number, Resolution.BOTH_VALID, scope_a="production", scope_b="in tests")
    a, b = (engine.memories.get(one).memory for one in pair)
    assert a.levels.full.text == "We decided to use Redis for caching. Only for production."
    assert b.levels.full.text == "We decided to use Memcached for caching. Only in tests."
    assert (a.valid_to, b.valid_to) == (None, None)
    assert a.slot is not None
    assert a.slot.scope == "production"
    given = context_of(engine)
    assert "Redis" in given
    assert "Memcached" in given
    assert "Unresolved" not in given
    assert engine.contradictions.list("resolved")[0].resolution_note == "A: production. B: in tests."


@pytest.mark.seed("S4", "schema.resolution")
def test_merged_keeps_one_with_the_edited_text(engine: Engine, pair: tuple[int, int], number: int) -> None:
    resolve(engine, number, Resolution.MERGED, text="Redis caches sessions, Memcached everything else.")
    a, b = (engine.memories.get(one).memory for one in pair)
    assert a.status is MemoryStatus.ARCHIVED
    assert b.levels.full.text == "Redis caches sessions, Memcached everything else."
    assert engine.contradictions.list("resolved")[0].resolution is Resolution.MERGED


def test_dismissed_is_given_as_it_is_and_not_asked_again(engine: Engine, pair: tuple[int, int], number: int) -> None:
    resolve(engine, number, Resolution.DISMISSED)
    assert "Unresolved" not in context_of(engine)
    assert engine.memories.get(pair[0]).contradiction_ids == ()
    assert [one.id for one in engine.contradictions.list("dismissed")] == [number]
    assert [one.id for one in engine.contradictions.list("all")] == [number]


ANSWERS = [
    ResolutionRequest(Resolution.A_WINS),
    ResolutionRequest(Resolution.B_WINS, "it moved"),
    ResolutionRequest(Resolution.BOTH_VALID, scope_b="tests"),
    ResolutionRequest(Resolution.MERGED, text="Redis first, then Memcached."),
    ResolutionRequest(Resolution.DISMISSED),
]


@pytest.mark.parametrize("wanted", ANSWERS, ids=[one.resolution.value for one in ANSWERS])
def test_one_undo_brings_the_store_back(engine: Engine, number: int, wanted: ResolutionRequest) -> None:
    before = dump_store(engine.places.store_path)
    engine.contradictions.resolve(number, wanted)
    assert dump_store(engine.places.store_path) != before
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == before


@pytest.mark.parametrize("wanted", ANSWERS, ids=[one.resolution.value for one in ANSWERS])
def test_opened_again_it_is_as_before(engine: Engine, number: int, wanted: ResolutionRequest) -> None:
    before = dump_store(engine.places.store_path)
    engine.contradictions.resolve(number, wanted)
    assert engine.contradictions.reopen(number).state is ContradictionState.OPEN
    assert dump_store(engine.places.store_path) == before


def test_what_the_text_itself_declared_is_opened_again_without_losing_it(engine: Engine) -> None:
    old = engine.memories.create(MemoryDraft("The database is MySQL.", project_path=SHOP))
    new = engine.memories.create(MemoryDraft("We moved from MySQL to SQLite.", project_path=SHOP))
    [done] = engine.contradictions.list("resolved")
    assert (done.a.id, done.b.id, done.resolved_by) == (old, new, "text")
    engine.contradictions.reopen(done.id)
    assert engine.memories.get(old).memory.valid_to is None
    assert [one.id for one in engine.contradictions.list()] == [done.id]
    resolve(engine, done.id, Resolution.A_WINS)
    assert engine.memories.get(new).memory.valid_to is not None


def test_a_side_that_holds_no_more_leaves_nothing_to_decide(engine: Engine, pair: tuple[int, int], number: int) -> None:
    engine.memories.archive([pair[0]])
    assert engine.contradictions.list() == ()
    assert engine.contradictions.count_open() == 0
    with pytest.raises(StaleError):
        resolve(engine, number, Resolution.B_WINS)
    engine.journal.undo()
    assert engine.contradictions.count_open() == 1


@pytest.mark.parametrize(
    "wanted",
    [
        ResolutionRequest(Resolution.BOTH_VALID),
        ResolutionRequest(Resolution.MERGED),
        ResolutionRequest(Resolution.B_WINS, note="x" * 1_001),
        ResolutionRequest(Resolution.BOTH_VALID, scope_a="x" * 121),
    ],
)
def test_what_is_missing_is_said_and_nothing_changes(engine: Engine, number: int, wanted: ResolutionRequest) -> None:
    before = dump_store(engine.places.store_path)
    with pytest.raises(InvalidError):
        engine.contradictions.resolve(number, wanted)
    assert dump_store(engine.places.store_path) == before


def test_a_resolved_one_is_not_resolved_twice(engine: Engine, number: int) -> None:
    resolve(engine, number, Resolution.B_WINS)
    with pytest.raises(StaleError):
        resolve(engine, number, Resolution.A_WINS)
    with pytest.raises(NotFoundError):
        engine.contradictions.get(999)


def test_the_effect_is_said_before(engine: Engine, number: int) -> None:
    detail = engine.contradictions.get(number)
    assert detail.suggested is Resolution.B_WINS
    assert detail.effects[Resolution.B_WINS][0] == "Your assistants get B and no longer A."
    assert "12 Mar 2026" in detail.effects[Resolution.B_WINS][1]
    assert set(detail.effects) == set(Resolution)


def test_a_place_of_its_own_sees_only_its_own(engine: Engine, number: int, pair: tuple[int, int]) -> None:
    del pair
    assert [one.id for one in engine.contradictions.list(project=SHOP)] == [number]
    assert engine.contradictions.list(project="/w/other") == ()
    assert isinstance(engine.answers.place(SHOP), CallerProject)


def test_a_note_that_said_the_losing_side_says_it_no_more_and_undo_brings_it_back(
    engine: Engine, number: int, places: Places
) -> None:
    project_id = project_of(engine, SHOP)
    with engine._core.store.write(origin=Origin.ENGINE, kind="note", label="") as write:
        app_id = engine._core.streams.ensure_app(write, "codex")
        noted = insert(write, app_id, project_id, f"About: Rework the shop. {REDIS}", "rules")
        alone = insert(write, app_id, project_id, REDIS, "rules")
        own = insert(write, app_id, project_id, REDIS, "person")
    detail = engine.contradictions.get(number)
    assert "The sentence is removed from 2 notes too." in detail.effects[Resolution.B_WINS]
    before = dump_store(places.store_path, without=frozenset())
    resolve(engine, number, Resolution.B_WINS)
    assert {one.id: one.content for one in engine.notes.list()} == {noted: "About: Rework the shop.", own: REDIS}
    assert alone not in {one.id for one in engine.notes.list()}
    engine.journal.undo()
    assert dump_store(places.store_path, without=frozenset()) == before


def test_the_suggestion_says_what_spoke_for_it(engine: Engine, pair: tuple[int, int]) -> None:
    a, b = (engine.memories.get(one).memory for one in pair)
    replaces, plain = ("From now on use Memcached for caching.",), (MEMCACHED,)
    for evidence, reason in (
        (Evidence("b", "value", said_of_b=replaces), "B says itself that it replaces A (“From now on”)"),
        (
            Evidence("b", "judged", is_judged=True, said_of_b=replaces),
            "B says itself that it replaces A (“From now on”)",
        ),
        (Evidence("b", "judged", is_judged=True, said_of_b=plain), "read side by side, it is what is true now"),
        (Evidence("b", "retirement", said_of_b=plain), "B says that A is over"),
        (Evidence("b", "value", said_of_b=plain), "B says the same thing with what is new"),
        (Evidence("", "value", said_of_b=plain), "it is the newer one"),
    ):
        assert suggest_resolution(a, b, evidence) == Suggestion(Resolution.B_WINS, reason)
    judged = Evidence("a", "judged", is_judged=True)
    assert suggest_resolution(a, b, judged) == Suggestion(
        Resolution.A_WINS, "read side by side, it is what is true now"
    )
