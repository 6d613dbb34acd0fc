"""Memories out into the files of [S3] and back: without loss from our own files, at the trust of an import from anybody's.

Beside them the rules that the person made, and Markdown for people. A file is only text: whoever wrote it may have written any trust into it. So what is read has trust 1 at most, and a new memory is
proposed unless it is sure, unless the person says that the file is their own export. Source: S3 "Storage Structure", QUALITY E9, S12.
"""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from app.capture.exclusion import EXCLUSION_RULES, take_exclusion
from app.capture.streams import Streams
from app.deciders.memory.contradictions.compare import text_key
from app.deciders.memory.decay import decay
from app.errors import InvalidError
from app.interop.seed3_files import EXTRA, Derived, Row, SeedLink, SeedMemory, memory_row, seed_memory
from app.language.likeness import plain_words
from app.language.stems import stem
from app.memories.draft_guess import would_steer_in
from app.memories.new_memory import NewMemory, insert_memory
from app.memories.placements import load_placements, placement_row, take_placement
from app.memories.rules import KIND_OF_VERDICT, take_rule
from app.memories.saved_searches import SEARCH_RULE, take_search
from app.store.journal import Record, Write
from app.store.rows.link import link_record
from app.store.rows.memory import walk_memories
from app.store.rows.project import project_paths
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import AppRow, RuleRow
from app.store.tables.memory import ArtifactRow, ContradictionRow, LinkRow, MemoryRow, MemorySourceRow, MemoryVersionRow
from app.store.tables.types import TableRow
from app.transfer.row_validation import check_row, clean_texts, own_number, plain_columns
from app.understanding.message_rows import AnyRow
from app.values import FactType, MemoryDetail, MemoryKind, MemoryStatus, Trust

RULES = "rules"
_TAKERS: Mapping[str, Callable[[Write, Record], bool]] = {
    SEARCH_RULE: take_search,
    **dict.fromkeys(EXCLUSION_RULES.values(), take_exclusion),
    **dict.fromkeys(KIND_OF_VERDICT.values(), take_rule),
}


def rule_entries(connection: Connection) -> list[Row]:
    """What a file of all memories begins with: one entry with every rule, oldest first; none when there is no rule."""
    rows = rows_with(connection, RuleRow, kind=tuple(_TAKERS))
    return [{"id": RULES, "type": RULES, EXTRA: {RULES: [plain_columns(row) for row in rows]}}] if rows else []


def take_rule_row(write: Write, image: Record, clean: Callable[[str], str]) -> bool | None:
    """Whether the rule was added; not when it is here already. None for one that could not have been made here."""
    record = check_row(RuleRow, image)
    if record is None or record["kind"] not in _TAKERS or clean_texts(image, clean) != image:
        return None
    number = own_number(write.connection, RuleRow, record.pop("id"))
    try:
        return _TAKERS[record["kind"]](write, record | number)
    except InvalidError:
        return None


SIZE = 64


def hashed_vector(text: str) -> tuple[float, ...]:
    """`SIZE` numbers, of length 1 together, rounded to four decimals; none for a text without words.

    >>> one, other, far = (hashed_vector(said) for said in ("We use PostgreSQL", "we use postgresql!", "Blue buttons"))
    >>> one == other, abs(sum(a * b for a, b in zip(one, far))) < 0.5, hashed_vector("")
    (True, True, ())
    """
    counts = Counter(stem(word.lower()) for word in plain_words(text))
    values = [0.0] * SIZE
    for word, count in counts.items():
        digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        values[digest % SIZE] += math.sqrt(count) * (1 if digest >> 63 else -1)
    length = math.sqrt(sum(value * value for value in values))
    return tuple(round(value / length, 4) for value in values) if length else ()


_PARTS: Mapping[str, type[TableRow]] = {
    "sources": MemorySourceRow,
    "versions": MemoryVersionRow,
    "artifacts": ArtifactRow,
}
_READ_BY_ASSISTANTS = ("title", "full", "summary", "compressed", "index_text", "value", "tags", "details")
_BATCH = 500
_SEED_CONFIDENCE = 0.6  # of a statement whose file says nothing of how sure it is


@dataclass(slots=True)
class Names:
    """What the ids of [S3]'s files stand for here, and the links that wait for their other end."""

    memories: dict[str, int] = field(default_factory=dict)
    conversations: dict[str, int] = field(default_factory=dict)
    waiting: list[tuple[int, SeedLink]] = field(default_factory=list)


@dataclass(slots=True)
class Taken:
    """What became of a file's memories."""

    added: list[int] = field(default_factory=list)
    rule_count: int = 0
    known_count: int = 0
    skipped_count: int = 0


