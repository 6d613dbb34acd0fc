"""References whose antecedent stands behind them: "I get this error: no such table", with what is quoted there.

A mention that points forward is never resolved to something said before; where the quoted line says enough, it is the antecedent.
Source: S2 (context references).
"""

import re

from app.deciders.conversation.references.rules import ReferenceRules
from app.deciders.conversation.references.values import (
    QUOTED_BEHIND,
    ReferenceMention,
)
from app.language.phrases import Analysis
from app.values import Reference, ReferenceState

_AHEAD = re.compile(r"[^.!?:\n]{0,100}(?::\s|\n)")
_QUOTED = r"(?P<name>\w[^.!?:\n]{0,100}?)"
_BEHIND = r"\s*(?:```\w*\s)?\s*(?P<line>[^\n]+)"
_NAMED_AHEAD = re.compile(rf"{_QUOTED}(?: ?:(?=\s)|(?<=[a-z])(?<! )[ \t]*(?=\n\s*```)){_BEHIND}")
_LINE_BEHIND = re.compile(_BEHIND)
_IS_AHEAD = re.compile(rf" (?:is|was) (?:the |an? |my )?{_QUOTED} ?:(?=\s){_BEHIND}")
_SAID_OF_IT = frozenset({"is", "are", "was", "were"})  # "this error is new: …"
_MAX_QUOTED_CHARS, _LEAST_QUOTED_WORDS = 140, 2


def is_cataphoric(analysis: Analysis, mention: ReferenceMention) -> bool:
    """ "I get this error: …": what it stands for comes behind it."""
    return (
        bool(mention.noun)
        and mention.form in ("this", "these")
        and _AHEAD.match(analysis.text, mention.end) is not None
    )


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
