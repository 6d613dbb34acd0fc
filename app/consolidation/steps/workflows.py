"""Workflows: what conversations did again and again in the same order becomes a memory of a project, and counts on.

Mined from the sequences that rules keep and from conversations that are over and not yet counted in them. What a person edited keeps
its steps, what was archived is not learned again. Source: S4 "Workflows", issue 18.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.deciders.learning.workflows import Stretch, Workflow, are_alike, mine_workflows, word_workflow
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.memories.draft_guess import would_steer_in
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source, level_columns
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows.practice import conversations_known, conversations_of, load_practices
from app.store.rows.rule import finished_conversations, load_rules_learned
from app.store.tables.memory import MemoryRow
from app.understanding.conversations.eviction_lessons import read_lessons
from app.values import MemoryKind, MemoryStatus, Trust
from app.values.rules import LearnedRule, RuleKind

_IMPORTANCE, _CONFIDENCE = 0.5, 0.8
_SOURCES_MOST = 20
LEARNED = "learned_steps"  # in the details: the steps as they were mined, whatever a person made of them


@dataclass(frozen=True, slots=True)
class KnownWorkflow:
    """A workflow that is a memory already."""

    id: int
    project_id: int | None
    steps: tuple[str, ...]  # as they were mined last
    times: int
    succeeded: int
    is_away: bool


@dataclass(frozen=True, slots=True)
class WorkflowInput:
    """What was done, by project, and the workflows that are known."""

    stretches: Mapping[int | None, tuple[Stretch, ...]]
    known: tuple[KnownWorkflow, ...]

    def __len__(self) -> int:
        return len(self.known) + sum(map(len, self.stretches.values()))


def _load(connection: Connection, context: PlanContext) -> WorkflowInput:
    if not context.settings.is_learning_rules:
        return WorkflowInput({}, ())
    known = tuple(map(_known, load_practices(connection, MemoryKind.WORKFLOW)))
    return WorkflowInput({project: tuple(listed) for project, listed in _load_stretches(connection).items()}, known)


def _load_stretches(connection: Connection) -> Mapping[int | None, Sequence[Stretch]]:
    found: dict[int | None, list[Stretch]] = defaultdict(list)
    rules = [one for one in load_rules_learned(connection, only_on=True) if one.kind is RuleKind.SEQUENCE]
    for rule in rules:
        found[rule.project_id].append(_stretch(rule.details, frozenset(rule.conversation_ids)))
    for project_id, one in _not_counted(connection, rules):
        found[project_id].append(one)
    return found


def _not_counted(connection: Connection, rules: Sequence[LearnedRule]) -> Iterator[tuple[int | None, Stretch]]:
    """What conversations of the queue did that no rule counts yet: this run's rules are applied with it."""
    counted = {(one.pattern, one.project_id): set(one.conversation_ids) for one in rules}
    for conversation_id in finished_conversations(connection):
        taught = read_lessons(connection, conversation_id)
        for one in taught.candidates if taught is not None else ():
            own = taught.project_id if taught is not None else None
            if one.kind is RuleKind.SEQUENCE and conversation_id not in counted.get((one.pattern, own), ()):
                yield own, _stretch(one.details, frozenset({conversation_id}))


def _stretch(details: Mapping[str, Any], conversation_ids: frozenset[int]) -> Stretch:
    return Stretch(
        steps=tuple(map(str, details.get("steps", ()))),
        times=int(details.get("times", 1)),
        succeeded=int(details.get("succeeded", 1)),
        commands={str(step): str(form) for step, form in dict(details.get("commands") or {}).items()},
        conversation_ids=conversation_ids,
    )


def _known(row: Row[Any]) -> KnownWorkflow:
    details = row.details or {}
    return KnownWorkflow(
        id=int(row.id),
        project_id=row.project_id,
        steps=tuple(details.get(LEARNED) or details.get("steps") or ()),
        times=int(details.get("times") or 0),
        succeeded=int(details.get("succeeded") or 0),
        is_away=row.status != MemoryStatus.ACTIVE.value or row.retired_at is not None,
    )


def plan(work: WorkflowInput, context: PlanContext) -> list[Proposal]:
    """What is new, and what was done again or otherwise since."""
    del context
    found: list[Proposal] = []
    for project_id, stretches in work.stretches.items():
        left = [one for one in work.known if one.project_id == project_id]
        for mined in mine_workflows(stretches):
            same = next((one for one in left if one.steps == mined.steps), None)
            same = same or next((one for one in left if are_alike(one.steps, mined.steps)), None)
            if same is None:
                found.append(_propose("keep_workflow", (), mined, project_id))
                continue
            left.remove(same)
            is_more = (mined.times, mined.succeeded) > (same.times, same.succeeded)
            if not same.is_away and (is_more or same.steps != mined.steps):
                found.append(_propose("renew_workflow", (same.id,), mined, project_id))
    return found


