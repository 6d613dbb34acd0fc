"""What a played history is worth, held against the labels of a careful reader. Pure.

A memory *says* a labelled statement when the content words of both overlap by half of the smaller side (a third where it was
learned from the very stretch), and it is no more than twice as long: a whole prompt says everything. Worth 1 counts neither way;
what is said twice counts once; a row that repeats an earlier one is scored once. Source: eval/README "Real sessions".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

Row = Mapping[str, Any]
Label = tuple[str, int]  # row, place among its durable statements

_SAYS_RATIO, _SAYS_RATIO_IN_PLACE = 0.5, 0.34
_LONGER_MAX = 2
_REFERENCE_RATIO = 0.5
_ANSWER_RATIO, _ANSWER_RATIO_ELSEWHERE = 1 / 3, 0.6
_WORTH_MIN = 2
_RESOLVABLE = frozenset({"same", "user", "assistant"})
_WORD = re.compile(r"[a-z0-9_#.]+[a-z0-9_#]|[a-z0-9]")
_NUMBERED_LINE = re.compile(r"^\W*\[(\d+)\]", re.MULTILINE)
# Kept as one text: the list of ninety strings says no more.
_STOP_WORDS_TEXT = """
a all also an and any are as at be been by can could did do does for from had has have here how i if in into is it its just make made
may might must need needs no not of on only or our should so than that the them then there these they this those to use used uses
using want wants was we were what when which who will with would you your my
"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


@dataclass(frozen=True, slots=True)
class KeptSource:
    """Where a memory came from: the row of its message, and the stretch, where it is known."""

    row_id: str | None
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it is at the end of the stream."""

    id: int
    text: str
    kind: str
    status: str
    sources: tuple[KeptSource, ...]
    superseded_by: int | None = None
    closed_by: str | None = None  # row of the message that closed it
    contradicts: tuple[int, ...] = ()

    @property
    def rows(self) -> frozenset[str]:
        return frozenset(one.row_id for one in self.sources if one.row_id is not None)


@dataclass(frozen=True, slots=True)
class Given:
    """What a hook answered: the memories by number, and how many lines there were besides frame and headings."""

    memory_ids: tuple[int, ...] = ()
    line_count: int = 0

    @classmethod
    def of_hook(cls, answer: object) -> Self:
        output = answer.get("hookSpecificOutput") if isinstance(answer, dict) else None
        text = str((output or {}).get("additionalContext", ""))
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("<", "#"))]
        return cls(tuple(int(number) for number in _NUMBERED_LINE.findall(text)), len(lines))


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a stream. Starts and first prompts by session, the rest by row."""

    kept: tuple[Kept, ...]
    starts: Mapping[str, Given]
    first_prompts: Mapping[str, Given]
    is_new: Mapping[str, bool]
    references: Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class _Match:
    """The labelled statements that a memory says, and whether it was learned from labelled rows at all."""

    labels: frozenset[Label]
    is_scored: bool
    is_of_repeat: bool


def score_sessions(
    rows: Sequence[Row],
    played: Played,
    starts: Sequence[Row],
    questions: Sequence[Row],
    hits: Mapping[str, Sequence[tuple[str, int | None, str | None]]],
) -> dict[str, float]:
    """The metrics by name, ratios 0..1 or counts; what has nothing to count is left out. `hits`: per question, best first."""
    labelled = [row for row in rows if "act" in row]
    by_id = {str(row["id"]): row for row in labelled}
    matches = {one.id: _match(one, by_id) for one in played.kept}
    found: dict[str, float | None] = {"labelled": len(labelled)}
    found |= _score_kept(played.kept, matches, labelled, by_id)
    found |= score_references(played.references, labelled)
    found |= score_topics(played.is_new, labelled)
    found |= _score_changes(played.kept, labelled)
    found |= _score_given(played, matches, starts)
    found |= _score_questions(played.kept, questions, hits)
    return {name: value for name, value in found.items() if value is not None}


def stated_labels(kept: Iterable[Kept], rows: Sequence[Row]) -> frozenset[Label]:
    """The labelled statements of worth 2 and 3 that an active memory says."""
    by_id = {str(row["id"]): row for row in rows if "act" in row}
    found = (label for one in kept if one.status == "active" for label in _match(one, by_id).labels)
    return frozenset((row, place) for row, place in found if by_id[row]["durable"][place]["worth"] >= _WORTH_MIN)


