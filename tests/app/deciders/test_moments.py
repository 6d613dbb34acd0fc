"""How a conversation went is read from signs only: what nothing shows stays empty."""

import pytest

from app.deciders.conversation.file_changes import adr_of
from app.deciders.conversation.moments import Course, LearnedSign, TopicSign, Turn, read_course, third_of
from tests.table import table

FAILS = Turn(1, "Look. The export fails with a KeyError. Why?", is_problem=True)


def kinds(*turns: Turn, outcome: str = "") -> list[tuple[str, int]]:
    return [(one.type, one.turn) for one in read_course(turns, outcome).moments]


@pytest.mark.seed("S3", "episode.types")
@table(
    ("turns", "expected"),
    [
        ([Turn(1, "what does the tax rate do here?")], []),
        ([FAILS], [("issue_identified", 1)]),
        ([FAILS, Turn(2, "works now, thanks")], [("issue_identified", 1), ("problem_solved", 2)]),
        (
            [FAILS, Turn(2, "still fails"), Turn(3, "same error"), Turn(4, "that fixed it")],
            [("issue_identified", 1), ("breakthrough", 4)],
        ),
        ([FAILS, Turn(2, "it would be perfect if it did")], [("issue_identified", 1)]),
        ([FAILS, Turn(2, "is it fixed now?")], [("issue_identified", 1)]),
        (
            [Turn(1, "run the tests", tests=(False,), error="AssertionError: 3 != 4"), Turn(2, "go", tests=(True,))],
            [("issue_identified", 1), ("problem_solved", 2)],
        ),
        ([Turn(1, "add it", tests=(True, True))], []),
        ([Turn(1, "add it", commits=("Add the export", "Test it"))], [("task_completed", 1)]),
        ([Turn(1, "add it", pull_requests=("Export",))], [("task_completed", 1)]),
        ([Turn(1, "use cents", learned=(LearnedSign(7, "decision"),))], [("decision_made", 1)]),
        ([Turn(1, "I like tabs", learned=(LearnedSign(7, "preference"),))], []),
        ([Turn(1, "use floats", learned=(LearnedSign(8, "decision", replaces=True),))], [("pivot", 1)]),
        ([Turn(1, "x"), Turn(2, "no, let's try another approach")], [("pivot", 2)]),
        ([Turn(1, "let's try another approach to tests")], []),
        ([Turn(1, "add it", topic=TopicSign("Export as CSV", "completed"))], [("task_completed", 1)]),
        ([Turn(1, "add it", topic=TopicSign("Export as CSV", "planned"))], []),
    ],
)  # fmt: skip
def test_moments(turns: list[Turn], expected: list[tuple[str, int]]) -> None:
    assert kinds(*turns) == expected


def test_an_issue_is_called_by_the_sentence_that_says_it() -> None:
    (one,) = read_course([FAILS]).moments
    assert one.text == "The export fails with a KeyError."
    assert not read_course([Turn(1, "why is the header so tall?", is_problem=True)]).moments


def test_a_topic_is_finished_where_the_next_begins() -> None:
    topic = TopicSign("Export", "completed")
    turns = [Turn(1, "a", topic=topic), Turn(2, "b"), Turn(3, "c", topic=TopicSign("Filter", "open")), Turn(4, "d")]
    assert [(one.text, one.turn) for one in read_course(turns).moments] == [("Export", 2)]


def test_what_was_said_twice_is_one_moment() -> None:
    twice = [
        Turn(n, "use cents", learned=(LearnedSign(7, "decision"),), topic=TopicSign("Cents", "tested")) for n in (1, 2)
    ]
    assert [(one.type, one.turn) for one in read_course(twice).moments] == [("decision_made", 1), ("task_completed", 2)]


def test_nothing_shown_is_nothing_told() -> None:
    assert read_course([Turn(1, "add an export of the orders")]) == Course()


def test_the_weightiest_moment_gives_type_and_significance() -> None:
    course = read_course(
        [Turn(1, "use cents", learned=(LearnedSign(7, "decision", 3),)), Turn(2, "ok", commits=("Use cents",))]
    )
    assert (course.type, course.significance) == ("decision_made", 0.95)


@table(
    ("texts", "outcome", "valence"),
    [
        (["perfect"], "", 0.5),
        (["still broken", "wtf, again you removed it"], "", -0.67),
        (["great, works now", "no change, same error"], "", 0.0),
        (["add it"], "abandoned", -0.5),
        (["make sure that it works"], "", None),
        ([f"great. {'the long text of a specification ' * 20}"], "", None),
    ],
)
def test_valence_is_the_persons(texts: list[str], outcome: str, valence: float | None) -> None:
    turns = [Turn(number, text) for number, text in enumerate(texts, 1)]
    assert read_course(turns, outcome).valence == valence


@pytest.mark.seed("S3", "arc")
def test_thirds_meet_every_turn() -> None:
    assert [third_of(turn, 1, 3) for turn in (1, 2, 3)] == [0, 1, 2]
    assert [third_of(turn, 5, 6) for turn in (5, 6)] == [0, 1]


def test_a_decision_record_is_told_from_other_files() -> None:
    assert adr_of("doc/ADR-0012-sessions.md")
    assert not adr_of("docs/adr/template.md")
    assert not adr_of("src/decisions/model.py")
