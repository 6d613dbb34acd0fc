"""Which files are expected beside one that is open, and how evidence of several kinds adds up."""

import pytest

from app.deciders.recall.context.prediction import (
    Evidence,
    Weights,
    combine,
    error_signature,
    predict_files,
    weigh_uses,
)
from app.deciders.recall.context.work_history import SIGNS, Work, WorkHistory, find_task_words
from app.errors import InvalidError
from app.values import PredictedFile, PredictionShare, PredictionSignal
from tests.table import table

HABIT = WorkHistory(
    Work(frozenset(files), find_task_words(said))
    for files, said in [
        (("src/login.py", "src/session.py"), "keep the session"),
        (("src/login.py", "src/session.py"), "log out everywhere"),
        (("src/login.py", "docs/notes.md"), "say how to log in"),
        (("README.md", "src/pay.py"), "pay by invoice"),
        (("src/tax.py", "web/page.ts"), "round the taxes"),
    ]
)


def beside(opened: list[str], history: WorkHistory, said: str = "", limit: int = 20) -> list[PredictedFile]:
    guesses = predict_files(opened, history, words=find_task_words(said), limit=limit + len(opened))
    return [guess for guess in guesses if guess.path not in opened][:limit]


def paths(opened: list[str], history: WorkHistory, said: str = "", limit: int = 20) -> list[str]:
    return [guess.path for guess in beside(opened, history, said, limit)]


def test_files_that_change_together_come_first_and_say_so() -> None:
    guesses = beside(["src/login.py"], HABIT)
    assert guesses[0].path == "src/session.py"
    assert guesses[0].reason == "login.py and session.py change together"
    assert guesses[0].confidence > 2 * guesses[-1].confidence
    assert guesses[0].shares[0].signal is PredictionSignal.CO_MODIFIED


def test_the_file_at_hand_is_expected_again_and_goes_with_its_signal() -> None:
    at_hand, *_ = predict_files(["src/login.py"], HABIT)
    assert (at_hand.path, at_hand.reason) == ("src/login.py", "login.py is open")
    assert at_hand.shares[0].signal is PredictionSignal.FILE
    assert sum(share for _, share in at_hand.shares) == pytest.approx(1.0, abs=0.02)
    without = predict_files(["src/login.py"], HABIT, without={PredictionSignal.FILE, PredictionSignal.HABIT})
    assert all(share.signal is not PredictionSignal.FILE for guess in without for share in guess.shares)
    assert without[0].path == "src/session.py"


def test_a_test_belongs_to_what_it_tests_before_anything_was_seen() -> None:
    history = WorkHistory(known=["tests/test_cart.py", "src/other.py", "web/page.ts"])
    first, *_ = beside(["src/cart.py"], history)
    assert (first.path, first.reason) == ("tests/test_cart.py", "test_cart.py belongs to cart.py")


def test_a_component_brings_its_hook_and_its_styles() -> None:
    history = WorkHistory(known=["ui/UserCard.module.css", "hooks/useUserCard.ts", "ui/Footer.tsx", "api/login.ts"])
    assert set(paths(["ui/UserCard.tsx"], history, limit=2)) == {"ui/UserCard.module.css", "hooks/useUserCard.ts"}


def test_a_group_of_hundreds_of_files_makes_no_habit() -> None:
    sweep = frozenset({f"src/part{at}.py" for at in range(300)} | {"lib/a.py", "web/b.ts"})
    pair = frozenset({"lib/a.py", "web/c.ts"})
    assert paths(["lib/a.py"], WorkHistory([Work(pair), Work(sweep)]))[0] == "web/c.ts"


def test_the_files_opened_before_say_what_one_alone_does_not() -> None:
    works = [{"core.py", "red.py", "red_view.py"}, {"core.py", "blue.py", "blue_view.py"}] * 3
    history = WorkHistory(Work(frozenset(files)) for files in works)
    assert paths(["red.py", "core.py"], history, limit=1) == ["red_view.py"]
    assert paths(["blue.py", "core.py"], history, limit=1) == ["blue_view.py"]


def test_the_words_of_the_task_bring_what_they_name_and_what_similar_work_changed() -> None:
    found = paths(["README.md"], HABIT, "the taxes are rounded twice", limit=3)
    assert (found[0], "web/page.ts" in found) == ("src/tax.py", True)
    assert "web/page.ts" not in paths(["README.md"], HABIT, limit=3)


def test_the_same_history_gives_the_same_files_whatever_the_order_of_sets() -> None:
    files = [f"src/part{at}/item{at % 7}.py" for at in range(60)]
    one, other = (
        WorkHistory([Work(frozenset(some)) for some in (listed[:20], listed[20:40])], known=listed)
        for listed in (files, sorted(files[:20], reverse=True) + sorted(files[20:40], key=hash) + files[40:])
    )
    assert predict_files([files[0]], one) == predict_files([files[0]], other)


def test_a_weight_that_is_missing_is_named() -> None:
    with pytest.raises(InvalidError, match="imports"):
        Weights.parse({"weights": dict.fromkeys(SIGNS[:-1], 1.0), "work": {}, "turn": {}})


@table(
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
    file, branch = ((PredictionShare(signal, 1.0),) for signal in (PredictionSignal.FILE, PredictionSignal.BRANCH))
    found = combine([Evidence(7, 0.99, "a", file), Evidence(7, 0.9, "b", branch), Evidence(8, 0.2, "c", branch)])
    assert found.memory_ids == (7, 8)
    assert found.strengths == (0.999, 0.2)
    assert 0.0 < found.confidence < 0.05, "of what nobody took up yet a turn in a hundred takes one up"
    assert found.reasons == ("a", "b", "c")
    assert found.shares_of_each[0] == ((PredictionSignal.FILE, 0.667), (PredictionSignal.BRANCH, 0.333))
    assert found.shares_of_each[1] == branch
    assert combine([]).confidence == 0.0


def test_what_was_taken_up_lately_is_likelier_than_what_only_lies_near() -> None:
    near = (PredictionShare(PredictionSignal.FILE, 1.0),)
    uses = weigh_uses([(5, 9), (6, 9), (5, 8), (5, 7)])
    found = combine([Evidence(4, 0.2, "near", near), Evidence(6, 0.9, "about it", near)], uses)
    assert found.memory_ids == (5, 6, 4)
    assert found.confidences[0] > 3 * found.confidences[-1]
    assert found.strengths == (0.0, 0.9, 0.2)
    assert found.reason_of_each == ("used recently", "about it", "near")
    assert [one.signal for one in found.shares_of_each[1]] == [PredictionSignal.USE, PredictionSignal.FILE]
