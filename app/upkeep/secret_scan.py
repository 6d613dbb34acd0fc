"""Looks for secrets in what was stored before today's rules knew them, and takes them out where they are.

Every text of the store is read as capture would read it: messages, memories and their versions, quotes, summaries, names, the
journal's images and labels, receipts. Purging writes marks in their place, in the rows and in the images, so that undo brings no
secret back; it cannot be undone itself. Knows no rule of its own (`app.privacy`). Source: QUALITY S6.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from app.language.likeness import text_key
from app.language.token_counts import count_tokens
from app.memories.new_memory import LEVEL_COLUMNS, slot_key
from app.privacy.redaction import SecretRules, redact
from app.store.journal import KIND_OF_TABLE, Record, Write
from app.store.store import Store
from app.store.stored_texts import TEXT_TABLES, forget_reading, key_of, rewrite_row, text_columns, walk_rows
from app.values import DataKind, Origin, Progress, SecretFinding, Slot

_BATCH = 500
_LEAST_CHARS = 8  # no secret is so short
_BETWEEN = "\n\n\n"  # texts side by side do not explain each other
_SLOT = ("subject", "key", "scope")
_EXCERPT_CHARS = 60
_INDEX = "index_text"
_COPY = "a copy of a secret"
_PIECE, _PIECE_CHARS = re.compile(r"[^\W_]+"), 5
_NAMES = {"memory_source": "source", "memory_version": "version", "change": "journal", "operation": "journal"}
_UNIQUE = {("entity", "canonical"), ("project", "path"), ("stream", "session")}  # two secrets of one kind stay two
Report = Callable[[Progress], bool]


@dataclass(slots=True)
class _AffectedRows:
    """One row in which something was found, with its columns as they may be kept."""

    table: str
    row_id: int
    values: Record
    old: Record


@dataclass(slots=True)
class _Scan:
    rules: SecretRules
    findings: list[SecretFinding] = field(default_factory=list)
    dirty: list[_AffectedRows] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)  # to be covered in log files; never returned
    plain: dict[str, str] = field(default_factory=dict)  # those that no rule knows by themselves, with their marks

    def look_through(self, table: str, rows: Sequence[Any]) -> None:
        """Looks at the rows in which something is found: all at once first, which is fifty times faster than one by one."""
        names = text_columns(table)
        together = _BETWEEN.join(
            dict.fromkeys(text for row in rows for name in names for text in _leaves(row._mapping[name]))
        )
        lower = together.casefold()
        if not redact(together, self.rules).findings and not any(one in lower for one in self.plain):
            return
        if len(rows) == 1:
            self._look(table, rows[0])
            return
        middle = len(rows) // 2
        self.look_through(table, rows[:middle])
        self.look_through(table, rows[middle:])

    def _look(self, table: str, row: Any) -> None:
        row_id = row._mapping[key_of(table)]
        values: Record = {}
        first = len(self.secrets)
        for name in text_columns(table):
            old = row._mapping[name]
            new = self._clean(old, table, row_id)
            if name == _INDEX:
                new = self._without(new, self.secrets[first:])
            if new != old:
                is_unique = (table, name) in _UNIQUE
                values[name] = f"{new} {row_id}" if is_unique else new
        if values:
            self.dirty.append(_AffectedRows(table, row_id, values, dict(row._mapping)))

    def _clean(self, value: Any, table: str, row_id: int) -> Any:
        if isinstance(value, str):
            return self._clean_text(value, table, row_id)
        if isinstance(value, list):
            return [self._clean(one, table, row_id) for one in value]
        if isinstance(value, dict):
            first = len(self.secrets)
            clean = {
                self._clean_text(name, table, row_id): self._clean(one, table, row_id) for name, one in value.items()
            }
            if isinstance(clean.get(_INDEX), str):
                clean[_INDEX] = self._without(clean[_INDEX], self.secrets[first:])
            return clean | _following(value, clean)  # a memory's image or state follows as the memory does
        return value

    def _clean_text(self, text: str, table: str, row_id: int) -> str:
        if len(text) < _LEAST_CHARS:
            return text
        done = redact(text, self.rules)
        shift = 0
        for one in done.findings:
            mark = f"[secret: {one.title}]"
            start = one.start + shift
            self._note(text[one.start : one.end], mark)
            shift += len(mark) - (one.end - one.start)
            around = done.text[max(0, start - _EXCERPT_CHARS) : start + len(mark) + _EXCERPT_CHARS]
            name = _NAMES.get(table, table)
            self.findings.append(SecretFinding(name, row_id, one.rule_id, " ".join(around.split())))
        return self._clean_copies(done.text, table, row_id)

    def _note(self, secret: str, mark: str) -> None:
        self.secrets.append(secret)
        is_unlike_a_word = len(secret) >= _LEAST_CHARS and re.search(r"\d", secret) and re.search(r"[^\W\d]", secret)
        if is_unlike_a_word:
            self.plain[secret.casefold()] = mark

    def _clean_copies(self, text: str, table: str, row_id: int) -> str:
        """A secret that is somewhere without the words that told what it is: in a shortened level, in small letters."""
        lower = text.casefold()
        for secret, mark in self.plain.items():
            if secret in lower:
                self.findings.append(SecretFinding(_NAMES.get(table, table), row_id, _COPY, mark))
                text = re.sub(re.escape(secret), lambda _found, mark=mark: mark, text, flags=re.IGNORECASE)  # type: ignore[misc]
                lower = text.casefold()
        return text

    @staticmethod
    def _without(index: str, secrets: Sequence[str]) -> str:
        """An index line without what was made of these secrets of the same memory: it has them in small letters, with other marks."""
        pieces = {piece for one in secrets for piece in _PIECE.findall(one.casefold()) if len(piece) >= _PIECE_CHARS}
        parts = re.split(r"([_\s:,;]+)", index)
        return "".join("[secret]" if any(piece in part.casefold() for piece in pieces) else part for part in parts)


def find_secrets(
    connection: Connection, rules: SecretRules, progress: Report | None = None
) -> tuple[SecretFinding, ...]:
    """What today's rules find in everything that is stored. Writes nothing; a secret is never part of a finding."""
    return tuple(_scan(connection, rules, progress).findings)


