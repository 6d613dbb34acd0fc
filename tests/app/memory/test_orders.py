"""Orders that keep holding are told from tasks, and styles named without a verb from remarks."""

import pytest

from app.memory.orders import read_order, read_style
from app.memory.rules import load_memory_rules
from app.memory.standing import Setting
from app.memory.statements import extract_statements
from app.values import FactType

RULES = load_memory_rules()


def setting_of(text: str) -> Setting:
    return Setting(len(text.split()), is_asking="?" in text, is_polite="please" in text)


def written(text: str) -> list[tuple[FactType, str]]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    return [(one.type, one.text) for one in found]


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("store weights in grams", FactType.PREFERENCE),
        ("indent with 3 spaces", FactType.PREFERENCE),
        ("ask before you upgrade anything", FactType.PREFERENCE),
        ("show me an outline before you touch more than two modules", FactType.PREFERENCE),
        ("prefix hook names with on", FactType.PREFERENCE),
        ("use Zod for validation, not Joi", FactType.DECISION),
        ("when in doubt, ask", FactType.PREFERENCE),
        ("don't explain trivial code", FactType.CONSTRAINT),
        ("let's render dates with Luxon", FactType.DECISION),
        ("avoid nested ternaries", FactType.CONSTRAINT),
    ],
)
def test_an_order_about_things_in_general_keeps_holding(text: str, type_: FactType) -> None:
    match = read_order(text, RULES, setting_of(text))
    assert match is not None
    assert match.pattern.type is type_


@pytest.mark.parametrize(
    "text",
    [
        "run the tests",
        "run the tests again",
        "write a test for parse_rate",
        "add tests for the exporter",
        "use a set here",
        "sort by price",
        "rebase onto develop",
        "show me the log",
        "tell me about channels",
        "explain to me what each flag does",
        "don't touch that yet",
        "put the totals in the footer",
        "check src/rates.py line 12",
        "batch size 8 gives an odd result",
        "ping me with any questions",
    ],
)
def test_a_task_is_no_order_that_keeps_holding(text: str) -> None:
    assert read_order(text, RULES, setting_of(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "double quotes please",
        "3 spaces, no tabs",
        "docstrings in Google style",
        "type hints everywhere",
        "tests first, then code",
        "commit messages in the imperative mood",
        "I want single quotes",
    ],
)
def test_a_style_needs_no_verb(text: str) -> None:
    assert read_style(text, RULES, setting_of(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "the second option",
        "import error",
        "prepare a draft of the changelog",
        "same for tests",
        "git log shows nothing",
        "prod in Oslo",
    ],
)
def test_a_remark_without_a_verb_is_no_style(text: str) -> None:
    assert read_style(text, RULES, setting_of(text)) is None


def test_what_is_wished_of_the_assistant_is_written_as_the_order_alone() -> None:
    assert written("I'd like you to ask before installing tools") == [
        (FactType.PREFERENCE, "Ask before installing tools.")
    ]


def test_a_house_style_makes_a_rule_of_what_it_follows() -> None:
    assert written("we pass a Clock everywhere, that's our convention") == [
        (FactType.FACT, "We pass a Clock everywhere.")
    ]
    assert written("make half-built objects impossible, that's the rule")[0][1] == "Make half-built objects impossible."
