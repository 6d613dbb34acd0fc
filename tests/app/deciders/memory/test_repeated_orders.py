"""Which orders of a message would be a way of working if they came again."""

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.repeated_orders import find_repeatable_orders
from tests.table import table


@table(
    ("said", "count"),
    [
        ("Update docs/orders.md with what is new about the code you just changed.", 1),
        ("Update docs/orders.md with what is new.", 0),  # short: one task
        ("Commit everything that you changed and push it to the main branch now.", 0),  # names no place
        ("Update docs/orders.md with what is new about the code you just changed:", 0),  # head of a list
        ("Should I update docs/orders.md with what is new about the code?", 0),
        ("> Update docs/orders.md with what is new about the code you just changed.", 0),  # quoted
        ("The file docs/orders.md holds what is new about the code you just changed.", 0),  # no order
        ("Change it in docs/orders.md the way that was agreed on.", 0),  # points elsewhere
    ],
)
def test_an_order_that_names_a_place_and_stands_alone(said: str, count: int) -> None:
    own = said if not said.startswith(">") else ""
    assert len(list(find_repeatable_orders(said, own, (), load_memory_rules()))) == count
