"""What one sentence states: the pattern that reads it best, else its clauses weighed, each on its own where they can be.

Owns the order: what a pattern reads is surer than what is weighed; a doubt beats both. Knows nothing of messages.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.memory.clauses import parse_clause, share_subject
from app.memory.covering import cover
from app.memory.faults import tells_of_fault
from app.memory.joining import join_clauses
from app.memory.matching import BARE, Match, best_match, doubts_clause, doubts_sentence, is_task_after
from app.memory.notes import continues_note, read_note
from app.memory.orders import read_order, read_style
from app.memory.phrasing import cut_tail, points_outside, strip_edges
from app.memory.rules import MemoryRules, compiled
from app.memory.sayings import retype
from app.memory.slots import fill_slot, find_attributes, find_technologies
from app.memory.standing import Judged, Setting, judge_clause
from app.values import Entity, FactType

_PARTS = re.compile(
    r", (?:and |but |so |while |whereas |then )?|; | (?:but|while|whereas) | [–—-]+ | and (?=(?:the|we|our|all|every|only|no|[A-Z][a-z]+) "
    r"|[\w-]+ (?:[\w-]+ )?(?:is|are|has|have|must|should|cannot|may|uses|runs|goes|lives|go|run|use) )"
)
_CONTINUED = re.compile(
    r"(?:never|always|only|not|also|because|since|as|if|when|so|which|where|who|that|until|unless|before|after|to|with|like) ",
    re.IGNORECASE,
)  # its subject stands in the part before
_FRAGMENT = re.compile(r"no [\w`./-]+(?: [\w`./-]+)?(?=$|[,.;])", re.IGNORECASE)
_GAPPED = re.compile(
    r"(?!(?:for|in|on|at|with|by|to|from|not|and|or|i|we|you|it|he|she|they)\b)[\w`./-]+(?: [\w`./-]+)? (?:at|in|on|with|for|by|to|from|after|every|until|under|within|over|via|as|is|are) [\w`./ %-]+$",
    re.IGNORECASE,
)
_PERSON_GAP = re.compile(r"([A-Z][a-z]+(?: [A-Z][a-z]+)?) ((?:the|our|all) [\w -]+)$")
_SAID_OF = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)? ([a-z]+s(?: \w+)?) (?:the|our|all) ")
_MAX_PARTS, _LEAST_PART_WORDS = 6, 3
_NEAR_CHARS = len("to on ")
_CONTRAST = re.compile(
    r", (?:not|no|never) (?!(?:yet|only|just|problem|idea|sure|matter)\b)[^,;]+(?:$|,? (?:because|since|as|so|cause)\b)|\binstead of\b|\brather than\b",
    re.IGNORECASE,
)
_BANNED = re.compile(
    r"(?:,|;| [–—-]) ?(?:so |and |please )*(?:do not|don't|never|hands off|not to be) \w+", re.IGNORECASE
)
_FROM_NOW = re.compile(
    r"\b(?:from (?:now|here|today|this (?:release|sprint|version)) on(?:wards?)?|going forward|as of (?:now|today|v?\d\S*|this \w+|next \w+))\b"
    r"|^(?:from|as of|starting (?:with|in|from)|with) (?:v\d\S*|\d+\.\d\S*|version \S+|the (?:next|second|coming) (?:release|version|term|season|sprint)|next (?:week|month|term|release))(?: on)?,? ",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"\w+(?:ed|ten|wn) ", re.IGNORECASE)
_LIST = re.compile(r"[a-z][\w-]*(?: [\w-]+){0,2}: (?:[^,:;]{1,24}, (?:and )?)+[^,:;]{1,24}$", re.IGNORECASE)
_LEAD_IN = re.compile(r"[\w' -]{3,40}: ")
FROM_NOW = "from now on"  # the name of the pattern
_CHOSEN = re.compile(r"we (?:drop|skip|ditch|scrap|postpone|stay|stick|switch|freeze|kill|cancel|keep (?:the|our) [\w-]+$)\b", re.IGNORECASE)  # fmt: skip
_UNIVERSAL = re.compile(
    r"(?:all|every|each|any) (?:[\w-]+ ){1,4}(?:is|are|goes|go|gets?|needs?|carr(?:y|ies)|come|comes|starts?|ends?|must) |(?:nothing|nobody|no one) "
    r"|(?:the |our )?(?:[\w`./-]+ ){1,4}(?:is|are|goes|go|start|starts|end|ends|use|uses|get|gets|live|lives|come|comes)? ?(?:always|never|only) "
    r"|[^,;]{3,40} (?:goes|go|is|are|gets?|needs?|belongs?) [^,;]{0,24}\b(?:in|into|on|onto|to|with|at|for) (?:every|each|all) "
    r"(?!(?:single )?(?:second|minute|hour|day|night|morning|evening|week|month|quarter|year|release|deploy|other|few|\w+day)s?\b|\d)"
    r"|(?:the |our |my |total |hard |max(?:imum)? |upper )*(?:budget|ceiling|limit|cap|quota|allowance|maximum|minimum)\b[^,;]{0,40} (?:is|are|of) [^,;]*\d",
    re.IGNORECASE,
)
_PERMITTED = re.compile(
    r"(?:^|, |; | and )only [^,;]{3,60} (?:may|can|(?:is|are) allowed to|must)\b|(?:, |; | and )[^,;]{3,60} (?:may not|must)\b",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"(?:we|the team)(?:'ve| have)? (?:just |finally |now )?(?:settled|agreed|decided)\b", re.IGNORECASE
)
_CHOICES = frozenset({FactType.DECISION, FactType.FACT, FactType.PREFERENCE})
_SURE, _PART_PENALTY = 0.6, 0.06
_SLOT_GROUPS = frozenset({"use", "be", "place", "rhythm", "make", "flow"})


def read_sentence(
    core: str,
    entities: Sequence[Entity],
    rules: MemoryRules,
    *,
    is_by_hand: bool = False,
    setting: Setting | None = None,
) -> list[Match]:
    """The statements of a sentence whose edges are stripped: usually none or one, of a run of clauses one for each.

    Without `setting` only patterns read it.
    """
    found = _read_all(core, entities, rules, setting, is_by_hand=is_by_hand)
    if is_by_hand:
        return found
    joined = [_as_choice(one, rules) for one in join_clauses([_as_choice(one, rules) for one in found])]
    if len(joined) != 1 or setting is None:
        return joined
    return [cover(joined[0], core, _split(core, rules), rules)]


def _read_all(
    core: str, entities: Sequence[Entity], rules: MemoryRules, setting: Setting | None, *, is_by_hand: bool
) -> list[Match]:
    whole = best_match(core, entities, rules, is_by_hand=is_by_hand)
    if is_by_hand:
        return [whole] if whole is not None else []
    bound = _read_binding(core, entities, rules, setting)
    if bound:
        return bound
    if doubts_sentence(cut_tail(core, rules.cut_after), rules):
        return [whole] if whole is not None else []
    parts = _split(core, rules)
    run = _read_run(core, parts, whole, entities, rules, setting) if 1 < len(parts) <= _MAX_PARTS else None
    if run is not None:
        is_task = is_task_after(core, rules)  # "the image is 3 MB, compress it": its facts are about that
        return _merge_rejected([one for one in run if not is_task or one.pattern.type is not FactType.FACT])
    if whole is None and setting is not None:
        whole = _read_plainly(core, entities, rules, setting)
    return [whole] if whole is not None else []


def _read_binding(core: str, entities: Sequence[Entity], rules: MemoryRules, setting: Setting | None) -> list[Match]:
    """A rule or a choice by those whose word binds, in their name: "legal says names may not be logged"."""
    led = compiled(rules.sayings.authorities).match(core)
    if led is None:
        return []
    found = _read_all(core[led.end() :], entities, rules, setting, is_by_hand=False)
    is_binding = len(found) == 1 and found[0].pattern.type in {FactType.CONSTRAINT, FactType.DECISION}
    return [replace(found[0], text=core)] if is_binding else []


def _read_run(
    core: str,
    parts: Sequence[str],
    whole: Match | None,
    entities: Sequence[Entity],
    rules: MemoryRules,
    setting: Setting | None,
) -> list[Match] | None:
    """What a run of clauses states, each on its own where they can be; None when the sentence is to be read as one."""
    if whole is not None and _LEAD_IN.match(core) and not any(_has_verb(part, rules) for part in parts[1:]):
        return None  # "settled: trunk based, squash only"
    each = _read_parts(parts, entities, rules, setting)
    found = [one for one in each if one is not None]
    if whole is not None:
        is_each = len(found) == len(each)
        is_split = is_each and (whole.pattern.type is FactType.FACT or _are_sure(found))
        return found if is_split else _beside(whole, parts, each, rules)
    if len(found) > 1 or len(found) == len(each):
        return found
    if found and each[0] is None:
        return [] if setting is not None and setting.is_talk else [_less_sure(one) for one in found]
    if not found:
        return None
    together = _weighed(core, rules, setting)
    return [found[0] if together is None or points_outside(together.text, rules) else together]


def _merge_rejected(found: Sequence[Match]) -> list[Match]:
    """What was chosen and what was not are one statement: "shaders are written in wgsl, we gave up on glsl"."""
    merged: list[Match] = []
    for match in found:
        before = merged[-1] if merged else None
        if before is None or not _is_contrast(before, match):
            merged.append(match)
            continue
        chosen = match if before.pattern.is_negated else before
        text = f"{before.text}; {match.text[:1].lower()}{match.text[1:]}"
        merged[-1] = replace(chosen, text=text, pattern=replace(chosen.pattern, type=FactType.DECISION))
    return merged


def _is_contrast(before: Match, match: Match) -> bool:
    """Whether one says what was given up and the other what there is instead."""
    if before.pattern.is_negated == match.pattern.is_negated:
        return False
    given_up, chosen = (before, match) if before.pattern.is_negated else (match, before)
    is_chosen = chosen.pattern.type in _CHOICES or chosen.pattern.id == BARE.id
    return given_up.pattern.type is FactType.DECISION and is_chosen


def _beside(whole: Match, parts: Sequence[str], each: Sequence[Match | None], rules: MemoryRules) -> list[Match] | None:
    """What the pattern reads in one clause, and what the other clauses state; None when it spans them."""
    said = cut_tail(whole.text, rules.drop_after).casefold()
    place = next((number for number, part in enumerate(parts) if said in part.casefold()), None)
    if place is None:
        return None
    return [one for number, read in enumerate(each) if (one := whole if number == place else read) is not None]


def read_clauses(
    core: str, entities: Sequence[Entity], rules: MemoryRules, setting: Setting | None = None
) -> list[Match]:
    """The statements of the clauses of a sentence that cannot be kept as one, since part of it points elsewhere."""
    parts = _split(core, rules)
    is_run = 1 < len(parts) <= _MAX_PARTS and not is_task_after(core, rules)
    if not is_run or doubts_sentence(cut_tail(core, rules.cut_after), rules):
        return []
    return [one for one in _read_parts(parts, entities, rules, setting) if one is not None]


def _split(core: str, rules: MemoryRules) -> list[str]:
    """The clauses of the sentence; where two verbs share a subject it is said for both."""
    parts: list[str] = []
    begin = 0
    if _LIST.match(core) and not _has_verb(core.split(": ", 1)[1], rules):
        return [core]  # "targets: iOS 16+, Android 26+"
    for found in _PARTS.finditer(core):
        part = core[begin : found.start()].strip()
        if found[0] == " and " and (len(part.split()) < _LEAST_PART_WORDS or not _has_verb(part, rules)):
            continue  # "Mia and Lee"
        if _FRAGMENT.match(core, found.end()) is not None and "so" not in found[0]:
            continue  # "Caddy only, no Nginx": alone the rest says too little
        parts.append(part)
        begin = found.end()
    parts = [part for part in (*parts, core[begin:].strip()) if part]
    if len(parts) > _MAX_PARTS:
        return parts
    return [clause for part in parts for clause in share_subject(part, rules.clauses)]


def _has_verb(part: str, rules: MemoryRules) -> bool:
    return (
        parse_clause(part, rules.clauses) is not None
        or part.split(maxsplit=1)[0].lower() in rules.clauses.words["openings"]
    )


def _read_parts(
    parts: Sequence[str], entities: Sequence[Entity], rules: MemoryRules, setting: Setting | None
) -> list[Match | None]:
    each: list[Match | None] = []
    for place, part in enumerate(parts):
        match = _read_part(strip_edges(part, rules), place, entities, rules, setting)
        before = each[-1] if each else None
        if match is None and before is not None:
            match = continues_note(part, before, rules) or _gapped(part, before)
        each.append(match)
    return each


def _gapped(part: str, before: Match) -> Match | None:
    """A part that leaves out the verb of the part before it: "staging lives at A, production at B"."""
    person = _PERSON_GAP.match(part) if before.pattern.type is FactType.ENTITY else None
    verb = _SAID_OF.match(before.text)
    if person is not None and verb is not None:  # "Mia owns the parser, Lee the lexer"
        groups = {**before.groups, "person": person[1], "object": person[2]}
        return replace(before, text=f"{person[1]} {verb[1]} {person[2]}", groups=groups, filling=None)
    is_own = _GAPPED.match(part) is not None and _PARTICIPLE.match(part) is None  # "…, sorted by day" goes on with it
    is_gapped = before.pattern.id == BARE.id and is_own
    return replace(before, text=part, filling=None) if is_gapped else None


def _less_sure(match: Match) -> Match:
    """Read in the middle of a sentence whose other parts say nothing known."""
    return replace(match, pattern=replace(match.pattern, confidence=match.pattern.confidence - _PART_PENALTY))


def _are_sure(found: Sequence[Match]) -> bool:
    return all(one.pattern.confidence >= _SURE for one in found)


def _read_part(
    part: str, place: int, entities: Sequence[Entity], rules: MemoryRules, setting: Setting | None
) -> Match | None:
    if place and _CONTINUED.match(part):
        return None
    found = best_match(part, entities, rules)
    if found is None and setting is not None:
        found = _read_plainly(part, entities, rules, setting)
    return None if found is None or doubts_sentence(part, rules) else found


def _read_plainly(part: str, entities: Sequence[Entity], rules: MemoryRules, setting: Setting) -> Match | None:
    """What no pattern reads: an entry of a note, a clause that weighs enough, an order that keeps holding, a style."""
    found = read_note(part, entities, rules, setting) or _weighed(part, rules, setting)
    if found is not None or setting.is_document:
        return found  # a pasted text orders nobody
    return read_order(part, rules, setting) or read_style(part, rules, setting)


def _as_choice(match: Match, rules: MemoryRules) -> Match:
    """What is said with what it is not was decided: "strings in UTC, not epoch millis"."""
    if match.pattern.type is not FactType.FACT:
        is_agreed = _AGREED.match(match.text) is not None and match.pattern.type is FactType.PREFERENCE
        is_agreed = is_agreed or (match.pattern.id == FROM_NOW and parse_clause(match.text, rules.clauses) is not None)
        return replace(match, pattern=replace(match.pattern, type=FactType.DECISION)) if is_agreed else match
    found = _CONTRAST.search(match.text)
    is_banned = _BANNED.search(match.text) is not None or (found is not None and "never" in found[0])
    is_chosen = found is not None or _FROM_NOW.search(match.text) is not None or _CHOSEN.match(match.text) is not None
    if not is_banned and not is_chosen:
        is_rule = _UNIVERSAL.match(match.text) is not None or _PERMITTED.search(match.text) is not None
        return replace(match, pattern=replace(match.pattern, type=FactType.CONSTRAINT)) if is_rule else match
    type_ = FactType.CONSTRAINT if is_banned else FactType.DECISION
    return replace(match, pattern=replace(match.pattern, type=type_))


def _weighed(part: str, rules: MemoryRules, setting: Setting | None) -> Match | None:
    """The clause as a match when it weighs enough and nothing speaks against it."""
    main = cut_tail(part, rules.cut_after)
    judged = judge_clause(main, rules, setting) if setting is not None else None
    if judged is None or tells_of_fault(part, rules) or doubts_clause(main, rules) or is_task_after(main, rules):
        return None
    pattern = replace(
        BARE,
        type=judged.type,
        confidence=judged.confidence,
        reason=judged.reason,
        is_negated=judged.clause.is_negated,
    )
    groups = {"subject": judged.clause.subject, "new": judged.clause.rest}
    filling = fill_slot(part, rules.slots, groups) if _may_fill(judged, rules) else None
    return retype(Match(pattern, part, groups, filling if filling is not None and filling.slot else None), rules)


def _may_fill(judged: Judged, rules: MemoryRules) -> bool:
    """Whether the clause answers a question by itself: wrong slots would make memories contradict."""
    clause = judged.clause
    if clause.is_negated or clause.group not in _SLOT_GROUPS:
        return False
    is_told = clause.verb in {"be", "stay", "remain"} and bool(_first_technology(clause.rest, rules))
    return is_told or clause.group == "use" or bool(find_attributes(clause.subject, rules.slots))


def _first_technology(rest: str, rules: MemoryRules) -> bool:
    """Whether what is said of it begins with a technology: "stays Django", not "is a copy of the Django one"."""
    return any(one.start <= _NEAR_CHARS for one in find_technologies(f"to {rest}", (), rules.slots))
