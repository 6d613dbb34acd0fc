"""How texts are cut: identifiers, stems, CJK, accents; the same for memories and queries."""

from app.language.search_words import mark_texts, split_stems, split_words
from app.language.stems import stem
from tests.table import table


@table(
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


@table(("one", "other"), [("port", "portal"), ("test", "taste"), ("3.11", "3.1"), ("color", "column")])
def test_different_words_stay_different(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def marked(text: str) -> list[str]:
    """What is marked of a text when tests are looked for."""
    return [text[start:end] for start, end in mark_texts([text], {"test"})[0].spans]


def test_one_spelling_of_an_identifier_finds_the_other() -> None:
    assert split_words("fetchUserById")[0] == split_words("fetch_user_by_id")[0]


def test_long_runs_of_encoded_data_are_no_words() -> None:
    assert split_words("x" * 500) == []


def test_places_are_those_of_the_written_words() -> None:
    assert marked("Run the tests, then re-run Testing") == ["tests", "Testing"]


def test_a_word_is_marked_where_it_stands_by_itself() -> None:
    assert marked("pretests, test_suite: tests. (Tests)") == ["test_suite", "tests", "Tests"]


def test_texts_that_share_words_are_each_marked_in_their_own_places() -> None:
    texts = ["Tests. No tests--Tests.", "", "“Tests”, naïve tests", "nothing of it", "tests"]
    found = mark_texts(texts, {"test"})
    assert [marks.words for marks in found] == [("Tests", "tests"), (), ("Tests", "tests"), (), ("tests",)]
    assert [[text[start:end] for start, end in marks.spans] for text, marks in zip(texts, found, strict=True)] == [
        ["Tests", "tests", "Tests"], [], ["Tests", "tests"], [], ["tests"],
    ]  # fmt: skip
