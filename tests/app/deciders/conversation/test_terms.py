"""Terms of a message: what counts as the same word."""

from app.deciders.conversation.boundary.terms import MAX_READ_CHARS, extract_terms
from app.language.stems import stem
from tests.table import table

STOP = frozenset({"the", "a", "to"})


@table(("one", "other"), [("testing", "tests"), ("invoices", "invoice"), ("created", "creates")])
def test_endings_do_not_count(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_identifiers_count_whole_and_in_parts() -> None:
    terms = extract_terms("parseInvoiceRows", STOP)
    assert {"invoic", "pars", "row"} <= set(terms)


def test_a_wall_of_text_is_read_to_a_bound() -> None:
    text = "word " * MAX_READ_CHARS + "invoice"
    assert "invoic" not in extract_terms(text, STOP)
