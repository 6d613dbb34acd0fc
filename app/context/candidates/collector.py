"""Collects the candidates of one moment from every source, and has those left out that a context must not hold.

One reading snapshot and few statements. Chooses no tier's size, no level and no text: that is `app.context.assembly`'s. What may
be given is `app.store.visibility`'s. Source: S4 "Context Assembly Algorithm", DESIGN section 5 "assemble".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import starmap
from pathlib import PurePosixPath
from typing import NamedTuple

from sqlalchemy import Connection

from app.context import session_start, sources
from app.context.cache import ContextCache, Pending, ProjectBackground
from app.context.candidate_set import CandidateSet, FoundBy
from app.context.candidates.filtering import (
    MANY_HITS,
    SUPERSEDED_BY_PROMPT,
    apply_placements,
    find_superseded_by_prompt,
    is_unconfirmed_row,
    leave_out_delivered,
    leave_out_duplicates,
    leave_out_episodes,
    leave_out_irrelevant,
    leave_out_overruled,
)
from app.context.candidates.first_prompts import add_alike
from app.context.candidates.module_history import (
    add_module_history,
    add_said_while_changed,
    add_seen_errors,
    lift_open_matters,
)
from app.context.candidates.moment import ONLY_A_PROMPT, Moment
from app.context.candidates.practices import offer_practices
from app.context.candidates.text_hits import (
    TextSearch,
    apply_gate,
    find_relevant,
    load_givable_hits,
    merge_hits,
    search_texts,
)
from app.context.open_contradictions import load_contradictions
from app.context.prediction import Predict, find_new_file, inside
from app.context.recent_failures import list_failure_lines, load_recent_failures
from app.context.session_deliveries import SessionDeliveries
from app.deciders.conversation.episode import asks_for_past
from app.deciders.recall.context.activity import load_plain_branches
from app.deciders.recall.context.file_scope import concerns_file
from app.retrieval.episodes import asks_for_episodes, find_newest
from app.retrieval.recall import Recall
from app.settings import Settings
from app.store.rows import context as rows
from app.store.rows import work_history
from app.store.rows.context import AnyCandidateRow
from app.store.rows.project import find_project
from app.store.rows.work_history import find_branches_before, find_learned_on_branch
from app.store.store import Store
from app.store.visibility import load_excluded
from app.understanding.episodes.distil import find_written_by
from app.values import (
    Activity,
    ContextRequest,
    ContextSignals,
    Prediction,
    PredictionShare,
    PredictionSignal,
    Tier,
)

WRITTEN_BY_ITSELF = "this assistant wrote it down itself and already has it"
SAID_BY_PROMPT = "your message already says it"
_LINKED_FROM = 10  # the best hits whose links are followed
_LINK_SHARE, _FILE_SCORE, _PREDICTED_SCORE, _FOR_FILE_SCORE = 0.5, 0.8, 0.7, 0.6
_LEAST_WITH_PROMPT = 0.2  # of a prediction's confidence: of what is less sure one memory in eight is needed
_LEAST_WITH_PROMPT_ALONE = 0.5  # it is needed rather than not
_PROMPTS_BEFORE = 2  # of a session: a checkout since is still new
_MAX_OF_BRANCH, _BRANCH_SCORE = 5, 0.5
_FIRST_PROMPTS = 2  # of a session: its start gave little, and what the work needs comes now
_SIGNALS_SAID = 3
_SIGNAL_WORDS: Mapping[PredictionSignal, str] = {
    PredictionSignal.FILE: "the open file",
    PredictionSignal.CO_MODIFIED: "changed together",
    PredictionSignal.IMPORTS: "imports",
    PredictionSignal.NEARBY: "name and place",
    PredictionSignal.HABIT: "worked on often or recently",
    PredictionSignal.TASK: "words of the task",
    PredictionSignal.BRANCH: "the branch",
    PredictionSignal.ERROR: "a similar error",
    PredictionSignal.USE: "used recently",
    PredictionSignal.HOUR: "the time of day",
    PredictionSignal.COLLABORATOR: "who works with you",
}


class _Expected(NamedTuple):
    memory_id: int
    strength: float
    reason: str
    shares: Sequence[PredictionShare]

    @property
    def said(self) -> str:
        """Why it is expected; where several signals say so, how much each does."""
        parts = [f"{_SIGNAL_WORDS[one.signal]} {one.share:.0%}" for one in self.shares[:_SIGNALS_SAID]]
        return f"expected: {self.reason} ({', '.join(parts)})" if len(parts) > 1 else f"expected: {self.reason}"


class CandidateCollector:
    """Thread-safe."""

    def __init__(
        self, store: Store, recall: Recall, settings: Callable[[], Settings], predict: Predict | None = None
    ) -> None:
        self._predict = predict
        self._store = store
        self._recall = recall
        self._settings = settings
        self._cache = ContextCache(store)
        self._deliveries = SessionDeliveries(store)

    def collect(
        self, signals: ContextSignals, request: ContextRequest, at: datetime, activity: Activity | None = None
    ) -> CandidateSet:
        """The candidates; `signals` with its project's root, `activity` as detected from them."""
        gathered = CandidateSet(seq=self._store.last_seq)
        pending = self._cache.take()
        with self._store.read() as connection:
            self._cache.refresh(connection, pending)
            project_id = find_project(connection, signals.project_path)
            failures = load_recent_failures(connection, project_id, signals.project_path, at)
            is_first = request.delivery == ONLY_A_PROMPT and _is_first_prompt(connection, signals.session)
            given_before = (
                self._deliveries.find(connection, signals.app, signals.session).given.keys()
                if is_first
                else frozenset()
            )
            excluded = load_excluded(connection)
            moment = Moment(connection, signals, request, project_id, at, failures, is_first, excluded, given_before)
            searches = self._add_hits(gathered, moment)
            self._add_related(gathered, moment)
            if self._predict is not None:
                gathered.prediction = self._predict(connection, signals, project_id, at)
                self._add_predicted(gathered, _likely_enough(gathered.prediction, moment), moment)
            self._add_background(gathered, moment, pending)
            self._add_of_branch(gathered, moment)
            self._add_last_work(gathered, moment)
            offer_practices(
                gathered,
                connection,
                self._cache.practices(project_id),
                project_id=project_id,
                prompt=signals.prompt,
                file=inside(
                    signals.current_file or find_new_file(connection, signals, project_id), signals.project_path
                ),
                activity=activity,
                now=moment.now,
                half_life_days=self._settings().decay_half_life_days,
                is_start=request.delivery == session_start.DELIVERY,
            )
            _lift_for_file(gathered, inside(signals.current_file, signals.project_path))
            apply_placements(gathered, self._cache.placements)
            if moment.is_asked_for:
                self._choose_for_task(gathered, moment, searches)
            _keep_uncritical(gathered)
            leave_out_overruled(gathered, moment)
            if not asks_for_past(signals.prompt):
                leave_out_episodes(gathered, is_asked_for=moment.is_asked_for)
            for key in find_written_by(connection, signals.app, [key for key in gathered.candidates if key > 0]):
                gathered.leave_out(key, WRITTEN_BY_ITSELF)
            for key in find_superseded_by_prompt(signals.prompt, gathered.rows):
                if key in gathered.candidates:
                    gathered.leave_out(key, SUPERSEDED_BY_PROMPT)
            leave_out_duplicates(gathered)
            _add_extras(gathered, moment)
            if request.delivery == session_start.DELIVERY:
                session_start.shorten(
                    gathered,
                    connection,
                    project_id=project_id,
                    session=signals.session,
                    now=at,
                    budget_tokens=request.budget_tokens,
                    branch=moment.signals.branch or "",
                    said_on_branch=_said_on_branch(moment),
                )
            if request.signals.session and not request.is_repeating:
                leave_out_delivered(gathered, self._deliveries.find(connection, signals.app, signals.session))
        return gathered

    def _add_hits(self, gathered: CandidateSet, moment: Moment) -> list[TextSearch]:
        """Each hit with its shares of all searches, added up. What recall itself found not to fit comes only to whoever asks."""
        half_life, now = self._settings().decay_half_life_days, moment.now
        searches = search_texts(self._recall, moment, has_shared=self._cache.has_shared)
        retrieved = [
            apply_gate(search, moment)
            for search in searches
            if search.found.is_fitting or moment.is_asked_for or search.why or moment.is_first_prompt
        ]
        givable = load_givable_hits(moment, retrieved)
        stated = frozenset[int]().union(*[one.stated_by_prompt for one in retrieved])
        said = {key: givable[key] for key in stated & givable.keys()}
        given_up = set(find_superseded_by_prompt(moment.signals.prompt, said))
        gathered.out.update(
            {key: (row.title, SUPERSEDED_BY_PROMPT if key in given_up else SAID_BY_PROMPT) for key, row in said.items()}
        )
        unconfirmed = _unconfirmed(givable.values())
        topics = sources.find_topics(moment.connection, givable, unconfirmed) if unconfirmed else {}
        for key, merged in merge_hits(retrieved, givable.keys() - stated).items():
            tier = sources.tier_of_hit(givable[key], is_close=merged.is_close)
            made = sources.candidate_of(givable[key], tier, min(1.0, merged.score), now, half_life)
            made = made if key not in unconfirmed else sources.as_unconfirmed(made, topics.get(key, ""))
            gathered.add(givable[key], made, is_fitting=merged.is_named)
            gathered.reasons[key] = FoundBy(merged.strongest.why, merged.strongest.found, merged.others)
        if moment.is_first_prompt:
            found = {key for search in searches if not search.why for key in search.found.ranked}
            add_alike(gathered, moment, found, stated, half_life)
        return searches

    def _choose_for_task(self, gathered: CandidateSet, moment: Moment, searches: Sequence[TextSearch]) -> None:
        """For whoever asks: what was done before in the module comes, and what is not relevant to a task goes."""
        if not moment.has_task:
            self._add_history(gathered, moment)
            return
        project_size = len(gathered.topic_of.keys() | {key for key in gathered.rows if key > 0})
        relevant = find_relevant(searches, gathered.rows, moment, project_size)
        gathered.relevant, gathered.relevant_episodes = relevant
        self._add_history(gathered, moment)
        leave_out_irrelevant(gathered, moment)

    def _add_related(self, gathered: CandidateSet, moment: Moment) -> None:
        """What is about the open file, and what is linked with the best hits; a link alone is no reason to give it unasked."""
        half_life = self._settings().decay_half_life_days
        connection, signals, now = moment.connection, moment.signals, moment.now
        scores = dict.fromkeys(rows.find_about_files(connection, file_forms(signals)), _FILE_SCORE)
        if not moment.is_only_a_prompt:
            best = sorted(gathered.candidates.values(), key=lambda one: (-one.score, one.key))[:_LINKED_FROM]
            for key, strength in rows.find_linked(connection, [one.key for one in best]).items():
                scores.setdefault(key, _LINK_SHARE * strength)
        new = [key for key in scores if key not in gathered.candidates or scores[key] == _FILE_SCORE]
        for key, row in rows.load_givable_rows(connection, new, moment.project_id, now).items() if new else ():
            is_of_file = scores[key] == _FILE_SCORE
            reason = f"about {signals.current_file}" if is_of_file else "linked with what fits"
            tier = sources.tier_of_hit(row, is_close=is_of_file)
            made = sources.candidate_of(row, tier, scores[key], now, half_life, reason)
            if gathered.add(row, made, is_fitting=is_of_file):
                gathered.reasons.pop(key, None)

    def _add_predicted(self, gathered: CandidateSet, expected: Sequence[_Expected], moment: Moment) -> None:
        """What is expected stands with what is related; it alone does not make a context fit."""
        half_life, now = self._settings().decay_half_life_days, moment.now
        new = [one.memory_id for one in expected if one.memory_id not in gathered.candidates]
        givable = rows.load_givable_rows(moment.connection, new, moment.project_id, now) if new else {}
        for one in expected:
            row = givable.get(one.memory_id)
            if row is not None:
                score = _PREDICTED_SCORE * one.strength
                made = sources.candidate_of(row, Tier.RELEVANT, score, now, half_life, one.said)
                gathered.add(row, made, is_fitting=False)

    def _add_last_work(self, gathered: CandidateSet, moment: Moment) -> None:
        """The newest episodes, for a prompt that asks what was done last or what is left."""
        if moment.project_id is None or not asks_for_episodes(moment.signals.prompt):
            return
        newest = find_newest(moment.connection, [moment.project_id], moment.at)
        givable = rows.load_givable_rows(moment.connection, newest, moment.project_id, moment.now)
        half_life = self._settings().decay_half_life_days
        for key in givable.keys() & set(newest):
            made = sources.candidate_of(givable[key], Tier.RELEVANT, 1.0, moment.now, half_life, "what was done last")
            if gathered.add(givable[key], made, is_fitting=True):
                gathered.reasons.pop(key, None)

    def _add_history(self, gathered: CandidateSet, moment: Moment) -> None:
        """What was done in the module at hand, and what is not settled."""
        signals, connection, project_id = moment.signals, moment.connection, moment.project_id
        file = inside(signals.current_file, signals.project_path)
        half_life = self._settings().decay_half_life_days
        add_said_while_changed(gathered, moment, half_life)
        add_seen_errors(gathered, moment, half_life)
        add_module_history(
            gathered, connection, project_id=project_id, file=file, now=moment.now, half_life_days=half_life
        )
        lift_open_matters(
            gathered,
            connection,
            project_id=project_id,
            file=file,
            branch=signals.branch,
            said_on_branch=_said_on_branch(moment),
            now=moment.now,
        )

    def _add_of_branch(self, gathered: CandidateSet, moment: Moment) -> None:
        """With the first prompts after a checkout what was said on that branch: the session began on another."""
        if not moment.is_only_a_prompt or not _was_elsewhere(moment):
            return
        half_life, now = self._settings().decay_half_life_days, moment.now
        givable = rows.load_givable_rows(moment.connection, _said_on_branch(moment), moment.project_id, now)
        best = sorted(givable.values(), key=lambda row: (-row.importance, -row.id))[:_MAX_OF_BRANCH]
        for row in best:
            made = sources.candidate_of(
                row, Tier.RELEVANT, _BRANCH_SCORE, now, half_life, f"said on the branch {moment.signals.branch}"
            )
            if gathered.add(row, made, is_fitting=True):
                gathered.reasons.pop(row.id, None)

    def _add_background(self, gathered: CandidateSet, moment: Moment, pending: Pending) -> None:
        connection, project_id, now = moment.connection, moment.project_id, moment.now
        found: ProjectBackground = self._cache.background(connection, project_id, pending, now)
        others = found.few if len(gathered.candidates) >= MANY_HITS else found.candidates
        others = others if not (moment.is_only_a_prompt or project_id in moment.excluded) else {}
        pinned = [key for key in self._cache.pinned if key not in gathered.candidates and key not in others]
        for row in rows.load_givable_rows(connection, pinned, project_id, now).values() if pinned else ():
            gathered.add(row, sources.background_candidate(row), is_fitting=False)
        for key, candidate in others.items():
            row = found.rows[key]
            if key not in gathered.candidates and (row.valid_to is None or row.valid_to > now):
                gathered.add(row, candidate, is_fitting=False)
        if others:
            gathered.topics, gathered.topic_of = found.topics, found.topic_of


