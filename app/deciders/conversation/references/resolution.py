"""What "it", "that", "the button" stand for: the antecedent of every mention of a message, or the admission of not
knowing.

Puts mentions, candidates and weights together and applies the thresholds: clear = resolved, close = ambiguous with
candidates, nothing or only the assistant's words = unresolved.

Which one of several: "the second one", "the latter", "the other one".

How sure the best candidate is: by what kind of mention takes up what kind of thing, and how far away.

References to other conversations: "conversation #2", "the FAB button from yesterday", "as in the dark mode chat".

Source: S1, S2 (context references); S1, cross-conversation references.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from app.deciders.conversation.references.candidates import history_options, option_of, options_here
from app.deciders.conversation.references.mentions import clauses_before, find_left_out, find_spots, last_act
from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import Scored, rank_options, with_salience
from app.deciders.conversation.references.values import AHEAD, ConversationMention, NamedThing, Option, Spot, Type
from app.language.analysis_cache import read_message
from app.language.phrases import Analysis, Role
from app.values import Candidate, Entity, EntityKind, PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker

MAX_SEARCHED_CHARS = 2_000
MAX_FOUND = 8
_NUMBERED = re.compile(r"\b(?:conversation|chat|session|thread)\s*(?:#|no\.?\s*|number\s+)?(\d{1,3})\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:the|our|that)\s+([\w][\w .+#-]{1,40}?)\s+(?:conversation|chat|session|discussion|thread)\b", re.IGNORECASE
)
_ABOUT = re.compile(
    r"\b(?:conversation|chat|discussion|thread)\s+(?:about|on|where we \w+)\s+(?:the |our |my )?((?:[\w+#.-]+ ){0,3}[\w+#.-]+)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:the|that|our|my)\s+([\w][\w .+#-]{0,40}?)\s+(?:(?:that\s+)?we\s+[\w ]{2,20}?\s+)?(?:from\s+)?"
    r"(yesterday|this morning|last week|last month|earlier today|today|(?:\d+|two|three|four|five|six)\s+(?:days?|weeks?)\s+ago"
    r"|(?:last |on )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    re.IGNORECASE,
)
_ALIKE = re.compile(
    r"\b(?:like|same as|as in|as with|matching|similar to|the way we did) (?:the|our|that|my) ((?:[\w+#.-]+ ){0,3}[\w+#.-]+)",
    re.IGNORECASE,
)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_VAGUE = frozenset({"previous", "last", "earlier", "other", "same", "current", "new"})


def find_elsewhere(
    text: str,
    conversations: Sequence[ConversationMention],
    now: datetime | None,
    here: AbstractSet[str] = frozenset(),
) -> list[Reference]:
    """References to other conversations, by place. `here`: what this conversation spoke of, in normal form."""
    head = text[:MAX_SEARCHED_CHARS]
    found = [_numbered(match, conversations) for match in _NUMBERED.finditer(head)]
    if conversations:
        named = (_named(match, conversations) for match in _NAMED.finditer(head))
        found.extend(r for r in named if r is not None and not _overlaps(r, found))
        about = (_about(match, conversations) for match in _ABOUT.finditer(head))
        found.extend(r for r in about if r is not None and not _overlaps(r, found))
    if now is not None and conversations:
        dated = (_dated(match, conversations, now) for match in _DATED.finditer(head))
        found.extend(r for r in dated if r is not None and not _overlaps(r, found))
    alike = (_alike(match, conversations, here) for match in _ALIKE.finditer(head))
    found.extend(r for r in alike if r is not None and not _overlaps(r, found))
    return sorted(found, key=lambda reference: reference.start)[:MAX_FOUND]


def _overlaps(reference: Reference, others: Sequence[Reference]) -> bool:
    return any(o.start < reference.end and reference.start < o.end for o in others)


def _numbered(match: re.Match[str], conversations: Sequence[ConversationMention]) -> Reference:
    position = int(match.group(1))
    chosen = [c for c in conversations if c.position == position]
    return _reference(match, chosen, chosen[0].title if chosen else None, f"number {position} of the queue", 0.95)


def _named(match: re.Match[str], conversations: Sequence[ConversationMention]) -> Reference | None:
    words = _words(match.group(1))
    if not words or words <= _VAGUE:
        return None
    chosen = [
        c for c in conversations if words <= _words(c.title) | {w for name, _ in c.entities for w in _words(name)}
    ]
    return _reference(match, chosen, chosen[0].title, f"speaks of {match.group(1).lower()}", 0.8) if chosen else None


def _about(match: re.Match[str], conversations: Sequence[ConversationMention]) -> Reference | None:
    """ "the conversation about the FAB button": as many of the words that follow as one conversation has."""
    words = match.group(1).split()
    while words and (topic := _words(" ".join(words))):
        chosen = [
            c for c in conversations if topic <= _words(c.title) | {w for name, _ in c.entities for w in _words(name)}
        ]
        if chosen:
            end = match.start(1) + len(" ".join(words))
            place = _Place(match.string[match.start() : end], match.start(), end)
            return _reference(place, chosen, chosen[0].title, f"speaks of {' '.join(words).lower()}", 0.8)
        words.pop()
    return None


def _alike(
    match: re.Match[str], conversations: Sequence[ConversationMention], here: AbstractSet[str]
) -> Reference | None:
    """ "like the FAB button": a thing that this conversation did not speak of, and another one did, by its very name."""
    words = match.group(1).lower().split()
    while words:
        name = " ".join(words)
        if name in here:
            return None
        chosen = [c for c in conversations if any(name == spoken.lower() for spoken, _ in c.entities)]
        if chosen:
            end = match.start(1) + len(" ".join(match.group(1).split()[: len(words)]))
            said = next(spoken for spoken, _ in chosen[-1].entities if spoken.lower() == name)
            titled = [c for c in chosen if name in c.title.lower()]
            return _reference(
                _Place(match.string[match.start(1) : end], match.start(1), end),
                titled[-1:] or chosen,
                said,
                f"only spoken of in “{(titled or chosen)[-1].title}”",
                0.8,
            )
        words.pop()
    return None


class _Place(NamedTuple):
    """Words of a message that are no match of a pattern as a whole."""

    text: str
    begins: int
    ends: int

    def group(self) -> str:
        return self.text

    def start(self) -> int:
        return self.begins

    def end(self) -> int:
        return self.ends


def _dated(match: re.Match[str], conversations: Sequence[ConversationMention], now: datetime) -> Reference | None:
    words, (since, until) = _words(match.group(1)), _span(match.group(2).lower(), now)
    found: list[tuple[ConversationMention, str]] = []
    for conversation in conversations:
        for name, last_at in conversation.entities:
            at = last_at or conversation.started_at
            if at is not None and since <= at < until and words <= _words(name):
                found.append((conversation, name))
    if not found:
        return None
    ids = {conversation.id for conversation, _ in found}
    chosen = [c for c in conversations if c.id in ids]
    return _reference(match, chosen, found[0][1], f"spoken of {match.group(2).lower()}", 0.85)


def _span(when: str, now: datetime) -> tuple[datetime, datetime]:
    """The days that a time word means, half-open, in the clock's zone."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    if "today" in when or when == "this morning":
        return midnight, midnight + day
    if when == "yesterday":
        return midnight - day, midnight
    if when == "last week":
        return midnight - 13 * day, midnight
    if when == "last month":
        return midnight - 62 * day, midnight
    if when.endswith("ago"):
        number, unit = when.split()[:2]
        days = (int(number) if number.isdigit() else _COUNTS[number]) * (7 if unit.startswith("week") else 1)
        slack = 3 if unit.startswith("week") else 0
        return midnight - (days + slack) * day, midnight - (days - 1 - slack) * day
    back = (now.weekday() - _DAYS.index(when.rsplit(maxsplit=1)[-1])) % 7 or 7
    return midnight - back * day, midnight - (back - 1) * day


