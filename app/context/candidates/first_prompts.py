"""What the first prompts of a session are given beside what fits them closely: its start was short, and what the work needs comes now.

Reads the newest memories of the project, and what a search found, with where each was said; which of them have to do with the
prompt is `app.deciders.recall.session_start`'s. Source: issue 16 point 9, QUALITY A15.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

from app.context import sources
from app.context.candidate_set import CandidateSet
from app.context.candidates.moment import Moment
from app.deciders.recall.rules import load_recall_rules
from app.deciders.recall.session_start import PromptCandidate, choose_alike
from app.deciders.recall.statement_subject import subject_of
from app.language.search_words import split_stems
from app.retrieval.ranked_hits import rarity_of
from app.store.rows import context as rows
from app.store.search.memories import RankRow, load_rank_rows
from app.store.visibility import is_unconfirmed, may_be_given
from app.values import MemoryKind, Tier

_MOST, _MOST_AFTER_MUCH = 8, 6  # lines; fewer where the session was given much already
_MUCH = 5  # memories
_NEWEST_READ = 60
_PROMPT_CHARS, _SOURCE_CHARS = 1_800, 600
_SUBJECT_STEMS = 2  # with three the same on three streams, two lines worse on a fourth
_SCORE = 0.5  # what fits closely goes before
ALIKE = "said in a conversation about the same"


def add_alike(
    gathered: CandidateSet, moment: Moment, found: Iterable[int], passed_over: AbstractSet[int], half_life_days: float
) -> None:
    """`found`: by a search for the prompt; `passed_over`: the prompt says these itself."""
    if moment.project_id is None:
        return
    prompt = moment.signals.prompt[:_PROMPT_CHARS]
    name = PurePosixPath(moment.signals.project_path.replace("\\", "/")).name
    name_stems = frozenset(split_stems(name))
    said = frozenset(split_stems(prompt)) - load_recall_rules().talk_stems - name_stems
    ids = {*found, *rows.find_newest_facts(moment.connection, moment.project_id, _NEWEST_READ)}
    ids -= passed_over | moment.given_before | gathered.candidates.keys()
    most = _MOST_AFTER_MUCH if len(moment.given_before) >= _MUCH else _MOST
    most -= sum(key > 0 and gathered.rows[key].kind == MemoryKind.FACT for key in gathered.candidates)
    givable = {
        row.id: row
        for row in load_rank_rows(moment.connection, sorted(ids))
        if row.kind == MemoryKind.FACT
        and may_be_given(row, moment.project_id, moment.now, excluded=moment.excluded, takes_unconfirmed=True)
    }
    unconfirmed = {key for key, row in givable.items() if is_unconfirmed(row.status, row.trust)}
    known = _with_sources(moment, givable, unconfirmed, name_stems)
    alike = choose_alike(said, known, rarity_of, most) if said and most > 0 else {}
    unconfirmed &= alike.keys()
    topics = sources.find_topics(moment.connection, givable, unconfirmed) if unconfirmed else {}
    for key in alike:
        made = sources.candidate_of(givable[key], Tier.RELEVANT, _SCORE, moment.now, half_life_days, ALIKE)
        made = sources.as_unconfirmed(made, topics.get(key, "")) if key in unconfirmed else made
        gathered.add(givable[key], made, is_fitting=True)


def _with_sources(
    moment: Moment, givable: dict[int, RankRow], unconfirmed: AbstractSet[int], name_stems: frozenset[str]
) -> list[PromptCandidate]:
    """`name_stems`: of the project, which is no subject; what nobody confirmed is a sentence as typed and has none."""
    own = {key: set(split_stems(row.full)) for key, row in givable.items()}
    prompts: dict[int, list[frozenset[str]]] = {key: [] for key in givable}
    titles: dict[int, set[str]] = {key: set() for key in givable}
    for key, quote, title, prompt in rows.load_origins(moment.connection, givable, _SOURCE_CHARS):
        own[key].update(split_stems(quote))
        titles[key].update(split_stems(title))
        if prompt:
            prompts[key].append(frozenset(split_stems(prompt)))
    subjects = {
        key: subject_of(row.full, _SUBJECT_STEMS, name_stems) for key, row in givable.items() if key not in unconfirmed
    }
    return [
        PromptCandidate(key, own[key], prompts[key], titles[key], key in unconfirmed, subjects.get(key, frozenset()))
        for key in givable
    ]
