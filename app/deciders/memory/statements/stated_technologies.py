"""Whether a sentence states that a technology is used, rather than mentions it: "runs on Redis", not "a Redis key".

A mention that filled a slot would contradict every memory about what is really used. Read are the words just before and just
after the name; where a pattern has read the statement, or the sentence names the attribute, nobody asks here. Pure.
Source: S4 (key, value, scope), QUALITY A5.
"""

import re

_WORD = re.compile(r"[\w'’-]+|[:=>]")
_BEGIN_WORDS = 1  # "the", "our"
_FILLERS = frozenset({"a", "an", "the", "our", "its", "own", "now", "just", "plain", "only", "still", "currently", "always", "latest", "new", "pure", "mostly", "all", "both", "either", "mainly", "exclusively", "standard", "everything", "it", "them"})  # fmt: skip
_USING = frozenset({"use", "uses", "using", "used", "is", "are", "be", ":", "=", ">", "adopt", "adopts", "adopted", "choose", "chose", "chosen", "pick", "picked", "prefer", "prefers", "require", "requires", "want", "wants", "take", "takes", "keep", "keeps", "need", "needs", "runs", "run", "target", "targets", "install", "add", "write", "have", "has", "as", "called", "get", "go", "goes", "going", "stick", "make"})  # fmt: skip
_THROUGH = frozenset({"on", "to", "with", "via", "through", "by", "in", "into", "over", "for", "onto", "at", "under"})
_DONE = re.compile(
    r"(?:\w+ed|\w+en|\w+ing|\w+s|built|sent|kept|made|run|go|going|done|held|live|build|write|host|deploy|"
    r"store|test|lint|stay|work|rely|depend|base|bound|bundle|format|cache|standardi[sz]e|move|migrate|switch|manage|ship|"
    r"serve|log|handle|monitor|stick|develop|queue|route|put|keep|do|style|search)$"
)
_BEGUN = frozenset({"start", "starts", "starting", "derive", "derives", "inherit", "inherits"})  # "from …"
_AND = frozenset({"and", "or", "plus"})
_AFTER_START = re.compile(
    r"\s*(?:\(|$|[,;.:]|(?:and|or|for|as|everywhere|plus|instead|only|over|with|is|not|on|in|stays?|it)\b)"
)


def is_stated(text: str, start: int, end: int) -> bool:
    """Whether the name at [start, end) is what the sentence says to be used.

    >>> [is_stated(said, said.index("Redis"), said.index("Redis") + 5) for said in ("Sessions live in Redis", "a Redis key expires")]
    [True, False]
    """
    before = [word.lower() for word in _WORD.findall(text[:start])]
    if len(before) <= _BEGIN_WORDS and (not before or before[0] in _FILLERS):
        return _AFTER_START.match(text, end) is not None
    while before and before[-1] in _FILLERS:
        before.pop()
    if not before or before[-1] in _USING or before[-1] in _AND:
        return bool(before)
    verb = next((word for word in reversed(before[:-1]) if word not in _FILLERS), "")
    if before[-1] == "from":
        return verb in _BEGUN
    return before[-1] in _THROUGH and _DONE.match(verb) is not None
