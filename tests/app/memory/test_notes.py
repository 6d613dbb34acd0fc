"""Telegram style: entries of a list are statements of their own, and reports that look alike are not."""

import pytest

from app.memory.statements import extract_statements
from app.values import FactType


def read(text: str) -> list[tuple[FactType, str]]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    return [(one.type, one.text) for one in found]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("cache: Redis, queue: RabbitMQ", ["cache: Redis.", "queue: RabbitMQ."]),
        ("support accounts: help@larch.test", ["Support accounts: help@larch.test."]),
        ("python 3.12, torch 2.3", ["Python 3.12.", "Torch 2.3."]),
        ("formatter = Prettier", ["Formatter = Prettier."]),
    ],
)
def test_labels_and_versions_are_facts_each(text: str, written: list[str]) -> None:
    assert read(text) == [(FactType.FACT, one) for one in written]


def test_what_is_used_for_what_is_a_decision_each() -> None:
    assert read("Caddy for hosting, Sentry for error tracking") == [
        (FactType.DECISION, "Caddy for hosting."),
        (FactType.DECISION, "Sentry for error tracking."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "error: Redis 6.2",
        "status: 404",
        "the build fails, cache: Redis",
        "which one, cache: Redis?",
        "docs: fix the typo in 3 places",
        "Content-Type: application/json",
    ],
)
def test_a_report_before_a_colon_names_nothing(text: str) -> None:
    assert read(text) == []
