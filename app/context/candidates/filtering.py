"""Which candidates leave a context again, and why: each is named in the receipt with the reason.

Withheld by the person, irrelevant to the task, an episode that nobody asked for, overruled by the project's own word or by the
prompt of this very turn, written by this very assistant, said twice, or given in this session already.

Source: S4 "why in / why out", issue 4.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from app.context.candidate_set import CandidateSet
from app.context.candidates.moment import Moment
from app.context.candidates.text_hits import FEW
from app.context.open_contradictions import find_overruled
from app.context.prediction import inside
from app.context.session_deliveries import Deliveries
from app.deciders.conversation.episode import asks_for_past, tells_only_files
from app.deciders.memory.contradictions.compare import Statement, compare_statements
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.sketch import Sketch, is_within, list_names, make_sketch
from app.deciders.memory.statements.statements import guess_statement
from app.deciders.recall.context import chosen_placement
from app.deciders.recall.context.file_scope import names_file
from app.deciders.recall.ranking.relevance_gate import asks
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.language.sentences import cut_sentences
from app.store.rows.context import AnyCandidateRow
from app.store.search.memories import RankRow
from app.store.visibility import is_unconfirmed
from app.values import FactCandidate, FactType, Level, MemoryKind, Placement, Slot, Tier

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


NOT_ASKED = "nobody asked what was done before"
IRRELEVANT = "it has little to do with this task"
SAID_BY_ANOTHER = "another memory here says it too"
MANY_HITS = 60  # they fill the budget: nothing else is needed
_MAX_COMPARED = 60  # the best: what stands far behind seldom comes in
_SKETCHES_KEPT = 4_096


def apply_placements(gathered: CandidateSet, placements: Mapping[int, Placement]) -> None:
    for key in gathered.candidates.keys() & placements.keys():
        if placements[key].is_withheld:
            gathered.withheld.add(key)
            gathered.leave_out(key, chosen_placement.NEVER_GIVEN)
            continue
        gathered.candidates[key] = chosen_placement.place(gathered.candidates[key], placements[key])


def leave_out_episodes(gathered: CandidateSet, *, is_asked_for: bool) -> None:
    """Episodes are given to whoever asks; those that only list changed files, to whoever asks for just that."""
    for key in [key for key in gathered.candidates if key > 0 and gathered.rows[key].kind == MemoryKind.EPISODE]:
        if not is_asked_for or tells_only_files(gathered.rows[key].full):
            gathered.leave_out(key, NOT_ASKED)


def leave_out_irrelevant(gathered: CandidateSet, moment: Moment) -> None:
    """For a task, all but what is relevant to it or names its file: the session's start gave what holds in the whole project.

    Of few memories all that are sure stay; what nobody confirmed, and what was done before where neither a file nor the prompt asks
    for it, has to be relevant among few, too.
    """
    memories = {key: one for key, one in gathered.candidates.items() if key > 0}
    if len(gathered.relevant) >= MANY_HITS:
        return
    file = inside(moment.signals.current_file, moment.signals.project_path)
    relevant = gathered.relevant
    if len(memories) <= FEW:
        relevant = relevant | gathered.relevant_episodes
        takes_history = bool(file) or asks_for_past(moment.signals.prompt)
        is_sure = {
            key: not is_unconfirmed_row(row) and (takes_history or row.kind != MemoryKind.EPISODE)
            for key, row in gathered.rows.items()
        }
        memories = {key: one for key, one in memories.items() if not is_sure[key]}
    for key, one in memories.items():
        row = gathered.rows[key]
        names_it = row.kind != MemoryKind.EPISODE and names_file(row.full, file)
        if not (key in relevant or names_it or one.is_pinned or one.placement is not None):
            gathered.leave_out(key, IRRELEVANT)


def is_unconfirmed_row(row: AnyCandidateRow) -> bool:
    """Whether nobody confirmed it: only rows that were read to be ranked may be such."""
    return isinstance(row, RankRow) and is_unconfirmed(row.status, row.trust)


def leave_out_overruled(gathered: CandidateSet, moment: Moment) -> None:
    for key, reason in find_overruled(moment.connection, gathered.rows, moment.project_id, moment.now).items():
        if key in gathered.candidates:
            gathered.leave_out(key, reason)


def leave_out_duplicates(gathered: CandidateSet) -> None:
    """Of memories that say one thing in two wordings the one that says more, or is trusted more."""
    best = sorted((key for key in gathered.candidates if key > 0), key=lambda key: -gathered.candidates[key].score)
    texts = {key: gathered.rows[key].full for key in best[:_MAX_COMPARED]}
    sketches = {key: _sketch(texts[key]) for key in _find_comparable(texts)}
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for key, sketch in sketches.items():
        for stem in sketch.stems:
            holders[stem].append(key)
    for key, sketch in sketches.items():
        one = gathered.candidates[key]
        if one.is_pinned or one.placement is not None:
            continue
        trust = gathered.rows[key].trust
        for other in min((holders[stem] for stem in sketch.stems), key=len, default=()):  # who says it holds each stem
            is_there = other != key and other in gathered.candidates and gathered.rows[other].trust >= trust
            if is_there and is_within(sketch, sketches[other]):
                gathered.leave_out(key, SAID_BY_ANOTHER)
                break


def _find_comparable(texts: Mapping[int, str]) -> list[int]:
    """Those that may say what another says, and those that may be said: all names and numbers of the one stand in the other."""
    names = {key: frozenset(list_names(text)) for key, text in texts.items()}
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for key, held in names.items():
        for name in held:
            holders[name].add(key)
    comparable: set[int] = set()
    for held in names.values():
        others = set.intersection(*[holders[name] for name in held]) if held else set(names)
        if len(others) > 1:
            comparable |= others
    return [key for key in texts if key in comparable]


@lru_cache(maxsize=_SKETCHES_KEPT)
def _sketch(text: str) -> Sketch:
    return make_sketch(text, load_memory_rules())


def leave_out_delivered(gathered: CandidateSet, deliveries: Deliveries) -> None:
    gathered.lines_given = deliveries.lines
    for key in gathered.candidates.keys() & gathered.rows.keys() & (deliveries.given.keys() | deliveries.named.keys()):
        revision, one = gathered.rows[key].revision, gathered.candidates[key]
        if deliveries.given.get(key) == revision:
            gathered.leave_out(key, "given in this session already")
        elif deliveries.named.get(key) == revision:
            if one.tier is Tier.INDEX:
                gathered.leave_out(key, "named in this session already")
            else:  # its words may come, its line to ask by not again
                texts: dict[Level, str] = {level: text for level, text in one.texts.items() if level is not Level.INDEX}
                gathered.candidates[key] = one._replace(texts=texts)
    for key in [key for key in gathered.candidates if key < 0 and gathered.extras[key] in deliveries.lines]:
        del gathered.candidates[key]
        gathered.fitting.discard(key)
