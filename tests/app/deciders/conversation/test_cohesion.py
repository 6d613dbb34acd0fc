"""Term vectors: what counts as the same word, and when two texts are alike."""

import pytest

from app.deciders.conversation.boundary.cohesion import MAX_READ_CHARS, ComparedMessages, extract_terms
from app.language.stems import stem
from tests.table import table

STOP = frozenset({"the", "a", "to"})


def ratio(left: str, right: str, *others: str) -> float:
    terms = [extract_terms(text, STOP) for text in (right, *others)]
    return ComparedMessages.of(terms).cosine_ratio(extract_terms(left, STOP), terms[0])


@table(("one", "other"), [("testing", "tests"), ("invoices", "invoice"), ("created", "creates")])
def test_endings_do_not_count(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_identifiers_count_whole_and_in_parts() -> None:
    terms = extract_terms("parseInvoiceRows", STOP)
    assert {"invoic", "pars", "row"} <= set(terms)


def test_same_text_is_one_and_foreign_text_zero() -> None:
    assert ratio("sort invoice table", "sort invoice table", "wash dishes") == pytest.approx(1.0)
    assert ratio("sort invoice table", "wash dishes") == 0.0
    assert ratio("", "wash dishes") == 0.0


def test_rare_words_weigh_more_than_common_ones() -> None:
    others = ("build page", "build menu", "build form")
    assert ratio("build parser", "run parser", *others) > ratio("build parser", "build door", *others)


def test_all_messages_together() -> None:
    background = ComparedMessages.of([extract_terms(text, STOP) for text in ("sort invoice table", "paint door")])
    both = background.total_cosine_ratio(extract_terms("sort invoice table paint door", STOP))
    assert both == pytest.approx(1.0)
    assert 0 < background.total_cosine_ratio(extract_terms("sort dishes", STOP)) < both
    assert background.total_cosine_ratio(extract_terms("wash dishes", STOP)) == 0.0


def test_novel_ratio_is_the_share_of_unheard_words() -> None:
    background = ComparedMessages.of([extract_terms("sort invoice table", STOP)])
    assert background.novel_ratio(extract_terms("sort dishes", STOP)) == 0.5
    assert background.novel_ratio({}) == 0.0


def test_a_wall_of_text_is_read_to_a_bound() -> None:
    text = "word " * MAX_READ_CHARS + "invoice"
    assert "invoic" not in extract_terms(text, STOP)
