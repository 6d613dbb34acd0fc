"""A store of a wanted number of things that hang together as real work does: topics of very different size, each with names, files,
conversations and memories; most links inside a topic, some across. Written row by row without capture, for sizes that capture takes hours for.
"""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Table, insert

from app.clock import SystemClock
from app.places import Places
from app.store.journal import table_of
from app.store.store import Store
from app.store.tables.core import AppRow, ConversationRow, EntityRow, MentionRow, MessageRow, ProjectRow, StreamRow
from app.store.tables.memory import ContradictionRow, LinkRow, MemorySourceRow
from app.values import Origin

START = datetime(2025, 3, 3, 8, tzinfo=UTC)
_AREAS = [
    "checkout",
    "invoice",
    "payment",
    "search",
    "login",
    "export",
    "calendar",
    "sync",
    "upload",
    "report",
    "editor",
    "canvas",
    "undo",
    "theme",
    "router",
    "cache",
    "queue",
    "worker",
    "mailer",
    "billing",
    "parser",
    "importer",
    "scheduler",
    "dashboard",
    "onboarding",
    "metrics",
    "tracing",
    "gallery",
    "player",
    "notifier",
    "session",
    "permissions",
    "webhook",
    "migration",
    "backup",
    "localisation",
    "printing",
    "sharing",
    "comments",
    "tags",
]
_PARTS = (
    "form",
    "service",
    "button",
    "table",
    "model",
    "page",
    "helper",
    "store",
    "client",
    "test",
    "panel",
    "job",
    "view",
    "guard",
)
_SAYS = (
    "The {a} {p} retries three times", "We decided that the {a} {p} keeps its state on the server", "Never call the {a} {p} from a loop",
    "The {a} {p} waits for the {q}", "Use one {p} for every {a}", "The {a} {p} is cached for an hour", "Dates in the {a} {p} are UTC",
)  # fmt: skip


def fill_graph(home: Path, node_count: int, *, seed: int = 1) -> Places:
    """A store with about `node_count` things of the graph, all of one project; closed again."""
    draw = random.Random(seed)
    places = Places.under(home)
    store = Store(places, SystemClock(), owner="serve")
    with store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
        _Made(write.connection, draw).fill(node_count)
    store.close()
    return places


