"""Text is stored as it came; only what store and window cannot hold is changed, and said."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.conversation.normalise import INJECTED_TAGS, normalise_text, strip_injected

MAX_BYTES = 10_000


@given(st.text().filter(lambda text: "\x00" not in text))
def test_valid_text_comes_back_to_the_byte(text):
    result = normalise_text(text, max_bytes=MAX_BYTES)
    assert (result.text, result.was_cut, result.notes) == (text, False, ())


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("tag", INJECTED_TAGS)
def test_each_wrapper_goes(tag):
    assert strip_injected(f"<{tag}>\nbe brief\n</{tag}>\nmake it purple") == "make it purple"
    assert strip_injected(f'before <{tag} id="7">x < y</{tag}> after') == "before  after"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("make it purple", "make it purple"),
        ("  if a < b and c > d  ", "  if a < b and c > d  "),
        ("what does <system-reminder> mean?", "what does <system-reminder> mean?"),
        ("</system-reminder> closes", "</system-reminder> closes"),
        ("<system-reminders>x</system-reminders>", "<system-reminders>x</system-reminders>"),
        ("<div>x</div>", "<div>x</div>"),
        ("<system-reminder>a<hook_output>b</hook_output>c</system-reminder>d", "d"),
        ("<system-reminder>a<system-reminder>b</system-reminder>c</system-reminder>d", "d"),
        ("<hook_output>a</hook_output>b<hook_output>c</hook_output>", "b"),
        ("<command-name/>go", "go"),
        ("<system-reminder>all</system-reminder>", ""),
    ],
)
def test_only_whole_wrappers_go(text, left):
    assert strip_injected(text) == left


@given(st.lists(st.sampled_from(["<hook_output>", "</hook_output>", "<command-name>", "</command-name>", "a", " "])))
def test_stripping_keeps_what_is_outside(parts):
    text = "x" + "".join(parts) + "y"
    left = strip_injected(text)
    assert left[0] + left[-1] == "xy"
    assert strip_injected(left) in {left, left.strip()}


def test_a_megabyte_of_open_wrappers_is_read_once():
    text = "<system-reminder>" * 60_000
    assert strip_injected(text) == text
