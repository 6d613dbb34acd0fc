"""A session start: the few lines that it says, of all that was gathered for it, and one of what was done last.

Reads what was talked about last in the project; what is worth saying is `app.deciders.recall.session_start`'s. Source: issue 16
point 9.
"""

from collections import Counter
from collections.abc import Set as AbstractSet
from datetime import datetime

from sqlalchemy import Connection

from app.context.candidate_set import CandidateSet
from app.context.sources import ExtraLine, is_convention
from app.deciders.conversation.episode import goes_against, last_time_line
from app.deciders.recall.session_start import StartCandidate, choose_lines
from app.language.search_words import split_stems
from app.store.rows.context import fetch
from app.store.tables.types import to_microseconds
from app.understanding.episodes.writing import compose_so_far
from app.values import Level, Tier

DELIVERY = "hook:start"
_LONG_TOKENS = 80  # a longer memory is given by its summary
_LINES, _LINES_TOKENS = 14, 500  # so many lines in so many tokens
_LEAST_LINES = 3
_EXTRAS_MOST = 2  # open questions and failing commands
_MESSAGES_READ, _MESSAGE_CHARS = 20, 400
_OPEN_REST_KEY = -2_999_999_999
_LAST_KEYS = -3_000_000_000  # minus the conversation's number
_OPEN_REST = "Unresolved, too: {} more. The contradictions tool lists them; ask which one holds."
NOT_NOW = "a session start is short; it is there when it is asked for"
_SAID = (
    "SELECT substr(m.text, 1, :chars) FROM message m JOIN stream s ON s.id = m.stream_id "
    "WHERE s.project_id = :project AND m.speaker = 'user' AND m.at <= :now ORDER BY m.id DESC LIMIT :most"
)
_LAST_SESSION = (
    "SELECT l.stream_id FROM conversation l JOIN stream t ON t.id = l.stream_id WHERE t.project_id = :project "
    "AND t.session <> :session AND l.last_message_at <= :now ORDER BY l.last_message_at DESC LIMIT 1"
)
_LAST = (
    "SELECT c.id, coalesce(nullif(c.title, ''), c.auto_title), c.state <> 'evicted', m.id IS NOT NULL, m.status = 'active', "  # noqa: S608
    "coalesce(m.details ->> '$.gist', m.details ->> '$.done[0]', ''), coalesce(m.details ->> '$.next', ''), b.git_branch FROM conversation c JOIN stream b ON b.id = c.stream_id "
    "LEFT JOIN memory_source e ON e.conversation_id = c.id AND EXISTS (SELECT 1 FROM memory k WHERE k.id = e.memory_id AND k.kind = 'episode') "
    "LEFT JOIN memory m ON m.id = e.memory_id "
    f"WHERE c.stream_id = ({_LAST_SESSION}) AND c.last_message_at <= :now ORDER BY c.last_message_at DESC, m.status LIMIT :most"
)
_LOOKED_AT = 3  # conversations of that session


def line_count(budget_tokens: int) -> int:
    """How many lines a start of so many tokens says.

    >>> line_count(500), line_count(2_000), line_count(50)
    (14, 56, 3)
    """
    return max(_LEAST_LINES, budget_tokens * _LINES // _LINES_TOKENS)


def shorten(
    gathered: CandidateSet,
    connection: Connection,
    *,
    project_id: int | None,
    session: str,
    now: datetime,
    budget_tokens: int,
    branch: str = "",
    said_on_branch: AbstractSet[int] = frozenset(),
) -> None:
    """Leaves out of `gathered` what a start does not say, and adds what was done last."""
    at = to_microseconds(now)
    extras = sorted((key for key in gathered.candidates if key < 0), key=lambda key: -gathered.candidates[key].score)
    open_rest_count = 0  # questions whose sides stand nowhere else
    for key in extras[_EXTRAS_MOST:]:
        open_rest_count += bool(gathered.candidates.pop(key).rivals)
        gathered.fitting.discard(key)
    if open_rest_count:
        gathered.add_line(
            ExtraLine(_OPEN_REST_KEY, _OPEN_REST.format(open_rest_count), "an open contradiction"), is_fitting=False
        )
    last = _last_time(connection, project_id, session, branch, at)
    most = line_count(budget_tokens) - min(len(extras), _EXTRAS_MOST) - bool(open_rest_count) - (last is not None)
    memories = {key: one for key, one in gathered.candidates.items() if key > 0}
    known = [
        StartCandidate(
            key,
            frozenset(split_stems(gathered.rows[key].full)),
            gathered.rows[key].importance,
            gathered.rows[key].recorded_at,
            is_convention(gathered.rows[key]),
            one.is_pinned or one.placement is not None,
            one.score if key in gathered.fitting else 0.0,
            key in said_on_branch,
        )
        for key, one in memories.items()
    ]
    said = _recent_prompt_stems(connection, project_id, at) if len(known) > most else Counter[str]()
    chosen = set(choose_lines(known, said, most))
    for key, one in memories.items():
        if key in chosen and one.placement is not None:
            continue
        if key in chosen:  # in words that can be read at once, or not at all
            level = Level.SUMMARY if one.tokens[Level.FULL] > _LONG_TOKENS else Level.FULL
            gathered.candidates[key] = one._replace(texts={level: one.texts[level]})
        else:
            gathered.leave_out(key, NOT_NOW)
    gathered.topics, gathered.topic_of = {}, {}
    if last is not None and not any(goes_against(last.text, gathered.rows[key].full) for key in memories):
        gathered.add_line(last, is_fitting=False)


def _recent_prompt_stems(connection: Connection, project_id: int | None, now: int) -> Counter[str]:
    """Stems of the last prompts in the project."""
    values = {"project": project_id, "now": now, "chars": _MESSAGE_CHARS, "most": _MESSAGES_READ}
    return Counter(stem for (text,) in fetch(connection, _SAID, values) for stem in split_stems(text))


def _last_time(connection: Connection, project_id: int | None, session: str, branch: str, now: int) -> ExtraLine | None:
    """What the project's last session did last and left open, in one line; an older session's would be said as if nothing had
    happened since. One on another branch is named with it."""
    values = {"project": project_id, "session": session, "now": now, "most": _LOOKED_AT}
    for row in fetch(connection, _LAST, values):
        number, is_there, is_kept, is_active, said = int(row[0]), row[2], row[3], row[4], (row[1], row[5], row[6])
        if not is_kept and is_there and (so_far := compose_so_far(connection, number)) is not None:
            said = (so_far.title, so_far.gist, so_far.next)
        elif not is_active:
            continue
        other = row[7] if branch and row[7] != branch else ""
        if text := last_time_line(*said, branch=other or ""):
            return ExtraLine(_LAST_KEYS - number, text, "what was done last in this project", (), Tier.BACKGROUND, 0.2)
    return None
