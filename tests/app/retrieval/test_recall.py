"""Recall through the engine: found at once, filters, as-of, usage, erase, crash, rebuild; the same with FTS5 behind it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

from app.api import Engine, FrozenClock, Places
from app.errors import InvalidError
from app.retrieval.indexing import Indexing
from app.store.journal import table_of
from app.store.search.memories import count_waiting
from app.store.search.overlay import Overlay
from app.store.search.values import Scope, Term
from app.store.tables.memory import IndexWaitRow, UsageEventRow
from app.values import (
    FactType,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryStatus,
    Progress,
    RecallQuery,
)
from tests.crowd import remember_all
from tests.patience import PATIENCE_S

Ask = Callable[..., list[str]]


@pytest.fixture
def ask(engine: Engine) -> Ask:
    def search(text: str, **filters: object) -> list[str]:
        answer = engine.search.search(RecallQuery(text, filters=MemoryFilter(**filters), is_counted=False))  # type: ignore[arg-type]
        return [hit.text for hit in answer.hits]

    return search


def remember(engine: Engine, text: str, **more: object) -> int:
    return engine.memories.create(MemoryDraft(text, **more))  # type: ignore[arg-type]


@pytest.fixture(params=["tantivy", "fts5"])
def indexing(request: pytest.FixtureRequest, engine: Engine) -> Iterator[Indexing]:
    """An index without a thread, so that a test says when it is written."""
    engine._core.indexing.stop()
    made = Indexing(engine._core.store, is_tantivy_wanted=request.param == "tantivy")
    engine._core.recall._indexing = engine._core.recall._retriever._indexing = made
    made.rebuild()
    yield made
    made.stop()


@pytest.mark.seed("S3", "retrieval.query.text", "index.invalidate")
def test_a_new_memory_is_found_before_and_after_the_index_has_it(engine: Engine, indexing: Indexing, ask: Ask) -> None:
    remember(engine, "The pelican service listens on port 9911.")
    assert engine.search.search(RecallQuery("pelican port")).hits[0].text.startswith("The pelican")
    assert indexing.index.count() == 0
    assert indexing.catch_up() > 0
    assert indexing.index.count() == 1
    assert ask("pelican port") == ["The pelican service listens on port 9911."]


def test_an_edit_is_found_by_its_new_words_only(engine: Engine, indexing: Indexing, ask: Ask) -> None:
    number = remember(engine, "The pelican service listens on port 9911.")
    indexing.catch_up()
    engine.memories.edit(number, MemoryEdit(full="The heron service listens on port 9911."))
    for _ in range(2):
        assert ask("heron") == ["The heron service listens on port 9911."]
        assert ask("pelican") == []
        indexing.catch_up()


def test_what_waits_for_the_index_is_counted_once(engine: Engine, indexing: Indexing) -> None:
    """An edited memory waits too, and the index still holds it as it was."""

    def rarities() -> dict[str, float]:
        with engine._core.store.read() as connection:
            pool = engine._core.recall.retrieve(connection, "pelican port heron", MemoryFilter(), 5).pool
        return {entry.stem: round(entry.idf, 6) for entry in pool.query_terms}

    numbers = [remember(engine, f"The pelican service {name} listens on port 9911.") for name in ("one", "two")]
    remember(engine, "The heron sleeps.")
    new = rarities()
    indexing.catch_up()
    for number in numbers:
        engine.memories.edit(number, MemoryEdit(importance=0.9))
    waiting = rarities()
    indexing.catch_up()
    assert new == waiting == rarities()


def test_a_reader_of_an_earlier_moment_takes_nothing_from_one_of_now(
    engine: Engine, indexing: Indexing, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    """As at the start: a long search that began before a memory was written, while somebody asks for that memory."""
    refresh, store = indexing.refresh, engine._core.store
    with store.read() as earlier:
        assert refresh(earlier)[1] == 0
        remember(engine, "The pelican service listens on port 9911.")

        def refresh_then_the_other(connection: Connection) -> tuple[Overlay, int]:
            mine = refresh(connection)
            assert refresh(earlier)[1] == 0
            return mine

        monkeypatch.setattr(indexing, "refresh", refresh_then_the_other)
        assert ask("pelican port") == ["The pelican service listens on port 9911."]


def test_what_waits_is_found_while_the_index_counts_its_earlier_states_too(engine: Engine, indexing: Indexing) -> None:
    """Between the index's commit and the end of the wait it holds a memory as it was and as it is."""
    number = remember(engine, "The pelican service listens on port 9911.")
    indexing.catch_up()
    for importance in (0.7, 0.8, 0.9):
        engine.memories.edit(number, MemoryEdit(importance=importance))
        with engine._core.store.read() as waiting:
            assert indexing.refresh(waiting)[0].ids() == {number}
            indexing.catch_up()
            overlay, total = indexing.refresh(waiting)
            term = Term("pelican")
            for counted in (1, 2, 5):
                assert [one for one, _ in indexing.find(overlay, [term], [(term, counted)], Scope(), 10)] == [number]
    assert total == 1


