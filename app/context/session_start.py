"""A session start: the few lines that it says, of all that was gathered for it, and one of what was done last.

Reads what was talked about last in the project; what is worth saying is `app.deciders.recall.session_start`'s. Source: issue 16
point 9.
"""

from collections import Counter
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache

from sqlalchemy import Connection

from app.context.candidate_set import CandidateSet
from app.context.sources import ExtraLine, is_convention
from app.deciders.conversation.episode import goes_against, last_time_line
from app.deciders.recall.context.render import frame_cost, heading_costs
from app.deciders.recall.session_start import StartCandidate, choose_lines, is_half_said
from app.language.search_words import split_stems
from app.language.token_counts import count_tokens
from app.store.rows.work_history import load_last_session, load_last_typed
from app.store.tables.types import to_microseconds
from app.understanding.episodes.writing import compose_so_far
from app.values import ContextCandidate, Level, Tier, Trust

DELIVERY = "hook:start"
_LONG_TOKENS = 80  # a longer memory is given by its summary
_LINES, _LINES_TOKENS = 10, 460  # so many lines in so many tokens
_LEAST_LINES = 3
_EXTRAS_MOST = 2  # failing commands
_USUAL_IMPORTANCE = 0.5
_CHOSEN = "among what matters most in this project"
_MESSAGES_READ, _MESSAGE_CHARS = 20, 400
_LAST_KEYS = -3_000_000_000  # minus the conversation's number
NOT_NOW = "a session start is short; your assistant can ask for it"
HALF_SAID = "it is half a sentence, and a session start gives only complete rules"
_LOOKED_AT = 3  # conversations of that session


def line_count(budget_tokens: int) -> int:
    """How many lines a start of so many tokens says.

    >>> line_count(500), line_count(2_000), line_count(50)
    (10, 43, 3)
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
    """Leaves out of `gathered` what a start does not say, and adds what was done last.

    An open contradiction is one line beside those of memories, worth what its best side is.
    """
    at = to_microseconds(now)
    questions, others = _split_extras(gathered)
    for key in others[_EXTRAS_MOST:]:
        _drop_line(gathered, key)
    last = _last_time(connection, project_id, session, branch, at)
    lines = [gathered.extras[key] for key in others[:_EXTRAS_MOST]] + ([last.text] if last is not None else [])
    for key in [key for key, one in gathered.candidates.items() if key > 0 and one.placement is None]:
        row = gathered.rows[key]
        if row.trust < Trust.CONFIRMED and not row.is_pinned and is_half_said(row.full):
            gathered.leave_out(key, HALF_SAID)
    memories = {key: one for key, one in gathered.candidates.items() if key > 0}
    known = [_start_candidate(gathered, key, said_on_branch) for key in (*memories, *questions)]
    most = line_count(budget_tokens) - len(lines)
    room = budget_tokens - _frame_tokens(has_critical=bool(questions or others)) - sum(map(_cost, lines))
    is_choice = len(known) > most or sum(one.token_count for one in known) > room
    recent = _recent_prompt_stems(connection, project_id, at) if is_choice else Counter[str]()
    chosen = set(choose_lines(known, recent, most, room))
    for key in questions:
        if key not in chosen:
            _drop_line(gathered, key)
    for key, one in memories.items():
        if key not in chosen:
            gathered.leave_out(key, NOT_NOW)
        elif one.placement is None:  # in words that can be read at once, or not at all
            level = _level_of(one)
            tier = Tier.BACKGROUND if one.tier is Tier.INDEX else one.tier
            reason = one.reason if one.tier is not Tier.INDEX else _CHOSEN
            gathered.candidates[key] = one._replace(texts={level: one.texts[level]}, tier=tier, reason=reason)
    gathered.topics, gathered.topic_of = {}, {}
    if last is not None and not any(goes_against(last.text, gathered.rows[key].full) for key in memories):
        gathered.add_line(last, is_fitting=False)


def _split_extras(gathered: CandidateSet) -> tuple[list[int], list[int]]:
    """Of the lines that are no memories the open contradictions, and the others, best first."""
    extras = sorted((key for key in gathered.candidates if key < 0), key=lambda key: -gathered.candidates[key].score)
    questions = [key for key in extras if gathered.candidates[key].rivals]
    return questions, [key for key in extras if not gathered.candidates[key].rivals]


def _drop_line(gathered: CandidateSet, key: int) -> None:
    del gathered.candidates[key]
    gathered.fitting.discard(key)


def _start_candidate(gathered: CandidateSet, key: int, said_on_branch: AbstractSet[int]) -> StartCandidate:
    """A memory, or a contradiction with what is known of its sides."""
    one = gathered.candidates[key]
    sides = [side for side in (one.rivals if key < 0 else (key,)) if side in gathered.rows]
    rows = [gathered.rows[side] for side in sides]
    text = one.texts[_level_of(one)]
    return StartCandidate(
        key,
        frozenset(split_stems(text if key < 0 else rows[0].full)),
        max((row.importance for row in rows), default=_USUAL_IMPORTANCE),
        max((row.recorded_at for row in rows), default=0),
        any(map(is_convention, rows)),
        one.is_pinned or one.placement is not None,
        one.score if key > 0 and key in gathered.fitting else 0.0,
        any(side in said_on_branch for side in sides),
        one.tokens[_level_of(one)] + _cost(f"- [{max(0, key)}]"),
    )


def _level_of(one: ContextCandidate) -> Level:
    """The level at which a start says it."""
    return Level.SUMMARY if one.tokens.get(Level.FULL, 0) > _LONG_TOKENS or Level.FULL not in one.texts else Level.FULL


def _cost(text: str) -> int:
    return count_tokens(f"{text}\n")


@cache
def _frame_tokens(*, has_critical: bool) -> int:
    headings = heading_costs(count_tokens)
    return frame_cost(count_tokens) + headings[Tier.BACKGROUND] + has_critical * headings[Tier.CRITICAL]


def _recent_prompt_stems(connection: Connection, project_id: int | None, now: int) -> Counter[str]:
    """Stems of the last prompts in the project."""
    typed = load_last_typed(connection, project_id, now, chars=_MESSAGE_CHARS, most=_MESSAGES_READ)
    return Counter(stem for text in typed for stem in split_stems(text))


def _last_time(connection: Connection, project_id: int | None, session: str, branch: str, now: int) -> ExtraLine | None:
    """What the project's last session did last and left open, in one line; an older session's would be said as if nothing had
    happened since. One on another branch is named with it."""
    for row in load_last_session(connection, project_id, session, now, _LOOKED_AT):
        number, is_there, is_kept, is_active, said = int(row[0]), row[2], row[3], row[4], (row[1], row[5], row[6])
        if not is_kept and is_there and (so_far := compose_so_far(connection, number)) is not None:
            said = (so_far.title, so_far.gist, so_far.next)
        elif not is_active:
            continue
        other = row[7] if branch and row[7] != branch else ""
        if text := last_time_line(*said, branch=other or ""):
            return ExtraLine(_LAST_KEYS - number, text, "what was done last in this project", (), Tier.BACKGROUND, 0.2)
    return None