class _Made:
    def __init__(self, connection: object, draw: random.Random) -> None:
        self._connection = connection
        self._draw = draw
        self._rows: dict[Table, list[dict[str, object]]] = {}

    def _add(self, row: type, values: dict[str, object]) -> int:
        rows = self._rows.setdefault(table_of(row), [])  # type: ignore[arg-type]
        number = len(rows) + 1
        rows.append({"id": number, **values})
        return number

    def fill(self, count: int) -> None:
        topics = max(4, min(len(_AREAS), round(count**0.4)))
        shares = [1 / (one + 1) ** 0.9 for one in range(topics)]
        project = self._add(ProjectRow, {"path": "/src/atlas", "name": "atlas"})
        app = self._add(AppRow, _defaults(AppRow) | {"name": "claude-code", "created_at": START})
        stream = self._add(
            StreamRow,
            _defaults(StreamRow)
            | {"app_id": app, "project_id": project, "session": "s", "started_at": START, "last_event_at": START},
        )
        things: list[list[tuple[str, int]]] = []
        for topic in range(topics):
            size = max(4, round(count * shares[topic] / sum(shares)))
            things.append(self._topic(topic, size, stream, project))
        self._across(things, count // 14)
        for table, rows in self._rows.items():
            for start in range(0, len(rows), 5_000):
                self._connection.execute(insert(table), rows[start : start + 5_000])  # type: ignore[attr-defined]

    def _topic(self, topic: int, size: int, stream: int, project: int) -> list[tuple[str, int]]:
        draw, area = self._draw, _AREAS[topic]
        names, files = max(2, size * 22 // 100), max(1, size * 13 // 100)
        talks = max(1, size * 9 // 100)
        memories = max(1, size - names - files - talks)
        entities = [
            self._add(EntityRow, {"canonical": f"{area} {_PARTS[one % 14]} {one // 14 or ''}".strip(), "kind": "component",
                                  "name": f"{area} {_PARTS[one % 14]} {one // 14 or ''}".strip()})
            for one in range(names)
        ]  # fmt: skip
        paths = [f"src/{area}/{_PARTS[one % 14]}{one // 14 or ''}.ts" for one in range(files)]
        found: list[tuple[str, int]] = [("entity", one) for one in entities]
        said: list[tuple[int, int, list[tuple[int, str]]]] = []
        for one in range(talks):
            at = START + timedelta(hours=draw.random() * 9_000)
            own = {"stream_id": stream, "state": "paused", "title": f"{area.capitalize()} {_PARTS[one % 14]}", "started_at": at,
                   "last_message_at": at, "files": draw.sample(paths, min(len(paths), draw.randint(1, 4))), "message_count": 1}  # fmt: skip
            talk = self._add(ConversationRow, _defaults(ConversationRow) | own)
            text, mentions = "", []
            for entity in draw.sample(entities, min(len(entities), draw.randint(1, 5))):
                name = str(self._rows[table_of(EntityRow)][entity - 1]["name"])
                mentions.append((entity, len(text), name))
                text += f"{name} "
            message = self._add(
                MessageRow,
                _defaults(MessageRow) | {"conversation_id": talk, "stream_id": stream, "at": at, "text": text},
            )
            for entity, start, name in mentions:
                self._add(
                    MentionRow,
                    _defaults(MentionRow)
                    | {
                        "message_id": message,
                        "entity_id": entity,
                        "text": name,
                        "kind": "component",
                        "start": start,
                        "end": start + len(name),
                        "confidence": 0.8,
                    },
                )
            said.append((talk, message, [(start, name) for _, start, name in mentions]))
            found.append(("conversation", talk))
        hubs = entities[: max(1, names // 12)]
        for one in range(memories):
            number = self._memory(area, one, project)
            talk, message, mentions = draw.choice(said)
            start, name = draw.choice(mentions)
            self._add(MemorySourceRow, _defaults(MemorySourceRow) | {"memory_id": number, "message_id": message, "conversation_id": talk,
                      "conversation_title": "", "app": "claude-code", "at": START, "quote": name, "start": start, "end": start + len(name)})  # fmt: skip
            if draw.random() < 0.35:
                self._link(("memory", number), ("entity", draw.choice(hubs)), "about", 0.6)
            found.append(("memory", number))
        return found

    def _memory(self, area: str, one: int, project: int) -> int:
        draw = self._draw
        text = draw.choice(_SAYS).format(a=area, p=draw.choice(_PARTS), q=draw.choice(_PARTS))
        at = START + timedelta(hours=draw.random() * 9_000)
        is_closed = draw.random() < 0.08
        own = {
            "kind": "fact", "type": draw.choice(("decision", "fact", "constraint", "preference")), "title": text, "full": text,
            "status": "active", "project_id": project, "valid_from": at, "recorded_at": at, "updated_at": at,
            "valid_to": at + timedelta(days=30) if is_closed else None, "text_key": f"{text}{area}{one}", "slot_key": "",
        }  # fmt: skip
        from app.store.tables.memory import MemoryRow

        return self._add(MemoryRow, _defaults(MemoryRow) | own)

    def _across(self, things: list[list[tuple[str, int]]], count: int) -> None:
        draw = self._draw
        everything = [one for topic in things for one in topic]
        memories = [one for one in everything if one[0] == "memory"]
        for _ in range(count):
            self._link(
                draw.choice(memories),
                draw.choice(everything),
                draw.choice(("related_to", "depends_on", "part_of")),
                draw.random(),
            )
        for _ in range(max(1, count // 200)):
            a, b = draw.sample(memories, 2)
            own = {
                "memory_a_id": a[1],
                "memory_b_id": b[1],
                "state": "open",
                "reason": "two values",
                "confidence": 0.8,
                "detected_at": START,
            }
            self._add(ContradictionRow, _defaults(ContradictionRow) | own)

    def _link(self, a: tuple[str, int], b: tuple[str, int], kind: str, strength: float) -> None:
        own = {
            "from_kind": a[0],
            "from_id": a[1],
            "to_kind": b[0],
            "to_id": b[1],
            "type": kind,
            "strength": strength,
            "created_at": START,
        }
        if a != b:
            self._add(LinkRow, _defaults(LinkRow) | own)


def _defaults(row: type) -> dict[str, object]:
    """A value for every column that must have one."""
    made: dict[str, object] = {}
    for column in table_of(row).columns:  # type: ignore[arg-type]
        if column.name == "id" or column.nullable:
            made |= {} if column.name == "id" else {column.name: None}
        elif column.default is not None and column.default.is_scalar:
            made[column.name] = column.default.arg
        else:
            kind = column.type.python_type if hasattr(column.type, "python_type") else str
            made[column.name] = _BLANK.get(column.name, _EMPTY.get(kind, START if kind is datetime else ""))
    return made


_EMPTY: dict[type, object] = {int: 0, float: 0.0, bool: False, str: "", dict: {}, list: []}
_BLANK: dict[str, object] = {
    name: []
    for name in (
        "topics",
        "intents",
        "files",
        "related_ids",
        "tags",
        "edited_levels",
        "boundary_factors",
        "scopes",
        "project_ids",
    )
} | {"valid_from": START}
