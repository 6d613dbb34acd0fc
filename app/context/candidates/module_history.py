"""What was done before in the module at hand, for a context that somebody asks for.

Earlier episodes that changed the file, failures there with what solved them, and what is still open: questions, blockers, known
issues. Source: S4 tiers, issue 17.
"""

from collections.abc import Collection
from pathlib import PurePosixPath

from sqlalchemy import Connection

from app.context import sources
from app.context.candidate_set import NAMED_BY_FILE, CandidateSet
from app.context.candidates.moment import Moment
from app.context.prediction import inside
from app.deciders.memory.open_matters import OpenMatter, find_open_matter
from app.deciders.recall.context.file_scope import concerns_file, recognisable_part
from app.store.rows import context as rows
from app.store.rows.episode import find_of_module, find_solved
from app.values import MemoryKind, Tier, Trust

_EPISODE_SCORE, _EPISODE_OF_FILE_SCORE, _SOLVED_SCORE = 0.35, 0.45, 0.6
_MATTER_SCORE, _MATTER_ELSEWHERE_SCORE = 0.7, 0.4
_SAID_SCORE, _FILES_OF_TURN, _MAX_SAID = 0.5, 3, 6
_SEEN_SCORE, _MAX_SEEN = 0.6, 3
SEEN_BEFORE = "this error was seen then"
_MAX_EPISODES, _MAX_SOLVED = 8, 3
_SOLVED_KEYS = -1_500_000_000  # minus the number of the episode and its moment's place
_FACT, _SPOKEN = MemoryKind.FACT.value, Trust.SPOKEN.value  # asked of every candidate
_RELATED = frozenset({Tier.CRITICAL, Tier.RELEVANT})
_MATTER_WORDS = {
    OpenMatter.QUESTION: "an open question",
    OpenMatter.BLOCKER: "a blocker",
    OpenMatter.ISSUE: "a known issue",
}


def add_said_while_changed(gathered: CandidateSet, moment: Moment, half_life_days: float) -> None:
    """What was said in a prompt after which the open file was changed, and hardly another: its name may stand nowhere in it."""
    signals, project_id = moment.signals, moment.project_id
    if project_id is None or not signals.current_file:
        return
    file = inside(signals.current_file, signals.project_path)
    forms = list(dict.fromkeys((signals.current_file, file, str(PurePosixPath(signals.project_path) / file))))
    found = rows.find_said_while_changed(moment.connection, project_id, forms, _FILES_OF_TURN, _MAX_SAID)
    reason = f"said when {PurePosixPath(file).name} was changed"
    _add_relevant(gathered, moment, found, _SAID_SCORE, half_life_days, reason)


def add_seen_errors(gathered: CandidateSet, moment: Moment, half_life_days: float) -> None:
    """What was done when a prompt held the same error, and what was said in that prompt."""
    if moment.project_id is None:
        return
    for error in moment.errors:
        part = recognisable_part(error)
        if part:
            found = rows.find_seen_with(moment.connection, moment.project_id, part, _MAX_SEEN)
            _add_relevant(gathered, moment, found, _SEEN_SCORE, half_life_days, SEEN_BEFORE)


def _add_relevant(
    gathered: CandidateSet, moment: Moment, ids: Collection[int], score: float, half_life_days: float, reason: str
) -> None:
    """What stands among the candidates keeps its place there."""
    new = [key for key in ids if key not in gathered.candidates and key not in gathered.out]
    givable = rows.load_givable_rows(moment.connection, new, moment.project_id, moment.now, has_withheld=False)
    for key in ids:
        if key in givable:
            made = sources.candidate_of(givable[key], Tier.RELEVANT, score, moment.now, half_life_days, reason)
            gathered.add(givable[key], made, is_fitting=True)
        elif key in gathered.candidates:
            one = gathered.candidates[key]
            if one.score < score and one.placement is None and one.tier not in _RELATED:
                gathered.candidates[key] = one._replace(tier=Tier.RELEVANT, score=score, reason=reason)
                gathered.reasons.pop(key, None)
            gathered.fitting.add(key)
        else:
            continue
        gathered.relevant.add(key)