def answered_questions(
    kept: Sequence[Kept],
    questions: Sequence[Row],
    hits: Mapping[str, Sequence[tuple[str, int | None, str | None]]],
    *,
    by_memory: bool = False,
) -> frozenset[str]:
    """Which questions are answered among the first hits; `by_memory`: by one that is a memory, not only by a message."""
    rows_of = {one.id: one.rows for one in kept}
    counted = {
        question: [hit for hit in found if hit[1] is not None or not by_memory] for question, found in hits.items()
    }
    return frozenset(str(row["question"]) for row in questions if _is_answered(row, rows_of, counted[row["question"]]))


def content_words(text: str) -> frozenset[str]:
    """
    >>> sorted(content_words("The port is 7402, not 80."))
    ['7402', '80', 'port']
    """
    return frozenset(_WORD.findall(text.lower())) - _STOP_WORDS


def overlap_of(first: str, second: str) -> float:
    """Shared content words of the smaller side: 0..1."""
    one, other = content_words(first), content_words(second)
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def _match(memory: Kept, by_id: Mapping[str, Row]) -> _Match:
    labels: set[Label] = set()
    rows = [(by_id[one.row_id], one) for one in memory.sources if one.row_id is not None and one.row_id in by_id]
    for row, source in rows:
        for place, label in enumerate(row["durable"]):
            if _says(memory.text, row["text"], label, source):
                labels.add((row["id"], place))
    return _Match(frozenset(labels), bool(rows), any(row.get("repeat") for row, _ in rows))


def _says(text: str, message: str, label: Row, source: KeptSource) -> bool:
    start, end = label["start"], label["end"]
    wanted = f"{message[start:end]} {label['statement']}"
    is_in_place = (
        source.start is not None
        and source.end is not None
        and source.start < end
        and source.end > start
        and end > start
    )
    is_brief = len(content_words(text)) <= _LONGER_MAX * len(content_words(wanted))
    return is_brief and overlap_of(text, wanted) >= (_SAYS_RATIO_IN_PLACE if is_in_place else _SAYS_RATIO)


def _score_kept(
    kept: Iterable[Kept], matches: Mapping[int, _Match], labelled: Sequence[Row], by_id: Mapping[str, Row]
) -> dict[str, float | None]:
    facts = sorted((one for one in kept if one.kind == "fact" and matches[one.id].is_scored), key=lambda one: one.id)
    wanted: dict[str, set[Label]] = {}
    worth: dict[str, int] = {}
    for row in labelled:
        if not row.get("repeat"):
            for place, label in enumerate(row["durable"]):
                wanted.setdefault(label["statement"], set()).add((row["id"], place))
                worth[label["statement"]] = max(worth.get(label["statement"], 0), label["worth"])
    wanted = {statement: labels for statement, labels in wanted.items() if worth[statement] >= _WORTH_MIN}
    found: dict[str, float | None] = {"wanted": len(wanted)}
    for name, statuses in (("active", {"active"}), ("all", {"active", "proposed"})):
        right = wrong = 0
        covered: set[Label] = set()
        for one in facts:
            match = matches[one.id]
            if one.status not in statuses or (match.labels and match.labels <= covered):
                continue
            best = max((by_id[row]["durable"][place]["worth"] for row, place in match.labels), default=0)
            right += best >= _WORTH_MIN
            wrong += best == 0 and not match.is_of_repeat
            covered |= match.labels
        heard = sum(bool(labels & covered) for labels in wanted.values())
        found |= {
            f"{name}_right": right,
            f"{name}_wrong": wrong,
            f"{name}_precision": _ratio(right, right + wrong),
            f"{name}_recall": _ratio(heard, len(wanted)),
        }
    empty = [row["id"] for row in labelled if not row["durable"]]
    taught = frozenset().union(*(one.rows for one in facts if one.status == "active"))
    return found | {"empty": len(empty), "empty_kept": _ratio(sum(row not in taught for row in empty), len(empty))}


