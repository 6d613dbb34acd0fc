"""The ledger of background work: what each piece took, and what was put off. Logged, never journalled; numbers and no words of anybody.

Source: S5 "Energy Consumption", DESIGN section 4 `EnergyEntry`.
"""

from datetime import datetime

from sqlalchemy import Column, Index
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class EnergyEntryRow(TableRow, table=True):
    """One piece of work that is over, or with a reason in `put_off` one that was not begun."""

    __tablename__ = "energy_entry"
    __table_args__ = (Index("ix_energy_entry_work", "work", "at"),)
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_column=Column(Instant, nullable=False, index=True), default=None)
    work: str
    units: float = 0.0
    level: float = 0.0  # of the store of energy, after it
    cpu_s: float = 0.0
    token_count: int = 0
    put_off: str = ""  # battery, load, energy
