"""Reads JSON that strangers sent: bytes in, value or InvalidError out, in time linear in the bytes.

Owns the limits (size, depth, parts, digits) and refuses what `json.loads` lets through: NaN, infinities, duplicate
keys, recursion errors. Lone surrogates become U+FFFD. Source: QUALITY R9, R10, STYLE traps.
"""

import json
import math
import re
from array import array
from itertools import accumulate
from typing import NoReturn, TypeAlias

from app.errors import InvalidError

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

PARTS_MAX = 500_000  # lists and objects in one document; more is an attack on the reader's memory
VALUES_MAX = 250_000  # in one document, as counted by commas
BARE_BYTES_MAX = 2_000_000  # outside strings; what people and tools say is inside of them
DIGITS_MAX = 40  # of a whole number; 64 bit needs 19
FLOAT_DIGITS_MAX = 1_200  # of any other; the longest double, written out in full, needs fewer
_EDGE_BYTES = 1_024
_QUOTES_QUICK = 64  # up to that many quotes the strings are cut out in the time it takes to look for them
_STRING_SHOWN = 64  # bytes; longer strings are read last
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_CLOSED_BY = {b"{": b"}", b"[": b"]", b'"': b'"'}
_VALUE_ENDS = {
    b"",
    *(bytes([byte]) for byte in b"0123456789}]{[elNy"),
}  # of number, list, object, true, null, NaN, Infinity
_PREFIX_BYTES = 64 * 1024  # depth is looked for here first: an attack shows itself at once

_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # one deeper, one back
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(raw: bytes, *, max_bytes: int, max_depth: int) -> JsonValue:
    """The value that the bytes say, with lone surrogates replaced.

    Raises InvalidError, saying what is wrong, for everything that is not plain JSON within the limits.

    >>> parse_json(b'{"prompt": "hi"}', max_bytes=100, max_depth=8)
    {'prompt': 'hi'}
    >>> parse_json(b"[" * 100_000, max_bytes=1_000_000, max_depth=64)
    Traceback (most recent call last):
    app.errors.InvalidError: The JSON is nested deeper than 64 levels.
    """
    if len(raw) > max_bytes:
        raise _refusal(f"The JSON has {len(raw)} bytes, more than the {max_bytes} that are taken.")
    _check_shape(raw[:_PREFIX_BYTES], max_depth)
    if len(raw) > _PREFIX_BYTES:
        _check_end(raw)
        _check_bare(raw, max_depth)
        _check_shape(raw, max_depth)
    value = _load(raw, max_depth)
    has_escape = b"\\u" in raw  # many times quicker than the pattern
    return _without_surrogates(value) if has_escape and _SURROGATE_ESCAPE.search(raw) else value


