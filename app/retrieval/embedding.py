"""Search by meaning: vectors of memories by a model that the person named, kept up in the background, and a query's similarity to them.

A model that replaces another is computed beside it; the old one answers until the new one is complete. What is computed is in the
store batch by batch, so that a kill loses one batch. Nothing on the way of a prompt asks here, and without an answer recall goes by words
alone. Owns the thread, the packing and the likeness; knows no ranking. Source: S4 "Embedding", issue 18 "Re-embedding".
"""

import array
import json
import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from sqlalchemy import Connection

from app.capture.exclusion import Exclusions
from app.capture.priority import PriorityGate
from app.errors import InvalidError, RemanenceError
from app.judge.adapter import JudgeError
from app.judge.endpoint import Door
from app.settings import Settings
from app.store import embeddings as rows
from app.store.embeddings import EmbeddingModel, ModelState, Vectors
from app.store.search.memories import count_memories
from app.store.store import Store
from app.upkeep.energy import Energy
from app.values import Changes, DataKind
from app.values.energy import Work
from app.values.recall import EmbeddingModelState, EmbeddingState

_log = logging.getLogger(__name__)
_AT_ONCE = 16  # memories a request: some 5 s of a small model on one core
_TEXT_MOST = 2_000  # characters of a text: models cut at 256 to 512 tokens
_ANSWER_MOST = 16_000_000  # bytes: 32 vectors of 4,096 numbers, as text
_BUILD_TIMEOUT_S = 120.0
_QUERY_TIMEOUT_S = 0.5
_SILENT_S = 30.0  # a model that gave no answer to a query is not asked so soon again
_ROUND_S = 1.0  # changes gather so long
_PAUSES_S = (2.0, 10.0, 60.0)  # after failures in a row
_DROPPED_AT_ONCE = 2_000
_ANNOUNCED_EVERY_S = 0.5


class VectorError(Exception):
    """The model gave no vectors. The text is for people."""


