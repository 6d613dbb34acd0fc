"""What a conversation is called of which a reader has named the topics: the one that took most of the work.

A topic lasts from the prompt that starts it to the next topic. Prompts of a template or a hook count for nothing, go-ahead and answers
for little. What stands before the first topic went on from an earlier conversation: it is named after its prompts. Must not know the
store or times. Source: JUDGE "Topics", issue 16 point 8.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from app.deciders.conversation.boundary.terms import extract_terms
from app.deciders.conversation.title import MAX_TITLE_CHARS, TitleRules
from app.deciders.conversation.title_choice import choose_title, names_something, title_stop_words
from app.values.conversation import Outcome

_STEP_WEIGHT = 0.25  # of a prompt that only lets the work go on, answers or asks for a chore
_FIRST_WEIGHT = 0.5  # a person remembers how it began
_LARGE, _LARGE_WEIGHT = 0.6, 2.0  # a second topic of so much of the first, and of so many prompts, is named beside it
_LEAST_HEAD = 1.0  # prompts before the first topic that are worth a title of their own
_OWN_TERMS = 0.5  # of either's words that the other has not
_TAKEN_UP = 0.8  # of what other topics weigh that say its words
_GIVEN_UP = 0.4
_FITTING = 0.5  # of a title's words that earlier prompts say: they belong to its topic
_NOT_READ = 0.5  # of what prompts weigh that only rules name
_PLAIN_WORD = re.compile(r"[A-Z][a-z]+(?:[/-][a-z]+)*(?: |\Z)")


@dataclass(frozen=True, slots=True)
class NamedTopic:
    """A topic as a reader told it. `start_id`: the prompt it starts at."""

    start_id: int
    title: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class TopicShare:
    """A topic with the prompts it took, counted by what they are worth."""

    topic: NamedTopic
    weight: float
    is_read: bool = True  # False: named by rules, no reader told of it


def weigh_topics(
    topics: Sequence[NamedTopic],
    prompts: Sequence[tuple[int, str]],
    *,
    repeated: Collection[str] = (),
    rules: TitleRules | None = None,
) -> tuple[TopicShare, ...]:
    """The topics in order, each title once, with what they took; first what no topic holds, where that is worth a name.

    `prompts`: number and text of each, the oldest first. `repeated`: texts that a template or a hook typed.

    >>> topics = [NamedTopic(1, "Export as CSV", "implemented"), NamedTopic(2, "Dark mode", "open")]
    >>> said = [(1, "export orders as CSV"), (2, "add a dark mode"), (3, "the dark footer is unreadable"), (4, "continue")]
    >>> [(one.topic.title, one.weight) for one in weigh_topics(topics, said)]
    [('Export as CSV', 1.0), ('Dark mode', 2.25)]
    """
    typed = {
        number for number, text in prompts if text in repeated
    }  # what follows a hook's prompt belongs to what was before it
    named = {one.start_id: one for one in topics if one.title and one.start_id not in typed}
    starts = sorted(named.values(), key=lambda one: one.start_id)
    seen: set[str] = set()
    before: list[str] = []
    weights = [0.0] * len(starts)
    head = 0.0
    for number, text in prompts:
        at = sum(one.start_id <= number for one in starts) - 1
        weight = 0.0 if text in seen or text in repeated else 1.0 if names_something(text, rules) else _STEP_WEIGHT
        seen.add(text)
        if at < 0:
            head += weight
            before.append(text)
        else:
            weights[at] += weight
    found = [TopicShare(one, weight) for one, weight in zip(starts, weights, strict=True)]
    if starts and _fits(starts[0].title, before):
        found[0] = TopicShare(starts[0], weights[0] + head)
    elif head >= _LEAST_HEAD:
        title = choose_title(before, repeated=repeated, rules=rules)
        found = [TopicShare(NamedTopic(prompts[0][0], title), head, is_read=False), *found] if title else found
    return _join_same(found)


def titles_of_topics(shares: Sequence[TopicShare]) -> tuple[str, ...]:
    """Titles for the conversation, the best first; empty where no topic holds a prompt of the person's own.

    Two topics of about the same size are both named. What others take up by name weighs more, what was given up less.

    >>> shares = [TopicShare(NamedTopic(1, "Export as CSV"), 2.0), TopicShare(NamedTopic(4, "Dark mode"), 2.0)]
    >>> titles_of_topics(shares)
    ('Export as CSV and dark mode', 'Export as CSV', 'Dark mode')
    """
    worth = {one.topic.start_id: _worth(place, one, shares) for place, one in enumerate(shares)}
    ranked = sorted((one for one in shares if one.weight), key=lambda one: -worth[one.topic.start_id])
    titles = tuple(one.topic.title for one in ranked)
    worths = [worth[one.topic.start_id] for one in ranked]
    if (
        len(ranked) < 2
        or not (ranked[0].is_read and ranked[1].is_read)
        or worths[1] < max(_LARGE_WEIGHT, _LARGE * worths[0])
    ):
        return titles
    first, second = sorted(ranked[:2], key=lambda one: one.topic.start_id)
    both = _say_both(first.topic.title, second.topic.title)
    return (both, *titles) if both else titles


def _worth(place: int, one: TopicShare, shares: Sequence[TopicShare]) -> float:
    terms = _terms(one.topic.title)
    others = sum(each.weight * len(terms & _terms(each.topic.title)) for each in shares if each is not one)
    taken_up = _TAKEN_UP * others / max(1, len(terms))
    given_up = _GIVEN_UP if one.topic.outcome == Outcome.ABANDONED else 1.0
    if not one.is_read:
        return one.weight * _NOT_READ
    return (one.weight + taken_up) * given_up + _FIRST_WEIGHT * (place == 0)


def _terms(title: str) -> frozenset[str]:
    return frozenset(extract_terms(title, title_stop_words()))


def _fits(title: str, prompts: Sequence[str]) -> bool:
    """Whether prompts speak of what a title names: they say half of its words."""
    terms, said = _terms(title), frozenset(extract_terms(" ".join(prompts), title_stop_words()))
    return bool(terms) and len(terms & said) >= _FITTING * len(terms)


def _join_same(shares: Sequence[TopicShare]) -> tuple[TopicShare, ...]:
    """Each title once, where it came last: the outcome that was told last counts."""
    joined: dict[str, TopicShare] = {}
    for share in shares:
        same = joined.pop(share.topic.title, None)
        if same is None:
            joined[share.topic.title] = share
        else:
            topic = replace(share.topic, start_id=same.topic.start_id)
            joined[topic.title] = TopicShare(topic, same.weight + share.weight, same.is_read or share.is_read)
    return tuple(joined.values())


def _say_both(first: str, second: str) -> str:
    """Two titles as one; "" where that is too long, or where either has few words of its own."""
    terms = (_terms(first), _terms(second))
    if any(len(one - other) < max(1, _OWN_TERMS * len(one)) for one, other in (terms, terms[::-1])):
        return ""
    joint = "; " if re.search(r",| and ", first + second) else " and "
    both = f"{first.rstrip('.')}{joint}{second[0].lower() + second[1:] if _PLAIN_WORD.match(second) else second}"
    return both if len(both) <= MAX_TITLE_CHARS else ""
