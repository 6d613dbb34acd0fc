"""Word classes in context: a few ordered rules stand in for a tagger.

Enough to tell "run the tests" from "the test runs". Knows nothing of phrases or entities.
"""

from app.language.lexicon import Lexicon
from app.language.proper_names import join_titles
from app.language.tag_context import SPECIAL, Context
from app.language.tag_repair import repair_tags
from app.language.tags import NOMINAL, SUBJECTS, Tag, is_be
from app.language.tokens import Token, is_technical

_NOUN_LEFT = frozenset({Tag.DET, Tag.ADJ, Tag.POSS, Tag.PREP, Tag.NUM, Tag.NAME})
_CLAUSE_LEFT = frozenset({Tag.PUNCT, Tag.CONJ, Tag.INTJ, Tag.TO, Tag.ADV, Tag.SUB})
_SUBJECT_TAGS = NOMINAL | {Tag.DET, Tag.ADJ, Tag.NUM}
_VERBAL_LEFT = frozenset({Tag.VERB, Tag.GERUND, Tag.PARTICIPLE})
_ADJ_ENDINGS = ("able", "ible", "ful", "less", "ous", "ive", "ish", "ic", "ical")
_PREDICATE_ENDINGS = (*_ADJ_ENDINGS, "al", "ing", "ed", "ant", "ent", "ary")
_PARTICLES = frozenset({"up", "down", "off", "out"})
_PREFIXES = frozenset({"re", "un", "auto", "pre", "de", "co", "over"})
_ORDERS = frozenset({"do", "don't", "dont"})
_MAX_SUBJECT_TOKENS = 6


