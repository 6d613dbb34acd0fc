"""Values that are made the quick way are those that their class makes, in every respect that somebody could notice."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from app.store.search.values import Term
from app.values.fast_values import maker

make_term = maker(Term)


def test_a_value_made_the_quick_way_is_one_of_its_class() -> None:
    made, usual = make_term("port", 0.5, is_prefix=True), Term("port", 0.5, is_prefix=True)
    assert type(made) is Term
    assert (made, hash(made), repr(made)) == (usual, hash(usual), repr(usual))
    assert replace(made, text="ports") == replace(usual, text="ports")
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == usual


def test_it_is_as_frozen_as_any_other() -> None:
    made = make_term("port")
    with pytest.raises(FrozenInstanceError):
        made.text = "ports"  # type: ignore[misc]
    with pytest.raises(TypeError):
        make_term()  # type: ignore[call-arg]