def score_references(
    references: Mapping[str, Sequence[Mapping[str, Any]]], labelled: Sequence[Row]
) -> dict[str, float | None]:
    """What was answered of the labelled pointing words, and how often right; None where nothing is to count."""
    answered = right = answerable = 0
    for row in labelled:
        resolved = [one for one in references[row["id"]] if one["state"] == "resolved"]
        for label in row["refs"]:
            answerable += label["where"] in _RESOLVABLE
            hit = next((one for one in resolved if one["start"] < label["end"] and one["end"] > label["start"]), None)
            if hit is not None:
                answered += 1
                is_same = overlap_of(hit["antecedent"] or "", label["antecedent"]) >= _REFERENCE_RATIO
                right += label["where"] in _RESOLVABLE and is_same
    return {
        "references_answered": answered,
        "references_right_of_answered": _ratio(right, answered),
        "references_right_of_answerable": _ratio(right, answerable),
    }


def score_topics(is_new: Mapping[str, bool], labelled: Sequence[Row]) -> dict[str, float | None]:
    """F1 of the beginnings of conversations."""
    both = sum(is_new[row["id"]] and bool(row["starts_topic"]) for row in labelled)
    either = sum(is_new[row["id"]] + bool(row["starts_topic"]) for row in labelled)
    return {"topic_f1": _ratio(2 * both, either)}


def _score_changes(kept: Sequence[Kept], labelled: Sequence[Row]) -> dict[str, float | None]:
    rows_of = {one.id: one.rows for one in kept}
    closing: set[str | None] = {one.closed_by for one in kept}
    for one in kept:
        closing.add(min(rows_of.get(one.superseded_by or 0, ()), default=None))
        closing |= {max(one.rows | rows_of.get(other, frozenset()), default=None) for other in one.contradicts}
    changed = {row["id"] for row in labelled if row["changes"]}
    opened = {row["id"] for row in labelled} & closing
    return {
        "changes": len(changed),
        "changes_heard": _ratio(len(changed & opened), len(changed)),
        "changes_opened": len(opened),
        "changes_precision": _ratio(len(changed & opened), len(opened)),
    }


def _score_given(played: Played, matches: Mapping[int, _Match], starts: Sequence[Row]) -> dict[str, float | None]:
    lines = useful = first_lines = first_useful = told = asked = 0
    for start in starts:
        wanted = {(row, int(place)) for row, _, place in (str(key).rpartition("#") for key in start["tell_at_start"])}
        at_start = played.starts.get(start["session"], Given())
        along = played.first_prompts.get(start["session"], Given())
        given: set[Label] = set()
        for number in at_start.memory_ids:
            hit = (matches[number].labels if number in matches else frozenset()) & wanted
            useful += bool(hit)
            given |= hit
        before = frozenset(given)
        for number in along.memory_ids:
            hit = (matches[number].labels if number in matches else frozenset()) & (wanted - before)
            first_useful += bool(hit)
            given |= hit
        lines, first_lines = lines + at_start.line_count, first_lines + along.line_count
        told, asked = told + len(given), asked + len(wanted)
    return {
        "starts": len(starts),
        "start_lines": lines,
        "start_useful": _ratio(useful, lines),
        "first_prompt_lines": first_lines,
        "first_prompt_useful": _ratio(first_useful, first_lines),
        "told": _ratio(told, asked),
    }


def _score_questions(
    kept: Sequence[Kept],
    questions: Sequence[Row],
    hits: Mapping[str, Sequence[tuple[str, int | None, str | None]]],
) -> dict[str, float | None]:
    answered = len(answered_questions(kept, questions, hits))
    return {"questions": len(questions), "questions_answered": _ratio(answered, len(questions))}


def _is_answered(
    row: Row, rows_of: Mapping[int, frozenset[str]], hits: Sequence[tuple[str, int | None, str | None]]
) -> bool:
    wanted = content_words(row["answer"])
    for text, memory_id, row_id in hits:
        rows = rows_of.get(memory_id, frozenset()) if memory_id is not None else frozenset({row_id})
        least = _ANSWER_RATIO if rows & set(row["ids"]) else _ANSWER_RATIO_ELSEWHERE
        if wanted and len(content_words(text) & wanted) / len(wanted) >= least:
            return True
    return False


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
