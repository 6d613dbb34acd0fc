"""Whatever is answered, edited, undone and redone: undoing as often as something was done brings the same store back."""

import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.api import Engine, FrozenClock, MemoryDraft, Places, Resolution, ResolutionRequest, StaleError
from tests.conftest import START
from tests.dump import dump_store

PAIRS = [
    ("The primary database is PostgreSQL.", "The primary database is SQLite."),
    ("We decided to use Redis for caching.", "We decided to use Memcached for caching."),
    ("The message broker is RabbitMQ.", "The message broker is Kafka."),
]
ANSWERS = st.builds(
    ResolutionRequest,
    st.sampled_from(Resolution),
    note=st.sampled_from(["", "it moved"]),
    text=st.just("One of both, in other words."),
    scope_a=st.sampled_from(["tests", "in production"]),
    scope_b=st.sampled_from(["", "the old client"]),
)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), ANSWERS, st.booleans()), min_size=1, max_size=5))
def test_resolve_and_undo_is_the_same_store(script: list[tuple[int, ResolutionRequest, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(START)
        with closing(Engine.open(Places.under(Path(folder)), clock=clock)) as engine:
            for older, newer in PAIRS:
                for text in (older, newer):
                    clock.advance(hours=1)
                    engine.memories.create(MemoryDraft(text, project_path="/w/shop"))
            numbers = sorted(one.id for one in engine.contradictions.list())
            assert len(numbers) == len(PAIRS)
            before = dump_store(engine.places.store_path)
            done = 0
            for place, answer, goes_back in script:
                clock.advance(minutes=1)
                try:
                    engine.contradictions.resolve(numbers[place], answer)
                    done += 1
                except StaleError:
                    continue  # it is resolved already
                if goes_back:
                    engine.contradictions.reopen(numbers[place])
                    done -= 1
            for _ in range(done):
                engine.journal.undo()
            assert dump_store(engine.places.store_path) == before
            assert sorted(one.id for one in engine.contradictions.list()) == numbers