def _reference(
    match: "re.Match[str] | _Place",
    chosen: Sequence[ConversationMention],
    antecedent: str | None,
    reason: str,
    confidence: float,
) -> Reference:
    candidates = tuple(Candidate(c.title, confidence / len(chosen), None, c.id, reason) for c in chosen[:5])
    state = ReferenceState.UNRESOLVED
    if chosen:
        state = ReferenceState.RESOLVED if len(chosen) == 1 else ReferenceState.AMBIGUOUS
    return Reference(
        match.group(), match.start(), match.end(), ReferenceKind.CONVERSATION, state, antecedent,
        confidence if len(chosen) == 1 else confidence / max(2, len(chosen)), reason if chosen else "no such conversation",
        antecedent_conversation_id=chosen[0].id if len(chosen) == 1 else None, candidates=candidates,
    )  # fmt: skip


def _words(name: str) -> set[str]:
    return {word for word in re.findall(r"[\w+#.]+", name.lower()) if word not in ("the", "a", "an", "our", "my")}


_POINTERS = frozenset({EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.VALUE})
_SURE_SHARE = 0.7
_PREFERRED_SHARE = 0.5


def confidence_of(spot: Spot, ranked: Sequence[Scored], rules: ReferenceRules) -> float:
    """The share (0..1) of right answers among those of this kind; 0 when such an answer is better not given.

    "the export" and "build the export" are one thing brought up twice: each speaks for the other.
    """
    best = ranked[0]
    share = sum(one.share for one in ranked if best.option.said.key in one.option.said.key)
    return rules.right.get(_kind_of(spot, best._replace(share=share)), 0.0)


