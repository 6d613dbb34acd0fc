"""Notes that say what a memory says: when the memory holds no more, they say it no more either.

In the write of whoever closes the memory, and so taken back with it. A note that the person worded is the person's, and stays.
Source: issue 17 "Notes: part of the contradiction scan", S5.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.note import without_contents
from app.store.journal import Write
from app.store.rows import note as rows
from app.store.tables.core import NoteRow
from app.understanding.message_rows import AnyRow

_PERSON = "person"


def count_notes_repeating(connection: Connection, text: str, project_id: int | None) -> int:
    """How many notes of the project say this in the same words, and would be put right."""
    return len(_notes_repeating(connection, text, project_id))


def correct_notes(write: Write, memory: AnyRow) -> int:
    """Takes what the memory says out of the notes of its project; returns out of how many."""
    found = _notes_repeating(write.connection, memory.full, memory.project_id)
    for note in found:
        take_out(write, note, _says(memory.full), "what it says is no longer true")
    return len(found)


def take_out(write: Write, note: AnyRow, is_gone: Callable[[str], bool], reason: str) -> None:
    """The note without this; where nothing else was said the note goes."""
    left = without_contents(note.content, is_gone)
    if left:
        write.update(NoteRow, note.id, {"content": left, "updated_at": write.at})
    else:
        write.delete(NoteRow, note.id)
    log = {"at": write.at, "kind": "compacted", "app_id": note.app_id, "note_id": note.id, "reason": reason}
    rows.add_log(write.connection, log | {"action": "edit" if left else "delete"})


def _notes_repeating(connection: Connection, text: str, project_id: int | None) -> list[AnyRow]:
    says = _says(text)
    of_project = (one for one in rows.list_notes(connection) if one.project_id == project_id)
    kept = (one for one in of_project if one.worded_by != _PERSON)
    return [
        one for one in kept if without_contents(one.content, says) != without_contents(one.content, lambda _said: False)
    ]


def _says(text: str) -> Callable[[str], bool]:
    key = text_key(text)
    return lambda part: text_key(part) == key