def add_module_history(
    gathered: CandidateSet,
    connection: Connection,
    *,
    project_id: int | None,
    file: str,
    now: int,
    half_life_days: float,
) -> None:
    """Episodes that changed the file, or one beside it, stand in the background; how its failures were solved with what is related."""
    folder = str(PurePosixPath(file).parent) if file else ""
    if project_id is None or not file:
        return
    found = find_of_module(connection, project_id, file, "" if folder == "." else folder, _MAX_EPISODES)
    givable = rows.load_givable_rows(connection, found, project_id, now, has_withheld=False)
    listed = [key for key in found if key in givable]
    gathered.relevant.update(gathered.relevant_episodes & set(listed))
    for key in listed:
        name = file if found[key] else folder
        score = _EPISODE_OF_FILE_SCORE if found[key] else _EPISODE_SCORE
        if key in gathered.candidates:
            reason = gathered.reasons.get(key)
            if reason is None or reason.why != NAMED_BY_FILE or reason.others:
                continue  # it fits the task besides: it stands with what is related
            gathered.reasons.pop(key)
            gathered.candidates.pop(key)
            gathered.fitting.discard(key)
        made = sources.candidate_of(givable[key], Tier.BACKGROUND, score, now, half_life_days, f"history of {name}")
        gathered.add(givable[key], made, is_fitting=False)
    _add_solved(gathered, connection, [key for key in found if found[key] and key in givable], file)


def _add_solved(gathered: CandidateSet, connection: Connection, episode_ids: Collection[int], file: str) -> None:
    """Failures that were seen while the file was changed, each with what solved it."""
    lines: set[str] = set()
    for episode_id, place, failure, fix in find_solved(connection, episode_ids):
        text = f"Earlier failure around {PurePosixPath(file).name}: {failure.rstrip('.')}. Solved by {fix}."
        if failure.lower() in lines or len(lines) == _MAX_SOLVED:
            continue
        lines.add(failure.lower())
        key = _SOLVED_KEYS - 100 * episode_id - place
        extra = sources.ExtraLine(
            key, text, f"failed before while {file} was changed", tier=Tier.RELEVANT, score=_SOLVED_SCORE
        )
        gathered.add_line(extra, is_fitting=True)


def lift_open_matters(
    gathered: CandidateSet,
    connection: Connection,
    *,
    project_id: int | None,
    file: str,
    branch: str,
    said_on_branch: Collection[int],
    now: int,
) -> None:
    """What is not settled is critical for its branch or file, related anywhere else; until it is closed or put away."""
    missing = [key for key in said_on_branch if key not in gathered.candidates]
    others = rows.load_givable_rows(connection, missing, project_id, now, has_withheld=False) if missing else {}
    for said in others.values():
        if _matter_of(said) is not None:
            gathered.add(said, sources.background_candidate(said), is_fitting=False)
    path = PurePosixPath(file)
    own, name = f"{path.parent.name}/{path.name}" if path.parent.name else path.name, path.name.lower()
    for key, one in list(gathered.candidates.items()):
        row = gathered.rows.get(key)
        if row is None:
            continue
        is_here = key in said_on_branch or (
            bool(file) and (name in row.full.lower() or concerns_file(row.full, own))  # its folder, or its language
        )
        if not is_here and one.tier in _RELATED:  # it stands there anyway; most hits, and sooner seen than their matter
            continue
        matter = _matter_of(row)
        tier = Tier.CRITICAL if is_here and row.trust >= Trust.SPOKEN else Tier.RELEVANT
        if matter is None or (tier is Tier.RELEVANT and one.tier in _RELATED):
            continue
        where = f"on the branch {branch}" if key in said_on_branch else f"of {file}" if is_here else "of the project"
        least = _MATTER_SCORE if tier is Tier.CRITICAL else _MATTER_ELSEWHERE_SCORE
        reason = f"{_MATTER_WORDS[matter]} {where}"
        gathered.candidates[key] = one._replace(tier=tier, score=max(one.score, least), reason=reason)
        gathered.reasons.pop(key, None)
        if tier is Tier.CRITICAL:
            gathered.fitting.add(key)


def _matter_of(row: rows.AnyCandidateRow) -> OpenMatter | None:
    """Of statements that the person made or took over only."""
    is_said = row.kind == _FACT and row.trust >= _SPOKEN
    return find_open_matter(row.full) if is_said else None