def _kind_of(spot: Spot, best: Scored) -> str:
    said, option = best.option.said, best.option
    place = "here" if not option.distance else "before"
    if spot.kind is ReferenceKind.IMPLICIT:
        return f"left_out_{_certainty(spot, best)}" if option.distance == 1 else ""
    if spot.type in (Type.PERSON, Type.KIND):
        return f"{spot.type}_{place}"
    if spot.noun:
        return f"noun_{place}" if is_called(spot, said) and said.type is not Type.EVENT else f"noun_other_{place}"
    if said.type is Type.EVENT:
        return f"act_{_form_of(spot)}_{_distance(spot, option)}"
    if spot.number != "singular":
        return f"{'they' if spot.form == 'they' else 'several'}_{_distance(spot, option)}"
    return f"{_form_of(spot)}_{_distance(spot, option)}_{_certainty(spot, best)}"


def _form_of(spot: Spot) -> str:
    return spot.form if spot.form in ("this", "that") else "it"


def is_called(spot: Spot, said: NamedThing) -> bool:
    """ "that table" after "a table called jobs"."""
    return said.head == spot.noun or spot.noun in said.modifiers


def _distance(spot: Spot, option: Option) -> str:
    if option.distance:
        return "before"
    sentences = spot.sentence - option.said.sentence
    return "here" if sentences == 0 else "next" if sentences == 1 else "later"


def _certainty(spot: Spot, best: Scored) -> str:
    """Whether ranking is sure and the thing is one that stands there as a thing: with an article, a number or a word beside it."""
    said = best.option.said
    if best.share < _SURE_SHARE:
        return "likely" if best.share >= _PREFERRED_SHARE else "unsure"
    is_bare = not said.determiner and not said.modifiers and " " not in said.text
    is_loose = is_bare if said.kind is None else said.kind in _POINTERS and not said.determiner
    is_several = said.is_plural and spot.number == "singular"
    is_near = best.option.distance or spot.sentence > said.sentence or 0 < spot.clause - said.clause < 2
    return "sure" if is_near and not is_loose and not is_several and said.role is not Role.OBLIQUE else "doubtful"


_LAST, _OTHER, _NEXT = -1, -2, -3
_MAX_AGE = 2.5
_OWNED_BY = frozenset({"by", "featuring"})
_SURE, _LIKELY = 0.85, 0.6


def choose_ordinal(spot: Spot, options: Sequence[Option], rules: ReferenceRules) -> list[Scored]:
    """The alternative that an ordinal picks, best first; empty when nothing was offered."""
    place = next((rules.ordinals[word] for word in spot.modifiers if word in rules.ordinals), None)
    if place is None or place == _NEXT:
        return []
    for members in _offers(spot, options):
        chosen = _pick(members, place)
        if chosen is not None:
            reason = f"{spot.mention.lower()} of {len(members)} that were named"
            rest = [Scored(m, 0.0, (1 - _SURE) / len(members), "also named") for m in members if m is not chosen]
            return [Scored(chosen, 1.0, _SURE, reason), *rest]
    return []


