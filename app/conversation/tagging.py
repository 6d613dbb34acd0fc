"""Word classes in context: a few ordered rules stand in for a tagger.

Enough to tell "run the tests" from "the test runs". Knows nothing of phrases or entities.
"""

from enum import StrEnum

from app.conversation.lexicon import Lexicon
from app.conversation.tokens import Token, is_technical


class Tag(StrEnum):
    DET = "D"
    PRON = "PRO"
    VERB = "V"
    GERUND = "VG"
    PARTICIPLE = "VN"
    AUX = "AUX"
    TO = "TO"
    PREP = "P"
    CONJ = "C"  # and, or
    SUB = "S"  # that, if, because; who, which in relative clauses
    WH = "W"
    ADV = "R"
    ADJ = "J"
    NUM = "#"
    NOUN = "N"
    NAME = "NP"
    TECH = "T"  # code, path, number with unit: the shape says it is a term
    POSS = "'s"
    INTJ = "I"
    PUNCT = "."


NOMINAL = frozenset({Tag.NOUN, Tag.NAME, Tag.TECH})
_NOUN_LEFT = frozenset({Tag.DET, Tag.ADJ, Tag.POSS, Tag.PREP, Tag.NUM, Tag.NAME})
_CLAUSE_LEFT = frozenset({Tag.PUNCT, Tag.CONJ, Tag.INTJ, Tag.TO, Tag.ADV, Tag.SUB})
_SUBJECTS = frozenset({"i", "you", "we", "they", "he", "she", "it", "u"})
_NOUN_ENDINGS = ("tion", "ment", "ness", "ity", "ance", "ence", "ship", "er", "or", "ist", "ism")
_ADJ_ENDINGS = ("able", "ible", "ful", "less", "ous", "ive", "ish", "ic", "ical")
_CLAUSE_VERBS = frozenset(
    [
        "think",
        "say",
        "know",
        "confirm",
        "ensure",
        "see",
        "believe",
        "guess",
        "hope",
        "suppose",
        "assume",
        "check",
        "verify",
        "make",
        "sure",
        "seem",
        "show",
        "mean",
        "feel",
        "notice",
        "want",
        "like",
        "sure",
        "find",
        "tell",
        "note",
        "suggest",
        "wish",
    ]
)


_SUBJECT_TAGS = NOMINAL | {Tag.DET, Tag.ADJ, Tag.NUM}
_SENTENCE_ENDS = frozenset(".!?:;\n")
_TITLE_LINKS = frozenset("of the a an in over my me you your".split())
_LOOSE_LINKS = frozenset({"in", "over"})
_PARTICLES = frozenset({"up", "down", "off", "out"})


def _is_capital(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].text[0].isupper()


