"""Prints beside every figure what the machine's host took meanwhile."""

from collections.abc import Iterator

import pytest

from tests.benchmarks.material.stolen import read_ticks, tell_stolen


@pytest.fixture(autouse=True)
def _stolen() -> Iterator[None]:
    since = read_ticks()
    yield
    print(tell_stolen(since))
