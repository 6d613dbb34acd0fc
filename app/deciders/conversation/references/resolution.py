"""What "it", "that", "the button" stand for: the antecedent of every mention of a message, or the admission of not knowing.

Puts mentions, candidates and weights together and applies the thresholds: clear = resolved, close = ambiguous
with candidates, nothing or only the assistant's words = unresolved. Source: S1, S2 (context references).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from app.deciders.conversation.references.candidates import history_options, option_of, options_here
from app.deciders.conversation.references.clauses import clauses_before, last_act
from app.deciders.conversation.references.elsewhere import find_elsewhere
from app.deciders.conversation.references.mentions import find_left_out, find_spots
from app.deciders.conversation.references.ordinal import choose_ordinal
from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.score import Scored, rank_options, with_salience
from app.deciders.conversation.references.trust import confidence_of, is_called
from app.deciders.conversation.references.values import AHEAD, ConversationMention, Option, Spot, Type
from app.language.analysis_cache import read_message
from app.language.phrases import Analysis, Role
from app.values import Candidate, Entity, EntityKind, PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker

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
    scene = read_scene(text, tuple(entities), history, rules, whole)
    scene.spots[:] = [s for s in scene.spots if not any(e.start < s.end and s.start < e.end for e in elsewhere)]
    found = [*elsewhere, *settle(scene, text, rules)]
    return tuple(sorted(found, key=lambda reference: reference.start))


def settle(scene: "Scene", text: str, rules: ReferenceRules, until: int | None = None) -> list[Reference]:
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


class Scene(NamedTuple):
    """A message with its mentions and everything that they may stand for."""

    analysis: Analysis
    spots: list[Spot]
    options: list[Option]
    focus: list[str]  # what earlier references stood for, newest first
    history: Sequence[PriorMessage]
    reach: int  # so many messages back nothing long was answered
    whole: str  # with what was pasted


def read_scene(
    text: str, entities: tuple[Entity, ...], history: Sequence[PriorMessage], rules: ReferenceRules, whole: str = ""
) -> Scene:
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
    return Scene(analysis, spots, options, focus, history, reach_back(history), whole or text)


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


def _resolve(spot: Spot, scene: Scene, rules: ReferenceRules) -> Reference | None:
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


def candidates_of(spot: Spot, scene: Scene, rules: ReferenceRules) -> list[Option] | None:
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


def _is_in_reach(option: Option, spot: Spot, scene: Scene) -> bool:
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
