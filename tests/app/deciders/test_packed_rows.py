"""Rows of weights as they are read from a file: the numbers of a dictionary, in a tenth of its memory."""

import random

import pytest

from app.deciders.feature_weights import PackedRows
from app.language.hash_table import HashedNumbers


def test_every_row_is_found_and_nothing_else() -> None:
    rng = random.Random(4)
    rows = {f"feature {number}": [rng.randrange(-900, 900) for _ in range(8)] for number in range(3_000)}
    packed = PackedRows(rows)
    assert all(list(packed.get(name) or ()) == row for name, row in rows.items())
    assert [packed.get(f"other {number}") for number in range(3_000)] == [None] * 3_000
    assert packed == PackedRows(dict(rows))
    assert packed == rows
    assert packed != rows | {"feature 7": [1] * 8}
    assert len(packed) == len(rows)
    assert packed != PackedRows(rows | {"feature 7": [1] * 8})


def test_buckets_are_found_by_their_number() -> None:
    packed = PackedRows({bucket: (bucket, -bucket) for bucket in range(0, 1 << 20, 4_099)})
    assert list(packed.get(4_099) or ()) == [4_099, -4_099]
    assert packed.get(4_100) is None


def test_a_model_without_a_row_knows_nothing() -> None:
    assert PackedRows({}).get("a") is None


@pytest.mark.parametrize("rows", [{"a": [1], "b": [1, 2]}, {"a": [1 << 40]}])
def test_what_cannot_be_weights_is_refused(rows: dict[str, list[int]]) -> None:
    with pytest.raises(ValueError, match="weight"):
        PackedRows(rows)


def test_keys_of_one_slot_keep_apart() -> None:
    numbers = HashedNumbers(8)
    numbers.add([0, 8, 16, 24])  # whole numbers are their own hashes
    assert [numbers.number(key) for key in (0, 8, 16, 24, 32, 1)] == [0, 1, 2, 3, None, None]
