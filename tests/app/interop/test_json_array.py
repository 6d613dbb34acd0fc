"""The cutter of big arrays: whatever is cut is what json.loads gives, however the bytes arrive."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.interop.json_array import split_array
from app.interop.prompts import ImportRefusedError
from tests.table import table

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(alphabet='ab"\\{}[],: \n\t€😀')),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text('k"\\}', max_size=3), inner)),
    max_leaves=12,
)


class Trickle(io.BytesIO):
    """Gives at most a few bytes at a time."""

    def __init__(self, content: bytes, step: int) -> None:
        super().__init__(content)
        self.step = step

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.step)


@given(
    values=st.lists(VALUES, max_size=6), step=st.integers(1, 9), indent=st.sampled_from([None, 1]), ascii_=st.booleans()
)
def test_the_pieces_are_the_elements(values: list[object], step: int, indent: int | None, ascii_: bool) -> None:
    content = b"\xef\xbb\xbf \n" * (step % 2) + json.dumps(values, indent=indent, ensure_ascii=ascii_).encode()
    elements = list(split_array(Trickle(content, step)))
    assert [json.loads(element.body or b"") for element in elements] == values
    for number, element in enumerate(elements):
        rest = io.BytesIO(content)
        rest.seek(element.end)
        again = [json.loads(later.body or b"") for later in split_array(rest, element.end)]
        assert again == values[number + 1 :]


@given(step=st.integers(1, 64))
def test_an_element_over_the_limit_is_stepped_over(step: int) -> None:
    content = json.dumps(["a", {"long": "x" * 50}, "b"]).encode()
    assert [e.body for e in split_array(Trickle(content, step), limit_bytes=20)] == [b'"a"', None, b'"b"']


@table("content", [b'[{"a": 1}, {"b": ', b'[{"a": 1}, "torn', b'[{"a": 1},'])
def test_a_torn_end_costs_the_torn_element_only(content: bytes) -> None:
    assert [e.body for e in split_array(io.BytesIO(content))] == [b'{"a": 1}']


@table("content", [b'{"a": 1}', b"hello", b"<html>[]</html>"])
def test_what_is_no_array_is_refused(content: bytes) -> None:
    with pytest.raises(ImportRefusedError, match="not an export"):
        list(split_array(io.BytesIO(content)))


def test_nothing_is_no_element() -> None:
    assert list(split_array(io.BytesIO(b""))) == []
    assert list(split_array(io.BytesIO(b" [ ] "))) == []