class Tagger:
    """Gives tags; built once per lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._context = Context(lexicon)
        self._paired = frozenset(word for pair in lexicon.paired_adjectives for word in pair.split())

    def tags(self, tokens: list[Token]) -> list[Tag]:
        """One tag per token.

        >>> from app.language.tokens import split_tokens
        >>> tokens = split_tokens("run the unit tests and show me the test run")
        >>> " ".join(Tagger(Lexicon.shipped()).tags(tokens))
        'V D J N C V PRO D N N'
        """
        tags: list[Tag] = []
        for index in range(len(tokens)):
            left = tags[-1] if tags else Tag.PUNCT
            tags.append(self._tag(tokens, tags, index, left))
        join_titles(tokens, tags, self._lexicon)
        repair_tags(tokens, tags, self._lexicon)
        return tags

    def _tag(self, tokens: list[Token], tags: list[Tag], index: int, left: Tag) -> Tag:
        token = tokens[index]
        if not token.is_word:
            return Tag.PUNCT
        word = token.lower
        if word in self._paired and self._is_pair(tokens, index, left):
            return Tag.ADJ
        fixed = self._context.fixed.get(word)
        if fixed is not None:
            return _fixed(token, fixed, left)
        special = SPECIAL.get(word)
        if special is not None:
            return special(self._context, tokens, index, left)
        if word[0] == "`" or (word[0].isdigit() and not word.isdigit()):
            return Tag.TECH
        if word.isdigit() or word in self._lexicon.numbers:
            return Tag.NUM
        if is_technical(token.text):
            return Tag.TECH
        return self._named(token, left) or self._open(tokens, tags, index, left)

    def _is_pair(self, tokens: list[Token], index: int, left: Tag) -> bool:
        """ "the read only files", "an open source tool"."""
        word, pairs = tokens[index].lower, self._lexicon.paired_adjectives
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        before = tokens[index - 1].lower if index else ""
        is_opening = f"{word} {following}" in pairs and (left in _NOUN_LEFT or left is Tag.VERB)
        return is_opening or (left is Tag.ADJ and f"{before} {word}" in pairs)

    def _named(self, token: Token, left: Tag) -> Tag | None:
        """A capital inside a sentence makes a name."""
        is_capital = token.text[0].isupper() and left is not Tag.PUNCT
        if not is_capital or self._context.is_shouted(token) or token.lower in self._lexicon.interjections:
            return None
        return Tag.NAME

    def _open(self, tokens: list[Token], tags: list[Tag], index: int, left: Tag) -> Tag:
        """A noun, verb, adjective, adverb or interjection."""
        lexicon, word = self._lexicon, tokens[index].lower
        if word in lexicon.interjections and left in _CLAUSE_LEFT and self._context.is_clause_end(tokens, index + 1):
            return Tag.INTJ
        if word in lexicon.verbs and (tag := self._verb(tokens, tags, index, left)) is not None:
            return tag
        if "-" in word and left in _CLAUSE_LEFT and _is_repeated(word, lexicon):
            return Tag.VERB
        if word in lexicon.gerunds:
            has_object = self._context.takes_object(tokens, index + 1)
            is_done = has_object or (index > 0 and lexicon.is_plural(tokens[index - 1].lower))  # "tests covering it"
            is_noun = left in (Tag.DET, Tag.POSS, Tag.ADJ) or (left is Tag.NOUN and not is_done)
            return Tag.NOUN if is_noun else Tag.GERUND
        is_attribute = self._context.is_nominal_next(tokens, index) and not self._context.is_done_next(tokens, index)
        if word in lexicon.participles:
            return Tag.ADJ if left in (Tag.DET, Tag.ADJ) and is_attribute else Tag.PARTICIPLE
        if word in lexicon.adjectives:
            is_adverb = word in lexicon.adverbs and not is_attribute and left is not Tag.DET
            return Tag.ADV if is_adverb else Tag.ADJ
        return self._minor(tokens, index, left, is_attribute=is_attribute)

    def _minor(self, tokens: list[Token], index: int, left: Tag, *, is_attribute: bool) -> Tag:
        """What is left: adverbs, interjections, abbreviations, words of no list."""
        lexicon, token = self._lexicon, tokens[index]
        word = token.lower
        if word in lexicon.adverbs or (word.endswith("ly") and len(word) > 4):
            return Tag.ADV
        if word in lexicon.interjections:
            return Tag.INTJ
        if token.text.isupper() and len(word) > 1:
            return Tag.NAME
        if word in lexicon.lookalike_nouns:
            return Tag.NOUN
        if len(word) > 4 and word.endswith("ed") and (not is_attribute or left in (Tag.AUX, Tag.PRON)):
            return Tag.PARTICIPLE
        is_said_of = left is Tag.ADV or (left is Tag.AUX and index > 0 and is_be(tokens[index - 1].lower))
        is_thing = left is Tag.DET and not is_attribute  # "the handler swallows"
        is_adjective = (
            (word.endswith("er") and not is_thing and self._context.is_comparative(tokens, index))
            or (is_said_of and word.endswith(_PREDICATE_ENDINGS))
            or (is_attribute and word.endswith(_ADJ_ENDINGS))
        )
        return Tag.ADJ if is_adjective else Tag.NOUN

    def _verb(self, tokens: list[Token], tags: list[Tag], index: int, left: Tag) -> Tag | None:
        """VERB, PARTICIPLE, or None when the word is a noun here."""
        lexicon, word = self._lexicon, tokens[index].lower
        before = tokens[index - 1].lower if index else ""
        is_past = word in lexicon.participles
        if is_past and (left is Tag.AUX or left in NOMINAL or left in _NOUN_LEFT):
            return Tag.PARTICIPLE if left not in (Tag.DET, Tag.ADJ) else Tag.ADJ
        is_noun_too = word in lexicon.noun_verbs
        if left in (Tag.AUX, Tag.TO, Tag.INTJ, Tag.SUB) or before in SUBJECTS:
            is_subject = is_noun_too and left is Tag.AUX and (is_be(before) or self._is_asked_of(tokens, tags, index))
            return None if is_subject else Tag.VERB
        if not is_noun_too:
            return None if left in (Tag.DET, Tag.POSS, Tag.ADJ) and not is_past else Tag.VERB
        if left in _NOUN_LEFT or left in _VERBAL_LEFT:
            return None
        if left in NOMINAL:
            return self._after_noun(tokens, tags, index)
        is_said = left in (Tag.PRON, Tag.WH) or word in lexicon.only_verbs_s  # "works now", "looks good"
        is_verb_place = is_said or not self._context.is_bare_noun(tokens, index)
        return Tag.VERB if is_verb_place else None

    def _after_noun(self, tokens: list[Token], tags: list[Tag], index: int) -> Tag | None:
        """ "the watcher polls the folder" but "the nginx logs"."""
        lexicon, word, before = self._lexicon, tokens[index].lower, tokens[index - 1].lower
        if word in lexicon.only_verbs_s or self._is_asked(tokens, tags, index):
            return Tag.VERB
        if word in lexicon.participles and self._context.is_clause_end(tokens, index + 1):
            return Tag.PARTICIPLE  # "reminder set"
        is_third = word.endswith("s") and word not in lexicon.singular_s
        if lexicon.is_plural(before):
            return None if is_third else Tag.VERB
        return Tag.VERB if is_third and self._context.starts_object(tokens, index + 1) else None

    def _is_asked_of(self, tokens: list[Token], tags: list[Tag], index: int) -> bool:
        """ "does prompt toolkit have …": the noun that a question begins with."""
        if tokens[index - 1].lower in _ORDERS:
            return False  # "don't mock completion" is an order
        is_first = index == 1 or tags[index - 2] in (Tag.PUNCT, Tag.INTJ, Tag.CONJ, Tag.WH)
        return is_first and self._context.is_nominal_next(tokens, index)

    def _is_asked(self, tokens: list[Token], tags: list[Tag], index: int) -> bool:
        """ "does the build pass", "can the user search": the verb of a question."""
        place = index - 1
        while place >= 0 and index - place < _MAX_SUBJECT_TOKENS and tags[place] in _SUBJECT_TAGS:
            place -= 1
        is_question = place >= 0 and tags[place] is Tag.AUX and not is_be(tokens[place].lower)
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        return is_question and (following == "like" or following not in self._lexicon.verbs)


def _fixed(token: Token, tag: Tag, left: Tag) -> Tag:
    """A closed-class word; "call Will" and "set up" are the exceptions."""
    is_capital = token.text[0].isupper() and not token.text.isupper()
    if tag is Tag.AUX and left is not Tag.PUNCT and is_capital:
        return Tag.NAME
    is_particle = token.lower in _PARTICLES and left in _VERBAL_LEFT
    return Tag.ADV if is_particle else tag


def _is_repeated(word: str, lexicon: Lexicon) -> bool:
    """ "re-use", "auto-commit"."""
    prefix, _, verb = word.partition("-")
    return prefix in _PREFIXES and verb in lexicon.verbs
