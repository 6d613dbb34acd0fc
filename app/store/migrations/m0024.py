"""Version 24: uses and memories are counted by day without reading them: an index of each. Blind to today's tables, as every step is.

Source: issue 18 "Timeline and statistics".
"""

from alembic.operations import Operations


def upgrade(op: Operations) -> None:
    """Adds two indexes; nothing is changed."""
    op.create_index("ix_usage_kind", "usage_event", ["kind", "at", "receipt_id"])
    op.create_index("ix_memory_recorded", "memory", ["recorded_at", "kind", "worded_by"])
