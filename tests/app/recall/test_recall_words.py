"""How texts are cut: identifiers, stems, CJK, accents; the same for memories and queries."""

import pytest

from app.recall.stems import stem
from app.recall.words import find_spans, split_grams, split_stems, split_words


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("fetchUserById", "fetch user"),
        ("parse_http_header", "HTTP header"),
        ("XMLHttpRequest", "http request"),
        ("src/auth/login-form.tsx", "login form"),
        ("50ms", "50 ms"),
        ("Ana's laptop", "ana"),
        ("Café Müller", "cafe muller"),
        ("数据库使用缓存", "数据库"),
        ("migrations", "migrate"),
        ("They went home", "go"),
        ("libraries", "library"),
    ],
)
def test_a_query_meets_what_was_written(written: str, asked: str) -> None:
    assert set(split_stems(asked)) <= set(split_stems(written))


@pytest.mark.parametrize(
    ("one", "other"), [("port", "portal"), ("test", "taste"), ("3.11", "3.1"), ("color", "column")]
)
def test_different_words_stay_different(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_one_spelling_of_an_identifier_finds_the_other() -> None:
    assert split_words("fetchUserById")[0] == split_words("fetch_user_by_id")[0]


def test_long_runs_of_encoded_data_are_no_words() -> None:
    assert split_words("x" * 500) == []


def test_places_are_those_of_the_written_words() -> None:
    text = "Run the tests, then re-run Testing"
    assert [text[start:end] for start, end in find_spans(text, {"test"})] == ["tests", "Testing"]


def test_a_word_is_marked_where_it_stands_by_itself() -> None:
    text = "pretests, test_suite: tests. (Tests)"
    assert [text[start:end] for start, end in find_spans(text, {"test"})] == ["test_suite", "tests", "Tests"]


def test_letter_groups_of_a_short_word() -> None:
    assert split_grams("ab") == ["<ab", "ab>", "<ab>"]
