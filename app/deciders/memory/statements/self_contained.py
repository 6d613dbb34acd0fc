"""Whether a proposal can be read by somebody who did not read the talk: no pointing, no fragment, no question, no doubt, no report.

What waits in the review is read alone, weeks later. A leading clause that only answers ("looks good, but …") is left out; what
points at something said elsewhere, supposes, asks, is cut off or stands under a pasted report is no proposal. The words stand in
`statements.yaml`, `alone`. Knows one statement and its message. Source: issue 16, "made by rules it is the shortest stretch that
stands alone".
"""

import re
from dataclasses import replace

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.clauses import parse_clause
from app.deciders.memory.statements.phrasing import points_outside, write_sentence
from app.deciders.memory.statements.standalone_rules import is_standalone_rule
from app.language.likeness import NEGATION, content_words
from app.language.sentences import split_sentences
from app.values import FactCandidate, FactType

_WORD = re.compile(r"[a-z0-9`./_-]+")
_POINTED = re.compile(r"\b(?:this|these|those|that same|the same|such) ([a-z-]{3,})", re.IGNORECASE)
_INSIDE = re.compile(
    r"(?:project|repo|repository|codebase|team|app|application|branch|machine|company|product|library|service|package|game|site|"
    r"week|month|year|sprint|time|way|is|are|was|has|as|for|in|on|format|name|names|thing)$"
)
_ANAPHORS, _LEAST_NOUN_CHARS = frozenset({"it", "its", "them", "they", "these", "those"}), 3
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"))
_ASIDE = re.compile(r"\([^()]*\)")
_LEAST_WORDS = 3
_LEAST_AFTER_BUT = 4
_LEAST_CARRYING = 2  # "we do not want a limit": of what?
_SMALL_WORD_CHARS, _FOREIGN_SHARE = 3, 0.04
_CASE = re.compile(r"(?:if|when|whenever|unless|once) [^,]{8,90}, ", re.IGNORECASE)
_LOOKED_BACK_CHARS = 400
_ORDER_LEAD = re.compile(r"\A(?:(?:please|just|also|let's|let us) )+")
_NUMBERED = re.compile(
    r"\s*(?:(?:y|yes|ok|okay|sure|great|good)\b[,.!]? )?(?:let's (?:do|go with) )?\(?1\s?[.):] ?\S", re.IGNORECASE
)
_FRAME = re.compile(
    r"^(?:for|in|on|at|when|whenever|once|as|with|during|from|by|instead of|after|before|until|since|to)\b[^,]{2,80}, "
)
_BANS = frozenset({"do", "don't", "never", "always", "not", "no", "only", "just", "avoid"})
_NAME = re.compile(
    r"`[^`\n]{2,60}`(?: [A-Z][\w-]+)?|@?[\w.-]*/[\w./-]+\.\w{1,5}\b|\b[\w-]+\.(?:py|js|ts|tsx|jsx|md|go|rs|json|vue|css|scss|html|ex|rb|java|cs|sh|ya?ml|toml|sql)\b"
    r"|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b|\w\(\)"
)
_HEADING = re.compile(
    r"^(?:#{1,6} .{3,80}|(?:in|for|on|inside|we are (?:improving|changing|fixing|building)) [^\n]{3,80}):?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ALL = re.compile(r"\b(?:always|never|every|each|all)\b", re.IGNORECASE)
_OPENING_CHARS = 400
_FEW_CARRYING = 4  # of an order: "keep the heuristic" of which of them?


def stand_alone(one: FactCandidate, message: str, rules: MemoryRules) -> FactCandidate | None:
    """The candidate as a proposal that stands alone; None where it cannot.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> from app.deciders.memory.statements.statements import guess_statement
    >>> for said in ("It looks fine, but keep the exports in CSV.", "Do it for those tests.", "How do I squash, so that only one stays."):
    ...     kept = stand_alone(guess_statement(said), said, load_memory_rules())
    ...     print(kept and kept.text)
    Keep the exports in CSV.
    None
    None
    """
    text = _without_answer(one.text, rules)
    own = rules.self_contained
    low = text.lower()
    is_standalone = is_standalone_rule(
        message[one.start : one.end], message, rules
    )  # what it leans on is the assistant itself
    if compiled(own.questioned).match(message, one.end) or (is_numbered(message) and not _is_sentence(text, rules)):
        return None
    if any(
        compiled(expression).search(low)
        for expression in (own.doubts, own.dangling, *(() if is_standalone else (own.about_conversation, own.cut_off)))
    ):
        return None
    is_of_project = compiled(own.itself).search(low) is not None
    if not is_of_project and (compiled(own.opens).search(low) or points_outside(text, rules)):
        return None
    if (
        _is_cut(text)
        or _points(text)
        or (not (is_of_project or is_standalone) and _names_unsaid(low, own.unnamed_context))
        or (not is_of_project and _has_no_antecedent(text, rules))
        or _is_heading(text)
        or _is_foreign(text)
        or (not is_standalone and _is_fragment(text, one.type, rules))
    ):
        return None
    if compiled(own.report).search(_line_above(message, one.start)):
        return None
    place = _place_of(message, one.start, rules) if _NAME.search(text) is None else ""
    if place:
        text = f"{text.rstrip('.')} ({place})."
    return one if text == one.text else replace(one, text=text)


def is_order_of_few_words(one: FactCandidate, rules: MemoryRules) -> bool:
    """Whether it orders something that only the work at hand shows; what says "always" or "if" reaches further, "in CSV" says where.

    A ban in few words may come again, and counts then.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> from app.deciders.memory.statements.statements import guess_statement
    >>> for said in ("Keep the heuristic.", "Keep the exports in CSV.", "Do not touch the seeds."):
    ...     print(is_order_of_few_words(guess_statement(said), load_memory_rules()))
    True
    False
    False
    """
    if compiled(rules.self_contained.reaching).search(one.text) or len(_carrying(one.text, rules)) > _FEW_CARRYING:
        return False
    words = _WORD.findall(_ORDER_LEAD.sub("", one.text.lower()))
    is_verb = bool(words) and (words[0] in rules.clauses.orders or words[0] in rules.self_contained.verbs)
    return is_verb and words[:2] != ["do", "not"] and parse_clause(one.text, rules.clauses) is None


def is_numbered(message: str) -> bool:
    """Whether the message answers questions by their numbers: "1. yes 2. the second".

    >>> is_numbered("1. yes\\n2. the second"), is_numbered("Two rules:\\n1. No tabs.")
    (True, False)
    """
    return _NUMBERED.match(message) is not None


def _is_sentence(text: str, rules: MemoryRules) -> bool:
    """Whether it says or orders something by itself, where an answer may be any piece of what was asked."""
    if parse_clause(text, rules.clauses) is not None or _CASE.match(text) is not None:
        return True
    words = _WORD.findall(_ORDER_LEAD.sub("", _FRAME.sub("", text.lower())))
    return bool(words) and (
        words[0] in rules.clauses.orders or words[0] in rules.self_contained.verbs or words[0] in _BANS
    )


def _place_of(message: str, start: int, rules: MemoryRules) -> str:
    """The one name in code marks, or file, of the work that the message opens with, or of the heading above; "" when none does."""
    head = _HEADING.findall(message, 0, start)
    opening = (
        head[-1]
        if head
        else next((one.text for one in split_sentences(message[:_OPENING_CHARS]) if one.end <= start), "")
    )
    if not head and not compiled(rules.self_contained.opens_work).match(opening):
        return ""
    names = dict.fromkeys(found[0] for found in _NAME.finditer(opening))
    return next(iter(names)) if len(names) == 1 else ""


def leans_on_answer(one: FactCandidate, message: str, rules: MemoryRules) -> bool:
    """Whether it stands in a message that refuses what was just answered, and neither fills a slot nor reaches beyond that.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> from app.deciders.memory.statements.statements import guess_statement
    >>> for said in ("No, the web copies the short form.", "No, never copy the short form.", "No errors, the web copies the short form."):
    ...     print(leans_on_answer(guess_statement(said), said, load_memory_rules()))
    True
    False
    False
    """
    own = rules.self_contained
    return compiled(own.refusing).search(message) is not None and one.slot is None and _ALL.search(one.text) is None


def _without_answer(text: str, rules: MemoryRules) -> str:
    """Without a leading clause that only says what is thought of something else: "it looks fine, but …"."""
    found = compiled(rules.self_contained.answers).match(text)
    rest = text[found.end() :] if found is not None else ""
    return write_sentence(rest) if len(rest.split()) >= _LEAST_AFTER_BUT else text


def _is_cut(text: str) -> bool:
    return any(text.count(opened) != text.count(closed) for opened, closed in _PAIRS) or text.count("`") % 2 == 1


def _points(text: str) -> bool:
    """Whether "this task", "those tests" stands for something that the text does not name before."""
    for found in _POINTED.finditer(text):
        noun = found[1].lower()
        if not _INSIDE.match(noun) and noun.rstrip("s") not in text[: found.start()].lower():
            return True
    return False


def _names_unsaid(text: str, unsaid: str) -> bool:
    """Whether "the button" is one that the text does not name before: the message is not there to whoever reads it."""
    return any(found[1] not in text[: found.start()] for found in compiled(unsaid).finditer(text))


def _has_no_antecedent(text: str, rules: MemoryRules) -> bool:
    """Whether an "it" has no noun before it: "we should not just assume it is there"."""
    likeness, clauses = rules.likeness, rules.clauses
    for token in text.lower().split():
        word = token.strip('.,;:!?()"').split("'", maxsplit=1)[0]
        if word in _ANAPHORS:
            return True
        is_small = len(word) < _LEAST_NOUN_CHARS or token.endswith("n't")
        known = (
            likeness.weak,
            likeness.modals,
            likeness.negations,
            clauses.verbs,
            clauses.orders,
            rules.self_contained.verbs,
        )
        if not is_small and not any(word in words for words in known):
            return False
    return False


def _is_heading(text: str) -> bool:
    """Whether all longer words begin with a capital: "Ordering Items by Date in the Shop"."""
    words = [one for one in text.split() if one[:1].isalpha() and len(one) > _SMALL_WORD_CHARS]
    return len(words) >= _LEAST_WORDS and all(one[0].isupper() for one in words)


def _is_foreign(text: str) -> bool:
    """Whether it is written in another language than the rules read."""
    letters = [one for one in text if one.isalpha()]
    return sum(one > "\x7f" for one in letters) > _FOREIGN_SHARE * len(letters)


def _is_fragment(text: str, type_: FactType, rules: MemoryRules) -> bool:
    """Whether neither a clause nor an order stands in it: "popular products across all orders"."""
    words = _WORD.findall(_ASIDE.sub(" ", text.lower()))
    carrying = _carrying(text, rules) - {"prefer"}
    least = _LEAST_CARRYING + (type_ is FactType.PREFERENCE and "prefer" in words)  # "prefer vertical sorting": where?
    if len(words) < _LEAST_WORDS or len(carrying) < least:
        return True
    own = rules.clauses
    return (
        _CASE.match(text) is None
        and parse_clause(text, own) is None
        and not any(word in own.verbs or word in own.orders or word in rules.self_contained.verbs for word in words)
    )


def _carrying(text: str, rules: MemoryRules) -> set[str]:
    return set(content_words(text, rules.likeness)) - {NEGATION}


def _line_above(message: str, start: int) -> str:
    """The nearest line above the statement that says something."""
    above = message[max(0, start - _LOOKED_BACK_CHARS) : message.rfind("\n", 0, start) + 1]
    lines = [line.strip() for line in above.splitlines() if line.strip()]
    return lines[-1] if lines else ""
