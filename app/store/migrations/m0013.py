"""Version 13: what came of each request to a judge, as numbers and counted reasons. Source: JUDGE "The meter"."""

from alembic.operations import Operations

from app.store.migrations.columns import create_table

_RESULT = (
    "request_id:int model:str conversation_ids:json remembered_ids:json closed_ids:json put_away_ids:json "
    "drop_reasons:json"
)


def upgrade(op: Operations) -> None:
    """Adds the table; of what was read before only the counts are known."""
    create_table(op, "judge_result", _RESULT, key=("request_id",))
