"""Statements in telegram style: "db: Postgres, cache: Redis", "Caddy for TLS, Vault for secrets", "python 3.12, torch 2.4".

Owns what such an entry looks like; cutting a line into them and prose are left to the other readers. Knows nothing of
messages. Source: S4 (facts are key and value).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.memory.faults import tells_of_fault
from app.memory.matching import BARE, Match, doubts_clause, is_named, is_task_after
from app.memory.phrasing import is_vague
from app.memory.rules import MemoryRules, Pattern
from app.memory.slots import fill_slot, find_attributes, find_technologies
from app.memory.standing import Setting
from app.memory.subjects import is_talked_about
from app.values import Entity, FactType

_LABEL = re.compile(
    r"(?P<subject>(?:the |our |my )?[a-z][\w./+#-]*(?: [\w./+#-]+){0,3}?) ?(?::|=|->|→) ?(?P<new>(?!//|\s*$)[^?]{1,90})$",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"(?P<new>[\w./+#-]+(?: [\w./+#-]+)?) (?P<link>for|as|in|on|with|via|from) (?:the |our |all |any )?"
    r"(?P<subject>[a-z][\w./-]+(?: [\w./-]+){0,2})$",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"(?P<subject>[a-z][\w.+#-]*(?: [a-z][\w.+#-]*)?) (?P<new>v?\d+(?:\.\d+)*(?:\.x|\+)?(?: lts)?)(?: (?:on|in|for) [\w -]{2,24})?$",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"(?P<subject>[a-z][\w-]*(?: [\w-]+){0,2}) (?:(?:on|at) (?P<port>(?:port )?:?\d{4,5})|(?:in|under|at|on) (?P<new>[\w~.@-]+/[\w./~@*<>{}$-]*|[a-z]+-[a-z]+-\d))$",
    re.IGNORECASE,
)
_JUXTAPOSED = re.compile(
    r"(?!.*[:=?])(?:[\w./-]+ ){1,6}(?:[\w./:@%+€$£-]+(?: (?:an?|per) (?:day|week|month|year|user|key|minute|second|hour))?)$"
)
_JUXTAPOSED_KINDS = frozenset({"number", "duration", "percent", "version", "port", "size", "name"})
_CONTRASTED = re.compile(r", (?:no|not|never) [\w ]+$", re.IGNORECASE)
_PROPER = re.compile(r"[A-Z][a-z]*[A-Z]\w*|[A-Z][a-z]+$")
_FIRST_CHARS = 4
_TELLS = re.compile(
    r"\b(?!(?:ms|secs|mins|hours|days|weeks|months|years|seconds|minutes|bytes|px|rows|items|lines)\b)[a-z]{2,}s\b",
    re.IGNORECASE,
)
_FEW_LABEL_WORDS, _BRIEF_NOTE_WORDS = 2, 12
_FEW_LEADING_WORDS = 2
_NO_LEADS = frozenset(
    {
        "the",
        "a",
        "an",
        "this",
        "my",
        "set",
        "with",
        "use",
        "at",
        "in",
        "on",
        "no",
        "is",
        "what",
        "same",
        "wrong",
        "current",
    }
)
_MEASURE = re.compile(r"\d|`[^`]+`|\w@\w|https?:|\w/\w|\w\.\w{2,5}\b")
_SEEN_AT = frozenset({"is", "are", "was", "were"})
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
    return (
        _labelled(part, entities, rules, setting)
        or _versioned(part, entities, rules)
        or _juxtaposed(part, rules)
        or _placed(part, rules)
    )


def _juxtaposed(part: str, rules: MemoryRules) -> Match | None:
    """An attribute with its value right behind it: "max page size 200", "bundle id com.acme.field"."""
    named = find_attributes(part, rules.slots)
    if len(named) != 1 or _JUXTAPOSED.match(part) is None:
        return None
    after, first = part[named[0].end :].strip(), part.split(maxsplit=1)[0].lower()
    kind = rules.slots.attributes[named[0].name].kind
    is_led = len(part[: named[0].start].split()) <= _FEW_LEADING_WORDS and first not in _NO_LEADS
    is_measure = kind in _JUXTAPOSED_KINDS and _MEASURE.search(after) is not None and _TELLS.search(after) is None
    if not is_led or not is_measure or len(after.split()) > _FEW_WORDS or _is_verb(first, rules):
        return None
    return _match(part, part[: named[0].end], after, _UNKNOWN, rules)


def _placed(part: str, rules: MemoryRules) -> Match | None:
    """Things and where they are kept or listen, without a verb: "ADRs in docs/adr", "api on 4000"."""
    found = _PLACED.match(part)
    if found is None or not _SEEN_AT.isdisjoint(found["subject"].lower().split()):
        return None
    label, value = found["subject"].strip(), found["port"] or found["new"]
    head = label.lower().split()[-1]
    is_known = is_talked_about(label, rules) or head.endswith("s") or bool(find_attributes(label, rules.slots))
    if not is_known or head in rules.clauses.words["seen"] or _is_verb(label.lower().split()[0], rules):
        return None
    if label.lower().split()[0] in rules.clauses.words["openings"] or head in rules.clauses.words["not_labels"]:
        return None
    return _match(part, label, value, _UNKNOWN, rules)


def continues_note(part: str, before: Match, rules: MemoryRules) -> Match | None:
    """The part as one more entry of the list that `before` stands in: "torch 2.4" behind "python 3.12"."""
    found = _VERSION.match(part) if before.pattern.id == VERSIONED else None
    return _match(part, found["subject"], found["new"], before.pattern, rules) if found is not None else None


def _labelled(part: str, entities: Sequence[Entity], rules: MemoryRules, setting: Setting) -> Match | None:
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
    is_plain = len(words) <= _FEW_LABEL_WORDS and setting.word_count <= _BRIEF_NOTE_WORDS and label.islower()
    is_told = is_talked_about(label, rules) and _is_telling(value, entities, rules)
    if not is_known and not is_told and not (is_plain and not _is_verb(words[0], rules)):
        return None
    return _match(part, label, value, _LABELLED if is_known else _UNKNOWN, rules)


def _is_telling(value: str, entities: Sequence[Entity], rules: MemoryRules) -> bool:
    return _MEASURE.search(value) is not None or bool(find_technologies(f"to {value}", entities, rules.slots))


def _purposed(part: str, entities: Sequence[Entity], rules: MemoryRules) -> Match | None:
    found = _PURPOSE.match(_CONTRASTED.sub("", part))
    if found is None:
        return None
    thing, purpose = found["new"], found["subject"]
    is_turned = found["link"].lower() == "as" and bool(find_technologies(f"to {purpose}", entities, rules.slots))
    if is_turned or found["link"].lower() not in {"for", "as"}:
        thing, purpose = purpose, thing  # "charts in Plotly", "diagrams as Mermaid"
    first = found["new"].split()[0].lower()
    if first in rules.clauses.words["openings"] or is_vague(thing, rules) or _is_verb(first, rules):
        return None
    tools = find_technologies(f"to {thing}", entities, rules.slots)
    is_tool_alone = any(len(f"to {thing}") - one.end < 1 and one.start < _FIRST_CHARS for one in tools)
    is_purpose = bool(find_attributes(purpose, rules.slots)) or is_talked_about(purpose, rules)
    is_purpose = is_purpose or (is_tool_alone and found["link"].lower() == "for" and purpose.endswith("s"))
    is_named = bool(tools) or (found["link"].lower() in {"via", "with", "from"} and _PROPER.match(thing) is not None)
    if not is_purpose or not is_named:
        return None
    return _match(part, purpose, thing, _PURPOSED, rules)


def _is_verb(word: str, rules: MemoryRules) -> bool:
    return any(one.form != "base" for one in rules.clauses.verbs.get(word, ())) or word in rules.clauses.orders


def _versioned(part: str, entities: Sequence[Entity], rules: MemoryRules) -> Match | None:
    found = _VERSION.match(part)
    if found is not None and any(_is_verb(word, rules) for word in found["subject"].lower().split()):
        return None  # "algolia returns 403"
    if found is None or not find_technologies(f"to {found['subject']}", entities, rules.slots):
        return None
    return _match(part, found["subject"], found["new"], _VERSIONED, rules)


def _match(part: str, subject: str, value: str, pattern: Pattern, rules: MemoryRules) -> Match | None:
    if tells_of_fault(value, rules):
        return None
    groups = {"subject": subject, "new": value}
    filling = fill_slot(part, rules.slots, groups)
    return Match(pattern, part, groups, filling if filling.slot else None)
