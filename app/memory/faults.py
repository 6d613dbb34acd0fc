"""Whether words tell of something that goes wrong, or of dealing with such things, which is no fault.

Knows words and their lists; nothing of clauses or messages. Source: issue 3 "Extraction".
"""

import re

from app.memory.rules import MemoryRules

_WORD = re.compile(r"[a-z0-9][\w'-]*", re.IGNORECASE)
_CARE = re.compile(  # dealing with faults is none
    r"^nothing (?=(?:gets?|goes|may|must|leaves?|ships?|below|above|over|under|beyond|outside|but|except|smaller|larger|bigger|longer|of|is (?:ever|allowed|written|stored|kept))\b)|\b(?:crash|error|bug|failure|exception|problem)(?:es|s)? ?-?(?:report|track|handl|budget|rate|code|boundar|monitor|type|fix|messag|text|string|class|envelope|respons|pag|bod|object|payload|shape|format|screen|log)\w*"
    r"|^(?:all |new )?(?:errors?|exceptions?|failures?|bugs?|issues?|incidents?|crashes) (?=(?:must|should|may|have to|go|goes|come back as|come as|use|follow|carry|include|contain|always|never|(?:is|are|get|gets) (?:returned|logged|handled|reported|sent|wrapped|tracked|shown|caught|raised|thrown|stored|formatted|written|mapped|never|always))\b)"
    r"|\b(?:0|zero|no|without|fewer|free of) (?:[a-z]+ )?(?:crashes|errors|bugs|failures|exceptions|regressions)\b"
    r"|\b(?:log|catch|wrap|return|raise|throw|handle|report|swallow|track|show|on|for) (?:all |any |every |[a-z]+ )?(?:errors|exceptions|failures)\b"
)
_SEEN_FAULT = re.compile(
    r"\bcrash\w+\b|\bkeeps? (?!running|using|working)[a-z]+ing\b|\b(?:returns?|gives?|gets?|throws?|sends?|responds? with) (?:back )?(?:an? )?[45]\d\d\b",
    re.IGNORECASE,
)


def tells_of_fault(text: str, rules: MemoryRules) -> bool:
    """Whether the words speak of something that goes wrong."""
    low = without_care(text.lower())
    return rules.clauses.has("faults", low, lower_words(low)) or _SEEN_FAULT.search(text) is not None


def without_care(low: str) -> str:
    """The text in lower case without what deals with faults: "crash reports go to Sentry" tells of none."""
    return _CARE.sub(" ", low)


def lower_words(text: str) -> list[str]:
    """The words of the text in lower case, in order."""
    return [word.lower() for word in _WORD.findall(text)]
