"""What becomes of two memories that cannot both hold: the suggestion, what each answer would do, how a scope is said.

Pure: values in, values out; saving is `app.contradictions.resolve`'s. Source: S4 "resolution", UX 4.7.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.deciders.memory.contradictions.reversals import replacing_words
from app.values import Memory, MemoryStatus, Resolution, Trust

_LEADS = re.compile(
    r"(?:in|on|for|at|with|within|under|during|before|after|until|since|when|while|if|from|only)\b", re.IGNORECASE
)
_ENDS = ".!?"
_READ_SIDE_BY_SIDE = "read side by side, it is what is true now"


@dataclass(frozen=True, slots=True)
class Suggestion:
    resolution: Resolution
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The finding on a pair. `holds`: the side that the judge or the text named as true, "" for neither."""

    holds: str = ""
    kind: str = ""  # of the contradiction
    is_judged: bool = False  # by a model, not by rules
    said_of_b: Sequence[str] = ()  # its text and what was quoted for it
    has_proposal: bool = False  # a judge has put both into one text


def suggest_resolution(a: Memory, b: Memory, found: Evidence) -> Suggestion:
    """The suggested answer (Enter) and the reason for it, that of the rule that fired. `a` is the older side."""
    holds, has_proposal = found.holds, found.has_proposal
    if holds == "both" and has_proposal:
        return Suggestion(Resolution.MERGED, "parts of both are true, and one text can say them")
    if holds == "both":
        return Suggestion(Resolution.BOTH_VALID, "both may be true, each in its own place")
    if holds == "a":
        return Suggestion(Resolution.A_WINS, _READ_SIDE_BY_SIDE)
    if b.trust < Trust.SPOKEN <= a.trust:
        return Suggestion(Resolution.A_WINS, "A is in your own words, B was read from elsewhere")
    if a.is_pinned and not b.is_pinned:
        return Suggestion(Resolution.A_WINS, "you pinned A")
    if holds == "b":
        return Suggestion(Resolution.B_WINS, _why_b(found))
    return Suggestion(Resolution.B_WINS, "it is the newer one")


def _why_b(found: Evidence) -> str:
    words = next(filter(None, map(replacing_words, found.said_of_b)), "")
    if words:
        return f"B says itself that it replaces A (“{words}”)"
    if found.is_judged:
        return _READ_SIDE_BY_SIDE
    return "B says that A is over" if found.kind == "retirement" else "B says the same thing with what is new"


def closes_at(a: Memory, b: Memory, since: datetime | None, now: datetime) -> datetime:
    """When the older side stops holding: when the newer one began, unless that is not later."""
    wanted = since if since is not None else b.valid_from
    return wanted if a.valid_from < wanted <= now else now


def describe_effects(
    a: Memory, b: Memory, links: dict[str, int], now: datetime, notes: dict[str, int]
) -> dict[Resolution, tuple[str, ...]]:
    """What each answer would do, in sentences for people. `links`, `notes`: how many other memories hang on each side, and notes say it."""
    return {
        Resolution.A_WINS: _one_wins("A", a, "B", b, links["b"], now) + _and_notes(notes["b"]),
        Resolution.B_WINS: _one_wins("B", b, "A", a, links["a"], closes_at(a, b, None, now)) + _and_notes(notes["a"]),
        Resolution.BOTH_VALID: (
            "Your assistants get both, each with the place that you name.",
            "Their earlier wordings stay under History.",
        ),
        Resolution.MERGED: (
            "Your assistants get one memory, with the text in Result.",
            f"A stays under History, its quotes{_and_links(links['a'])} move to the one that stays.",
        ),
        Resolution.DISMISSED: (
            "Your assistants get both as they are.",
            "You are not asked about this pair again, nor about the same two things in other words.",
        ),
    }


def _and_links(count: int) -> str:
    return f" and {_counted(count, 'link')}" if count else ""


def _and_notes(count: int) -> tuple[str, ...]:
    return (f"The sentence is removed from {_counted(count, 'note')} too.",) if count else ()


def _one_wins(name: str, winner: Memory, other: str, loser: Memory, link_count: int, at: datetime) -> tuple[str, ...]:
    is_given = loser.status is MemoryStatus.ACTIVE
    given = f"Your assistants get {name} and no longer {other}." if is_given else f"{other} is not accepted."
    lines = [given, f"{other} stays under History, as what held until {at:%-d %b %Y}."]
    if winner.status is MemoryStatus.PROPOSED:
        lines.append(f"{name} was only proposed and is accepted with this.")
    if link_count:
        stays = "stays as it is" if link_count == 1 else "stay as they are"
        lines.append(f"{_counted(link_count, 'memory')} linked to {other} {stays}.")
    return tuple(lines)


def _counted(count: int, noun: str) -> str:
    """
    >>> _counted(1, "link"), _counted(2, "memory")
    ('1 link', '2 memories')
    """
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else many}"


def add_scope(text: str, scope: str) -> str:
    """A memory's text with where it holds, said as a person would; the words before stay as they are.

    >>> add_scope("Use SQLite.", "tests"), add_scope("Use MySQL", "in production.")
    ('Use SQLite. Only for tests.', 'Use MySQL. Only in production.')
    """
    wanted = " ".join(scope.split()).strip(" .,;:")
    if not wanted:
        return text
    stripped = text.rstrip()
    end = "" if stripped[-1:] in _ENDS else "."
    if wanted.lower().startswith("only "):
        wanted = wanted[5:]
    lead = "" if _LEADS.match(wanted) else "for "
    return f"{stripped}{end} Only {lead}{wanted}."
