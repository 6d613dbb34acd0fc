"""What a reader writes of the person is kept as said to them; persons of an application stay."""

import pytest

from app.judge.address import address_person


@pytest.mark.parametrize(
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
