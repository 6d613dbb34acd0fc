"""Cutting text: places are exact, technical words stay whole, pasted material is passed over."""

from app.language.tokens import MAX_ANALYSED_CHARS, is_technical, prose_spans, split_tokens
from tests.table import table


@table(
    ("text", "words"),
    [
        ("don't touch it", ["don't", "touch", "it"]),
        ("the user's file", ["the", "user", "'s", "file"]),
        ("see src/app.ts, line 3.", ["see", "src/app.ts", ",", "line", "3", "."]),
        ("run `npm test` now", ["run", "`npm test`", "now"]),
        ("pass --dry-run=true", ["pass", "--dry-run=true"]),
        ("use C++ and C#", ["use", "C++", "and", "C#"]),
        ("call save() twice", ["call", "save()", "twice"]),
        ("ignore *.log and .env", ["ignore", "*.log", "and", ".env"]),
        ("one\n\n  two", ["one", "\n", "two"]),
        ("wait... what?", ["wait", ".", ".", ".", "what", "?"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [token.text for token in split_tokens(text)] == words


def test_places_point_into_the_text() -> None:
    text = "Ümlaut — rename `a b` to c_d ✅ please"
    for token in split_tokens(text, offset=0):
        assert text[token.start : token.end] == token.text


@table("word", ["read_only", "createHash", "app.py", "/drop", "--mini", "v1.2", "a::b", "x=1"])
def test_technical_shapes(word: str) -> None:
    assert is_technical(word)


@table("word", ["button", "Maria", "CI", "server-side"])
def test_ordinary_shapes(word: str) -> None:
    assert not is_technical(word)


def test_fenced_code_is_no_prose() -> None:
    text = "why does this fail?\n```\nfoo = bar()\n```\nfix it"
    assert [text[a:b] for a, b in prose_spans(text)] == ["why does this fail?\n", "fix it"]


def test_an_open_fence_hides_the_rest() -> None:
    text = "look:\n~~~\nx = 1\ny = 2"
    assert [text[a:b] for a, b in prose_spans(text)] == ["look:\n"]


def test_only_the_beginning_of_a_huge_message_is_read() -> None:
    text = "fix the parser\n" + "word " * 1_000_000
    assert prose_spans(text)[-1][1] <= MAX_ANALYSED_CHARS


def test_a_line_without_spaces_is_a_blob() -> None:
    blob = "A" * 2_000
    text = f"decode this\n{blob}\nthanks"
    assert [text[a:b] for a, b in prose_spans(text)] == ["decode this\n", "thanks"]


def test_a_long_paragraph_is_still_prose() -> None:
    text = "please make the header smaller and " * 40
    assert prose_spans(text) == [(0, len(text))]
