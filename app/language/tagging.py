"""Word classes in context: a few ordered rules replace a tagger.

Enough to tell "run the tests" from "the test runs". Knows nothing of phrases or entities.

Capitalised runs that are one name: "Eye of the Tiger", "Cloudflare Workers Types".

Second look at a tagged message: a clause that has no verb, although one of its words could be it.

What the neighbours of a word tell about it; words whose class hangs on them alone ("that", "to", "her").
"""

from collections.abc import Callable, Sequence

from app.language.lexicon import NOMINAL, SUBJECTS, Lexicon, Tag, is_be
from app.language.tokens import Token, is_technical

_MAX_TOKENS_TO_VERB = 10
_STOPS = frozenset({".", "!", "?", ";", "\n"})
_OPENERS = frozenset({"to", "when", "if", "because", "that", "out", "up", "down", "off"})
_OBJECTS = frozenset(
    {"the", "a", "an", "it", "them", "every", "each", "everything", "its", "their", "your"}
)  # of a verb
_ASKED_OF = frozenset({"look", "mean", "do", "say", "sound"})  # "what's that do"
_WOULD = frozenset({"would", "'d", "to", "don't", "you'd"})


class TokenContext:
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
        for token in tokens[index : index + _MAX_TOKENS_TO_VERB]:
            if token.text in _STOPS:
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


Special = Callable[[TokenContext, Sequence[Token], int, Tag], Tag]


def _before(tokens: Sequence[Token], index: int) -> str:
    return tokens[index - 1].lower if index else ""


def _to(context: TokenContext, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    if index + 1 >= len(tokens) or tokens[index + 1].is_code:
        return Tag.PREP
    word, lexicon = tokens[index + 1].lower, context.lexicon
    is_base = lexicon.verbs.get(word) == word or word in lexicon.auxiliaries
    return Tag.TO if is_base else Tag.PREP


def _that(context: TokenContext, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
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


def _demonstrative(context: TokenContext, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
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


def _her(context: TokenContext, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    return Tag.DET if context.is_nominal_next(tokens, index) else Tag.PRON


def _like(_context: TokenContext, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    before = _before(tokens, index)
    return Tag.VERB if before in SUBJECTS or before in _WOULD else Tag.PREP


def _instead(_context: TokenContext, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    return Tag.PREP if index + 1 < len(tokens) and tokens[index + 1].lower == "of" else Tag.ADV


def _longer(_context: TokenContext, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    return Tag.ADV if _before(tokens, index) == "no" else Tag.ADJ


def _no(context: TokenContext, tokens: Sequence[Token], index: int, _left: Tag) -> Tag:
    if index + 1 < len(tokens) and tokens[index + 1].lower == "longer":
        return Tag.ADV
    return Tag.INTJ if index == 0 and not context.is_nominal_next(tokens, index) else Tag.DET


def _apostrophe_s(context: TokenContext, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
    if _before(tokens, index) == "let":
        return Tag.PRON
    if left not in NOMINAL and left is not Tag.GERUND:
        return Tag.AUX
    return Tag.POSS if context.is_nominal_next(tokens, index) else Tag.AUX


def _one(context: TokenContext, tokens: Sequence[Token], index: int, left: Tag) -> Tag:
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
    is_statement = first < end and (tags[first] is Tag.DET or (clause[0] > 0 and tags[clause[0] - 1] is Tag.SUB))
    for index in range(first + 1, end):
        if tags[index] is Tag.PREP or tags[index] is Tag.TO:
            return
        if tags[index] is Tag.NOUN and tags[index - 1] in NOMINAL:
            following = tags[index + 1] if index + 1 < end else Tag.PUNCT
            if _is_verb(tokens, tags, index, lexicon, following=following, is_statement=is_statement):
                tags[index] = Tag.VERB
                return


def _is_verb(
    tokens: list[Token], tags: list[Tag], index: int, lexicon: Lexicon, *, following: Tag, is_statement: bool
) -> bool:
    word, before = tokens[index].lower, tokens[index - 1].lower
    if word not in lexicon.verbs:
        return False
    is_joined = Tag.CONJ in tags[max(0, index - 4) : index - 1]
    if lexicon.is_third(word) == (is_joined or lexicon.is_plural(before)):
        return False  # "the tests fail", "the test fails"
    if word in lexicon.only_verbs_s:
        return True
    if following is Tag.PREP or not is_statement:
        return word not in lexicon.noun_verbs or (is_joined and following is not Tag.PREP)
    return following not in (Tag.PUNCT, Tag.CONJ) or word not in lexicon.noun_verbs


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
        self._context = TokenContext(lexicon)
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
