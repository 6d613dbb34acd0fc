"""Whether two texts speak of the same thing, by their content words. Pure. Source: JUDGE "It closes only on the person's words"."""

import re

SAME_RATIO = 0.5  # of the words of what is said to be old: the same thing
LEAST_SHARED = 2  # words of two memories of which one replaces the other
_BEARING_RATIO = 0.3  # of a memory's words, and LEAST_SHARED: what was said may change it
_LONG, _FOLDED = 9, 6  # letters from which on a word counts by its first six: "registration", "registered"
_WORD = re.compile(r"[a-z0-9#.]+[a-z0-9#]|[a-z0-9]")
_CODE_NAME = re.compile(r"\b\w*[a-z][A-Z]\w*\b")
_GIVEN_UP = re.compile(r"\b(?:instead of|in place of|rather than|as opposed to)\b[^,.;:()]*", re.IGNORECASE)
_STOP_WORDS = """
a an the and or of to in on for with is are was were be been being it its this that these those them they there here not no do
does did should must will would can could may might we i you our your my as at by from into if so than then when which who what
how all any only just also have has had use used using uses make made want wants need needs never always instead new now
"""
_STOP = frozenset(_STOP_WORDS.split())


def content_words(text: str) -> frozenset[str]:
    """The words that say what it is about, plurals and long endings folded.

    >>> sorted(content_words("We use the exports as CSV"))
    ['csv', 'export']
    >>> content_words("registration") == content_words("registered")
    True
    """
    return frozenset(_folded(word) for word in _WORD.findall(text.casefold()) if word not in _STOP)


def _folded(word: str) -> str:
    if len(word) >= _LONG and word.isalpha():
        return word[:_FOLDED]
    return word.removesuffix("s") if len(word) > 3 else word


def agreement(old: str, text: str) -> float:
    """The share of the content words of `old` that `text` has, 0..1."""
    wanted = content_words(old)
    return len(wanted & content_words(text)) / len(wanted) if wanted else 0.0


def what_holds(text: str) -> str:
    """The text without what it says itself is given up.

    >>> what_holds("Test runs are kept in a table of their own, instead of in the shared one.")
    'Test runs are kept in a table of their own, .'
    """
    return _GIVEN_UP.sub("", text)


def bears_on(text: str, words: frozenset[str]) -> bool:
    """Whether a memory shares enough with what was said, given as its content words, that what was said may change it.

    A name that only code has is enough: "rename CartStore" says nothing else of the rule about it.

    >>> words = content_words("store the exports of CartStore as PDF")
    >>> bears_on("Exports are CSV.", words), bears_on("Exports run at night on the server.", words), bears_on("A CartStore is closed.", words)
    (True, False, True)
    """
    wanted = content_words(text)
    shared = len(wanted & words)
    if content_words(" ".join(_CODE_NAME.findall(text))) & words:
        return True
    return shared >= max(LEAST_SHARED, _BEARING_RATIO * len(wanted)) or shared >= max(1, SAME_RATIO * len(wanted))