def _likely_enough(prediction: Prediction, moment: Moment) -> list[_Expected]:
    """The memories that are expected, best first; unasked only those that are likely."""
    least = 0.0 if moment.is_asked_for else _LEAST_WITH_PROMPT
    least = _LEAST_WITH_PROMPT_ALONE if moment.is_only_a_prompt else least
    each = zip(
        prediction.memory_ids,
        prediction.strengths,
        prediction.reason_of_each,
        prediction.shares_of_each,
        strict=True,
    )
    return [one for one in starmap(_Expected, each) if one.strength >= least]


def _said_on_branch(moment: Moment) -> set[int]:
    """Nothing for a branch on which all work comes together."""
    branch = moment.signals.branch
    is_plain = not branch or branch.lower() in load_plain_branches()
    return set() if is_plain else find_learned_on_branch(moment.connection, moment.project_id, branch)


def _was_elsewhere(moment: Moment) -> bool:
    """Whether one of the last prompts of this session, the present one may be among them, was typed on another branch."""
    signals = moment.signals
    if not signals.session or not signals.branch:
        return False
    before = find_branches_before(moment.connection, signals.session, _PROMPTS_BEFORE)
    return any(branch != signals.branch for branch in before)


def _is_first_prompt(connection: Connection, session: str) -> bool:
    return bool(session) and work_history.count_prompts(connection, session, _FIRST_PROMPTS + 1) <= _FIRST_PROMPTS


