"""Code patterns: shapes that recur in the files that assistants changed, read by their syntax in the run, become memories of a project.

Files are read where they lie, off any hook's path, and with them the files that three of them import and the names in their folders; of
their code nothing is kept but names that three files share, the shape of a path, and examples as path and line. What is excluded,
outside its project, gone or too large is not read. Source: S4 "Code Patterns", issue 18.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.deciders.learning.code_names import ENTRIES, FileNames, read_names
from app.deciders.learning.code_patterns import CodePattern, Found, mine_patterns, word_pattern
from app.deciders.learning.endpoint_shapes import BYTES_MOST, Unit, can_read, read_units
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.memories.draft_guess import would_steer_in
from app.memories.new_memory import NewMemory, insert_memory, level_columns
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows.practice import files_changed, load_practices
from app.store.rows.project import project_paths
from app.store.tables.memory import MemoryRow
from app.values import MemoryKind, MemoryStatus, Trust

IsExcluded = Callable[[str], bool]
_IMPORTANCE, _CONFIDENCE = 0.5, 0.8
_KEPT_MOST = 2_000  # files whose names and endpoints are remembered until they change
_IMPORTED_LEAST, _IMPORTED_MOST = (
    3,
    100,
)  # a file that so many of the changed import is read with them, the most imported first
_LISTED_MOST = 4_000  # names of a folder
_ID = "id"


@dataclass(frozen=True, slots=True)
class KnownPattern:
    """A pattern that is a memory already."""

    id: int
    project_id: int | None
    pattern_id: str
    hint: str
    times: int
    is_away: bool


class CodeOfProject(NamedTuple):
    """What its changed files say."""

    endpoints: tuple[Found, ...] = ()
    files: tuple[FileNames, ...] = ()  # the changed ones, and those that many of them import
    listed: tuple[str, ...] = ()  # all files of their folders


@dataclass(frozen=True, slots=True)
class CodePatternInput:
    """What was read, by project, and the patterns that are known."""

    read: Mapping[int, CodeOfProject]
    known: tuple[KnownPattern, ...]

    def __len__(self) -> int:
        return len(self.known) + sum(len(one.files) for one in self.read.values())


class CodeReader:
    """Reads files by their syntax, each again only when it changed."""

    def __init__(self, is_excluded: IsExcluded) -> None:
        self._is_excluded = is_excluded
        self._kept: dict[tuple[str, int, int], tuple[tuple[Unit, ...], FileNames | None]] = {}

    def read(self, root: str, names: Sequence[str]) -> CodeOfProject:
        """Of these files of a project those that are there and may be read, and what they lead to."""
        base, folders = Path(root), dict[str, frozenset[str]]()

        def list_folder(folder: str) -> frozenset[str]:
            if folder not in folders:
                folders[folder] = _names_in(base / folder)
            return folders[folder]

        read: dict[str, tuple[tuple[Unit, ...], FileNames | None]] = {}
        for name in names:
            shown = name if not Path(name).is_absolute() else _inside(Path(name), base)
            if shown and (one := self._read_one(base, shown, list_folder)) is not None:
                read[shown] = one
        changed = tuple(read)
        fixtures = {str(above / "conftest.py") for one in changed for above in PurePosixPath(one).parents}
        for wanted in (lambda: fixtures, lambda: _imported_often(read), lambda: _behind_entries(read)):
            for name in wanted():
                if name not in read and (one := self._read_one(base, name, list_folder)) is not None:
                    read[name] = one
        return CodeOfProject(
            endpoints=tuple(Found(name, unit) for name in changed for unit in read[name][0]),
            files=tuple(own for _, own in read.values() if own is not None),
            listed=tuple(self._listed(base, changed, list_folder)),
        )

    def _listed(
        self, base: Path, changed: Iterable[str], list_folder: Callable[[str], frozenset[str]]
    ) -> Iterable[str]:
        for folder in sorted({str(PurePosixPath(one).parent) for one in changed}):
            for name in sorted(list_folder("" if folder == "." else folder)):
                path = name if folder == "." else f"{folder}/{name}"
                if not self._is_excluded(str(base / path)):
                    yield path

    def _read_one(
        self, base: Path, name: str, list_folder: Callable[[str], frozenset[str]]
    ) -> tuple[tuple[Unit, ...], FileNames | None] | None:
        path = base / name
        if not can_read(name) or self._is_excluded(str(path)):
            return None
        try:
            real = path.resolve(strict=True)
            state = real.stat()
            if not real.is_relative_to(base.resolve()) or not real.is_file() or state.st_size > BYTES_MOST:
                return None
            key = (str(real), state.st_mtime_ns, state.st_size)
            if key not in self._kept:
                if len(self._kept) >= _KEPT_MOST:
                    self._kept.clear()
                text = real.read_bytes()
                self._kept[key] = read_units(text, name), read_names(text, name, list_folder)
            return self._kept[key]
        except (OSError, RuntimeError):
            return None  # gone, or not for us


_Read = Mapping[str, tuple[tuple[Unit, ...], FileNames | None]]


def _imported_often(read: _Read) -> list[str]:
    count = Counter(name for _, own in read.values() if own for name in own.imports - read.keys())
    return [name for name, times in count.most_common(_IMPORTED_MOST) if times >= _IMPORTED_LEAST]


def _behind_entries(read: _Read) -> list[str]:
    """What an __init__ or index hands on from the files of its folder."""
    entries = [own for path, (_, own) in read.items() if own and PurePosixPath(path).stem in ENTRIES]
    behind = {
        name for own in entries for name in own.imports if PurePosixPath(own.path).parent in PurePosixPath(name).parents
    }
    return sorted(behind)[:_IMPORTED_MOST]


def _names_in(folder: Path) -> frozenset[str]:
    """Of its files, not of its folders."""
    try:
        with os.scandir(folder) as found:
            return frozenset(one.name for one, _ in zip(found, range(_LISTED_MOST), strict=False) if one.is_file())
    except OSError:
        return frozenset()


def _inside(path: Path, base: Path) -> str:
    """The path as seen from the project; "" outside of it."""
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else ""


def code_patterns(is_excluded: IsExcluded) -> Step:
    """The step. `is_excluded`: whether a person keeps nothing from this path."""
    reader = CodeReader(is_excluded)

    def load(connection: Connection, context: PlanContext) -> CodePatternInput:
        settings = context.settings
        known = tuple(map(_known, load_practices(connection, MemoryKind.PATTERN)))
        if not (settings.is_learning_rules and settings.is_reading_code):
            return CodePatternInput({}, known)
        return CodePatternInput(_read_all(connection, reader, settings.code_files_read), known)

    kinds = {
        "keep_pattern": StepAction(
            "code patterns learned", _keep, counts_as=("patterns_added",), show=_show, needs_unchanged=False
        ),
        "renew_pattern": StepAction(
            "code patterns confirmed", _renew, counts_as=("patterns_reinforced",), show=_show, needs_unchanged=False
        ),
    }
    return Step("code_patterns", "Reading changed code", load, plan, kinds)


def _read_all(connection: Connection, reader: CodeReader, most: int) -> dict[int, CodeOfProject]:
    paths = project_paths(connection)
    changed = files_changed(connection, most)
    read = {project: reader.read(paths[project], names) for project, names in changed.items() if paths.get(project)}
    return {project: one for project, one in read.items() if one.files}


def _known(row: Row[Any]) -> KnownPattern:
    details = row.details or {}
    return KnownPattern(
        id=int(row.id),
        project_id=row.project_id,
        pattern_id=str(details.get(_ID) or ""),
        hint=str(details.get("learned_hint") or ""),
        times=int(details.get("times") or 0),
        is_away=row.status != MemoryStatus.ACTIVE.value or row.retired_at is not None,
    )


def plan(code: CodePatternInput, context: PlanContext) -> list[Proposal]:
    """What is new, and what is otherwise or more frequent by now."""
    del context
    proposals: list[Proposal] = []
    for project_id, read in code.read.items():
        for one in mine_patterns(*read):
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
    data = {"project_id": project_id}
    return Proposal(
        kind, memory_ids, why, data=data, text=json.dumps(told), subject=f"{project_id} {one.id}"
    )  # paths are words


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
    is_steering = would_steer_in([told["text"], told["text"].replace("_", " ")])  # a name may be an order
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
            status=MemoryStatus.QUARANTINED if is_steering else MemoryStatus.ACTIVE,
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
    keep_versions(write, [row], "no longer done this way")
    levels = compress(told["text"], kind=MemoryKind.PATTERN, title=row.title, details=details)
    changed = {
        **level_columns(levels, {}),
        "text_key": text_key(told["text"]),
        "details": details,
        "updated_at": write.at,
    }
    write.update(MemoryRow, int(row.id), changed, was=row)


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    before = tuple(texts[one].compressed or texts[one].full for one in action.memory_ids if one in texts)
    details = json.loads(action.text)["details"]
    return DiffLines(before, (f"{details['hint']} · {details['times']} times",))
