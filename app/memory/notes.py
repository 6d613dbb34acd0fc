"""Statements in telegram style: "db: Postgres, cache: Redis", "Caddy for TLS, Vault for secrets", "python 3.12, torch 2.4".

Owns what such an entry looks like; cutting a line into them and prose are left to the other readers. Knows nothing of
messages. Source: S4 (facts are key and value).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.memory.matching import BARE, Match, doubts_clause, is_named, is_task_after
from app.memory.phrasing import is_vague
from app.memory.rules import MemoryRules, Pattern
from app.memory.slots import fill_slot, find_attributes, find_technologies
from app.memory.standing import Setting, is_talked_about, tells_of_fault
from app.values import Entity, FactType

_LABEL = re.compile(
    r"(?P<subject>(?:the |our |my )?[a-z][\w./+#-]*(?: [\w./+#-]+){0,3}?) ?(?::|=|->|→) ?(?P<new>(?!//|\s*$)[^?]{1,90})$",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"(?P<new>[\w./+#-]+(?: [\w./+#-]+)?) (?P<link>for|as|in|on|with|via) (?:the |our |all |any )?"
    r"(?P<subject>[a-z][\w./-]+(?: [\w./-]+){0,2})$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"(?P<subject>[a-z][\w.+#-]*(?: [a-z][\w.+#-]*)?) (?P<new>v?\d+(?:\.\d+)*(?:\.x|\+)?(?: lts)?)(?: (?:on|in|for) [\w -]{2,24})?$",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"\d|`[^`]+`|\w@\w|https?:|\w/\w|\w\.\w{2,5}\b")
_MAX_VALUE_WORDS, _MAX_NOTE_WORDS, _FEW_WORDS = 9, 45, 3
VERSIONED = "versioned"
_SURE, _PLAIN = 0.72, 0.62
_LABELLED = replace(BARE, id="labelled", confidence=_SURE, reason="names a thing and what it is")
_UNKNOWN = replace(_LABELLED, confidence=_PLAIN)
_PURPOSED = replace(_LABELLED, id="purposed", type=FactType.DECISION, reason="says what is used for what")
_VERSIONED = replace(_UNKNOWN, id=VERSIONED, reason="names a version")


def read_note(part: str, entities: Sequence[Entity], rules: MemoryRules, setting: Setting) -> Match | None:
    """The statement of one entry in telegram style; None when the part is none or the message is no brief one.

    >>> from app.memory.rules import load_memory_rules
    >>> found = read_note("db: Postgres 16", (), load_memory_rules(), Setting(3))
    >>> found.text, found.filling.slot.attribute, found.filling.value
    ('db: Postgres 16', 'database', 'PostgreSQL 16')
    """
    if not 0 < setting.word_count <= _MAX_NOTE_WORDS or setting.is_asking:
        return None
    if doubts_clause(part, rules) or is_task_after(part, rules):
        return None
    purposed = _purposed(part, entities, rules)  # also beside a fault: "Sentry for error tracking"
    if purposed is not None or setting.is_troubled:
        return purposed
    return _labelled(part, entities, rules) or _versioned(part, entities, rules)


def continues_note(part: str, before: Match, rules: MemoryRules) -> Match | None:
    """The part as one more entry of the list that `before` stands in: "torch 2.4" behind "python 3.12"."""
    found = _VERSION.match(part) if before.pattern.id == VERSIONED else None
    return _match(part, found["subject"], found["new"], before.pattern, rules) if found is not None else None


def _labelled(part: str, entities: Sequence[Entity], rules: MemoryRules) -> Match | None:
    found = _LABEL.match(part)
    if found is None:
        return None
    label, value = found["subject"].strip(), found["new"].strip()
    words = label.lower().split()
    is_known = bool(find_attributes(label, rules.slots))
    is_said = is_named(value, entities, rules) or (is_known and len(value.split()) <= _FEW_WORDS)
    if (
        not is_said
        or len(value.split()) > _MAX_VALUE_WORDS
        or (is_vague(value, rules) and not value[0].isdigit())
        or words[-1] in rules.clauses.words["not_labels"]
        or words[0] in rules.clauses.words["openings"]
    ):
        return None
    if not is_known and not (is_talked_about(label, rules) and _is_telling(value, entities, rules)):
        return None
    return _match(part, label, value, _LABELLED if is_known else _UNKNOWN, rules)


def _is_telling(value: str, entities: Sequence[Entity], rules: MemoryRules) -> bool:
    return _MEASURE.search(value) is not None or bool(find_technologies(f"to {value}", entities, rules.slots))


def _purposed(part: str, entities: Sequence[Entity], rules: MemoryRules) -> Match | None:
    found = _PURPOSE.match(part)
    if found is None:
        return None
    thing, purpose = found["new"], found["subject"]
    if found["link"].lower() not in {"for", "as"}:
        thing, purpose = purpose, thing  # "charts in Plotly"
    first = found["new"].split()[0].lower()
    if first in rules.clauses.words["openings"] or is_vague(thing, rules) or _is_verb(first, rules):
        return None
    is_purpose = bool(find_attributes(purpose, rules.slots)) or is_talked_about(purpose, rules)
    if not is_purpose or not find_technologies(f"to {thing}", entities, rules.slots):
        return None
    return _match(part, purpose, thing, _PURPOSED, rules)


def _is_verb(word: str, rules: MemoryRules) -> bool:
    return any(one.form != "base" for one in rules.clauses.verbs.get(word, ())) or word in rules.clauses.orders


def _versioned(part: str, entities: Sequence[Entity], rules: MemoryRules) -> Match | None:
    found = _VERSION.match(part)
    if found is None or not find_technologies(f"to {found['subject']}", entities, rules.slots):
        return None
    return _match(part, found["subject"], found["new"], _VERSIONED, rules)


def _match(part: str, subject: str, value: str, pattern: Pattern, rules: MemoryRules) -> Match | None:
    if tells_of_fault(value, rules):
        return None
    groups = {"subject": subject, "new": value}
    filling = fill_slot(part, rules.slots, groups)
    return Match(pattern, part, groups, filling if filling.slot else None)
