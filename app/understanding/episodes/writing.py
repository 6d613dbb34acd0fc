"""One episode a conversation: what was done, what works, what is next, kept as a memory when the conversation ends or pauses.

Loads what is known, lets `app.deciders.conversation.episode` compose, saves. Of no trust, as an assistant's words are: found by
search, never in the first tier, in a session start only as its one line. What a person edited, confirmed or put away stays as it
is. Source: issue 16 points 3 and 8, DESIGN section 5 "end conversation", S3 "Episodic Memory".
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from app.capture.streams import title_of_app
from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.episode import Composed, EpisodeParts, compose_episode
from app.deciders.conversation.moments import Course, read_course
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.levels.compress import compress
from app.memories.draft_guess import would_steer_in
from app.memories.new_memory import TITLE_CHARS, NewMemory, NewSource, insert_memory, insert_source, level_columns
from app.memories.versions import keep_versions
from app.store.journal import Write
from app.store.rows.conversation import place_of
from app.store.rows.episode import load_answer_ends, load_turns
from app.store.rows.link import WAS_MERGED
from app.store.rows.memory import ids_of_conversation
from app.store.rows.message import last_answer, last_prompt
from app.store.table_queries import rows_with
from app.store.tables.core import ConversationRow
from app.store.tables.memory import ArtifactRow, MemoryRow
from app.understanding.conversations.derived import ALIKE_CHARS, find_alike, load_known, outcome_with
from app.understanding.conversations.record import kept_changes
from app.understanding.episodes.evidence import EpisodeEvidence, load_evidence
from app.understanding.message_rows import AnyRow
from app.values import ConversationState, MemoryKind, MemoryStatus, Outcome, Trust

_IMPORTANCE, _CONFIDENCE = 0.4, 0.7
_WORKS = {  # of an outcome's reason what it says of how things stand
    "tests passed after the last change": "tests passed after the last change",
    "tests passed": "tests passed",
    "files were changed, the last tests failed": "the last tests failed",
}
REFERENCE_CHARS = 200  # S4, artifact_ref
_SAID = "the person says "
_MOVED = "was_moved"  # in the details of one that was archived because its messages were moved


def keep_episode(write: Write, conversation_id: int) -> None:
    """Writes the conversation's episode, or brings it up to date; nothing where there is nothing to say."""
    row = write.get(ConversationRow, conversation_id)
    if row.state == ConversationState.EVICTED or row.merged_into_id is not None:
        return
    last = last_prompt(write.connection, conversation_id=conversation_id)
    if last is None:
        return
    last_at = last.at
    where = place_of(write.connection, row.stream_id)
    parts = _parts(write.connection, row, where.app)
    episode = compose_episode(parts)
    kept = next((one for one in _load_episodes(write.connection, conversation_id) if not _is_merged(one)), None)
    if episode is None or (kept is not None and _is_persons(kept)):
        return
    signs = load_evidence(write.connection, conversation_id, row.distilled or {}, where.path)
    course = read_course(signs.turns, parts.outcome)
    details = _details(row, where, parts, episode) | _course_details(signs, course, where.git_branch, episode.title)
    changes = kept_changes(write.connection, conversation_id, where.path, where.app)
    if changes:
        details["changes"] = changes
    if kept is not None:
        _renew(write, kept, episode, details)
        _attach(write, int(kept.id), signs)
        return
    is_steering = would_steer_in([episode.narrative])
    memory_id = insert_memory(
        write,
        NewMemory(
            text=episode.narrative,
            kind=MemoryKind.EPISODE,
            type=None,
            title=episode.title,
            details=details,
            importance=_IMPORTANCE,
            confidence=_CONFIDENCE,
            trust=Trust.AGENT,
            status=MemoryStatus.QUARANTINED if is_steering else MemoryStatus.ACTIVE,
            project_id=where.project_id,
            app_id=where.app_id,
            valid_from=row.started_at,
            reason=f"what this conversation with {title_of_app(where.app)} came to",
            worded_by=row.summary_by or where.app,
        ),
    )
    source = NewSource(
        at=last_at, quote="", conversation_id=conversation_id, conversation_title=episode.title, app=where.app
    )
    insert_source(write, memory_id, source)
    _attach(write, memory_id, signs)


def compose_so_far(connection: Connection, conversation_id: int) -> Composed | None:
    """What one that is not over yet has come to: a new session begins before anybody says that the last is over. None where nothing
    shows it, and where it could steer an assistant."""
    row = rows_with(connection, ConversationRow, id=conversation_id)[0]
    app = place_of(connection, row.stream_id).app
    episode = compose_episode(_parts(connection, row, app))
    return None if episode is None or would_steer_in([episode.title, episode.narrative]) else episode


def _load_episodes(connection: Connection, conversation_id: int) -> list[AnyRow]:
    """The episodes of a conversation, oldest first."""
    ids = ids_of_conversation(connection, conversation_id, is_episode=True)
    return list(rows_with(connection, MemoryRow, id=ids))


def retell_episodes(write: Write, conversation_ids: Iterable[int]) -> None:
    """After messages were moved: what was told of these conversations goes, what they came to is told again once they are over."""
    for conversation_id in conversation_ids:
        for row in _load_episodes(write.connection, conversation_id):
            if not _is_persons(row) and row.status != MemoryStatus.ARCHIVED.value:
                keep_versions(write, [row], "messages were moved")
                away = {"status": MemoryStatus.ARCHIVED.value, "retired_at": write.at, "updated_at": write.at}
                write.update(MemoryRow, row.id, {**away, "details": {**row.details, _MOVED: True}})
        if write.get(ConversationRow, conversation_id).state in {ConversationState.ENDED, ConversationState.PAUSED}:
            keep_episode(write, conversation_id)