def _offers(spot: Spot, options: Sequence[Option]) -> list[list[Option]]:
    """Groups of alternatives, the nearest first."""
    groups: dict[tuple[int, int], list[Option]] = {}
    for option in options:
        is_before = option.distance > 0 or option.said.end <= spot.start
        if option.said.group >= 0 and is_before and option.age <= _MAX_AGE:
            groups.setdefault((option.distance, option.said.group), []).append(option)
    offers = [kept for members in groups.values() if len(kept := _alternatives(members, options)) > 1]
    return sorted(offers, key=lambda m: (m[0].distance, m[0].said.joined_by != "or", -m[0].said.start))


def _alternatives(members: list[Option], options: Sequence[Option]) -> list[Option]:
    """The members themselves: of "A by X or B by Y" A and B, of "two albums, A, B" A and B."""
    kept = [_owner_of(member, options) if member.said.preposition in _OWNED_BY else member for member in members]
    first = kept[0].said
    if len(kept) > 2 and first.is_plural and not first.is_name and all(m.said.is_name for m in kept[1:]):
        return kept[1:]
    return kept


def _owner_of(member: Option, options: Sequence[Option]) -> Option:
    """What "by X" was said of: the phrase just before it."""
    before = [
        o for o in options
        if o.distance == member.distance and o.said.end < member.said.start and o.said.sentence == member.said.sentence
        and o.said.joined_by != "all" and o.said.preposition not in _OWNED_BY
    ]  # fmt: skip
    return max(before, key=lambda o: o.said.end, default=member)


def _pick(members: list[Option], place: int) -> Option | None:
    if place == _OTHER:
        return members[1] if len(members) == 2 else None
    if place == _LAST:
        return members[-1]
    return members[place] if place < len(members) else None


__all__ = ["ConversationMention", "ReferenceRules", "resolve_references"]

_MAX_CANDIDATES = 5
_ALWAYS_SHOWN, _LEAST_SHARE = 2, 0.03  # what one of thirty would choose is no choice, and is kept with every reference
_MAX_ACT_DISTANCE = 3
_MAX_ACT_CHARS = 500
_MAX_ANSWER_CHARS = 300  # behind a longer answer "it" may be anything that the answer brought up
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_ITEM = re.compile(r"(?:^|\n)[ \t]*\d{1,2}[.)](?=\s)")
_AHEAD = re.compile(r"[^.!?:\n]{0,100}(?::\s|\n)")
_QUOTED = r"(?P<name>\w[^.!?:\n]{0,100}?)"
_BEHIND = r"\s*(?:```\w*\s)?\s*(?P<line>[^\n]+)"
_NAMED_AHEAD = re.compile(rf"{_QUOTED}(?: ?:(?=\s)|(?<=[a-z])(?<! )[ \t]*(?=\n\s*```)){_BEHIND}")
_LINE_BEHIND = re.compile(_BEHIND)
_IS_AHEAD = re.compile(rf" (?:is|was) (?:the |an? |my )?{_QUOTED} ?:(?=\s){_BEHIND}")
_SAID_OF_IT = frozenset({"is", "are", "was", "were"})  # "this error is new: …"
_MAX_QUOTED_CHARS, _LEAST_QUOTED_WORDS = 140, 2
_IDENTIFIERS = frozenset(
    {EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.VALUE, EntityKind.QUOTED}
)


