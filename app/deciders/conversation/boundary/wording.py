"""How a message is worded, as numbers: does it open a subject, or answer and lean on what stands before it?

Owns the observations on the text alone; must not know times, entities or weights. All are 0..1.
Source: S1, Explicit Markers; the classes of words come from reading real sessions and chats.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.deciders.conversation.boundary.markers import Cues, Phrases, speech_head, split_words
from app.language.sentences import cut_sentences

_HEADING = re.compile(r"(?:\A\s*|\n\s*\n)#{1,4} [A-Z][^\n]*(?:\n\s*\n|\n- |\Z)")
_PASTED = re.compile(
    r"\A\s*(?:\[[^\]\n]{12,80}\]|\S+@\S+[:~]|\$ |Traceback|\w*Error:|\d\d:\d\d|--- |diff --git|\{\s*\")",
)
_OUTPUT = re.compile(
    r"\b(?:says|said|log|logs|output|trace|error|prints|get|gives|now)\b[^\n]{0,20}:\s*\n|\b\w*(?:Error|Exception)\b|error\[",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?<![\w.])(?:#\d{1,3}|[A-Z]{2,4} #?\d{1,2})(?![\w.:/%-])")
_OTHER_TALK = re.compile(
    r"\b(?:conversation|chat|thread|session)s?\s+(?:number\s+)?\Z", re.IGNORECASE
)  # "conversation #1"
_LITERAL = re.compile(r"\s*[\d\"'`~]")  # "55 fps", "~/log.txt", '"total" is wrong': picks up what was shown
_SMALL_WORDS = frozenset({"a", "the", "and", "or", "just", "only", "all"})
_NUMBERED = re.compile(r"\d{1,2}[.)] \S")
_SHORT_WORDS = 12
_GO_AHEAD_WORDS = 6
_CHOICE_WORDS = 4
_BRIEF_WORDS = 7
_FULL_LENGTH_CHARS = 600


@dataclass(frozen=True, slots=True)
class BoundaryLexicon:
    """The words that observations look for."""

    cues: Cues
    words: Mapping[str, frozenset[str]]
    continuations: Phrases
    stop_words: frozenset[str]
    fields: Mapping[str, frozenset[str]]  # stem -> the fields of talk that it belongs to
    generic: frozenset[str] = frozenset()  # stems that any two messages of one trade share

    def fields_of(self, terms: Iterable[str]) -> frozenset[str]:
        """The fields of talk that `terms` belong to."""
        return frozenset(name for term in terms for name in self.fields.get(term, ()))

    def support_of(self, field: str, terms: Iterable[str]) -> int:
        """How many of `terms` belong to `field`."""
        return sum(field in self.fields.get(term, ()) for term in terms)


@dataclass(frozen=True, slots=True)
class Wording:
    """Observations by name, and the words that explain the telling ones to people."""

    values: Mapping[str, float]
    texts: Mapping[str, str]


def observe_wording(text: str, lexicon: BoundaryLexicon) -> Wording:
    """What the words of `text` alone say.

    >>> lexicon = BoundaryLexicon(
    ...     Cues.compile({"objection": ["no"]}), {}, Phrases.compile([]), frozenset(), {})
    >>> observe_wording("No, the other file", lexicon).texts
    {'objection': 'starts with "no"'}
    """
    head = speech_head(text)
    tokens = split_words(head)
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    _observe_first_words(head, lexicon.cues, values, texts)
    _observe_reply(head, tokens, lexicon, values, texts)
    _observe_questions(head, lexicon.cues, values)
    for name, words in lexicon.words.items():
        values[name] = min(1.0, sum(token in words for token in tokens[:60]) / 3)
    values["length"] = min(1.0, math.log1p(len(text.strip())) / math.log(_FULL_LENGTH_CHARS))
    values["lines"] = min(1.0, text[:4000].count("\n") / 10)
    values["pasted"] = float(bool(_PASTED.search(text[:_FULL_LENGTH_CHARS])))
    values["literal"] = float(bool(_LITERAL.match(text)))
    values["sentence"] = min(1.0, len(split_words(cut_sentences(head)[0])) / _SHORT_WORDS)
    values["brief"] = float(len(tokens) <= _BRIEF_WORDS)
    values["output"] = float("\n" in text and bool(values["pasted"] or _OUTPUT.search(text[:_FULL_LENGTH_CHARS])))
    if _HEADING.search(text[:_FULL_LENGTH_CHARS]):
        values["heading"] = 1.0
        texts["heading"] = "a prepared text with headings"
    return Wording({name: value for name, value in values.items() if value}, texts)


def _observe_first_words(head: str, cues: Cues, values: dict[str, float], texts: dict[str, str]) -> None:
    spoken = cues.after("acknowledgement", head)
    for name, where in (
        ("acknowledgement", head),
        ("objection", spoken or head),
        ("connective", spoken),
        ("opener", spoken),
        ("scene", spoken),
        ("reaction", spoken),
        ("report", spoken),
    ):
        phrase = cues.match(name, where)
        if phrase:
            values[name] = 1.0
            texts[name] = f'starts with "{" ".join(phrase.lower().split())}"'


def _observe_reply(
    head: str, tokens: Sequence[str], lexicon: BoundaryLexicon, values: dict[str, float], texts: dict[str, str]
) -> None:
    if is_go_ahead(tokens, lexicon.cues):
        values["go_ahead"] = 1.0
        texts["go_ahead"] = "a short reply"
    elif _NUMBERED.match(head) or (len(tokens) <= _SHORT_WORDS and _picks_item(head, tokens, lexicon.cues)):
        values["item"] = 1.0
        texts["item"] = "picks from a list"
    continuation = lexicon.continuations.find(head)
    if continuation is not None:
        values["continuation"] = continuation.marker.confidence
        texts["continuation"] = f'says "{continuation.phrase.lower()}"'


def _picks_item(head: str, tokens: Sequence[str], cues: Cues) -> bool:
    """Whether a short message names entries of a list: "#2", "fix 4", "then finding 8"; not "20 requests"."""
    if any(not _OTHER_TALK.search(head, 0, match.start()) for match in _ITEM.finditer(head)):
        return True
    words = cues.phrases("choice") - _SMALL_WORDS
    early = tokens[:_CHOICE_WORDS]  # "the wizard forgets step 2" picks nothing
    return any(
        before in words and not before.isdigit() and after.isdigit() and len(after) <= 2
        for before, after in pairwise(early)
    )


def is_go_ahead(tokens: Sequence[str], cues: Cues) -> bool:
    """Whether a message only answers: "yes, go ahead", "2", "option 1 and 3", "fix #4".

    >>> cues = Cues.compile({"go_ahead": ["yes", "proceed"], "choice": ["option"]})
    >>> is_go_ahead(("yes", "option", "2"), cues), is_go_ahead(("yes", "build", "a", "parser"), cues)
    (True, False)
    """
    if not 0 < len(tokens) <= _GO_AHEAD_WORDS:
        return False
    phrases = cues.phrases("go_ahead", "choice", "acknowledgement")
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
    """Questions that open a subject ("do you…") against those that dig on ("why…")."""
    sentences = [sentence for sentence in cut_sentences(head) if sentence.strip(" .!?,;")]
    if not sentences:
        return
    is_question = [sentence.rstrip().endswith("?") for sentence in sentences]
    values["question"] = float(is_question[-1])
    values["turn"] = float(is_question[-1] and len(sentences) > 1 and not is_question[0])
    values["echo"] = float(is_question[-1] and bool(cues.match("echo", cues.after("acknowledgement", sentences[-1]))))
    heads = [cues.after("acknowledgement", sentence) for sentence in sentences]
    values["probe"] = float(any(cues.match("probe", part) for part in heads))
    values["probe_question"] = float(
        any(asked and cues.match("probe", part) for part, asked in zip(heads, is_question, strict=True))
    )
