"""Cells: rows with the same numbers lie in one cell, whatever the numbers are and whenever they come."""

import random

import numpy as np
import pytest

from app.store.memory_columns import MemoryCells

NAMES = ("kind", "project")


@pytest.mark.parametrize("top", [3, 1 << 40], ids=["looked up", "sorted"])
def test_every_row_lies_in_the_cell_that_tells_its_numbers(top: int) -> None:
    chance = random.Random(3)
    columns = {name: np.array([chance.choice((0, 1, top)) for _ in range(200)]) for name in NAMES}
    cells = MemoryCells(np, NAMES)
    of_row = cells.code_all(columns)
    for name in NAMES:
        assert cells.values(name)[of_row].tolist() == columns[name].tolist()
    assert len(cells) == len(set(zip(*(column.tolist() for column in columns.values()), strict=True)))


def test_a_new_combination_gets_a_cell_and_the_others_keep_theirs() -> None:
    cells = MemoryCells(np, NAMES)
    before = cells.code_all({"kind": np.array([1, 2]), "project": np.array([0, 5])}).tolist()
    assert cells.code([(2, 5), (7, 7), (1, 0), (7, 7)]) == [before[1], 2, before[0], 2]
    assert cells.values("kind").tolist() == [*(1, 2), 7]


def test_no_rows_have_no_cells() -> None:
    cells = MemoryCells(np, NAMES)
    assert cells.code_all({name: np.zeros(0, np.int32) for name in NAMES}).tolist() == []
    assert cells.values("kind").tolist() == []
    assert cells.code([(4, 4)]) == [0]
