"""Version 16: the ledger of background work. Blind to today's tables, as every step is. Source: S5 "Energy Consumption"."""

from alembic.operations import Operations

from app.store.migrations.columns import create_table

_ENTRY = "id:int at:at work:str units:float level:float cpu_s:float token_count:int put_off:str"


def upgrade(op: Operations) -> None:
    """Adds the table."""
    create_table(op, "energy_entry", _ENTRY)
    op.create_index("ix_energy_entry_at", "energy_entry", ["at"])
    op.create_index("ix_energy_entry_work", "energy_entry", ["work", "at"])
