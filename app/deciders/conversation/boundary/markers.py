"""The words that open, hold together or close a conversation, and where they stand in a message.

Owns how phrases of `rules/conversation/boundary.yaml` are compiled and matched; knows neither times nor earlier messages.
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
_NUMBER = r"s?\s*(?:#?\d|one\b|two\b|three\b|[a-d]\b(?!\s+\w))"
_BREAK = re.compile(
    r"\s*(?:\Z|[,;:.!?\n(—–-]|(?:now|then|please|here|for|first|instead|let's|lets|let us|i|i'd|i'll|we|can|could|how|what|why|is|does|do|and)\b)",
    re.IGNORECASE,
)
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
    needs_break: bool = False
    may_be_subject: bool = False
    returns: bool = False

    @classmethod
    def parse(cls, entry: Mapping[str, object]) -> "Marker":
        return cls(
            phrase=read_phrase(entry["phrase"]),
            confidence=float(str(entry["confidence"])),
            anywhere=bool(entry.get("anywhere")),
            softened=bool(entry.get("softened")),
            needs_break=bool(entry.get("break")),
            may_be_subject=bool(entry.get("subject")),
            returns=bool(entry.get("returns")),
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """A marker found: its rule and the words as written."""

    marker: Marker
    phrase: str


@dataclass(frozen=True, slots=True)
class Guards:
    """What must not follow a marker of a kind, as patterns on the words after it."""

    softener: re.Pattern[str] | None = None
    subject_verb: re.Pattern[str] | None = None
    list_word: re.Pattern[str] | None = None

    @classmethod
    def compile(
        cls, *, softeners: Iterable[object], subject_verbs: Iterable[object], list_words: Iterable[object]
    ) -> "Guards":
        return cls(
            softener=_alternation(map(read_phrase, softeners), prefix=r"[\s,]*"),
            subject_verb=_alternation(map(read_phrase, subject_verbs), prefix=r"[^.!?\n,;:]{0,80}?\s"),
            list_word=_alternation(map(read_phrase, list_words), prefix=r"[\s,:]*(?:the\s+)?", suffix=_NUMBER),
        )

    def let_pass(self, marker: Marker, rest: str) -> bool:
        """Whether `marker` holds before `rest`."""
        if marker.needs_break and _BREAK.match(rest) is None:
            return False
        if marker.softened and self.softener is not None and self.softener.match(rest):
            return False
        if marker.may_be_subject and self.subject_verb is not None and self.subject_verb.match(rest):
            return False
        return self.list_word is None or self.list_word.match(rest) is None


@dataclass(frozen=True, slots=True)
class Phrases:
    """Compiled phrases of one class; `markers` gives the rule behind the words found."""

    at_start: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None
    markers: Mapping[str, Marker]
    guards: Guards

    @classmethod
    def compile(cls, markers: Sequence[Marker], guards: Guards | None = None) -> "Phrases":
        return cls(
            at_start=_alternation((m.phrase for m in markers if not m.anywhere), prefix=_SENTENCE),
            anywhere=_alternation((m.phrase for m in markers if m.anywhere), prefix=r"(?<!\w)"),
            markers={_key(m.phrase): m for m in markers},
            guards=guards or Guards(),
        )

    def find(self, head: str) -> Hit | None:
        """The most confident phrase in `head` that its guards let pass."""
        found: list[Hit] = []
        for pattern in (self.at_start, self.anywhere):
            if pattern is None:
                continue
            for match in pattern.finditer(head):
                marker = self.markers[_key(match["phrase"])]
                if self.guards.let_pass(marker, head[match.end("phrase") :]):
                    found.append(Hit(marker, match["phrase"]))
        return max(found, key=lambda hit: hit.marker.confidence, default=None)


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
    lines = (" ".join(line.split()) for line in head.splitlines())  # runs of blanks would make phrases slow to find
    return _ATTACHED.sub("", "\n".join(line for line in lines if line))[:HEAD_CHARS].strip()


def split_words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(text))


def _alternation(phrases: Iterable[str], *, prefix: str, suffix: str = r"(?![\w'])") -> re.Pattern[str] | None:
    ordered = sorted({_key(phrase) for phrase in phrases if _key(phrase)}, key=len, reverse=True)
    if not ordered:
        return None
    body = "|".join(_GAP.join(re.escape(word) for word in phrase.split()) for phrase in ordered)
    return re.compile(rf"{prefix}(?P<phrase>{body}){suffix}", re.IGNORECASE)


def _key(phrase: str) -> str:
    return " ".join(_WORD.findall(phrase.lower()))
