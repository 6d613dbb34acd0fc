"""What a person does to learned rules: edits, switches off, purges; and a knowledge graph that is read in.

Each act is one write. An edited rule is the person's: no run merges, outvotes or prunes it.
Source: S1 "Retention: Permanent (manual purge only)", issue 17.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from app.errors import InvalidError, NotFoundError
from app.store.journal import Write, table_of
from app.store.rows.rule import load_rule, load_rules_learned, record_of
from app.store.tables.core import LearnedRuleRow, ProjectRow
from app.values import Intent
from app.values.rules import LearnedRule, RuleKind

_PATTERN_CHARS = 300
_project = table_of(ProjectRow)


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
            projects[one.project] = _project_id(write.connection, one.project)
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


def _project_id(connection: Connection, path: str) -> int | None:
    """The project of that folder; None where it is not known here: then the rule is of no project."""
    found = connection.execute(select(_project.c.id).where(_project.c.path == path)).scalar()
    return None if found is None else int(found)


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
