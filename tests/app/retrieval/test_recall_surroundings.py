"""What surrounds a query lifts and never decides; chunks of long conversations are hits when they are asked for."""

from datetime import timedelta

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, RecallAnswer, RecallQuery
from app.values import MemoryFilter
from tests.patience import PATIENCE_S

AROUND = "editing src/checkout/discounts.py: the discount of a cart at checkout"


def ask(engine: Engine, text: str, around: str = "", **filters: object) -> RecallAnswer:
    wanted = MemoryFilter(**filters)  # type: ignore[arg-type]
    return engine.search.search(RecallQuery(text, context=around, filters=wanted, is_counted=False))


@pytest.fixture
def rounding(engine: Engine) -> Engine:
    engine.memories.create(MemoryDraft("Rounding of amounts is half to even in the checkout discount."))
    engine.memories.create(MemoryDraft("Rounding of amounts is half up in the yearly report."))
    return engine


@pytest.mark.seed("S3", "retrieval.query.context")
def test_of_two_that_fit_the_one_of_the_surroundings_stands_first(rounding: Engine) -> None:
    plain = ask(rounding, "rounding of amounts")
    assert "report" in plain.hits[0].text, "the control: the newer one stands first without surroundings"
    lifted = ask(rounding, "rounding of amounts", AROUND)
    assert "checkout" in lifted.hits[0].text
    assert {hit.card.id for hit in lifted.hits} == {hit.card.id for hit in plain.hits}
    (signal,) = (one for one in lifted.hits[0].signals if one.name == "context")
    assert 0 < signal.share <= 0.2
    assert signal.value > 0
    assert sum(one.share for one in lifted.hits[0].signals) == pytest.approx(1.0)
    assert all(one.name != "context" for one in lifted.hits[1].signals)
    assert all(0 < hit.score <= 1 for hit in lifted.hits)


@pytest.mark.parametrize("text", ["who mows the lawn?", "lawn"])
def test_surroundings_bring_nothing_in(rounding: Engine, text: str) -> None:
    assert ask(rounding, text, AROUND).hits == ()


def test_surroundings_keep_nothing_out(rounding: Engine) -> None:
    assert len(ask(rounding, "yearly report", AROUND).hits) == len(ask(rounding, "yearly report").hits) > 0


@pytest.fixture
def long_talk(engine: Engine, clock: FrozenClock) -> Engine:
    """A conversation of 45 messages: its beginning is only in chunks any more."""
    texts = ["Look at the lighthouse module and its lamp", *(f"Add step {n} to the lighthouse lamp" for n in range(44))]
    for number, text in enumerate(texts):
        clock.advance(seconds=20)
        one = CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session="s", text=text, cwd="/w/coast"
        )
        engine.events.capture([one])
    assert engine.events.wait_idle(PATIENCE_S)
    return engine


@pytest.mark.seed("S3", "retrieval.filter.episodic")
def test_chunks_are_hits_only_when_they_are_asked_for(long_talk: Engine) -> None:
    assert all(hit.chunk_id is None for hit in ask(long_talk, "lighthouse lamp").hits)
    found = [hit for hit in ask(long_talk, "lighthouse lamp", includes_chunks=True).hits if hit.chunk_id]
    assert found
    chunks = {chunk.id: chunk for chunk in long_talk.memories.chunks(long_talk.conversations.list()[0].id)}
    for hit in found:
        assert hit.card.id == 0
        assert hit.text == chunks[hit.chunk_id or 0].summary
        assert "lighthouse" in hit.text.lower()
        assert hit.card.app == "claude-code"
        assert hit.reason
    assert ask(long_talk, "submarine", includes_chunks=True).hits == ()


@pytest.mark.parametrize(
    ("filters", "is_found"),
    [
        ({"projects": ("/w/coast",)}, True),
        ({"projects": ("/w/hills",)}, False),
        ({"apps": ("claude-code",)}, True),
        ({"apps": ("codex",)}, False),
        ({"conversation_id": 999}, False),
    ],
    ids=["its project", "another project", "its app", "another app", "another conversation"],
)
def test_the_walls_of_a_filter_hold_for_chunks_too(
    long_talk: Engine, filters: dict[str, object], *, is_found: bool
) -> None:
    found = ask(long_talk, "lighthouse lamp", includes_chunks=True, **filters).hits
    assert any(hit.chunk_id for hit in found) == is_found


def test_a_chunk_made_later_was_not_known_then(long_talk: Engine, clock: FrozenClock) -> None:
    before = clock.now() - timedelta(days=1)
    assert ask(long_talk, "lighthouse lamp", includes_chunks=True, believed_at=before).hits == ()


def test_using_a_chunk_counts_no_memory(long_talk: Engine) -> None:
    asked = RecallQuery("lighthouse lamp", filters=MemoryFilter(includes_chunks=True))
    assert any(hit.chunk_id for hit in long_talk.search.search(asked).hits)


def test_what_only_the_title_says_is_found_too(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("We decided to use PostgreSQL.", title="Place of the ledger: PostgreSQL"))
    engine.memories.create(MemoryDraft("The button is purple."))
    (hit,) = ask(engine, "which ledger?").hits
    assert hit.text == "We decided to use PostgreSQL."