def test_a_word_that_an_edit_brought_in_is_known_at_once(engine: Engine, indexing: Indexing) -> None:
    number = remember(engine, "The pelican service listens on port 9911.")
    indexing.catch_up()
    engine.memories.edit(number, MemoryEdit(full="The heron service listens on port 9911."))
    with engine._core.store.read() as connection:
        found = engine._core.recall.retrieve(connection, "heron", MemoryFilter(), 5)
    assert [entry.is_known for entry in found.pool.query_terms] == [True]


def test_a_crash_between_index_and_store_replays(engine: Engine, indexing: Indexing, ask: Ask) -> None:
    remember(engine, "The pelican service listens on port 9911.")
    store = engine._core.store
    with store.read() as connection:
        waiting = connection.execute(table_of(IndexWaitRow).select()).all()
    indexing.catch_up()
    with store.database.transaction() as connection:  # as if the entries had not gone
        connection.execute(
            table_of(IndexWaitRow).insert(), [{"seq": row.seq, "memory_id": row.memory_id} for row in waiting]
        )
    assert ask("pelican") == ["The pelican service listens on port 9911."]
    indexing.catch_up()
    assert indexing.index.count() == 1
    with store.read() as connection:
        assert count_waiting(connection) == 0


@pytest.mark.seed("S3", "retrieval.filter")
def test_filters_are_honoured_and_the_answer_is_still_filled(engine: Engine, indexing: Indexing, ask: Ask) -> None:
    said = (f"We use Postgres for tenant {number}." for number in range(130))
    remember_all(engine, [MemoryDraft(text, type=FactType.FACT, tags=("common",)) for text in said])
    wanted = remember(
        engine, "We use Postgres in the ledger.", type=FactType.DECISION, tags=("ledger",), importance=0.9
    )
    indexing.catch_up()
    assert ask("Postgres", types=(FactType.DECISION,)) == ["We use Postgres in the ledger."]
    assert ask("Postgres", tags=("ledger",)) == ["We use Postgres in the ledger."]
    assert ask("Postgres", min_importance=0.85) == ["We use Postgres in the ledger."]
    assert len(ask("Postgres", tags=("common",))) == engine.settings.current.recall_limit
    engine.memories.archive([wanted])
    assert ask("Postgres ledger", tags=("ledger",)) == []
    assert ask("Postgres ledger", statuses=(MemoryStatus.ARCHIVED,)) == ["We use Postgres in the ledger."]


def test_what_was_believed_then_is_answered_with_the_words_of_then(
    engine: Engine, clock: FrozenClock, indexing: Indexing, ask: Ask
) -> None:
    number = remember(engine, "The pelican service listens on port 9911.")
    then = clock.advance(days=1)
    clock.advance(days=1)
    engine.memories.edit(number, MemoryEdit(full="The heron service listens on port 4000."))
    indexing.catch_up()
    assert ask("pelican port", believed_at=then) == ["The pelican service listens on port 9911."]
    assert ask("heron port", believed_at=clock.now() + timedelta(days=1)) == ["The heron service listens on port 4000."]
    assert ask("pelican", believed_at=then - timedelta(days=30)) == []


def test_what_was_believed_to_be_true_then(engine: Engine, clock: FrozenClock, indexing: Indexing, ask: Ask) -> None:
    """Its end was learned later: then nobody knew of it."""
    number = remember(engine, "The pelican service listens on port 9911.")
    then = clock.advance(days=1)
    end = clock.advance(days=1)
    clock.advance(days=1)
    engine.memories.edit(number, MemoryEdit(valid_to=end))
    indexing.catch_up()
    later = clock.advance(days=1)
    assert ask("pelican port", believed_at=then, valid_at=later) == ["The pelican service listens on port 9911."]
    assert ask("pelican port", believed_at=later, valid_at=later) == []
    assert ask("pelican port", believed_at=later, valid_at=then) == ["The pelican service listens on port 9911."]


