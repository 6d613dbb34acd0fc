"""A rename closes a name, not what was said of the thing."""

from app.deciders.memory.contradictions.reversals import say_with_new_name
from tests.table import table


@table(
    ("text", "old", "new", "said"),
    [
        ("Only cart_rows may write totals to disk.", "cart_rows", "basket_rows", "rename cart_rows to basket_rows"),
        ("Every `Parcel2` must be weighed before it leaves.", "Parcel2", "Parcel3", "Parcel2 is now called Parcel3"),
    ],
)
def test_the_rule_goes_on_by_the_new_name(text: str, old: str, new: str, said: str) -> None:
    assert say_with_new_name(text, old, new, said) == text.replace(old, new)


@table(
    ("text", "old", "new", "said"),
    [
        ("Only cart_rows may write totals to disk.", "cart_rows", "basket_rows", "use basket_rows instead"),
        ("The rows are cart_rows.", "cart_rows", "basket_rows", "rename cart_rows"),
        ("Use npm workspaces for the whole client.", "npm", "pnpm", "rename npm to pnpm"),
        ("Only cart_rows_old may write totals to disk.", "cart_rows", "basket_rows", "rename cart_rows"),
        ("basket_rows took the place of cart_rows in the reports.", "cart_rows", "basket_rows", "rename cart_rows"),
    ],
)
def test_what_replaces_or_says_no_more_than_the_name_is_not_carried_over(
    text: str, old: str, new: str, said: str
) -> None:
    assert say_with_new_name(text, old, new, said) == ""
