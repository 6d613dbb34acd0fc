"""A judge is not believed: what nobody said, what others said, and what a statement brings along is dropped.

A statement does not say who wants it; persons of an application stay.
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
from app.judge.verification import find_foreign, find_quote, find_unsupported, normalise_statement, verify
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


def test_what_only_an_answer_says_is_marked_and_a_reply_to_it_too() -> None:
    request = JudgeRequest(
        "shop",
        (
            message(1, "where do the exports go?", "Into DuckDB, or into Redis for 30 days."),
            message(2, "the second. no more than that", "Done: 12 exports are in Redis, in 5 shards."),
            message(3, "keep exports small", ""),
        ),
    )
    said = (
        AnsweredMemory("m2", "the second", "Exports are kept in Redis for 30 days."),
        AnsweredMemory("m2", "the second", "Exports are kept in 5 shards."),
        AnsweredMemory("m3", "keep exports small", "Exports are small."),
        AnsweredMemory("m3", "keep exports small", "Exports take at most 30 rows."),
        AnsweredMemory("m3", "keep exports small", "Exports take at most 99 rows."),
    )
    found = verify(JudgeAnswer(said), request, find_foreign)
    assert [(one.unsaid, one.is_from_reply) for one in found.memories] == [
        ("", True),
        ("the number 5", False),
        ("", False),
        ("the number 30", False),
    ]
    assert found.dropped == ("the number 99 that nobody said",)


def test_names_may_come_from_what_was_typed_before_but_numbers_may_not() -> None:
    request = JudgeRequest("shop", (message(8, "keep that one small"),), earlier=("the CartStore holds 40 items",))
    said = (
        AnsweredMemory("m8", "keep that one small", "CartStore is kept small."),
        AnsweredMemory("m8", "keep that one small", "CartStore holds at most 40 items."),
    )
    found = verify(JudgeAnswer(said), request, find_foreign)
    assert [one.statement for one in found.memories] == ["CartStore is kept small."]
    assert found.dropped == ("the number 40 that nobody said",)


def test_an_aside_that_nobody_said_goes_and_the_rest_stays() -> None:
    one = AnsweredMemory("m3", "use 3 workers", "Use 3 workers (and 2 for Grafana) in the shop (not more).")
    assert verified(one) == ["Use 3 workers in the shop (not more)."]


@table(
    ("statement", "kept"),
    [
        ("The person prefers tabs.", "Preferred: tabs."),
        ("You prefer tabs.", "Preferred: tabs."),
        ("The person always wants the tests run first.", "Wanted: the tests run first."),
        ("You don't like emojis in commits.", "Not wanted: emojis in commits."),
        ("The person does not want to use Redis.", "Not wanted: Redis."),
        ("The person does not want to use.", "Not wanted: to use."),
        ("The person wants the assistant to run the tests first.", "Run the tests first."),
        ("You asked the assistant not to commit on its own.", "Do not commit on its own."),
        ("It is a hobby, but the person wants to practice testing.",) * 2,
        ("The person has decided against Redis.",) * 2,
        ("The person's address is validated.",) * 2,
        ("Every order names the person who packed it.",) * 2,
        ("The person table has no index.",) * 2,
        ("The user wants a refund within a week.",) * 2,
    ],
)
def test_a_statement_does_not_say_who_wants_it(statement: str, kept: str) -> None:
    assert normalise_statement(statement) == kept


def test_in_a_preference_the_user_is_the_person() -> None:
    assert normalise_statement("The user prefers tabs.", is_preference=True) == "Preferred: tabs."
    kept = "It is a hobby, but the person wants to practice testing."
    assert normalise_statement(kept.replace("the person", "the user"), is_preference=True) == kept


def test_a_word_that_begins_a_sentence_is_no_name() -> None:
    assert find_unsupported("Besides, use workers. However, unless they fail.", ["use workers unless they fail"]) == ""
    assert find_unsupported("Kafka runs first.", ["it runs first"]) == "the name Kafka"
