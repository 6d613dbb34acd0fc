"""The search index where there is no tantivy: an SQLite file of its own with FTS5, beside the store and derived like it.

Finds the newest documents that hold a term (ranking all of them would take seconds at a million) and leaves the order to the
ranking that follows. A file of its own, so that clearing it leaves no byte of an erased word. Source: STACK 1.1 "unranked".
"""

import os
import shutil
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pysqlite3

from app.places import make_private_dir, open_private
from app.store.file_sizes import folder_bytes
from app.store.search.values import NOTHING_ELSE, TAGS, IndexDocument, Scope, Showing, Term

_FILE = "index.db"
_COLUMNS = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5(stems, words, tags, content='', contentless_delete=1, "
    "tokenize=\"unicode61 remove_diacritics 0 tokenchars '_-./:#@+'\")"
)


class FallbackIndex:
    kind = "fts5"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        make_private_dir(folder)
        self._open()

    def _open(self) -> None:
        path = self._folder / _FILE
        if not path.exists():
            os.close(open_private(path, os.O_RDWR | os.O_CREAT))
        self._connection: Any = pysqlite3.connect(str(path), check_same_thread=False, isolation_level=None)
        for statement in (
            "PRAGMA secure_delete=ON",
            "PRAGMA journal_mode=DELETE",
            "PRAGMA synchronous=FULL",
            _COLUMNS,
            "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(found, col)",
            "CREATE TABLE IF NOT EXISTS known (id INTEGER PRIMARY KEY, recorded_at INTEGER, revision INTEGER)",
        ):
            self._connection.execute(statement)

    @staticmethod
    def remove(folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    def put(
        self,
        documents: Iterable[IndexDocument],
        *,
        gone: Iterable[int] = (),
        showing: Showing = NOTHING_ELSE,
        is_many: bool = False,  # noqa: ARG002 (SQLite takes what it needs)
    ) -> None:
        with self._lock:
            run = self._connection.execute
            run("BEGIN IMMEDIATE")
            try:
                for memory_id in gone:
                    self._take_out(memory_id)
                for document in documents:
                    self._take_out(document.id)
                    run(
                        "INSERT INTO found(rowid, stems, words, tags) VALUES (?, ?, ?, ?)",
                        (document.id, " ".join(document.stems), " ".join(document.words), " ".join(document.tags)),
                    )
                    run("INSERT INTO known VALUES (?, ?, ?)", (document.id, document.recorded_at, document.revision))
                run("COMMIT")
            except BaseException:
                run("ROLLBACK")
                raise
        with showing:  # without the lock: whoever counts holds theirs and waits for ours
            pass

    def _take_out(self, memory_id: int) -> None:
        if self._connection.execute("DELETE FROM known WHERE id = ?", (memory_id,)).rowcount:
            self._connection.execute("DELETE FROM found WHERE rowid = ?", (memory_id,))

    def find(self, terms: Sequence[Term], scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Newest first, all with the score 1: the order is the ranking's matter."""
        if not terms:
            return []
        match = "(" + " OR ".join(_match(term) for term in terms) + ")"
        for group in scope.groups:
            match += " AND (" + " OR ".join(_match(Term(tag, field=TAGS)) for tag in group) + ")"
        low = -(2**62) if scope.from_at is None else scope.from_at
        high = 2**62 if scope.to_at is None else scope.to_at
        statement = "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC LIMIT ?"
        values: tuple[Any, ...] = (match, limit)
        if scope.from_at is not None or scope.to_at is not None:
            statement = (
                "SELECT f.rowid FROM found f JOIN known k ON k.id = f.rowid WHERE f.found MATCH ? "
                "AND k.recorded_at >= ? AND k.recorded_at < ? ORDER BY f.rowid DESC LIMIT ?"
            )
            values = (match, low, high, limit)
        with self._lock:
            return [(int(row[0]), 1.0) for row in self._connection.execute(statement, values).fetchall()]

    def document_counts(self, terms: Sequence[Term]) -> list[int]:
        statement = "SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE term = ? AND col = ?"
        with self._lock:
            return [int(self._connection.execute(statement, (term.text, term.field)).fetchone()[0]) for term in terms]

    def words_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        statement = (
            "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ? AND col = 'words' ORDER BY doc DESC LIMIT ?"
        )
        with self._lock:
            found = self._connection.execute(statement, (prefix, prefix + "\U0010ffff", limit)).fetchall()
        return [(str(word), int(count)) for word, count in found]

    def revisions(self, ids: Sequence[int]) -> dict[int, int]:
        statement = "SELECT id, revision FROM known WHERE id = ?"
        with self._lock:
            found = [self._connection.execute(statement, (memory_id,)).fetchone() for memory_id in ids]
        return {int(row[0]): int(row[1]) for row in found if row is not None}

    def parts(self) -> dict[str, list[int]]:
        return {}

    def count(self) -> int:
        with self._lock:
            return int(self._connection.execute("SELECT count(*) FROM known").fetchone()[0])

    def clear(self) -> None:
        with self._lock:
            self._connection.close()
            for path in self._folder.iterdir():
                path.unlink()
            self._open()

    def size_bytes(self) -> int:
        return folder_bytes(self._folder)

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _match(term: Term) -> str:
    """One term as FTS5 reads it: always a quoted string, so that nothing a person types is syntax."""
    quoted = '"' + term.text.replace('"', '""') + '"'
    return f"{term.field} : {quoted}{'*' if term.is_prefix else ''}"