class Tagger:
    """Gives tags; built once per lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._fixed = _fixed_tags(lexicon)

    def tags(self, tokens: list[Token]) -> list[Tag]:
        """One tag per token.

        >>> from app.conversation.tokens import split_tokens
        >>> tokens = split_tokens("run the unit tests and show me the test run")
        >>> " ".join(Tagger(Lexicon.shipped()).tags(tokens))
        'V D J N C V PRO D N N'
        """
        tags: list[Tag] = []
        for index, token in enumerate(tokens):
            left = tags[-1] if tags else Tag.PUNCT
            tags.append(self._tag(tokens, tags, index, left))
        self._join_titles(tokens, tags)
        return tags

    def _join_titles(self, tokens: list[Token], tags: list[Tag]) -> None:
        """Makes one name of capitalised runs: "She Will Be Loved", "Eye of the Tiger"."""
        index = 0
        while index < len(tokens):
            if not self._is_title_start(tokens, tags, index):
                index += 1
                continue
            end = self._title_end(tokens, index)
            if end - index > 1:
                tags[index:end] = [Tag.NAME] * (end - index)
            index = end

    def _is_title_start(self, tokens: list[Token], tags: list[Tag], index: int) -> bool:
        if not _is_capital(tokens, index):
            return False
        word = tokens[index].lower
        if index == 0 or tokens[index - 1].text in _SENTENCE_ENDS:
            is_plain = tags[index] in (Tag.NOUN, Tag.NAME) and word not in self._lexicon.verbs
            return is_plain and _is_capital(tokens, index + 1) and tokens[index + 1].lower != "i"
        return (
            tags[index] is Tag.NAME
            or (word != "i" or _is_capital(tokens, index + 1))
            and word not in ("the", "a")
            or (_is_capital(tokens, index + 1))
        )

    def _title_end(self, tokens: list[Token], index: int) -> int:
        end = index + 1
        while end < len(tokens):
            if _is_capital(tokens, end) and tokens[end].lower not in ("i",):
                end += 1
                continue
            ahead = end
            while ahead < len(tokens) and ahead - end < 3 and tokens[ahead].lower in _TITLE_LINKS:
                ahead += 1
            is_linked = ahead > end and _is_capital(tokens, ahead)
            if not is_linked or (ahead - end == 1 and tokens[end].lower in _LOOSE_LINKS):
                break
            end = ahead + 1
        return end

    def _tag(self, tokens: list[Token], tags: list[Tag], index: int, left: Tag) -> Tag:
        token = tokens[index]
        if not token.is_word:
            return Tag.PUNCT
        word = token.lower
        fixed = self._fixed.get(word)
        if (
            fixed is Tag.AUX
            and index
            and left is not Tag.PUNCT
            and token.text[0].isupper()
            and not token.text.isupper()
        ):
            return Tag.NAME  # "call Will"
        if fixed is not None:
            is_particle = word in _PARTICLES and left in (Tag.VERB, Tag.GERUND, Tag.PARTICIPLE)
            return Tag.ADV if is_particle else fixed
        special = _SPECIAL.get(word)
        if special is not None:
            return special(self, tokens, index, left)
        if word[0] == "`" or (word[0].isdigit() and not word.isdigit()):
            return Tag.TECH
        if word.isdigit() or word in self._lexicon.numbers:
            return Tag.NUM
        if is_technical(token.text):
            return Tag.TECH
        return self._open(tokens, tags, index, left)

    def _open(self, tokens: list[Token], tags: list[Tag], index: int, left: Tag) -> Tag:
        lexicon, token = self._lexicon, tokens[index]
        word = token.lower
        is_name = token.text[0].isupper() and index > 0 and left is not Tag.PUNCT
        if is_name and not self._is_shouted(tokens, index) and word not in lexicon.interjections:
            return Tag.NAME
        if word in lexicon.interjections and (left in _CLAUSE_LEFT) and self._is_clause_end(tokens, index + 1):
            return Tag.INTJ
        if word in lexicon.verbs and (tag := self._verb(tokens, tags, index, left)) is not None:
            return tag
        if "-" in word and left in _CLAUSE_LEFT and _is_repeated(word, lexicon):
            return Tag.VERB
        if word in lexicon.gerunds:
            return self._gerund(left)
        if word in lexicon.participles:
            return Tag.ADJ if left in (Tag.DET, Tag.ADJ) and self._is_nominal_next(tokens, index) else Tag.PARTICIPLE
        if word in lexicon.adjectives:
            is_noun = left in (Tag.DET, Tag.ADJ) and not self._is_nominal_next(tokens, index)
            is_adverb = word in lexicon.adverbs and not self._is_nominal_next(tokens, index) and left is not Tag.DET
            return Tag.ADV if is_adverb else Tag.ADJ if not is_noun else Tag.ADJ
        if word in lexicon.adverbs or (word.endswith("ly") and len(word) > 4):
            return Tag.ADV
        if word in lexicon.interjections:
            return Tag.INTJ
        if token.text[0].isupper() and token.text.isupper() and len(word) > 1:
            return Tag.NAME
        return self._unknown(tokens, index, left)

    def _unknown(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        """A word of no list: its ending and its place decide."""
        word = tokens[index].lower
        is_said_of = left is Tag.ADV or (left is Tag.AUX and index > 0 and _is_be(tokens[index - 1].lower))
        is_attribute = self._is_nominal_next(tokens, index)
        if len(word) > 4 and word.endswith("ed") and (not is_attribute or left in (Tag.AUX, Tag.PRON)):
            return Tag.PARTICIPLE
        if word.endswith("er") and self._is_comparative(tokens, index):
            return Tag.ADJ
        if is_said_of and word.endswith((*_ADJ_ENDINGS, "al", "ing", "ed", "ant", "ent", "ary")):
            return Tag.ADJ
        return Tag.ADJ if word.endswith(_ADJ_ENDINGS) and is_attribute else Tag.NOUN

    def _verb(self, tokens: list[Token], tags: list[Tag], index: int, left: Tag) -> Tag | None:
        """VERB, PARTICIPLE, or None when the word is a noun here."""
        lexicon, word = self._lexicon, tokens[index].lower
        before = tokens[index - 1].lower if index else ""
        is_past = word in lexicon.participles
        if is_past and (left is Tag.AUX or left in NOMINAL or left in _NOUN_LEFT):
            return Tag.PARTICIPLE if left not in (Tag.DET, Tag.ADJ) else Tag.ADJ
        if left in (Tag.AUX, Tag.TO) or before in _SUBJECTS or left in (Tag.INTJ, Tag.SUB):
            return Tag.VERB if not (left is Tag.AUX and word in lexicon.noun_verbs and _is_be(before)) else None
        if word not in lexicon.noun_verbs:
            return None if left in (Tag.DET, Tag.POSS, Tag.ADJ) and not is_past else Tag.VERB
        if left in _NOUN_LEFT or left in (Tag.VERB, Tag.GERUND, Tag.PARTICIPLE):
            return None
        if left in NOMINAL:
            if self._is_asked(tokens, tags, index):
                return Tag.VERB
            if is_past and self._is_clause_end(tokens, index + 1):
                return Tag.PARTICIPLE  # "reminder set"
            return self._after_noun(tokens, index, word, before)
        if left in (Tag.PUNCT, Tag.CONJ, Tag.ADV):
            return None if self._is_bare_noun(tokens, index, word) else Tag.VERB
        return Tag.VERB if left in (Tag.PRON, Tag.WH) else None

    def _is_asked(self, tokens: list[Token], tags: list[Tag], index: int) -> bool:
        """ "does the build pass", "can the user search": the verb of a question."""
        place = index - 1
        while place >= 0 and index - place < 6 and tags[place] in _SUBJECT_TAGS:
            place -= 1
        is_question = place >= 0 and tags[place] is Tag.AUX and not _is_be(tokens[place].lower)
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        return is_question and following not in self._lexicon.verbs

    def _after_noun(self, tokens: list[Token], index: int, word: str, before: str) -> Tag | None:
        if word in self._lexicon.only_verbs_s:
            return Tag.VERB
        is_third = word.endswith("s") and word not in self._lexicon.singular_s
        if self._lexicon.is_plural(before):
            return None if is_third else Tag.VERB
        return Tag.VERB if is_third and self._starts_object(tokens, index + 1) else None

    def _is_bare_noun(self, tokens: list[Token], index: int, word: str) -> bool:
        """ "tests are failing", "Log files": a noun although a clause begins here."""
        if index + 1 >= len(tokens):
            return False
        after = tokens[index + 1].lower
        is_plural = word.endswith("s") and word not in self._lexicon.singular_s
        return (
            after in self._lexicon.auxiliaries
            or after in self._lexicon.modals
            or (is_plural and after not in ("the", "a"))
        )

    def _starts_object(self, tokens: list[Token], index: int) -> bool:
        if index >= len(tokens):
            return False
        word = tokens[index].lower
        lexicon = self._lexicon
        return (
            word in lexicon.determiners
            or word in lexicon.possessives
            or word in lexicon.pronouns
            or word in ("to", "on", "in", "at", "for", "when", "with", "out", "up")
            or word in lexicon.adverbs
        )

    def _gerund(self, left: Tag) -> Tag:
        if left in (Tag.DET, Tag.POSS, Tag.ADJ, Tag.NOUN):
            return Tag.NOUN
        return Tag.GERUND

    def _is_nominal_next(self, tokens: list[Token], index: int) -> bool:
        """Does the next word continue a noun phrase?"""
        if index + 1 >= len(tokens):
            return False
        token = tokens[index + 1]
        word, lexicon = token.lower, self._lexicon
        if not token.is_word or word in self._fixed or word in _SPECIAL:
            return False
        if word in lexicon.adverbs and word not in lexicon.adjectives:
            return False
        return word not in lexicon.verbs or word in lexicon.noun_verbs or word in lexicon.adjectives

    def _is_comparative(self, tokens: list[Token], index: int) -> bool:
        word, adjectives = tokens[index].lower, self._lexicon.adjectives
        is_than = index + 1 < len(tokens) and tokens[index + 1].lower == "than"
        return is_than or word[:-2] in adjectives or word[:-1] in adjectives or word[:-3] + "y" in adjectives

    def _is_clause_end(self, tokens: list[Token], index: int) -> bool:
        return index >= len(tokens) or not tokens[index].is_word or tokens[index].lower in self._fixed

    def _is_shouted(self, tokens: list[Token], index: int) -> bool:
        """NOT, ALWAYS: an ordinary word written in capitals."""
        token = tokens[index]
        if not token.text.isupper() or len(token.text) < 2:
            return False
        word, lexicon = token.lower, self._lexicon
        return word in lexicon.adverbs or word in lexicon.verbs or word in lexicon.adjectives

    # words whose class hangs on their neighbours

    def _to(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        if index + 1 >= len(tokens):
            return Tag.PREP
        word, lexicon = tokens[index + 1].lower, self._lexicon
        is_base = lexicon.verbs.get(word) == word or word in lexicon.auxiliaries
        if not is_base or tokens[index + 1].is_code:
            return Tag.PREP
        return Tag.TO

    def _demonstrative(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        word = tokens[index].lower
        before = tokens[index - 1].lower if index else ""
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        if word == "that" and following and tokens[index + 1].is_word:
            is_plural = self._lexicon.is_plural(following) and following not in self._lexicon.verbs
            if left in NOMINAL or is_plural or before == "so" or (left is Tag.ADJ and before not in ("same", "like")):
                return Tag.SUB
        if word == "that" and self._lexicon.base_of(before) in _CLAUSE_VERBS and self._opens_clause(tokens, index + 1):
            return Tag.SUB
        if self._is_nominal_next(tokens, index):
            if left is Tag.AUX and following in self._lexicon.participles and following not in self._lexicon.adjectives:
                return Tag.PRON  # "when was that released"
            is_verb_only = following in self._lexicon.verbs and following not in self._lexicon.noun_verbs
            is_third = following in self._lexicon.verbs and following.endswith("s") and word in ("this", "that")
            return Tag.PRON if is_verb_only or is_third else Tag.DET
        return Tag.PRON

    def _opens_clause(self, tokens: list[Token], index: int) -> bool:
        """Does a clause follow: "confirm that the header is there", not "confirm that again"?"""
        if index + 1 >= len(tokens):
            return False
        token = tokens[index]
        if not token.is_word or token.is_code:
            return token.is_code or token.text in "\"'“("
        tag = self._fixed.get(token.lower)
        return tag not in (Tag.PREP, Tag.CONJ, Tag.ADV, Tag.AUX) and token.lower not in self._lexicon.adverbs

    def _her(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        return Tag.DET if self._is_nominal_next(tokens, index) else Tag.PRON

    def _like(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        before = tokens[index - 1].lower if index else ""
        return Tag.VERB if before in _SUBJECTS or before in ("would", "'d", "to", "don't", "you'd") else Tag.PREP

    def _no(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        is_answer = index == 0 and not self._is_nominal_next(tokens, index)
        return Tag.INTJ if is_answer else Tag.DET

    def _apostrophe_s(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        before = tokens[index - 1].lower if index else ""
        if before == "let":
            return Tag.PRON
        if left not in NOMINAL and left is not Tag.GERUND:
            return Tag.AUX
        return Tag.POSS if self._is_nominal_next(tokens, index) else Tag.AUX

    def _one(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        return Tag.NUM if self._is_nominal_next(tokens, index) and left not in (Tag.DET, Tag.ADJ) else Tag.PRON

    def _now_and_such(self, tokens: list[Token], index: int, left: Tag) -> Tag:
        return Tag.ADV


_SPECIAL = {
    "to": Tagger._to,
    "this": Tagger._demonstrative,
    "that": Tagger._demonstrative,
    "these": Tagger._demonstrative,
    "those": Tagger._demonstrative,
    "her": Tagger._her,
    "like": Tagger._like,
    "no": Tagger._no,
    "'s": Tagger._apostrophe_s,
    "one": Tagger._one,
    "ones": Tagger._one,
}


def _is_repeated(word: str, lexicon: Lexicon) -> bool:
    """ "re-use", "auto-commit"."""
    prefix, _, verb = word.partition("-")
    return prefix in ("re", "un", "auto", "pre", "de", "co", "over") and verb in lexicon.verbs


def _is_be(word: str) -> bool:
    return word in ("is", "are", "was", "were", "be", "been", "'s", "'re", "'m", "am", "have", "has", "had")


def _fixed_tags(lexicon: Lexicon) -> dict[str, Tag]:
    """Words that are the same class everywhere; earlier lines win."""
    fixed: dict[str, Tag] = {}
    for words, tag in (
        (lexicon.auxiliaries | lexicon.modals, Tag.AUX),
        (lexicon.conjunctions, Tag.CONJ),
        (lexicon.possessives, Tag.DET),
        (lexicon.determiners - {"more", "most", "few", "many", "other", "such", "enough", "same", "several"}, Tag.DET),
        (lexicon.question_words - {"when", "where"}, Tag.WH),
        (lexicon.subordinators, Tag.SUB),
        (lexicon.pronouns - {"here", "there"}, Tag.PRON),
        (lexicon.prepositions, Tag.PREP),
        (frozenset({"not", "n't", "please", "there", "here", "now", "today", "tomorrow"}), Tag.ADV),
    ):
        for word in words:
            if word not in _SPECIAL:
                fixed.setdefault(word, tag)
    return fixed
