"""The page of what the specifications ask for is true and up to date; its check sees what would make it lie."""

from pathlib import Path

import pytest

from tests.seeds.coverage import PAGE, Line, Marks, find_marks, find_problems, load_lines, our_commands, write_page


def test_every_line_is_shown_or_decided() -> None:
    assert find_problems(load_lines(), find_marks(), our_commands()) == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == write_page(load_lines(), find_marks()), "python -m tests.seeds.coverage"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (Line("S1", "a", "s", "t"), "nothing shows it"),
        (Line("S1", "a", "s", "t", missing="some day"), "may not wait"),
        (Line("S1", "a", "s", "t", command="remanence fly"), "no command of ours"),
    ],
)
def test_a_line_without_a_reason_is_seen(line: Line, why: str) -> None:
    (problem,) = find_problems([line], Marks(), ["search"])
    assert why in problem


def test_marks_that_lie_are_seen(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    mark = "@pytest.mark.seed("
    (tests / "test_it.py").write_text(
        f'{mark}"S1", "a")\n@pytest.mark.skip\ndef test_idle(): ...\n'
        f'{mark}"S1", "gone")\ndef test_of_nothing(): ...\n'
        f'{mark}"S1", "b")\ndef test_true(): ...\n'
        f'{mark}"S1", "c")\ndef test_there(): ...\n'
    )
    lines = [Line("S1", "a", "s", "t"), Line("S1", "b", "s", "t"), Line("S1", "c", "s", "t", missing="graph")]
    problems = find_problems(lines, find_marks(tests), [])
    assert problems == [
        "tests/test_it.py::test_idle is not run and shows nothing",
        "S1 gone is no line, but marked by tests/test_it.py::test_of_nothing",
        "S1 c: is said to be missing, but something shows it",
    ]
