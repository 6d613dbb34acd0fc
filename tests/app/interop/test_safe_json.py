"""JSON from strangers: plain values come through, abuse is refused with a sentence."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidError
from app.interop.safe_json import BARE_BYTES_MAX, PARTS_MAX, VALUES_MAX, parse_json
from tests.table import table

LIMITS = {"max_bytes": 12_000_000, "max_depth": 64}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES, st.booleans())
def test_plain_json_comes_through(value, is_ascii):
    assert parse_json(json.dumps(value, ensure_ascii=is_ascii).encode(), **LIMITS) == value


@table(
    ("raw", "says"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"[1,]", "not valid JSON"),
        (b'"\\', "not valid JSON"),
        (b'"' + b'\\"' * 200_000, "not valid JSON"),
        (b'\xef\xbb\xbf {"text": "' + b"x" * 100_000 + b" \n", "ends before it is complete"),
        (b'{"text": "' + b"x" * 100_000 + b"}", "ends before it is complete"),
        (b'{"text": "' + b"x\\n" * 100_000 + b"}", "ends before it is complete"),
        (b'{"text": "' + b'\\"' * 100_000 + b"}", "ends before it is complete"),
        (b'{"text": "' + b"x" * 100_000 + b'\\\\\\"}', "ends before it is complete"),
        (b'{"text": "' + b"x" * 100_000 + b'", "n": NaN}', "NaN"),
        (b"[" * 1_000_000, "deeper than 64"),
        (b'{"a":' * 1_000_000, "deeper than 64"),
        (b"[" * 65 + b"]" * 65, "deeper than 64"),
        (b"[" + b"[[]]," * (PARTS_MAX // 2) + b"[]]", f"more than {PARTS_MAX} lists"),
        (b"[" + b"1," * VALUES_MAX + b"1,1]", f"more than {VALUES_MAX} values"),
        (b"{" + b'"a":"b",' * VALUES_MAX + b'"a":"b","a":1}', f"more than {VALUES_MAX} values"),
        (b'{"a": "' + b"x" * 100_000 + b'", "b": [' + b"[" * 1_000_000 + b"]}", "lists and objects|deeper than 64"),
        (b"9" * 5_000, "more than 40 digits"),
        (b"1" + b"0" * 1_000_000, "more than 40 digits"),
        (b"0." + b"1" * 100_000, "more than 1200 digits"),
        (b"1e999", "too large"),
        (b"-1e999", "too large"),
        (b"NaN", "NaN"),
        (b"[Infinity]", "Infinity"),
        (b"-Infinity", "Infinity"),
        (b'{"a":1,"a":2}', "same key twice"),
        (b'"\xff"', "UTF-8 at byte 1"),
        ("{}".encode("utf-16"), "UTF-8"),
        (b'"a\x00b"', "not valid JSON"),
    ],
)
def test_abuse_is_refused_with_a_sentence(raw, says):
    with pytest.raises(InvalidError, match=says) as refused:
        parse_json(raw, **LIMITS)
    assert str(refused.value).endswith(".")


def test_too_many_bytes():
    with pytest.raises(InvalidError, match="11 bytes, more than the 10"):
        parse_json(b'"123456789"', max_bytes=10, max_depth=8)


@table("bare", [b" " * BARE_BYTES_MAX, b"9" * BARE_BYTES_MAX, b"[1]," * (BARE_BYTES_MAX // 4)])
def test_what_is_long_without_texts_is_refused(bare):
    with pytest.raises(InvalidError, match="outside its texts"):
        parse_json(b'{"text": "hi", "payload": [' + bare + b"1]}", **LIMITS)


LONG = b"x" * 100_000


@table(
    ("raw", "says"),
    [
        (b'{"text": "' + LONG + b'", "n": NaN}', "NaN"),
        (b'{"' + LONG + b'": 1, "' + LONG + b'": 2}', "same key twice"),
        (b'{"text": "' + LONG + b'", "n": 1 2}', "not valid JSON: Expecting ',' delimiter\\.$"),
        (b'{"text": "' + LONG + b'\xff"}', "UTF-8 at byte 100010"),
        (b'{"text": "' + LONG + b'\n"}', "Invalid control character .* 100010"),
    ],
    ids=["NaN", "keys", "comma", "bytes", "line break"],
)
def test_what_is_wrong_beside_a_long_text_is_refused(raw, says):
    with pytest.raises(InvalidError, match=says):
        parse_json(raw, **LIMITS)


def test_long_keys_that_differ_come_through():
    value = {"x" * 70_000: "y" * 70_000, "x" * 70_001: "y" * 70_000, "": "0" * 64 + "1"}
    assert parse_json(json.dumps(value).encode(), **LIMITS) == value


def test_what_is_long_by_its_texts_comes_through():
    value = {"text": "[1], " * BARE_BYTES_MAX, "blank": ""}
    assert parse_json(json.dumps(value).encode(), **LIMITS) == value


def test_brackets_in_strings_are_not_depth():
    text = "[{" * 5_000 + '\\"'
    assert parse_json(json.dumps(text).encode(), **LIMITS) == text


def test_commas_in_strings_are_not_values():
    text = '1,"\\,' * VALUES_MAX
    assert parse_json(json.dumps({"text": text}).encode(), **LIMITS) == {"text": text}


@table("end", ["", "x", '"', '\\"', "\\", "\\" * 1_021, "\\" * 1_022, "\\" * 5_000, "}", "]}"])
def test_whatever_a_long_string_ends_in_comes_through(end):
    for value in ({"text": "x" * 70_000 + end}, ["x" * 70_000, {end: [end, 1.5e300, True, None, {}, []]}]):
        assert parse_json(json.dumps(value).encode(), **LIMITS) == value


@settings(deadline=None)
@given(VALUES)
def test_long_plain_json_comes_through(value):
    whole = ["x" * 70_000, value]
    assert parse_json(json.dumps(whole, indent=1).encode() + b" \n", **LIMITS) == whole


def test_as_deep_as_allowed():
    assert parse_json(b"[" * 64 + b"]" * 64, **LIMITS) is not None


def test_lone_surrogates_become_replacement_characters():
    assert parse_json(b'{"\\ud800k": ["a\\uDFFFb", "\\ud83d\\ude42"]}', **LIMITS) == {"\ufffdk": ["a\ufffdb", "🙂"]}


def test_byte_order_mark_is_skipped():
    assert parse_json(b"\xef\xbb\xbf{}", **LIMITS) == {}


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_a_refusal(raw):
    try:
        value = parse_json(raw, **LIMITS)
    except InvalidError:
        value = None
    assert json.dumps(value, allow_nan=False).encode()
