"""Text is stored as it came; only what store and window cannot hold is changed, and said."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from app.language.normalise import normalise_text
from tests.table import table

MAX_BYTES = 10_000


@given(st.text().filter(lambda text: "\x00" not in text))
def test_valid_text_comes_back_to_the_byte(text):
    result = normalise_text(text, max_bytes=MAX_BYTES)
    assert (result.text, result.was_cut, result.notes) == (text, False, ())


@table(
    "text",
    [
        "a\r\nb\rc\nd",
        "\u05e9\u05dc\u200f \u05e2\u200e",
        "e\u0301 vs é",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 10,
        "\U000e0041\U000e0042",
        "\ufeffbom",
        "\x01\x07\x1b[31m",
        "z" + "\u0301" * 500,
    ],
    ids=["line ends", "right to left", "not composed", "joined emoji", "tags", "bom", "control", "stacked marks"],
)
def test_odd_but_valid_text_stays(text):
    assert normalise_text(text, max_bytes=MAX_BYTES).text == text


def test_lone_surrogates_and_nul_are_replaced_and_named():
    result = normalise_text("a\ud800b\x00c\udfff\x00", max_bytes=MAX_BYTES)
    assert result.text == "a\ufffdb\u2400c\ufffd\u2400"
    assert result.notes == ("2 broken characters replaced by \ufffd", "2 NUL characters shown as \u2400")


@given(st.text(alphabet=st.characters(exclude_categories=())), st.integers(min_value=0, max_value=40))
def test_whatever_comes_can_be_stored_and_keeps_the_limit(text, max_bytes):
    result = normalise_text(text, max_bytes=max_bytes)
    assert len(result.text.encode()) <= max_bytes
    with sqlite3.connect(":memory:") as store:
        assert store.execute("select ?", (result.text,)).fetchone() == (result.text,)
    store.close()
    assert bool(result.notes) == (result.text != text)


def test_cut_text_says_so():
    result = normalise_text("äöü", max_bytes=5)
    assert (result.text, result.was_cut, result.notes) == ("äö", True, ("cut to 5 bytes",))
