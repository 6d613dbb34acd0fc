"""Orders that keep holding ("store prices in cents", "ask before you install anything") told from tasks ("run the tests").

Owns the weighing of an imperative by its verb, its object and what limits it, and of styles said without a verb; words and
weights are `orders.yaml`. A task is silence. Knows nothing of messages. Source: S3 (preferences and constraints).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from app.memory.clauses import parse_clause
from app.memory.faults import tells_of_fault
from app.memory.matching import BARE, Match, doubts_clause, is_task_after
from app.memory.rules import MemoryRules
from app.memory.slots import Filling, fill_slot, find_technologies
from app.memory.standing import Setting
from app.values import FactType

_WORD = re.compile(r"[a-z0-9_@#`\"'][\w'+#./`-]*", re.IGNORECASE)
_PLURAL = re.compile(r"[\w-]{3,}(?<!ss)(?<!us)(?<!is)s$", re.IGNORECASE)
_ARTICLES = frozenset(
    {"the", "this", "that", "these", "those", "it", "its", "them", "him", "her", "their", "both", "another", "one"}
)
_OWN = frozenset({"your", "my", "our"})
_WHOLE = frozenset({"all", "every", "each", "any", "anything", "everything", "new"})
_LONG_WORDS, _NEAR_WORDS, _STYLE_WORDS, _LEAST_TOPICAL_WORDS = 18, 4, 9, 2
_LIMITS = ("condition", "once", "contrast", "manner", "lasting", "target", "definite", "indirect")
_TALKS = frozenset({"ask", "show", "explain", "answer", "reply", "respond", "give", "tell", "talk", "speak", "summarise", "summarize", "wait", "propose", "suggest", "mention", "list", "say", "apologise", "apologize", "confirm", "plan", "think", "guess"})  # fmt: skip
_SAID_OF = frozenset({"give", "take", "make", "get", "go", "come", "work", "fail", "return", "show", "need", "happen", "seem", "look", "do", "say", "use", "throw", "break", "crash", "cause", "lead", "mean"})  # fmt: skip
_ORDER = replace(BARE, id="order", type=FactType.PREFERENCE, reason="is an order that keeps holding")
_STYLE = replace(_ORDER, id="style", reason="says how things are to look")
_AGREED = re.compile(r"let(?:'s|s| us)\b", re.IGNORECASE)
_FIRST = re.compile(
    r"^(?:[\w-]+ ){0,2}[\w-]+ first(?:, (?:then )?[\w-]+(?: [\w-]+){0,2}(?: (?:second|later|after|next|last))?)?$",
    re.IGNORECASE,
)
_AIMED = re.compile(r"\b(?:that|which|who|you|we)\b", re.IGNORECASE)
_FINITE = frozenset({"is", "are", "was", "were", "has", "must", "should", "will", "does"})
_DETERMINED = frozenset({"the", "this", "that", "my", "your", "our", "a", "an", "it", "them", "me", "us"})
_NO_OBJECT = frozenset({"by", "onto", "into", "from", "with", "in", "on", "to", "through", "over"})
_BANS = frozenset({"no", "never", "without", "zero"})
_NO_FIRST = frozenset(
    {
        "this",
        "that",
        "the",
        "it",
        "me",
        "you",
        "do",
        "let",
        "at",
        "these",
        "those",
        "what",
        "my",
        "come",
        "comes",
        "very",
        "go",
    }
)


@dataclass(frozen=True, slots=True)
class _Order:
    lead: str  # "please don't"
    verb: str  # its base form
    rest: str
    is_negated: bool
    is_framed: bool  # "when in doubt, …"


def read_order(part: str, rules: MemoryRules, setting: Setting) -> Match | None:
    """The order as a statement when it weighs enough as one that keeps holding; None for a task.

    >>> from app.memory.rules import load_memory_rules
    >>> rules, setting = load_memory_rules(), Setting(4)
    >>> read_order("store prices in cents", rules, setting).pattern.type.value
    'preference'
    >>> read_order("run the tests", rules, setting) is None
    True
    """
    order = _parse(part, rules)
    if order is None or rules.orders.has("passing", part) or _is_doubtful(_without_condition(part, rules), rules):
        return None
    weights = rules.orders.weights
    total = weights["base"] + sum(weights[name] for name in _features(order, part, rules, setting))
    if total < rules.orders.least:
        return None
    confidence = round(min(total, rules.orders.most), 2)
    pattern = replace(_ORDER, type=_type(order, rules), confidence=confidence, is_negated=order.is_negated)
    wanted = rules.orders.expressions["wanted"].match(part)
    text = part[wanted.end() :].strip() if wanted is not None else part
    filling = fill_slot(part, rules.slots, {"new": order.rest}) if not order.is_negated else Filling(None, "")
    return Match(pattern, text, {"rest": order.rest}, filling if filling.slot else None)


def read_style(part: str, rules: MemoryRules, setting: Setting) -> Match | None:
    """A way of writing or working that is named without a verb; None when it says too little.

    >>> from app.memory.rules import load_memory_rules
    >>> read_style("single quotes please", load_memory_rules(), Setting(3)).filling.value
    'single quotes'
    """
    desire = rules.orders.expressions["desire"].match(part)
    frame = rules.orders.expressions["frame"].match(part)
    start = max((found.end() for found in (desire, frame) if found is not None), default=0)
    said, part = part, part[start:]
    words = [word.lower() for word in _WORD.findall(part)]
    if not 1 < len(words) <= _STYLE_WORDS or setting.is_troubled or words[0] in _ARTICLES:
        return None
    is_ban = words[0] in _BANS
    is_compound = rules.orders.topics.issuperset(words[:2])  # "type hints"
    is_led = not is_ban and not is_compound and _is_verb(words[0], rules)
    is_verbal = parse_clause(part, rules.clauses) is not None or is_led
    is_verbal = is_verbal or (len(words) > 1 and words[1] in _DETERMINED)
    is_verbal = is_verbal or any(_is_verb(word, rules) for word in words if word.endswith("s"))
    is_verbal = is_verbal or rules.orders.has("no_style", part)
    if is_verbal or rules.orders.has("passing", part) or _is_doubtful(said, rules):
        return None
    filling = fill_slot(part, rules.slots)
    weights = rules.orders.style_weights
    features = [*_style_features(part, words, filling, rules, setting), *(["wanted"] if desire is not None else [])]
    total = weights["base"] + sum(weights[name] for name in features)
    if total < rules.orders.style_least:
        return None
    pattern = replace(_STYLE, confidence=round(min(total, rules.orders.most), 2), is_negated=is_ban)
    pattern = replace(pattern, type=FactType.CONSTRAINT) if is_ban else pattern
    return Match(
        pattern, said if frame is not None else part, {"new": part}, filling if filling.slot and not is_ban else None
    )


def _without_condition(part: str, rules: MemoryRules) -> str:
    """The order alone: "when unsure" is no doubt about it."""
    frame, condition = rules.orders.expressions["frame"], rules.orders.expressions["condition"]
    main = part[found.end() :] if (found := frame.match(part)) is not None else part
    found = condition.search(main)
    main = main[: found.start()] if found is not None else main
    return _AIMED.split(main, maxsplit=1)[0] if rules.orders.has("negated", main) else main


def _is_doubtful(part: str, rules: MemoryRules) -> bool:
    return tells_of_fault(part, rules) or doubts_clause(part, rules) or is_task_after(part, rules)


def _parse(part: str, rules: MemoryRules) -> _Order | None:
    """The imperative taken apart; None when the words are none."""
    own = rules.orders
    frame = own.expressions["frame"].match(part)
    begin = frame.end() if frame is not None else 0
    lead = own.expressions["lead"].match(part, begin)
    end = lead.end() if lead is not None else begin
    said = part[end:].split(maxsplit=1)
    opening = part[begin:end].strip()
    if not said:
        return None
    verb, rest = said[0].lower().strip(",;:`\"'"), said[1] if len(said) > 1 else ""
    is_negated = own.has("negated", opening) or verb == "avoid"
    verb = _base(verb, opening, rules) or verb
    is_known = verb in own.conventions or verb in own.habits or verb in own.tasks
    if not is_known or said[0][-1:] in {":", "=", ","} or (is_negated and verb in own.no_bans):
        return None
    if any(_is_third(word, rules) for word in _WORD.findall(rest.lower())[:_NEAR_WORDS]):
        return None  # "batch size 64 gives …"
    if _FINITE.intersection(rest.lower().split()[:_NEAR_WORDS]) or rest.startswith(("of ", ": ", "= ")):
        return None  # "use is forbidden", "tests are …"
    return _Order(opening, verb, rest, is_negated, frame is not None)


def _is_third(word: str, rules: MemoryRules) -> bool:
    """Whether the word is a verb said of somebody else: "gives", not "tests"."""
    stems = {word.removesuffix("s"), word.removesuffix("es")} - {word}
    return not stems.isdisjoint(_SAID_OF) and word not in rules.orders.topics


def _base(word: str, opening: str, rules: MemoryRules) -> str:
    """The verb of "stop adding": its base form."""
    if not opening.lower().endswith("stop") or not word.endswith("ing"):
        return ""
    forms = (form.base for form in rules.clauses.verbs.get(word, ()) if form.form == "ing")
    stem = word.removesuffix("ing")
    known = rules.orders.habits | rules.orders.conventions
    return next(forms, "") or next((one for one in (stem, f"{stem}e", stem[:-1]) if one in known), "")


def _features(order: _Order, part: str, rules: MemoryRules, setting: Setting) -> Iterator[str]:
    own = rules.orders
    is_asked = order.verb in _TALKS and own.has("condition", order.rest)
    yield from (name for name in _verb_features(order, rules) if name != "display" or not is_asked)
    if own.has("wanted", part):
        yield "wanted"
    is_limited = order.is_framed or any(own.has(name, order.rest) for name in ("condition", "contrast", "lasting"))
    unsaid = {"to_me"} if is_limited else {"all", "plural"} if order.verb in _TALKS else set()
    if is_asked:
        unsaid |= {"a", "definite"}  # "show me a plan before you …"
    yield from (name for name in _object_features(order.rest, rules) if name not in unsaid)
    yield from (name for name in _LIMITS if name not in unsaid and own.has(name, order.rest))
    first = order.rest.split(" ", 1)[0].lower()
    if first in _NO_OBJECT and order.verb not in own.conventions and order.verb not in _TALKS and not is_limited:
        yield "objectless"
    if own.has("paired", part) and order.is_negated:
        yield "contrast"
    if own.has("code", order.rest) and not own.has("style_name", order.rest):
        yield "code"
    if len(part.split()) > _LONG_WORDS:
        yield "long"
    yield from setting.features()


def _verb_features(order: _Order, rules: MemoryRules) -> Iterator[str]:
    own = rules.orders
    yield "convention" if order.verb in own.conventions else "habit"
    if order.is_negated:
        yield "negated"
    elif order.verb in own.tasks and order.verb not in own.conventions:
        yield "task"
    elif order.verb in own.displays:
        yield "display"
    if order.is_framed:
        yield "frame"
    if _AGREED.match(order.lead):
        yield "agreed"
    if own.has("firm", order.lead):
        yield "firm"


def _object_features(rest: str, rules: MemoryRules) -> Iterator[str]:
    words = [word.lower() for word in _WORD.findall(rest)]
    if not words:
        return
    first, near = words[0], words[:_NEAR_WORDS]
    if first in {"me", "us"}:
        yield "to_me"
        words = words[1:]
        first, near = words[0] if words else "", words[:_NEAR_WORDS]
    if first in _WHOLE and near[1:2] not in (["the"], ["of"]):
        yield "all"
    elif first in _ARTICLES:
        yield "fixed" if first == "the" and rules.orders.fixed_parts.intersection(near) else "the"
    elif first in {"a", "an"}:
        yield "a"
    elif first in _OWN:
        yield "ours"
    elif find_technologies(f"to {rest}", (), rules.slots):
        yield "technology"
    elif any(_PLURAL.match(word) for word in near[:3]):
        yield "plural"
    else:
        yield "bare"
    if rules.orders.topics.intersection(words):
        yield "topic"


def _type(order: _Order, rules: MemoryRules) -> FactType:
    if order.is_negated:
        return FactType.CONSTRAINT
    if _AGREED.match(order.lead):
        return FactType.DECISION
    if order.verb in _TALKS or not find_technologies(f"to {order.rest}", (), rules.slots):
        return FactType.PREFERENCE
    return FactType.DECISION


def _is_verb(word: str, rules: MemoryRules) -> bool:
    """Whether an imperative or a clause without its subject begins with the word."""
    forms = rules.clauses.verbs.get(word, ())
    is_form = any(form.form in {"s", "ing"} for form in forms) and not _is_noun(word, rules)
    is_form = is_form or (word.endswith("s") and word[:-1] in rules.orders.habits and not _is_noun(word, rules))
    return is_form or (
        word in rules.orders.habits | rules.orders.conventions | rules.clauses.words["openings"]
        and not _is_noun(word, rules)
    )


def _is_noun(word: str, rules: MemoryRules) -> bool:
    return word in rules.orders.topics and word not in {
        "return",
        "commit",
        "import",
        "export",
        "log",
        "type",
        "name",
        "test",
        "format",
    }


def _style_features(
    part: str, words: list[str], filling: Filling, rules: MemoryRules, setting: Setting
) -> Iterator[str]:
    own = rules.orders
    yield from _topic_features(words, rules)
    slot = filling.slot
    if slot is not None and slot.attribute in own.style_attributes and _is_firm(filling, rules):
        yield "value"
    if _FIRST.match(part) and words[0] not in _NO_FIRST:
        yield "first"
    elif own.has("marker", part) or setting.is_polite:
        yield "marker"
    is_ban = words[0] in _BANS
    limits = ("contrast", "manner", "lasting") if is_ban else ("contrast", "manner", "lasting", "target")
    yield from (name for name in limits if own.has(name, part))
    if is_ban:
        yield "ban"
    if own.has("code", part):
        yield "code"
    if find_technologies(f"to {part}", (), rules.slots):
        yield "technology"
        if own.has("contrast", part):
            yield "tech_contrast"
    yield from (name for name in setting.features() if name in own.style_weights and name != "brief")


def _topic_features(words: list[str], rules: MemoryRules) -> Iterator[str]:
    own = rules.orders
    about = [word for word in words if word in own.topics and word not in own.places]
    if about:
        yield "topic"
    if len(set(about)) > 1 and len(words) > _LEAST_TOPICAL_WORDS and words[-1] in own.topics:
        yield "topics"
    following = {after for word, after in pairwise(words) if word == "the"}
    if following - own.topics - own.fixed_parts:
        yield "the"


def _is_firm(filling: Filling, rules: MemoryRules) -> bool:
    attribute = rules.slots.attributes[filling.slot.attribute] if filling.slot is not None else None
    return attribute is not None and (attribute.kind != "text" or filling.value in attribute.choices)
