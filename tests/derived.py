"""What is derived, held against a rebuild: columns of conversations, counts of uses, tags, places, what lists and figures count."""

import json

from app.api import Engine
from app.store.journal import table_of
from app.store.rows.message import last_answer
from app.store.tables.core import ConversationRow
from app.understanding.conversations.derived import derived_columns, load_known
from app.values import MemoryFilter, MemoryStatus

_USES = (
    "SELECT id, retrieved_count, (SELECT count(*) FROM usage_event WHERE memory_id = memory.id AND kind = 'retrieved'),"
    " cited_count, (SELECT count(*) FROM usage_event WHERE memory_id = memory.id AND kind = 'cited'),"
    " ignored_count, (SELECT count(*) FROM usage_event WHERE memory_id = memory.id AND kind = 'ignored') FROM memory"
)
_PLACES = (
    "SELECT memory_id, place_conversation_id, place_message_id,"
    " (SELECT conversation_id FROM memory_source WHERE memory_source.memory_id = memory_cut.memory_id ORDER BY id LIMIT 1),"
    " (SELECT message_id FROM memory_source WHERE memory_source.memory_id = memory_cut.memory_id ORDER BY id LIMIT 1)"
    " FROM memory_cut"
)


def check_derived(engine: Engine) -> None:
    """Fails where a derived column is not what its rows say now."""
    engine._core.indexing.usage.flush()
    table = table_of(ConversationRow)
    with engine._core.store.read() as connection:
        for row in connection.execute(table.select().where(table.c.state != "evicted")).all():
            known = load_known(connection, row.id)
            answer = last_answer(connection, row.id)
            made = derived_columns(known, row.distilled, lambda answer=answer: answer, is_ended=row.state == "ended")  # type: ignore[misc]
            made["related_ids"] = [one for one in made["related_ids"] if one != row.id]
            made["last_message_at"] = known.last_at or row.started_at
            assert {name: row._mapping[name] for name in made} == made, f"conversation {row.id}"
        for one, retrieved, real, cited, really_cited, ignored, really_ignored in connection.exec_driver_sql(_USES):
            assert (retrieved, cited, ignored) == (real, really_cited, really_ignored), f"uses of memory {one}"
        for one, talk, message, real_talk, real_message in connection.exec_driver_sql(_PLACES):
            assert (talk, message) == (real_talk, real_message), f"place of memory {one}"
        tags = {
            (int(one), tag)
            for one, listed in connection.exec_driver_sql("SELECT id, tags FROM memory")
            for tag in json.loads(listed)
        }
        kept = {
            (int(one), str(tag)) for one, tag in connection.exec_driver_sql("SELECT memory_id, tag FROM memory_tag")
        }
        assert kept == tags
        ids = sorted(connection.exec_driver_sql("SELECT id FROM memory").scalars())
        said = connection.exec_driver_sql(
            "SELECT count(*) FROM message m JOIN conversation c ON c.id = m.conversation_id WHERE c.state != 'evicted'"
        ).scalar()
    every = MemoryFilter(statuses=tuple(MemoryStatus))
    assert sorted(engine.memories.ids(every)) == ids
    assert engine.stats.now().message_count == said
