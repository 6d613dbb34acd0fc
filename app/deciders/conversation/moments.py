"""The moments of a conversation that its episode tells of, and what they make of it: type, significance, valence, arc.

A moment needs a sign: a decision that was learned, a commit, a test that failed and then passed, the person's words. Without one
there is none, and what would be made of it stays empty. Pure: knows neither store nor times. Word lists are `rules/conversation/episodes.yaml`.
Source: S3 "Episodic Memory" (six types, narrative arc in thirds, key moments at 0.7).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from app.language.sentences import cut_sentences
from app.resources import load_rules

KEY_SIGNIFICANCE = 0.7  # S3, getNarrativeArc
_ATTEMPTS = 2  # so many times it failed on before what then works is a breakthrough
_MOMENTS_MOST = 24
_VERDICT_CHARS = 300  # who writes at length describes more than how it went
_BEFORE_CHARS = 24
_SENTENCE_CHARS = 160
_FIX_FILES = 3
_BY_WORTH = {3: 0.9, 2: 0.7, 1: 0.5, None: 0.6}
_COMMIT, _PULL_REQUEST, _TOPIC, _ISSUE, _SOLVED, _BREAKTHROUGH, _PIVOT, _REPLACED = (
    0.5,
    0.7,
    0.6,
    0.4,
    0.6,
    0.9,
    0.6,
    0.8,
)
_KINDS_BONUS = 0.05  # an episode with moments of several types is worth more than its weightiest
_ORDER = ("breakthrough", "pivot", "decision_made", "problem_solved", "task_completed", "issue_identified")
_ANSWERED = frozenset({"implemented", "tested", "completed"})


@dataclass(frozen=True, slots=True)
class LearnedSign:
    """A memory that was learned from a turn. `replaces`: it closed an older one."""

    memory_id: int
    type: str
    worth: int | None = None
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class TopicSign:
    """What a judge says of a part of the conversation that began with a turn."""

    title: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the person with what followed it, in order. `tests`: whether each run of checks passed."""

    number: int
    text: str  # the person's own words
    is_problem: bool = False  # it reports an error or asks for its cause
    tests: Sequence[bool] = ()
    error: str = ""  # the line that named it
    edited: Sequence[str] = ()  # names of files that were changed
    commits: Sequence[str] = ()
    pull_requests: Sequence[str] = ()
    learned: Sequence[LearnedSign] = ()
    topic: TopicSign | None = None


@dataclass(frozen=True, slots=True)
class MomentSign:
    """A moment as it is found: `text` "" where a memory says it."""

    type: str
    turn: int
    text: str
    significance: float
    memory_id: int | None = None
    fix: str = ""  # what solved it


@dataclass(frozen=True, slots=True)
class Course:
    """How a conversation went. None and "" where nothing shows it."""

    moments: tuple[MomentSign, ...] = ()
    type: str = ""
    significance: float | None = None
    valence: float | None = None


@dataclass(frozen=True, slots=True)
class _Words:
    praise: re.Pattern[str]
    praise_unless: re.Pattern[str]
    complaint: re.Pattern[str]
    still_failing: re.Pattern[str]
    pivot: re.Pattern[str]
    problem: re.Pattern[str]


@dataclass(slots=True)
class _Issue:
    """A problem that is open. `attempts`: how often it failed on."""

    name: str
    turn: int
    attempts: int = 0
    is_by_test: bool = False
    edited: dict[str, None] = field(default_factory=dict)  # since it is open


@dataclass(slots=True)
class _Reading:
    moments: list[MomentSign] = field(default_factory=list)
    issue: _Issue | None = None
    good: int = 0
    bad: int = 0


def read_course(turns: Sequence[Turn], outcome: str = "") -> Course:
    """The moments in order, and what they make of the conversation.

    >>> course = read_course([Turn(1, "hm. the export fails", is_problem=True), Turn(2, "works now, thanks!")])
    >>> [(one.type, one.turn, one.text) for one in course.moments], course.type, course.valence
    ([('issue_identified', 1, 'the export fails'), ('problem_solved', 2, 'the export fails')], 'problem_solved', 0.5)
    """
    reading = _Reading()
    for turn in turns:
        _read_turn(reading, turn)
    reading.moments += _finished(turns)
    reading.bad += (outcome == "abandoned") + (reading.issue is not None)
    moments = tuple(_weightiest(_once(reading.moments)))
    signs = reading.good + reading.bad
    return Course(
        moments=moments,
        type=_type_of(moments),
        significance=_significance_of(moments),
        valence=round((reading.good - reading.bad) / (signs + 1), 2) if signs else None,
    )