def _parts(connection: Connection, row: AnyRow, app: str) -> EpisodeParts:
    noted: dict[str, Any] = row.distilled or {}
    known = load_known(connection, row.id)
    answer = last_answer(connection, row.id)
    outcome, reason = outcome_with(known, noted, lambda: answer, is_ended=True)
    return EpisodeParts(
        title=row.title or row.auto_title,
        app=title_of_app(app),
        outcome=row.outcome or (outcome.value if outcome else ""),
        works=_works(outcome, reason),
        summary=row.summary or "",
        topics=_topics(noted),
        done=str(noted.get("done", "")),
        next=str(noted.get("next", "")),
        plan=str(noted.get("plan", "")),
        todos=[(str(text), str(state)) for text, state in noted.get("todos", [])],
        commits=[str(text) for text in noted.get("commits", [])],
        pull_requests=[str(text) for text in noted.get("pull_requests", [])],
        answer_end=answer[1],
        turns=_turns(connection, row.id),
    )


def _turns(connection: Connection, conversation_id: int) -> list[tuple[str, str]]:
    """Each prompt with the end of its answer ("" while there is none), without those that a template or a hook typed."""
    ends = load_answer_ends(connection, conversation_id)
    alike = find_alike(connection, conversation_id)
    messages = load_turns(connection, conversation_id) if ends else ()
    return [(own_words(one.text), ends.get(one.id, "")) for one in messages if one.text[:ALIKE_CHARS] not in alike]


def _topics(noted: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a judge says of each part, told once: title and summary, as it was said last."""
    return tuple({str(title): str(summary) for _, title, _, summary in noted.get("topics", []) if summary}.items())


def _works(outcome: Outcome | None, reason: str) -> str:
    if reason.startswith(_SAID) and outcome in {Outcome.COMPLETED, Outcome.TESTED}:
        return f"You said {reason.removeprefix(_SAID)}"
    return _WORKS.get(reason, "")


def _details(row: AnyRow, where: Any, parts: EpisodeParts, episode: Composed) -> dict[str, Any]:
    return {
        "narrative": episode.narrative,
        "participants": ["you", where.app],
        "outcome": parts.outcome,
        "conversation_id": int(row.id),
        "done": list(episode.done),
        "works": list(episode.works),
        "next": episode.next,
        "gist": episode.gist,
    }


def _course_details(signs: EpisodeEvidence, course: Course, branch: str, title: str) -> dict[str, Any]:
    """What shows how it went, as [S3] names it; what nothing shows is not there."""
    found: dict[str, Any] = {
        "context": _context(signs.opening, branch, title),
        "type": course.type,
        "valence": course.valence,
        "significance": course.significance,
        "turn_range": {"start": 1, "end": len(signs.turns)} if signs.turns else None,
        "moments": [
            {
                "type": one.type,
                "turn": one.turn,
                "at": signs.times[one.turn - 1].isoformat(),
                "text": one.text,
                "significance": one.significance,
                "memory_id": one.memory_id,
                "fix": one.fix,
            }
            for one in course.moments
        ],
    }
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def _context(opening: str, branch: str, title: str) -> str:
    """What it began from: the person's first words, where the title does not say them, and the branch."""
    is_said = text_key(opening) == text_key(title)
    parts = [
        f"You began with “{opening}”." if opening and not is_said else "",
        f"On branch {branch}." if branch else "",
    ]
    return " ".join(filter(None, parts))


def _attach(write: Write, memory_id: int, signs: EpisodeEvidence) -> None:
    """What was made hangs on the episode; what hangs there already stays."""
    rows = rows_with(write.connection, ArtifactRow, "kind", "reference", memory_id=memory_id)
    there = {(row.kind, row.reference) for row in rows}
    for kind, reference in signs.artifacts:
        clean = reference[:REFERENCE_CHARS]
        if (kind.value, clean) not in there:
            write.insert(ArtifactRow, {"memory_id": memory_id, "kind": kind.value, "reference": clean})


def _is_merged(row: AnyRow) -> bool:
    """Whether it was merged: what continues is told by itself again, and merged again once it is over."""
    details = row.details or {}
    return bool(details.get("parts") or details.get(WAS_MERGED))


def _is_persons(kept: AnyRow) -> bool:
    is_live = kept.status in {MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value}
    is_put_away = not is_live and not (kept.details or {}).get(_MOVED)
    return bool(kept.trust >= Trust.CONFIRMED or kept.is_pinned or kept.edited_levels or is_put_away or kept.valid_to)


def _renew(write: Write, kept: AnyRow, episode: Composed, details: dict[str, Any]) -> None:
    is_live = not (kept.details or {}).get(_MOVED)
    is_told = kept.full == episode.narrative and kept.title == episode.title[:TITLE_CHARS]
    if is_live and is_told and kept.details == details:
        return
    back = {} if is_live else {"status": MemoryStatus.ACTIVE.value, "retired_at": None}
    levels = compress(
        episode.narrative, kind=MemoryKind.EPISODE, type=None, slot=None, value="", is_negated=False,
        title=episode.title, details=details,
    )  # fmt: skip
    keep_versions(write, [kept], "the conversation went on")
    write.update(
        MemoryRow,
        kept.id,
        {
            **level_columns(levels, {}),
            **back,
            "title": episode.title[:TITLE_CHARS],
            "text_key": text_key(episode.narrative),
            "details": details,
            "updated_at": write.at,
        },
    )
