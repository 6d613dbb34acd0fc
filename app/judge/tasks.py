"""What a judge can be asked besides what to remember: whether two memories contradict, shorter wordings, one text of several, what
words point at, a note. Each is a request, an answer and a check of it.

Pure. A request knows its task, its part of the envelope, the schema of its answer and how the answer is read; what does not stand
the check is left out and counted, so that a judge that lies costs its answer only. Source: JUDGE "The request and the answer", S4, S5.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from app.errors import InvalidError
from app.interop.safe_json import parse_json
from app.judge.values import JudgeMessage
from app.judge.verification import find_dropped, find_unsupported

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
MAX_ENTRIES = 200
MAX_TEXT_CHARS = 2_000
_MAX_ANTECEDENT_CHARS = 120
_MAX_WHY_CHARS = 300
_DENIAL = "not, A, B, a, b"  # which every reason may say
_DECISION_BYTES = 20_000
_TELLING = 4  # letters of a word that says something


class Verdict(StrEnum):
    CONTRADICT = "contradict"
    COMPATIBLE = "compatible"
    DUPLICATE = "duplicate"
    REFINES = "refines"


@dataclass(frozen=True, slots=True)
class TaskAnswer(Generic[T_co]):
    """The parts of an answer that pass the check, and why the rest does not."""

    found: tuple[T_co, ...] = ()
    dropped: tuple[str, ...] = ()


class TaskRequest(Protocol[T_co]):
    """One request of another kind than `remember`."""

    @property
    def task(self) -> str: ...

    def fields(self) -> dict[str, Any]:
        """Its part of the envelope."""

    def schema(self) -> dict[str, Any]: ...

    def read(self, value: dict[str, Any]) -> TaskAnswer[T_co]:
        """What holds of an answer."""


def check_object(**fields: Any) -> dict[str, Any]:
    """A JSON schema: every field named, none besides."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


# two memories -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, `b` the newer, with their full texts unchanged."""

    id: str
    a: str
    b: str
    a_at: datetime
    b_at: datetime
    scope: str = ""


@dataclass(frozen=True, slots=True)
class PairVerdict:
    id: str
    verdict: Verdict
    why: str
    holds: str  # a, b or both
    merged: str = ""  # one text that says what holds of both, in their words


@dataclass(frozen=True, slots=True)
class ContradictionsRequest:
    pairs: tuple[Pair, ...]
    task: str = field(default="contradictions", init=False)

    def fields(self) -> dict[str, Any]:
        return {
            "pairs": [
                {"id": one.id, "a": one.a, "b": one.b, "a_at": _instant(one.a_at), "b_at": _instant(one.b_at), "scope": one.scope}
                for one in self.pairs
            ]
        }  # fmt: skip

    def schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        entry = check_object(
            id=text,
            verdict={"type": "string", "enum": [one.value for one in Verdict]},
            why=text,
            holds={"type": "string", "enum": ["a", "b", "both"]},
            merged=text,
        )
        return check_object(verdicts={"type": "array", "items": entry})

    def read(self, value: dict[str, Any]) -> TaskAnswer[PairVerdict]:
        asked = {one.id: one for one in self.pairs}

        def check(entry: dict[str, Any]) -> PairVerdict | str:
            verdict, holds = _text(entry, "verdict").lower(), _text(entry, "holds").lower()
            pair = asked.get(_text(entry, "id"))
            if pair is None:
                return "a verdict on no pair of the request"
            if verdict not in set(Verdict) or holds not in {"a", "b", "both"}:
                return "a verdict that is none"
            why = _line(_text(entry, "why"))[:_MAX_WHY_CHARS]
            is_theirs = not find_unsupported(why, [pair.a, pair.b, _DENIAL])
            merged = _line(_text(entry, "merged"))
            is_said = len(merged) <= MAX_TEXT_CHARS and not find_unsupported(merged, [pair.a, pair.b])
            return PairVerdict(pair.id, Verdict(verdict), why if is_theirs else "", holds, merged if is_said else "")

        return _checked(value.get("verdicts"), check, lambda one: one.id)


# shorter wordings ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LevelItem:
    id: str
    full: str


@dataclass(frozen=True, slots=True)
class WordedLevels:
    id: str
    summary: str
    compressed: str


@dataclass(frozen=True, slots=True)
class LevelsRequest:
    """Shorter wordings of memories: both keep every name, number with its unit and what is denied, bring nothing new and get shorter.

    A compressed form that does not is as long as the summary.
    """

    items: tuple[LevelItem, ...]
    task: str = field(default="levels", init=False)

    def fields(self) -> dict[str, Any]:
        return {"items": [{"id": one.id, "full": one.full} for one in self.items]}

    def schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        return check_object(levels={"type": "array", "items": check_object(id=text, summary=text, compressed=text)})

    def read(self, value: dict[str, Any]) -> TaskAnswer[WordedLevels]:
        fulls = {one.id: one.full for one in self.items}

        def check(entry: dict[str, Any]) -> WordedLevels | str:
            full = fulls.get(_text(entry, "id"))
            if full is None:
                return "levels of nothing in the request"
            summary, compressed = _line(_text(entry, "summary")), _line(_text(entry, "compressed"))
            if not summary or not compressed or not len(full) >= len(summary) >= len(compressed):
                return "levels that do not get shorter"
            lost = find_dropped(full, summary)
            if lost:
                return f"a summary without {lost}"
            brought = find_unsupported(summary, [full]) or find_unsupported(compressed, [full])
            if brought:
                return f"{brought} that nobody said"
            return WordedLevels(_text(entry, "id"), summary, summary if find_dropped(full, compressed) else compressed)

        return _checked(value.get("levels"), check, lambda one: one.id)


