"""Noun phrases of a message with the verb that governs them: what entities and references both read.

Owns sentence and clause borders and grammatical roles. Knows nothing of entity kinds, history or weights.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from app.language.lexicon import NOMINAL, Lexicon, Tag
from app.language.tagging import Tagger
from app.language.tokens import Token, prose_spans, split_tokens

MAX_TOKENS = 1_200
MAX_PHRASE_TOKENS = 12
MAX_ABBREVIATION_CHARS = 5
_MAX_GAP_CHARS = 2  # wider ones part the columns of a pasted table
OWNER = "'s"  # stands as preposition of "Maria" in "Maria's branch"


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
    is_embedded: bool = False  # inside "which …", "to …", "after doing …"
    group: int = -1  # phrases joined by and, or, commas share a number
    joined_by: str = ""  # "and", "or" of the group
    label: str = ""  # "song" of "the song Torn"


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
    embedded: tuple[bool, ...]  # per token


_INSIDE = frozenset({Tag.ADJ, Tag.NUM, Tag.NOUN, Tag.NAME, Tag.TECH, Tag.POSS, Tag.GERUND, Tag.PARTICIPLE})
_STOPS = frozenset({".", "!", "?", ";", "\n"})
_DO = frozenset({"do", "does", "did"})
_ACTS = frozenset({"that", "this", "it", "so", "these", "those", "them"})
_AFTER_ACT = frozenset(
    {"", ",", ".", "!", ";", "\n", "and", "but", "now", "for", "again", "already"}
)  # "did that, but"
_VERBAL = frozenset({Tag.VERB, Tag.GERUND, Tag.PARTICIPLE, Tag.AUX})


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
        borders = self._borders(tokens, tags)
        phrases = self._phrases(text, tokens, tags, borders)
        return Analysis(
            text,
            tuple(tokens),
            tuple(tags),
            tuple(self._grouped(tokens, tags, phrases)),
            tuple(borders.sentences),
            tuple(borders.clauses),
            tuple(borders.verbs),
            tuple(borders.embedded),
        )

    def _borders(self, tokens: list[Token], tags: list[Tag]) -> "_Borders":
        borders = _Borders([], [], [], [])
        sentence = clause = 0
        verb, is_embedded = "", False
        for index, tag in enumerate(tags):
            if index and tokens[index - 1].text in _STOPS:
                sentence, clause, verb, is_embedded = sentence + 1, clause + 1, "", False
            elif (verb or _is_new_subject(tokens, tags, index)) and self._opens_clause(tokens, tags, index):
                clause, verb = clause + 1, ""
            is_embedded = self._is_embedded(tokens, tags, index, is_embedded, borders)
            if (
                tag in _VERBAL
                and (found := self._verb_of(tokens, tags, index))
                and (tag is not Tag.AUX or not verb or found == "do")
            ):
                verb = found
            borders.add(sentence, clause, verb, is_embedded)
        return borders

    def _verb_of(self, tokens: list[Token], tags: list[Tag], index: int) -> str:
        """The base form; "be" for auxiliaries but for "do that"."""
        if tags[index] is not Tag.AUX:
            return self.lexicon.base_of(tokens[index].lower)
        following = tokens[index + 1].lower if index + 1 < len(tokens) else ""
        after = tokens[index + 2].lower if index + 2 < len(tokens) else ""
        is_question = after in self.lexicon.verbs or after in self.lexicon.adverbs or after in self.lexicon.participles
        is_statement = index > 0 or after in _AFTER_ACT
        is_act = tokens[index].lower in _DO and following in _ACTS and is_statement and not is_question
        return "do" if is_act else "be"

    def _is_embedded(
        self,
        tokens: list[Token],
        tags: list[Tag],
        index: int,
        was: bool,
        borders: "_Borders",
    ) -> bool:
        tag, before = tags[index], borders.verbs[-1] if borders.verbs else ""
        if tokens[index].text == ",":
            return False
        if tag is Tag.TO:
            return was or before not in self.lexicon.light_verbs
        if tag is Tag.SUB:
            return tokens[index].lower not in ("so", "but")
        if tag is Tag.WH:
            return was or (index > 0 and tags[index - 1] in NOMINAL)
        if tag is Tag.GERUND and index and tags[index - 1] in (Tag.PREP, Tag.SUB):
            return True
        return was

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

    def _phrases(self, text: str, tokens: list[Token], tags: list[Tag], borders: "_Borders") -> list[Phrase]:
        phrases: list[Phrase] = []
        index = 0
        while index < len(tokens):
            end = self._phrase_end(tokens, tags, borders.clauses, index)
            if end is None:
                index += 1
                continue
            phrases.append(self._phrase(text, tokens, tags, borders, index, end))
            index = end
        return phrases

    def _phrase_end(self, tokens: list[Token], tags: list[Tag], clauses: list[int], index: int) -> int | None:
        """Where the noun phrase that begins here ends; None when none begins."""
        tag = tags[index]
        if (tag not in _INSIDE and tag is not Tag.DET) or tag in (Tag.GERUND, Tag.PARTICIPLE, Tag.POSS):
            return None
        clause = clauses[index]
        end, last_noun = index, None
        while end < min(len(tokens), index + MAX_PHRASE_TOKENS) and clauses[end] == clause:
            tag = tags[end]
            if end > index and tokens[end].start - tokens[end - 1].end > _MAX_GAP_CHARS:
                break
            if tag is Tag.DET and end > index and tags[end - 1] is not Tag.DET and tokens[end].lower != "other":
                break
            if tag is not Tag.DET and tag not in _INSIDE:
                break
            if tag in (Tag.PARTICIPLE, Tag.GERUND) and last_noun == end - 1:
                break
            is_time = end > index and tokens[end].lower in self.lexicon.calendar_words
            if (tag is Tag.POSS or (is_time and tags[end - 1] is Tag.NAME)) and last_noun is not None:
                return last_noun + 1
            is_number = tag is Tag.NUM and last_noun == end - 1 and tokens[end].text.isdigit()
            if tag in NOMINAL or (is_number and tags[end - 1] is not Tag.TECH):
                last_noun = end
            end += 1
        return None if last_noun is None else last_noun + 1

    def _phrase(
        self, text: str, tokens: list[Token], tags: list[Tag], borders: "_Borders", first: int, last: int
    ) -> Phrase:
        determiner, begin = "", first
        while begin < last - 1 and tags[begin] is Tag.DET:
            determiner, begin = tokens[begin].lower, begin + 1
        label, begin = self._label(tokens, tags, begin, last)
        start, end = tokens[begin].start, tokens[last - 1].end
        noun = last - 1 if tags[last - 1] is not Tag.NUM else last - 2
        head = label or tokens[noun].lower.strip("`")
        role, verb, preposition = self._role(tokens, tags, borders, first, last)
        if last < len(tags) and tags[last] is Tag.POSS:
            role, preposition = Role.OBLIQUE, OWNER
        return Phrase(
            text=text[start:end],
            start=start,
            end=end,
            head=head,
            is_plural=tags[noun] is Tag.NOUN and self.lexicon.is_plural(head),
            is_name=tags[noun] in (Tag.NAME, Tag.TECH) or tags[begin] is Tag.TECH,
            determiner=determiner,
            role=role,
            verb=verb,
            preposition=preposition,
            sentence=borders.sentences[first],
            clause=borders.clauses[first],
            first=begin,
            last=last,
            is_embedded=borders.embedded[first],
            label=label,
        )

    def _label(self, tokens: list[Token], tags: list[Tag], first: int, last: int) -> tuple[str, int]:
        """ "the song Torn", "branch feature/x": the noun that says what the name is, and where the name begins."""
        name = last
        while name > first and tags[name - 1] in (Tag.NAME, Tag.TECH, Tag.NUM):
            name -= 1
        is_inside = first < name < last and tags[name - 1] is Tag.NOUN and tokens[name - 1].text.islower()
        if is_inside and tags[name] is not Tag.NUM and not _is_abbreviation(tokens[name].text):
            return tokens[name - 1].lower, name
        return "", first

    def _role(
        self, tokens: list[Token], tags: list[Tag], borders: "_Borders", first: int, last: int
    ) -> tuple[Role, str, str]:
        clauses, verbs = borders.clauses, borders.verbs
        verb = verbs[first - 1] if first and clauses[first - 1] == clauses[first] else ""
        left = tags[first - 1] if first else Tag.PUNCT
        if left in (Tag.PREP, Tag.TO) and first:
            preposition = tokens[first - 1].lower
            is_object = first > 1 and preposition in self.lexicon.object_prepositions.get(verb, ())
            is_next = is_object and tags[first - 2] in (Tag.VERB, Tag.GERUND, Tag.PARTICIPLE, Tag.ADV, Tag.NOUN)
            return (Role.OBJECT if is_next else Role.OBLIQUE), verb, preposition
        ahead = zip(verbs[last : last + 4], clauses[last : last + 4], strict=True)
        following = next((v for v, c in ahead if v and c == clauses[first]), "")
        if verb:
            is_question = first == 1 or tags[first - 2] in (Tag.PUNCT, Tag.INTJ, Tag.CONJ, Tag.WH)
            is_after_aux = left is Tag.AUX and verb == "be" and (is_question or following not in ("", "be"))
            return (Role.SUBJECT, following, "") if is_after_aux else (Role.OBJECT, verb, "")
        return (Role.SUBJECT, following, "") if following else (Role.FRAGMENT, "", "")

    def _grouped(self, tokens: list[Token], tags: list[Tag], phrases: list[Phrase]) -> list[Phrase]:
        """The phrases with coordinations marked: the later ones play the part of the first."""
        out: list[Phrase] = []
        for phrase in phrases:
            left = out[-1] if out else None
            joint = self._joint(tokens, tags, left, phrase) if left is not None else ""
            if left is None or not joint:
                out.append(phrase)
                continue
            group = left.group if left.group >= 0 else len(out) - 1
            if joint != ",":
                out = [replace(p, joined_by=joint) if p.group == group else p for p in out]
            out[-1] = replace(out[-1], group=group, joined_by=joint.strip(","))
            out.append(
                replace(
                    phrase,
                    group=group,
                    joined_by=joint.strip(","),
                    role=left.role,
                    verb=left.verb,
                    preposition=left.preposition,
                )
            )
        return out

    def _joint(self, tokens: list[Token], tags: list[Tag], left: Phrase, right: Phrase) -> str:
        """The word that joins two neighbours: "and", "or", "," or nothing."""
        begin = right.first
        while begin > left.last and tags[begin - 1] is Tag.DET:
            begin -= 1
        between = [t.lower for t in tokens[left.last : begin]]
        if not between or len(between) > 2 or right.sentence != left.sentence:
            return ""
        if between[-1] in ("and", "or", "&"):
            return "or" if between[-1] == "or" else "and"
        return "," if between == [","] and right.role is not Role.SUBJECT else ""


def _is_new_subject(tokens: list[Token], tags: list[Tag], index: int) -> bool:
    """ "labels too please, they are missing": a clause although none with a verb is before."""
    is_pronoun = tokens[index].text == "," and index + 2 < len(tags) and tags[index + 1] is Tag.PRON
    return is_pronoun and tags[index + 2] in (Tag.VERB, Tag.AUX, Tag.ADV)


class _Borders(NamedTuple):
    sentences: list[int]
    clauses: list[int]
    verbs: list[str]
    embedded: list[bool]

    def add(self, sentence: int, clause: int, verb: str, is_embedded: bool) -> None:
        self.sentences.append(sentence)
        self.clauses.append(clause)
        self.verbs.append(verb)
        self.embedded.append(is_embedded)


def _is_abbreviation(word: str) -> bool:
    """ID, URL, PR: "token ID" is one name, not a token called ID."""
    return word.isalpha() and word.isupper() and len(word) <= MAX_ABBREVIATION_CHARS


def trimmed_start(analysis: Analysis, phrase: Phrase, lexicon: Lexicon) -> int:
    """The first token of the phrase's name: without numbers, "new", "other" and the like."""
    first = phrase.first
    while first < phrase.last - 1:
        tag = analysis.tags[first]
        is_weak = tag is not Tag.NAME and analysis.tokens[first].lower in lexicon.weak_modifiers
        if not is_weak and tag not in (Tag.DET, Tag.NUM):
            break
        first += 1
    return first
