"""What a memory says under the new name of a thing that was renamed: the rule about it goes on, only its name is over.

Pure. Carried over is only what a message calls a rename, between two names as code has them, one of which the memory has word for
word, and only where the memory says more than the name. Source: JUDGE "A later message may replace, remove, rename or flip something";
issue 16, "real changes of mind that were heard".
"""

import re

_NAME = re.compile(r"(?=[\w./@#-]*(?:[_./@#0-9]|(?<=\w)[A-Z]))[\w@#][\w./@#-]*")
_PAIR = re.compile(
    r"(?P<old>[\w@#][\w./@#-]*)[`\"']? (?:(?:is|was|gets|has been|now) )*(?:renamed)(?: (?:to|as|into))? [`\"']?(?P<new>[\w@#][\w./@#-]*)"
    r"|\brenam(?:e|ed|es|ing) [`\"']?(?P<old2>[\w@#][\w./@#-]*)[`\"']? (?:to|as|into) [`\"']?(?P<new2>[\w@#][\w./@#-]*)",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(
    r"\b(?:re-?nam(?:e|ed|es|ing)|call(?:ed)? (?:it|them|this|that)|is now called|new name)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_SAID = 4  # words beside the name


def read_renames(message_text: str) -> list[tuple[str, str]]:
    """Old and new names of which the words say so themselves.

    >>> read_renames("CartStore is renamed BasketStore, since it holds baskets. Rename cart_rows to basket_rows.")
    [('CartStore', 'BasketStore'), ('cart_rows', 'basket_rows')]
    """
    pairs = ((one["old"] or one["old2"], one["new"] or one["new2"]) for one in _PAIR.finditer(message_text))
    return [(old.rstrip("./-"), new.rstrip("./-")) for old, new in pairs]


def say_with_new_name(text: str, old: str, new: str, message_text: str) -> str:
    """The text with the new name; "" where it is no rename, or where the text says no more than the name.

    `message_text`: the words of the message that reports it.

    >>> say_with_new_name("CartStore objects are closed after each request.", "CartStore", "BasketStore", "please rename it")
    'BasketStore objects are closed after each request.'
    >>> say_with_new_name("CartStore is the name of the store.", "CartStore", "BasketStore", "use BasketStore instead")
    ''
    """
    names = (old.strip("`\"' "), new.strip("`\"' "))
    if (
        names[0] == names[1]
        or not all(_NAME.fullmatch(name) for name in names)
        or _SAYS_SO.search(message_text) is None
    ):
        return ""
    place = re.compile(rf"(?<![\w./@#-]){re.escape(names[0])}(?![\w@#-])")
    beside = _WORD.findall(place.sub(" ", text))
    if place.search(text) is None or len(beside) < _LEAST_SAID or names[1] in text:
        return ""
    return place.sub(lambda _: names[1], text)
