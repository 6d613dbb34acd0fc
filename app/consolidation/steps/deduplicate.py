"""Deduplicate: what was said twice becomes one memory that was said twice. Source: S4 `merge_similar_facts(0.92)`, QUALITY A6.

Likeness of words finds the pairs, and never merges them: of contradictions more than half are as alike as duplicates. Merged is what
carries the same words in the same order, or what says the same where only small words differ. What a judge called the same is merged when it is
read (`contradictions/scanner`); what it left, since the person keeps one of them, waits here for a yes, as does what is only alike, and what one of
two says more strictly ("must", "never") than the other ("may", "should"): the stricter one stays.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts
from app.consolidation.step_interface import (
    FindAlike,
    PlanContext,
    Proposal,
    SkipAction,
    Step,
    StepAction,
)
from app.deciders.memory.contradictions.compare import Statement, compare_statements, read_strictness
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.sketch import compare_sketches, hash_stems, make_sketch, share_stems
from app.errors import InvalidError
from app.memories.merge import MERGED_MAX, merge_memories
from app.store.journal import Write
from app.store.rows.pair_check import load_judged_duplicates

_ALL_ANEW = 5_000  # more changed memories than these: everything is compared, which is quicker than as many searches
_RARE_STEMS = 3  # of each memory lead to those it is compared with
_CROWD = 60  # what a stem leads to at most: one that more have says little
_LOOK_UP = 200  # memories, until it is asked whether anybody still wants to know
_UNSURE_MOST = 20  # a person is not asked more in one run


@dataclass(frozen=True, slots=True)
class DuplicateInput:
    """Memories, and the numbers of those that are new; None: all are compared with all."""

    memories: tuple[MemoryFacts, ...]
    new_ids: frozenset[int] | None
    judged: tuple[tuple[int, int], ...] = ()  # pairs that a judge read as saying the same, the older first

    def __len__(self) -> int:
        """How many are compared with others."""
        return len(self.memories if self.new_ids is None else self.new_ids)


def _load(find_alike: FindAlike) -> Callable[[Connection, PlanContext], DuplicateInput]:
    def load(connection: Connection, context: PlanContext) -> DuplicateInput:
        changed = context.changed_ids
        judged = tuple(load_judged_duplicates(connection))
        if changed is None or len(changed) > _ALL_ANEW:
            return DuplicateInput(context.shared.memories(connection, context.now), None, judged)
        new = context.shared.some(connection, context.now, changed)
        alike = context.shared.alike(find_alike)
        near = {other for one in new for other in alike(connection, one.text, one.project_id)}
        read = near | changed | {one for pair in judged for one in pair}
        return DuplicateInput(context.shared.some(connection, context.now, read), frozenset(changed), judged)

    return load


def plan(data: DuplicateInput, context: PlanContext) -> list[Proposal]:
    """Groups that say the same, one proposal each; then pairs that are only alike, the most alike first."""
    rules = load_memory_rules()
    wanted = [one for one in data.memories if _is_comparable(one)]
    by_id = {one.id: one for one in wanted}
    words, least = context.shared.words, context.settings.duplicate_likeness
    stems = {}
    for place, one in enumerate(wanted):
        stems[one.id] = hash_stems(words(one.text), rules)
        if place % _LOOK_UP == 0:
            context.shared.go_on()
    same: list[tuple[int, int]] = []
    alike: list[tuple[float, int, int]] = []
    for older_id, newer_id in _pairs(wanted, stems, data.new_ids):
        older, newer = by_id[older_id], by_id[newer_id]
        if not _agree(older, newer):
            continue
        # one of a hundred pairs is worth reading word by word
        is_same = older.text_key == newer.text_key or words(older.text) == words(newer.text)
        if is_same and compare_statements(_statement(older), _statement(newer), rules).relation == "duplicate":
            if read_strictness(older.text) == read_strictness(newer.text):
                same.append((older_id, newer_id))
            else:
                alike.append((1.0, older_id, newer_id))
        elif (
            share_stems(stems[older_id], stems[newer_id]) >= least
            and (likeness := compare_sketches(make_sketch(older.text, rules), make_sketch(newer.text, rules))) >= least
        ):
            alike.append((likeness, older_id, newer_id))
    proposals = [_merge([by_id[one] for one in group]) for group in _groups(same)]
    merged = {one for proposal in proposals for one in proposal.memory_ids}
    judged = _merges_judged(data.judged, by_id, merged, rules)
    proposals += judged
    merged |= {one for proposal in judged for one in proposal.memory_ids}
    for likeness, older_id, newer_id in sorted(alike, key=lambda one: (-one[0], one[1], one[2])):
        if (
            len(merged.intersection((older_id, newer_id))) == 0
            and sum(not one.is_sure for one in proposals) < _UNSURE_MOST
        ):
            merged |= {older_id, newer_id}
            proposals.append(_merge([by_id[older_id], by_id[newer_id]], likeness=likeness))
    return proposals


def _is_comparable(one: MemoryFacts) -> bool:
    return one.kind == "fact" and not one.is_closed and bool(one.text.strip())


def _statement(one: MemoryFacts) -> Statement:
    return Statement(one.text, one.slot, one.value, one.is_negated, one.fact_type)


def _agree(one: MemoryFacts, other: MemoryFacts) -> bool:
    """Whether neither slot says that they speak of different things, or of one thing differently."""
    if one.slot is None or other.slot is None:
        return one.is_negated == other.is_negated
    return one.slot == other.slot and one.value == other.value and one.is_negated == other.is_negated


def _place(one: MemoryFacts) -> tuple[object, ...]:
    """Only what is in the same place is merged, and only what is trusted alike: a merged memory has the lowest trust."""
    return one.project_id, one.visibility, one.trust


def _pairs(
    memories: Sequence[MemoryFacts], stems_of: Mapping[int, frozenset[str]], new_ids: frozenset[int] | None
) -> Iterator[tuple[int, int]]:
    """Pairs worth a look, the older first: of one place, with the same words or a rare stem in common."""
    rooms: dict[tuple[object, ...], list[int]] = defaultdict(list)
    counts: dict[object, int] = defaultdict(int)
    for one in memories:
        for stem in stems_of[one.id]:
            counts[stem] += 1
    for one in memories:
        rooms[(*_place(one), one.text_key)].append(one.id)
        rare = sorted(stems_of[one.id], key=lambda stem: (counts[stem], stem))[:_RARE_STEMS]
        for stem in rare:
            rooms[(*_place(one), stem, "")].append(one.id)
    seen: set[tuple[int, int]] = set()
    for room in rooms.values():
        if new_ids is not None and new_ids.isdisjoint(room[:_CROWD]):
            continue
        for place, older in enumerate(room[:_CROWD]):
            for newer in room[place + 1 : _CROWD]:
                pair = (older, newer)
                is_new = new_ids is None or older in new_ids or newer in new_ids
                if is_new and pair not in seen:
                    seen.add(pair)
                    yield pair


def _groups(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """What says the same as something that says the same is one group; the numbers in order, at most as many as can be merged."""
    leader: dict[int, int] = {}

    def find(one: int) -> int:
        while leader.setdefault(one, one) != one:
            one = leader[one]
        return one

    for older, newer in pairs:
        first, second = sorted((find(older), find(newer)))
        leader[second] = first
    groups: dict[int, list[int]] = defaultdict(list)
    for one in sorted(leader):
        groups[find(one)].append(one)
    return [
        group[start : start + MERGED_MAX]
        for group in groups.values()
        for start in range(0, len(group), MERGED_MAX)
        if len(group[start : start + MERGED_MAX]) > 1
    ]


def _merge(group: Sequence[MemoryFacts], *, likeness: float | None = None) -> Proposal:
    """The memory that stays: pinned, else the strictest, the most used, the most said, the oldest; of equal words the best written."""
    keep = min(
        group, key=lambda one: (not one.is_pinned, -read_strictness(one.text), -one.use_count, -one.times_said, one.id)
    )
    same = [one for one in group if one.text_key == keep.text_key]
    best = keep if keep.is_kept else max(same, key=lambda one: (_writing_of(one.text), one is keep, -one.id))
    others = [one for one in group if one is not keep]
    is_verbatim = len({one.text_key for one in group}) == 1
    why = "says the same in the same words" if is_verbatim else "says the same; only small words differ"
    if likeness is not None:
        alike = "the same words in another order" if likeness >= 1 else f"the words are {int(100 * likeness)} % alike"
        if len({read_strictness(one.text) for one in group}) > 1:
            alike = "one says it more strictly than the other"
        why = f"{alike}; you decide whether they mean the same"
    return Proposal(
        kind="merge" if likeness is None else "merge_alike",  # two kinds: "always so" to one says nothing of the other
        memory_ids=(keep.id, *(one.id for one in others)),
        why=why,
        data={"keep": keep.id},
        text="" if best.text == keep.text else best.text,
        saved_tokens=sum(one.tokens[0] for one in others),
        confidence=1.0 if is_verbatim else likeness or 0.95,
        is_sure=likeness is None,
        puts_away=tuple(one.id for one in others),
    )


def _merges_judged(
    pairs: Sequence[tuple[int, int]], by_id: Mapping[int, MemoryFacts], merged: AbstractSet[int], rules: MemoryRules
) -> list[Proposal]:
    """What a judge read as the same: pairs of one place, each memory in one of them at most."""
    taken = set(merged)
    found = []
    for pair in pairs:
        older, newer = (by_id.get(one) for one in pair)
        if older is None or newer is None or _place(older) != _place(newer) or not taken.isdisjoint(pair):
            continue
        taken.update(pair)
        found.append(_merge_judged(older, newer, rules))
    return found


def _merge_judged(older: MemoryFacts, newer: MemoryFacts, rules: MemoryRules) -> Proposal:
    """Sure, unless the person keeps one of them, one is stricter, or the rules see more than other words."""
    relation = compare_statements(_statement(older), _statement(newer), rules).relation
    is_as_strict = read_strictness(older.text) == read_strictness(newer.text)
    is_kept = older.is_kept or newer.is_kept
    is_sure = is_as_strict and not is_kept and relation in {"duplicate", "compatible"}
    made = _merge([older, newer])
    says = "the model that reads along says that both say the same"
    return replace(
        made,
        kind="merge_judged",
        why=says if is_as_strict else f"{says}, though one says it more strictly; you decide",
        confidence=0.9,
        is_sure=is_sure,
    )


def _writing_of(text: str) -> tuple[bool, int, bool, bool]:
    """How well the same words are written, the better the larger: names as names, a capital first, a full stop last; no shouting.

    >>> said = ["use the api", "Use the API.", "USE THE API"]
    >>> max(said, key=_writing_of)
    'Use the API.'
    """
    inner = text.split()[1:]
    names = sum(any(letter.isupper() for letter in word) for word in inner)
    is_calm = names * 2 <= len(inner)
    return is_calm, names if is_calm else 0, text[:1].isupper(), text[-1:] in {".", "!", "?"}


def _apply(write: Write, action: Row[Any]) -> None:
    try:
        merge_memories(write, action.memory_ids, action.text, int(action.data["keep"]))
    except InvalidError as error:
        raise SkipAction(str(error)) from error


def deduplicate(find_alike: FindAlike) -> Step:
    """The step; `find_alike` names memories that share rare words with a text."""
    counts = ("deduped", "memories_merged")
    merge = StepAction("merged", _apply, counts_as=counts)
    merge_alike = StepAction("merged though only alike", _apply, counts_as=counts)
    merge_judged = StepAction("merged as your model reads them", _apply, counts_as=counts)
    kinds = {"merge": merge, "merge_judged": merge_judged, "merge_alike": merge_alike}
    return Step("deduplicate", "Finding duplicates", _load(find_alike), plan, kinds, is_heavy=True)
