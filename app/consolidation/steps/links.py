"""Discover links: memories of one project that speak of the same thing are joined. Source: S4 `discover_connections`.

Two speak of the same thing when they share at least two words that few others have, or one of these and the subject of their slots.
Few links: three a memory, none between what is joined already.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.port import Kind, Proposal, Reading, Shown, SkipAction, Step, Texts
from app.consolidation.snapshot import MemoryFacts, load_memories
from app.memory.rules import load_memory_rules
from app.memory.stems import NEGATION, content_words
from app.store import run_rows as rows
from app.store.journal import Write
from app.store.memory_tables import LinkRow
from app.values import LinkType

FindAlike = Callable[[Connection, str, int | None], Sequence[int]]
_NEW_MOST = 2_000  # in one run; the others were linked when they were new, or come with the next
_LINKS_MOST = 3  # for one new memory
_RARE_SHARE, _RARE_LEAST = 0.02, 3  # a word that more memories of a project have says little
_LEAST_ALIKE = 0.3  # shared content words of the smaller
_RELATED_KINDS = {"fact", "episode", "pattern", "workflow"}


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    memories: tuple[MemoryFacts, ...]
    new_ids: frozenset[int]
    joined: frozenset[tuple[int, int]]
    near: tuple[tuple[int, tuple[int, ...]], ...]  # of each new one, what shares rare words with it

    def __len__(self) -> int:
        return len(self.memories)


def _load(find_alike: FindAlike) -> Callable[[Connection, Reading], Neighbourhood]:
    def load(connection: Connection, reading: Reading) -> Neighbourhood:
        changed = reading.changed_ids
        everything = load_memories(connection, reading.now) if changed is None else ()
        new = everything if changed is None else load_memories(connection, reading.now, changed)
        new = tuple(one for one in new if one.kind in _RELATED_KINDS and not one.is_closed)[-_NEW_MOST:]
        near = tuple((one.id, tuple(find_alike(connection, one.text, one.project_id))) for one in new)
        wanted = {other for _, others in near for other in others} | {one.id for one in new}
        memories = load_memories(connection, reading.now, wanted)
        joined = rows.load_links(connection, wanted)
        return Neighbourhood(memories, frozenset(one.id for one in new), frozenset(joined), near)

    return load


def plan(around: Neighbourhood, reading: Reading) -> list[Proposal]:
    """At most three links for each new memory, the closest first."""
    del reading
    rules = load_memory_rules()
    words = {one.id: frozenset(content_words(one.text, rules.likeness)) - {NEGATION} for one in around.memories}
    by_id = {one.id: one for one in around.memories}
    rare = _rare_words(around.memories, words)
    taken = set(around.joined)
    counted: Counter[int] = Counter()
    found = []
    for new_id, others in around.near:
        for strength, other_id, shared in _closest(new_id, others, by_id, words, rare):
            pair = (min(new_id, other_id), max(new_id, other_id))
            if pair in taken or counted[new_id] >= _LINKS_MOST or counted[other_id] >= 2 * _LINKS_MOST:
                continue
            taken.add(pair)
            counted.update(pair)
            why = f"both speak of the same thing: {shared} rare words in common"
            data = {"strength": round(strength, 2), "type": LinkType.RELATED_TO.value}
            found.append(Proposal("link", (new_id, other_id), why, data=data, confidence=round(strength, 2)))
    return found


def _rare_words(memories: Sequence[MemoryFacts], words: dict[int, frozenset[str]]) -> dict[int | None, frozenset[str]]:
    """By project: words that few of its memories have."""
    counts: dict[int | None, Counter[str]] = defaultdict(Counter)
    sizes: Counter[int | None] = Counter()
    for one in memories:
        counts[one.project_id].update(words[one.id])
        sizes[one.project_id] += 1
    return {
        project: frozenset(
            word
            for word, count in counted.items()
            if 1 < count <= max(_RARE_LEAST, int(_RARE_SHARE * sizes[project])) and len(word) > 2
        )
        for project, counted in counts.items()
    }


def _closest(
    new_id: int,
    others: Sequence[int],
    by_id: dict[int, MemoryFacts],
    words: dict[int, frozenset[str]],
    rare: dict[int | None, frozenset[str]],
) -> Iterator[tuple[float, int, int]]:
    """(strength, number, rare words in common), the strongest first."""
    new = by_id.get(new_id)
    if new is None:
        return
    ranked = []
    for other_id in others:
        other = by_id.get(other_id)
        if other is None or other_id == new_id or other.project_id != new.project_id or other.is_closed:
            continue
        if other.text_key == new.text_key:  # the same, not something beside it
            continue
        common = words[new_id] & words[other_id]
        shared = len(common & rare.get(new.project_id, frozenset()))
        smaller = min(len(words[new_id]), len(words[other_id]))
        alike = len(common) / smaller if smaller else 0.0
        if (shared >= 2 or (shared and _has_same_subject(new, other))) and alike >= _LEAST_ALIKE:
            ranked.append((min(1.0, alike), other_id, shared))
    yield from sorted(ranked, key=lambda one: (-one[0], one[1]))


def _has_same_subject(one: MemoryFacts, other: MemoryFacts) -> bool:
    return bool(one.slot and other.slot and one.slot.subject and one.slot.subject == other.slot.subject)


def _apply(write: Write, action: Row[Any]) -> None:
    from_id, to_id = action.memory_ids
    if (min(from_id, to_id), max(from_id, to_id)) in rows.load_links(write.connection, [from_id]):
        raise SkipAction("They are linked already.")
    write.insert(
        LinkRow,
        {
            "from_kind": "memory", "from_id": from_id, "to_kind": "memory", "to_id": to_id, "to_name": "",
            "type": action.data["type"], "strength": action.data["strength"], "created_at": write.at,
        },
    )  # fmt: skip


def _show(texts: Texts, action: Row[Any]) -> Shown:
    before = tuple(texts[one].full for one in action.memory_ids if one in texts)
    return Shown(before, (f"linked: {str(action.data['type']).replace('_', ' ')}",))


def links(find_alike: FindAlike) -> Step:
    """The step; `find_alike` names memories that share rare words with a text."""
    kind = Kind("linked", _apply, counts_as=("linked",), show=_show)
    return Step("links", "Looking for links", _load(find_alike), plan, {"link": kind})
