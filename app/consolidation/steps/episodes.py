"""Merge overlapping episodes: work told twice becomes one story, and a project keeps so many whole. Source: S3 `episodicStore.consolidate`.

Overlap is a sign, not likeness of words: the same conversation, the same title within days, or work at the same time on the same
files, but for those that every second piece of work changes. A story is not told on from a shared file: it would swallow the day. Above `episodes_kept` the oldest without a key moment are told together, neighbours in time first. Parts are kept, put away
with a link, and come back by undo. Nothing is merged that the person confirmed, pinned or edited, or that is still going on.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row

from app.consolidation.step_interface import DiffLines, PlanContext, Proposal, SkipAction, Step, StepAction, Texts
from app.deciders.conversation.moments import KEY_SIGNIFICANCE
from app.memories.action_checks import rows_of
from app.memories.draft_guess import would_steer_in
from app.memories.new_memory import NewMemory, insert_memory
from app.memories.placements import load_placements, withhold
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows import episode as episode_rows
from app.store.rows.link import WAS_MERGED
from app.store.tables.memory import ArtifactRow, LinkRow, MemoryRow, MemorySourceRow
from app.values import LinkType, MemoryKind, MemoryStatus, Trust, Visibility

PARTS = "parts"  # in the details of what tells several together: the numbers of the others
_SAME_TITLE = timedelta(days=7)
_NEXT_DAY = timedelta(hours=12)
_SHARED_RATIO, _SHARED_LEAST = 0.5, 2
_COMMON_SHARE, _COMMON_LEAST = 0.2, 3  # a file of more episodes of its project than this says nothing
SAME_TITLE = "have the same title within a week"
_SAME_STORY = "tell the same story in the same words"
_TOGETHER_MOST = 8  # parts of one story
_PART_CHARS, _STORY_CHARS = 240, 1_600
_MOMENTS_MOST = 24
_COUNTS = ("episodes_merged", "memories_merged")


@dataclass(frozen=True, slots=True)
class EpisodeFacts:
    """One episode in use. `is_over`: none of its conversations is going on."""

    id: int
    project_id: int | None
    visibility: str
    title: str
    story: str  # what was done, in a sentence or more
    began_at: datetime
    ended_at: datetime
    conversation_ids: frozenset[int]
    files: frozenset[str]
    significance: float
    is_kept: bool  # the person's
    is_over: bool
    is_story: bool  # of several parts
    tokens: int


def _load(connection: Connection, context: PlanContext) -> tuple[EpisodeFacts, ...]:
    del context
    found = episode_rows.list_episodes(connection, episode_rows.EpisodeWish(), limit=episode_rows.ALL)
    ids = [int(row.id) for row in found]
    places: dict[int, list[Any]] = defaultdict(list)
    for place in episode_rows.load_places(connection, ids):
        places[place.memory_id].append(place)
    files: dict[int, set[str]] = defaultdict(set)
    for one in episode_rows.load_attached(connection, ids):
        if one.kind in {"file", "adr"}:
            files[one.memory_id].add(one.reference)
    going = episode_rows.going_on(connection, {place.conversation_id for some in places.values() for place in some})
    return tuple(_facts_of(row, places[row.id], frozenset(files[row.id]), going) for row in reversed(found))


def _facts_of(row: Any, places: Sequence[Any], files: frozenset[str], going: frozenset[int]) -> EpisodeFacts:
    details: Mapping[str, Any] = row.details or {}
    done = [str(one) for one in details.get("done") or ()]
    conversations = frozenset(int(place.conversation_id) for place in places)
    return EpisodeFacts(
        id=int(row.id),
        project_id=row.project_id,
        visibility=row.visibility,
        title=row.title,
        story=" ".join(done) or row.full.removeprefix(f"You worked on “{row.title}”.").strip(),
        began_at=row.valid_from,
        ended_at=max([row.valid_from, *(place.at for place in places)]),
        conversation_ids=conversations,
        files=files,
        significance=float(details.get("significance") or 0.0),
        is_kept=bool(row.is_pinned or row.trust >= Trust.CONFIRMED or row.edited_levels or row.valid_to is not None),
        is_over=not conversations & going,
        is_story=bool(details.get(PARTS)),
        tokens=row.full_tokens,
    )


def plan(told: Sequence[EpisodeFacts], context: PlanContext) -> list[Proposal]:
    """What overlaps, then what there is no room for; each episode in one proposal at most."""
    twice = _find_same_stories(told)
    taken = {one.id for group in twice for one in group}
    left = [one for one in told if one.id not in taken]
    proposals = [_merge(group, _SAME_STORY) for group in twice]
    proposals += [_merge(group, why) for group, why in _overlapping(left)]
    gone = {one for proposal in proposals for one in proposal.memory_ids}
    stays = [one for one in told if one.id not in {away for proposal in proposals for away in proposal.puts_away}]
    by_project: dict[int | None, list[EpisodeFacts]] = defaultdict(list)
    for one in stays:
        by_project[one.project_id].append(one)
    for listed in by_project.values():
        groups = _without_room(listed, gone, context.settings.episodes_kept)
        why = f"more than {context.settings.episodes_kept} episodes of this project"
        proposals += [_merge(group, why) for group in groups]
    return proposals


def _may_go(one: EpisodeFacts) -> bool:
    return not one.is_kept and one.is_over


def _find_same_stories(told: Sequence[EpisodeFacts]) -> list[list[EpisodeFacts]]:
    """Groups of episodes with the same title and story, at any time."""
    groups: dict[tuple[object, ...], list[EpisodeFacts]] = defaultdict(list)
    for one in sorted(told, key=lambda one: (one.began_at, one.id)):
        if _may_go(one) and one.story:
            groups[one.project_id, one.visibility, _plain(one.title), _plain(one.story)].append(one)
    return [group[:_TOGETHER_MOST] for group in groups.values() if len(group) > 1]


def _overlapping(told: Sequence[EpisodeFacts]) -> list[tuple[list[EpisodeFacts], str]]:
    """Neighbours in time of one project that tell of the same, the oldest first."""
    common = _common_files(told)
    rooms: dict[tuple[object, ...], list[EpisodeFacts]] = defaultdict(list)
    for one in sorted(told, key=lambda one: (one.began_at, one.id)):
        if _may_go(one):
            rooms[one.project_id, one.visibility].append(replace(one, files=one.files - common[one.project_id]))
    found = []
    for room in rooms.values():
        group: list[EpisodeFacts] = []
        reason = ""
        for one in room:
            why = _overlap(group[-1], one) if group and len(group) < _TOGETHER_MOST else ""
            if not why and len(group) > 1:
                found.append((group, reason))
            group, reason = ([*group, one], _weaker(reason, why)) if why else ([one], "")
        if len(group) > 1:
            found.append((group, reason))
    return found


def _common_files(told: Sequence[EpisodeFacts]) -> dict[int | None, frozenset[str]]:
    """By project: files that so many of its episodes changed that sharing them is no sign."""
    counts: dict[int | None, Counter[str]] = defaultdict(Counter)
    sizes = Counter(one.project_id for one in told)
    for one in told:
        counts[one.project_id].update(one.files)
    return {
        project: frozenset(
            name for name, count in counts[project].items() if count > max(_COMMON_LEAST, _COMMON_SHARE * size)
        )
        for project, size in sizes.items()
    }


def _weaker(reason: str, why: str) -> str:
    """Of the reasons of a group the one that a person should see."""
    return SAME_TITLE if SAME_TITLE in {reason, why} else reason or why


def _overlap(older: EpisodeFacts, newer: EpisodeFacts) -> str:
    """Why both tell of the same, the surest sign; "" where they do not."""
    if older.conversation_ids & newer.conversation_ids:
        return "are about the same conversation"
    shared = len(older.files & newer.files)
    is_near = newer.began_at - older.ended_at <= _NEXT_DAY and not (older.is_story or newer.is_story)
    if is_near and shared >= max(_SHARED_LEAST, _SHARED_RATIO * min(len(older.files), len(newer.files))):
        return f"changed {shared} files in common within half a day"
    is_same = _plain(older.title) == _plain(newer.title) and newer.began_at - older.ended_at <= _SAME_TITLE
    return SAME_TITLE if is_same else ""


def _plain(title: str) -> str:
    """
    >>> _plain("Export as CSV (2)"), _plain("export  as CSV")
    ('export as csv', 'export as csv')
    """
    head, _, number = title.rstrip(")").rpartition(" (")
    plain_title = head if head and number.isdigit() else title
    return " ".join(plain_title.lower().split())


def _without_room(listed: Sequence[EpisodeFacts], taken: set[int], most: int) -> list[list[EpisodeFacts]]:
    """The oldest that hold no key moment, told together, until as many are whole as there is room for."""
    excess = len(listed) - most
    if excess <= 0:
        return []
    rest = [one for one in listed if _may_go(one) and one.id not in taken]
    rest.sort(key=lambda one: (one.significance >= KEY_SIGNIFICANCE, one.began_at, one.id))
    groups: list[list[EpisodeFacts]] = []
    while excess > 0 and len(rest) > 1:
        size = min(excess + 1, _TOGETHER_MOST, len(rest))
        group = sorted(rest[:size], key=lambda one: (one.began_at, one.id))
        del rest[:size]
        groups += [
            [one for one in group if one.visibility == seen] for seen in sorted({one.visibility for one in group})
        ]
        excess -= size - 1
    return [group for group in groups if len(group) > 1]


def _merge(group: Sequence[EpisodeFacts], why: str) -> Proposal:
    return Proposal(
        kind="merge_same_title" if why == SAME_TITLE else "merge_episodes",
        memory_ids=tuple(one.id for one in group),
        why=why,
        text=_story(group),
        saved_tokens=max(0, sum(one.tokens for one in group) - len(_story(group)) // 4),
        puts_away=tuple(one.id for one in group),
        is_sure=why != SAME_TITLE,  # titles made by rules may be alike by chance
    )


def _story(group: Sequence[EpisodeFacts]) -> str:
    """One paragraph a part, with its day; where not all fit, of the parts after the first, the oldest first, only day and title. What is told twice is once."""
    days = [f"{one.began_at.day} {one.began_at:%b %Y}" for one in group]
    if len({(_plain(one.title), _plain(one.story)) for one in group}) == 1:
        return f"{', '.join(dict.fromkeys(days))}, “{group[0].title}”: {_cut(group[0].story)}"
    heads = [f"{day}, “{one.title}”" for day, one in zip(days, group, strict=True)]
    parts = [f"{head}: {_cut(one.story)}" for head, one in zip(heads, group, strict=True)]
    for place in range(1, len(parts) - 1):
        if sum(map(len, parts)) <= _STORY_CHARS:
            break
        parts[place] = f"{heads[place]}."
    return "\n".join(parts)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _PART_CHARS else f"{line[: _PART_CHARS - 1].rstrip()}…"


def _apply(write: Write, action: Row[Any]) -> None:
    """A new episode tells it all from now on; its parts are archived, whole as they were."""
    group = sorted(rows_of(write, action.memory_ids), key=lambda row: (row.valid_from, row.id))
    if len(group) < 2 or any(row.status != MemoryStatus.ACTIVE for row in group):
        raise SkipAction("One of them is no longer in use.")
    ids = [int(row.id) for row in group]
    is_steering = would_steer_in([action.text])
    story_id = insert_memory(
        write,
        NewMemory(
            text=action.text,
            kind=MemoryKind.EPISODE,
            type=None,
            title=_title(group),
            details=_joined(group),
            importance=max(row.importance for row in group),
            confidence=min(row.confidence for row in group),
            trust=Trust(min(int(row.trust) for row in group)),
            status=MemoryStatus.QUARANTINED if is_steering else MemoryStatus.ACTIVE,
            visibility=Visibility(group[0].visibility),
            project_id=group[0].project_id,
            app_id=group[-1].app_id,
            tags=tuple(dict.fromkeys(tag for row in group for tag in row.tags)),
            valid_from=group[0].valid_from,
            reason=action.why,
            worded_by=group[-1].worded_by,
        ),
    )
    write.insert_many(MemorySourceRow, episode_rows.places_of_parts(write.connection, story_id, ids))
    write.insert_many(ArtifactRow, episode_rows.artifacts_of_parts(write.connection, story_id, ids))
    link = {"from_kind": "memory", "from_id": story_id, "to_kind": "memory", "to_name": "", "strength": 1.0}
    links = [{**link, "to_id": one, "type": LinkType.MERGED_FROM.value, "created_at": write.at} for one in ids]
    write.insert_many(LinkRow, links)
    keep_versions(write, group, "merged with others")
    away = {"status": MemoryStatus.ARCHIVED.value, "retired_at": write.at, "updated_at": write.at}
    for row in group:
        write.update(MemoryRow, int(row.id), {**away, "details": {**row.details, WAS_MERGED: True}})
    if any(one.is_withheld for one in load_placements(write.connection, ids).values()):
        withhold(write, [story_id], is_withheld=True)
    write.label = f"Merged {len(group)} episodes"


def _title(group: Sequence[Any]) -> str:
    """The title that all have, else that of the weightiest with how many more."""
    if len({_plain(row.title) for row in group}) == 1:
        return str(group[0].title)
    weightiest = max(group, key=lambda row: (float(row.details.get("significance") or 0.0), row.id))
    return f"{weightiest.title} and {len(group) - 1} more"


def _joined(group: Sequence[Any]) -> dict[str, Any]:
    """The details of all, in the order in which they came: a moment's turn counts on through the conversations."""
    details = [row.details or {} for row in group]
    ranges: dict[str, Any] = {}
    moments: list[dict[str, Any]] = []
    before = 0
    for one in details:
        told = one.get("turn_ranges") or {str(one.get("conversation_id")): one.get("turn_range")}
        ranges |= {key: value for key, value in told.items() if value}
        moments += [{**moment, "turn": int(moment.get("turn") or 1) + before} for moment in one.get("moments") or ()]
        before += sum(int(value["end"]) for value in told.values() if value)
    valences = [one["valence"] for one in details if one.get("valence") is not None]
    weightiest = max(details, key=lambda one: float(one.get("significance") or 0.0))
    joined: dict[str, Any] = {
        **{name: details[-1][name] for name in ("outcome", "next", "works") if details[-1].get(name)},
        **{name: weightiest[name] for name in ("type", "significance") if weightiest.get(name) is not None},
        "context": details[0].get("context"),
        "participants": list(dict.fromkeys(who for one in details for who in one.get("participants") or ())),
        "done": [done for one in details for done in one.get("done") or ()],
        "valence": round(sum(valences) / len(valences), 2) if valences else None,
        "moments": sorted(moments, key=lambda one: -float(one.get("significance") or 0.0))[:_MOMENTS_MOST],
        "turn_ranges": ranges,
        PARTS: [int(row.id) for row in group],
    }
    joined["moments"].sort(key=lambda one: int(one["turn"]))
    return {name: value for name, value in joined.items() if value not in (None, "", [], {})}


def _show(texts: Texts, action: Row[Any]) -> DiffLines:
    return DiffLines(tuple(texts[one].full for one in action.memory_ids if one in texts), (action.text,))


EPISODES = Step(
    "episodes",
    "Merging episodes",
    _load,
    plan,
    {
        "merge_episodes": StepAction("episodes merged", _apply, counts_as=_COUNTS, show=_show),
        "merge_same_title": StepAction("episodes with the same title merged", _apply, counts_as=_COUNTS, show=_show),
    },
)
