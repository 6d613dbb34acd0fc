"""Discover links: memories of one project that speak of the same thing are joined. Source: S4 `discover_connections`.

Two speak of the same thing when they share at least two words that few others have, or one of these and the subject of their slots
or a thing that both name, and these are a third of what the shorter says. Two words are not enough where both only say what is done ("created",
"exists") or where they are one term ("environment variable"). Where one tells of trouble and the other of its cause or its cure, the link says so. Few links: three a
memory, none between what is joined already, none that a person rejected, and fewer of a kind that they mostly reject.

A memory is compared with older ones only, and a word is rare by what was there before it: so links found run by run are those that
`app.graph.rebuilding` finds at once.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.snapshot import MemoryFacts
from app.consolidation.step_interface import (
    DiffLines,
    FindAlike,
    PlanContext,
    Proposal,
    SkipAction,
    Step,
    StepAction,
    Texts,
)
from app.deciders.graph.causes import causal_link, load_cause_rules
from app.language.lexicon import Lexicon
from app.language.likeness import NEGATION
from app.language.stems import stem
from app.store.journal import Write
from app.store.rows import consolidation as rows
from app.store.rows.graph import count_verdicts, load_named, load_rejected_pairs
from app.store.tables.memory import LinkRow
from app.values.graph import LinkBasis, Relation

_NEW_MOST = 2_000  # in one run; the others were linked when they were new, or come with the next
_LINKS_MOST = 3  # for one new memory
_RARE_SHARE, _RARE_LEAST = 0.02, 3  # a word that more memories of a project have says little
_LEAST_ALIKE = 0.3  # shared content words of the smaller
_LEAST_ALIKE_OF_FEW = 0.36  # the same where fewer than three of the shared words are rare
_SURE_SHARED = 3
_TWICE_SHARED, _TWICE_LONGER = (
    0.42,
    1.3,
)  # of all their words, and how much longer one is: a story that only repeats what is known
_LEAST_COSINE = 0.21  # of shared words against both lengths: a long story has a few words of anything
_LUMP = 3  # times as many words as the other has
_VERDICTS_LEAST = 4  # verdicts before a way of finding is judged by them
_STRICTER_MOST = 0.25  # how much stricter one becomes of which every link was rejected
_WHY = {
    LinkBasis.SIMILAR: "both are about the same thing: {} of their words stand in few other memories",
    LinkBasis.SAME_ENTITY: "both name the same thing",
    LinkBasis.CAUSE: "it says why the other is so",
    LinkBasis.FIX: "it was done because of the other",
}
_FRAME = re.compile(
    r"^You worked on |\b[A-Z][\w ]{0,24} (?:changed|committed) (?=\S)|(?: and \d+ more)"
    r"|(?:[,;]? and)?(?: a)? commit message(?: was| is)? (?:written|suggested|drafted|given|prepared|proposed)\b"
    r"|\b(?:All )?(?:\d+ )?[Tt]ests pass(?:ed)?\b(?:[^.]|\.(?=\S))*\.?|\bThe last tests failed\.?|\s*\bNext: .*$",
    re.DOTALL,
)
_SHOWN_WORD, _SHOWN_WORDS = re.compile(r"[^\W\d_][\w.-]+\w"), 4  # of those that both texts say
_RELATED_KINDS = {"fact", "episode", "pattern", "workflow"}


@dataclass(frozen=True, slots=True)
class LinkInput:
    memories: tuple[MemoryFacts, ...]
    joined: frozenset[tuple[int, int]]
    near: tuple[tuple[int, tuple[int, ...]], ...]  # of each new one, what shares rare words with it
    link_counts: Mapping[int, int] = field(default_factory=dict)  # links that runs found before
    named: Mapping[int, frozenset[int]] = field(default_factory=dict)  # the things that a memory names
    verdicts: Mapping[tuple[LinkBasis, bool], int] = field(default_factory=dict)  # how often a person said yes and no

    def __len__(self) -> int:
        return len(self.memories)


def _load(find_alike: FindAlike) -> Callable[[Connection, PlanContext], LinkInput]:
    def load(connection: Connection, context: PlanContext) -> LinkInput:
        changed = context.changed_ids
        everything = context.shared.memories(connection, context.now) if changed is None else ()
        new = everything if changed is None else context.shared.some(connection, context.now, changed)
        return load_link_input(connection, context, choose_linked(new)[-_NEW_MOST:], context.shared.alike(find_alike))

    return load


def choose_linked(memories: Iterable[MemoryFacts]) -> tuple[MemoryFacts, ...]:
    """Those that are linked at all, the oldest first."""
    kept = (one for one in memories if one.kind in _RELATED_KINDS and not one.is_closed)
    return tuple(sorted(kept, key=lambda one: one.id))


def load_link_input(
    connection: Connection,
    context: PlanContext,
    new: Sequence[MemoryFacts],
    alike: FindAlike,
    *,
    is_from_scratch: bool = False,
) -> LinkInput:
    """What the new ones are compared with. `is_from_scratch`: as if no run had found a link yet."""
    near = tuple((one.id, tuple(sorted(alike(connection, one.text, one.project_id)))) for one in new)
    wanted = {other for _, others in near for other in others} | {one.id for one in new}
    found = [(one.from_id, one.to_id) for one in rows.load_found_links(connection, wanted)]
    joined = rows.load_links(connection, wanted, with_found=not is_from_scratch) | load_rejected_pairs(connection)
    return LinkInput(
        context.shared.some(connection, context.now, wanted),
        frozenset(joined),
        near,
        {} if is_from_scratch else Counter(end for pair in found for end in pair),
        load_named(connection, wanted),
        count_verdicts(connection),
    )


@dataclass(frozen=True, slots=True)
class _Likeness:
    strength: float
    other_id: int
    basis: LinkBasis
    shared: int


def plan(around: LinkInput, context: PlanContext) -> list[Proposal]:
    """At most three links for each new memory, the closest first."""
    words = {one.id: frozenset(context.shared.words(_said(one))) - {NEGATION} for one in around.memories}
    by_id = {one.id: one for one in around.memories}
    taken = set(around.joined)
    counted = Counter(around.link_counts)
    found = []
    for new_id, others in sorted(around.near):
        older = tuple(one for one in others if one < new_id)
        for one in _closest(new_id, older, around, by_id, words):
            pair = (min(new_id, one.other_id), max(new_id, one.other_id))
            if pair in taken or counted[new_id] >= _LINKS_MOST or counted[one.other_id] >= 2 * _LINKS_MOST:
                continue
            taken.add(pair)
            counted.update(pair)
            found.append(_proposal(new_id, one, by_id))
    return found


def _proposal(new_id: int, one: _Likeness, by_id: Mapping[int, MemoryFacts]) -> Proposal:
    """The link as it is proposed: from the new one, but from the cause to what it caused."""
    ends, relation, basis = (new_id, one.other_id), Relation.RELATED_TO, one.basis
    causal = causal_link(by_id[new_id].text, by_id[one.other_id].text, load_cause_rules())
    why = _WHY[basis].format(one.shared)
    if causal is not None:
        basis, is_from_new = causal
        ends = ends if is_from_new else ends[::-1]
        relation = Relation.CAUSES if basis is LinkBasis.CAUSE else Relation.CAUSED_BY
        why = _WHY[basis]
    strength = round(one.strength, 2)
    data = {"strength": strength, "type": relation.value, "basis": basis.value}
    is_cause = basis is LinkBasis.CAUSE  # a reason may be one for something else: the person says
    kind = "link_cause" if is_cause else "link"
    return Proposal(kind, ends, why, data=data, confidence=strength, is_sure=not is_cause)


def _said(one: MemoryFacts) -> str:
    """What it says, of an episode without its frame: who changed files, and what an assistant would do next, joins nothing.

    >>> from types import SimpleNamespace
    >>> text = "You worked on “Export as CSV”. It has a header. Claude Code changed a.py. All 3 tests pass in test_a.py as well. Next: Would you like tests?"
    >>> _said(SimpleNamespace(kind="episode", text=text))
    '“Export as CSV”. It has a header. a.py.'
    """
    return _FRAME.sub("", one.text).strip() if one.kind == "episode" else one.text


def _rare_words(new_id: int, others: Sequence[int], words: Mapping[int, frozenset[str]]) -> frozenset[str]:
    """Its words that few of the others have, longer than two letters, that name something."""
    own = words[new_id]
    counts = Counter(chain.from_iterable([own & words[other] for other in others]))
    most = max(_RARE_LEAST, int(_RARE_SHARE * len(others)))
    left_out = _function_words()
    return frozenset(
        [word for word, count in counts.items() if count < most and len(word) > 2 and word not in left_out]
    )


@cache
def _doing_words() -> frozenset[str]:
    """Stems of verbs that are no nouns: two things that are created have nothing in common."""
    lexicon = Lexicon.shipped()
    return frozenset(stem(word) for word in lexicon.verbs) - {stem(word) for word in lexicon.noun_verbs}


def _says_two_things(one: str, other: str, first: str, second: str) -> bool:
    """Whether two words that both texts have, in their stems, name more than one thing. A name counts: "QR code" is more than a term of two plain words.

    >>> _says_two_things("It is set by environment variables.", "An environment variable says so.", "environ", "variabl")
    False
    >>> _says_two_things("The colour factory is a function.", "A factory makes each colour.", "colour", "factori")
    True
    """
    if {first, second} <= _doing_words():
        return False
    term = re.compile(rf"\b(?:{first}\w*[ -]{second}|{second}\w*[ -]{first})")
    return not (term.search(one) and term.search(other))


@cache
def _function_words() -> frozenset[str]:
    """Stems of words that join others and name nothing: few memories have "until", and two that have it need not be linked."""
    lexicon = Lexicon.shipped()
    listed = (
        lexicon.determiners, lexicon.possessives, lexicon.demonstratives, lexicon.pronouns, lexicon.prepositions,
        lexicon.conjunctions, lexicon.subordinators, lexicon.question_words, lexicon.auxiliaries, lexicon.modals,
    )  # fmt: skip
    return frozenset(stem(word) for words in listed for word in words)


def _closest(
    new_id: int,
    others: Sequence[int],
    around: LinkInput,
    by_id: Mapping[int, MemoryFacts],
    words: Mapping[int, frozenset[str]],
) -> Iterator[_Likeness]:
    """What is linked with it, the strongest first."""
    new = by_id.get(new_id)
    if new is None:
        return
    own = [one for one in others if one in by_id and by_id[one].project_id == new.project_id]
    rare = _rare_words(new_id, own, words)
    ranked = []
    for other_id in own:
        other = by_id[other_id]
        if other.is_closed:
            continue
        if other.text_key == new.text_key:  # the same, not something beside it
            continue
        common = words[new_id] & words[other_id]
        smaller = min(len(words[new_id]), len(words[other_id]))
        alike = len(common) / smaller if smaller else 0.0
        both = sorted(common & rare)
        shared = len(both)
        if all(word.isdigit() for word in words[new_id] ^ words[other_id]):  # told twice: to be merged
            continue
        larger = max(len(words[new_id]), len(words[other_id]))
        is_story = {new.kind, other.kind} == {"episode", "fact"}
        if not _brings_something(len(common), smaller, larger, is_story=is_story):
            continue
        if shared == 2 and larger > _LUMP * smaller:  # of many things two words are no subject
            shared = 1
        if shared == 2 and not _says_two_things(new.text, other.text, *both):
            shared = 1
        basis = _basis(new, other, shared, around.named)
        least = _LEAST_ALIKE_OF_FEW if basis is LinkBasis.SIMILAR and shared < _SURE_SHARED else _LEAST_ALIKE
        if basis is not None and alike >= least + stricter_by(around.verdicts, basis):
            ranked.append(_Likeness(min(1.0, alike), other_id, basis, shared))
    yield from sorted(ranked, key=lambda one: (-one.strength, one.other_id))


def _brings_something(common: int, smaller: int, larger: int, *, is_story: bool) -> bool:
    """Whether a link between two texts of so many words, so many in common, leads to anything.

    Not where a story only tells what its fact says, nor where of two long texts little is shared. `is_story`: of an episode and a fact.

    >>> _brings_something(10, 13, 14, is_story=True), _brings_something(6, 13, 16, is_story=True), _brings_something(5, 15, 45, is_story=True)
    (False, True, False)
    """
    is_told_twice = is_story and larger <= _TWICE_LONGER * smaller
    if is_told_twice and common >= _TWICE_SHARED * (larger + smaller - common):
        return False
    return common >= _LEAST_COSINE * math.sqrt(larger * smaller)


def _basis(one: MemoryFacts, other: MemoryFacts, shared: int, named: Mapping[int, frozenset[int]]) -> LinkBasis | None:
    """Why the two may be linked; None when too little speaks for it."""
    if shared and named.get(one.id, frozenset()) & named.get(other.id, frozenset()):
        return LinkBasis.SAME_ENTITY
    if shared >= 2 or (shared and _has_same_subject(one, other)):
        return LinkBasis.SIMILAR
    return None


def _has_same_subject(one: MemoryFacts, other: MemoryFacts) -> bool:
    return bool(one.slot and other.slot and one.slot.subject and one.slot.subject == other.slot.subject)


def _apply(write: Write, action: Row[Any]) -> None:
    from_id, to_id = action.memory_ids
    if (min(from_id, to_id), max(from_id, to_id)) in rows.load_links(write.connection, [from_id]):
        raise SkipAction("They are linked already.")
    write.insert(LinkRow, record_of(action.memory_ids, action.data, action.why) | {"created_at": write.at})


def record_of(memory_ids: Sequence[int], data: Mapping[str, Any], why: str) -> dict[str, Any]:
    """The row of a link that was proposed, without its instant."""
    return {
        "from_kind": "memory", "from_id": memory_ids[0], "to_kind": "memory", "to_id": memory_ids[1], "to_name": "",
        "type": data["type"], "strength": data["strength"], "reason": why,
        "origin": data.get("basis", LinkBasis.SIMILAR.value),
    }  # fmt: skip


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    both = tuple(texts[one].full for one in action.memory_ids if one in texts)
    shared = f"; both say {', '.join(f'“{word}”' for word in said)}" if (said := _words_of_both(both)) else ""
    return DiffLines((), (f"Linked as “{str(action.data['type']).replace('_', ' ')}”{shared}",), both)


def _words_of_both(texts: Sequence[str]) -> list[str]:
    """Words that both say, as the first writes them, the longest first; looked up when they are shown, since a reason holds no text.

    >>> _words_of_both(["The ports of a job are reserved.", "Each job reserves its port until it ends."])
    ['reserved', 'ports', 'job']
    """
    if len(texts) != 2:
        return []
    first, second = ({stem(word.lower()): word for word in _SHOWN_WORD.findall(_FRAME.sub("", text))} for text in texts)
    left_out = _function_words() | _doing_words()
    said = [word for key, word in first.items() if key in second and key not in left_out]
    return sorted(said, key=lambda word: -len(word))[:_SHOWN_WORDS]


def links(find_alike: FindAlike) -> Step:
    """The step; `find_alike` names memories that share rare words with a text."""
    kind = StepAction("linked", _apply, counts_as=("linked",), show=_show)
    cause = StepAction("linked as the cause", _apply, counts_as=("linked",), show=_show)
    return Step("links", "Looking for links", _load(find_alike), plan, {"link": kind, "link_cause": cause})


def stricter_by(counts: Mapping[tuple[LinkBasis, bool], int], basis: LinkBasis) -> float:
    """What is added to the least strength of links found by `basis`: 0 while most are accepted, up to 0.25. 0..0.25.

    >>> stricter_by({(LinkBasis.SIMILAR, False): 6, (LinkBasis.SIMILAR, True): 2}, LinkBasis.SIMILAR)
    0.125
    >>> stricter_by({(LinkBasis.SIMILAR, False): 3}, LinkBasis.SIMILAR)
    0.0
    """
    yes, no = (counts.get((basis, is_yes), 0) for is_yes in (True, False))
    if yes + no < _VERDICTS_LEAST:
        return 0.0
    return round(_STRICTER_MOST * max(0.0, no / (yes + no) - 0.5) * 2, 4)