def export_rows(
    connection: Connection,
    now: datetime,
    half_life_days: float,
    *,
    is_episodes: bool = False,
    ids: Sequence[int] | None = None,
) -> Iterator[Row]:
    """Every memory with all that hangs on it, oldest first; episodes or all the others, or those with these numbers."""
    names = _names(connection)
    for rows in walk_memories(connection, is_episode=is_episodes, only=ids, at_once=_BATCH):
        here = [row.id for row in rows]
        parts = {name: _grouped(connection, kind, "memory_id", here) for name, kind in _PARTS.items()}
        links = _grouped(connection, LinkRow, "from_id", here, from_kind="memory")
        incoming = _grouped(connection, LinkRow, "to_id", here, to_kind="memory")
        words = _text_keys(
            connection, [one for found in (links, incoming) for listed in found.values() for one in listed]
        )
        disputes = _grouped(connection, ContradictionRow, "memory_b_id", here)
        placed = load_placements(connection, here)
        for row in rows:
            columns = plain_columns(row)
            extra: Row = {"memory": columns, **names(row), **{name: found[row.id] for name, found in parts.items()}}
            joined = [one | words(one) for one in (*links[row.id], *incoming[row.id])]  # of two files the second joins
            extra |= {"links": joined, "contradictions": disputes[row.id]}
            extra |= {"placement": placement_row(placed.get(row.id))}
            linked = [one["to_id"] for one in links[row.id] if one["to_kind"] == "memory"]
            linked += [one["from_id"] for one in incoming[row.id] if one["from_kind"] == "memory"]
            derived = Derived(
                source=_source_of(row, extra["sources"]),
                decay=decay(row.last_accessed_at or row.recorded_at, row.retrieved_count, now, half_life_days),
                embedding=hashed_vector(row.full),
                linked_ids=sorted(set(linked)),
            )
            yield memory_row(columns, links[row.id], extra, derived)


def _source_of(row: AnyRow, sources: Sequence[Record]) -> Row:
    """[S3]'s `MemorySource`: the first time it was said, or that it was not said at all."""
    source = next((one for one in sources if one["conversation_id"] or one["message_id"]), None)
    if source is None:
        return {"type": "import" if row.trust == int(Trust.IMPORTED) else "manual"}
    numbers = (("conversationId", "conv", source["conversation_id"]), ("messageId", "msg", source["message_id"]))
    return {"type": "conversation"} | {name: f"{kind}-{number}" for name, kind, number in numbers if number}


def import_rows(
    write: Write,
    rows: Iterable[Row | None],
    streams: Streams,
    clean: Callable[[str], str],
    *,
    keeps_trust: bool,
    promote_at: float,
    names: "Names | None" = None,
) -> Taken:
    """Adds the memories of a file; one that is known (same words, same instant) is left as it is.

    `names`: what the ids of files that belong together stand for, so that a link reaches over into another file.
    """
    taken = Taken()
    names = names or Names()
    numbers: dict[int, int] = {}
    joined: list[tuple[type[LinkRow | ContradictionRow], list[Record]]] = []
    for row in rows:
        extra = row.get(EXTRA) if row is not None else None
        if row is None:
            taken.skipped_count += 1
        elif isinstance(extra, dict) and isinstance(extra.get("memory"), dict):
            _take_own(
                write,
                clean_texts(extra, clean),
                streams,
                taken,
                numbers,
                keeps_trust=keeps_trust,
                promote_at=promote_at,
            )
            joined += [(LinkRow, _listed(extra, "links")), (ContradictionRow, _listed(extra, "contradictions"))]
        elif isinstance(extra, dict) and RULES in extra:
            _take_rules(write, _listed(extra, RULES), clean, taken, keeps_trust=keeps_trust)
        else:
            _take_seed(write, row, clean, taken, promote_at, names)
    for kind, records in joined:
        _join(write, kind, records, numbers, clean)
    _join_seed(write, names)
    return taken


def _take_own(
    write: Write,
    extra: Row,
    streams: Streams,
    taken: Taken,
    numbers: dict[int, int],
    *,
    keeps_trust: bool,
    promote_at: float,
) -> None:
    columns = check_row(MemoryRow, extra["memory"])
    old_id = columns.pop("id", None) if columns is not None else None
    if columns is None or not isinstance(old_id, int) or not str(columns["full"]).strip():
        taken.skipped_count += 1
        return
    if _find_known(write.connection, columns["full"], columns["recorded_at"]) is not None:
        taken.known_count += 1
        return
    if not keeps_trust:
        columns |= _as_import(columns, promote_at)
    columns |= {"project_id": _project(write, extra, streams), "app_id": _app(write, extra, streams), "user_id": ""}
    columns |= {
        "supersedes_id": numbers.get(columns["supersedes_id"] or 0),
        "text_key": text_key(columns["full"]),
        "revision": 0,
    }
    new_id = write.insert(MemoryRow, columns | own_number(write.connection, MemoryRow, old_id))
    numbers[old_id] = new_id
    taken.added.append(new_id)
    _take_parts(write, extra, new_id)
    if keeps_trust:  # how it is told is the person's choice, not that of whoever wrote a file
        take_placement(write, new_id, extra.get("placement"))