def resolve_references(
    text: str,
    entities: tuple[Entity, ...],
    history: Sequence[PriorMessage],
    rules: ReferenceRules,
    *,
    conversations: Sequence[ConversationMention] = (),
    now: datetime | None = None,
    whole: str = "",
) -> tuple[Reference, ...]:
    """The references of a message by place; `history` is oldest first. `whole`: the message with what was pasted, place for place.

    >>> from app.resources import load_rules
    >>> rules = ReferenceRules.parse(load_rules("references"))
    >>> before = PriorMessage(1, None, "I want to add a FAB button")
    >>> [(r.mention, r.antecedent) for r in resolve_references("Make it purple", (), [before], rules)]
    [('it', 'FAB button')]
    """
    here = {entity.canonical for message in history for entity in message.entities}
    elsewhere = find_elsewhere(text, conversations, now, here)
    scene = read_problem(text, tuple(entities), history, rules, whole)
    scene.spots[:] = [s for s in scene.spots if not any(e.start < s.end and s.start < e.end for e in elsewhere)]
    found = [*elsewhere, *settle(scene, text, rules)]
    return tuple(sorted(found, key=lambda reference: reference.start))


def settle(scene: "ReferenceProblem", text: str, rules: ReferenceRules, until: int | None = None) -> list[Reference]:
    """Resolves the mentions in order, those before `until`; what one stands for is a candidate for the next."""
    found: list[Reference] = []
    for spot in scene.spots:
        if until is not None and spot.start >= until:
            continue
        reference = _resolve(spot, scene, rules)
        if reference is None:
            continue
        found.append(reference)
        if reference.antecedent and reference.state is ReferenceState.RESOLVED and reference.reason != AHEAD:
            scene.focus.insert(0, reference.antecedent.lower())
            scene.options.append(option_of(reference, text, rules))
    return found


class ReferenceProblem(NamedTuple):
    """A message with its mentions and everything that they may stand for."""

    analysis: Analysis
    spots: list[Spot]
    options: list[Option]
    focus: list[str]  # what earlier references stood for, newest first
    history: Sequence[PriorMessage]
    reach: int  # so many messages back nothing long was answered
    whole: str  # with what was pasted


def read_problem(
    text: str, entities: tuple[Entity, ...], history: Sequence[PriorMessage], rules: ReferenceRules, whole: str = ""
) -> ReferenceProblem:
    """The mentions of a message and their candidates; candidates only when there is a mention."""
    analysis = read_message(text)
    spots = find_spots(analysis, rules)
    left_out = find_left_out(analysis, spots, rules) if history else None
    if left_out is not None:
        spots.append(left_out)
    options: list[Option] = []
    if spots:
        options = options_here(text, entities, rules)
        options.extend(history_options([spoken(message) for message in history], rules))
    focus = [r.antecedent.lower() for m in reversed(history[-3:]) for r in m.references if r.antecedent]
    return ReferenceProblem(analysis, spots, options, focus, history, reach_back(history), whole or text)


def spoken(message: PriorMessage) -> PriorMessage:
    """The assistant's prose: without code and what is called as in code; a person's message as it is."""
    if message.speaker is not Speaker.ASSISTANT:
        return message
    text = _CODE.sub(lambda code: " " * len(code[0]), message.text)
    return replace(message, text=text, entities=tuple(e for e in message.entities if e.kind not in _IDENTIFIERS))


def reach_back(history: Sequence[PriorMessage]) -> int:
    """How many messages back a pronoun may look: until the assistant wrote at length."""
    for distance, message in enumerate(reversed(history)):
        if message.speaker is Speaker.ASSISTANT and len(message.text) > _MAX_ANSWER_CHARS:
            return distance
    return len(history)


def _resolve(spot: Spot, scene: ReferenceProblem, rules: ReferenceRules) -> Reference | None:
    if spot.kind is ReferenceKind.ORDINAL:
        options = [option for option in scene.options if _is_in_reach(option, spot, scene)]
        chosen = choose_ordinal(spot, options, rules)
        if not chosen and spot.form == "the" and not spot.mention.lower().endswith(("one", "ones")):
            return None
        return decide(spot, chosen or _weak(rank_options(spot, options, scene.focus, rules)), rules)
    if ahead := find_ahead(scene.whole, spot, rules):
        return _answer_ahead(spot, ahead, rules)
    if _stands_before_colon(scene.whole, spot):
        return None
    if is_second(scene.analysis, spot) or is_ahead(scene.analysis, spot):
        return unresolved(spot, "stands for something else")
    own = candidates_of(spot, scene, rules)
    if own is None:
        return None
    reference = decide(spot, rank_options(spot, own, scene.focus, rules), rules)
    if spot.kind is ReferenceKind.IMPLICIT and reference.state is ReferenceState.UNRESOLVED:
        return None  # a left-out object may also be no object
    return reference