def _unconfirmed(givable: Iterable[AnyCandidateRow]) -> set[int]:
    return {row.id for row in givable if is_unconfirmed_row(row)}


def _keep_uncritical(gathered: CandidateSet) -> None:
    """Whatever a person chose for it: what nobody confirmed is not critical."""
    for key, one in gathered.candidates.items():
        if one.tier is Tier.CRITICAL and key in gathered.rows and is_unconfirmed_row(gathered.rows[key]):
            gathered.candidates[key] = one._replace(tier=Tier.RELEVANT)


def _lift_for_file(gathered: CandidateSet, file: str) -> None:
    """Decisions and constraints that hold for the open file stand with what is critical."""
    if not file:
        return
    for key, one in gathered.candidates.items():
        row = gathered.rows[key]
        if (
            one.tier is Tier.CRITICAL
            or not sources.may_be_critical(row)
            or is_unconfirmed_row(row)
            or not concerns_file(row.full, file)
        ):
            continue
        gathered.candidates[key] = one._replace(
            tier=Tier.CRITICAL, score=max(one.score, _FOR_FILE_SCORE), reason=f"holds for {file}"
        )
        gathered.fitting.add(key)
        gathered.reasons.pop(key, None)


def _add_extras(gathered: CandidateSet, moment: Moment) -> None:
    """Open questions and commands that failed; with a prompt alone those that have to do with it."""
    connection, project_id, is_strict = moment.connection, moment.project_id, moment.is_only_a_prompt
    for contradiction in load_contradictions(connection, gathered.candidates, project_id, moment.now):
        question = sources.as_extra_line(contradiction)
        is_related = any(key in gathered.fitting for key in question.hides)
        if is_related or not is_strict:
            gathered.add_line(question, is_fitting=is_related)
        for key in question.hides:  # given as one question, not as two facts
            gathered.candidates.pop(key, None)
            gathered.fitting.discard(key)
    for line, is_related in list_failure_lines(moment.failures, moment.signals):
        if is_related or not is_strict:
            gathered.add_line(line, is_fitting=is_related)


def file_forms(signals: ContextSignals) -> Sequence[str]:
    """The file as it may be written down: whole, inside the project, its name."""
    path = signals.current_file.replace("\\", "/")
    if not path:
        return ()
    inside = path.removeprefix(signals.project_path.rstrip("/") + "/") if signals.project_path else path
    return tuple(dict.fromkeys((path, inside, PurePosixPath(path).name)))