class Embedding:
    """Thread-safe. `start` and `stop` belong to the engine; the thread runs from the first time that a model is named."""

    def __init__(
        self, store: Store, settings: Callable[[], Settings], excluded: Exclusions, gate: PriorityGate, energy: Energy
    ) -> None:
        self._store, self._settings, self._excluded, self._gate, self._energy = store, settings, excluded, gate, energy
        self._condition = threading.Condition()
        self._cancelled = threading.Event()
        self._is_stopping = self._has_changes = self._is_hurried = False
        self.is_busy = False
        self._problem = ""
        self._silent_until_s = self._announced_at_s = -math.inf
        self._thread: threading.Thread | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._vector_of_query = lru_cache(maxsize=256)(self._embed_query)

    # the thread ---------------------------------------------------------------------------------

    def start(self) -> None:
        self._unsubscribe = self._store.subscribe(self._on_changes)
        self._wake()

    def stop(self) -> None:
        self._unsubscribe()
        with self._condition:
            self._is_stopping = True
            self._cancelled.set()
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _on_changes(self, changes: Changes) -> None:
        if DataKind.SETTINGS in changes.kinds:
            self._wake(is_hurried=True)
        elif DataKind.MEMORIES in changes.kinds:
            self._wake()

    def _wake(self, *, is_hurried: bool = False) -> None:
        with self._condition:
            self._has_changes = True
            if is_hurried:  # another model may be named by now
                self._is_hurried = True
                self._cancelled.set()
            if self._thread is None and self._settings().embedding_model and not self._is_stopping:
                self._thread = threading.Thread(target=self._run, name="remanence-embedding", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def _run(self) -> None:
        failed = 0
        while True:
            with self._condition:
                self._wait(_PAUSES_S[min(failed, len(_PAUSES_S)) - 1] if failed else None)
                if self._is_stopping:
                    return
                self._has_changes = self._is_hurried = False
                self._cancelled.clear()
                self.is_busy = True
            try:
                self._round()
                self._problem = ""
            except (VectorError, RemanenceError) as error:
                self._problem = "" if self._cancelled.is_set() else str(error)
            except Exception:  # noqa: BLE001 (this thread must outlive everything; what was worked out is kept)
                self._problem = "Working out vectors failed; the log says why."
                _log.exception("vectors")
            self.is_busy = False
            failed = failed + 1 if self._problem else 0
            if self._problem:
                _log.warning("vectors wait: %s", self._problem)
            self._announce(is_now=True)

    def _wait(self, pause_s: float | None) -> None:
        """Until there is something to do and a pause after failures is over, or somebody asks for it."""
        self._condition.wait_for(
            lambda: self._is_stopping or self._is_hurried or (self._has_changes and pause_s is None), pause_s
        )
        self._condition.wait_for(lambda: self._is_stopping or self._is_hurried, _ROUND_S)

    def _round(self) -> None:
        """Works out what is missing for the model that is named; then it answers, and what was there before it goes."""
        model = self._wanted()
        if model is None or model.state == ModelState.STOPPED:
            return
        before, is_whole = sys.maxsize, False
        while not is_whole and not self._is_over():
            with self._store.read() as connection:
                some = rows.load_unembedded(connection, model.id, before, _AT_ONCE)
            if not some:  # once more from the newest on: some may have come meanwhile
                is_whole, before = before == sys.maxsize, sys.maxsize
                continue
            self._gate.yield_to_foreground()
            with self._energy.spends(Work.INDEX):
                made = self._embed_some(model, some)
            with self._store.database.transaction(is_durable=False) as connection:
                rows.put_vectors(connection, model.id, made)
            before = some[-1].id
            self._problem = ""
            self._announce()
        if is_whole:
            self._finish(model)

    def _is_over(self) -> bool:
        """Whether this round goes no further: it was stopped, or another model is named by now."""
        return self._cancelled.is_set() or self._is_stopping

    def _wanted(self) -> EmbeddingModel | None:
        """The model that the settings name, written down if it is new; None when none is named."""
        settings = self._settings()
        if not settings.embedding_model:
            return None
        named = (settings.embedding_endpoint, settings.embedding_model)
        with self._store.read() as connection:
            found = [one for one in rows.load_models(connection) if (one.address, one.model) == named]
        if found:
            return found[0]
        self._add(named, 1)
        return self._wanted()

    def _add(self, named: tuple[str, str], version: int) -> None:
        with self._store.database.transaction() as connection:
            rows.add_model(connection, address=named[0], model=named[1], version=version, at=self._store.clock.now())

    def _finish(self, model: EmbeddingModel) -> None:
        if model.state != ModelState.SERVING:
            with self._store.database.transaction() as connection:
                rows.serve_model(connection, model.id, self._store.clock.now())
            self._vector_of_query.cache_clear()
        with self._store.read() as connection:
            others = [one.id for one in rows.load_models(connection) if one.id != model.id]
        for other in others:
            while not self._is_stopping:
                self._gate.yield_to_foreground()
                with self._store.database.transaction(is_durable=False) as connection:
                    if rows.drop_model(connection, other, _DROPPED_AT_ONCE):
                        break

    def _embed_some(self, model: EmbeddingModel, some: Sequence[rows.Unembedded]) -> list[Vectors]:
        texts: list[str] = []
        places: list[
            tuple[int | None, int | None]
        ] = []  # of each memory: where its whole and its summary stand in `texts`
        for one in some:
            if not one.full.strip() or self._excluded.excludes([one.project or ""], [one.full]):
                places.append((None, None))
                continue
            texts.append(one.full)
            has_summary = bool(one.summary.strip()) and one.summary != one.full
            if has_summary:
                texts.append(one.summary)
            places.append((len(texts) - 1 - has_summary, len(texts) - 1 if has_summary else None))
        vectors = self._embed(model, texts, _BUILD_TIMEOUT_S) if texts else []
        self._check_length(model, vectors)
        return [
            Vectors(
                one.id, one.revision, b"" if full is None else vectors[full], b"" if short is None else vectors[short]
            )
            for one, (full, short) in zip(some, places, strict=True)
        ]

    def _check_length(self, model: EmbeddingModel, vectors: Sequence[bytes]) -> None:
        with self._store.read() as connection:
            known = next((one.dimension_count for one in rows.load_models(connection) if one.id == model.id), 0)
        lengths = {len(one) for one in vectors} - ({known} if known else set())
        if not lengths:
            return
        if known or len(lengths) > 1:
            raise VectorError("The model answers vectors of another length than before: remanence reembed.")
        with self._store.database.transaction(is_durable=False) as connection:
            rows.set_model(connection, model.id, dimension_count=lengths.pop())

    def _announce(self, *, is_now: bool = False) -> None:
        now_s = time.monotonic()
        if is_now or now_s - self._announced_at_s >= _ANNOUNCED_EVERY_S:
            self._announced_at_s = now_s
            self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.INDEX})))

    # asked for ----------------------------------------------------------------------------------

    def state(self) -> EmbeddingState:
        with self._store.read() as connection:
            models = rows.load_models(connection)
            counts = {one.id: rows.count_embedded(connection, one.id) for one in models}
            total = count_memories(connection)
        settings = self._settings()
        named = (settings.embedding_endpoint, settings.embedding_model)
        serving = next((one for one in models if one.state == ModelState.SERVING), None)
        others = [one for one in models if one is not serving and (one.address, one.model) == named]
        building = others[0] if others and (serving is None or others[0].id > serving.id) else None
        return EmbeddingState(
            is_on=bool(settings.embedding_model),
            serving=None if serving is None else _state_of(serving, counts[serving.id]),
            building=None if building is None else _state_of(building, counts[building.id]),
            is_stopped=building is not None and building.state == ModelState.STOPPED,
            memory_count=total,
            problem=self._problem,
        )

    def begin_again(self) -> None:
        """Works all out anew with the model that is named, beside what answers; one that was stopped goes on. Raises InvalidError."""
        model = self._wanted()
        if model is None:
            raise InvalidError(
                "No model is named.", hint="Name one, and its address, in Settings under Search by meaning."
            )
        if model.state == ModelState.SERVING:
            self._add((model.address, model.model), model.version + 1)
        elif model.state == ModelState.STOPPED:
            with self._store.database.transaction() as connection:
                rows.set_model(connection, model.id, state=ModelState.BUILDING.value)
        self._wake(is_hurried=True)

    def stop_building(self) -> None:
        """Ends what is being worked out, within a second; what is there is kept, and what answered goes on answering."""
        with self._store.database.transaction() as connection:
            for one in rows.load_models(connection):
                if one.state == ModelState.BUILDING:
                    rows.set_model(connection, one.id, state=ModelState.STOPPED.value)
        self._cancelled.set()

    # likeness -----------------------------------------------------------------------------------

    def likeness(self, connection: Connection, text: str, memory_ids: Sequence[int]) -> dict[int, float]:
        """How like in meaning these memories are to the text, 0..1; none when no model answers. Its better level counts."""
        if not self._settings().embedding_model or not memory_ids or not text.strip():
            return {}
        serving = next((one for one in rows.load_models(connection) if one.state == ModelState.SERVING), None)
        if serving is None or time.monotonic() < self._silent_until_s:
            return {}
        try:
            asked = self._vector_of_query(serving, text.strip()[:_TEXT_MOST])
        except VectorError as error:
            self._silent_until_s = time.monotonic() + _SILENT_S
            _log.warning("a search goes by words alone: %s", error)
            return {}
        found = rows.load_vectors(connection, serving.id, memory_ids)
        return _compare(asked, [one for one in found if len(one[1]) == len(asked)])

    def _embed_query(self, model: EmbeddingModel, text: str) -> bytes:
        return self._embed(model, [text], _QUERY_TIMEOUT_S)[0]

    def _embed(self, model: EmbeddingModel, texts: Sequence[str], timeout_s: float) -> list[bytes]:
        """A vector of each text. Raises VectorError."""
        settings = self._settings()
        key = os.environ.get(settings.embedding_key_variable, "") if settings.embedding_key_variable else ""
        door = Door(model.address, key, is_remote_allowed=settings.is_embedding_endpoint_remote)
        body = {"model": model.model, "input": [one[:_TEXT_MOST] for one in texts], "encoding_format": "float"}
        cancelled = self._cancelled if timeout_s == _BUILD_TIMEOUT_S else threading.Event()
        try:
            raw = door.post("embeddings", body, timeout_s=timeout_s, cancelled=cancelled, most_bytes=_ANSWER_MOST)
        except JudgeError as error:
            raise VectorError(str(error)) from error
        return read_vectors(raw, len(texts))