def _take_parts(write: Write, extra: Row, memory_id: int) -> None:
    """What hangs on a memory that was just added: quotes, versions, artifacts."""
    for name, kind in _PARTS.items():
        for image in _listed(extra, name):
            part = check_row(kind, image)
            if part is not None:
                own = own_number(write.connection, kind, part.pop("id", 0))
                write.insert(kind, part | {"memory_id": memory_id} | own)


def _take_rules(
    write: Write, images: Sequence[Record], clean: Callable[[str], str], taken: Taken, *, keeps_trust: bool
) -> None:
    """What is captured, learned and looked for is the person's to say, not that of whoever wrote a file."""
    for image in images:
        is_taken = take_rule_row(write, image, clean) if keeps_trust else None
        taken.rule_count += is_taken is True
        taken.known_count += is_taken is False
        taken.skipped_count += is_taken is None


def _take_seed(
    write: Write, row: Row, clean: Callable[[str], str], taken: Taken, promote_at: float, names: Names
) -> None:
    seed = seed_memory(clean_texts(row, clean))
    if seed is None:
        taken.skipped_count += 1
        return
    known = _find_known(write.connection, seed.text, seed.recorded_at)
    if known is not None:
        taken.known_count += 1
        names.memories[seed.key] = known
        return
    sure = MemoryStatus.ACTIVE if promote_at <= _SEED_CONFIDENCE else MemoryStatus.PROPOSED
    is_hostile = would_steer_in([seed.text, seed.title, seed.tags, seed.details])
    conversation_id = names.conversations.get(seed.conversation_key)
    place = {"conversation_id": conversation_id} if conversation_id and seed.kind is MemoryKind.EPISODE else {}
    new = NewMemory(
        text=seed.text,
        kind=seed.kind,
        type=seed.type or FactType.FACT,
        title=seed.title,
        category=seed.category,
        tags=seed.tags,
        importance=seed.importance,
        details={**seed.details, **place},
        confidence=_SEED_CONFIDENCE,
        trust=Trust.IMPORTED,
        status=MemoryStatus.QUARANTINED if is_hostile else sure,
        valid_from=seed.valid_from,
        valid_to=seed.valid_to,
        recorded_at=min(seed.recorded_at or write.at, write.at),
        reason="read from a file",
    )
    memory_id = insert_memory(write, new)
    _count_seed_use(write, memory_id, seed)
    taken.added.append(memory_id)
    if seed.key:
        names.memories[seed.key] = memory_id
    names.waiting += [(memory_id, link) for link in seed.links]


def _count_seed_use(write: Write, memory_id: int, seed: SeedMemory) -> None:
    """How often and when it was retrieved, where the file came from."""
    if seed.retrieved_count or seed.last_accessed_at:
        last = min(seed.last_accessed_at, write.at) if seed.last_accessed_at else None
        write.unjournalled(MemoryRow, memory_id, {"retrieved_count": seed.retrieved_count, "last_accessed_at": last})


def _join_seed(write: Write, names: Names) -> None:
    """Links of which both ends are here now; the others go on waiting for a file that belongs to this one."""
    left = []
    for from_id, link in names.waiting:
        to_id = names.memories.get(link.to_key)
        if to_id is None:
            left.append((from_id, link))
            continue
        record = link_record(from_id, to_id, link.type, link.strength, min(link.created_at or write.at, write.at))
        if to_id != from_id and not _is_joined(write.connection, LinkRow, record, ("from_id", "to_id")):
            write.insert(LinkRow, record)
    names.waiting[:] = left


def _join(
    write: Write,
    kind: type[LinkRow | ContradictionRow],
    records: Sequence[Record],
    numbers: Mapping[int, int],
    clean: Callable[[str], str],
) -> None:
    """Links and contradictions between memories that were added now."""
    ends = ("from_id", "to_id") if kind is LinkRow else ("memory_a_id", "memory_b_id")
    for image in records:
        record = check_row(kind, clean_texts(image, clean))
        if record is None:
            continue
        if kind is LinkRow and not record["from_kind"] == record["to_kind"] == "memory":
            continue
        found = [
            numbers.get(record[end]) or _same_memory(write.connection, record[end], image.get(f"{end}_words"))
            for end in ends
        ]
        if None in found:
            continue
        record |= dict(zip(ends, found, strict=True))
        own_id = record.pop("id", 0)
        if _is_joined(write.connection, kind, record, ends):
            continue
        write.insert(kind, record | own_number(write.connection, kind, own_id))


