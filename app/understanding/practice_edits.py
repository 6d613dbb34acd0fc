"""Workflows and code patterns as a person sees and edits them: their trigger, name and parts, and whether they are on.

Source: S4 "Workflows", issue 18.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from app.errors import InvalidError, NotFoundError
from app.memories.placements import load_placements
from app.store.rows.practice import load_practices, project_paths
from app.values import MemoryEdit, MemoryKind, MemoryStatus, Trust
from app.values.rules import Practice, PracticePart

KINDS = (MemoryKind.WORKFLOW, MemoryKind.PATTERN)
_NAME_CHARS, _CONTENT_CHARS, _PARTS_MOST = 60, 300, 20


def list_practices(connection: Connection, kind: MemoryKind) -> tuple[Practice, ...]:
    """Those in use, also such as are off: the most often seen first, then by title."""
    rows = [
        row
        for row in load_practices(connection, kind)
        if row.status in {MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value} and row.retired_at is None
    ]
    paths = project_paths(connection)
    placed = load_placements(connection, [int(row.id) for row in rows])
    found = [_practice(row, paths.get(row.project_id, ""), is_on=not _is_off(placed, int(row.id))) for row in rows]
    return tuple(sorted(found, key=lambda one: (-one.times, one.title.lower(), one.id)))


def _is_off(placed: Mapping[int, Any], number: int) -> bool:
    return number in placed and bool(placed[number].is_withheld)


def get_practice(connection: Connection, practice_id: int) -> Practice:
    """Raises NotFoundError."""
    found = next((one for kind in KINDS for one in list_practices(connection, kind) if one.id == practice_id), None)
    if found is None:
        raise NotFoundError(
            f"There is no workflow or code pattern number {practice_id}.",
            hint="remanence workflows and remanence patterns list those that there are.",
        )
    return found


def _practice(row: Any, project: str, *, is_on: bool) -> Practice:
    details = row.details or {}
    return Practice(
        id=int(row.id),
        kind=MemoryKind(row.kind),
        title=row.title,
        trigger=str(details.get("trigger") or ""),
        hint=row.compressed or row.full,
        parts=tuple(_parts(details)),
        times=_positive(details.get("times")),
        succeeded=_positive(details.get("succeeded")),
        share=float(details.get("share") or 0.0),
        examples=tuple(map(str, details.get("examples") or ())),
        project=project,
        is_on=is_on,
        is_edited=row.trust >= Trust.CONFIRMED,
    )


def _positive(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _parts(details: Mapping[str, Any]) -> list[PracticePart]:
    template, steps = details.get("template"), details.get("steps")
    if isinstance(template, Mapping):
        return [PracticePart(str(name), str(content)) for name, content in template.items()]
    known = details.get("details")
    commands = known if isinstance(known, Mapping) else {}
    listed = steps if isinstance(steps, list | tuple) else ()
    return [PracticePart(str(step), str(commands.get(step, ""))) for step in listed]


def plan_edit(
    connection: Connection,
    practice_id: int,
    *,
    title: str | None = None,
    trigger: str | None = None,
    parts: Sequence[PracticePart] | None = None,
) -> MemoryEdit:
    """The edit of its memory; its text and levels follow. Raises NotFoundError, InvalidError."""
    practice = get_practice(connection, practice_id)
    row = next(one for one in load_practices(connection, practice.kind) if int(one.id) == practice_id)
    details: dict[str, Any] = dict(row.details or {})
    if trigger is not None:
        details["trigger"] = _checked(trigger, "A trigger")
    wanted = practice.parts if parts is None else tuple(parts)
    if parts is not None:
        _check_parts(wanted)
        details |= _as_details(practice.kind, wanted)
        details.pop("hint", None)  # it told of the old ones
    name = practice.title if title is None else _checked(title, "A name")
    parts_text = ", ".join(f"{one.name} ({one.content})" if one.content else one.name for one in wanted)
    return MemoryEdit(title=name, full=f"{name}: {parts_text}.", summary="", compressed="", index="", details=details)


def _checked(text: str, what: str) -> str:
    plain = " ".join(text.split())
    if not plain or len(plain) > _NAME_CHARS:
        raise InvalidError(f"{what} has 1 to {_NAME_CHARS} characters.", hint="For example: deploy_request.")
    return plain


def _check_parts(parts: Sequence[PracticePart]) -> None:
    names = [_checked(one.name, "A step") for one in parts]
    if not 1 < len(names) <= _PARTS_MOST or len(set(names)) < len(names):
        raise InvalidError(f"It has 2 to {_PARTS_MOST} steps, each once.", hint="One a line, as in “test: npm test”.")
    if any(len(one.content) > _CONTENT_CHARS for one in parts):
        raise InvalidError(f"A command has at most {_CONTENT_CHARS} characters.", hint="Name a script instead.")


def _as_details(kind: MemoryKind, parts: Sequence[PracticePart]) -> dict[str, Any]:
    if kind is MemoryKind.PATTERN:
        return {"template": {one.name: one.content for one in parts}}
    commands = {one.name: one.content for one in parts if one.content}
    return {"steps": [one.name for one in parts], "details": commands}
