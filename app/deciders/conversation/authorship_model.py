"""Which of the person's sentences may be somebody else's after all: the third answer beside own and foreign (`authorship`).

Where no form proves a paste, many small signs together make it likely: weights that were learned weigh them. What is learned from an
unsure sentence waits for the person. How the weights are learned: `app.evaluation.training.authorship`. Knows the text alone. Source: issue 15.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from app.deciders.conversation.authorship import LIST_ITEM, split_authors
from app.deciders.feature_weights import SCALE, FeatureWeights
from app.resources import resource_path

_RULE = re.compile(r"\s*(?:[-=*_~]{3,}|…)\s*$")
_ASKS = re.compile(
    r"^\W*(?:so |and |hm+,? |ok,? |hey,? |now |pls |please |then |also |but )*(?:what|how|any|does|do|is|are|can|could|would|will|should|why|where|which|who|thoughts|opinions?"
    r"|explain|summari[sz]e|translate|review|rewrite|rephrase|shorten|reply|answer|compare|look|see|check|fix|tell|give|find|help|tl;?dr|proofread|turn|convert|extract|make|draft|write"
    r"|was|wie|warum|stimmt|ist|kannst|erklär\w*|übersetz\w*|fass|prüf\w*|schau|antwort\w*|qué|cómo|puedes|resume|traduce|explica|peux|pourquoi|traduis|résume|explique|tu en)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^\W*(?:now |then |first,? |ok,? |please |pls |and |so |next,? |today,? )*(?:add|build|set up|start|continue|go on|begin|implement|create|migrate|refactor|move|remove|rename|adapt|update|generate|fix|clean"
    r"|write the|write a|make the|make a|make me|do the|use|deploy|commit|keep in mind|remember|i want|i'd like|i need|we need|let's|let me|here's (?:what|how)|here is how|some background|context|für|bau\w*"
    r"|leg los|mach|jetzt|bitte|ahora|haz|arregla|maintenant|ajoute|fais|remember|from now on|rules? for|decisions?|(?:a few|some|my|our) \w+|notes to self)\b",
    re.IGNORECASE,
)
_ABOUT_TEXT = re.compile(
    r"\b(?:this|that|it|these|those|they|he|she|their|his|her|below|above|text|mail|e-?mail|message|answer|reply|summary|doc|document|page|article|post|thread|slack|chat|log|output"
    r"|error|review|comment|feedback|notes?|minutes|ticket|issue|readme|adr|policy|wiki|handbook|quote|sounds?|true|right|correct|agree|mean|risk|das|dies|er|sie|mir|text|eso|esto|ça|cela)\b",
    re.IGNORECASE,
)
_I = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me|mine|myself|ich|mein\w*|mir|mich|yo|mi|mis|je|j'|mon|ma|mes|moi)\b",
    re.IGNORECASE,
)
_WE = re.compile(
    r"\b(?:we|our|ours|us|we're|we've|wir|uns|unser\w*|nosotros|nuestr\w+|nous|notre|nos)\b", re.IGNORECASE
)
_YOU = re.compile(r"\b(?:you|your|you're|u|ur|du|dein\w*|dir|dich|ihr|tu|tus|vous|votre|ton|ta|tes)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"\b(?:rfc|adr|kap\.|kapitel|chapter|section|abschnitt|§|vol\.|edited|answered|asked|score|upvotes?|votes?|likes|replies|comment(?:ed|s)?|message|wrote|said|says|posted|subject|from:|to:|re:|fwd?:"
    r"|open questions|summary|zusammenfassung|notes|minutes|attendees|present|agenda|todo|action items|status|decision|context|author|version|draft|page \d|part \d|faq|handbook|handbuch|guide|manual|policy"
    r"|release notes|changelog|newsletter|blog|podcast|transcript|interview|slide|deck|memo|announcement|reminder|terms|licen[sc]e|copyright|©|via|retweeted|translated|source)\b",
    re.IGNORECASE,
)
_MAX_LINE_CHARS = 600


@dataclass(frozen=True, slots=True)
class SentenceAt:
    """[start, end) of one sentence."""

    start: int
    end: int


def features_of(text: str, sentences: Sequence[SentenceAt], foreign: Sequence[tuple[int, int]]) -> list[frozenset[str]]:
    """For each sentence the names of what is to be seen; `foreign`: stretches known not to be the person's."""
    lines = _lines_of(text)
    filled = [number for number, (start, end) in enumerate(lines) if text[start:end].strip()]
    whole = _of_message(text, lines, filled)
    found = []
    for one in sentences:
        others = [(start, end) for start, end in foreign if end <= one.start or start >= one.end]  # not its own answer
        beside = {"foreign too"} if others else set()
        found.append(frozenset((*whole, *beside, *_of_sentence(text, one, lines, filled))))
    return found