def candidates_of(spot: Spot, scene: ReferenceProblem, rules: ReferenceRules) -> list[Option] | None:
    """What a pronoun or "that X" may stand for; None when it points at the desk ("this repo")."""
    options = [option for option in scene.options if _is_in_reach(option, spot, scene)]
    if spot.kind is ReferenceKind.IMPLICIT:
        beside = rules.words.get("made_beside", frozenset())
        at_hand = {r.antecedent.lower() for m in scene.history[-1:] for r in m.references if r.antecedent}
        return [
            option._replace(distance=1) if option.said.text.lower() in at_hand else option  # taken up a message ago
            for option in options
            if option.distance and option.said.head not in beside
        ]
    if spot.noun:
        named = [o for o in options if is_called(spot, o.said) and (o.distance or o.said.end <= spot.start)]
        is_at_hand = spot.noun in rules.words.get("deictic_nouns", frozenset())
        return None if is_at_hand and (spot.type is Type.EVENT or not named) else named
    is_done = spot.verb == "do" and spot.role is Role.OBJECT
    is_act = spot.form in ("this", "that") and spot.type in (Type.THING, Type.EVENT)
    own = [*options, *_clauses(scene.analysis, spot, scene.history, rules)] if is_act or is_done else options
    if is_done:
        return [option for option in own if option.said.type is Type.EVENT]  # one does an act, not a thing
    return own


def _is_in_reach(option: Option, spot: Spot, scene: ReferenceProblem) -> bool:
    """Whether nothing stands between: a long answer, or the number of another point of a list."""
    if option.distance > scene.reach:
        return is_called(spot, option.said) and option.speaker is Speaker.USER and not option.said.is_name
    if option.distance:
        return True
    text = scene.analysis.text
    return (
        _ITEM.search(text, max(0, option.said.start - 1), spot.start) is None
        or _ITEM.search(text, 0, spot.start) is None
    )


def _clauses(analysis: Analysis, spot: Spot, history: Sequence[PriorMessage], rules: ReferenceRules) -> list[Option]:
    """Acts and states said in this message before the mention, or the last one of the message before."""
    here = clauses_before(analysis, spot.token, rules)
    if here:
        return [Option(with_salience(said, rules), 0, 0.0, Speaker.USER, None, None) for said in here]
    found: list[Option] = []
    is_done = spot.verb == "do"
    for distance, message in enumerate(reversed(history[-_MAX_ACT_DISTANCE if is_done else -1 :]), 1):
        if message.speaker is Speaker.ASSISTANT:
            break
        if len(message.text) > _MAX_ACT_CHARS:
            continue  # a plan or a log has many acts: its last one is hardly meant
        said = last_act(read_message(message.text), rules)
        if said is not None:
            place = (distance, float(distance), message.speaker, message.id, message.conversation_id or None)
            found.append(Option(with_salience(said, rules), *place))
    return found


def is_second(analysis: Analysis, spot: Spot) -> bool:
    """ "how will it query it": the second "it" of a clause is something else, and what, nobody can tell."""
    before = zip(analysis.tokens[: spot.token], analysis.clauses[: spot.token], strict=True)
    return spot.form == "it" and any(token.lower == "it" and clause == spot.clause for token, clause in before)


def is_ahead(analysis: Analysis, spot: Spot) -> bool:
    """ "I get this error: …": what it stands for comes behind it."""
    return bool(spot.noun) and spot.form in ("this", "these") and _AHEAD.match(analysis.text, spot.end) is not None


