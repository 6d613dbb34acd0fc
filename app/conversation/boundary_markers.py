"""The words that open, hold together or close a conversation, and where they stand in a message.

Owns how phrases of `rules/boundary.yaml` are compiled and matched; knows neither times nor earlier messages.
Phrases are plain words, never patterns, so that a person may edit them without learning a syntax.
Source: S1, Factor 1: Explicit Markers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

HEAD_CHARS = 400  # markers and cues are said early; what is pasted below does not speak
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_ATTACHED = re.compile(r"\A(?:\s*\[(?:image|pasted text|file|screenshot)[^\]\n]{0,40}\]\s*)+", re.IGNORECASE)
_WORD = re.compile(r"[\w'#]+")
_GAP = r"[\s,;:.!-]+"  # between the words of a phrase
_FILLER_WORDS = (
    "ok okay so well hey hi alright right now please hmm um uh yes no and but anyway anyways cool great thanks perfect"
)
_FILLERS = rf"(?:(?:{_FILLER_WORDS.replace(chr(32), chr(124))})[\s,.;:!-]+){{0,3}}"
_SENTENCE = rf"(?:\A|(?<=[.!?\n]))[\s\"'(*-]*{_FILLERS}"


@dataclass(frozen=True, slots=True)
class Marker:
    """A phrase that decides, with the confidence that it does."""

    phrase: str
    confidence: float
    anywhere: bool = False
    softened: bool = False


@dataclass(frozen=True, slots=True)
class Phrases:
    """Compiled phrases of one class; `marker_of` gives the rule behind the words found."""

    at_start: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None
    markers: Mapping[str, Marker]

    @classmethod
    def compile(cls, markers: Sequence[Marker]) -> "Phrases":
        return cls(
            at_start=_alternation((m.phrase for m in markers if not m.anywhere), prefix=_SENTENCE),
            anywhere=_alternation((m.phrase for m in markers if m.anywhere), prefix=r"(?<!\w)"),
            markers={_key(m.phrase): m for m in markers},
        )

    def find(self, head: str) -> tuple[Marker, str, int] | None:
        """The most confident phrase in `head`: its rule, the words as written, where they end."""
        found: list[tuple[Marker, str, int]] = []
        for pattern in (self.at_start, self.anywhere):
            if pattern is None:
                continue
            for match in pattern.finditer(head):
                marker = self.markers[_key(match["phrase"])]
                found.append((marker, match["phrase"], match.end("phrase")))
        return max(found, key=lambda hit: hit[0].confidence, default=None)


@dataclass(frozen=True, slots=True)
class Cues:
    """First words of a message in classes: openers, acknowledgements, reactions, …"""

    starts: Mapping[str, re.Pattern[str]]
    words: Mapping[str, frozenset[str]]

    @classmethod
    def compile(cls, classes: Mapping[str, Sequence[object]]) -> "Cues":
        starts: dict[str, re.Pattern[str]] = {}
        for name, phrases in classes.items():
            pattern = _alternation((read_phrase(phrase) for phrase in phrases), prefix=r"\A[\s\"'(*-]*")
            if pattern is not None:
                starts[name] = pattern
        words = {name: frozenset(read_phrase(phrase) for phrase in phrases) for name, phrases in classes.items()}
        return cls(starts=starts, words=words)

    def match(self, name: str, head: str) -> str:
        """The phrase of class `name` that `head` starts with, or ""."""
        pattern = self.starts.get(name)
        found = pattern.match(head) if pattern is not None else None
        return found["phrase"] if found is not None else ""

    def after(self, name: str, head: str, limit: int = 3) -> str:
        """`head` without up to `limit` leading phrases of class `name`."""
        pattern = self.starts.get(name)
        for _ in range(limit if pattern is not None else 0):
            found = pattern.match(head) if pattern is not None else None
            if found is None:
                break
            head = head[found.end() :].lstrip(" ,.;:!-\n\t")
        return head

    def phrases(self, *names: str) -> frozenset[str]:
        """All phrases of the classes `names`."""
        return frozenset().union(*(self.words.get(name, frozenset()) for name in names))


def read_phrase(entry: object) -> str:
    """A phrase out of a rule file in lower case; YAML reads a bare yes or no as a truth value.

    >>> read_phrase(True), read_phrase("Go ahead")
    ('yes', 'go ahead')
    """
    if isinstance(entry, bool):
        return "yes" if entry else "no"
    return str(entry).lower()


def speech_head(text: str) -> str:
    """The first words the person says: without attachments, code fences and quotes, typographic quotes made plain."""
    head = text[: HEAD_CHARS * 4].replace("’", "'")
    if "```" in head:
        head = _FENCE.sub(" ", head)
    if ">" in head:
        head = _QUOTED_LINE.sub(" ", head)
    return _ATTACHED.sub("", head).strip()[:HEAD_CHARS]


def split_words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


def _alternation(phrases: Iterable[str], *, prefix: str) -> re.Pattern[str] | None:
    ordered = sorted({_key(phrase) for phrase in phrases if _key(phrase)}, key=len, reverse=True)
    if not ordered:
        return None
    body = "|".join(_GAP.join(re.escape(word) for word in phrase.split()) for phrase in ordered)
    return re.compile(rf"{prefix}(?P<phrase>{body})(?![\w'])", re.IGNORECASE)


def _key(phrase: str) -> str:
    return " ".join(_WORD.findall(phrase.lower()))
