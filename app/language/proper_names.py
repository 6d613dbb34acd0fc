"""Capitalised runs that are one name: "Eye of the Tiger", "Cloudflare Workers Types".

Changes tags in place, after the tagger. Knows nothing of phrases.
"""

from app.language.lexicon import Lexicon
from app.language.tags import Tag
from app.language.tokens import Token

_SENTENCE_ENDS = frozenset(".!?:;\n")
_LINKS = frozenset({"of", "the", "a", "an", "in", "over", "my", "me", "you", "your"})
_LOOSE_LINKS = frozenset({"in", "over"})  # "Redis in Docker" is two names
_MAX_LINKS = 3


def join_titles(tokens: list[Token], tags: list[Tag], lexicon: Lexicon) -> None:
    """Gives every word of a capitalised run the tag of a name.

    >>> from app.language.tokens import split_tokens
    >>> tokens = split_tokens("play Eye of the Tiger")
    >>> tags = [Tag.VERB, Tag.NAME, Tag.PREP, Tag.DET, Tag.NAME]
    >>> join_titles(tokens, tags, Lexicon.shipped())
    >>> " ".join(tags)
    'V NP NP NP NP'
    """
    index = 0
    while index < len(tokens):
        if not _is_start(tokens, tags, index, lexicon):
            index += 1
            continue
        end = _end(tokens, index)
        if end - index > 1:
            tags[index:end] = [Tag.NAME] * (end - index)
        index = end


def _is_capital(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].text[0].isupper()


def _is_start(tokens: list[Token], tags: list[Tag], index: int, lexicon: Lexicon) -> bool:
    if not _is_capital(tokens, index):
        return False
    word = tokens[index].lower
    if index == 0 or tokens[index - 1].text in _SENTENCE_ENDS:
        is_plain = tags[index] in (Tag.NOUN, Tag.NAME) and word not in lexicon.verbs
        return is_plain and _is_capital(tokens, index + 1) and tokens[index + 1].lower != "i"
    return word not in ("i", "the", "a") or _is_capital(tokens, index + 1)


def _end(tokens: list[Token], index: int) -> int:
    end = index + 1
    while end < len(tokens):
        if _is_capital(tokens, end) and tokens[end].lower != "i":
            end += 1
            continue
        ahead = end
        while ahead < len(tokens) and ahead - end < _MAX_LINKS and tokens[ahead].lower in _LINKS:
            ahead += 1
        is_linked = ahead > end and _is_capital(tokens, ahead)
        if not is_linked or (ahead - end == 1 and tokens[end].lower in _LOOSE_LINKS):
            break
        end = ahead + 1
    return end
