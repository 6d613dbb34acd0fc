"""Which memories the prompt of this very turn replaces or drops.

"We moved from X to Y" must not be answered with "we use X". Source: issue 4 "contradicting items never side by side as if both
held".
"""

from collections.abc import Iterable, Mapping

from app.deciders.memory.contradictions.compare import Statement, compare_statements
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.statements import guess_statement
from app.deciders.recall.ranking.relevance_gate import asks
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.language.sentences import cut_sentences
from app.store.rows.context import AnyCandidateRow
from app.values import FactCandidate, FactType, Slot

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
