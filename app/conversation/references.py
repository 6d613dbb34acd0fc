"""What "it", "that", "the button" stand for: the antecedent of every mention of a message, or the admission of not knowing.

Puts mentions, candidates and weights together and applies the thresholds: clear = resolved, close = ambiguous
with candidates, nothing or only the assistant's words = unresolved. Source: S1, S2 (context references).
"""

from collections.abc import Sequence
from datetime import datetime

from app.conversation.phrases import Analysis, Role
from app.conversation.reading import read_message
from app.conversation.references_candidates import clause_option, history_options, option_of, options_here
from app.conversation.references_elsewhere import find_elsewhere
from app.conversation.references_implicit import find_left_out
from app.conversation.references_mentions import find_spots
from app.conversation.references_ordinal import choose_ordinal
from app.conversation.references_rules import ReferenceRules
from app.conversation.references_score import Scored, rank_options
from app.conversation.references_values import ConversationMention, Option, Spot, Type
from app.values import Candidate, Entity, PriorMessage, Reference, ReferenceKind, ReferenceState, Speaker

__all__ = ["ConversationMention", "ReferenceRules", "resolve_references"]

_MAX_CANDIDATES = 5
_MAX_KIND_AGE = 2.5
_MAX_CHOICE_TOKENS = 7
_MAX_QUESTION_CHARS = 300


def resolve_references(
    text: str,
    entities: tuple[Entity, ...],
    history: Sequence[PriorMessage],
    rules: ReferenceRules,
    *,
    conversations: Sequence[ConversationMention] = (),
    now: datetime | None = None,
) -> tuple[Reference, ...]:
    """The references of a message by place; `history` is oldest first.

    >>> from app.resources import load_rules
    >>> rules = ReferenceRules.parse(load_rules("references"))
    >>> before = PriorMessage(1, None, "I want to add a FAB button")
    >>> [(r.mention, r.antecedent) for r in resolve_references("Make it purple", (), [before], rules)]
    [('it', 'FAB button')]
    """
    elsewhere = find_elsewhere(text, conversations, now)
    analysis = read_message(text)
    spots = [s for s in find_spots(analysis, rules) if not any(e.start < s.end and s.start < e.end for e in elsewhere)]
    left_out = find_left_out(analysis, spots, rules) if history else None
    if left_out is not None:
        spots.append(left_out)
    if not spots:
        return tuple(elsewhere)
    options = options_here(text, tuple(entities), rules)
    options.extend(history_options(history, rules))
    focus = [r.antecedent.lower() for m in reversed(history[-3:]) for r in m.references if r.antecedent]
    found: list[Reference] = list(elsewhere)
    for spot in spots:
        reference = _resolve(analysis, spot, options, focus, history, rules)
        if reference is None:
            continue
        found.append(reference)
        if reference.antecedent and reference.state is ReferenceState.RESOLVED:
            focus.insert(0, reference.antecedent.lower())
            options.append(option_of(reference, text, rules))
    return tuple(sorted(found, key=lambda reference: reference.start))


def _resolve(
    analysis: Analysis,
    spot: Spot,
    options: list[Option],
    focus: list[str],
    history: Sequence[PriorMessage],
    rules: ReferenceRules,
) -> Reference | None:
    if spot.kind is ReferenceKind.DEFINITE:
        return _definite(spot, options, rules)
    if spot.kind is ReferenceKind.ORDINAL:
        chosen = choose_ordinal(spot, options, rules)
        if not chosen and spot.form == "the" and not spot.mention.lower().endswith(("one", "ones")):
            return None
        return decide(spot, chosen or _weak(rank_options(spot, options, focus, rules)), rules)
    if is_choice(analysis, spot, history, rules):
        return unresolved(spot, "what was asked for, the assistant named")
    if is_praise(analysis, spot, rules):
        return unresolved(spot, "speaks of what the assistant did")
    if spot.kind is ReferenceKind.IMPLICIT:
        return _left_out(spot, options, focus, rules)
    own = _candidates(analysis, spot, options, history, rules)
    return None if own is None else decide(spot, rank_options(spot, own, focus, rules), rules)


def _candidates(
    analysis: Analysis, spot: Spot, options: list[Option], history: Sequence[PriorMessage], rules: ReferenceRules
) -> list[Option] | None:
    """What a pronoun or "that X" may stand for; None when it points at the desk ("this repo")."""
    own = list(options) if not spot.noun or spot.type is Type.EVENT else named_alike(spot, options, rules)
    deictic = rules.words.get("deictic_nouns", frozenset())
    if spot.noun in deictic and not any(option.said.head == spot.noun for option in own):
        return None
    act_verbs = rules.words.get("act_verbs", frozenset())
    is_act = spot.type is Type.EVENT or (not spot.noun and (spot.role is Role.SUBJECT or spot.verb in act_verbs))
    if is_act and spot.form in ("this", "that") and spot.type in (Type.THING, Type.EVENT):
        own.extend(_clauses(analysis, spot, history, rules))
    if spot.verb == "do" and spot.role is Role.OBJECT and not spot.noun:
        return [option for option in own if option.said.type is Type.EVENT]  # one does an act, not a thing
    return own


