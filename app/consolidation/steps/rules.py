"""Rules: what conversations that are over teach is added or reinforced; like rules become one; what contradicts or is weak goes.

The conversations of the queue are read before they leave it; each counts once for each rule. What one conversation shows is no rule yet:
it is proposed when a second one shows it, and noted without a run when its conversation leaves the queue; what repaired an error and what the
person corrected is proposed at once. Sequences become workflows (`workflows`), and signs of a new conversation are only counted.
Above 200 KB of the knowledge graph the weakest rules go first. Source: S1 `consolidate_to_long_term_memory`, issue 17.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.deciders.learning.rule_confidence import find_ends, take_over
from app.interop.knowledge_graph import MOST_BYTES, estimate_bytes
from app.store.journal import Write
from app.store.rows.rule import finished_conversations, keep_candidates, load_rule, load_rules_learned, record_of
from app.store.tables.core import LearnedRuleRow
from app.understanding.conversations.eviction_lessons import read_lessons
from app.values.rules import LearnedRule, RuleCandidate, RuleKind

_TEXT_CHARS = 200
_WANTS = {"EXECUTE": "a wish to have something done", "PLAN": "a plan", "TEST": "a wish to have something tested"}
_OFTEN = 2  # conversations that show something before a run proposes it as a rule
_ONLY_COUNTED = {RuleKind.SEQUENCE, RuleKind.SIGN}  # when the conversation leaves the queue
_TOGETHER = 0.5  # of the conversations that changed either of two files and something with it, this share changed both
_SHOWN_PARTS = 2  # of a path
_POINTERS = {
    RuleKind.PRONOUN,
    RuleKind.DEMONSTRATIVE,
}  # said in every conversation: seen again, they are only counted too
_GAP = re.compile(r"\{[a-z_ ]+\}")  # what was named stands as "{color}" in a pattern
RuleKey = tuple[str, str, str, int | None]


@dataclass(frozen=True, slots=True)
class RuleInput:
    """What conversations teach, and the rules as they are."""

    lessons: tuple[tuple[int, int | None, tuple[RuleCandidate, ...]], ...]  # conversation, project, what it teaches
    rules: tuple[LearnedRule, ...]

    def __len__(self) -> int:
        return len(self.rules) + sum(len(candidates) for _, _, candidates in self.lessons)


def _load(connection: Connection, context: PlanContext) -> RuleInput:
    if not context.settings.is_learning_rules:
        return RuleInput((), load_rules_learned(connection))
    read = ((number, read_lessons(connection, number)) for number in finished_conversations(connection))
    lessons = tuple((number, one.project_id, one.candidates) for number, one in read if one is not None)
    return RuleInput(lessons, load_rules_learned(connection))


def plan(lessons: RuleInput, context: PlanContext) -> list[Proposal]:
    """What is new, then what was seen again, then what goes."""
    known = {_key(one.candidate, one.project_id): one for one in lessons.rules}
    paired = _conversations_of_pairs(lessons)
    seen: dict[RuleKey, list[int]] = defaultdict(list)
    first: dict[RuleKey, RuleCandidate] = {}
    for conversation_id, project_id, candidates in lessons.lessons:
        for one in candidates:
            if one.kind in _ONLY_COUNTED:
                continue
            key = _key(one, project_id if one.is_of_project else None)
            rule = known.get(key)
            if rule is not None and one.kind in _POINTERS:
                continue
            if rule is None or conversation_id not in rule.conversation_ids:
                seen[key].append(conversation_id)
                first.setdefault(key, one)
    found = []
    for key, conversations in seen.items():
        kind, pattern, identity, project_id = key
        data = {"conversations": conversations, "rule_kind": kind, "wants": identity, "project_id": project_id}
        is_new = key not in known
        if is_new and len(conversations) < _OFTEN and not _is_rule_at_once(first[key]):
            continue
        if kind == RuleKind.FILES and not _belong_together(first[key], project_id, paired):
            continue
        found.append(
            Proposal(
                "add_rule" if is_new else "reinforce_rule",
                (),
                _seen(conversations, is_new=is_new),
                data=data,
                text=pattern,
                subject=f"{key} {[] if is_new else conversations}",  # each time that it is seen again is another
            )
        )
    often = sorted(found, key=lambda one: (one.kind, -len(one.data["conversations"])))  # what was seen once comes last
    return [*often, *_going(lessons.rules, set(seen), context)]


_Pairs = Mapping[tuple[int | None, str], Mapping[str, AbstractSet[int]]]


def _conversations_of_pairs(lessons: RuleInput) -> _Pairs:
    """By project and file: with which other file it was changed, and in which conversations."""
    found: dict[tuple[int | None, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    taught = [(frozenset({number}), project, one) for number, project, listed in lessons.lessons for one in listed]
    taught += [(frozenset(one.conversation_ids), one.project_id, one.candidate) for one in lessons.rules]
    for conversations, project_id, one in taught:
        for first, second in combinations(_files_of(one), 2):
            found[project_id, first][second] |= conversations
            found[project_id, second][first] |= conversations
    return found


def _files_of(one: RuleCandidate) -> Sequence[str]:
    return list(one.details["files"]) if one.kind is RuleKind.FILES else ()


def _belong_together(pair: RuleCandidate, project_id: int | None, paired: _Pairs) -> bool:
    """Whether the two are mostly changed with each other: a file that goes along with everything says nothing."""
    first, second = _files_of(pair)[:2]
    together = paired[project_id, first][second]
    either = set().union(*paired[project_id, first].values(), *paired[project_id, second].values())
    return len(together) >= _TOGETHER * len(either)


def _is_rule_at_once(one: RuleCandidate) -> bool:
    """What repaired an error helps the next time, and what the person corrected is their word."""
    return one.kind is RuleKind.FIX or bool(one.details.get("corrected"))


def _seen(conversations: Sequence[int], *, is_new: bool) -> str:
    """
    >>> _seen([7], is_new=True), _seen([7, 8], is_new=False)
    ('seen once', 'seen again in 2 conversations')
    """
    if len(conversations) == 1:
        return "seen once" if is_new else "seen again once"
    return f"{'seen' if is_new else 'seen again'} in {len(conversations)} conversations"


def _going(rules: Sequence[LearnedRule], seen: set[RuleKey], context: PlanContext) -> Iterator[Proposal]:
    idle_runs = context.settings.rule_idle_runs
    ends = find_ends(rules, idle_runs)
    gone = {one.rule.id for one in ends}
    for end in ends:
        is_seen = _key(end.rule.candidate, end.rule.project_id) in seen
        if end.into_id is None and is_seen and end.rule.idle_runs >= idle_runs:
            continue  # it was seen again just now
        yield _prune_of(end.rule, _why(end.reason, end.into_id), end.into_id)
    left = [one for one in rules if one.id not in gone]
    size = estimate_bytes(left)
    for one in sorted(left, key=lambda rule: (rule.is_edited, rule.confidence, rule.seen_count, rule.last_seen_at)):
        if size <= MOST_BYTES:
            return
        size -= estimate_bytes([one])
        yield _prune_of(one, "the weakest: the knowledge graph is larger than 200 KB", None)


def _prune_of(rule: LearnedRule, why: str, into_id: int | None) -> Proposal:
    data = {"rule_id": rule.id, "into_id": into_id}
    return Proposal("prune_rule", (), why, data=data, text=rule.pattern[:_TEXT_CHARS], subject=str(rule.id))


def _why(reason: str, into_id: int | None) -> str:
    """Without the words of the other rule: a reason holds none."""
    if into_id is not None:
        return "says the same as another rule"
    return "contradicts a rule that is surer" if reason.startswith("contradicts") else reason


def _key(one: RuleCandidate, project_id: int | None) -> RuleKey:
    return one.kind.value, one.pattern, one.identity, project_id


def _learn(write: Write, action: Row[Any]) -> None:
    changed = 0
    for conversation_id in action.data["conversations"]:
        taught = read_lessons(write.connection, int(conversation_id))
        wanted = [
            one
            for one in (taught.candidates if taught else ())
            if (one.kind.value, one.pattern, one.identity)
            == (action.data["rule_kind"], action.text, action.data["wants"])
        ]
        if taught is not None and wanted:
            ids = keep_candidates(write, wanted, conversation_id=int(conversation_id), project_id=taught.project_id)
            changed += sum(map(len, ids))
    if not changed:
        raise SkipAction("Nothing supports it any more.")


def _prune(write: Write, action: Row[Any]) -> None:
    rule = load_rule(write.connection, int(action.data["rule_id"]))
    into = load_rule(write.connection, int(action.data["into_id"])) if action.data["into_id"] else None
    if rule is None or rule.is_edited or (action.data["into_id"] and into is None):
        raise SkipAction("The rule was changed since.")
    if into is not None:
        write.update(LearnedRuleRow, into.id, record_of(take_over(into, rule)))
    write.delete(LearnedRuleRow, rule.id)


def _show_new(_texts: Texts, action: Row[Any]) -> DiffLines:
    return DiffLines((), (_named(action),))


def _show_gone(_texts: Texts, action: Row[Any]) -> DiffLines:
    return DiffLines((str(action.text),), ())


def _named(action: Row[Any]) -> str:
    """What the rule says, for people."""
    kind, text = action.data["rule_kind"], str(action.text)
    if kind == RuleKind.FILES:
        return f"{' and '.join(_short(path) for path in text.split(' + '))} are changed together"
    said = _GAP.sub("…", text).replace("_", " ")
    match kind:
        case RuleKind.SEQUENCE:
            return f"{said}: done in this order"
        case RuleKind.PRONOUN:
            return f"“{said}” means what was named last"
        case RuleKind.DEMONSTRATIVE:
            return f"“{said}” means something named in the last messages"
        case RuleKind.FIX:
            return f"“{said}”: an error, and what repaired it"
        case RuleKind.MARKER:
            return f"“{said}” begins a new conversation"
        case RuleKind.SIGN:
            return f"sign of a new conversation: {said}"
    wants = " and ".join(_WANTS.get(one, one.lower()) for one in str(action.data.get("wants") or "").split(",") if one)
    return f"messages like “{said}” are understood as {wants}" if wants else f"“{said}”"


def _short(path: str) -> str:
    """
    >>> _short("shop/src/cart/sum.py")
    'cart/sum.py'
    """
    return "/".join(path.split("/")[-_SHOWN_PARTS:])


RULES = Step(
    "rules",
    "Learning rules",
    _load,
    plan,
    {
        "add_rule": StepAction(
            "rules learned", _learn, counts_as=("patterns_added",), show=_show_new, needs_unchanged=False
        ),
        "reinforce_rule": StepAction(
            "rules confirmed", _learn, counts_as=("patterns_reinforced",), show=_show_new, needs_unchanged=False
        ),
        "prune_rule": StepAction(
            "rules dropped", _prune, counts_as=("patterns_pruned",), show=_show_gone, needs_unchanged=False
        ),
    },
)
