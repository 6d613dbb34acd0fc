"""Vectors of memories: which model made them, which memories have none yet, and the vectors themselves.

Derived: neither journalled nor exported; a memory's go with it, and with its text, whoever takes or changes that. Two models may stand
side by side: the one that answers, and the one that is being worked out. What a vector means is for `app.retrieval.embedding` to know.
Source: S4 "Embedding", DESIGN section 4.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Column, Connection, LargeBinary, delete, func, insert, select, text, update
from sqlmodel import Field

from app.store.tables.types import Instant, TableRow


class ModelState(StrEnum):
    BUILDING = "building"
    STOPPED = "stopped"
    SERVING = "serving"


class EmbeddingModelRow(TableRow, table=True):
    """One model at one address. `version` grows each time that all is computed again with the same name."""

    __tablename__ = "embedding_model"
    id: int | None = Field(default=None, primary_key=True)
    address: str
    model: str
    version: int
    dimension_count: int = 0  # 0 until the first answer
    state: str
    started_at: datetime = Field(sa_column=Column(Instant, nullable=False), default=None)
    finished_at: datetime | None = Field(sa_column=Column(Instant, nullable=True), default=None)


class EmbeddingRow(TableRow, table=True):
    """Signed bytes of one length; none for a memory that is not to be sent. `summary` is none where it says what `full` says."""

    __tablename__ = "embedding"
    memory_id: int = Field(primary_key=True)
    model_id: int = Field(primary_key=True, index=True)
    full: bytes = Field(sa_column=Column(LargeBinary, nullable=False), default=b"")
    summary: bytes = Field(sa_column=Column(LargeBinary, nullable=False), default=b"")


EMBEDDING_GONE = (
    "CREATE TRIGGER embedding_gone AFTER DELETE ON memory BEGIN DELETE FROM embedding WHERE memory_id = OLD.id; END",
    (
        "CREATE TRIGGER embedding_stale AFTER UPDATE OF full, summary ON memory "
        "WHEN NEW.full IS NOT OLD.full OR NEW.summary IS NOT OLD.summary "
        "BEGIN DELETE FROM embedding WHERE memory_id = OLD.id; END"
    ),
)

_model = EmbeddingModelRow.__table__  # type: ignore[attr-defined]
_vector = EmbeddingRow.__table__  # type: ignore[attr-defined]
_MISSING = text(
    "SELECT m.id, m.revision, m.full, m.summary, p.path FROM memory m LEFT JOIN project p ON p.id = m.project_id "
    "WHERE m.id < :before AND NOT EXISTS (SELECT 1 FROM embedding e WHERE e.memory_id = m.id AND e.model_id = :model) "
    "ORDER BY m.id DESC LIMIT :most"
)
# only for a memory that is still what it was when it was read: nothing of an erased one comes back
_PUT = text(
    "INSERT OR REPLACE INTO embedding (memory_id, model_id, full, summary) SELECT :memory_id, :model_id, :full, :summary "
    "WHERE EXISTS (SELECT 1 FROM memory WHERE id = :memory_id AND revision = :revision)"
)


class EmbeddingModel(NamedTuple):
    id: int
    address: str
    model: str
    version: int
    dimension_count: int
    state: str
    started_at: datetime
    finished_at: datetime | None


class Unembedded(NamedTuple):
    """A memory without a vector."""

    id: int
    revision: int
    full: str
    summary: str
    project: str | None  # its folder


class Vectors(NamedTuple):
    memory_id: int
    revision: int
    full: bytes
    summary: bytes


def load_models(connection: Connection) -> list[EmbeddingModel]:
    """All that are there, the newest first."""
    found = connection.execute(
        select(*(_model.c[name] for name in EmbeddingModel._fields)).order_by(_model.c.id.desc())
    )
    return [EmbeddingModel(*row) for row in found]


def add_model(connection: Connection, *, address: str, model: str, version: int, at: datetime) -> None:
    values = {"address": address, "model": model, "version": version, "dimension_count": 0}
    connection.execute(insert(_model).values(**values, state=ModelState.BUILDING.value, started_at=at))


def set_model(connection: Connection, model_id: int, **values: object) -> None:
    connection.execute(update(_model).where(_model.c.id == model_id).values(**values))


def serve_model(connection: Connection, model_id: int, at: datetime) -> None:
    """From this transaction on it answers, and none of the others does."""
    connection.execute(update(_model).values(state=ModelState.STOPPED.value))
    set_model(connection, model_id, state=ModelState.SERVING.value, finished_at=at)


def drop_model(connection: Connection, model_id: int, most: int) -> bool:
    """Deletes that many of its vectors; then the model itself, and returns True."""
    some = select(_vector.c.memory_id).where(_vector.c.model_id == model_id).limit(most)
    found = delete(_vector).where(_vector.c.model_id == model_id, _vector.c.memory_id.in_(some))
    if connection.execute(found).rowcount:
        return False
    connection.execute(delete(_model).where(_model.c.id == model_id))
    return True


def count_embedded(connection: Connection, model_id: int) -> int:
    return int(connection.execute(select(func.count()).where(_vector.c.model_id == model_id)).scalar_one())


def load_unembedded(connection: Connection, model_id: int, before_id: int, most: int) -> list[Unembedded]:
    """Memories below this number that have no vector of the model, newest first."""
    return [
        Unembedded(*row) for row in connection.execute(_MISSING, {"model": model_id, "before": before_id, "most": most})
    ]


def put_vectors(connection: Connection, model_id: int, vectors: Iterable[Vectors]) -> None:
    """Writes these, but for memories that have changed since."""
    values = [{**one._asdict(), "model_id": model_id} for one in vectors]
    if values:
        connection.execute(_PUT, values)


def load_vectors(connection: Connection, model_id: int, memory_ids: Sequence[int]) -> list[tuple[int, bytes, bytes]]:
    """Number, vector of the whole, vector of the summary; those that have none are left out."""
    wanted = select(_vector.c.memory_id, _vector.c.full, _vector.c.summary).where(
        _vector.c.model_id == model_id, _vector.c.memory_id.in_(memory_ids), _vector.c.full != b""
    )
    return [(int(row[0]), bytes(row[1]), bytes(row[2])) for row in connection.execute(wanted)]
