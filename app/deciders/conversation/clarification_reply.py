"""Whether a prompt only answers our own question: "A", "start new", "the header".

Pure. Reads a few bare words and nothing else: what orders, asks or tells anything is a message. Source: S1 "User Clarification Flow":
"Reply 'A' or 'B', or clarify what should be purple".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_CHARS = 60
_MOST_WORDS = 4
_LETTER = re.compile(r"\W*([ab])\W*\Z", re.IGNORECASE)
_NEW = frozenset(
    {
        "start new",
        "start a new one",
        "new conversation",
        "a new conversation",
        "start a new conversation",
        "something new",
    }
)
_SAME = frozenset({"same conversation", "the same conversation", "continue that conversation", "the earlier one"})
_DETERMINER = re.compile(r"(?:the|my|our|its|that|this|i mean|i meant|on|for|of)\s+", re.IGNORECASE)
_NAMING = re.compile(r"(?:the|my|our)\s+[\w#.+/-]+(?:\s+[\w#.+/-]+){0,3}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClarificationReply:
    """What was answered: whether something new begins, or what a word stands for; `name` as it is known, else as written."""

    is_new: bool | None = None
    name: str = ""


def read_clarification_reply(
    text: str, names: Sequence[str], *, is_boundary_asked: bool, is_thing_asked: bool
) -> ClarificationReply | None:
    """The answer that a prompt is, to what was asked about the one before it; None for anything else.

    `names`: what may be meant, the likeliest first.

    >>> read_clarification_reply("b)", [], is_boundary_asked=True, is_thing_asked=False)
    ClarificationReply(is_new=True, name='')
    >>> read_clarification_reply("The header", ["FAB button", "header"], is_boundary_asked=False, is_thing_asked=True)
    ClarificationReply(is_new=None, name='header')
    >>> read_clarification_reply("make the header blue", ["header"], is_boundary_asked=True, is_thing_asked=True) is None
    True
    """
    reply = " ".join(text.split()).strip(" .!?\"'“”")
    if not reply or len(reply) > _MOST_CHARS or "\n" in text.strip():
        return None
    if is_boundary_asked:
        letter = _LETTER.match(text.strip())
        if letter is not None:
            return ClarificationReply(is_new=letter[1].lower() == "b")
        if reply.lower() in _NEW or reply.lower() in _SAME:
            return ClarificationReply(is_new=reply.lower() in _NEW)
    bare = _bare(reply)
    known = next((name for name in names if _bare(name).lower() == bare.lower()), "")
    if known and len(bare.split()) <= _MOST_WORDS:
        return ClarificationReply(name=known)
    if is_thing_asked and _NAMING.match(reply):
        return ClarificationReply(name=bare)
    return None


def _bare(words: str) -> str:
    while (cut := _DETERMINER.sub("", words, count=1)) != words and _DETERMINER.match(words):
        words = cut
    return words
