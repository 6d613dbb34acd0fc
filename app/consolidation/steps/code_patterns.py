"""Code patterns: shapes that recur in the files that assistants changed, read by their syntax in the run, become memories of a project.

Files are read where they lie, off any hook's path; of their code nothing is kept but names of parts, the shape of a path, and examples
as path and line. What is excluded, outside its project, gone or too large is not read. Source: S4 "Code Patterns", issue 18.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.port import Kind, Proposal, Reading, Shown, SkipAction, Step, Texts
from app.deciders.learning.code_patterns import CodePattern, Found, mine_patterns, word_pattern
from app.deciders.learning.code_shapes import BYTES_MOST, Unit, can_read, read_units
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.memories.rows import NewMemory, insert_memory, level_columns
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows.practice import files_changed, load_practices, project_paths
from app.store.tables.memory import MemoryRow
from app.values import MemoryKind, MemoryStatus, Trust

IsExcluded = Callable[[str], bool]
_IMPORTANCE, _CONFIDENCE = 0.5, 0.8
_KEPT_MOST = 2_000  # files whose pieces are remembered until they change
_ID = "id"


@dataclass(frozen=True, slots=True)
class Known:
    """A pattern that is a memory already."""

    id: int
    project_id: int | None
    pattern_id: str
    hint: str
    times: int
    is_persons: bool
    is_away: bool


@dataclass(frozen=True, slots=True)
class Code:
    """What was found, by project, and the patterns that are known."""

    found: Mapping[int, tuple[Found, ...]]
    known: tuple[Known, ...]

    def __len__(self) -> int:
        return len(self.known) + sum(map(len, self.found.values()))


class CodeReader:
    """Reads files by their syntax, each again only when it changed."""

    def __init__(self, is_excluded: IsExcluded) -> None:
        self._is_excluded = is_excluded
        self._units: dict[tuple[str, int, int], tuple[Unit, ...]] = {}

    def read(self, root: str, names: Sequence[str]) -> Iterator[Found]:
        """The pieces of these files of a project, of those that are there and may be read."""
        base = Path(root)
        for name in names:
            path = base / name
            shown = name if not Path(name).is_absolute() else _inside(path, base)
            if shown and can_read(name) and not self._is_excluded(str(path)):
                for unit in self._read_one(path, base):
                    yield Found(shown, unit)

    def _read_one(self, path: Path, base: Path) -> tuple[Unit, ...]:
        try:
            real = path.resolve(strict=True)
            state = real.stat()
            if not real.is_relative_to(base.resolve()) or not real.is_file() or state.st_size > BYTES_MOST:
                return ()
            key = (str(real), state.st_mtime_ns, state.st_size)
            if key not in self._units:
                if len(self._units) >= _KEPT_MOST:
                    self._units.clear()
                self._units[key] = read_units(real.read_bytes(), real.name)
            return self._units[key]
        except (OSError, RuntimeError):
            return ()  # gone, or not for us


def _inside(path: Path, base: Path) -> str:
    """The path as seen from the project; "" outside of it."""
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else ""


def code_patterns(is_excluded: IsExcluded) -> Step:
    """The step. `is_excluded`: whether a person keeps nothing from this path."""
    reader = CodeReader(is_excluded)

    def load(connection: Connection, reading: Reading) -> Code:
        settings = reading.settings
        known = tuple(map(_known, load_practices(connection, MemoryKind.PATTERN)))
        if not (settings.is_learning_rules and settings.is_reading_code):
            return Code({}, known)
        return Code(_read_all(connection, reader, settings.code_files_read), known)

    kinds = {
        "keep_pattern": Kind(
            "code patterns found", _keep, counts_as=("patterns_added",), show=_show, needs_standing=False
        ),
        "renew_pattern": Kind(
            "code patterns seen again", _renew, counts_as=("patterns_reinforced",), show=_show, needs_standing=False
        ),
    }
    return Step("code_patterns", "Reading changed code", load, plan, kinds)


def _read_all(connection: Connection, reader: CodeReader, most: int) -> dict[int, tuple[Found, ...]]:
    paths = project_paths(connection)
    changed = files_changed(connection, most)
    read = {
        project: tuple(reader.read(paths[project], names)) for project, names in changed.items() if paths.get(project)
    }
    return {project: found for project, found in read.items() if found}


def _known(row: Row[Any]) -> Known:
    details = row.details or {}
    return Known(
        id=int(row.id),
        project_id=row.project_id,
        pattern_id=str(details.get(_ID) or ""),
        hint=str(details.get("learned_hint") or ""),
        times=int(details.get("times") or 0),
        is_persons=row.trust >= Trust.CONFIRMED,
        is_away=row.status != MemoryStatus.ACTIVE.value or row.retired_at is not None,
    )


def plan(code: Code, reading: Reading) -> list[Proposal]:
    """What is new, and what is otherwise or more frequent by now."""
    del reading
    proposals: list[Proposal] = []
    for project_id, found in code.found.items():
        for one in mine_patterns(found):
            same = next(
                (known for known in code.known if (known.project_id, known.pattern_id) == (project_id, one.id)), None
            )
            if same is None:
                proposals.append(_propose("keep_pattern", (), one, project_id))
            elif not same.is_away and (same.hint != one.hint or same.times != one.times):
                proposals.append(_propose("renew_pattern", (same.id,), one, project_id))
    return proposals


def _propose(kind: str, memory_ids: tuple[int, ...], one: CodePattern, project_id: int) -> Proposal:
    told = {"text": word_pattern(one), "details": details_of(one), "title": one.kind.capitalize()}
    why = f"seen {one.times} times in changed files"
    return Proposal(kind, memory_ids, why, data={"project_id": project_id}, text=json.dumps(told))  # paths are words


def details_of(one: CodePattern) -> dict[str, Any]:
    """As the seed writes them, with what was counted."""
    return {
        _ID: one.id,
        "trigger": one.trigger,
        "template": dict(one.template),
        "hint": one.hint,
        "learned_hint": one.hint,
        "times": one.times,
        "examples": list(one.examples),
    }


def _keep(write: Write, action: Row[Any]) -> None:
    told = json.loads(action.text)
    details = dict(told["details"])
    insert_memory(
        write,
        NewMemory(
            text=told["text"],
            kind=MemoryKind.PATTERN,
            type=None,
            title=told["title"],
            details=details,
            importance=_IMPORTANCE,
            confidence=_CONFIDENCE,
            trust=Trust.AGENT,
            status=MemoryStatus.ACTIVE,
            project_id=action.data["project_id"],
            reason=action.why,
        ),
    )
    write.label = f"Learned the code pattern “{details['hint']}”"


def _renew(write: Write, action: Row[Any]) -> None:
    row = write.get(MemoryRow, action.memory_ids[0])
    told = json.loads(action.text)
    details = dict(told["details"])
    if row.details.get(_ID) != details[_ID]:
        raise SkipAction("It is another pattern by now.")
    if row.trust >= Trust.CONFIRMED or row.details.get("learned_hint") == details["learned_hint"]:
        counted = {name: details[name] for name in ("times", "examples", "learned_hint")}
        write.update(MemoryRow, int(row.id), {"details": {**row.details, **counted}}, was=row)
        return
    keep_versions(write, [row], "done otherwise since")
    levels = compress(told["text"], kind=MemoryKind.PATTERN, title=row.title, details=details)
    changed = {
        **level_columns(levels, {}),
        "text_key": text_key(told["text"]),
        "details": details,
        "updated_at": write.at,
    }
    write.update(MemoryRow, int(row.id), changed, was=row)


def _show(texts: Texts, action: Row[Any]) -> Shown:
    before = tuple(texts[one].compressed or texts[one].full for one in action.memory_ids if one in texts)
    details = json.loads(action.text)["details"]
    return Shown(before, (f"{details['hint']} · {details['times']} times",))