def _load(raw: bytes, max_depth: int, *, has_places: bool = True) -> JsonValue:
    """The value as the parser gives it, within the limits that it can see; `has_places`: a fault's place means something."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refusal(f"The JSON is not valid UTF-8 at byte {error.start}.") from error
    try:
        value: JsonValue = json.loads(
            text,
            parse_int=_bounded,
            parse_float=_finite,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        place = f" at character {error.pos}" if has_places else ""
        raise _refusal(f"This is not valid JSON: {error.msg}{place}.") from error
    except RecursionError as error:
        raise _refusal(f"The JSON is nested deeper than {max_depth} levels.") from error
    return value


def _refusal(what: str) -> InvalidError:
    return InvalidError(what, hint="Send plain JSON in UTF-8 within these limits.")


def _check_end(raw: bytes) -> None:
    """Refuses at once what was cut off, however long it is: the end does not fit the beginning."""
    head, tail = raw[:_EDGE_BYTES].removeprefix(_BOM).lstrip(_BLANK)[:1], raw[-_EDGE_BYTES:].rstrip(_BLANK)[-1:]
    is_cut = head in _CLOSED_BY and tail and tail != _CLOSED_BY[head]
    if is_cut or _ends_inside_string(raw) or (b"\\" not in raw and raw.count(b'"') % 2 == 1):
        raise _refusal("This is not valid JSON: it ends before it is complete.")


def _ends_inside_string(raw: bytes) -> bool:
    """Whether what is before the last bracket can end no value: then the bracket is a character of an open string."""
    end = raw[-_EDGE_BYTES:].rstrip(_BLANK)
    if end[-1:] not in {b"}", b"]"}:
        return False
    value = end[:-1].rstrip(_BLANK)
    if not value.endswith(b'"'):
        return value[-1:] not in _VALUE_ENDS
    before = value[:-1].rstrip(b"\\")
    return bool(before) and (len(value) - 1 - len(before)) % 2 == 1  # nothing but backslashes: the parser knows


def _check_bare(raw: bytes, max_depth: int) -> None:
    """Refuses at once what is wrong outside of a few long strings, or is long without them: digits, blanks, brackets."""
    if b"\\" in raw or _has_more(raw, b'"', _QUOTES_QUICK):
        return
    pieces = raw.split(b'"')
    if sum(map(len, pieces[::2])) > BARE_BYTES_MAX:
        raise _refusal(f"The JSON has more than {BARE_BYTES_MAX} bytes outside its texts.")
    long = [at for at in range(1, len(pieces), 2) if len(pieces[at]) > _STRING_SHOWN]
    for at in long:
        pieces[at] = str(at).zfill(_STRING_SHOWN + 1).encode()  # no two are alike, and none is like a short one
    if long:
        short = b'"'.join(pieces)
        _check_shape(short, max_depth)
        _load(short, max_depth, has_places=False)


def _check_shape(raw: bytes, max_depth: int) -> None:
    """Refuses by brackets and commas alone; what is wrong in another way may pass, the parser stops before it."""
    may_be_deep = any(_has_more(raw, bracket, max_depth // 2) for bracket in (b"[", b"{"))
    may_be_many = len(raw) > VALUES_MAX and b"," in raw  # ten times quicker than counting where there is none
    if not may_be_deep and not (may_be_many and raw.count(b",") > VALUES_MAX):
        return
    bare = raw.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in raw else raw
    quote_count = bare.count(b'"')  # each that is left opens or closes a string; a value has at most two, with its key
    outside = b"".join(bare.split(b'"')[::2]) if quote_count <= 4 * VALUES_MAX else b""
    if quote_count > 4 * VALUES_MAX or outside.count(b",") > VALUES_MAX:
        raise _refusal(f"The JSON has more than {VALUES_MAX} values.")
    brackets = outside.translate(None, _NOT_BRACKETS)
    if len(brackets) > 2 * PARTS_MAX:
        raise _refusal(f"The JSON has more than {PARTS_MAX} lists and objects.")
    if max(accumulate(array("b", brackets.translate(_STEPS))), default=0) > max_depth:
        raise _refusal(f"The JSON is nested deeper than {max_depth} levels.")


def _has_more(raw: bytes, byte: bytes, count: int) -> bool:
    """Whether the byte is there more than `count` times; ten times quicker than counting where it is rare."""
    at = -1
    for _ in range(count + 1):
        at = raw.find(byte, at + 1)
        if at < 0:
            return False
    return True


def _bounded(digits: str) -> int:
    if len(digits) > DIGITS_MAX:
        raise _refusal(f"The JSON holds a number of more than {DIGITS_MAX} digits.")
    return int(digits)


def _finite(digits: str) -> float:
    if len(digits) > FLOAT_DIGITS_MAX:
        raise _refusal(f"The JSON holds a number of more than {FLOAT_DIGITS_MAX} digits.")
    value = float(digits)
    if math.isinf(value):
        raise _refusal("The JSON holds a number that is too large.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise _refusal(f"The JSON holds {name}, which is not a JSON value.")


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _refusal("The JSON has an object with the same key twice.")
    return made


def _without_surrogates(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _without_surrogates(item) for key, item in value.items()}
    return value
