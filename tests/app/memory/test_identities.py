"""What something is, where it is and which cases a rule is about, against what is only seen just now."""

import pytest

from app.memory.rules import load_memory_rules
from app.memory.standing import Setting, judge_clause

RULES = load_memory_rules()
SETTING = Setting(20)


@pytest.mark.parametrize(
    "text",
    [
        "the booking half is Elixir",
        "the flash on this board is 2MB",
        "the debug console is on uart1",
        "parcel data is in geo.parcels",
        "this monorepo is on pnpm",
        "Deposits over 900 euro need a manual check",
        "The lexer shouldn't depend on the printer",
        "Imani's team runs the billing service",
        "couriers are identified by badge number",
    ],
)
def test_what_something_is_lasts_whatever_it_is_about(text: str) -> None:
    assert judge_clause(text, RULES, SETTING) is not None


@pytest.mark.parametrize(
    "text",
    [
        "the button is on this page",
        "the output is in my terminal",
        "the spinner shouldn't show on load",
        "anything else is blocked by the firewall",
        "the test is stuck at 90",
        "the modal is closed by escape",
    ],
)
def test_what_is_seen_just_now_does_not_last(text: str) -> None:
    assert judge_clause(text, RULES, SETTING) is None
