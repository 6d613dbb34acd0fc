"""Two wordings of one rule are known as one; what limits, denies, names or counts otherwise, or turns it round, is another."""

from app.judge.same_statement import says_same
from tests.table import table


@table(
    ("one", "other"),
    [
        (
            "Old orders are shown in one row.",
            "In the list old orders are shown in one row, to leave room for new ones.",
        ),
        (
            "When a price changes, list.md and the menu are updated.",
            "When a price changes, list.md and the menu must be updated too.",
        ),
        ("Receipts are printed on the small printer.", "Receipts (also copies) are printed on the small printer."),
        (
            "The bar opens early in the morning.",
            "The bar opens early in the morning; waiting guests are not acceptable.",
        ),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert says_same(one, other)
    assert says_same(other, one)


@table(
    ("one", "other"),
    [
        ("Old orders are shown in one row.", "Old orders are shown in one row when the list is full."),
        ("Old orders are shown in one row.", "Old orders are not shown in one row."),
        ("Old orders are shown in 2 rows each.", "Old orders are shown in 3 rows each."),
        ("The kitchen calls the bar for each order.", "The bar calls the kitchen for each order."),
        ("Guests pay at the bar by card.", "Guests pay at the bar by cash."),
        ("Exports are written as CSV files (invoices).", "Exports are written as CSV files (receipts)."),
        ("Orders are sorted.", "Orders are sorted by the time of day."),  # too few words to tell
        ("The start of an order is shown in bold.", "The stop of an order is shown in bold."),
    ],
)
def test_another_statement(one: str, other: str) -> None:
    assert not says_same(one, other)
    assert not says_same(other, one)
