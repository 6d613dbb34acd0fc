"""Technologies that a sentence states to be used, and such as it only mentions."""

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.slots.slots import fill_slot, is_stated
from app.deciders.memory.statements.statements import guess_statement
from tests.table import table


@table(
    ("text", "name", "wanted"),
    [
        ("Jobs run on Sidekiq", "Sidekiq", True),
        ("the api is written in plain Rust", "Rust", True),
        ("everything goes to Sentry", "Sentry", True),
        ("Postgres for billing", "Postgres", True),
        ("Sidekiq arguments are plain ids", "Sidekiq", False),
        ("bots eat our Sentry quota", "Sentry", False),
        ("On Windows a read blocks", "Windows", False),
        ("Review apps have no Sidekiq", "Sidekiq", False),
        ("the backup is restored from Postgres", "Postgres", False),
        ("a Redis key with a lifetime", "Redis", False),
    ],
)
def test_what_is_used_is_told_from_what_is_mentioned(text: str, name: str, *, wanted: bool) -> None:
    start = text.index(name)
    assert is_stated(text, start, start + len(name)) is wanted


def test_a_mention_fills_no_slot_and_so_contradicts_nothing() -> None:
    assert guess_statement("Battery sense of rev C is on channel 8").slot is None
    assert guess_statement("Stripe events come twice and out of order").slot is None


def test_what_a_change_names_is_stated() -> None:
    changed = fill_slot("bumped the Node version", load_memory_rules().slots, {"new": "20", "old": "18"})
    assert changed.value == "Node.js 20"