def _lines_of(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    place = 0
    for line in text.split("\n"):
        found.append((place, place + len(line)))
        place += len(line) + 1
    return found


def _bucket(count: int, steps: Sequence[int]) -> int:
    return sum(count >= step for step in steps)


def _of_message(text: str, lines: Sequence[tuple[int, int]], filled: Sequence[int]) -> set[str]:
    """What holds for the whole message, each with how many lines it has: one line alone is nearly always typed."""
    shown = [text[start : min(end, start + _MAX_LINE_CHARS)] for start, end in (lines[number] for number in filled)]
    found = {f"lines {_bucket(len(filled), (2, 3, 5, 9, 20))}", f"blocks {_bucket(text.count(chr(10) * 2), (1, 2, 4))}"}
    if not shown:
        return found
    signs = {
        "asks first": bool(_ASKS.match(shown[0])) or shown[0].rstrip().endswith("?"),
        "about first": len(shown[0]) < 100 and bool(_ABOUT_TEXT.search(shown[0])),
        "about last": len(shown[-1]) < 100 and bool(_ABOUT_TEXT.search(shown[-1])),
        "orders first": bool(_ORDERS.match(shown[0])) and not _ASKS.match(shown[0]),
        "orders last": bool(_ORDERS.match(shown[-1])),
        "orders last, of nothing above": bool(_ORDERS.match(shown[-1])) and not _ABOUT_TEXT.search(shown[-1]),
        "first small": shown[0].lstrip()[:1].islower(),
        "last small": shown[-1].lstrip()[:1].islower(),
        "code marked": "`" in text,
        "opens below": shown[0].rstrip().endswith(":"),
        "says i": bool(_I.search(text)),
        "says we": bool(_WE.search(text)),
        "says you": bool(_YOU.search(text)),
        "labelled": any(_LABEL.search(one) for one in shown),
        "ruled": any(_RULE.match(one) for one in shown),
    }
    found.update(name for name, is_so in signs.items() if is_so)
    asks_last = bool(_ASKS.match(shown[-1])) or shown[-1].rstrip().endswith("?")
    if asks_last and signs["about last"] and len(shown) > 1:
        found.add("asks about above")
    if len(shown) > 1 and not signs["says i"]:
        found.add("impersonal lines")
    return found


def _of_sentence(
    text: str,
    one: SentenceAt,
    lines: Sequence[tuple[int, int]],
    filled: Sequence[int],
) -> set[str]:
    number = next((n for n in filled if lines[n][0] <= one.start < lines[n][1] + 1), 0)
    place = filled.index(number) if number in filled else 0
    line = text[slice(*lines[number])]
    sentence = text[one.start : one.end]
    before = text[slice(*lines[filled[place - 1]])] if place else ""
    after = text[slice(*lines[filled[place + 1]])] if place + 1 < len(filled) else ""
    many = len(filled) > 1
    head = line.lstrip(" -*#>•0123456789.)")
    inner = {
        "first line": place == 0,
        "last line": place == len(filled) - 1,
        "item": bool(LIST_ITEM.match(line)),
        "small": head[:1].islower(),
        "stopped": sentence.rstrip().endswith("."),
        "asks": bool(_ASKS.match(sentence)) or sentence.rstrip().endswith("?"),
        "you": bool(_YOU.search(sentence)),
        "label in line": bool(_LABEL.search(line)),
        "colon in line": bool(re.match(r"[^:\n]{2,40}: \S", line)),
        "starts line": text[lines[number][0] : one.start].strip(" -*#>•0123456789.)") == "",
        "above item": bool(LIST_ITEM.match(before)),
        "above label": bool(before) and bool(_LABEL.search(before)),
        "above open": before.rstrip().endswith(":"),
        "above unstopped": bool(before) and before.rstrip()[-1:].isalnum(),
        "below label": bool(after) and bool(_LABEL.search(after)),
        "below item": bool(LIST_ITEM.match(after)),
        "gap above": number > 0 and bool(before) and not text[slice(*lines[number - 1])].strip(),
        "tight above": place > 0 and filled[place - 1] == number - 1,
        "case unlike first": place > 0 and head[:1].isupper() != text[slice(*lines[filled[0]])].strip()[:1].isupper(),
        "case unlike last": place < len(filled) - 1
        and head[:1].isupper() != text[slice(*lines[filled[-1]])].strip()[:1].isupper(),
    }
    found = {f"s {name}" for name, is_so in inner.items() if is_so}
    found.add(f"s words {_bucket(len(sentence.split()), (4, 8, 14, 24))}")
    if many:
        found |= {f"{name} of many" for name in tuple(found)}
    return found


UNSURE_REASON = "may be pasted"
# logits: what waits for no reason is confirmed with one click, what slips through is told as the person's word
_LEAST = -0.1
_MAX_READ_CHARS = 20_000


def _score(names: frozenset[str]) -> float:
    """How much the features speak for somebody else, in logits."""
    model = _shipped_model()
    return (model.bias + sum(model.weights.get(name, 0) for name in names)) / SCALE


@cache
def _shipped_model() -> FeatureWeights:
    return FeatureWeights.load(resource_path("voices", "weights.json"))


def may_be_pasted(text: str, places: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """For each stretch [start, end) of the person's own words whether somebody else may have written it.

    >>> text = "thoughts?\\n\\nLinkedIn message, Carla M.: I only work with Vue. My rate is fixed until June."
    >>> may_be_pasted(text, [(text.index("My rate"), len(text))])
    (True,)
    """
    found = features_of(text[:_MAX_READ_CHARS], [SentenceAt(*place) for place in places], _foreign(text))
    return tuple(
        place[1] > _MAX_READ_CHARS or _score(names) > _LEAST for place, names in zip(places, found, strict=True)
    )


def _foreign(text: str) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in split_authors(text) if not one.is_own]
