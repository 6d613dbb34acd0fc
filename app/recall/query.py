"""Reads a query as a person types it: words, quoted phrases, a beginning still being typed.

Knows no index and no ranking. Source: issue 3 "Recall", UX 4.4.
"""

import re
from dataclasses import dataclass

from app.recall.rules import RecallRules, load_recall_rules
from app.recall.words import find_runs

_QUOTED = re.compile(r"[\"“„]([^\"“”„]+)[\"”“]")
_STARRED = re.compile(r"(\w{2,})\*")


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One written word of the query. `stems`: the whole first, then its parts."""

    text: str
    stems: tuple[str, ...]
    is_stop: bool
    is_name: bool  # capital letter inside a sentence


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    text: str
    words: tuple[QueryWord, ...]
    phrases: tuple[tuple[str, ...], ...] = ()  # stems of what stood in quotes: all must be there, side by side
    prefixes: tuple[str, ...] = ()  # lower-case beginnings: "kube*"

    @property
    def content(self) -> tuple[QueryWord, ...]:
        """The words that are looked for: all but stop words, unless there is nothing else."""
        return tuple(word for word in self.words if not word.is_stop) or self.words

    @property
    def stems(self) -> tuple[str, ...]:
        """Stems of `content`, each once, in order."""
        return tuple(dict.fromkeys(stem for word in self.content for stem in word.stems))


def parse_query(text: str, rules: RecallRules | None = None) -> ParsedQuery:
    """What is looked for.

    >>> query = parse_query('who owns "release notes" for kube*')
    >>> query.stems, query.phrases, query.prefixes
    (('own', 'releas', 'note', 'kube'), (('releas', 'note'),), ('kube',))
    """
    rules = rules or load_recall_rules()
    phrases = tuple(tuple(run.stems[0] for run in find_runs(found)) for found in _QUOTED.findall(text))
    words = []
    for run in find_runs(text):
        written = text[run.start : run.end]
        is_name = written[0].isupper() and run.start > 0
        words.append(QueryWord(written, run.stems, run.words[0] in rules.stop_words, is_name))
    return ParsedQuery(
        text=text,
        words=tuple(words),
        phrases=tuple(phrase for phrase in phrases if len(phrase) > 1),
        prefixes=tuple(found.lower() for found in _STARRED.findall(text)),
    )
