"""Exclusion rules: kept, listed, taken away; and whether an event falls under one, asked before anything of it is written.

An excluded event leaves nothing: no row, no line, no receipt; only a count at its rule. Kinds of `RuleRow` are "exclude.folder" and
"exclude.words". What the hook needs of them is in a small file beside its other rules. Source: UX 4.10, QUALITY S6.
"""

import marshal
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection

from app.errors import InvalidError, NotFoundError
from app.places import make_private_dir, write_private
from app.privacy.exclusion import Exclusion, find_exclusion, folder_patterns, words_pattern
from app.store.journal import Record, Write
from app.store.rows.rule import count_decided
from app.store.store import Store
from app.store.table_queries import rows_with
from app.store.tables.core import RuleRow
from app.understanding.message_rows import AnyRow
from app.values import (
    CaptureRequest,
    CaptureResult,
    Changes,
    DataKind,
    EventState,
    ExclusionKind,
    ExclusionRule,
    Origin,
)

EXCLUDED_NAME = "exclude.marshal"
EXCLUSION_RULES = {ExclusionKind.FOLDER: "exclude.folder", ExclusionKind.WORDS: "exclude.words"}
_KIND_OF = {kind: value for value, kind in EXCLUSION_RULES.items()}
_MOST_RULES, _TEXT_CHARS, _LEAST_CHARS = 200, 300, 2
_SAID = "excluded by a rule of yours"
_DEEPEST = 12  # levels of a tool's input that are looked through


class Exclusions:
    """Thread-safe. The rules are read again after every commit that changed one."""

    def __init__(self, store: Store, hook_dir: Path, own_folder: Path | None = None) -> None:
        self._store = store
        self._hook_path = hook_dir / EXCLUDED_NAME
        self._lock = threading.Lock()
        self._known: tuple[Exclusion, ...] | None = None
        self._change_count = 0
        self._hits: Counter[int] = Counter()  # not yet written
        # Where we ask a model ourselves: what happens there is never captured. The hook knows it by its environment.
        self._own = (
            ()
            if own_folder is None
            else tuple(Exclusion(0, is_folder=True, pattern=one) for one in folder_patterns(str(own_folder)))
        )
        store.subscribe(self._on_changes)

    def leave_out(self, requests: Sequence[CaptureRequest]) -> dict[int, CaptureResult]:
        """The answers to those that fall under a rule, by their place in the list; counted, and nothing of them kept."""
        rules = self._rules()
        if not rules:
            return {}
        found: dict[int, CaptureResult] = {}
        for at, request in enumerate(requests):
            rule = _rule_for(rules, request)
            if rule is not None:
                found[at] = CaptureResult(0, request.key, EventState.IGNORED, error=_SAID)
                if rule.id:
                    with self._lock:
                        self._hits[rule.id] += 1
        return found

    def covers(self, request: CaptureRequest) -> bool:
        """Whether a rule keeps this event out; not counted."""
        return _rule_for(self._rules(), request) is not None

    def excludes(self, places: Iterable[str], texts: Iterable[str]) -> bool:
        """Whether what comes from there, or says this, is excluded."""
        return find_exclusion(self._rules(), places, texts) is not None

    def refuse(self, places: Iterable[str], texts: Iterable[str]) -> None:
        """Raises InvalidError for what is excluded: for what an assistant wants kept."""
        if self.excludes(places, texts):
            raise InvalidError(
                "This is excluded: the person keeps nothing with these words or from this folder.",
                hint="Leave it out. Only the person can change that, in Settings.",
            )

    def flush(self, write: Write) -> None:
        """Writes the counts down beside whatever is written anyway; never journalled: no undo hangs on them."""
        with self._lock:
            hits, self._hits = self._hits, Counter()
        count_decided(write, hits)

    def close(self) -> None:
        """Writes the last counts; without a disk they are lost, and nothing else."""
        if self._hits:
            with self._store.write(
                origin=Origin.ENGINE, kind="exclude", label="", is_undoable=False, is_durable=False
            ) as write:
                self.flush(write)

    def list(self) -> tuple[ExclusionRule, ...]:
        """Oldest first, with what was counted since."""
        with self._store.read() as connection:
            rows = _load(connection)
        return tuple(_value_of(row, row.learned_from + self._hits[row.id]) for row in rows)

    def write_hook_file(self) -> None:
        """Tells the hook, which asks nobody while the app is closed. No file: no rule. Raises OSError, EnvironmentProblem."""
        rules = [rule for rule in self._rules() if rule not in self._own]
        if not rules:
            self._hook_path.unlink(missing_ok=True)
            return
        make_private_dir(self._hook_path.parent)
        listed = [(rule.is_folder, rule.pattern) for rule in rules]
        write_private(self._hook_path, marshal.dumps(listed, 2))

    def forget(self) -> None:
        """The rules are read again: one was changed, or another store was put in place."""
        self._change_count += 1
        self._known = None

    def _rules(self) -> tuple[Exclusion, ...]:
        known = self._known
        if known is None:
            before = self._change_count
            with self._store.read() as connection:
                known = (*self._own, *(one for row in _load(connection) for one in _patterns_of(row)))
            if before == self._change_count:  # else a commit came between: this may be the state before it
                self._known = known
        return known

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.RULES in changes.kinds:
            self.forget()