def _as_import(columns: Record, promote_at: float) -> Record:
    """What a stranger's file may say of itself."""
    is_sure = columns["confidence"] >= promote_at
    waiting = MemoryStatus.ACTIVE if is_sure else MemoryStatus.PROPOSED
    status = waiting.value if columns["status"] == MemoryStatus.ACTIVE else columns["status"]
    if status != MemoryStatus.ARCHIVED and would_steer_in([columns[name] for name in _READ_BY_ASSISTANTS]):
        status = MemoryStatus.QUARANTINED.value
    return {
        "trust": min(int(columns["trust"]), int(Trust.IMPORTED)),
        "status": status,
        "is_pinned": False,
        "worded_by": "rules",
    }


def _find_known(connection: Connection, text: str, recorded_at: datetime | None) -> int | None:
    """The memory of the same words that was recorded at that instant; at any, for a row that tells none."""
    at = {} if recorded_at is None else {"recorded_at": recorded_at}
    return next(iter(ids_with(connection, MemoryRow, text_key=text_key(text), **at)), None)


def _same_memory(connection: Connection, number: int, words: object) -> int | None:
    """The memory that had this number and these words where the file was written: it came with another file."""
    if not isinstance(words, str):
        return None
    return next(iter(ids_with(connection, MemoryRow, id=number, text_key=words)), None)


def _is_joined(
    connection: Connection, kind: type[LinkRow | ContradictionRow], record: Record, ends: tuple[str, str]
) -> bool:
    same = ends if kind is ContradictionRow else (*ends, "type", "from_kind", "to_kind")
    return bool(ids_with(connection, kind, **{name: record[name] for name in same}))


def _text_keys(connection: Connection, links: Iterable[Record]) -> Callable[[Record], Record]:
    """What tells the two memories of a link in another file."""
    ids = {link[end] for link in links for end in ("from_id", "to_id")}
    found = {row.id: row.text_key for row in rows_with(connection, MemoryRow, "id", "text_key", id=ids)}
    return lambda link: {f"{end}_words": found.get(link[end]) for end in ("from_id", "to_id")}


def _project(write: Write, extra: Row, streams: Streams) -> int | None:
    path = extra.get("project")
    return streams.ensure_project(write, path) if isinstance(path, str) else None


def _app(write: Write, extra: Row, streams: Streams) -> int | None:
    name = extra.get("app")
    is_name = isinstance(name, str) and 0 < len(name) <= 64 and name.replace("-", "").replace("_", "").isalnum()
    return streams.ensure_app(write, str(name)) if is_name else None


def _names(connection: Connection) -> Callable[[AnyRow], Row]:
    projects = project_paths(connection)
    apps = {row.id: row.name for row in rows_with(connection, AppRow, "id", "name")}
    return lambda row: {"project": projects.get(row.project_id), "app": apps.get(row.app_id)}


def _grouped(
    connection: Connection, kind: type[TableRow], column: str, ids: list[int], **more: str
) -> dict[int, list[Record]]:
    found: dict[int, list[Record]] = defaultdict(list)
    for row in rows_with(connection, kind, **{column: ids}, **more):
        found[row._mapping[column]].append(plain_columns(row))
    return found


def _listed(extra: Row, name: str) -> list[Record]:
    found = extra.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


_QUOTES = 5


def memories_markdown(details: Sequence[MemoryDetail]) -> str:
    """One list item a memory, its source below it.

    >>> memories_markdown([])
    ''
    """
    return "".join(f"{line}\n" for detail in details for line in _lines(detail))


def _lines(detail: MemoryDetail) -> Iterator[str]:
    memory = detail.memory
    first, *rest = memory.levels.full.text.splitlines() or [""]
    yield f"- {first}"
    yield from (f"  {line}" for line in rest)
    kind = (memory.type or memory.kind).value
    ends = f"true until {memory.valid_to:%Y-%m-%d}" if memory.valid_to is not None else ""
    words = [kind, memory.project, ends, " ".join(f"#{tag}" for tag in memory.tags)]
    yield f"  ({' · '.join(filter(None, words))})"
    for source in detail.sources[:_QUOTES]:
        yield f"  > {' '.join(source.quote.split())}"
        yield f"  > {' · '.join(filter(None, (source.app, f'{source.at:%Y-%m-%d}')))}"
