"""Version 21: how many runs a rule lay idle is counted from the runs, not kept beside it.

Source: DESIGN section 2 (a rule is pruned after ten runs without reinforcement).
"""

from alembic.operations import Operations
from sqlalchemy import text


def upgrade(op: Operations) -> None:
    """Takes the column out."""
    op.execute(text("ALTER TABLE learned_rule DROP COLUMN idle_runs"))