def _scan(connection: Connection, rules: SecretRules, progress: Report | None) -> _Scan:
    scan = _Scan(rules)
    _look_at_all(connection, scan, progress)
    if scan.plain:  # what was before the place that told that it is one
        again = _Scan(rules, plain=dict(scan.plain))
        _look_at_all(connection, again, progress)
        return again
    return scan


def _look_at_all(connection: Connection, scan: _Scan, progress: Report | None) -> None:
    for number, table in enumerate(TEXT_TABLES):
        if progress is not None and not progress(Progress("secrets", f"Reading {table}", number, len(TEXT_TABLES))):
            break
        for rows in walk_rows(connection, table, at_once=_BATCH):
            scan.look_through(table, rows)


def purge_secrets(
    store: Store,
    rules: SecretRules,
    clean_files: Callable[[Sequence[str]], None],
    progress: Report | None = None,
) -> tuple[SecretFinding, ...]:
    """Takes out what is found, in one act that cannot be undone; returns what was found."""
    label = "Took secrets out of what was stored"
    with store.write(origin=Origin.PERSON, kind="purge_secrets", label=label, is_undoable=False) as write:
        scan = _scan(write.connection, rules, progress)
        for one in scan.dirty:
            _rewrite(write, one)
        write.is_recorded = bool(scan.dirty)
    if scan.dirty:
        clean_files(scan.secrets)
    return tuple(scan.findings)


def _rewrite(write: Write, dirty: _AffectedRows) -> None:
    """Writes the cleaned columns past the journal, and what follows from them."""
    table, values = dirty.table, dict(dirty.values)
    if table == "memory":
        values |= _following(dirty.old, dirty.old | dirty.values)
        write.touched_memories.add(dirty.row_id)
        write.touched.setdefault(DataKind.MEMORIES, set()).add(dirty.row_id)
    elif table == "message" and {"text", "expanded_text"} & values.keys():
        forget_reading(write.connection, dirty.row_id)  # what was found in it is at places that are none any more
        write.touched_conversations.add(dirty.old["conversation_id"])
    if table in KIND_OF_TABLE and table != "memory":
        write.touched.setdefault(KIND_OF_TABLE[table], set()).add(dirty.row_id)
    rewrite_row(write.connection, table, dirty.row_id, values)


def _following(old: Record, new: Record) -> Record:
    """Token counts and keys of a memory's columns that follow from texts that lost a secret."""
    values: Record = {
        count: count_tokens(new[text])
        for text, count in LEVEL_COLUMNS.values()
        if count in old and isinstance(new.get(text), str) and new[text] != old.get(text)
    }
    if "text_key" in old and isinstance(new.get("full"), str) and new["full"] != old.get("full"):
        values["text_key"] = text_key(new["full"])
    if "slot_key" in old and all(isinstance(new.get(name), str) for name in _SLOT):
        slot = Slot(*(new[name] for name in _SLOT))
        values["slot_key"] = slot_key(slot) if old["slot_key"] else ""
    return values


def _leaves(value: Any) -> Iterator[str]:
    """Every text in a column, also inside JSON."""
    if isinstance(value, str):
        if len(value) >= _LEAST_CHARS:
            yield value
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, dict):
        yield from _leaves(list(value))
        yield from _leaves(list(value.values()))
