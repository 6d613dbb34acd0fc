"""How a memory reads: the person's own words as one sentence that stands alone.

Owns taking away what opens and closes a sentence, and the check that nothing points outside. "I" and "my" stay.
Knows nothing of types and slots. Source: S4 (key and value, not prose).
"""

import re
from collections.abc import Sequence

from app.deciders.memory.rules import MemoryRules, compiled

MAX_WORDS = 60
_MAX_EDGES = 8
_LEAST_NAMED = 2  # behind so many words of weight a pronoun has something to stand for
_NO_OPENER = re.compile(r"(?:so far|so long as|then again|now and then|well[- ]known|right now|first and last)\b", re.IGNORECASE)  # fmt: skip
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": "`"})
_SHORT_IS = re.compile(  # what never follows an owner: no "Mia's at", no "the disk's 20 GB"
    r"\b(?!(?:let|it|that|there|here|what|who|how|where|he|she)'s)([a-z][\w-]*[a-z])'s(?= (?:(?:an?|the|our|on|in|at|under|behind|not|"
    r"now|still|only|always|called|named|written|hosted|running|deployed|stored|used|kept|done|built|based|set|off|out|from)\b|"
    r"\d[\d.]* ?[a-z%]|https?:))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w'/.+#-]*\w")
_FIRST_WORD = re.compile(r"\w+(?:['-]\w+)*")
_PLEONASTIC = re.compile(
    r"\b(?:it(?:'s| is| was| has)?(?: been)? (?:decided|agreed|settled|concluded)|it'?s? (?:is |would be |makes )?(?:important|better|best|necessary|required|clear|fine|easier|sense|possible|(?:strictly |not |only )*(?:forbidden|allowed|prohibited|permitted|possible|mandatory))|make it (?:easy|possible|clear|so)|there (?:is|are|must|should|may|can|will))\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r'"[^"]*"|`[^`]*`')  # words that are spoken of
_INSIDE = re.compile(
    r"\b(?:that|which|this (?:project|repo|repository|codebase|team|app|code|branch|machine|week|month|year|sprint|quarter|semester|season|spike|iteration|cleanup|prototype|release|version|milestone|phase|company|product|rewrite|refactor|refactoring|migration|effort|service|library|tool|package|cli|game|site|monorepo|chip|board|device|cluster|machine|box|laptop|firmware|engine|server|database|robot|bot|lab|office|house|studio|shop|client|customer|contract))\b",
    re.IGNORECASE,
)
_PRAISE = re.compile(  # "this looks good, but let's …", "ok, makes sense, we …"
    r"^(?:(?:this|that|it|these|those|they|which|all|looks|sounds|seems|makes|i (?:like|love)|good (?:point|catch|idea))\b[^,.;:!?]{0,40}"
    r"|(?:yup|yep|yes|yeah|y|k|kk|mmk|ok|okay|cool|fine|done|agreed|sure|right|true|hm+|uh+|um+)\b[^,.;:!?]{0,24}), (?:but |so |and |though |then )?"
    r"(?=(?:for [^,]{2,40}, )?(?:let's|lets|we|i'd|i want|i don't|don't|use|just|only|keep|no|please)\b)",
    re.IGNORECASE,
)
_WITH = re.compile(r"\bw/(o)?(?= )", re.IGNORECASE)


def straighten(text: str) -> str:
    """The text with plain quotes and single spaces; "the cache's on 6379" with its "is", "w/" as "with"."""
    text = " ".join(text.translate(_QUOTES).split())
    if "w/" in text or "W/" in text:
        text = _WITH.sub(lambda found: "without" if found[1] else "with", text)
    return _SHORT_IS.sub(r"\1 is", text) if "'s " in text else text


def strip_edges(text: str, rules: MemoryRules) -> str:
    """The sentence without its openers ("ok so", "I think") and closers ("btw", "please")."""
    opening, closing = compiled(rules.openers), compiled(rules.closers)
    text = text.strip(" \t,;:-–—*").rstrip(".!… ")
    if text.startswith("_"):
        text = text.strip("_")
    text = text[praise_length(text) :]
    for _ in range(_MAX_EDGES):
        found = opening.match(text)
        if found is None or _NO_OPENER.match(text) or len((shorter := text[found.end() :]).split(maxsplit=2)) < 2:
            break
        text = shorter.lstrip(" ,;:-–—")
    for _ in range(_MAX_EDGES):
        shorter = closing.sub("", text, count=1).rstrip(" ,;")
        if shorter == text or not shorter:
            break
        text = shorter
    return text


def praise_length(text: str) -> int:
    """How many characters only say what the person thinks of the last answer: "this looks good, but "."""
    found = _PRAISE.match(text)
    return found.end() if found is not None else 0


def cut_tail(text: str, marks: Sequence[str]) -> str:
    """What stands before the first of the marks: the main clause before "because", "which", "so that"."""
    low = text.lower()
    places = [place for mark in marks if (place := low.find(mark)) > 0]
    return text[: min(places)] if places else text


def write_sentence(text: str) -> str:
    """One sentence in the person's own words: a capital, no full stop doubled; "I" and "my" stay.

    >>> write_sentence("my time zone is CET")
    'My time zone is CET.'
    """
    text = text.strip(" \t,;:-–—").rstrip(".!… ")
    first = _FIRST_WORD.match(text)
    is_name = first is not None and (
        "_" in first[0] or first[0][-1].isdigit()
    )  # "from_coder" is no other name with a capital
    if first is not None and not is_name and first[0].islower() and text[first.end() : first.end() + 1] in {" ", ","}:
        text = text[0].upper() + text[1:]
    return text if text.endswith(("?", ":")) else f"{text}."


def points_outside(text: str, rules: MemoryRules) -> str:
    """The pronoun that keeps the text from standing alone; empty when there is none."""
    plain = _PLEONASTIC.sub(" ", _INSIDE.sub(" ", _SPOKEN.sub(" ", text)))
    words: list[str] = [word.lower() for word in _WORD.findall(plain)]
    content = 0
    for word in words:
        bare = word.split("'")[0]
        if bare in rules.pronouns and content < _LEAST_NAMED:
            return word
        content += len(bare) > 3 and bare not in rules.pronouns
    return ""


def without_inside(text: str) -> str:
    """The text with what means the same tomorrow said plainly: "this monorepo" as "our monorepo"."""
    return _INSIDE.sub(lambda found: re.sub(r"^this\b", "our", found[0], flags=re.IGNORECASE), text)


def is_vague(text: str, rules: MemoryRules) -> bool:
    """Whether an object says nothing outside its conversation: "it", "option 2", "the plan"."""
    words = [
        word if word.isupper() and len(word) > 1 else word.lower()  # REST is not the rest
        for word in _WORD.findall(text)
        if word.lower() not in {"the", "a", "an", "your", "my", "then", "just", "for", "now", "please"}
    ]
    return not words or all(word in rules.vague or (len(word) < 3 and not word[0].isdigit()) for word in words[:4])
