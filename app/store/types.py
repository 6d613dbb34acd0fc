"""What all tables share: their base and column types, portable between SQLite and PostgreSQL. Knows no table."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Dialect, TypeDecorator
from sqlmodel import SQLModel

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class TableRow(SQLModel):
    """The base of all tables. Rows are read and written as columns: what would check them is built when first used, so never."""

    model_config = SQLModel.model_config | {"defer_build": True}


def to_microseconds(at: datetime) -> int:
    """Microseconds since 1970 of an aware instant, exact.

    >>> to_microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (at - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    return _EPOCH + value * _MICROSECOND


class Instant(TypeDecorator[datetime]):
    """An aware UTC instant kept as integer microseconds: exact, sortable, the same in every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        del dialect
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        del dialect
        return None if value is None else from_microseconds(value)