def read_vectors(raw: bytes, count: int) -> list[bytes]:
    """The vectors of an answer in the order of what was asked, packed. Raises VectorError.

    >>> [list(array.array("b", one)) for one in read_vectors(b'{"data": [{"index": 0, "embedding": [0.5, -0.25]}]}', 1)]
    [[127, -64]]
    """
    try:
        listed = sorted(json.loads(raw)["data"], key=lambda one: int(one["index"]))
        made = [pack_vector([float(number) for number in one["embedding"]]) for one in listed]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise VectorError("The model's address gave no vectors.") from error
    if len(made) != count or not all(made) or len({len(one) for one in made}) != 1:
        raise VectorError("The model's address gave other vectors than asked for.")
    return made


def pack_vector(numbers: Sequence[float]) -> bytes:
    """A vector as signed bytes, its largest number 127: its direction is what counts. Empty for one without direction.

    A quarter of what floats take, and what is nearest stays nearest (STACK 1.4: recall of the first fifty .99).
    """
    largest = max(map(abs, numbers), default=0.0)
    if not largest or not math.isfinite(largest):
        return b""
    return array.array("b", [round(number / largest * 127) for number in numbers]).tobytes()


def _compare(asked: bytes, found: Sequence[tuple[int, bytes, bytes]]) -> dict[int, float]:
    import numpy as np

    if not found:
        return {}
    query = np.frombuffer(asked, np.int8).astype(np.float32)
    query /= np.linalg.norm(query)

    def cosines(packed: Sequence[bytes]) -> list[float]:
        matrix = np.frombuffer(b"".join(packed), np.int8).reshape(len(packed), -1).astype(np.float32)
        return [float(value) for value in matrix @ query / np.linalg.norm(matrix, axis=1)]

    whole = cosines([full for _, full, _ in found])
    short = cosines([summary if len(summary) == len(asked) else full for _, full, summary in found])
    return {
        memory_id: min(1.0, max(0.0, one, other))
        for (memory_id, _, _), one, other in zip(found, whole, short, strict=True)
    }


def _state_of(model: EmbeddingModel, count: int) -> EmbeddingModelState:
    return EmbeddingModelState(
        model.model, model.address, model.version, model.dimension_count, model.started_at, model.finished_at, count
    )
