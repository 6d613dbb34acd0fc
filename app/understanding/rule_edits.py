"""What a person does to what was learned: rules are edited, switched off and purged, workflows and code patterns edited and switched; and a
knowledge graph that is read in.

Each act is one write. An edited rule is the person's: no run merges, outvotes or prunes it.
Source: S1 "Retention: Permanent (manual purge only)", S4 "Workflows", issues 17 and 18.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from app.errors import InvalidError, NotFoundError
from app.memories.placements import load_placements
from app.store.journal import Write
from app.store.rows.practice import load_practices
from app.store.rows.project import find_project, project_paths
from app.store.rows.rule import load_rule, load_rules_learned, record_of
from app.store.tables.core import LearnedRuleRow
from app.values import Intent, MemoryEdit, MemoryKind, MemoryStatus, Trust
from app.values.rules import LearnedRule, Practice, PracticePart, RuleKind

_PATTERN_CHARS = 300
KINDS = (MemoryKind.WORKFLOW, MemoryKind.PATTERN)
_NAME_CHARS, _CONTENT_CHARS, _PARTS_MOST = 60, 300, 20


@dataclass(frozen=True, slots=True)
class RuleEdit:
    """What is to be changed; None leaves it as it is."""

    pattern: str | None = None
    intents: tuple[Intent, ...] | None = None
    confidence: float | None = None
    lookback: int | None = None


def edit_rule(write: Write, rule_id: int, edit: RuleEdit) -> None:
    """Changes a rule by hand. Raises NotFoundError, InvalidError."""
    rule = _get(write.connection, rule_id)
    values: dict[str, Any] = {"is_edited": True}
    if edit.pattern is not None:
        pattern = " ".join(edit.pattern.lower().split())
        if not pattern or len(pattern) > _PATTERN_CHARS:
            raise InvalidError(
                f"A pattern needs 1 to {_PATTERN_CHARS} characters.", hint="For example: make it {color}."
            )
        values["pattern"] = pattern
    if edit.confidence is not None:
        if not 0 < edit.confidence <= 1:
            raise InvalidError("A confidence is above 0 and at most 1.", hint="Rules begin at 0.60.")
        values["confidence"] = round(edit.confidence, 4)
    details = dict(rule.details)
    if edit.intents is not None:
        if rule.kind is not RuleKind.PHRASE or not edit.intents:
            raise InvalidError(
                "Only a phrase wants something, and at least one thing.", hint="Name one intent or more."
            )
        details["intents"] = [one.value for one in dict.fromkeys(edit.intents)]
    if edit.lookback is not None:
        if rule.kind is not RuleKind.PRONOUN or not 0 < edit.lookback <= 100:
            raise InvalidError("Only a pronoun looks back, by 1 to 100 messages.", hint="“it” mostly looks back 2.")
        details["lookback"] = edit.lookback
    write.update(LearnedRuleRow, rule_id, values | {"details": details})
    write.label = f"Edited the rule “{values.get('pattern', rule.pattern)}”"


def switch_rules(write: Write, rule_ids: Sequence[int], *, is_on: bool) -> None:
    """From now on these rules hold, or do not."""
    rules = [_get(write.connection, one) for one in rule_ids]
    for one in rules:
        write.update(LearnedRuleRow, one.id, {"is_on": is_on})
    write.label = f"Switched {_named(rules)} {'on' if is_on else 'off'}"


def purge_rules(write: Write, rule_ids: Sequence[int] | None, kind: RuleKind | None = None) -> int:
    """Takes rules out: these, all of a kind, or all; returns how many. Undo brings them back."""
    if rule_ids is not None:
        rules = [_get(write.connection, one) for one in rule_ids]
    else:
        rules = [one for one in load_rules_learned(write.connection) if kind is None or one.kind is kind]
    write.delete_many(LearnedRuleRow, [one.id for one in rules])
    write.label = f"Purged {_named(rules)}"
    return len(rules)


def take_rules(write: Write, rules: Sequence[LearnedRule]) -> tuple[int, int]:
    """Reads rules in: how many are new, and how many were known and are now as the file has them."""
    known = {_key(one, one.project): one for one in load_rules_learned(write.connection)}
    projects: dict[str, int | None] = {"": None}
    added = changed = 0
    for one in rules:
        if one.project not in projects:
            projects[one.project] = find_project(write.connection, one.project)
        number = projects[one.project]
        record = record_of(one) | {"project_id": number}
        found = known.get(_key(one, one.project if number is not None else ""))
        if found is None:
            write.insert(LearnedRuleRow, record | {"changed_count": 0})
            added += 1
            continue
        del record["conversation_ids"]
        before = record_of(found)
        if any(before[name] != value for name, value in record.items()):
            write.update(LearnedRuleRow, found.id, record)
            changed += 1
    write.label = f"Read {_count(added + changed)} from a knowledge graph"
    return added, changed


def _key(rule: LearnedRule, project: str) -> tuple[str, str, str, str]:
    return rule.kind.value, rule.pattern, rule.candidate.identity, project


def _get(connection: Connection, rule_id: int) -> LearnedRule:
    rule = load_rule(connection, rule_id)
    if rule is None:
        raise NotFoundError(
            f"There is no rule number {rule_id}.", hint="remanence rules list shows those that there are."
        )
    return rule


def _named(rules: Sequence[LearnedRule]) -> str:
    return f"the rule “{rules[0].pattern.replace('_', ' ')}”" if len(rules) == 1 else _count(len(rules))


def _count(number: int) -> str:
    return f"{number:,} rule{'' if number == 1 else 's'}"


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
