"""Second look at a tagged message: a clause that has no verb, although one of its words could be it.

"The handler swallows errors", "finding 4 is fixed", "the nightly cleanup": left to right the tagger could not
know. Changes tags only; knows nothing of phrases. Runs once per message, linear in its tokens.
"""

from app.language.lexicon import Lexicon
from app.language.tags import NOMINAL, Tag
from app.language.tokens import Token

_BORDERS = frozenset({Tag.PUNCT, Tag.SUB, Tag.WH, Tag.INTJ})
_FINITE = frozenset({Tag.VERB, Tag.AUX})
_JOINED = (Tag.NOUN, Tag.CONJ, Tag.PARTICIPLE, Tag.NOUN)
_MIN_CLAUSE_TOKENS = 3


def repair_tags(tokens: list[Token], tags: list[Tag], lexicon: Lexicon) -> None:
    """Puts verbs where clauses lack one and nouns where a label or an attribute was taken for a verb."""
    _mend_pairs(tokens, tags, lexicon)
    first = 0
    for index in range(len(tags) + 1):
        if index < len(tags) and tags[index] not in _BORDERS:
            continue
        if index - first >= _MIN_CLAUSE_TOKENS - 1:
            _mend_compound(tokens, tags, (first, index), lexicon)
            _find_verb(tokens, tags, (first, index), lexicon)
        first = index + 1


def _mend_pairs(tokens: list[Token], tags: list[Tag], lexicon: Lexicon) -> None:
    for index in range(len(tags) - 2):
        tag, following, after = tags[index], tags[index + 1], tags[index + 2]
        is_opening = index == 0 or tags[index - 1] in (Tag.PUNCT, Tag.INTJ)
        is_label = following is Tag.NUM and tokens[index + 1].text.isdigit() and after is Tag.AUX
        if is_opening and is_label and tag in (Tag.VERB, Tag.GERUND):
            tags[index] = Tag.NOUN  # "finding 4 is fixed", "issue 12 isn't"
        elif tag is Tag.DET and following is Tag.ADV and after is Tag.VERB:
            if tokens[index + 1].lower.endswith("ly") and tokens[index + 2].lower in lexicon.noun_verbs:
                tags[index + 1], tags[index + 2] = Tag.ADJ, Tag.NOUN  # "the nightly build"
        elif index and (tags[index - 1], tag, following, after) == _JOINED and tokens[index + 1].lower.endswith("ed"):
            tags[index + 1] = Tag.ADJ  # "timeouts and refused connections"


def _mend_compound(tokens: list[Token], tags: list[Tag], clause: tuple[int, int], lexicon: Lexicon) -> None:
    """ "order form shows nothing": no order, but the first word of what shows nothing."""
    first, end = clause
    word = tokens[first].lower
    is_base = tags[first] is Tag.VERB and lexicon.verbs.get(word) == word
    if not is_base or word not in lexicon.noun_verbs or word in lexicon.clause_orders:
        return
    verb = first + 1
    while verb < end and tags[verb] is Tag.NOUN and not lexicon.is_plural(tokens[verb].lower):
        verb += 1
    if verb > first + 1 and verb < end and tags[verb] is Tag.VERB and lexicon.is_third(tokens[verb].lower):
        tags[first] = Tag.NOUN


def _find_verb(tokens: list[Token], tags: list[Tag], clause: tuple[int, int], lexicon: Lexicon) -> None:
    first, end = clause
    while first < end and tags[first] in (Tag.CONJ, Tag.ADV):
        first += 1
    if any(tag in _FINITE for tag in tags[first:end]):
        return
    is_told = first < end and (tags[first] is Tag.DET or (clause[0] > 0 and tags[clause[0] - 1] is Tag.SUB))
    for index in range(first + 1, end):
        if tags[index] is Tag.PREP or tags[index] is Tag.TO:
            return
        if tags[index] is Tag.NOUN and tags[index - 1] in NOMINAL:
            following = tags[index + 1] if index + 1 < end else Tag.PUNCT
            if _is_verb(tokens, tags, index, lexicon, following=following, is_told=is_told):
                tags[index] = Tag.VERB
                return


def _is_verb(
    tokens: list[Token], tags: list[Tag], index: int, lexicon: Lexicon, *, following: Tag, is_told: bool
) -> bool:
    word, before = tokens[index].lower, tokens[index - 1].lower
    if word not in lexicon.verbs:
        return False
    is_joined = Tag.CONJ in tags[max(0, index - 4) : index - 1]
    if lexicon.is_third(word) == (is_joined or lexicon.is_plural(before)):
        return False  # "the tests fail", "the test fails"
    if word in lexicon.only_verbs_s:
        return True
    if following is Tag.PREP or not is_told:
        return word not in lexicon.noun_verbs or (is_joined and following is not Tag.PREP)
    return following not in (Tag.PUNCT, Tag.CONJ) or word not in lexicon.noun_verbs