def _clauses(analysis: Analysis, spot: Spot, history: Sequence[PriorMessage], rules: ReferenceRules) -> list[Option]:
    before = spot.token
    while before > 0 and analysis.sentences[before - 1] == spot.sentence:
        before -= 1
    here = clause_option(analysis, before, None, rules) if before else None
    if here is not None:
        return [here]
    if not history:
        return []
    last = history[-1]
    if last.speaker is Speaker.ASSISTANT:
        return []
    earlier = read_message(last.text)
    option = clause_option(earlier, len(earlier.tokens), last, rules)
    return [option] if option is not None else []


def _left_out(spot: Spot, options: list[Option], focus: list[str], rules: ReferenceRules) -> Reference | None:
    """The thing spoken of before; None when nothing is clear, for a left-out object may also be no object."""
    earlier = [option for option in options if option.distance]
    reference = decide(spot, rank_options(spot, earlier, focus, rules), rules)
    return None if reference.state is ReferenceState.UNRESOLVED else reference


def _definite(spot: Spot, options: list[Option], rules: ReferenceRules) -> Reference | None:
    """ "the pulse" when "pulse animation" was said; None when it is said in full or for the first time."""
    words = {*spot.modifiers, spot.noun}
    name = " ".join((*spot.modifiers, spot.noun))
    matches = [
        option
        for option in options
        if (option.distance or option.said.start < spot.start)
        and option.said.key != name
        and words < {option.said.head, *option.said.modifiers}
        and option.said.is_plural == (spot.number == "plural")
        and (option.said.head == spot.noun or option.said.head in rules.words.get("shortened_heads", frozenset()))
    ]
    if not matches:
        matches = _named_kind(spot, options, rules)
    if not matches:
        return None
    best = min(matches, key=lambda option: (option.distance, -option.said.start))
    return decide(spot, [Scored(best, 1.0, 0.8, f"the {spot.noun} spoken of before")], rules)


def _named_kind(spot: Spot, options: list[Option], rules: ReferenceRules) -> list[Option]:
    """ "the file" after app/main.py, "the function" after load_rows: the name that was of this kind."""
    kind = rules.kind_nouns.get(spot.noun)
    if kind is None or spot.modifiers or any(o.said.head == spot.noun and o.distance for o in options):
        return []
    return [o for o in options if o.said.kind is not None and o.said.kind.value == kind and _is_before(o, spot)]


def _is_before(option: Option, spot: Spot) -> bool:
    return option.age <= _MAX_KIND_AGE and (option.distance > 0 or option.said.end <= spot.start)


def named_alike(spot: Spot, options: list[Option], rules: ReferenceRules) -> list[Option]:
    """For "that function": what has the same head noun or is of its class."""
    wanted = rules.classes.get(spot.noun)
    before = [option for option in options if option.distance or option.said.end <= spot.start]
    return [o for o in before if o.said.head == spot.noun or (wanted is not None and o.said.acts_on == wanted)]


def is_choice(analysis: Analysis, spot: Spot, history: Sequence[PriorMessage], rules: ReferenceRules) -> bool:
    """ "use that" after "which library would you use?": only the assistant's answer could tell."""
    if not history or spot.noun or len(analysis.tokens) > _MAX_CHOICE_TOKENS or spot.role is Role.SUBJECT:
        return False
    if spot.kind not in (ReferenceKind.PRONOUN, ReferenceKind.DEMONSTRATIVE):
        return False
    is_kept = any(message.speaker is Speaker.ASSISTANT for message in history[-2:])
    return not is_kept and rules.asks_choice.search(history[-1].text[:_MAX_QUESTION_CHARS].lower()) is not None


def is_praise(analysis: Analysis, spot: Spot, rules: ReferenceRules) -> bool:
    """ "This looks good, but …" at the start of a message: about the answer, not about what the person said."""
    if spot.token > 3 or spot.sentence > 0 or spot.noun or spot.kind is ReferenceKind.IMPLICIT:
        return False
    if spot.role is not Role.SUBJECT or spot.verb not in ("be", "look", "sound", "seem", "feel"):
        return False
    ahead = analysis.tokens[spot.token + 1 : spot.token + 6]
    return any(token.lower in rules.words.get("praise", frozenset()) for token in ahead)


def _weak(ranked: list[Scored]) -> list[Scored]:
    """Nothing was offered to choose from: the noun may be right, the choice is not known."""
    return [scored._replace(share=min(scored.share, 0.25)) for scored in ranked]


def decide(spot: Spot, ranked: list[Scored], rules: ReferenceRules) -> Reference:
    """The reference with its state; thresholds from the rules."""
    candidates = tuple(
        Candidate(_words_of(spot, s), round(s.share, 3), s.option.message_id, s.option.conversation_id, s.reason)
        for s in ranked[:_MAX_CANDIDATES]
    )
    if not ranked or ranked[0].points < rules.weights["floor"]:
        return unresolved(spot, "nothing said before fits", candidates)
    best = ranked[0]
    second = ranked[1].share if len(ranked) > 1 else 0.0
    weights = rules.weights
    is_apart = best.share >= weights["clear_share"] and best.share - second >= weights["clear_margin"]
    is_clear = is_apart and best.points >= weights["clear_points"]
    confidence = weights["confidence_base"] + weights["confidence_share"] * best.share
    confidence += weights["confidence_points"] * max(-1.0, min(4.0, best.points))
    return Reference(
        spot.mention, spot.start, spot.end, spot.kind,
        ReferenceState.RESOLVED if is_clear else ReferenceState.AMBIGUOUS,
        _words_of(spot, best), round(min(0.99, confidence), 2), best.reason, best.option.message_id, best.option.conversation_id,
        candidates,
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