def third_of(turn: int, first: int, last: int) -> int:
    """0, 1 or 2: the third of the turns from `first` to `last` in which it lies.

    >>> [third_of(turn, 1, 9) for turn in (1, 3, 4, 7, 9)], third_of(1, 1, 1)
    ([0, 0, 1, 2, 2], 0)
    """
    return min(2, max(0, turn - first) * 3 // max(1, last - first + 1))


def _read_turn(reading: _Reading, turn: Turn) -> None:
    verdict = turn.text if len(turn.text) <= _VERDICT_CHARS else ""
    is_praise, is_complaint = _is_praise(verdict), _words().complaint.search(verdict) is not None
    reading.good += is_praise and not is_complaint
    reading.bad += is_complaint
    _read_problem(reading, turn, verdict, is_praise=is_praise and not is_complaint)
    _read_choices(reading, turn, verdict)
    _read_tests(reading, turn)
    if reading.issue is not None:
        reading.issue.edited.update(dict.fromkeys(turn.edited))
    reading.moments += _made(turn)


def _read_problem(reading: _Reading, turn: Turn, verdict: str, *, is_praise: bool) -> None:
    """What the person says of something that fails: it is a new issue, the old one still, or solved."""
    issue = reading.issue
    if issue is not None and _words().still_failing.search(verdict):
        issue.attempts += 1
    elif issue is not None and is_praise and not turn.is_problem:
        _solve(reading, issue, turn.number)
    elif turn.is_problem and issue is not None and not issue.is_by_test:
        issue.attempts += 1
    elif turn.is_problem and (named := _problem_in(turn.text)):
        reading.issue = _Issue(named, turn.number)
        reading.moments.append(MomentSign("issue_identified", turn.number, named, _ISSUE))


def _read_tests(reading: _Reading, turn: Turn) -> None:
    """Checks that fail are an issue, checks that pass after it solve it."""
    for is_passed in turn.tests:
        issue = reading.issue
        if is_passed and issue is not None and issue.is_by_test:
            issue.edited.update(dict.fromkeys(turn.edited))
            _solve(reading, issue, turn.number)
        elif not is_passed and issue is None:
            reading.issue = _Issue(turn.error or "Tests failed", turn.number, is_by_test=True)
            reading.moments.append(MomentSign("issue_identified", turn.number, reading.issue.name, _ISSUE))
        elif not is_passed and issue is not None and issue.is_by_test and issue.turn != turn.number:
            issue.attempts += 1


def _solve(reading: _Reading, issue: _Issue, turn: int) -> None:
    is_hard = issue.attempts >= _ATTEMPTS
    kind, significance = ("breakthrough", _BREAKTHROUGH) if is_hard else ("problem_solved", _SOLVED)
    reading.moments.append(MomentSign(kind, turn, issue.name, significance, fix=_fix(list(issue.edited))))
    reading.issue = None


def _fix(edited: Sequence[str]) -> str:
    """
    >>> _fix(["a.py", "b.py", "c.py", "d.py"]), _fix(["a.py"]), _fix([])
    ('changing b.py, c.py, d.py', 'changing a.py', '')
    """
    return f"changing {', '.join(edited[-_FIX_FILES:])}" if edited else ""


def _read_choices(reading: _Reading, turn: Turn, verdict: str) -> None:
    """Decisions that were learned, and where the direction changed."""
    for learned in turn.learned:
        weight = _BY_WORTH.get(learned.worth, _BY_WORTH[None])
        if learned.replaces:
            sign = MomentSign("pivot", turn.number, "", max(_REPLACED, weight), learned.memory_id)
            reading.moments.append(sign)
        elif learned.type == "decision":
            reading.moments.append(MomentSign("decision_made", turn.number, "", weight, learned.memory_id))
    is_told = any(one.turn == turn.number and one.type == "pivot" for one in reading.moments)
    if turn.number > 1 and not is_told and (named := _sentence_with(_words().pivot, verdict)):
        reading.moments.append(MomentSign("pivot", turn.number, named, _PIVOT))


def _made(turn: Turn) -> Iterable[MomentSign]:
    for title in turn.pull_requests:
        yield MomentSign("task_completed", turn.number, title, _PULL_REQUEST)
    if turn.commits:
        more = f" and {len(turn.commits) - 1} more" if len(turn.commits) > 1 else ""
        yield MomentSign("task_completed", turn.number, f"{turn.commits[0]}{more}", _COMMIT)


def _finished(turns: Sequence[Turn]) -> Iterable[MomentSign]:
    """Topics that came to something, at the last turn before the next one began."""
    begun = [turn for turn in turns if turn.topic is not None]
    ends = [turn.number - 1 for turn in begun[1:]] + ([turns[-1].number] if turns else [])
    for turn, end in zip(begun, ends, strict=False):
        if turn.topic is not None and turn.topic.title and turn.topic.outcome in _ANSWERED:
            yield MomentSign("task_completed", max(end, turn.number), turn.topic.title, _TOPIC)


def _once(moments: Sequence[MomentSign]) -> list[MomentSign]:
    """What is said twice counts where it was said first; what was finished, where it was last. In order of turns."""
    found: dict[tuple[str, str, int | None], MomentSign] = {}
    for one in moments:
        key = (one.type, one.text.lower(), one.memory_id)
        if key not in found or one.type == "task_completed":
            found[key] = one
    return sorted(found.values(), key=lambda one: one.turn)


def _problem_in(text: str) -> str:
    """The sentence that says what is wrong; "" where none does."""
    return _sentence_with(_words().problem, text)


def _sentence_with(pattern: re.Pattern[str], text: str) -> str:
    """The first sentence with such words, in one line; "" without one."""
    sentence = next((one for one in cut_sentences(text) if pattern.search(one)), "")
    line = " ".join(sentence.split()).strip(" -*")
    return line if len(line) <= _SENTENCE_CHARS else f"{line[: _SENTENCE_CHARS - 1].rstrip()}…"


def _weightiest(moments: Sequence[MomentSign]) -> list[MomentSign]:
    """At most so many, in order."""
    best = sorted(range(len(moments)), key=lambda place: (-moments[place].significance, place))[:_MOMENTS_MOST]
    return [moments[place] for place in sorted(best)]


def _type_of(moments: Sequence[MomentSign]) -> str:
    """That of the weightiest moment."""
    best = max(moments, key=lambda one: (one.significance, -_ORDER.index(one.type)), default=None)
    return best.type if best is not None else ""


def _significance_of(moments: Sequence[MomentSign]) -> float | None:
    if not moments:
        return None
    kinds = len({one.type for one in moments})
    return round(min(1.0, max(one.significance for one in moments) + _KINDS_BONUS * (kinds - 1)), 2)


def _is_praise(verdict: str) -> bool:
    """Whether the person is content, in a sentence that neither asks nor takes it back."""
    if verdict.rstrip().endswith("?"):
        return False
    words = _words()
    for match in words.praise.finditer(verdict):
        before = verdict[max(0, match.start() - _BEFORE_CHARS) : match.start()]
        if words.praise_unless.search(before) is None:
            return True
    return False


@cache
def _words() -> _Words:
    rules = load_rules("episodes")
    return _Words(
        praise=_any_of(rules["praise"]),
        praise_unless=_any_of(rules["praise_unless_after"], r"{}\s+(?:\w+\s+)?\Z"),
        complaint=_any_of(rules["complaint"]),
        still_failing=_any_of(rules["still_failing"]),
        pivot=_any_of(rules["pivot"]),
        problem=_any_of(rules["problem"], r"{}|\b[A-Z]\w*(?:Error|Exception)\b"),
    )


def _any_of(phrases: Sequence[object], frame: str = "{}") -> re.Pattern[str]:
    listed = sorted((str(one) for one in phrases), key=len, reverse=True)
    return re.compile(frame.replace("{}", rf"(?<![\w-])(?:{'|'.join(map(re.escape, listed))})(?![\w-])"), re.IGNORECASE)
