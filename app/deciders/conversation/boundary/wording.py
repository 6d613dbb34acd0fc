"""How a message is worded, as numbers: does it open a subject, or answer and lean on what stands before it?

Owns the observations on the text alone; must not know times, entities or weights. All are 0..1.
Source: S1, Explicit Markers; the classes of words come from reading real sessions and chats.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.deciders.conversation.boundary.markers import Cues, speech_head, split_words
from app.language.sentences import cut_sentences

_HEADING = re.compile(r"(?:\A\s*|\n\s*\n)#{1,4} [A-Z][^\n]*(?:\n\s*\n|\n- |\Z)")
_SHORT_WORDS = 12
_GO_AHEAD_WORDS = 6
_BRIEF_WORDS = 7
_FULL_LENGTH_CHARS = 600


@dataclass(frozen=True, slots=True)
class BoundaryLexicon:
    """The words that observations look for."""

    cues: Cues
    stop_words: frozenset[str]
    fields: Mapping[str, frozenset[str]]  # stem -> the fields of talk that it belongs to
    generic: frozenset[str] = frozenset()  # stems that any two messages of one trade share

    def fields_of(self, terms: Iterable[str]) -> frozenset[str]:
        """The fields of talk that `terms` belong to."""
        return frozenset(name for term in terms for name in self.fields.get(term, ()))


@dataclass(frozen=True, slots=True)
class Wording:
    """Observations by name, and the words that explain the telling ones to people."""

    values: Mapping[str, float]
    texts: Mapping[str, str]


def observe_wording(text: str, lexicon: BoundaryLexicon) -> Wording:
    """What the words of `text` alone say.

    >>> lexicon = BoundaryLexicon(Cues.compile({"reply": ["no"]}), frozenset(), {})
    >>> observe_wording("No, the other file", lexicon).texts
    {'reply': 'starts with "no"'}
    """
    head = speech_head(text)
    tokens = split_words(head)
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    _observe_first_words(head, tokens, lexicon.cues, values, texts)
    _observe_questions(head, lexicon.cues, values)
    address = lexicon.cues.phrases("address")
    values["address"] = min(1.0, sum(token in address for token in tokens[:60]) / 3)
    values["length"] = min(1.0, math.log1p(len(text.strip())) / math.log(_FULL_LENGTH_CHARS))
    values["lines"] = min(1.0, text[:4000].count("\n") / 10)
    values["sentence"] = min(1.0, len(split_words(cut_sentences(head)[0])) / _SHORT_WORDS)
    values["brief"] = float(len(tokens) <= _BRIEF_WORDS)
    if _HEADING.search(text[:_FULL_LENGTH_CHARS]):
        values["heading"] = 1.0
        texts["heading"] = "a prepared text with headings"
    return Wording({name: value for name, value in values.items() if value}, texts)


def _observe_first_words(
    head: str, tokens: Sequence[str], cues: Cues, values: dict[str, float], texts: dict[str, str]
) -> None:
    spoken = cues.after("acknowledgement", head)
    for name, phrase in (
        ("reply", cues.match("acknowledgement", head) or cues.match("reply", spoken)),
        ("opening", cues.match("opening", spoken)),
    ):
        if phrase:
            values[name] = 1.0
            texts[name] = f'starts with "{" ".join(phrase.lower().split())}"'
    if is_go_ahead(tokens, cues):
        values["reply"] = 1.0
        texts["reply"] = "a short reply"


def is_go_ahead(tokens: Sequence[str], cues: Cues) -> bool:
    """Whether a message only answers: "yes, go ahead", "2", "option 1 and 3", "fix #4".

    >>> cues = Cues.compile({"go_ahead": ["yes", "proceed", "option"]})
    >>> is_go_ahead(("yes", "option", "2"), cues), is_go_ahead(("yes", "build", "a", "parser"), cues)
    (True, False)
    """
    if not 0 < len(tokens) <= _GO_AHEAD_WORDS:
        return False
    phrases = cues.phrases("go_ahead", "acknowledgement")
    place = 0
    while place < len(tokens):
        if tokens[place].lstrip("#").isdigit():
            place += 1
            continue
        step = next((n for n in (3, 2, 1) if " ".join(tokens[place : place + n]) in phrases), 0)
        if not step:
            return False
        place += step
    return True


def _observe_questions(head: str, cues: Cues, values: dict[str, float]) -> None:
    """Whether it ends with a question, and whether one opens a subject ("do you…")."""
    sentences = [sentence for sentence in cut_sentences(head) if sentence.strip(" .!?,;")]
    asked = [sentence for sentence in sentences if sentence.rstrip().endswith("?")]
    values["question"] = float(bool(asked) and asked[-1] == sentences[-1])
    values["probe_question"] = float(
        any(cues.match("probe", cues.after("acknowledgement", sentence)) for sentence in asked)
    )