def find_ahead(text: str, spot: Spot, rules: ReferenceRules) -> str:
    """What is quoted behind "this error: …", in the person's words: what it is called and its first line; "" where nothing is.

    >>> from app.resources import load_rules
    >>> rules = ReferenceRules.parse(load_rules("references"))
    >>> text = "I get this error when I run the seeds:\\n```\\nno such table: orders\\n```"
    >>> [one.antecedent for one in resolve_references(text, (), (), rules)]
    ['error when I run the seeds: no such table: orders']
    """
    quoted = rules.words.get("quoted_nouns", frozenset())
    if spot.form not in ("this", "these") or spot.noun not in {"", *quoted}:
        return ""
    if _stands_before_colon(text, spot):
        behind = _LINE_BEHIND.match(text, spot.end + 1)
        return _shortened(behind["line"]) if behind is not None else ""
    pattern = _NAMED_AHEAD if spot.noun else _IS_AHEAD
    found = pattern.match(text, spot.end - len(spot.noun) if spot.noun else spot.end)
    words = found["name"].lower().split() if found else []
    if found is None or quoted.isdisjoint(words[:3]) or not _SAID_OF_IT.isdisjoint(words):
        return ""
    line = _shortened(found["line"])
    return _shortened(f"{found['name']}: {line}") if line else ""


def _stands_before_colon(text: str, spot: Spot) -> bool:
    """ "now we have this: …"."""
    return not spot.noun and spot.form in ("this", "these") and text[spot.end : spot.end + 1] == ":"


def _shortened(line: str) -> str:
    """A line as an antecedent; "" for one that says too little."""
    whole = " ".join(line.split())
    if len(whole.split()) < _LEAST_QUOTED_WORDS:
        return ""
    return whole if len(whole) <= _MAX_QUOTED_CHARS else whole[:_MAX_QUOTED_CHARS].rsplit(" ", 1)[0] + "…"


def _answer_ahead(spot: Spot, antecedent: str, rules: ReferenceRules) -> Reference:
    confidence = rules.right.get("ahead", 0.0)
    return Reference(
        spot.mention, spot.start, spot.end, spot.kind, ReferenceState.RESOLVED, antecedent, confidence, AHEAD
    )


def _weak(ranked: list[Scored]) -> list[Scored]:
    """Nothing was offered to choose from: the noun may be right, the choice is not known."""
    return [scored._replace(share=min(scored.share, 0.25)) for scored in ranked]


def decide(spot: Spot, ranked: list[Scored], rules: ReferenceRules) -> Reference:
    """The reference with its state: answered when answers of its kind are mostly right."""
    candidates = tuple(
        Candidate(_words_of(spot, s), round(s.share, 3), s.option.message_id, s.option.conversation_id, s.reason)
        for place, s in enumerate(ranked[:_MAX_CANDIDATES])
        if place < _ALWAYS_SHOWN or s.share >= _LEAST_SHARE
    )
    if not ranked or ranked[0].points < rules.weights["floor"]:
        return unresolved(spot, "nothing said before fits", candidates)
    best, weights = ranked[0], rules.weights
    is_apart = len(ranked) < 2 or best.share - ranked[1].share >= weights["clear_margin"]
    if spot.kind is ReferenceKind.ORDINAL:
        is_clear = best.share >= weights["clear_share"] and best.points >= weights["clear_points"]
        confidence = weights["confidence_base"] + weights["confidence_share"] * best.share
        confidence += weights["confidence_points"] * max(-1.0, min(4.0, best.points))
    else:
        confidence = confidence_of(spot, ranked, rules)
        is_clear = confidence > 0
    if not (is_clear and is_apart):
        return unresolved(spot, "what fits is not sure enough", candidates)
    return Reference(
        spot.mention, spot.start, spot.end, spot.kind, ReferenceState.RESOLVED, _words_of(spot, best),
        round(min(0.99, confidence), 2), best.reason, best.option.message_id, best.option.conversation_id, candidates,
    )  # fmt: skip


def unresolved(spot: Spot, reason: str, candidates: tuple[Candidate, ...] = ()) -> Reference:
    """A reference that nothing said before answers."""
    return Reference(
        spot.mention,
        spot.start,
        spot.end,
        spot.kind,
        ReferenceState.UNRESOLVED,
        None,
        0.0,
        reason,
        candidates=candidates,
    )


def _words_of(spot: Spot, scored: Scored) -> str:
    return scored.option.said.bare if spot.type is Type.KIND else scored.option.said.text
