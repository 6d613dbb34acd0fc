"""What "it", "that", "the button" stand for: the antecedent of every mention of a message, or the admission of not
knowing.

Puts mentions, candidates and weights together and applies the thresholds: clear is resolved, close is ambiguous with its
candidates, nothing that fits is unresolved. Mentions are resolved in order, and what one stands for is a candidate for the next.
Ordinals and alternatives are chosen from what was named side by side; a mention that points forward ("this error: …") is resolved to
what stands behind it. Source: S1, S2 (context references).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from app.deciders.conversation.references.candidates import (
    candidate_of_reference,
    candidates_in_history,
    candidates_in_message,
    clauses_before,
    last_action,
)
from app.deciders.conversation.references.conversation_references import find_conversation_references
from app.deciders.conversation.references.mentions import find_left_out_object, find_mentions
from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import ScoredCandidate, rank_antecedents, with_salience
from app.deciders.conversation.references.values import (
    QUOTED_BEHIND,
    AntecedentCandidate,
    AntecedentType,
    ConversationMention,
    NamedThing,
    ReferenceMention,
)
from app.language.analysis_cache import read_message
from app.language.phrases import Analysis, Role
from app.values import Candidate, Entity, EntityKind, PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker

_QUOTED = r"(?P<name>\w[^.!?:\n]{0,100}?)"
_BEHIND = r"\s*(?:```\w*\s)?\s*(?P<line>[^\n]+)"
_NAMED_AHEAD = re.compile(rf"{_QUOTED}(?: ?:(?=\s)|(?<=[a-z])(?<! )[ \t]*(?=\n\s*```)){_BEHIND}")
_LINE_BEHIND = re.compile(_BEHIND)
_IS_AHEAD = re.compile(rf" (?:is|was) (?:the |an? |my )?{_QUOTED} ?:(?=\s){_BEHIND}")
_SAID_OF_IT = frozenset({"is", "are", "was", "were"})  # "this error is new: …"
_MAX_QUOTED_CHARS, _LEAST_QUOTED_WORDS = 140, 2


def find_quoted_behind(text: str, mention: ReferenceMention, rules: ReferenceRules) -> str:
    """What is quoted behind "this error: …", in the person's words: what it is called and its first line; "" where nothing is.

    >>> from app.deciders.conversation.references.resolution import resolve_references
    >>> from app.resources import load_rules
    >>> rules = ReferenceRules.parse(load_rules("references"))
    >>> text = "I get this error when I run the seeds:\\n```\\nno such table: orders\\n```"
    >>> [one.antecedent for one in resolve_references(text, (), (), rules)]
    ['error when I run the seeds: no such table: orders']
    """
    quoted = rules.words.get("quoted_nouns", frozenset())
    if mention.form not in ("this", "these") or mention.noun not in {"", *quoted}:
        return ""
    if stands_before_colon(text, mention):
        behind = _LINE_BEHIND.match(text, mention.end + 1)
        return _shortened(behind["line"]) if behind is not None else ""
    pattern = _NAMED_AHEAD if mention.noun else _IS_AHEAD
    found = pattern.match(text, mention.end - len(mention.noun) if mention.noun else mention.end)
    words = found["name"].lower().split() if found else []
    if found is None or quoted.isdisjoint(words[:3]) or not _SAID_OF_IT.isdisjoint(words):
        return ""
    line = _shortened(found["line"])
    return _shortened(f"{found['name']}: {line}") if line else ""


def stands_before_colon(text: str, mention: ReferenceMention) -> bool:
    """ "now we have this: …"."""
    return not mention.noun and mention.form in ("this", "these") and text[mention.end : mention.end + 1] == ":"


def _shortened(line: str) -> str:
    """A line as an antecedent; "" for one that says too little."""
    whole = " ".join(line.split())
    if len(whole.split()) < _LEAST_QUOTED_WORDS:
        return ""
    return whole if len(whole) <= _MAX_QUOTED_CHARS else whole[:_MAX_QUOTED_CHARS].rsplit(" ", 1)[0] + "…"


def resolved_to_quote(mention: ReferenceMention, antecedent: str, rules: ReferenceRules) -> Reference:
    confidence = rules.accuracy.get("ahead", 0.0)
    return Reference(
        mention.text,
        mention.start,
        mention.end,
        mention.kind,
        ReferenceState.RESOLVED,
        antecedent,
        confidence,
        QUOTED_BEHIND,
    )


_LAST, _OTHER, _NEXT = -1, -2, -3
_MAX_AGE = 2.5
_SURE = 0.85


def choose_ordinal(
    mention: ReferenceMention, candidates: Sequence[AntecedentCandidate], rules: ReferenceRules
) -> list[ScoredCandidate]:
    """The alternative that an ordinal picks, best first; empty when nothing was offered."""
    place = next((rules.ordinals[word] for word in mention.modifiers if word in rules.ordinals), None)
    if place is None or place == _NEXT:
        return []
    for members in _offers(mention, candidates):
        chosen = _pick(members, place)
        if chosen is not None:
            reason = f"{mention.text.lower()} of {len(members)} that were named"
            rest = [
                ScoredCandidate(m, 0.0, (1 - _SURE) / len(members), "also named") for m in members if m is not chosen
            ]
            return [ScoredCandidate(chosen, 1.0, _SURE, reason), *rest]
    return []


def _offers(mention: ReferenceMention, candidates: Sequence[AntecedentCandidate]) -> list[list[AntecedentCandidate]]:
    """Groups of alternatives, the nearest first."""
    groups: dict[tuple[int, int], list[AntecedentCandidate]] = {}
    for candidate in candidates:
        is_before = candidate.distance > 0 or candidate.thing.end <= mention.start
        if candidate.thing.group >= 0 and is_before and candidate.age <= _MAX_AGE:
            groups.setdefault((candidate.distance, candidate.thing.group), []).append(candidate)
    offers = [members for members in groups.values() if len(members) > 1]
    return sorted(offers, key=lambda m: (m[0].distance, m[0].thing.joined_by != "or", -m[0].thing.start))


def _pick(members: list[AntecedentCandidate], place: int) -> AntecedentCandidate | None:
    if place == _OTHER:
        return members[1] if len(members) == 2 else None
    if place == _LAST:
        return members[-1]
    return members[place] if place < len(members) else None


_POINTERS = frozenset({EntityKind.SYMBOL, EntityKind.FILE, EntityKind.PATH, EntityKind.COMMAND, EntityKind.VALUE})
_SURE_SHARE = 0.7
_PREFERRED_SHARE = 0.5


def confidence_of(mention: ReferenceMention, ranked: Sequence[ScoredCandidate], rules: ReferenceRules) -> float:
    """The share (0..1) of right answers among those of this kind; 0 when such an answer is better not given.

    "the export" and "build the export" are one thing brought up twice: each speaks for the other.
    """
    best = ranked[0]
    share = sum(one.share for one in ranked if best.candidate.thing.key in one.candidate.thing.key)
    return rules.accuracy.get(_kind_of(mention, best._replace(share=share)), 0.0)


def _kind_of(mention: ReferenceMention, best: ScoredCandidate) -> str:
    thing, candidate = best.candidate.thing, best.candidate
    place = "here" if not candidate.distance else "before"
    if mention.kind is ReferenceKind.IMPLICIT:
        return f"left_out_{_certainty(mention, best)}" if candidate.distance == 1 else ""
    if mention.type in (AntecedentType.PERSON, AntecedentType.KIND):
        return f"{mention.type}_{place}"
    if mention.noun:
        return (
            f"noun_{place}"
            if is_called(mention, thing) and thing.type is not AntecedentType.EVENT
            else f"noun_other_{place}"
        )
    if thing.type is AntecedentType.EVENT:
        return f"act_{_form_of(mention)}_{_distance(mention, candidate)}"
    if mention.number != "singular":
        return f"{'they' if mention.form == 'they' else 'several'}_{_distance(mention, candidate)}"
    return f"{_form_of(mention)}_{_distance(mention, candidate)}_{_certainty(mention, best)}"


def _form_of(mention: ReferenceMention) -> str:
    return mention.form if mention.form in ("this", "that") else "it"


def is_called(mention: ReferenceMention, thing: NamedThing) -> bool:
    """ "that table" after "a table called jobs"."""
    return thing.head == mention.noun or mention.noun in thing.modifiers


def _distance(mention: ReferenceMention, candidate: AntecedentCandidate) -> str:
    if candidate.distance:
        return "before"
    sentences = mention.sentence - candidate.thing.sentence
    return "here" if sentences == 0 else "next" if sentences == 1 else "later"


def _certainty(mention: ReferenceMention, best: ScoredCandidate) -> str:
    """Whether ranking is sure and the thing is one that stands there as a thing: with an article, a number or a word beside it."""
    thing = best.candidate.thing
    if best.share < _SURE_SHARE:
        return "likely" if best.share >= _PREFERRED_SHARE else "unsure"
    is_bare = not thing.determiner and not thing.modifiers and " " not in thing.text
    is_loose = is_bare if thing.kind is None else thing.kind in _POINTERS and not thing.determiner
    is_several = thing.is_plural and mention.number == "singular"
    is_near = best.candidate.distance or mention.sentence > thing.sentence or 0 < mention.clause - thing.clause < 2
    return "sure" if is_near and not is_loose and not is_several and thing.role is not Role.OBLIQUE else "doubtful"


__all__ = ["ConversationMention", "ReferenceRules", "resolve_references"]

_MAX_CANDIDATES = 5
_ALWAYS_SHOWN, _LEAST_SHARE = 2, 0.03  # what one of thirty would choose is no choice, and is kept with every reference
_MAX_ACT_DISTANCE = 3
_MAX_ACT_CHARS = 500
_MAX_ANSWER_CHARS = 300  # behind a longer answer "it" may be anything that the answer brought up
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_ITEM = re.compile(r"(?:^|\n)[ \t]*\d{1,2}[.)](?=\s)")
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
    elsewhere = find_conversation_references(text, conversations, now, here)
    problem = read_problem(text, tuple(entities), history, rules, whole)
    problem.mentions[:] = [
        s for s in problem.mentions if not any(e.start < s.end and s.start < e.end for e in elsewhere)
    ]
    found = [*elsewhere, *resolve_in_order(problem, text, rules)]
    return tuple(sorted(found, key=lambda reference: reference.start))


def resolve_in_order(
    problem: "ReferenceProblem", text: str, rules: ReferenceRules, until: int | None = None
) -> list[Reference]:
    """Resolves the mentions in order, those before `until`; what one stands for is a candidate for the next."""
    found: list[Reference] = []
    for mention in problem.mentions:
        if until is not None and mention.start >= until:
            continue
        reference = _resolve(mention, problem, rules)
        if reference is None:
            continue
        found.append(reference)
        if reference.antecedent and reference.state is ReferenceState.RESOLVED and reference.reason != QUOTED_BEHIND:
            problem.focus.insert(0, reference.antecedent.lower())
            problem.candidates.append(candidate_of_reference(reference, text, rules))
    return found


class ReferenceProblem(NamedTuple):
    """A message with its mentions and everything that they may stand for."""

    analysis: Analysis
    mentions: list[ReferenceMention]
    candidates: list[AntecedentCandidate]
    focus: list[str]  # what earlier references stood for, newest first
    history: Sequence[PriorMessage]
    reach: int  # so many messages back nothing long was answered
    whole: str  # with what was pasted


def read_problem(
    text: str, entities: tuple[Entity, ...], history: Sequence[PriorMessage], rules: ReferenceRules, whole: str = ""
) -> ReferenceProblem:
    """The mentions of a message and their candidates; candidates only when there is a mention."""
    analysis = read_message(text)
    mentions = find_mentions(analysis, rules)
    left_out = find_left_out_object(analysis, mentions, rules) if history else None
    if left_out is not None:
        mentions.append(left_out)
    candidates: list[AntecedentCandidate] = []
    if mentions:
        candidates = candidates_in_message(text, entities, rules)
        candidates.extend(candidates_in_history([prose_of(message) for message in history], rules))
    focus = [r.antecedent.lower() for m in reversed(history[-3:]) for r in m.references if r.antecedent]
    return ReferenceProblem(analysis, mentions, candidates, focus, history, pronoun_reach(history), whole or text)


def prose_of(message: PriorMessage) -> PriorMessage:
    """The assistant's prose: without code and what is called as in code; a person's message as it is."""
    if message.speaker is not Speaker.ASSISTANT:
        return message
    text = _CODE.sub(lambda code: " " * len(code[0]), message.text)
    return replace(message, text=text, entities=tuple(e for e in message.entities if e.kind not in _IDENTIFIERS))


def pronoun_reach(history: Sequence[PriorMessage]) -> int:
    """How many messages back a pronoun may look: until the assistant wrote at length."""
    for distance, message in enumerate(reversed(history)):
        if message.speaker is Speaker.ASSISTANT and len(message.text) > _MAX_ANSWER_CHARS:
            return distance
    return len(history)


def _resolve(mention: ReferenceMention, problem: ReferenceProblem, rules: ReferenceRules) -> Reference | None:
    if mention.kind is ReferenceKind.ORDINAL:
        candidates = [candidate for candidate in problem.candidates if _is_in_reach(candidate, mention, problem)]
        chosen = choose_ordinal(mention, candidates, rules)
        if not chosen and mention.form == "the" and not mention.text.lower().endswith(("one", "ones")):
            return None
        if not chosen:
            return unresolved(mention, "nothing was offered to choose from")
        return reference_of_best(mention, chosen, rules)
    if ahead := find_quoted_behind(problem.whole, mention, rules):
        return resolved_to_quote(mention, ahead, rules)
    if stands_before_colon(problem.whole, mention):
        return None
    if is_repeated_pronoun(problem.analysis, mention):
        return unresolved(mention, "stands for something else")
    own = candidates_of(mention, problem, rules)
    if own is None:
        return None
    reference = reference_of_best(mention, rank_antecedents(mention, own, problem.focus, rules), rules)
    if mention.kind is ReferenceKind.IMPLICIT and reference.state is ReferenceState.UNRESOLVED:
        return None  # a left-out object may also be no object
    return reference


def candidates_of(
    mention: ReferenceMention, problem: ReferenceProblem, rules: ReferenceRules
) -> list[AntecedentCandidate] | None:
    """What a pronoun or "that X" may stand for; None when it points at the desk ("this repo")."""
    candidates = [candidate for candidate in problem.candidates if _is_in_reach(candidate, mention, problem)]
    if mention.kind is ReferenceKind.IMPLICIT:
        beside = rules.words.get("made_beside", frozenset())
        at_hand = {r.antecedent.lower() for m in problem.history[-1:] for r in m.references if r.antecedent}
        return [
            candidate._replace(distance=1)
            if candidate.thing.text.lower() in at_hand
            else candidate  # taken up a message ago
            for candidate in candidates
            if candidate.distance and candidate.thing.head not in beside
        ]
    if mention.noun:
        named = [o for o in candidates if is_called(mention, o.thing) and (o.distance or o.thing.end <= mention.start)]
        is_at_hand = mention.noun in rules.words.get("deictic_nouns", frozenset())
        return None if is_at_hand and (mention.type is AntecedentType.EVENT or not named) else named
    is_done = mention.verb == "do" and mention.role is Role.OBJECT
    is_act = mention.form in ("this", "that") and mention.type in (AntecedentType.THING, AntecedentType.EVENT)
    own = (
        [*candidates, *_clauses(problem.analysis, mention, problem.history, rules)] if is_act or is_done else candidates
    )
    if is_done:
        return [
            candidate for candidate in own if candidate.thing.type is AntecedentType.EVENT
        ]  # one does an act, not a thing
    return own


def _is_in_reach(candidate: AntecedentCandidate, mention: ReferenceMention, problem: ReferenceProblem) -> bool:
    """Whether nothing stands between: a long answer, or the number of another point of a list."""
    if candidate.distance > problem.reach:
        return is_called(mention, candidate.thing) and candidate.speaker is Speaker.USER and not candidate.thing.is_name
    if candidate.distance:
        return True
    text = problem.analysis.text
    return (
        _ITEM.search(text, max(0, candidate.thing.start - 1), mention.start) is None
        or _ITEM.search(text, 0, mention.start) is None
    )


def _clauses(
    analysis: Analysis, mention: ReferenceMention, history: Sequence[PriorMessage], rules: ReferenceRules
) -> list[AntecedentCandidate]:
    """Acts and states said in this message before the mention, or the last one of the message before."""
    here = clauses_before(analysis, mention.token, rules)
    if here:
        return [AntecedentCandidate(with_salience(thing, rules), 0, 0.0, Speaker.USER, None, None) for thing in here]
    found: list[AntecedentCandidate] = []
    is_done = mention.verb == "do"
    for distance, message in enumerate(reversed(history[-_MAX_ACT_DISTANCE if is_done else -1 :]), 1):
        if message.speaker is Speaker.ASSISTANT:
            break
        if len(message.text) > _MAX_ACT_CHARS:
            continue  # a plan or a log has many acts: its last one is hardly meant
        thing = last_action(read_message(message.text), rules)
        if thing is not None:
            place = (distance, float(distance), message.speaker, message.id, message.conversation_id or None)
            found.append(AntecedentCandidate(with_salience(thing, rules), *place))
    return found


def is_repeated_pronoun(analysis: Analysis, mention: ReferenceMention) -> bool:
    """ "how will it query it": the second "it" of a clause is something else, and what, nobody can tell."""
    before = zip(analysis.tokens[: mention.token], analysis.clauses[: mention.token], strict=True)
    return mention.form == "it" and any(token.lower == "it" and clause == mention.clause for token, clause in before)


def reference_of_best(mention: ReferenceMention, ranked: list[ScoredCandidate], rules: ReferenceRules) -> Reference:
    """The reference with its state: answered when answers of its kind are mostly right."""
    candidates = tuple(
        Candidate(
            _words_of(mention, s), round(s.share, 3), s.candidate.message_id, s.candidate.conversation_id, s.reason
        )
        for place, s in enumerate(ranked[:_MAX_CANDIDATES])
        if place < _ALWAYS_SHOWN or s.share >= _LEAST_SHARE
    )
    if not ranked or ranked[0].points < rules.weights["floor"]:
        return unresolved(mention, "nothing said before fits", candidates)
    best, weights = ranked[0], rules.weights
    is_apart = len(ranked) < 2 or best.share - ranked[1].share >= weights["clear_margin"]
    if mention.kind is ReferenceKind.ORDINAL:
        is_clear = best.share >= weights["clear_share"] and best.points >= weights["clear_points"]
        confidence = weights["confidence_base"] + weights["confidence_share"] * best.share
        confidence += weights["confidence_points"] * max(-1.0, min(4.0, best.points))
    else:
        confidence = confidence_of(mention, ranked, rules)
        is_clear = confidence > 0
    if not (is_clear and is_apart):
        return unresolved(mention, "what fits is not sure enough", candidates)
    return Reference(
        mention.text, mention.start, mention.end, mention.kind, ReferenceState.RESOLVED, _words_of(mention, best),
        round(min(0.99, confidence), 2), best.reason, best.candidate.message_id, best.candidate.conversation_id, candidates,
    )  # fmt: skip


def unresolved(mention: ReferenceMention, reason: str, candidates: tuple[Candidate, ...] = ()) -> Reference:
    """A reference that nothing said before answers."""
    return Reference(
        mention.text,
        mention.start,
        mention.end,
        mention.kind,
        ReferenceState.UNRESOLVED,
        None,
        0.0,
        reason,
        candidates=candidates,
    )


def _words_of(mention: ReferenceMention, scored: ScoredCandidate) -> str:
    return scored.candidate.thing.bare if mention.type is AntecedentType.KIND else scored.candidate.thing.text
