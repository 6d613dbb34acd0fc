"""How a step writes its tables down: one word per column. Only ever added to, because old steps must go on doing the same.

Knows no table of today.
"""

from typing import Any

from alembic.operations import Operations
from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, Integer, PrimaryKeyConstraint, String, Text

_KINDS = {"int": Integer, "str": String, "text": Text, "json": JSON, "bool": Boolean, "float": Float, "at": BigInteger}


def create_table(op: Operations, name: str, columns: str, *constraints: Any, key: tuple[str, ...] = ("id",)) -> None:
    """Creates a table. `columns` is a list of `name:kind`; a kind with "?" may be null."""
    made = [
        Column(column, _KINDS[kind.rstrip("?")](), nullable=kind.endswith("?"))
        for column, kind in (one.split(":") for one in columns.split())
    ]
    op.create_table(name, *made, PrimaryKeyConstraint(*key), *constraints)