def test_typos_beginnings_and_suggestions(engine: Engine, indexing: Indexing, ask: Ask) -> None:
    remember(engine, "Kubernetes runs in eu-west.")
    for is_indexed in (False, True):
        assert ask("kuberntes") == ["Kubernetes runs in eu-west."], is_indexed
        assert ask("kube") == ["Kubernetes runs in eu-west."]
        assert engine.search.suggest("kub") == ("kubernetes",)
        indexing.catch_up()


@pytest.mark.parametrize(
    "text", ['"', "AND OR NOT", "a" * 5_000, "x:y*(", "\x00", "", "   ", "💥", "' OR 1=1 --", '"unclosed']
)
def test_nothing_a_person_types_is_syntax(engine: Engine, indexing: Indexing, text: str) -> None:
    remember(engine, "Kubernetes runs in eu-west.")
    indexing.catch_up()
    answer = engine.search.search(RecallQuery(text))
    assert all(hit.text for hit in answer.hits)


def test_a_hit_by_its_title_alone_says_so(engine: Engine, indexing: Indexing) -> None:
    remember(engine, "Everything runs on the second floor.", title="Harbour office")
    hit = engine.search.search(RecallQuery("harbour")).hits[0]
    assert hit.matched == ("Harbour",)
    assert hit.reason.startswith("says “Harbour”")
    assert hit.spans == ()


def test_nothing_fits_says_so_and_shows_what_came_nearest(engine: Engine, indexing: Indexing) -> None:
    remember(engine, "Forecasts are cached for an hour.")
    nothing = engine.search.search(RecallQuery("zebra crossing"))
    assert (nothing.hits, bool(nothing.note)) == ((), True)
    answer = engine.search.search(RecallQuery("how are quarterly tax forecasts for subsidiaries in Peru computed"))
    assert answer.hits == ()
    assert [hit.text for hit in answer.nearest] == ["Forecasts are cached for an hour."]


def test_a_washed_index_holds_no_byte_of_what_was_erased(engine: Engine, places: Places, indexing: Indexing) -> None:
    gone = remember(engine, "The nickname of the crane is quokkacanary.")
    remember(engine, "The gateway listens on port 80.")
    indexing.catch_up()
    engine._core.eraser._clean_index = indexing.purge
    engine.memories.erase([gone])
    engine._core.eraser._clean_index = engine._core.indexing.purge
    held = [path for path in places.index_dir.rglob("*") if path.is_file() and b"quokka" in path.read_bytes()]
    assert held == []
    assert indexing.index.count() == 1
    assert [hit.text for hit in engine.search.search(RecallQuery("gateway port")).hits] == [
        "The gateway listens on port 80."
    ]


