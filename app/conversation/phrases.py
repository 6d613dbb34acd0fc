"""Noun phrases of a message with the verb that governs them: what entities and references both read.

Owns sentence and clause borders and grammatical roles. Knows nothing of entity kinds, history or weights.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.conversation.lexicon import Lexicon
from app.conversation.tagging import NOMINAL, Tag, Tagger
from app.conversation.tokens import Token, prose_spans, split_tokens

MAX_TOKENS = 1_200


class Role(StrEnum):
    SUBJECT = "subject"
    OBJECT = "object"
    OBLIQUE = "oblique"  # behind a preposition
    FRAGMENT = "fragment"  # no verb near


@dataclass(frozen=True, slots=True)
class Phrase:
    """One noun phrase; offsets are those of the message, `first` to `last` are tokens (half-open)."""

    text: str  # without determiner
    start: int
    end: int
    head: str
    is_plural: bool
    is_name: bool
    determiner: str  # "" when bare
    role: Role
    verb: str  # base form of the governing verb, "" when none
    preposition: str
    sentence: int
    clause: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """A message read once: tokens, tags, phrases, the border of every clause."""

    text: str
    tokens: tuple[Token, ...]
    tags: tuple[Tag, ...]
    phrases: tuple[Phrase, ...]
    sentences: tuple[int, ...]  # per token
    clauses: tuple[int, ...]  # per token
    verbs: tuple[str, ...]  # per token: base form of the clause's last verb so far, "" before it


_INSIDE = frozenset({Tag.ADJ, Tag.NUM, Tag.NOUN, Tag.NAME, Tag.TECH, Tag.POSS, Tag.GERUND, Tag.PARTICIPLE})
_MODIFIER = frozenset({Tag.ADJ, Tag.NUM, Tag.GERUND, Tag.PARTICIPLE})


class PhraseReader:
    """Reads messages into phrases; built once per lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._tagger = Tagger(lexicon)

    def read(self, text: str) -> Analysis:
        """The analysis of a message's prose.

        >>> reader = PhraseReader(Lexicon.shipped())
        >>> [(p.text, str(p.role), p.verb) for p in reader.read("Add a FAB button to the header").phrases]
        [('FAB button', 'object', 'add'), ('header', 'oblique', 'add')]
        """
        tokens: list[Token] = []
        for start, end in prose_spans(text):
            tokens.extend(split_tokens(text[start:end], start))
            if len(tokens) > MAX_TOKENS:
                break
        del tokens[MAX_TOKENS:]
        tags = self._tagger.tags(tokens)
        sentences, clauses, verbs = self._borders(text, tokens, tags)
        phrases = self._phrases(text, tokens, tags, (sentences, clauses, verbs))
        return Analysis(
            text, tuple(tokens), tuple(tags), tuple(phrases), tuple(sentences), tuple(clauses), tuple(verbs)
        )

    def _borders(self, text: str, tokens: list[Token], tags: list[Tag]) -> tuple[list[int], list[int], list[str]]:
        sentences: list[int] = []
        clauses: list[int] = []
        verbs: list[str] = []
        sentence = clause = 0
        verb = ""
        end = 0
        for index, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
            is_line = "\n" in text[end : token.start]
            is_stop = index > 0 and tokens[index - 1].text in (".", "!", "?", ";")
            if index and (is_line or is_stop):
                sentence, clause, verb = sentence + 1, clause + 1, ""
            elif verb and self._opens_clause(tokens, tags, index):
                clause, verb = clause + 1, ""
            if tag in (Tag.VERB, Tag.GERUND, Tag.PARTICIPLE, Tag.AUX) and not (tag is Tag.AUX and verb):
                base = self.lexicon.base_of(token.lower)
                verb = "be" if tag is Tag.AUX else base
            sentences.append(sentence)
            clauses.append(clause)
            verbs.append(verb)
            end = token.end
        return sentences, clauses, verbs

    def _opens_clause(self, tokens: list[Token], tags: list[Tag], index: int) -> bool:
        tag = tags[index]
        if tag in (Tag.SUB, Tag.WH) or tokens[index].text in (":", "—", "–"):
            return True
        if tag is Tag.CONJ or tokens[index].text == ",":
            after = index + 1
            while after < len(tags) and tags[after] in (Tag.ADV, Tag.INTJ, Tag.CONJ):
                after += 1
            if after >= len(tags):
                return False
            if tags[after] in (Tag.VERB, Tag.AUX, Tag.SUB):
                return True
            is_subject = tags[after] is Tag.PRON or tags[after] in NOMINAL or tags[after] is Tag.DET
            return is_subject and any(t in (Tag.VERB, Tag.AUX) for t in tags[after + 1 : after + 4])
        return False

    def _phrases(
        self,
        text: str,
        tokens: list[Token],
        tags: list[Tag],
        borders: tuple[list[int], list[int], list[str]],
    ) -> list[Phrase]:
        phrases: list[Phrase] = []
        index = 0
        while index < len(tokens):
            end = self._phrase_end(tokens, tags, borders[1], index)
            if end is None:
                index += 1
                continue
            phrases.append(self._phrase(text, tokens, tags, borders, index, end))
            index = end
        return phrases

    def _phrase_end(self, tokens: list[Token], tags: list[Tag], clauses: list[int], index: int) -> int | None:
        """Where the noun phrase that begins here ends; None when none begins."""
        tag = tags[index]
        if tag not in _INSIDE and tag is not Tag.DET:
            return None
        if tag in (Tag.GERUND, Tag.PARTICIPLE) or tag is Tag.POSS:
            return None
        clause = clauses[index]
        end, last_noun = index, None
        while end < len(tokens) and clauses[end] == clause:
            tag = tags[end]
            if tag is Tag.DET and end > index and tags[end - 1] is not Tag.DET and tokens[end].lower != "other":
                break
            if tag is not Tag.DET and tag not in _INSIDE:
                break
            if tag in (Tag.PARTICIPLE, Tag.GERUND) and last_noun == end - 1:
                break
            if tag in NOMINAL:
                last_noun = end
            end += 1
        return None if last_noun is None else last_noun + 1

    def _phrase(
        self,
        text: str,
        tokens: list[Token],
        tags: list[Tag],
        borders: tuple[list[int], list[int], list[str]],
        first: int,
        last: int,
    ) -> Phrase:
        sentences, clauses, verbs = borders
        determiner, begin = "", first
        while begin < last - 1 and tags[begin] is Tag.DET:
            determiner, begin = tokens[begin].lower, begin + 1
        start, end = tokens[begin].start, tokens[last - 1].end
        head = tokens[last - 1].lower.strip("`")
        role, verb, preposition = self._role(tokens, tags, clauses, verbs, first, last)
        return Phrase(
            text=text[start:end],
            start=start,
            end=end,
            head=head,
            is_plural=self.lexicon.is_plural(head) if tags[last - 1] is Tag.NOUN else False,
            is_name=any(tag in (Tag.NAME, Tag.TECH) for tag in tags[begin:last]),
            determiner=determiner,
            role=role,
            verb=verb,
            preposition=preposition,
            sentence=sentences[first],
            clause=clauses[first],
            first=begin,
            last=last,
        )

    def _role(
        self, tokens: list[Token], tags: list[Tag], clauses: list[int], verbs: list[str], first: int, last: int
    ) -> tuple[Role, str, str]:
        verb = verbs[first - 1] if first and clauses[first - 1] == clauses[first] else ""
        left = tags[first - 1] if first else Tag.PUNCT
        if left in (Tag.PREP, Tag.TO) and first:
            return Role.OBLIQUE, verb, tokens[first - 1].lower
        following = next(
            (v for i, v in enumerate(verbs[last : last + 4], last) if v and clauses[i] == clauses[first]), ""
        )
        if verb:
            is_after_aux = verb == "be" and following not in ("", "be") and left is Tag.AUX
            return (Role.SUBJECT, following, "") if is_after_aux else (Role.OBJECT, verb, "")
        return (Role.SUBJECT, following, "") if following else (Role.FRAGMENT, "", "")
