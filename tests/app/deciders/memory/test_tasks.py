"""Messages that order a piece of work: what describes the work is left, what holds beyond it is kept."""

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.statements import extract_statements, orders_work
from app.language.sentences import split_sentences
from tests.table import table

RULES = load_memory_rules()


def read(text: str) -> list[str]:
    return [one.text for one in extract_statements(text, expanded=text, references=(), entities=(), intents=())]


@table(
    "text",
    [
        "Add a page for berths. Each row should have a date. A berth starts with a letter.",
        "We need a job that reads the tide file. The payload is CSV. Answer with 202 right away.",
        "The gate app shows a wrong code. The failing ones start with a zero. Could you fix the parser?",
    ],
)
def test_what_describes_the_work_is_no_memory(text: str) -> None:
    assert read(text) == []


@table(
    ("text", "kept"),
    [
        ("Write the import. All our files are UTF-16. Log what was skipped.", ["All our files are UTF-16."]),
        ("Can you plot the tides? Put the dates below. I prefer lines over bars.", ["Prefer lines over bars."]),
    ],
)  # fmt: skip
def test_what_holds_beyond_the_work_is_kept(text: str, kept: list[str]) -> None:
    assert read(text) == kept


@table(
    ("text", "is_work"),
    [
        ("Please add a mast. It is grey. Thanks.", True),
        ("We use Postgres. The mast is grey. Boats are red.", False),
        ("Add a mast. It is grey.", False),
        ("", False),
    ],
)
def test_work_is_ordered_and_described_in_several_sentences(text: str, is_work: bool) -> None:
    assert orders_work(split_sentences(text), RULES) is is_work


def test_plain_facts_of_a_message_without_an_order_stay() -> None:
    assert read("The depot is in Bergen. The gate talks MQTT. Boats report on port 7001.") != []
