"""Before and after of an entry of Activity, in words that a person knows."""

import pytest

from app.api import Engine, Intent, MemoryDraft, MemoryEdit
from tests.conftest import Say


def words(engine: Engine) -> list[str]:
    newest = engine.journal.list(limit=1)[0]
    return [one.words for one in engine.journal.detail(newest.id) if one.words]


def test_a_memory_is_named_and_each_thing_that_changed_said_once(engine: Engine) -> None:
    number = engine.memories.create(MemoryDraft("The staging server answers on port 8443.", title="Staging port"))
    assert words(engine) == ["New: memory “Staging port”"]
    engine.memories.edit(number, MemoryEdit(confidence=0.5))
    assert words(engine) == ["Memory “Staging port”\nConfidence: 100% → 50%"]
    engine.memories.archive((number,))
    assert words(engine) == ["Memory “Staging port”\nState: active → archived"]
    engine.journal.undo()
    assert words(engine) == ["Memory “Staging port”\nState: archived → active"]


def test_settings_messages_and_links_are_said_by_what_they_are_called(engine: Engine, say: Say) -> None:
    engine.settings.set("theme", "dark")
    assert words(engine) == ["Setting “Theme”\nValue: nothing → dark"] or words(engine) == ["New: setting “Theme”"]
    message = say("Put a border around the login form").message_id
    assert message is not None
    engine.messages.correct_intents(message, (Intent.QUESTION,))
    (said,) = [one for one in words(engine) if one.startswith("Message")]
    assert said.startswith("Message “Put a border around the login form”\nIntents: ")
    assert said.endswith(" → QUESTION")


@pytest.mark.parametrize("table", ["memory_version", "memory_source"])
def test_what_only_belongs_to_another_row_has_no_words(engine: Engine, table: str) -> None:
    number = engine.memories.create(MemoryDraft("The staging server answers on port 8443.", title="Staging port"))
    engine.memories.archive((number,))
    newest = engine.journal.list(limit=1)[0]
    assert all(not one.words for one in engine.journal.detail(newest.id) if one.table == table)