@pytest.mark.parametrize("indexing", ["tantivy"], indirect=True)
def test_erasing_replaces_only_the_files_that_hold_what_is_gone(
    engine: Engine, indexing: Indexing, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = remember(engine, "The nickname of the crane is quokkacanary.")
    remember(engine, "The heron is beside it.")
    indexing.catch_up()
    engine.memories.edit(gone, MemoryEdit(full="The nickname of the crane is wombatcanary."))
    indexing.catch_up()
    remember(engine, "The gateway listens on port 80.")
    indexing.catch_up()
    before = indexing.index.parts()
    assert len(before) == 3
    engine._core.eraser._clean_index = lambda **_: None
    engine.memories.erase([gone])
    engine._core.eraser._clean_index = engine._core.indexing.purge
    indexing.catch_up()
    words = indexing.index.words_with_prefix
    assert words("quokka", 5)  # deleted, but not out of the files
    monkeypatch.setattr(indexing, "rebuild", lambda: pytest.fail("everything was written anew"))
    indexing.purge(is_gone_only=True)
    assert (words("quokka", 5), words("wombat", 5), words("heron", 5)) == ([], [], [("heron", 1)])
    kept = set(before) & set(indexing.index.parts())
    assert [before[name] for name in kept] == [[3]]


def test_the_index_lies_in_private_files(engine: Engine, places: Places, indexing: Indexing) -> None:
    remember(engine, "The gateway listens on port 80.")
    indexing.catch_up()
    modes = {path.stat().st_mode & 0o077 for path in places.index_dir.rglob("*")}
    assert modes == {0}


@pytest.mark.seed("S3", "index.rebuild")
def test_an_index_that_does_not_agree_is_written_anew(
    engine: Engine, places: Places, indexing: Indexing, ask: Ask
) -> None:
    remember(engine, "The gateway listens on port 80.")
    indexing.catch_up()
    assert indexing.agrees()
    indexing.index.put([], gone=[1])
    assert not indexing.agrees()
    assert indexing.rebuild() == 1
    assert indexing.agrees()
    (places.index_dir / "manifest.json").unlink()
    assert not indexing.agrees()


def test_a_rebuild_can_be_stopped_and_is_finished_later(
    engine: Engine, indexing: Indexing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.retrieval.indexing._REBUILD_BATCH", 2)
    for number in range(6):
        remember(engine, f"The gateway {number} listens on port {number + 80}.")
    seen: list[Progress] = []

    def stop_soon(progress: Progress) -> bool:
        seen.append(progress)
        return progress.done < 4

    assert indexing.rebuild(stop_soon) == 4
    assert [step.done for step in seen] == [2, 4]
    assert not indexing.agrees()
    while indexing.catch_up():
        pass
    assert not indexing.agrees()
    assert not indexing._load_manifest()["is_whole"]
    assert not engine.search.search(RecallQuery("gateway")).is_complete
    assert indexing.rebuild() == 6
    assert indexing.agrees()
    assert engine.search.search(RecallQuery("gateway")).is_complete


@pytest.mark.seed("S3", "access")
@pytest.mark.seed("S4", "usage.retrieved")
def test_use_is_counted_beside_the_query_and_stays_out_of_the_journal(engine: Engine, clock: FrozenClock) -> None:
    number = remember(engine, "The gateway listens on port 80.")
    undo = engine.journal.undo_label()
    announced = threading.Event()
    stop = engine.subscribe(
        lambda changes: announced.set() if changes.seq == 0 and number in changes.ids.get("memories", ()) else None
    )  # type: ignore[call-overload]
    clock.advance(days=2)
    engine.search.search(RecallQuery("gateway port"))
    assert announced.wait(PATIENCE_S)
    stop()
    memory = engine.memories.get(number).memory
    assert (memory.retrieved_count, memory.last_accessed_at) == (1, clock.now())
    assert engine.journal.undo_label() == undo
    with engine._core.store.read() as connection:
        assert len(connection.execute(table_of(UsageEventRow).select()).all()) == 1


@pytest.mark.seed("S3", "consolidate.index")
def test_the_thread_empties_the_waiting_list_and_undo_is_followed(engine: Engine, ask: Ask) -> None:
    remember(engine, "The gateway listens on port 80.")
    done = threading.Event()
    stop = engine.subscribe(lambda changes: done.set() if "index" in changes.kinds else None)
    if engine.search.status().waiting_count:
        assert done.wait(PATIENCE_S)
    stop()
    engine.journal.undo()
    assert ask("gateway port") == []
    engine.journal.redo()
    assert ask("gateway port") == ["The gateway listens on port 80."]


def test_damaged_index_files_are_no_reason_to_fail(places: Places, clock: FrozenClock) -> None:
    first = Engine.open(places, clock=clock)
    remember(first, "The gateway listens on port 80.")
    first.close()
    for path in Path(places.index_dir / "tantivy").iterdir():
        path.write_bytes(b"damaged")
    with closing(Engine.open(places, clock=clock)) as second:
        assert second.search.rebuild() == 1
        found = second.search.search(RecallQuery("gateway port")).hits
        assert [hit.text for hit in found] == ["The gateway listens on port 80."]


@pytest.mark.seed("S3", "retrieval.strategies")
def test_recipes_are_named_and_unknown_ones_refused(engine: Engine) -> None:
    assert {"gated", "seed_weights", "seed_config"} <= set(engine.search.recipes())
    with pytest.raises(InvalidError, match="nonsense"):
        engine.search.search(RecallQuery("x", recipe="nonsense"))


def test_a_time_may_be_open_on_either_side(engine: Engine, clock: FrozenClock, indexing: Indexing, ask: Ask) -> None:
    remember(engine, "The pelican service listens on port 9911.")
    between = clock.now() + timedelta(days=1)
    clock.advance(hours=48)
    remember(engine, "The pelican service moved to port 9922.")
    indexing.catch_up()
    assert [text[-5:] for text in ask("pelican port", from_at=between)] == ["9922."]
    assert [text[-5:] for text in ask("pelican port", to_at=between)] == ["9911."]
    assert ask("pelican port", from_at=between, to_at=between + timedelta(hours=1)) == []
