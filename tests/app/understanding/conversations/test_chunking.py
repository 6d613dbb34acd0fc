"""Chunks of a long conversation: 250 turns, the limit, what follows when a person moves the border."""

import itertools

import pytest

from app.api import Engine
from app.understanding.conversations.chunking import list_chunks
from app.values import Chunk
from tests.conftest import Say
from tests.dump import dump_store


def _chunks(engine: Engine, conversation_id: int) -> tuple[Chunk, ...]:
    with engine._core.store.read() as connection:
        return list_chunks(connection, conversation_id)


def _talk(say: Say, count: int, *, first: int = 0) -> int:
    conversation_id = 0
    for number in range(first, first + count):
        answer = say(f"now also move the import button of the basket page to row {number}")
        conversation_id = answer.conversation_id or conversation_id
    return conversation_id


@pytest.mark.seed("S3", "chunk.twenty", "config.chunk", "config.recent")
def test_twenty_messages_stay_as_they_are_and_the_next_makes_a_chunk_of_ten(engine: Engine, say: Say) -> None:
    conversation_id = _talk(say, 20)
    assert _chunks(engine, conversation_id) == ()

    _talk(say, 1, first=20)

    [chunk] = _chunks(engine, conversation_id)
    messages = engine.conversations.get(conversation_id).messages
    assert (chunk.first_message_id, chunk.last_message_id) == (messages[0].id, messages[9].id)
    assert chunk.message_count == 10
    assert "button" in " ".join(chunk.topics)
    assert 0 < chunk.token_count <= 150
    assert len(messages) == 21  # nothing was lost by summing up


@pytest.mark.seed("S3", "chunk.summary")
def test_topics_of_a_chunk_are_the_things_that_were_named(engine: Engine, say: Say) -> None:
    conversation_id = 0
    for number in range(21):
        conversation_id = say(f"now the importer skips row {number} and logs it").conversation_id or conversation_id
    [chunk] = _chunks(engine, conversation_id)
    assert chunk.topics == engine.conversations.get(conversation_id).conversation.topics[: len(chunk.topics)]
    assert "importer" in chunk.topics
    assert not {"now", "logs", "skips row"} & set(chunk.topics)


@pytest.mark.seed("S3", "chunk.merge", "perf.turns", "perf.chunks")
def test_of_250_turns_the_oldest_chunks_merge_and_every_message_is_covered_once(engine: Engine, say: Say) -> None:
    engine.settings.set("max_chunks", 8)
    conversation_id = _talk(say, 250)

    chunks = _chunks(engine, conversation_id)
    messages = [message.id for message in engine.conversations.get(conversation_id).messages]

    assert len(chunks) == 8
    assert chunks[0].is_merged
    assert chunks[0].summary.startswith("Earlier: ")
    assert "\n\nThen: " in chunks[0].summary
    assert sum(chunk.message_count for chunk in chunks) == 230
    assert chunks[0].first_message_id == messages[0]
    assert chunks[-1].last_message_id == messages[229]
    for before, after in itertools.pairwise(chunks):
        assert messages.index(after.first_message_id) == messages.index(before.last_message_id) + 1


def test_a_split_makes_new_chunks_and_undo_brings_the_old_ones_back(engine: Engine, say: Say) -> None:
    conversation_id = _talk(say, 35)
    messages = engine.conversations.get(conversation_id).messages
    before = dump_store(engine.places.store_path)

    other_id = engine.conversations.split(messages[5].id)

    assert _chunks(engine, conversation_id) == ()
    [chunk] = _chunks(engine, other_id)
    assert chunk.first_message_id == messages[5].id

    engine.journal.undo()
    assert dump_store(engine.places.store_path) == before
