"""What may be given at a moment: hits for the prompt, the file, the errors; what is linked; conventions; open questions.

One reading snapshot, few statements. Decides no allocation and renders nothing; the walls are those of
`context_sources`.

What the look-ups of one context found, put together: each hit with what it is worth among the hits of its look-up,
added up.

What a context that is asked for tells of what was done before: the history of the module at hand, earlier failures
with their fix, and what is not settled.

Workflows and code patterns at the moment that asks for them: what a prompt or a new file triggers stands with what
is related, in full; the hints of the others stay in the background, those that fit the activity first.

What the message of this very turn gives up: "we moved from X to Y" must not be answered with "we use X".

Source: S4 "Context Assembly Algorithm", DESIGN section 5 "assemble"; S4 "Context Assembly Algorithm", QUALITY A11;
S4 tiers, issue 17; S4 "get_workflow_hints", issue 18; issue 4 "contradicting items never side by side as if both
held".
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from itertools import starmap
from pathlib import PurePosixPath
from typing import NamedTuple

from sqlalchemy import Connection

from app.context import session_start, sources
from app.context.cache import ContextCache, Pending, ProjectBackground
from app.context.candidate_set import (
    LIKE_AN_ERROR,
    NAMED_BY_FILE,
    CandidateSet,
    FoundBy,
    leave_out_delivered,
    leave_out_duplicates,
)
from app.context.open_contradictions import find_overruled, load_contradictions
from app.context.prediction import Predict, find_new_file, inside
from app.context.recent_failures import RecentFailures, list_failure_lines, load_recent_failures
from app.context.session_deliveries import SessionDeliveries
from app.deciders.conversation.episode import asks_for_past, tells_only_files
from app.deciders.learning.code_shapes import load_shape_rules
from app.deciders.learning.commands import load_command_rules
from app.deciders.memory.contradictions.compare import Statement, compare_statements
from app.deciders.memory.open_matters import OpenMatter, find_open_matter
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.statements import guess_statement
from app.deciders.recall.context import chosen_placement
from app.deciders.recall.context.activity import load_plain_branches
from app.deciders.recall.context.file_scope import concerns_file, names_file, names_of
from app.deciders.recall.ranking.relevance_gate import asks
from app.deciders.recall.rules import load_recall_rules
from app.deciders.recall.triggers import asks_for
from app.language.search_words import split_stems
from app.language.sentences import cut_sentences
from app.language.token_counts import count_tokens
from app.retrieval.episodes import asks_for_episodes, find_newest
from app.retrieval.ranked_hits import RankedHits
from app.retrieval.recall import Recall
from app.settings import Settings
from app.store.rows import context as rows
from app.store.rows import work_history
from app.store.rows.context import AnyCandidateRow
from app.store.rows.episode import find_of_module, find_solved
from app.store.rows.practice import Offered
from app.store.rows.work_history import find_branches_before, find_said_on
from app.store.search.memories import RankRow
from app.store.store import Store
from app.store.tables.types import to_microseconds
from app.store.visibility import is_unconfirmed, load_excluded, may_be_given
from app.understanding.episodes.distil import find_written_by
from app.values import (
    Activity,
    ContextRequest,
    ContextSignals,
    FactCandidate,
    FactType,
    Level,
    MemoryFilter,
    MemoryKind,
    Placement,
    Prediction,
    PredictionShare,
    PredictionSignal,
    Slot,
    Tier,
    Trust,
)

SUPERSEDED_BY_PROMPT = "the message says that this holds no longer"
_SENTENCES_READ, _SENTENCE_CHARS = 4, 400


def find_superseded_by_prompt(message: str, givable: Mapping[int, AnyCandidateRow]) -> list[int]:
    """Numbers of those memories that `message` says to be replaced or dropped; what it asks it does not say."""
    valued = {key: row for key, row in givable.items() if row.slot_key and row.value and not row.is_negated}
    if not valued or load_recall_rules().change_stems.isdisjoint(split_stems(message)):
        return []
    said = [_statement_of(one) for one in _changes(message, {row.value.casefold() for row in valued.values()})]
    return [key for key, row in valued.items() if any(_supersedes(one, row) for one in said)]


def _changes(message: str, values: Iterable[str]) -> list[FactCandidate]:
    stems = load_recall_rules().change_stems
    sentences = [one for one in cut_sentences(message) if one and len(one) <= _SENTENCE_CHARS and not asks(one)]
    naming = (one for one in sentences if any(value in one.casefold() for value in values))
    changing = [one for one in naming if not stems.isdisjoint(split_stems(one))]
    return [guess_statement(one) for one in changing[:_SENTENCES_READ]]


def _supersedes(said: Statement, row: AnyCandidateRow) -> bool:
    held = Statement(row.full, Slot("", row.key), row.value, bool(row.is_negated), FactType(row.type or "fact"))
    relation = compare_statements(held, said, load_memory_rules()).relation
    return relation == "replace" or (relation == "contradict" and said.is_negated)


def _statement_of(one: FactCandidate) -> Statement:
    return Statement(one.text, one.slot, one.value, one.is_negated, one.type, one.replaces)


_TRIGGERED_SCORE, _OF_ACTIVITY_SCORE = 0.75, 0.45
_OFFERED_MOST = 3
_STEPS_OF: Mapping[Activity, frozenset[str]] = {
    Activity.DEBUGGING: frozenset({"test", "start", "restart", "screenshot", "build", "e2e"}),
    Activity.TESTING: frozenset({"test", "e2e"}),
    Activity.REVIEWING: frozenset({"lint", "typecheck", "format", "pull request", "test"}),
    Activity.FEATURE: frozenset({"commit", "push", "pull request", "migrate", "generate"}),
}
NOT_AT_START = "a workflow or pattern comes when its trigger shows"


def offer_practices(
    gathered: CandidateSet,
    connection: Connection,
    offered: Sequence[Offered],
    *,
    project_id: int | None,
    prompt: str,
    file: str,
    activity: Activity | None,
    now: int,
    half_life_days: float,
    is_start: bool,
) -> None:
    """Lifts what is triggered; at a session start leaves out the rest."""
    if not offered:
        return
    wanted = [one for one in offered if _is_asked_for(one, prompt) or _is_beside(one, file)][:_OFFERED_MOST]
    givable = rows.load_givable_rows(connection, [int(one.id) for one in wanted], project_id, now) if wanted else {}
    for one in wanted:
        row = givable.get(int(one.id))
        if row is None:
            continue
        made = sources.candidate_of(row, Tier.RELEVANT, _TRIGGERED_SCORE, now, half_life_days, _why(one, file))
        texts: dict[Level, str] = {level: text for level, text in made.texts.items() if level is not Level.INDEX}
        if gathered.add(row, made._replace(texts=texts), is_fitting=True):
            gathered.reasons.pop(row.id, None)
    for one in offered:
        key = int(one.id)
        if key in givable or key not in gathered.candidates or key in gathered.fitting:
            continue
        if is_start:
            gathered.leave_out(key, NOT_AT_START)
        elif activity is not None and _fits(one, activity):
            made = gathered.candidates[key]
            reason = f"a workflow for {activity.value}"
            gathered.candidates[key] = made._replace(score=max(made.score, _OF_ACTIVITY_SCORE), reason=reason)


def _trigger(one: Offered) -> str:
    return str(one.details.get("trigger") or one.title)


def _is_asked_for(one: Offered, prompt: str) -> bool:
    is_workflow = one.kind == MemoryKind.WORKFLOW.value
    asked_by = load_command_rules().asked_by if is_workflow else load_shape_rules().asked_by
    return bool(prompt) and asks_for(prompt, _trigger(one), asked_by)


def _is_beside(one: Offered, file: str) -> bool:
    """Whether the open file, perhaps a new one, lies where this is done."""
    if not file or one.kind != MemoryKind.PATTERN.value:
        return False
    path = PurePosixPath(file)
    examples = [PurePosixPath(str(said).rsplit(":", 1)[0]) for said in one.details.get("examples") or ()]
    return any(other.parent == path.parent and other.suffix == path.suffix for other in examples)


def _why(one: Offered, file: str) -> str:
    details = one.details
    what = "workflow" if one.kind == MemoryKind.WORKFLOW.value else "code pattern"
    times = int(details.get("times") or 0)
    seen = f", seen {times} times" if times else ""
    is_beside = _is_beside(one, file)
    return f"it is done so beside {file}{seen}" if is_beside else f"you ask for it: a {what} ({_trigger(one)}){seen}"


def _fits(one: Offered, activity: Activity) -> bool:
    steps: Sequence[str] = one.details.get("steps") or ()
    return one.kind == MemoryKind.WORKFLOW.value and bool(_STEPS_OF.get(activity, frozenset()).intersection(steps))


_HISTORY_SCORE, _HISTORY_OF_FILE = 0.35, 0.45
_MATTER_SCORE, _MATTER_OPEN_SCORE = 0.7, 0.4
_HISTORY_MOST, _SOLVED_MOST = 8, 3
_SOLVED_KEYS = -1_500_000_000  # minus the number of the episode and its moment's place
_SOLVED_SCORE = 0.6
_MATTER_WORDS = {
    OpenMatter.QUESTION: "an open question",
    OpenMatter.BLOCKER: "a blocker",
    OpenMatter.ISSUE: "a known issue",
}


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
    found = find_of_module(connection, project_id, file, "" if folder == "." else folder, _HISTORY_MOST)
    givable = rows.load_givable_rows(connection, found, project_id, now, has_withheld=False)
    listed = [key for key in found if key in givable]
    gathered.relevant.update(gathered.relevant_episodes & set(listed))
    for key in listed:
        name = file if found[key] else folder
        score = _HISTORY_OF_FILE if found[key] else _HISTORY_SCORE
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
        if failure.lower() in lines or len(lines) == _SOLVED_MOST:
            continue
        lines.add(failure.lower())
        key = _SOLVED_KEYS - 100 * episode_id - place
        extra = sources.ExtraLine(
            key, text, f"failed before while {file} was changed", tier=Tier.RELEVANT, score=_SOLVED_SCORE
        )
        gathered.fitting.add(extra.key)
        gathered.candidates[extra.key] = sources.extra_candidate(extra, count_tokens(extra.text))
        gathered.extras[extra.key] = extra.text


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
    for key, one in list(gathered.candidates.items()):
        row = gathered.rows.get(key)
        matter = _matter_of(row) if row is not None else None
        if row is None or matter is None:
            continue
        is_here = key in said_on_branch or _names(row.full, file)
        where = f"on the branch {branch}" if key in said_on_branch else f"of {file}" if is_here else "of the project"
        tier = Tier.CRITICAL if is_here and row.trust >= Trust.SPOKEN else Tier.RELEVANT
        if tier is Tier.RELEVANT and one.tier in {Tier.CRITICAL, Tier.RELEVANT}:
            continue
        least = _MATTER_SCORE if tier is Tier.CRITICAL else _MATTER_OPEN_SCORE
        reason = f"{_MATTER_WORDS[matter]} {where}"
        gathered.candidates[key] = one._replace(tier=tier, score=max(one.score, least), reason=reason)
        gathered.reasons.pop(key, None)
        if tier is Tier.CRITICAL:
            gathered.fitting.add(key)


def _matter_of(row: rows.AnyCandidateRow) -> OpenMatter | None:
    """Of statements that the person made or took over only."""
    is_said = row.kind == MemoryKind.FACT.value and row.trust >= Trust.SPOKEN
    return find_open_matter(row.full) if is_said else None


def _names(text: str, file: str) -> bool:
    """Whether the text is about the open file: names it, the folder it lies in, or its language."""
    path = PurePosixPath(file)
    own = f"{path.parent.name}/{path.name}" if path.parent.name else path.name
    return bool(file) and (path.name.lower() in text.lower() or concerns_file(text, own))


_BEST_LEAST, _NEAREST_LEAST = 0.5, 0.3  # what the best of the hits is worth, and of those judged not to be meant
_CLOSE_SHARE = 0.4  # of the best score; a decision that fits less is not about this task


class TextHits(NamedTuple):
    """What was found for one text; `named`: the hits that say something of it, the others only stand beside one that does."""

    found: RankedHits
    why: str
    named: AbstractSet[int]
    stated_by_prompt: AbstractSet[int] = frozenset()  # hits that the prompt says itself, when nobody asked

    def shares(self) -> Iterator[tuple[int, float, bool]]:
        """Each hit, what it is worth, and whether it is close to the best.

        The best is worth its score, and not less than a bound: a long prompt is covered by no memory.
        """
        ranked = self.found.ranked
        best = max([one.score for one in ranked.values()], default=0.0)
        weight = max(min(1.0, best), _BEST_LEAST) if self.found.is_fitting else _NEAREST_LEAST
        factor, close = weight / best if best else 0.0, _CLOSE_SHARE * best
        return ((key, one.score * factor, one.score >= close) for key, one in ranked.items())


class MergedHit(NamedTuple):
    """A hit of several look-ups."""

    score: float
    largest: float
    is_named: bool
    is_close: bool
    strongest: TextHits  # what gave most of it
    others: tuple[str, ...] = ()  # why it was looked for besides

    def merged_with(self, other: "MergedHit") -> "MergedHit":
        is_named, is_close = self.is_named or other.is_named, self.is_close or other.is_close
        first, second = (self, other) if self.largest >= other.largest else (other, self)
        besides = [why for why in (second.strongest.why, *self.others) if why != first.strongest.why]
        others = tuple(dict.fromkeys(besides))
        return MergedHit(self.score + other.score, first.largest, is_named, is_close, first.strongest, others)


def merge_hits(retrieved: Iterable[TextHits], keys: AbstractSet[int]) -> dict[int, MergedHit]:
    """Each of `keys` with all that it was found by."""
    merged: dict[int, MergedHit] = {}
    for one in retrieved:
        for key, share, is_near_best in one.shares():
            if key in keys:
                is_named = key in one.named
                new = MergedHit(share, share, is_named, is_named and is_near_best, one)
                known = merged.get(key)
                merged[key] = new if known is None else known.merged_with(new)
    return merged


_HITS_LEAST, _TOKENS_PER_HIT = 64, 25
_HITS_UNASKED = 80  # the next 120 bring a quarter more lines and one in a hundred of what is needed
_HITS_ASKED_FOR = 240  # 200 leave 7 % of 8,000 tokens empty where there is more to say
_SHARED_HITS, _FILE_HITS, _ERROR_HITS = 20, 15, 10
_ERRORS_LOOKED_UP, _ERROR_CHARS = 3, 400
_MANY_HITS = 60  # beside these the rest of the project is not needed to fill a budget
_LINKED_FROM = 10  # the best hits whose links are followed
_LINK_SHARE, _FILE_SCORE = 0.5, 0.8
_PREDICTED_SCORE = 0.7
_EXPECTED_LEAST = 0.2  # along with a prompt: of what is less sure one in eight is needed
_SURELY_EXPECTED = 0.5  # of what a prompt alone is told: it is needed rather than not
_FOR_FILE_SCORE = 0.6
_PATH_PART, _PATH_PARTS = re.compile(r"[^/_.\s]+"), 12
_PROMPTS_BEFORE = 2  # of a session: a checkout since is still new
_BRANCH_MOST, _BRANCH_SCORE = 5, 0.5
_FIRST_PROMPTS = 2  # of a session: the start said little, and what bears on the work comes now
_FIRST_HITS, _FIRST_HITS_AFTER_MUCH = 6, 4  # for such a prompt; fewer where the start said much already
_MUCH = 5  # memories
_FIRST_SHARE, _FIRST_SHARE_AFTER_MUCH = 0.2, 0.4  # of the best score
_WORTH_WEIGHT = 2.0  # what it is worth counts beside how well it fits, for such a prompt
_LEAST_WORDS_IN_DOUBT = 2  # of the prompt, where recall would rather be silent: a long prompt is covered by no memory
_USUAL_IMPORTANCE = 0.5
_UNASKED = ("hook:", "turn")  # who asked for nothing gets nothing that does not fit
NOT_ASKED = "nobody asked what was done before"
IRRELEVANT = "it hardly bears on this task"
WRITTEN_BY_ITSELF = "this assistant wrote it down itself and has it"
SAID_BY_PROMPT = "your message already says it"
_FEW = 20  # memories: so little is told whole; and where very many bear on it, they fill the budget
_STRICTER, _STRICTER_BY_NAME = 0.05, 0.15  # than for what is given unasked; a file's name is few words
_PATH_WORDS = "src lib app index main"  # say nothing of a file
_SIGNALS_SAID = 3
_SIGNAL_WORDS: Mapping[PredictionSignal, str] = {
    PredictionSignal.FILE: "the file at hand",
    PredictionSignal.CO_MODIFIED: "changed together",
    PredictionSignal.IMPORTS: "imports",
    PredictionSignal.NEARBY: "name and place",
    PredictionSignal.HABIT: "worked on often or lately",
    PredictionSignal.TASK: "words of the task",
    PredictionSignal.BRANCH: "the branch",
    PredictionSignal.ERROR: "an error like it",
    PredictionSignal.HOUR: "the hour",
    PredictionSignal.COLLABORATOR: "who works along",
}
_ONLY_A_PROMPT = "hook:prompt"  # what holds in the whole project was told when the session began


class _Moment(NamedTuple):
    """What is asked, for which project, when, and the snapshot it is answered from."""

    connection: Connection
    signals: ContextSignals
    request: ContextRequest
    project_id: int | None
    at: datetime
    failures: RecentFailures
    is_first_prompt: bool
    excluded: frozenset[int]  # projects
    given_before: AbstractSet[int] = frozenset()  # what this session was told before such a prompt

    @property
    def errors(self) -> Sequence[str]:
        """Those that were given; of a hook, which gives none, those of what failed last."""
        given = self.signals.recent_errors[:_ERRORS_LOOKED_UP]
        return given or (() if self.is_asked_for else self.failures.errors)

    @property
    def now(self) -> int:
        """Microseconds."""
        return to_microseconds(self.at)

    @property
    def is_asked_for(self) -> bool:
        return not self.request.delivery.startswith(_UNASKED)

    @property
    def has_task(self) -> bool:
        """Whether whoever asks says what for."""
        signals = self.signals
        return self.is_asked_for and bool(signals.prompt.strip() or signals.current_file or self.errors)

    @property
    def takes_unconfirmed(self) -> bool:
        """Whoever asks, and the prompts that a session begins with; never the start itself (S7)."""
        return self.is_asked_for or self.is_first_prompt

    @property
    def is_only_a_prompt(self) -> bool:
        return self.request.delivery == _ONLY_A_PROMPT


class _Expected(NamedTuple):
    memory_id: int
    confidence: float
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
        """The candidates; `signals` with its project's root, `activity` as it was told by them."""
        gathered = CandidateSet(seq=self._store.last_seq)
        pending = self._cache.take()
        with self._store.read() as connection:
            self._cache.refresh(connection, pending)
            project_id = work_history.find_project(connection, signals.project_path)
            failures = load_recent_failures(connection, project_id, signals.project_path, at)
            is_first = request.delivery == _ONLY_A_PROMPT and _is_first_prompt(connection, signals.session)
            given_before = (
                self._deliveries.find(connection, signals.app, signals.session).given.keys()
                if is_first
                else frozenset()
            )
            excluded = load_excluded(connection)
            moment = _Moment(connection, signals, request, project_id, at, failures, is_first, excluded, given_before)
            self._add_hits(gathered, moment)
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
            _place(gathered, self._cache.placements)
            if moment.is_asked_for:
                self._add_history(gathered, moment)
            if moment.has_task:
                _leave_out_irrelevant(gathered, moment)
            _keep_uncritical(gathered)
            _leave_out_overruled(gathered, moment)
            if not asks_for_past(signals.prompt):
                _leave_out_episodes(gathered, is_asked_for=moment.is_asked_for)
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

    def _add_hits(self, gathered: CandidateSet, moment: _Moment) -> None:
        """Each with its shares of what was found for the prompt, the file and the errors, added up.

        What recall judged not to be meant comes only to whom asks for a context.
        """
        half_life = self._settings().decay_half_life_days
        is_asked_for, now = moment.is_asked_for, moment.now
        found_for = self._retrieve(moment)
        retrieved = [
            _gate(found, why, text, moment)
            for found, why, text in found_for
            if found.is_fitting or is_asked_for or why or moment.is_first_prompt
        ]
        givable = _load_givable(moment, retrieved)
        stated_by_prompt = frozenset[int]().union(*[one.stated_by_prompt for one in retrieved])
        gathered.out.update({key: (givable[key].title, SAID_BY_PROMPT) for key in stated_by_prompt & givable.keys()})
        unconfirmed = _unconfirmed(givable.values())
        for key, merged in merge_hits(retrieved, givable.keys() - stated_by_prompt).items():
            tier = sources.tier_of_hit(givable[key], is_close=merged.is_close)
            made = sources.candidate_of(givable[key], tier, min(1.0, merged.score), now, half_life)
            made = made if key not in unconfirmed else sources.as_unconfirmed(made)
            gathered.add(givable[key], made, is_fitting=merged.is_named)
            gathered.reasons[key] = FoundBy(merged.strongest.why, merged.strongest.found, merged.others)
        if moment.has_task:
            _mark_relevant(gathered, found_for, moment)

    def _retrieve(self, moment: _Moment) -> list[tuple[RankedHits, str, str]]:
        """For the prompt, the file and the errors, each with why and by what words; the branch is the prediction's."""
        signals, is_wide = moment.signals, moment.takes_unconfirmed
        shared = MemoryFilter(is_shared=True, includes_unconfirmed=is_wide)
        own = replace(shared, projects=(signals.project_path,), is_shared=None) if signals.project_path else shared
        asked: list[tuple[str, MemoryFilter, int, str]] = []
        if signals.prompt.strip():
            most = _HITS_ASKED_FOR if moment.is_asked_for else _HITS_UNASKED
            limit = min(most, max(_HITS_LEAST, moment.request.budget_tokens // _TOKENS_PER_HIT))
            asked.append((signals.prompt, own, limit, ""))
            if signals.project_path and self._cache.has_shared:
                asked.append((signals.prompt, shared, _SHARED_HITS, ""))
        if signals.current_file:
            words = _file_words(inside(signals.current_file, signals.project_path))
            asked.append((words, own, _FILE_HITS, NAMED_BY_FILE))
        asked.extend(
            (error.split("\n", 1)[0][:_ERROR_CHARS], own, _ERROR_HITS, LIKE_AN_ERROR) for error in moment.errors
        )
        return [
            (
                self._recall.retrieve(moment.connection, text, filters, limit, is_literal=bool(why), has_rows=True),
                why,
                text,
            )
            for text, filters, limit, why in asked
        ]

    def _add_related(self, gathered: CandidateSet, moment: _Moment) -> None:
        """What is about the open file, and what is linked with the best; a link alone is no reason to tell unasked."""
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

    def _add_predicted(self, gathered: CandidateSet, expected: Sequence[_Expected], moment: _Moment) -> None:
        """What is expected stands with what is related; it alone does not make a context fit."""
        half_life, now = self._settings().decay_half_life_days, moment.now
        new = [one.memory_id for one in expected if one.memory_id not in gathered.candidates]
        givable = rows.load_givable_rows(moment.connection, new, moment.project_id, now) if new else {}
        for one in expected:
            row = givable.get(one.memory_id)
            if row is not None:
                score = _PREDICTED_SCORE * one.confidence
                made = sources.candidate_of(row, Tier.RELEVANT, score, now, half_life, one.said)
                gathered.add(row, made, is_fitting=False)

    def _add_last_work(self, gathered: CandidateSet, moment: _Moment) -> None:
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

    def _add_history(self, gathered: CandidateSet, moment: _Moment) -> None:
        """What was done in the module at hand, and what is not settled."""
        signals, connection, project_id = moment.signals, moment.connection, moment.project_id
        file = inside(signals.current_file, signals.project_path)
        half_life = self._settings().decay_half_life_days
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

    def _add_of_branch(self, gathered: CandidateSet, moment: _Moment) -> None:
        """With the first prompts after a checkout what was said on that branch: the session began on another."""
        if not moment.is_only_a_prompt or not _was_elsewhere(moment):
            return
        half_life, now = self._settings().decay_half_life_days, moment.now
        givable = rows.load_givable_rows(moment.connection, _said_on_branch(moment), moment.project_id, now)
        best = sorted(givable.values(), key=lambda row: (-row.importance, -row.id))[:_BRANCH_MOST]
        for row in best:
            made = sources.candidate_of(
                row, Tier.RELEVANT, _BRANCH_SCORE, now, half_life, f"said on the branch {moment.signals.branch}"
            )
            if gathered.add(row, made, is_fitting=True):
                gathered.reasons.pop(row.id, None)

    def _add_background(self, gathered: CandidateSet, moment: _Moment, pending: Pending) -> None:
        connection, project_id, now = moment.connection, moment.project_id, moment.now
        found: ProjectBackground = self._cache.background(connection, project_id, pending, now)
        others = found.few if len(gathered.candidates) >= _MANY_HITS else found.candidates
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


def _likely_enough(prediction: Prediction, moment: _Moment) -> list[_Expected]:
    """The memories that are expected, best first; unasked only those that are likely."""
    least = 0.0 if moment.is_asked_for else _EXPECTED_LEAST
    least = _SURELY_EXPECTED if moment.is_only_a_prompt else least
    each = zip(
        prediction.memory_ids,
        prediction.confidences,
        prediction.reason_of_each,
        prediction.shares_of_each,
        strict=True,
    )
    return [one for one in starmap(_Expected, each) if one.confidence >= least]


def _gate(found: RankedHits, why: str, text: str, moment: _Moment) -> TextHits:
    if not moment.is_asked_for:
        ignored_stems = frozenset(split_stems(PurePosixPath(moment.signals.project_path.replace("\\", "/")).name))
        fitting, stated_by_prompt = found.judge(text, ignored_stems)
        if not found.is_fitting and not why:
            fitting = set[int]()
        if moment.is_first_prompt and not why:
            fitting |= _loosely_fitting(
                found, ignored_stems, stated_by_prompt | moment.given_before, len(moment.given_before)
            )
        return (
            TextHits(found, why, fitting | stated_by_prompt) if why else TextHits(found, why, fitting, stated_by_prompt)
        )
    if not found.is_fitting:
        return TextHits(found, why, frozenset())
    return TextHits(found, why, {key for key, one in found.ranked.items() if one.found})


def _loosely_fitting(
    found: RankedHits, ignored_stems: frozenset[str], passed_over: AbstractSet[int], had_count: int
) -> set[int]:
    """What a prompt that begins a session is given though it fits loosely: little was said of the project yet."""
    content = {at for at, one in enumerate(found.pool.query_terms) if one.stem not in ignored_stems}
    best = max((one.score for one in found.ranked.values()), default=0.0)
    words = 1 if found.is_fitting else _LEAST_WORDS_IN_DOUBT
    is_much = had_count >= _MUCH
    least = best * (_FIRST_SHARE_AFTER_MUCH if is_much else _FIRST_SHARE)
    near = [
        (one.score / best + _WORTH_WEIGHT * _importance(found, key), key)
        for key, one in found.ranked.items()
        if key not in passed_over and len(content & one.found.keys()) >= words and one.score >= least > 0
    ]
    most = _FIRST_HITS_AFTER_MUCH if is_much else _FIRST_HITS
    return {key for _, key in sorted(near, key=lambda pair: (-pair[0], pair[1]))[:most]}


def _importance(found: RankedHits, key: int) -> float:
    row = found.pool.rows_by_id.get(key)
    return row.importance if row is not None else _USUAL_IMPORTANCE


def _said_on_branch(moment: _Moment) -> set[int]:
    """Nothing for a branch on which all work comes together."""
    branch = moment.signals.branch
    is_plain = not branch or branch.lower() in load_plain_branches()
    return set() if is_plain else find_said_on(moment.connection, moment.project_id, branch)


def _was_elsewhere(moment: _Moment) -> bool:
    """Whether one of the last prompts of this session, the present one may be among them, was typed on another branch."""
    signals = moment.signals
    if not signals.session or not signals.branch:
        return False
    before = find_branches_before(moment.connection, signals.session, _PROMPTS_BEFORE)
    return any(branch != signals.branch for branch in before)


def _is_first_prompt(connection: Connection, session: str) -> bool:
    return bool(session) and work_history.count_prompts(connection, session, _FIRST_PROMPTS + 1) <= _FIRST_PROMPTS


def _load_givable(moment: _Moment, retrieved: Sequence[TextHits]) -> dict[int, AnyCandidateRow]:
    """Those of the hits that may be given; read are only those that were not read whole to be ranked."""
    is_asked_for, project_id, now = moment.is_asked_for, moment.project_id, moment.now
    givable: dict[int, AnyCandidateRow] = {}
    others: set[int] = set()
    for found, _, named, stated_by_prompt in retrieved:
        rows_by_id = found.pool.rows_by_id
        for key in found.ranked if is_asked_for else named | stated_by_prompt:
            row = rows_by_id.get(key)
            if row is None:
                others.add(key)
            elif may_be_given(
                row, project_id, now, excluded=moment.excluded, takes_unconfirmed=moment.takes_unconfirmed
            ):
                givable[key] = row
    others -= givable.keys()
    if others:
        givable.update(rows.load_givable_rows(moment.connection, sorted(others), project_id, now))
    return givable


def _is_unconfirmed(row: AnyCandidateRow) -> bool:
    return isinstance(row, RankRow) and is_unconfirmed(row.status, row.trust)


def _unconfirmed(givable: Iterable[AnyCandidateRow]) -> set[int]:
    return {row.id for row in givable if _is_unconfirmed(row)}


def _keep_uncritical(gathered: CandidateSet) -> None:
    """Whatever a person chose for it: what nobody confirmed is not critical."""
    for key in _unconfirmed(gathered.rows.values()) & gathered.candidates.keys():
        one = gathered.candidates[key]
        if one.tier is Tier.CRITICAL:
            gathered.candidates[key] = one._replace(tier=Tier.RELEVANT)


def _lift_for_file(gathered: CandidateSet, file: str) -> None:
    """Decisions and constraints that hold for the open file stand with what is critical."""
    if not file:
        return
    for key, one in gathered.candidates.items():
        row = gathered.rows[key]
        if (
            one.tier is Tier.CRITICAL
            or _is_unconfirmed(row)
            or not sources.may_be_critical(row)
            or not concerns_file(row.full, file)
        ):
            continue
        gathered.candidates[key] = one._replace(
            tier=Tier.CRITICAL, score=max(one.score, _FOR_FILE_SCORE), reason=f"holds for {file}"
        )
        gathered.fitting.add(key)
        gathered.reasons.pop(key, None)


def _place(gathered: CandidateSet, placements: Mapping[int, Placement]) -> None:
    for key in gathered.candidates.keys() & placements.keys():
        if placements[key].is_withheld:
            gathered.withheld.add(key)
            gathered.leave_out(key, chosen_placement.NEVER_GIVEN)
            continue
        gathered.candidates[key] = chosen_placement.place(gathered.candidates[key], placements[key])


def _leave_out_episodes(gathered: CandidateSet, *, is_asked_for: bool) -> None:
    """What was done before is told to who asks for it; that files were changed, only to who asks for just that."""
    for key in [key for key in gathered.candidates if key > 0 and gathered.rows[key].kind == MemoryKind.EPISODE]:
        if not is_asked_for or tells_only_files(gathered.rows[key].full):
            gathered.leave_out(key, NOT_ASKED)


def _leave_out_irrelevant(gathered: CandidateSet, moment: _Moment) -> None:
    """For a task: what bears on it and what names its file; what holds in the whole project was told when the session began."""
    memories = {key: one for key, one in gathered.candidates.items() if key > 0}
    if len(memories) <= _FEW or len(gathered.relevant) >= _MANY_HITS:
        return
    file = inside(moment.signals.current_file, moment.signals.project_path)
    for key, one in memories.items():
        row = gathered.rows[key]
        names_it = row.kind != MemoryKind.EPISODE and names_file(row.full, file)
        if not (key in gathered.relevant or names_it or one.is_pinned or one.placement is not None):
            gathered.leave_out(key, IRRELEVANT)


def _mark_relevant(gathered: CandidateSet, retrieved: Iterable[tuple[RankedHits, str, str]], moment: _Moment) -> None:
    """Hits that share more with what was looked for than it takes to be given unasked; what was done before apart."""
    name = PurePosixPath(moment.signals.project_path.replace("\\", "/")).name
    suffix = PurePosixPath(moment.signals.current_file).suffix.lstrip(".")
    ignored_stems = frozenset(split_stems(f"{name} {suffix} {_PATH_WORDS}")) | load_recall_rules().talk_stems
    in_errors = frozenset[str]().union(*(names_of(error) for error in moment.errors))
    for found, why, text in retrieved:
        if not found.is_fitting:
            continue
        stricter = _STRICTER_BY_NAME if why == NAMED_BY_FILE else 0.0 if not why and asks(text) else _STRICTER
        fitting, _ = found.judge("" if why else text, ignored_stems, stricter)  # a file and an error ask nothing
        rows_by_id = found.pool.rows_by_id
        if why == LIKE_AN_ERROR:  # words alone ("status", "test") are shared with half the project
            fitting = {key for key in fitting if key in gathered.rows and names_of(gathered.rows[key].full) & in_errors}
        before = {key for key in fitting if key in rows_by_id and rows_by_id[key].kind == MemoryKind.EPISODE}
        gathered.relevant |= fitting - before
        gathered.relevant_episodes |= before
    if asks_for_past(moment.signals.prompt):
        gathered.relevant |= gathered.relevant_episodes


def _leave_out_overruled(gathered: CandidateSet, moment: _Moment) -> None:
    for key, reason in find_overruled(moment.connection, gathered.rows, moment.project_id, moment.now).items():
        if key in gathered.candidates:
            gathered.leave_out(key, reason)


def _add_extras(gathered: CandidateSet, moment: _Moment) -> None:
    """Open questions and commands that failed; with a prompt alone those that have to do with it."""
    connection, project_id, is_strict = moment.connection, moment.project_id, moment.is_only_a_prompt
    for contradiction in load_contradictions(connection, gathered.candidates, project_id, moment.now):
        question = sources.as_extra_line(contradiction)
        is_related = any(key in gathered.fitting for key in question.hides)
        if is_related or not is_strict:
            _add_extra(gathered, question, is_related=is_related)
        for key in question.hides:  # told as the question that they are, not as two facts
            gathered.candidates.pop(key, None)
            gathered.fitting.discard(key)
    for line, is_related in list_failure_lines(moment.failures, moment.signals):
        if is_related or not is_strict:
            _add_extra(gathered, line, is_related=is_related)


def _add_extra(gathered: CandidateSet, extra: sources.ExtraLine, *, is_related: bool) -> None:
    if is_related:
        gathered.fitting.add(extra.key)
    gathered.candidates[extra.key] = sources.extra_candidate(extra, count_tokens(extra.text))
    gathered.extras[extra.key] = extra.text


def _file_words(path: str) -> str:
    """What the parts of a path are called."""
    return " ".join(_PATH_PART.findall(path.replace("\\", "/"))[-_PATH_PARTS:])


def file_forms(signals: ContextSignals) -> Sequence[str]:
    """The file as it may be written down: whole, inside the project, its name."""
    path = signals.current_file.replace("\\", "/")
    if not path:
        return ()
    inside = path.removeprefix(signals.project_path.rstrip("/") + "/") if signals.project_path else path
    return tuple(dict.fromkeys((path, inside, PurePosixPath(path).name)))
