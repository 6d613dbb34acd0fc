"""What the neighbours of a word tell about it; words whose class hangs on them alone ("that", "to", "her").

Pure questions over tokens. The decisions are made in `tagging`.
"""

from collections.abc import Callable, Sequence

from app.language.lexicon import Lexicon
from app.language.tags import NOMINAL, SUBJECTS, Tag, is_be
from app.language.tokens import Token

_MAX_SUBJECT_TOKENS = 10
_SENTENCE_ENDS = frozenset({".", "!", "?", ";", "\n"})
_OPENERS = frozenset({"to", "when", "if", "because", "that", "out", "up", "down", "off"})
_OBJECTS = frozenset(
    {"the", "a", "an", "it", "them", "every", "each", "everything", "its", "their", "your"}
)  # of a verb
_ASKED_OF = frozenset({"look", "mean", "do", "say", "sound"})  # "what's that do"
_WOULD = frozenset({"would", "'d", "to", "don't", "you'd"})


class Context:
    """Questions about the surroundings of a token; built once per lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.fixed = _fixed_tags(lexicon)

    def is_nominal_next(self, tokens: Sequence[Token], index: int) -> bool:
        """Does the next word continue a noun phrase?"""
        if index + 1 >= len(tokens):
            return False
        token = tokens[index + 1]
        word, lexicon = token.lower, self.lexicon
        if not token.is_word or word in self.fixed or word in SPECIAL:
            return False
        if word in lexicon.adverbs and word not in lexicon.adjectives:
            return False
        return word not in lexicon.verbs or word in lexicon.noun_verbs or word in lexicon.adjectives

    def is_done_next(self, tokens: Sequence[Token], index: int) -> bool:
        """Does the next word say what this one does: "the table throws an error", not "the table rows"?"""
        if index + 1 >= len(tokens):
            return False
        word, after = tokens[index + 1].lower, index + 2
        is_sure = word in self.lexicon.only_verbs_s and self.is_clause_end(tokens, after)
        return self.lexicon.is_third(word) and (is_sure or self.takes_object(tokens, after))

    def is_clause_end(self, tokens: Sequence[Token], index: int) -> bool:
        return index >= len(tokens) or not tokens[index].is_word or tokens[index].lower in self.fixed

    def takes_object(self, tokens: Sequence[Token], index: int) -> bool:
        """ "explaining what it is", "creating a table"."""
        if index >= len(tokens):
            return False
        return self.fixed.get(tokens[index].lower) in (Tag.DET, Tag.WH, Tag.PRON)

    def starts_object(self, tokens: Sequence[Token], index: int) -> bool:
        if index >= len(tokens):
            return False
        word, lexicon = tokens[index].lower, self.lexicon
        is_noun_start = word in lexicon.determiners or word in lexicon.possessives or word in lexicon.pronouns
        is_adverb = word in lexicon.adverbs or (word.endswith("ly") and len(word) > 4)
        return is_noun_start or word in _OPENERS or is_adverb

    def is_bare_noun(self, tokens: Sequence[Token], index: int) -> bool:
        """ "tests are failing", "logs show": a noun although a clause begins here; not "and logs it"."""
        if index + 1 >= len(tokens):
            return False
        word, after, lexicon = tokens[index].lower, tokens[index + 1].lower, self.lexicon
        is_plural = word.endswith("s") and word not in lexicon.singular_s
        return after in lexicon.auxiliaries or after in lexicon.modals or (is_plural and after not in _OBJECTS)

    def opens_clause(self, tokens: Sequence[Token], index: int) -> bool:
        """Does a clause follow: "confirm that the header is there", not "confirm that again"?"""
        if index + 1 >= len(tokens):
            return False
        token = tokens[index]
        if not token.is_word or token.is_code:
            return token.is_code or token.text in "\"'“("
        tag = self.fixed.get(token.lower)
        is_subject = tag not in (Tag.PREP, Tag.CONJ, Tag.ADV, Tag.AUX) and token.lower not in self.lexicon.adverbs
        return is_subject and self._has_verb(tokens, index + 1)

    def _has_verb(self, tokens: Sequence[Token], index: int) -> bool:
        """Is there a verb before the sentence ends: "see that it works", not "see that session. It works"?"""
        lexicon = self.lexicon
        for token in tokens[index : index + _MAX_SUBJECT_TOKENS]:
            if token.text in _SENTENCE_ENDS:
                return False
            if token.is_code or token.lower in lexicon.verbs or token.lower in (lexicon.auxiliaries | lexicon.modals):
                return True
        return False

    def is_comparative(self, tokens: Sequence[Token], index: int) -> bool:
        """ "trickier", "wider than"."""
        word, adjectives = tokens[index].lower, self.lexicon.adjectives
        is_than = index + 1 < len(tokens) and tokens[index + 1].lower == "than"
        return is_than or word[:-2] in adjectives or word[:-1] in adjectives or word[:-3] + "y" in adjectives

    def is_shouted(self, token: Token) -> bool:
        """NOT, ALWAYS: an ordinary word written in capitals."""
        if not token.text.isupper() or len(token.text) < 2:
            return False
        word, lexicon = token.lower, self.lexicon
        return word in lexicon.adverbs or word in lexicon.verbs or word in lexicon.adjectives


Special = Callable[[Context, Sequence[Token], int, Tag], Tag]


def _before(tokens: Sequence[Token], index: int) -> str:
    return tokens[index - 1].lower if index else ""


def _to(context: Context, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    if index + 1 >= len(tokens) or tokens[index + 1].is_code:
        return Tag.PREP
    word, lexicon = tokens[index + 1].lower, context.lexicon
    is_base = lexicon.verbs.get(word) == word or word in lexicon.auxiliaries
    return Tag.TO if is_base else Tag.PREP


def _that(context: Context, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
    """ "that" that opens a clause is no pronoun: "the file that", "so that", "sure that"."""
    lexicon, before = context.lexicon, _before(tokens, index)
    if index + 1 < len(tokens) and tokens[index + 1].is_word:
        following = tokens[index + 1].lower
        is_plural = lexicon.is_plural(following) and following not in lexicon.verbs
        is_said_of = left is Tag.ADJ and before not in ("same", "like")
        if left in NOMINAL or is_plural or before == "so" or is_said_of:
            return Tag.SUB
    is_subject = index + 1 < len(tokens) and tokens[index + 1].lower in ("'s", "'ll", "'d")  # "I know that's late"
    if lexicon.base_of(before) in lexicon.clause_verbs and not is_subject and context.opens_clause(tokens, index + 1):
        return Tag.SUB
    return _demonstrative(context, tokens, index, left)


def _demonstrative(context: Context, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
    if not context.is_nominal_next(tokens, index):
        return Tag.PRON
    lexicon, following = context.lexicon, tokens[index + 1].lower
    is_last = index + 2 < len(tokens) and tokens[index + 2].text == "?"  # "what would that entail?"
    is_verb_alike = lexicon.verbs.get(following) == following or (is_last and _before(tokens, index) in lexicon.modals)
    is_asked = left is Tag.AUX and not is_be(_before(tokens, index)) and is_verb_alike
    is_past = left is Tag.AUX and following in lexicon.participles and following not in lexicon.adjectives
    is_doing = left is Tag.AUX and following in lexicon.gerunds and context.takes_object(tokens, index + 2)
    if is_asked or is_past or is_doing:
        return Tag.PRON  # "does that break anything", "when was that released"
    is_be_before = left is Tag.AUX and is_be(_before(tokens, index))
    is_predicate = following in _ASKED_OF or following in lexicon.adjectives
    if is_be_before and is_predicate and not context.is_nominal_next(tokens, index + 1):
        return Tag.PRON  # "what's this look like", "is that safe"
    is_verb = following in lexicon.verbs
    is_third = is_verb and following.endswith("s") and tokens[index].lower in ("this", "that")
    return Tag.PRON if is_third or (is_verb and following not in lexicon.noun_verbs) else Tag.DET


def _her(context: Context, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    return Tag.DET if context.is_nominal_next(tokens, index) else Tag.PRON


def _like(_context: Context, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    before = _before(tokens, index)
    return Tag.VERB if before in SUBJECTS or before in _WOULD else Tag.PREP


def _instead(_context: Context, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    return Tag.PREP if index + 1 < len(tokens) and tokens[index + 1].lower == "of" else Tag.ADV


def _longer(_context: Context, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    return Tag.ADV if _before(tokens, index) == "no" else Tag.ADJ


def _no(context: Context, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    if index + 1 < len(tokens) and tokens[index + 1].lower == "longer":
        return Tag.ADV
    return Tag.INTJ if index == 0 and not context.is_nominal_next(tokens, index) else Tag.DET


def _apostrophe_s(context: Context, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
    if _before(tokens, index) == "let":
        return Tag.PRON
    if left not in NOMINAL and left is not Tag.GERUND:
        return Tag.AUX
    return Tag.POSS if context.is_nominal_next(tokens, index) else Tag.AUX


def _one(context: Context, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
    is_count = context.is_nominal_next(tokens, index) and left not in (Tag.DET, Tag.ADJ)
    return Tag.NUM if is_count else Tag.PRON


SPECIAL: dict[str, Special] = {
    "to": _to,
    "that": _that,
    "this": _demonstrative,
    "these": _demonstrative,
    "those": _demonstrative,
    "her": _her,
    "like": _like,
    "no": _no,
    "instead": _instead,
    "longer": _longer,
    "'s": _apostrophe_s,
    "one": _one,
    "ones": _one,
}
_QUANTITIES = frozenset({"more", "most", "few", "many", "other", "such", "enough", "same", "several"})
_ADVERBS = frozenset({"not", "n't", "please", "there", "here", "now", "today", "tomorrow"})


def _fixed_tags(lexicon: Lexicon) -> dict[str, Tag]:
    """Words that are the same class everywhere; earlier lines win."""
    fixed: dict[str, Tag] = {}
    for words, tag in (
        (lexicon.auxiliaries | lexicon.modals, Tag.AUX),
        (lexicon.conjunctions, Tag.CONJ),
        (lexicon.possessives, Tag.DET),
        (lexicon.determiners - _QUANTITIES, Tag.DET),
        (lexicon.question_words - {"when", "where"}, Tag.WH),
        (lexicon.subordinators, Tag.SUB),
        (lexicon.pronouns - {"here", "there"}, Tag.PRON),
        (lexicon.prepositions, Tag.PREP),
        (_ADVERBS, Tag.ADV),
    ):
        for word in words:
            if word not in SPECIAL:
                fixed.setdefault(word, tag)
    return fixed