# what words point at ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MentionSpan:
    """A pointing word of a message, by code points."""

    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadReference:
    message: str
    start: int
    antecedent: str
    source: str  # the message that says it


@dataclass(frozen=True, slots=True)
class ReferencesRequest:
    """What "it" means, for display. An antecedent stands, in its names and words, in its message or the answer to one before."""

    project: str
    messages: tuple[JudgeMessage, ...]
    mentions: tuple[MentionSpan, ...]
    task: str = field(default="references", init=False)

    def fields(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "messages": [{"id": one.id, "text": one.text, "answer_end": one.answer_end} for one in self.messages],
            "mentions": [{"message": one.message, "start": one.start, "end": one.end} for one in self.mentions],
        }

    def schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        entry = check_object(message=text, start={"type": "integer"}, antecedent=text, **{"from": text})
        return check_object(references={"type": "array", "items": entry})

    def read(self, value: dict[str, Any]) -> TaskAnswer[ReadReference]:
        asked = {(one.message, one.start) for one in self.mentions}
        places = {one.id: place for place, one in enumerate(self.messages)}

        def check(entry: dict[str, Any]) -> ReadReference | str:
            message, start, source = _text(entry, "message"), entry.get("start"), _text(entry, "from")
            antecedent = _line(_text(entry, "antecedent"))
            if not isinstance(start, int) or (message, start) not in asked:
                return "a reference that was not asked for"
            if not antecedent:
                return "a reference to nothing"
            if len(antecedent) > _MAX_ANTECEDENT_CHARS or places.get(source, len(places)) > places[message]:
                return "a reference to what comes later"
            until = self.messages[: places[message] + 1]
            texts = [text for one in until for text in (one.text, "" if one.id == message else one.answer_end)]
            if _is_invented(antecedent, texts):
                return "an antecedent that nobody said"
            return ReadReference(message, start, antecedent, source)

        return _checked(value.get("references"), check, lambda one: f"{one.message}:{one.start}")


def _is_invented(antecedent: str, texts: list[str]) -> bool:
    """Whether a word of an antecedent, little ones aside, is nowhere in what was said."""
    spoken = " ".join(texts).casefold()
    words = (word.strip(".,;:!?\"'`()") for word in antecedent.casefold().split())
    return bool(find_unsupported(antecedent, texts)) or any(
        len(word) >= _TELLING and word not in spoken for word in words
    )


# a text by the words of a seed --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A note, or several made one (S5): the prompt in its own words, a text as answer."""

    task: str  # note, compact
    prompt: str

    def fields(self) -> dict[str, Any]:
        return {"prompt": self.prompt}

    def schema(self) -> dict[str, Any]:
        return check_object(text={"type": "string"})

    def read(self, value: dict[str, Any]) -> TaskAnswer[str]:
        text = _text(value, "text")
        if not text or len(text) > MAX_TEXT_CHARS:
            return TaskAnswer((), ("no text",))
        brought = find_unsupported(text, [self.prompt])
        return TaskAnswer((), (f"{brought} that nobody said",)) if brought else TaskAnswer((text,))


@dataclass(frozen=True, slots=True)
class CompactRequest:
    """Which of eleven notes goes (S5): the prompt in its own words, S5's decision as answer, also as the text of one.

    A new wording brings no name, number or negation that the prompt lacks. Whether the decision is one is its reader's to say.
    """

    prompt: str
    task: str = field(default="compact", init=False)

    def fields(self) -> dict[str, Any]:
        return {"prompt": self.prompt}

    def schema(self) -> dict[str, Any]:
        text = {"type": "string"}
        action = {"type": "string", "enum": ["delete", "edit"]}
        return check_object(action=action, targetMemoryId={"type": "integer"}, newContent=text, reason=text)

    def read(self, value: dict[str, Any]) -> TaskAnswer[dict[str, Any]]:
        if "action" not in value:
            try:
                found = parse_json(
                    _text(value, "text").encode("utf-8", "replace"), max_bytes=_DECISION_BYTES, max_depth=4
                )
            except InvalidError:
                found = None
            if not isinstance(found, dict):
                return TaskAnswer((), ("no decision",))
            value = found
        brought = find_unsupported(_text(value, "newContent"), [self.prompt])
        return TaskAnswer((), (f"{brought} that nobody said",)) if brought else TaskAnswer((value,))


# reading ------------------------------------------------------------------------------------------------------


def _checked(listed: Any, check: Callable[[dict[str, Any]], T | str], key: Callable[[T], str]) -> TaskAnswer[T]:
    """The entries that stand the check, each thing once."""
    found: dict[str, T] = {}
    dropped: list[str] = []
    entries = listed if isinstance(listed, list) else []
    for entry in entries[:MAX_ENTRIES]:
        one = check(entry) if isinstance(entry, dict) else "an entry that is none"
        if isinstance(one, str):
            dropped.append(one)
        elif key(one) in found:
            dropped.append("the same twice")
        else:
            found[key(one)] = one
    dropped += ["an entry too many"] * (len(entries) > MAX_ENTRIES)
    return TaskAnswer(tuple(found.values()), tuple(dropped))


def _text(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value.strip() if isinstance(value, str) else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
