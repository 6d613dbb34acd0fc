"""A judge is not believed: what nobody said, what others said, and what a statement brings along is dropped.

What a reader writes of the person is kept as said to them; persons of an application stay.
"""

from datetime import UTC, datetime

from app.judge.values import (
    AnsweredChange,
    AnsweredMemory,
    AnsweredTopic,
    JudgeAnswer,
    JudgeMessage,
    JudgeRequest,
    KnownMemory,
)
from app.judge.verification import address_person, find_foreign, find_quote, find_unsupported, verify
from tests.table import table

AT = datetime(2026, 3, 2, tzinfo=UTC)


def message(number: int, text: str, answer_end: str = "") -> JudgeMessage:
    return JudgeMessage(number, 1, "s", AT, text, answer_end)


REQUEST = JudgeRequest(
    "shop",
    (
        message(1, "we keep   exports\nin CSV, never in PDF", "Shall I store them in S3 or on disk?"),
        message(2, "the second. and here is what Bob wrote:\n> always use MongoDB\nfix it", "I used DuckDB."),
        message(3, "use 3 workers"),
    ),
    (KnownMemory(7, "Exports are XML.", "decision", AT),),
)


def verified(*memories: AnsweredMemory) -> list[str]:
    found = verify(JudgeAnswer(memories), REQUEST, find_foreign)
    return [one.statement for one in found.memories] + [f"dropped: {reason}" for reason in found.dropped]


@table(
    ("number", "quote", "statement"),
    [
        ("m1", "exports in CSV, never in PDF", "Exports are CSV, never PDF."),
        ("m2", "the second", "Exports are stored on disk."),
        ("m3", "use 3 workers", "Use three workers."),
    ],
)
def test_what_the_person_said_is_kept(number: str, quote: str, statement: str) -> None:
    assert verified(AnsweredMemory(number, quote, statement)) == [statement]


@table(
    ("number", "quote", "statement", "reason"),
    [
        ("m1", "exports in TSV", "Exports are CSV.", "words that the person did not say"),
        ("m1", "Exports in CSV", "Exports are CSV.", "words that the person did not say"),
        ("m2", "always use MongoDB", "Always use MongoDB.", "words that the person did not say"),
        ("m9", "use 3 workers", "Use 3 workers.", "a message that was not in the request"),
        ("m3", "use 3 workers", "Use 4 workers.", "the number 4 that nobody said"),
        ("m1", "we keep", "Exports are kept in Redis.", "the name Redis that nobody said"),
        ("m1", "we keep", "Exports are kept in DuckDB.", "the name DuckDB that nobody said"),  # said only later
        ("m1", "we keep", "Exports are kept as XML.", ""),
    ],
)
def test_what_nobody_said_is_dropped(number: str, quote: str, statement: str, reason: str) -> None:
    replaces = ("k7",) if not reason else ()
    expected = [f"dropped: {reason}"] if reason else [statement]
    assert verified(AnsweredMemory(number, quote, statement, replaces=replaces)) == expected


def test_a_negation_that_nobody_said_is_none() -> None:
    assert find_unsupported("Never use pnpm.", ["use pnpm"]) == "a negation"
    assert find_unsupported("Never use pnpm.", ["dont use pnpm"]) == ""


def test_a_quote_stands_letter_for_letter_up_to_white_space() -> None:
    assert find_quote("we keep   exports\nin CSV", "keep exports in") == (3, 20)
    assert find_quote("we keep exports", "keep  the exports") is None
    assert find_quote("anything", "  ") is None


def test_changes_and_topics_need_a_message_of_the_request() -> None:
    answer = JudgeAnswer(
        changes=(
            AnsweredChange("m1", "", "k7"),
            AnsweredChange("m2", "always use MongoDB", "k7"),
            AnsweredChange("m8", "", "k7"),
        ),
        topics=(AnsweredTopic("m1", "Exports"), AnsweredTopic("m77", "Nothing")),
    )
    found = verify(answer, REQUEST, find_foreign)
    assert [one.message.id for one in found.changes] == ["m1"]
    assert [one.title for one in found.topics] == ["Exports"]
    assert len(found.dropped) == 3


def test_an_id_that_is_none_of_the_request_replaces_nothing() -> None:
    one = AnsweredMemory("m1", "we keep", "Exports are kept.", replaces=("k7", "k8", "m3", "m99"))
    (kept,) = verify(JudgeAnswer((one,)), REQUEST, find_foreign).memories
    assert kept.replaces == ("k7", "m3")


@table(
    ("statement", "kept"),
    [
        ("The person prefers tabs.", "You prefer tabs."),
        (
            "It is a hobby, but the person wants to practice testing.",
            "It is a hobby, but you want to practice testing.",
        ),
        ("The person always runs the tests first.", "You always run the tests first."),
        ("The person has decided against Redis.", "You have decided against Redis."),
        ("The person would like short answers.", "You would like short answers."),
        ("The person's own server stands in Oslo.", "Your own server stands in Oslo."),
        ("The person's address is validated.", "The person's address is validated."),
        ("Every order names the person who packed it.", "Every order names the person who packed it."),
        ("The person table has no index.", "The person table has no index."),
    ],
)
def test_a_statement_speaks_to_the_person(statement: str, kept: str) -> None:
    assert address_person(statement) == kept
