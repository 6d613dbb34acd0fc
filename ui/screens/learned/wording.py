"""What was learned, in words: one row a workflow, code pattern or rule, under what each kind is for. Values in, words out; no widget."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from app.values import Intent, MemoryKind
from app.values.rules import LearnedRule, Practice, PracticePart, RuleExample, RuleKind
from ui.wording.figures import counted, times
from ui.wording.values import INTENT_WORDS, percent


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one kind: the word for one and for several, what they are for in a few words, and how one comes into use."""

    noun: str
    plural: str
    title: str
    purpose: str
    rule: str


_GROUPS = {
    "workflow": Group("workflow", "workflows", "Workflows", "steps that your assistants repeat",
        "Your assistant gets all steps of one when you ask for it."),
    "pattern": Group("code pattern", "code patterns", "Code patterns", "how files of a project are built",
        "Your assistant gets one when you ask for another file like these."),
    "fix": Group("fix", "fixes", "Fixes", "what made an error go away",
        "Your assistant gets one when the same error comes back."),
    "phrase": Group("phrase", "phrases", "Phrases", "what you mean when you say it",
        "A phrase is used once it was understood the same way eight times, or you corrected it three times, or you edit it here."),
    "marker": Group("beginning", "beginnings", "Beginnings", "what starts a new conversation",
        "Such words are used once they began a conversation six times, or you edit them here. Pauses and sessions are never used."),
    "pronoun": Group("pointing word", "pointing words", "“It” and “that”", "how far back they point",
        "One is used once you set here how far back it points."),
    "sequence": Group("sequence of commands", "sequences of commands", "Commands", "what your assistants run one after another",
        "A sequence seen three times in two conversations, or six times in one, becomes a workflow."),
    "files": Group("pair of files", "pairs of files", "Files", "what is changed together",
        "Both files are linked in the Graph."),
}  # fmt: skip
_UNDERSTANDING = frozenset({"phrase", "marker", "pronoun"})
_ALIKE = {RuleKind.DEMONSTRATIVE: "pronoun", RuleKind.SIGN: "marker"}
_POINTING = {RuleKind.PRONOUN, RuleKind.DEMONSTRATIVE}
_PAIRINGS = {
    "code_and_test": "code and its test",
    "code_and_style": "code and its style",
    "component_parent_child": "a component and a part of it",
    "service_dependency": "services that belong together",
    "same_folder": "in one folder",
}
_GAP = re.compile(r"\{[a-z_ ]+\}")  # what was named stands as "{color}" in a pattern
_SIGNS = {
    "new_session_started": "A new session of the assistant",
    "time_gap_exceeds": "A pause that is longer than before",
    "entity_similarity_below": "It is about other things than before",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a rule, or a workflow or code pattern, with its value."""

    group: str
    id: int
    title: str
    line: str  # below the title
    count: str  # at the right: "12 times"
    value: LearnedRule | Practice

    @property
    def key(self) -> tuple[bool, int]:
        return isinstance(self.value, Practice), self.id

    @property
    def is_on(self) -> bool:
        return self.value.is_on

    @property
    def is_used(self) -> bool:
        return self.value.is_on if isinstance(self.value, Practice) else self.value.is_used

    @property
    def is_noticed(self) -> bool:
        """Whether it is learned and not in use yet: nothing is given or understood differently because of it."""
        value = self.value
        return (
            isinstance(value, LearnedRule)
            and value.is_on
            and not value.is_edited
            and (value.seen_count < 2 or not value.is_used)
        )

    @property
    def noun(self) -> str:
        return _GROUPS[self.group].noun

    @property
    def said(self) -> str:
        """For a screen reader."""
        return ", ".join((f"{self.noun.capitalize()}: {self.title}", self.line, self.count))

    @property
    def searched(self) -> str:
        return f"{self.title} {self.line} {self.noun} {_GROUPS[self.group].title} {self.value.project}".lower()


@dataclass(frozen=True, slots=True)
class Fold:
    """A row that shows or hides those below it: the head of a group."""

    key: str
    title: str
    line: str
    count: str
    is_open: bool
    help: str  # beside the list, while it has the cursor

    @property
    def said(self) -> str:
        return f"{self.title}, {self.line}, {self.count}".rstrip(", ") + (", open" if self.is_open else ", closed")


def practice_entry(one: Practice) -> Entry:
    """The row of a workflow or code pattern."""
    is_workflow = one.kind is MemoryKind.WORKFLOW
    parts = [one.hint]
    if is_workflow and one.times:
        parts.append(f"went well {one.succeeded} of {times(one.times)}")
    count = times(one.times) if one.times else "written by hand"
    return Entry(
        "workflow" if is_workflow else "pattern", one.id, one.title, " · ".join(parts), _count(count, one.is_on), one
    )


def rule_entry(rule: LearnedRule) -> Entry:
    """The row of a rule."""
    title = _SIGNS.get(rule.pattern, rule.pattern) if rule.kind is RuleKind.SIGN else _GAP.sub("…", rule.pattern)
    title = f"What “{title}” means" if rule.kind in _POINTING else title
    group = _ALIKE.get(rule.kind, rule.kind.value)
    return Entry(group, rule.id, title, _meaning(rule), _count(times(rule.seen_count), rule.is_on), rule)


def _count(said: str, is_on: bool) -> str:
    return said if is_on else f"off · {said}"


def _meaning(rule: LearnedRule) -> str:
    details = rule.details
    match rule.kind:
        case RuleKind.PHRASE:
            return "understood as " + ", ".join(INTENT_WORDS[Intent(name)] for name in details.get("intents", ()))
        case RuleKind.PRONOUN:
            back = details.get("lookback", 1)
            return (
                "what you named in the message before" if back == 1 else f"what you named in the last {back} messages"
            )
        case RuleKind.DEMONSTRATIVE:
            return f"what you named in the {str(details.get('must_exist_in', '')).replace('_', ' ')}"
        case RuleKind.MARKER:
            return "begins a new conversation"
        case RuleKind.SIGN:
            value = details.get("value")
            return "begins a new conversation" if value is True else f"begins a new conversation: {value}"
        case RuleKind.FILES:
            return f"{_PAIRINGS.get(str(details.get('pattern')), 'changed together')}{_in_project(rule)}"
        case RuleKind.SEQUENCE:
            return f"one after another{_in_project(rule)}"
        case RuleKind.FIX:
            return f"went away after {', '.join(details.get('files', ()))} was edited"


def _in_project(rule: LearnedRule) -> str:
    project = rule.project.rstrip("/").rpartition("/")[2]
    return f" · {project}" if project else ""


def change_line(entry: Entry) -> str:
    """What it is good for so far, in a sentence or two."""
    value, rule = entry.value, _GROUPS[entry.group].rule
    if not value.is_on:
        return "Nothing while it is off."
    if isinstance(value, LearnedRule) and value.changed_count:
        return f"{counted(value.changed_count, 'message was', 'messages were')} understood differently because of it."
    if not entry.is_used:
        return f"Nothing yet. {rule}"
    return "In use; no message has needed it yet." if entry.group in _UNDERSTANDING else rule


def example_quote(example: RuleExample) -> str:
    """The message as typed, and for a pointing word what it stood for."""
    meant = f"  →  {example.meaning}" if example.meaning else ""
    return f"“{example.quote}”{meant}"


def facts_of(entry: Entry) -> str:
    """The line under the title in the detail."""
    value = entry.value
    parts = [entry.noun.capitalize()]
    if isinstance(value, LearnedRule):
        parts.append(f"seen {times(value.seen_count)}")
        parts.append(f"last on {value.last_seen_at.astimezone():%d %b %Y}")
        parts.append(f"{percent(value.confidence)} sure")
    else:
        parts.append(f"seen {times(value.times)}" if value.times else "written by hand")
        if value.kind is MemoryKind.WORKFLOW and value.times:
            parts.append(f"{value.succeeded} of {value.times} went well")
            parts.append(f"so in {percent(value.share)} of the cases" if value.share else "")
    parts.append("edited by you" if value.is_edited else "")
    parts.append("off" if not value.is_on else "")
    parts.append(value.project.rstrip("/").rpartition("/")[2])
    return " · ".join(one for one in parts if one)


def status_line(entries: Sequence[Entry]) -> str:
    """How much of it is in use."""
    given = sum(one.is_used for one in entries if isinstance(one.value, Practice))
    used = sum(one.is_used and not one.is_noticed for one in entries if one.group in _UNDERSTANDING)
    noticed = sum(one.is_noticed for one in entries)
    parts = (
        f"{counted(given, 'workflow or pattern', 'workflows and patterns')} for your assistants" if given else "",
        f"{counted(used, 'rule')} in use" if used else "",
        f"{noticed:,} not in use yet" if noticed else "",
    )
    return " · ".join(one for one in parts if one)


NOTICED = "noticed"
_NOTICED_LINE = "seen too seldom to count on: they change nothing yet"
_NOTICED_HELP = (
    "Remanence learned these from your conversations and has seen them too seldom to count on them. They move up to the others when "
    "they are seen more often. You need not do anything; you may edit one to have it used at once, or archive it."
)


def rows_of(entries: Iterable[Entry], toggled: Collection[str], *, is_all: bool = False) -> list[Entry | Fold]:
    """The rows in groups, what changed something first in each; last and folded those that are not in use yet.

    A head is open, that of the last group closed, unless `toggled`. `is_all`: somebody searches, and nothing is folded.
    """
    grouped: dict[str, list[Entry]] = {name: [] for name in _GROUPS}
    noticed: list[Entry] = []
    for one in entries:
        (noticed if one.is_noticed else grouped[one.group]).append(one)
    rows: list[Entry | Fold] = []
    for name, found in grouped.items():
        if not found:
            continue
        group = _GROUPS[name]
        is_open = is_all or name not in toggled
        help_text = f"{group.purpose[0].upper()}{group.purpose[1:]}. {group.rule}"
        rows.append(Fold(name, group.title, group.purpose, f"{len(found):,}", is_open, help_text))
        found.sort(key=lambda one: (-getattr(one.value, "changed_count", 0), not one.is_used))
        rows += found if is_open else []
    if noticed:
        is_open = is_all or NOTICED in toggled
        rows.append(
            Fold(NOTICED, "Learned, not in use yet", _NOTICED_LINE, f"{len(noticed):,}", is_open, _NOTICED_HELP)
        )
        order = list(_GROUPS)
        noticed.sort(key=lambda one: (order.index(one.group), -getattr(one.value, "seen_count", 0)))
        rows += noticed if is_open else []
    return rows


def trigger_words(trigger: str) -> str:
    """A trigger in plain words.

    >>> trigger_words("deploy_request"), trigger_words("new_endpoint"), trigger_words("a new route")
    ('a deploy', 'a new endpoint', 'a new route')
    """
    words = trigger.removesuffix("_request").replace("_", " ")
    return words if words.startswith(("a ", "an ", "the ")) else f"a{'n' if words[:1] in 'aeiou' else ''} {words}"


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
