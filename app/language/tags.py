"""The word classes that the tagger gives. No rules."""

from enum import StrEnum


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
SUBJECTS = frozenset({"i", "you", "we", "they", "he", "she", "it", "u"})
_BE_AND_HAVE = frozenset({"is", "are", "was", "were", "be", "been", "'s", "'re", "'m", "am", "have", "has", "had"})


def is_be(word: str) -> bool:
    """Is this a form of be or have: what follows is said of the subject, not done by it?"""
    return word in _BE_AND_HAVE
