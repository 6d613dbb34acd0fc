"""Outlines of clauses: orders, reports and questions look different, whatever their words are."""

import pytest

from app.deciders.conversation.intents.outline import outline_clause


@pytest.mark.parametrize(
    ("clause", "outline"),
    [
        ("move the anchor", "vn"),
        ("the anchor moves it", "nzo"),
        ("the anchor moved when it rained", "nesoe"),
        ("can you move <file>", "auvn"),
        ("we move to <url>", "ivpn"),
        ("what is the anchor", "wan"),
        ("still very slowly", ""),
    ],
)
def test_outline(clause: str, outline: str) -> None:
    assert outline_clause(tuple(clause.split())) == outline


def test_only_the_beginning_is_read() -> None:
    assert len(outline_clause(("go", "to", "it", "and", "then", "back") * 20)) <= 5


def test_nothing_has_no_outline() -> None:
    assert outline_clause(()) == ""
