"""What a conversation leaves for the next one, in at most so many characters: two to four sentences, in the person's own words.

What was learned stands first, then what was wanted, then how it ended. Where sentences and length do not both fit, the length wins.
Pure: knows neither store nor times. Source: S5 "Memory Creation Process", issue 17 "Notes".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_SENTENCES = 4
_LEAST_WORDS, _LEAST_CHARS = 3, 12
_CUT_LEAST_CHARS = 60  # of a sentence that is cut so much is kept, or it is left out
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”)]?\s+|\n+")
_BULLET = re.compile(r"^\s*(?:[-*+•>#]+|\d{1,2}[.)])\s+")
_NAMED = re.compile(r"\[(?:code|diff|log|text|table|secret|quote|list)[^\]]*\]")
_EMPTY_TALK = re.compile(
    r"(?:(?:thanks?|thank you|thx|ok(?:ay)?|yes|no|yep|nope|sure|great|perfect|nice|good|cool|go|go on|continue|next|please|hi|hello|hey|done|"
    r"and|that works?|works|looks good|lgtm|commit|push)\b[\s,.!]*)+",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:it|this|that|these|those|them|there|here)\b", re.IGNORECASE)
_OUTCOMES = {
    "tested": "Tests passed.",
    "completed": "Completed.",
    "implemented": "Implemented.",
    "planned": "Planned, not built yet.",
    "abandoned": "Abandoned.",
}


@dataclass(frozen=True, slots=True)
class NoteParts:
    """What is known of a conversation. `facts`: what was learned from it, with importance 0..1; `prompts`: what was typed, in order."""

    facts: Sequence[tuple[str, float]] = ()
    prompts: Sequence[str] = ()
    outcome: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class ComposedNote:
    content: str
    importance: float  # 0..1


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    weight: float
    place: int


def compose_note(parts: NoteParts, max_chars: int) -> ComposedNote | None:
    """The note; None where nothing was said that says anything.

    >>> note = compose_note(NoteParts([("Exports are CSV.", 0.7)], ["add an export button", "thanks"], "tested"), 200)
    >>> note.content
    'Exports are CSV. Add an export button. Tests passed.'
    >>> compose_note(NoteParts(prompts=["thanks", "ok"]), 200) is None
    True
    """
    wanted = _ranked(parts)
    if not wanted:
        return None
    taken: list[_Sentence] = []
    left = max_chars
    for one in wanted:
        if len(taken) == MOST_SENTENCES:
            break
        if any(_says(other.text, one.text) for other in taken):
            continue
        text = _fit(one.text, left, is_first=not taken)
        if text:
            taken.append(_Sentence(text, one.weight, one.place))
            left -= len(text) + 1
    taken.sort(key=lambda one: one.place)
    importance = max((weight for _, weight in parts.facts), default=0.4 if parts.outcome else 0.3)
    return ComposedNote(" ".join(one.text for one in taken), round(importance, 3)) if taken else None


def cut_note(text: str, max_chars: int) -> str:
    """A text as one paragraph of at most so many characters: whole sentences if it can be, else cut at a word.

    >>> cut_note("Exports are CSV.\\nDates are ISO.", 20), cut_note("Exports are comma separated", 20)
    ('Exports are CSV.', 'Exports are comma…')
    """
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    kept = ""
    for sentence in _SENTENCE.split(line):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > max_chars:
            break
        kept = longer
    return kept or _cut_at_word(line, max_chars)


def sentences_of(text: str) -> list[str]:
    """The sentences of a note, without marks of lists.

    >>> sentences_of("- Exports are CSV. Dates are ISO.")
    ['Exports are CSV.', 'Dates are ISO.']
    """
    found = (" ".join(_BULLET.sub("", one).split()) for one in _SENTENCE.split(text.strip()))
    return [one for one in found if one]


def _ranked(parts: NoteParts) -> list[_Sentence]:
    """What may stand in it, what matters most first; `place` says where it stands then."""
    found = [
        _Sentence(_closed(sentences_of(text)[0]), 2.0 + importance, place)
        for place, (text, importance) in enumerate(parts.facts)
        if sentences_of(text)
    ]
    place = len(found)
    is_first = True
    for prompt in parts.prompts:
        for sentence in sentences_of(_NAMED.sub(" ", prompt))[:2]:
            if _says_nothing(sentence):
                continue
            weight = 1.5 if is_first else 0.8 - 0.4 * bool(_POINTING.search(sentence)) - 0.3 * sentence.endswith("?")
            found.append(_Sentence(_closed(sentence), weight, place))
            place, is_first = place + 1, False
    has_matter = bool(found)
    if parts.outcome in _OUTCOMES and has_matter:
        found.append(_Sentence(_OUTCOMES[parts.outcome], 1.4, place))
    if parts.next and has_matter:
        found.append(_Sentence(_closed(f"Next: {parts.next}"), 1.2, place + 1))
    return sorted(found, key=lambda one: (-one.weight, one.place))


def _says_nothing(sentence: str) -> bool:
    rest = _EMPTY_TALK.sub("", sentence).strip(" .,!?")
    return len(rest) < _LEAST_CHARS and len(rest.split()) < _LEAST_WORDS


def _says(longer: str, shorter: str) -> bool:
    def words(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.casefold()))

    return words(shorter) <= words(longer)


def _closed(sentence: str) -> str:
    first = sentence[:1].upper() + sentence[1:]
    return first if first.endswith((".", "!", "?", "…")) else f"{first.rstrip(' ,;:')}."


def _fit(text: str, room: int, *, is_first: bool) -> str:
    """The sentence, or so much of it as there is room for; "" when that says too little."""
    if len(text) <= room:
        return text
    return _cut_at_word(text, room) if is_first or room >= _CUT_LEAST_CHARS else ""


def _cut_at_word(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    return f"{(head[:at] if at > most // 2 else head).rstrip(' ,;:')}…"
