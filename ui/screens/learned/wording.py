"""Words for what was learned: kinds, the line under each, and the text in which it is edited. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.values import Intent, MemoryKind
from app.values.practices import Practice, PracticePart
from app.values.rules import LearnedRule, RuleKind
from ui.wording.values import INTENT_WORDS

WORKFLOWS, PATTERNS = "workflow", "pattern"
KIND_WORDS = {
    WORKFLOWS: "Workflow",
    PATTERNS: "Code pattern",
    RuleKind.PHRASE.value: "Phrase",
    RuleKind.PRONOUN.value: "Pointing word",
    RuleKind.DEMONSTRATIVE.value: "Pointing word",
    RuleKind.MARKER.value: "Beginning",
    RuleKind.SIGN.value: "Beginning",
    RuleKind.FILES.value: "Files",
    RuleKind.SEQUENCE.value: "Commands",
    RuleKind.FIX.value: "Fix",
}
_PAIRINGS = {
    "code_and_test": "code and its test",
    "code_and_style": "code and its style",
    "component_parent_child": "a component and a part of it",
    "service_dependency": "services that belong together",
    "same_folder": "in one folder",
    "changed_together": "changed together",
}
_SIGNS = {
    "new_session_started": "A new session of the assistant",
    "time_gap_exceeds": "A pause that is longer than before",
    "entity_similarity_below": "It is about other things than before",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a rule, or a workflow or code pattern, with its value."""

    kind: str
    id: int
    title: str
    line: str  # below the title
    count: str  # at the right: "12 times"
    is_on: bool
    value: LearnedRule | Practice

    @property
    def key(self) -> tuple[bool, int]:
        return isinstance(self.value, Practice), self.id

    @property
    def project(self) -> str:
        return self.value.project

    @property
    def searched(self) -> str:
        return f"{self.title} {self.line} {KIND_WORDS[self.kind]} {self.project}".lower()


def times(count: int) -> str:
    """
    >>> times(1), times(12)
    ('once', '12 times')
    """
    return "once" if count == 1 else f"{count} times"


def practice_entry(one: Practice) -> Entry:
    """The row of a workflow or code pattern."""
    is_workflow = one.kind is MemoryKind.WORKFLOW
    parts = [one.hint]
    if is_workflow and one.times:
        parts.append(f"went well {one.success_ratio:.0%} of the times")
    count = times(one.times) if one.times else "by hand"
    kind = WORKFLOWS if is_workflow else PATTERNS
    return Entry(kind, one.id, one.title, " · ".join(parts), count, one.is_on, one)


def rule_entry(rule: LearnedRule) -> Entry:
    """The row of a rule."""
    title = _SIGNS.get(rule.pattern, rule.pattern) if rule.kind is RuleKind.SIGN else rule.pattern
    return Entry(rule.kind.value, rule.id, title, _rule_line(rule), times(rule.seen_count), rule.is_on, rule)


def _rule_line(rule: LearnedRule) -> str:
    details = rule.details
    match rule.kind:
        case RuleKind.PHRASE:
            said = f"wants: {', '.join(INTENT_WORDS[Intent(name)] for name in details.get('intents', ()))}"
        case RuleKind.PRONOUN:
            said = f"points back {details.get('lookback', '?')} messages"
        case RuleKind.DEMONSTRATIVE:
            said = f"must occur in the {str(details.get('must_exist_in', '')).replace('_', ' ')}"
        case RuleKind.MARKER:
            said = "begins a conversation"
        case RuleKind.SIGN:
            value = details.get("value")
            said = "begins a conversation" if value is True else f"begins a conversation: {value}"
        case RuleKind.FILES:
            said = _PAIRINGS.get(str(details.get("pattern")), "changed together")
        case RuleKind.SEQUENCE:
            said = "commands in this order"
        case RuleKind.FIX:
            said = f"went away after {', '.join(details.get('files', ()))} was edited"
    return f"{said} · sure {rule.confidence:.0%}"


def said_aloud(entry: Entry) -> str:
    """For a screen reader."""
    off = "" if entry.is_on else ", off"
    return f"{KIND_WORDS[entry.kind]}: {entry.title}, {entry.line}, {entry.count}{off}"


def facts_of(entry: Entry) -> str:
    """The line under the title in the detail."""
    value = entry.value
    parts = [KIND_WORDS[entry.kind], f"seen {entry.count}" if entry.count != "by hand" else "written by hand"]
    if isinstance(value, LearnedRule):
        parts.append(f"changed {times(value.changed_count)} what was understood" if value.changed_count else "")
        parts.append(f"last seen {value.last_seen_at.astimezone():%d %b %Y}")
    elif value.kind is MemoryKind.WORKFLOW and value.times:
        parts.append(f"{value.succeeded} of {value.times} went well")
        parts.append(f"so {value.share:.0%} of the times" if value.share else "")
    parts.append("edited by you" if value.is_edited else "")
    parts.append("off" if not entry.is_on else "")
    parts.append(entry.project)
    return " · ".join(one for one in parts if one)


def parts_text(parts: Sequence[PracticePart]) -> str:
    """The steps as they are edited, one a line.

    >>> parts_text([PracticePart("test", "npm test"), PracticePart("ship")])
    'test: npm test\\nship'
    """
    return "\n".join(f"{one.name}: {one.content}" if one.content else one.name for one in parts)


def read_parts(text: str) -> list[PracticePart]:
    """The steps of such a text.

    >>> read_parts("test: npm test\\n\\n ship ")
    [PracticePart(name='test', content='npm test'), PracticePart(name='ship', content='')]
    """
    pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
    return [PracticePart(name.strip(), content.strip()) for name, _, content in pairs]


def read_intents(text: str) -> tuple[Intent, ...] | None:
    """The intents of "PLAN, TEST"; None where one is none.

    >>> read_intents("plan, test"), read_intents("dance")
    ((<Intent.PLAN: 'PLAN'>, <Intent.TEST: 'TEST'>), None)
    """
    named = [one.strip().upper() for one in text.replace("+", ",").split(",") if one.strip()]
    known = set(Intent)
    return tuple(Intent(one) for one in named) if named and all(one in known for one in named) else None