def add_exclusion(write: Write, kind: ExclusionKind, text: str) -> int:
    """Keeps a rule; returns its number, the old one's when it is there already. Raises InvalidError."""
    clean = _checked(kind, text)
    same = _find_same(write, EXCLUSION_RULES[kind], clean)
    if same is not None:
        write.label = "Excluded already"
        return same
    what = f"in {clean}" if kind is ExclusionKind.FOLDER else f"that says “{clean}”"
    write.label = f"Nothing {what} is captured any more"
    return write.insert(
        RuleRow,
        {
            "kind": EXCLUSION_RULES[kind], "pattern": clean, "data": {}, "confidence": 1.0, "learned_from": 0,
            "created_at": write.at,
        },
    )  # fmt: skip


def take_exclusion(write: Write, record: Record) -> bool:
    """Adds the row of a rule that a file holds; not when there is one like it. Raises InvalidError for one that cannot be."""
    if _checked(_KIND_OF[record["kind"]], record["pattern"]) != record["pattern"]:
        raise InvalidError("This is not an exclusion rule.", hint="Make it again in Settings.")
    if _find_same(write, record["kind"], record["pattern"]) is not None:
        return False
    write.insert(RuleRow, record | {"data": {}})
    return True


def _find_same(write: Write, kind: str, pattern: str) -> int | None:
    """The number of the same rule. Raises InvalidError when there is none, and no room for one."""
    rows = _load(write.connection)
    for row in rows:
        if (row.kind, row.pattern) == (kind, pattern):
            return int(row.id)
    if len(rows) >= _MOST_RULES:
        raise InvalidError(f"There are {_MOST_RULES} exclusion rules already.", hint="Remove one first.")
    return None


def remove_exclusion(write: Write, rule_id: int) -> None:
    row = next((one for one in _load(write.connection) if one.id == rule_id), None)
    if row is None:
        raise NotFoundError(f"There is no exclusion rule number {rule_id}.", hint="remanence exclude list shows them.")
    write.delete(RuleRow, rule_id)
    write.label = f"Captured again: {row.pattern}"


def _checked(kind: ExclusionKind, text: str) -> str:
    return _checked_folder(text) if kind is ExclusionKind.FOLDER else _checked_words(text)


def _checked_folder(text: str) -> str:
    folder = os.path.expanduser(text.strip())  # noqa: PTH111 (Path would drop what a pattern needs)
    plain = folder.replace("\\", "/").rstrip("/")
    is_whole = folder.startswith(("/", "*")) or folder[1:3] in {":\\", ":/"}
    if not is_whole or len(folder) > _TEXT_CHARS:
        raise InvalidError(f"“{text[:80]}” is not a full path.", hint="For example: ~/work/secret, or */private")
    if len(plain.strip("*?./")) < _LEAST_CHARS or "\n" in plain:
        raise InvalidError("This rule would match everything.", hint="Pause capture instead, or name a folder.")
    return plain


def _checked_words(text: str) -> str:
    words = " ".join(text.split())
    if len(words) > _TEXT_CHARS:
        raise InvalidError(
            f"A rule holds at most {_TEXT_CHARS} characters.", hint="Use only the words that identify it."
        )
    if sum(letter.isalnum() for letter in words) < _LEAST_CHARS:
        raise InvalidError("This rule would match nearly everything.", hint="Give a word of two letters or more.")
    return words


def _load(connection: Connection) -> Sequence[AnyRow]:
    return rows_with(connection, RuleRow, kind=tuple(_KIND_OF))


def _value_of(row: AnyRow, count: int) -> ExclusionRule:
    return ExclusionRule(row.id, _KIND_OF[row.kind], row.pattern, row.created_at, count)


def _patterns_of(row: AnyRow) -> Iterator[Exclusion]:
    """A folder also by the place that it leads to."""
    if _KIND_OF[row.kind] is ExclusionKind.WORDS:
        yield Exclusion(row.id, is_folder=False, pattern=words_pattern(row.pattern))
        return
    for pattern in folder_patterns(row.pattern):
        yield Exclusion(row.id, is_folder=True, pattern=pattern)


def _rule_for(rules: Sequence[Exclusion], request: CaptureRequest) -> Exclusion | None:
    places = [request.cwd, request.project_root, request.transcript_path, *_texts_in(request.payload)]
    return find_exclusion(rules, places, (request.text, request.git_branch))


def _texts_in(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(one, depth + 1)
