"""What is worked out beforehand of a memory changes no context, holds for one revision, and leaves with what it was made of."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.api import Engine, FrozenClock, Places
from app.deciders.recall.context.render import Line, line_of
from app.language.token_counts import count_tokens
from app.memories.ranking_terms import body_tokens, cut_some, make_cut, make_missing_terms, mark_tokens
from app.retrieval import indexing
from app.store.search.memories import load_rank_rows
from app.store.search.memory_terms import TermsSource, count_terms, load_terms_sources, put_terms
from app.store.store import Store
from app.values import Context, ContextRequest, ContextSignals, MemoryDraft, MemoryEdit, RecallQuery, Tier
from tests.app.memories.test_memory_lists import store_of
from tests.patience import PATIENCE_S

_PROJECT = "/w/shop"
_TEXTS = (
    "The shop database is PostgreSQL 15, see `openStore` in src/store/open.py.",
    "Ana: I moved the cache of the shop to Redis with -q and --no-color.",
    "Fenster <b>grün</b> & Tür\u200b im Shop: Größe 12,5 — „offen“",
    "日本語のテスト 🎉 for the shop database",
    "- [12] looks like a line of the shop\nand <remanence-memory id=ab> goes on",
    "/slash first, 123456 numbers, then the shop",
    "'s apostrophe of the shop database",
    "The shop database must not be restarted at night. " * 12,
)


def _fill(engine: Engine) -> list[int]:
    return [engine.memories.create(MemoryDraft(text=text, project_path=_PROJECT)) for text in _TEXTS]


def _ask(engine: Engine, budget_tokens: int) -> Context:
    signals = ContextSignals(project_path=_PROJECT, app="test", prompt="which database does the shop use?")
    request = ContextRequest(signals, budget_tokens=budget_tokens, is_kept=False)
    return replace(engine.context.assemble(request), took_ms=0.0)


def _ask_settled(engine: Engine, budgets: tuple[int, ...]) -> list[Context]:
    """Asked until two answers are the same: what is worked out behind the first has come."""
    before = [_ask(engine, budget) for budget in budgets]
    while (again := [_ask(engine, budget) for budget in budgets]) != before:
        before = again
    return again


def _cuts(engine: Engine) -> dict[int, str]:
    with store_of(engine).read() as connection:
        return dict(connection.exec_driver_sql("SELECT memory_id, stems FROM memory_cut").fetchall())  # type: ignore[arg-type]


def _without_cuts(engine: Engine) -> None:
    with store_of(engine).database.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM memory_cut")


def _never() -> bool:
    return False


def test_contexts_and_answers_are_the_same_with_and_without_cuts(engine: Engine) -> None:
    while (
        engine._core.indexing._must_check
    ):  # its thread looks once whether the index is whole, and would write it anew
        time.sleep(0.01)
    ids = _fill(engine)
    engine.search.rebuild()  # nothing is indexed between the two searches
    make_missing_terms(store_of(engine), _never, is_waited_for=True)
    assert _cuts(engine).keys() == set(ids)
    asked = (100, 300, 2_000, 8_000)
    cut = _ask_settled(engine, asked)
    found = engine.search.search(RecallQuery("shop database", is_counted=False))
    _without_cuts(engine)
    assert _ask_settled(engine, asked) == cut
    again = engine.search.search(RecallQuery("shop database", is_counted=False))
    assert [(hit.card.id, hit.score, hit.reason) for hit in again.hits] == [
        (hit.card.id, hit.score, hit.reason) for hit in found.hits
    ]
    assert again.hits == found.hits
    assert len({len(one.items) for one in cut}) > 1  # the budgets tell different contexts
    for one in cut:
        assert one.token_count == sum(count_tokens(f"{line}\n") for line in one.text.splitlines())


def test_what_an_edit_takes_away_leaves_the_cut_at_once(engine: Engine) -> None:
    first, second, *_ = _fill(engine)
    make_missing_terms(store_of(engine), _never, is_waited_for=True)
    assert "redi" in _cuts(engine)[second]
    engine.memories.edit(second, MemoryEdit(full="The shop has no such thing any more.", title="Nothing"))
    assert "redi" not in _cuts(engine).get(second, "")
    cut_some(store_of(engine), [second])
    assert "thing" in _cuts(engine)[second]
    engine.journal.undo()
    assert "thing" not in _cuts(engine).get(second, "")
    engine.memories.erase([first])
    assert first not in _cuts(engine)


def test_a_cut_of_what_has_changed_or_gone_since_is_not_written(engine: Engine) -> None:
    first, second, third, *_ = _fill(engine)
    store = store_of(engine)
    with store.read() as connection:
        read = load_terms_sources(connection, [first, second, third])
    engine.memories.edit(first, MemoryEdit(full="Another text of the shop"))
    engine.memories.erase([second])
    _without_cuts(engine)
    with store.database.transaction() as connection:
        put_terms(connection, [made for made in map(make_cut, read) if made is not None])
    assert _cuts(engine).keys() == {third}


def test_what_is_missing_is_cut_once_and_stops_when_told(engine: Engine) -> None:
    count = len(_fill(engine))
    store = store_of(engine)
    engine.search.rebuild()  # cuts too
    assert len(_cuts(engine)) == count
    assert make_missing_terms(store, _never) == 0
    _without_cuts(engine)
    assert make_missing_terms(store, lambda: True) == count  # of one round
    with store.read() as connection:
        assert count_terms(connection) == count


def test_the_index_keeps_cuts_at_the_heels_of_what_is_written(engine: Engine) -> None:
    engine._core.indexing.stop()  # its thread: the step is taken here
    ids = _fill(engine)
    assert not _cuts(engine)
    engine._core.indexing.catch_up()
    assert _cuts(engine).keys() == set(ids)


@pytest.mark.parametrize("text", [*_TEXTS, "x", " ", "\u200b", "…", "a\tb", "[1] b", "] ] ]", "!" * 40, "7"])
def test_a_line_costs_its_mark_and_its_body(text: str) -> None:
    for key in (0, 7, 12, 123, 1_234, 65_536, 1_234_567, 90_010_001):
        line = line_of(Line(Tier.RELEVANT, text, key))
        assert mark_tokens(key) + body_tokens(text) == count_tokens(f"{line}\n"), (key, text)


def test_any_three_digits_are_one_token() -> None:
    numbers = [f"{number:0{width}}" for width in (1, 2, 3) for number in range(10**width)]
    assert {count_tokens(number) for number in numbers} == {1}


def test_who_changes_the_cutting_changes_its_form() -> None:
    """Else what was cut before would count as of today: raise `TERMS_VERSION` with whatever changes this."""
    source = TermsSource(7, 2, "Cache: Redis", "Ana: fetchUserById ran with -q", "Ana: it ran", "it <ran>", "ran")
    assert json.loads(json.dumps(make_cut(source))) == [
        7, 2, "ana fetchuserbyid fetch user by id run with -q cach redi", "ana", 11, 5, 4, 2,
    ]  # fmt: skip


def test_what_is_worked_out_beforehand_gives_way_to_what_comes_in(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gave_way = threading.Event(), threading.Event()

    def cut_for_ever(_store: Store, is_wanted: Callable[[], bool]) -> int:
        begun.set()
        while not is_wanted():
            time.sleep(0.002)
        gave_way.set()
        return 0

    monkeypatch.setattr(indexing, "_CUT_AFTER_S", 0.0)
    monkeypatch.setattr(indexing, "make_missing_terms", cut_for_ever)
    with closing(Engine.open(Places.under(tmp_path / "other"), clock=clock)) as engine:
        assert begun.wait(PATIENCE_S)
        assert not gave_way.is_set()
        engine.memories.create(MemoryDraft("The harbour door is painted yearly."))
        assert gave_way.wait(PATIENCE_S)
        begun.clear()
        assert begun.wait(PATIENCE_S), "it goes on when what came is in the index"
        assert engine.search.status().waiting_count == 0


def _places(engine: Engine) -> dict[int, tuple[int | None, int | None]]:
    with store_of(engine).read() as connection:
        ids = [one for (one,) in connection.exec_driver_sql("SELECT id FROM memory").fetchall()]
        return {row.id: (row.conversation_id, row.message_id) for row in load_rank_rows(connection, ids)}


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO memory_source SELECT 1, memory_id, 90, 9, '', '', 0, '', 0, 0 FROM memory_source WHERE id = 11",
        "INSERT INTO memory_source SELECT 91, {free}, 90, 9, '', '', 0, '', 0, 0",  # it had none
        "UPDATE memory_source SET conversation_id = 8, message_id = 80 WHERE id = 11",
        "UPDATE memory_source SET memory_id = {free} WHERE id = 11",
        "UPDATE memory_source SET id = 99 WHERE id = 11",
        "DELETE FROM memory_source WHERE id = 11",
        "DELETE FROM memory_source",
    ],
)
def test_a_cut_stays_where_its_memory_was_said_first(engine: Engine, change: str) -> None:
    _fill(engine)
    store = store_of(engine)
    with store.database.transaction() as connection:
        ids = [one for (one,) in connection.exec_driver_sql("SELECT id FROM memory ORDER BY id").fetchall()]
        connection.exec_driver_sql("DELETE FROM memory_source")
        for number, (at, memory) in enumerate(((0, 10), (0, 11), (1, 12)), 11):
            said = (number, ids[at], memory * 10, memory)
            connection.exec_driver_sql("INSERT INTO memory_source VALUES (?, ?, ?, ?, '', '', 0, '', 0, 0)", said)
    cut_some(store, ids)
    before = [_places(engine)[one] for one in ids[:3]]
    assert before == [(10, 100), (12, 120), (None, None)]
    with store.database.transaction() as connection:
        connection.exec_driver_sql(change.format(free=ids[2]))
    kept = _places(engine)
    assert len(_cuts(engine)) == len(ids)
    _without_cuts(engine)
    assert kept == _places(engine)
    assert [kept[one] for one in ids[:3]] != before
