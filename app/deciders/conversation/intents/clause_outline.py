"""The outline of a clause for the intent model: its first word classes, one letter each.

Outlines depend on the tagger: after a change of lexicon or tagger the weights of the intent model are learned again.
"""

from functools import cache, lru_cache

from app.language.lexicon import Lexicon
from app.language.tagging import Tagger
from app.language.tags import Tag
from app.language.tokens import split_tokens

_MAX_CLASSES = 5


_MAX_WORDS = 12


_NAME = "a_name"  # what the tagger takes for a name of code


_NAMED_WORDS = frozenset(
    f"<{name}>" for name in ("file", "doc", "test", "log", "url", "sym", "quote", "cmd", "flag", "num")
)


_SPEAKERS = {
    **dict.fromkeys(("i", "we", "i'm", "we're", "i've", "we've"), "i"),
    **dict.fromkeys(("you", "you're", "you've"), "u"),
}


_LETTERS = {
    **dict.fromkeys((Tag.DET, Tag.ADJ, Tag.NUM, Tag.NOUN, Tag.NAME, Tag.TECH, Tag.POSS), "n"),
    Tag.PRON: "o",
    Tag.VERB: "v",
    Tag.GERUND: "g",
    Tag.PARTICIPLE: "e",
    Tag.AUX: "a",
    Tag.TO: "t",
    Tag.PREP: "p",
    Tag.SUB: "s",
    Tag.WH: "w",
}


@lru_cache(maxsize=4096)
def outline_clause(clause: tuple[str, ...]) -> str:
    """The first word classes of a clause of lower-case words and place-holders; a noun phrase is one letter.

    >>> outline_clause(("move", "the", "old", "cards", "to", "<file>")), outline_clause(("the", "cards", "overlap", "it"))
    ('vnpn', 'nvo')
    """
    tokens = split_tokens(" ".join(_NAME if word in _NAMED_WORDS else word for word in clause[:_MAX_WORDS]))
    lexicon, found = Lexicon.shipped(), ""
    for token, tag in zip(tokens, _tagger().tags(tokens), strict=True):
        letter = _SPEAKERS.get(token.lower) or _LETTERS.get(tag, "")
        if letter == "v" and lexicon.verbs.get(token.lower, token.lower) != token.lower:
            letter = "e" if token.lower in lexicon.participles else "z"  # "moved", "moves": no order
        if letter and not (letter == "n" and found.endswith("n")):
            found += letter
        if len(found) == _MAX_CLASSES:
            break
    return found


@cache
def _tagger() -> Tagger:
    return Tagger(Lexicon.shipped())
