"""Which files are expected beside one that is open, and how evidence of several kinds adds up."""

import pytest

from app.recall.prediction import Evidence, combine, error_signature, predict_files

HABIT = [{"src/login.py", "src/session.py"}] * 3 + [{"src/login.py", "docs/notes.md"}, {"README.md", "src/pay.py"}]


def test_files_that_change_together_come_first_and_say_so() -> None:
    guesses = predict_files("src/login.py", HABIT)
    assert guesses[0].path == "src/session.py"
    assert guesses[0].reason == "login.py and session.py change together"
    assert guesses[0].confidence > 0.5
    assert all(guess.path != "src/login.py" for guess in guesses)


def test_a_test_belongs_to_what_it_tests_before_anything_was_seen() -> None:
    guesses = predict_files("src/cart.py", [], known=["tests/test_cart.py", "src/other.py", "web/page.ts"])
    assert [guess.path for guess in guesses] == ["tests/test_cart.py", "src/other.py"]


def test_a_group_of_hundreds_of_files_makes_no_habit() -> None:
    sweep = {f"src/part{at}.py" for at in range(300)} | {"lib/a.py", "web/b.ts"}
    pair = {"lib/a.py", "web/c.ts"}
    first = predict_files("lib/a.py", [pair, sweep])[0]
    assert first.path == "web/c.ts"


@pytest.mark.parametrize(
    ("error", "signature"),
    [
        ("", ""),
        ("TypeError: x is 3 at 0xfe12", "TypeError: x is at"),
        ("Traceback (most recent call last):\n  File x\nValueError: bad port 81", "ValueError: bad port"),
    ],
)
def test_an_error_is_known_again_without_its_numbers(error: str, signature: str) -> None:
    assert error_signature(error) == signature


def test_reasons_add_up_and_stay_below_certainty() -> None:
    found = combine([Evidence(7, 0.99, "a"), Evidence(7, 0.99, "b"), Evidence(8, 0.2, "c")])
    assert found.memory_ids == (7, 8)
    assert 0.5 < found.confidence < 1.0
    assert found.reasons == ("a", "b", "c")
    assert combine([]).confidence == 0.0
