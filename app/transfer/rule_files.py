"""The rules that a person made, out into the file of their memories and back: saved searches, what is never captured, what is always
or never learned.
"""

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, select

from app.capture.exclusion import EXCLUSION_RULES, take_exclusion
from app.errors import InvalidError
from app.interop.seed3_files import EXTRA, Row
from app.memories.rules import KIND_OF_VERDICT, take_rule
from app.memories.saved_searches import SEARCH_RULE, take_search
from app.store.journal import Record, Write, table_of
from app.store.tables.core import RuleRow
from app.transfer.row_validation import check_row, clean_texts, own_number, plain_columns

RULES = "rules"
_TAKERS: Mapping[str, Callable[[Write, Record], bool]] = {
    SEARCH_RULE: take_search,
    **dict.fromkeys(EXCLUSION_RULES.values(), take_exclusion),
    **dict.fromkeys(KIND_OF_VERDICT.values(), take_rule),
}
_rule = table_of(RuleRow)


def rule_entries(connection: Connection) -> list[Row]:
    """What a file of all memories begins with: one entry with every rule, oldest first; none when there is no rule."""
    rows = connection.execute(select(_rule).where(_rule.c.kind.in_(_TAKERS)).order_by(_rule.c.id)).all()
    return [{"id": RULES, "type": RULES, EXTRA: {RULES: [plain_columns(row) for row in rows]}}] if rows else []


def take_rule_row(write: Write, image: Record, clean: Callable[[str], str]) -> bool | None:
    """Whether the rule was added; not when it is here already. None for one that could not have been made here."""
    record = check_row(_rule, image)
    if record is None or record["kind"] not in _TAKERS or clean_texts(image, clean) != image:
        return None
    number = own_number(write.connection, _rule, record.pop("id"))
    try:
        return _TAKERS[record["kind"]](write, record | number)
    except InvalidError:
        return None
