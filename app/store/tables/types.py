"""What all tables share: their base and column types, portable between SQLite and PostgreSQL. Knows no table."""

import threading
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import DDL, JSON, BigInteger, Column, Dialect, LargeBinary, Text, TypeDecorator, event
from sqlmodel import Field, SQLModel

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime(2, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime(9998, 12, 31, tzinfo=UTC) - _EPOCH) // _MICROSECOND


class TableRow(SQLModel):
    """The base of all tables. Rows are read and written as columns: what would check them is built when first used, so never."""

    model_config = SQLModel.model_config | {"defer_build": True}


def after_create(row: type[TableRow], *statements: str) -> None:
    """Lets SQLite run these, triggers and the like, once the table is made."""
    for statement in statements:
        made = DDL(statement).execute_if(dialect="sqlite")  # type: ignore[no-untyped-call]
        event.listen(row.__table__, "after_create", made)  # type: ignore[attr-defined]


def to_microseconds(at: datetime) -> int:
    """Microseconds since 1970 of an aware instant, exact.

    >>> to_microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (at - _EPOCH) // _MICROSECOND


def from_microseconds(value: int) -> datetime:
    """The instant; of a number that no calendar has, the nearest with room for sums around it: one wrong row stops nobody.

    >>> from_microseconds(-(10**17)).year
    2
    """
    return _EPOCH + min(max(value, _FIRST), _LAST) * _MICROSECOND


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


def instant_column(*, nullable: bool = False, index: bool = False) -> Any:
    return Field(sa_column=Column(Instant, nullable=nullable, index=index), default=None)


def json_column(default: Any = list) -> Any:
    return Field(sa_column=Column(JSON, nullable=False), default_factory=default)


def text_column(default: str = "") -> Any:
    return Field(sa_column=Column(Text, nullable=False), default=default)


_LEVEL, _LARGEST_BYTES = 9, 64 * 1024 * 1024


class PackedText(TypeDecorator[str]):
    """A text kept compressed (zstandard), whole in memory: queries read it, none looks into it."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        del dialect
        return None if value is None else pack_text(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> str | None:
        del dialect
        return None if value is None else unpack_text(bytes(value))


def pack_text(text: str) -> bytes:
    """
    >>> unpack_text(pack_text("Exports are CSV."))
    'Exports are CSV.'
    """
    packed: bytes = _zstd().packer.compress(text.encode("utf-8", "surrogatepass"))
    return packed


def unpack_text(packed: bytes) -> str:
    text: bytes = _zstd().unpacker.decompress(packed, max_output_size=_LARGEST_BYTES)
    return text.decode("utf-8", "surrogatepass")


class _Zstd(threading.local):
    """Neither may be used by two threads at once, and making one takes longer than a text."""

    def __init__(self) -> None:
        import zstandard  # read late: only who archives prompts needs it

        self.packer: Any = zstandard.ZstdCompressor(level=_LEVEL)
        self.unpacker: Any = zstandard.ZstdDecompressor()


@cache
def _zstd() -> _Zstd:
    return _Zstd()
