"""Which of a person's prompts names their conversation: what most of it was about, not what happened to come first.

A prompt is measured by how much of the other prompts and of the changed files its title shares; the first has a start. Chores
("commit and push"), answers, prompts that many conversations hold and mere announcements name nothing while anything else does.
Must not know the store or times. Source: issue 16 point 3; the central sentence of Radev et al. 2004 (MEAD). Rules: `rules/conversation/titles.yaml`.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from app.deciders.conversation.assistant_questions import is_answering
from app.deciders.conversation.authorship import titling_words
from app.deciders.conversation.boundary.markers import read_phrase
from app.deciders.conversation.boundary.terms import extract_terms
from app.deciders.conversation.title import (
    NO_TITLE,
    TitleRules,
    make_title,
    only_announces,
)
from app.resources import load_rules

_READ_CHARS = 700  # of a prompt that say what it is about
_FIRST_SHARE, _EARLY_SHARE, _EARLY = 0.35, 0.10, 3  # what it is worth to be the first, one of the first three
_QUESTION_COST = 0.10  # of a question by the way
_THIN_COST, _FEW_TERMS = 0.15, 2  # of a title of so few terms
_FILES_SHARE = 0.3
_COMMAND = re.compile(
    r"\s*(?:@(?:agent|workspace|terminal|vscode)\b|/[a-z][\w-]*(?:\s|\Z))|.{0,160}\bcommit message\b",
    re.IGNORECASE | re.DOTALL,
)
_FAULT = re.compile(r"\b\w*(?:Error|Exception)\b|\berror\b")
_FAULT_COST = 0.15  # an error that came up on the way
_FEW_OTHERS = 3
_LEANING_COST = 0.15  # of a prompt that leans on the one before it
_BARE_COST = 0.35  # of a title of one word (a pasted heading, a project's name), or of a line of output
_LETTERS = 0.8
_POINTS_BACK = re.compile(r".{0,80}\b(?:do|doing|did|done) (?:this|that|it|so|the same)\b", re.IGNORECASE | re.DOTALL)
_LEANING = re.compile(
    r"\W*(?:(?:ok|okay|great|good|perfect|thanks)[,.! ]+)*(?:also|and|but|still|even|this|that|it|they|no|yes|why|again|actually|instead|same|similar(?:ly)? to|now (?:the same|also)|in (?:this|that))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One prompt: the clause that would name it, its terms, those of the whole prompt, and the `name`: the clause's subject.

    `is_named` False: names nothing by itself.
    """

    title: str
    terms: frozenset[str]
    title_terms: frozenset[str]
    is_named: bool
    name: str = ""
    is_leaning: bool = False


def choose_title(
    prompts: Sequence[str],
    *,
    files: Sequence[str] = (),
    repeated: Collection[str] = (),
    rules: TitleRules | None = None,
) -> str:
    """The title of a conversation of these prompts, the oldest first; "" when none names anything.

    `files`: those changed meanwhile. `repeated`: prompts that stand in several other conversations, as a template or a hook types them.

    >>> prompts = ["take a screenshot", "the week view clips its last event", "still clips events in the week view", "commit and push"]
    >>> choose_title(prompts)
    'Week view clips its last event'
    """
    shipped = rules or TitleRules.shipped()
    distinct = list(dict.fromkeys(prompts))
    read = [_read(prompt, shipped) for prompt in distinct]
    own = [one for prompt, one in zip(distinct, read, strict=True) if one.is_named and prompt not in repeated]
    if not own:
        titles = [one.name for one in read if one.title]
        return next((title for title in titles if not only_announces(title, shipped)), titles[0] if titles else "")
    counts = Counter(term for one in own for term in one.title_terms)
    changed = Counter(term for file in files for term in extract_terms(_base(file), title_stop_words()))
    scores = [_share(one, own, counts, changed) + _worth(place, one) for place, one in enumerate(own)]
    return own[scores.index(max(scores))].name


def names_something(prompt: str, rules: TitleRules | None = None) -> bool:
    """Whether a prompt names what it is about: no answer, chore, go-ahead or mere announcement.

    >>> names_something("export the orders as CSV"), names_something("commit and push"), names_something("yes")
    (True, False, False)
    """
    return _read(prompt, rules or TitleRules.shipped()).is_named


def _share(one: _Reading, all_of: Sequence[_Reading], counts: Counter[str], changed: Counter[str]) -> float:
    """How much of the others a prompt's title shares, 0..1: its terms that others say, as a mean over the others."""
    others = len(all_of) - 1
    title_terms = sum(counts[term] - (term in one.title_terms) for term in one.terms) / others if others else 0.0
    in_files = sum(changed[term] for term in one.terms) / max(1, len(changed))
    sure = others / (others + _FEW_OTHERS)  # few prompts share words by chance
    return sure * min(1.0, title_terms / math.sqrt(max(1, len(one.terms)))) + _FILES_SHARE * min(1.0, in_files)


def _worth(place: int, one: _Reading) -> float:
    start = _FIRST_SHARE if place == 0 else _EARLY_SHARE if place < _EARLY else 0.0
    fault = _FAULT_COST * (place > 0 and _FAULT.search(one.title) is not None)
    return (
        start
        - fault
        - _QUESTION_COST * one.title.endswith("?")
        - (_BARE_COST if _is_bare(one) else _THIN_COST * (len(one.terms) <= _FEW_TERMS))
        - _LEANING_COST * one.is_leaning
    )


@lru_cache(maxsize=512)
def _read(prompt: str, rules: TitleRules) -> _Reading:
    words = titling_words(prompt)
    title = make_title(words, rules=rules, is_whole=True)
    if title == NO_TITLE:
        return _Reading("", frozenset(), frozenset(), is_named=False)
    terms = frozenset(extract_terms(title, title_stop_words()))
    is_step = not terms - rules.chore_terms or _COMMAND.match(words) is not None
    is_named = not (is_step or only_announces(title, rules) or is_answering(words))
    title_terms = frozenset(extract_terms(words[:_READ_CHARS], title_stop_words()))
    name = make_title(words, rules=rules)
    return _Reading(title, terms, title_terms, is_named, name, leans(words))


def _is_bare(one: _Reading) -> bool:
    letters = sum(sign.isalpha() or sign.isspace() for sign in one.title)
    return len(one.terms) <= 1 or letters < _LETTERS * len(one.title)


def leans(words: str) -> bool:
    """Whether a prompt goes on from the one before it: "also …", "same for the footer".

    >>> leans("also make it wider"), leans("make the form wider")
    (True, False)
    """
    return _LEANING.match(words) is not None or _POINTS_BACK.match(words) is not None


@cache
def title_stop_words() -> frozenset[str]:
    """Words that say nothing of what a title is about."""
    return frozenset(map(read_phrase, load_rules("boundary")["stop_words"]))


def _base(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
