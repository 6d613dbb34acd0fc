"""What a conversation came to, told in full sentences: what was done, what works, what is next.

Made of signs and of what the assistant's model wrote: commits, to-dos, an accepted plan, the end of the last answer, a summary.
Nothing is told without one of them. Pure: knows neither store nor times. Source: issue 16 points 3 and 8, S3 "Episodic Memory".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ANSWER_END_CHARS = 400
_ONLY_FILES = re.compile(r"(?:You worked on “[^”]*”\. )?[^.“”]+ changed (?:[^\s“”]+(?:, | and )?)+(?: more)?\.")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”)]?\s+|\n+")
_MARKS = re.compile(r"\*\*|__|[✅✔✨🎉🚀☑]️?|^\s{0,8}(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)]\s+|>\s*)")
_DONE = re.compile(
    r"\bI(?:'ve| have)?(?: also| now| just)? (?:added|fixed|updated|changed|created|removed|moved|renamed|replaced|implemented|"
    r"refactored|wired|wrote|written|made|set|switched|split|merged|committed|pushed|cleaned|corrected|extended|introduced)\b"
    r"|\b(?:has|have) been \w+(?:ed|t|n)\b|\b(?:is|are) now\b|\bnow (?:works?|shows?|uses?|supports?|displays?|returns?|has|handles?|includes?)\b"
    r"|\bshould now\b|^this ensures\b|\bsuccessfully\b|^(?:added|fixed|updated|created|removed|implemented|refactored|replaced|moved|renamed)\b",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\btests?\b.{0,30}\b(?:pass|passes|passed|passing|green)\b|\b(?:build|compile|lint|type check)\w*\b.{0,20}\b(?:succeed|success|pass|clean)\w*"
    r"|\b(?:works? (?:correctly|now|as expected)|working (?:correctly|now|as expected))\b|\bverified\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\bnext steps?\b|^next\b|\bstill (?:to do|needs?|missing|open|has to|have to)\b|\bremains to\b|\bremaining (?:steps?|work|tasks?|issues?|items?)\b|\bnot yet\b|\bleft to\b"
    r"|\byou(?:'ll| will)? (?:need|have) to\b|\b(?:would you like|do you want|want|shall|should) (?:me|I|us)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"(?:(?:now|great|perfect|excellent|good|ok|okay|next)[,.!]? )*(?:let me|let's|i'll|i will|i'm going to)\b",
    re.IGNORECASE,
)
_ANSWERING = re.compile(
    r"\s*(?:(?:yes|no|yep|yeah|nope|ok|okay|sure|both|neither|y|n)\b|the (?:first|second|third|former|latter|last)\b"
    r"|option\s|\d{1,2}[.):]\s|[a-d][.):]\s)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:what|where|why|how far) (?:did|were|was|had|have) (?:we|i|you)\b|\blast (?:time|session|week)\b|\byesterday\b"
    r"|\bwhat(?:'s| is) (?:left|next|still)\b|\bleft (?:off|to do)\b|\bpick up where\b|\bwe (?:stopped|left)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"\btodos? have been\b|\blet me know\b|\bfeel free\b|\banything else\b|\bhappy to\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:it|this|that|these|those|there|them)\b", re.IGNORECASE)
_LEAD = re.compile(r"^(?:next(?: steps?)?|remaining|still to do|todo)\s*[:–-]\s*", re.IGNORECASE)
_DANGLING = re.compile(r"[:;,(]\s*\Z|^(?:and|or|but|which|because)\b", re.IGNORECASE)
_LEAST_WORDS, _SENTENCE_CHARS = 3, 220
_LISTED, _FILES, _TOPICS = 4, 3, 5
_LINE_CHARS, _TITLE_CHARS = 160, 72


@dataclass(frozen=True, slots=True)
class EpisodeParts:
    """All that is known of how a conversation went. `works`: the sign of its outcome, in words."""

    title: str
    app: str  # as people call the assistant
    outcome: str = ""
    works: str = ""
    summary: str = ""
    topics: Sequence[tuple[str, str]] = ()  # title and summary of each part, where a judge told several apart
    done: str = ""
    next: str = ""
    plan: str = ""
    todos: Sequence[tuple[str, str]] = ()  # text, state
    commits: Sequence[str] = ()
    pull_requests: Sequence[str] = ()
    files: Sequence[str] = ()
    answer_end: str = ""


@dataclass(frozen=True, slots=True)
class Composed:
    """`narrative` in full sentences; `next` in one line, "" where nothing is left."""

    title: str
    narrative: str
    done: tuple[str, ...]
    works: tuple[str, ...]
    next: str


@dataclass(frozen=True, slots=True)
class AnswerEnd:
    """What the end of an answer says, by what it is about."""

    done: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    next: tuple[str, ...] = ()


def compose_episode(parts: EpisodeParts) -> Composed | None:
    """The episode; None when there is nothing to say beyond what it was about.

    >>> episode = compose_episode(EpisodeParts("Export orders as CSV", "Claude Code", commits=("Add CSV export",), works="tests passed"))
    >>> episode.narrative
    'You worked on “Export orders as CSV”. Claude Code committed “Add CSV export”. Tests passed.'
    """
    end = read_answer_end(parts.answer_end)
    done = [*_committed(parts), *_finished(parts)]
    if len(parts.topics) > 1:
        done = [*_told_topics(parts), *done]
    elif parts.summary:
        done.insert(0, _sentence(parts.summary))
    elif parts.done:
        done.append(_sentence(parts.done))
    elif end.done:
        done += end.done
    files = [name for file in parts.files if (name := _base(file)) and " " not in name]
    if not done and files and parts.outcome in {"implemented", "tested", "completed"}:
        done.append(f"{parts.app} changed {_listed(files, _FILES, quoted=False)}.")
    works = [_sentence(parts.works)] if parts.works else list(end.works[:1])
    left = _left(parts, end)
    if parts.plan and not done:
        done.append(f"You accepted a plan: {_sentence(parts.plan)}")
    if not (done or works or left):
        return None
    named = [f"You worked on “{parts.title}”."] if parts.title else []
    told = [*named, *done, *works, *([_sentence(f"Next: {left}")] if left else [])]
    title = parts.title or _shortened((*done, *works, left)[0])
    return Composed(title, " ".join(dict.fromkeys(told)), tuple(done), tuple(works), left)


def read_answer_end(text: str) -> AnswerEnd:
    """What was done, what works and what is next, as sentences of an answer's last 400 characters say it.

    >>> end = read_answer_end("I've added the export button. All tests pass. Next: wire it to the order list.")
    >>> end.done, end.works, end.next
    (("I've added the export button.",), ('All tests pass.',), ('Wire it to the order list.',))
    """
    found: dict[str, list[str]] = {"done": [], "works": [], "next": []}
    sentences = _SENTENCE.split(text.strip())
    if _GOING_ON.match(_MARKS.sub("", sentences[-1])) or text.rstrip().endswith(":"):
        return AnswerEnd()  # it was still at it
    if len(text.strip()) >= ANSWER_END_CHARS - 1 and len(sentences) > 1:
        sentences = sentences[1:]  # the first began before the cut
    for raw in sentences:
        said = " ".join(_MARKS.sub("", _MARKS.sub("", raw)).split())
        if len(said.split()) < _LEAST_WORDS or len(said) > _SENTENCE_CHARS:
            continue
        if _OFFER.search(said) or _DANGLING.search(said) or "{" in said or "```" in said:
            continue
        for name, pattern in (("next", _NEXT), ("works", _WORKS), ("done", _DONE)):
            if pattern.search(said) and not (said.endswith("?") and _POINTING.search(said)):
                found[name].append(_sentence(_LEAD.sub("", said)))
                break
    return AnswerEnd(tuple(found["done"][:2]), tuple(found["works"][:1]), tuple(found["next"][:1]))


def question_of(answer_end: str) -> str:
    """The questions that an answer ended with, which "1. yes 2. the second" answers; "" when it asked nothing.

    >>> question_of("Done. Two things:\\n1. Keep the old route?\\n2. JSON or CSV?")
    '1. Keep the old route? 2. JSON or CSV?'
    """
    lines = [" ".join(raw.replace("**", "").split()) for raw in answer_end.strip().splitlines()]
    asked = [line for line in lines if line.endswith("?")]
    if len(asked) == 1:
        asked = [next((one for one in reversed(re.split(r"(?<=[.!?])\s+", asked[0])) if one.endswith("?")), asked[0])]
    return " ".join(asked)[:ANSWER_END_CHARS]


def is_answering(text: str) -> bool:
    """Whether a prompt looks like an answer to what was asked before it.

    >>> is_answering("1. yes 2. the second"), is_answering("Yes, please"), is_answering("add an export")
    (True, True, False)
    """
    return _ANSWERING.match(text) is not None


def asks_for_past(text: str) -> bool:
    """Whether a prompt asks what was done before, what is left, or why.

    >>> asks_for_past("what did we do last?"), asks_for_past("why did we move to cents?"), asks_for_past("add an export")
    (True, True, False)
    """
    return _PAST.search(text) is not None


def tells_only_files(narrative: str) -> bool:
    """Whether an episode says no more than which files were changed.

    >>> tells_only_files("You worked on “Export”. Claude Code changed main.py, db.py and 3 more.")
    True
    >>> tells_only_files("You worked on “Export”. Claude Code committed “Add CSV export”.")
    False
    """
    return _ONLY_FILES.fullmatch(narrative) is not None


def last_time_line(title: str, outcome: str, left: str) -> str:
    """One line of what was done last.

    >>> last_time_line("Export orders as CSV", "tested", "wire the button.")
    'Last time: Export orders as CSV (tested). Next: wire the button.'
    """
    head = f"Last time: {title}" + (f" ({outcome})" if outcome else "")
    if not left:
        return head
    rest = left if len(left) <= _LINE_CHARS else f"{left[: _LINE_CHARS - 1].rstrip()}…"
    return f"{head}. Next: {rest}"


def _committed(parts: EpisodeParts) -> Iterable[str]:
    if parts.commits:
        yield f"{parts.app} committed {_listed(parts.commits, _LISTED)}."
    if parts.pull_requests:
        yield f"It opened the pull request {_listed(parts.pull_requests, _LISTED)}."


def _told_topics(parts: EpisodeParts) -> Iterable[str]:
    """A sentence a part; under its name where it is not that of the conversation."""
    for title, summary in parts.topics[-_TOPICS:]:
        yield _sentence(summary if title == parts.title else f"{title}: {summary}")


def _finished(parts: EpisodeParts) -> Iterable[str]:
    finished = [text for text, state in parts.todos if state == "completed"]
    if finished:
        count = f"{len(finished)} of {len(parts.todos)} to-dos" if len(finished) < len(parts.todos) else "All to-dos"
        yield f"{count} are done: {_listed(finished, _LISTED)}."


def _left(parts: EpisodeParts, end: AnswerEnd) -> str:
    open_ones = [text for text, state in parts.todos if state in {"pending", "in_progress"}]
    if open_ones:
        return _listed(open_ones, _LISTED, quoted=False) + "."
    return _sentence(parts.next) if parts.next else "" if parts.summary else (end.next[0] if end.next else "")


def _listed(texts: Sequence[str], most: int, *, quoted: bool = True) -> str:
    """At most `most` of them, the last ones, in a row.

    >>> _listed(["a", "b", "c"], 2)
    '“b”, “c” and 1 more'
    """
    shown = [f"“{one}”" if quoted else one.rstrip(".") for one in list(texts)[-most:]]
    more = len(texts) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE_CHARS else f"{text[: _TITLE_CHARS - 1].rstrip()}…"


def _base(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]


def _sentence(text: str) -> str:
    said = " ".join(text.split())
    if not said:
        return ""
    if _is_plain(said):
        said = said[0].upper() + said[1:]
    return said if said[-1] in ".!?…”" else f"{said}."


def _is_plain(said: str) -> bool:
    """Whether it begins with a word and not with a name in code."""
    first = said.split(" ", 1)[0]
    return first.isalpha() and first.islower()