def _propose(kind: str, memory_ids: tuple[int, ...], mined: Workflow, project_id: int | None) -> Proposal:
    data = {
        "project_id": project_id, "times": mined.times, "succeeded": mined.succeeded, "share": mined.share,
        "conversations": sorted(mined.conversation_ids)[-_SOURCES_MOST:],
    }  # fmt: skip
    why = f"done {mined.times} times in this order"
    return Proposal(kind, memory_ids, why, data=data, text=mined.hint, subject=f"{project_id} {mined.hint}")


def _mined(write: Write, action: Row[Any]) -> Workflow:
    """The workflow that the action is about, as the store shows it now. Raises SkipAction."""
    work = _load_stretches(write.connection)
    for one in mine_workflows(work.get(action.data["project_id"], ())):
        if one.hint == action.text:
            return one
    raise SkipAction("It is not done so any more.")


def details_of(mined: Workflow) -> dict[str, Any]:
    """As the seed writes them, with what was counted."""
    return {
        "trigger": mined.trigger,
        "steps": list(mined.steps),
        "details": dict(mined.commands),
        LEARNED: list(mined.steps),
        "times": mined.times,
        "succeeded": mined.succeeded,
        "share": mined.share,
    }


def _keep(write: Write, action: Row[Any]) -> None:
    mined = _mined(write, action)
    text = word_workflow(mined)
    is_steering = would_steer_in([text])
    memory_id = insert_memory(
        write,
        NewMemory(
            text=text,
            kind=MemoryKind.WORKFLOW,
            type=None,
            title=mined.goal.capitalize(),
            details=details_of(mined),
            importance=_IMPORTANCE,
            confidence=_CONFIDENCE,
            trust=Trust.AGENT,
            status=MemoryStatus.QUARANTINED if is_steering else MemoryStatus.ACTIVE,
            project_id=action.data["project_id"],
            reason=action.why,
        ),
    )
    _add_sources(write, memory_id, mined.conversation_ids)
    write.label = f"Learned the workflow “{mined.hint}”"


def _add_sources(write: Write, memory_id: int, conversation_ids: Iterable[int]) -> None:
    there = conversations_of(write.connection, memory_id)
    new = sorted(set(conversation_ids) - there)[-_SOURCES_MOST:]
    for row in conversations_known(write.connection, new).values():
        source = NewSource(at=row.started_at, quote="", conversation_id=int(row.id), conversation_title=row.title or "")
        insert_source(write, memory_id, source)


def _renew(write: Write, action: Row[Any]) -> None:
    mined = _mined(write, action)
    row = write.get(MemoryRow, action.memory_ids[0])
    counted = {
        name: value for name, value in details_of(mined).items() if name in {"times", "succeeded", "share", LEARNED}
    }
    if row.trust >= Trust.CONFIRMED or row.details.get(LEARNED) == list(mined.steps):
        write.update(MemoryRow, int(row.id), {"details": {**row.details, **counted}}, was=row)
    else:
        text, details = word_workflow(mined), details_of(mined)
        if would_steer_in([text]):
            raise SkipAction("A command reads like an order.")
        keep_versions(write, [row], "no longer done this way")
        levels = compress(text, kind=MemoryKind.WORKFLOW, title=row.title, details=details)
        changed = {**level_columns(levels, {}), "text_key": text_key(text), "details": details, "updated_at": write.at}
        write.update(MemoryRow, int(row.id), changed, was=row)
    _add_sources(write, int(row.id), mined.conversation_ids)


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    before = tuple(texts[one].compressed or texts[one].full for one in action.memory_ids if one in texts)
    steps = ", then ".join(str(action.text).partition(": ")[2].split("→"))
    return DiffLines(before, (f"{steps[:1].upper()}{steps[1:]} · {action.data['times']} times",))


WORKFLOWS = Step(
    "workflows",
    "Finding workflows",
    _load,
    plan,
    {
        "keep_workflow": StepAction(
            "workflows learned", _keep, counts_as=("patterns_added",), show=_show, needs_unchanged=False
        ),
        "renew_workflow": StepAction(
            "workflows confirmed", _renew, counts_as=("patterns_reinforced",), show=_show, needs_unchanged=False
        ),
    },
)
