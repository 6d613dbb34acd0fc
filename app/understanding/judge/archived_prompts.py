"""What has left the queue and no judge has read: in the prompt archive, else in the assistant's own history file.

Says what there is, groups it for requests, the newest first, and brings the words for one request. What is in neither place is counted and
not pending. In history files only prompts that were taken in before are looked for, by the key of their import, else by session and hash of
their words; so nothing comes back that was excluded, erased or taken back. A file that has not changed is not opened twice. Keeps nothing.
Source: JUDGE "The past".
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from pysqlite3.dbapi2 import DatabaseError
from sqlalchemy import Connection

from app.assistants import discover
from app.assistants.histories import HISTORIES, READERS
from app.capture.inbox import Inbox, check_size
from app.capture.priority import PriorityGate
from app.errors import InvalidError, UserError
from app.judge.request import MAX_MESSAGES, MAX_TEXT_CHARS
from app.judge.schedule import Batch
from app.settings import Settings
from app.store.rows.archived_prompts import load_prompts
from app.store.rows.unread_prompts import PastRow, load_past, load_seen_again
from app.store.store import Store
from app.transfer.import_positions import load_positions
from app.values import CaptureRequest, EventKind, EventState

_log = logging.getLogger(__name__)
_WITHIN = timedelta(seconds=120)  # a transcript is written when the turn gets to it
_QUEUED_AT_MOST = timedelta(hours=6)  # so long a prompt may have waited for the turn before it
_CHATS = frozenset({"chatgpt", "claude-ai"})  # exports, where the person put them
EXCLUDED = -1


@dataclass(frozen=True, slots=True)
class UnreadPrompts:
    """What nobody read of what has left. `rows`: the newest first, of those whose words are still somewhere."""

    rows: tuple[PastRow, ...] = ()
    gone_count: int = 0


class PromptText(NamedTuple):
    """A prompt of the past with its words, as a message of the queue comes for a request."""

    id: int
    conversation_id: int
    session: str
    at: datetime
    text: str
    answer_end: str
    is_imported: bool
    project: str
    path: str


class ArchivedPrompts:
    """Thread-safe."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        inbox: Inbox,
        is_archive_on: Callable[[], bool],
        gate: PriorityGate,
    ) -> None:
        self._store = store
        self._is_archive_on = is_archive_on
        self._files = HistoryFiles(inbox, settings, gate)

    def find(
        self, is_read: Callable[[str], bool], *, project: str = "", since: datetime | None = None
    ) -> UnreadPrompts:
        """What could be read. `is_read`: whether somebody reads that app; of others no file is opened.

        Parses history files that changed or have not been looked through; slow the first time.
        """
        with self._store.read() as connection:
            rows = load_past(connection, project=project, since=since, has_archive=self._is_archive_on())
            rows = [row for row in rows if is_read(row.app)]
            sizes = self._files.find(connection, [row for row in rows if not row.is_archived])
        held = [
            replace(row, characters=min(MAX_TEXT_CHARS, row.characters or sizes.get(row.event_id, 0))) for row in rows
        ]
        kept = tuple(row for row in held if row.is_archived or row.characters > 0)
        is_out = sum(row.characters == EXCLUDED for row in held)
        return UnreadPrompts(kept, len(held) - len(kept) - is_out)

    def load(self, connection: Connection, batch: Batch) -> list[PromptText]:
        """The prompts of a batch as far as they may be read still, in order, with their words."""
        rows = self.still(connection, batch)
        archived = {row.id: row.text for row in load_prompts(connection, [row.id for row in rows if row.is_archived])}
        again = self._files.load_texts(connection, [row for row in rows if not row.is_archived])
        found = []
        for row in rows:
            text = archived.get(row.id) if row.is_archived else again.get(row.event_id)
            if text is not None:
                found.append(
                    PromptText(
                        row.id,
                        row.conversation_id,
                        row.session,
                        row.at,
                        text,
                        "",
                        row.is_imported,
                        row.project,
                        row.path,
                    )
                )
        return found

    def still(self, connection: Connection, batch: Batch) -> list[PastRow]:
        """Those of a batch that nobody read, erased or took back since, in order. Opens no file."""
        rows = load_past(connection, since=batch.first_at, until=batch.last_at, has_archive=self._is_archive_on())
        wanted = set(batch.message_ids)
        return [row for row in reversed(rows) if row.number in wanted]


def batches_of(rows: Iterable[PastRow]) -> tuple[Batch, ...]:
    """Rows that come the newest first, in groups of one project and app that fit a request; the newest group first.

    Within a group they are in the order in which they were typed.
    """
    groups: dict[tuple[int, int], list[PastRow]] = {}
    for row in rows:
        groups.setdefault((row.project_id, row.app_id), []).append(row)
    parts = [
        group[start : start + MAX_MESSAGES] for group in groups.values() for start in range(0, len(group), MAX_MESSAGES)
    ]
    parts.sort(key=lambda part: part[0].at, reverse=True)
    return tuple(map(_batch, parts))


def _batch(part: Sequence[PastRow]) -> Batch:
    first = part[0]
    ids = tuple(row.number for row in reversed(part))
    return Batch(
        first.app_id, first.app, first.project_id, ids, is_past=True,
        first_at=part[-1].at, last_at=first.at,
    )  # fmt: skip


@dataclass(slots=True)
class _FileContents:
    """What one file was looked through for, and what it holds of it: characters by event, `EXCLUDED` for what a rule keeps out."""

    mark: tuple[int, int]
    looked_for: frozenset[int] = frozenset()
    held: dict[int, int] = field(default_factory=dict)


class HistoryFiles:
    """Thread-safe; one look at a time."""

    def __init__(self, inbox: Inbox, settings: Callable[[], Settings], gate: PriorityGate) -> None:
        self._inbox = inbox
        self._settings = settings
        self._gate = gate
        self._lock = threading.Lock()
        self._seen: dict[Path, _FileContents] = {}

    def find(self, connection: Connection, wanted: Sequence[PastRow]) -> dict[int, int]:
        """How many characters each of these still has in a file, by event; `EXCLUDED` for what a rule keeps out by now."""
        found: dict[int, int] = {}
        if not wanted:
            return found
        index = _Index(wanted, load_seen_again(connection, (row.event_id for row in wanted)))
        with self._lock:
            for source, path in _files(load_positions(connection), {row.app for row in wanted}):
                found |= self._look(source, path, index)
        return {number: size for number, size in found.items() if number in index.rows}

    def load_texts(self, connection: Connection, wanted: Sequence[PastRow]) -> dict[int, str]:
        """Their words as they may be kept, by event; what is in no file any more, or excluded, is left out."""
        held = self.find(connection, wanted)
        index = _Index(wanted, load_seen_again(connection, (row.event_id for row in wanted)))
        texts: dict[int, str] = {}
        with self._lock:
            places = [
                (source, path)
                for source, path in _files(load_positions(connection), {row.app for row in wanted})
                if not index.rows.keys().isdisjoint(self._seen[path].held if path in self._seen else ())
            ]
        for source, path in places:
            for number, request in self._read(source, path, index):
                if held.get(number, EXCLUDED) != EXCLUDED and not self._inbox.excluded.covers(request):
                    texts.setdefault(number, self._inbox.prompt_to_keep(request, self._settings()))
        return texts

    def _look(self, source: str, path: Path, index: "_Index") -> Mapping[int, int]:
        try:
            state = path.stat()
        except OSError:
            return {}
        mark = (state.st_size, state.st_mtime_ns)
        seen = self._seen.get(path)
        if seen is None or seen.mark != mark:
            seen = self._seen[path] = _FileContents(mark)
        missing = index.rows.keys() - seen.looked_for
        if missing:
            wanted = _Index([index.rows[number] for number in missing], index.keys)
            for number, request in self._read(source, path, wanted):
                is_out = self._inbox.excluded.covers(request)
                seen.held[number] = EXCLUDED if is_out else len(request.text)
            seen.looked_for |= missing
        return seen.held

    def _read(self, source: str, path: Path, index: "_Index") -> Iterator[tuple[int, CaptureRequest]]:
        """The prompts of a file that are looked for, each once; a file that cannot be read holds none."""
        taken: set[int] = set()
        try:
            for item, _end in READERS[source](path):
                self._gate.yield_to_foreground()
                if not isinstance(item, CaptureRequest) or item.kind is not EventKind.PROMPT or item.agent_id:
                    continue
                number = self._match(item, index, taken)
                if number:
                    taken.add(number)
                    yield number, item
        except (UserError, OSError, ValueError, RecursionError, DatabaseError) as error:
            _log.info("a history was not read again: %s", type(error).__name__)

    def _match(self, request: CaptureRequest, index: "_Index", taken: set[int]) -> int:
        """The event of this prompt, 0 when it is none of those looked for."""
        number = index.by_key.get((request.app, self._inbox.clean_id(request.key)), 0)
        try:
            check_size(request.text, self._settings())
            return self._match_words(request, index, taken) if not number else 0 if number in taken else number
        except InvalidError:  # larger than what is taken in today
            return 0

    def _match_words(self, request: CaptureRequest, index: "_Index", taken: set[int]) -> int:
        session = self._inbox.clean_id(request.session)
        forked = str(request.payload.get("forked_from") or "")
        sessions = dict.fromkeys((session, self._inbox.clean_id(forked) if forked else session))
        near = [
            row
            for one in sessions
            for row in index.by_session.get((request.app, one), ())
            if row.event_id not in taken and _is_near(row, request)
        ]
        if not near:
            return 0
        made = self._inbox.row_of(request, self._settings())
        if made["state"] != EventState.PENDING.value:
            return 0
        same = [row for row in near if row.text_hash == made["text_hash"]]
        return min(same, key=lambda row: abs(row.at - made["at"])).event_id if same else 0


class _Index:
    """What is looked for: by key, and by session what a hook saw, with its words' hash."""

    def __init__(self, wanted: Sequence[PastRow], keys: Mapping[int, Sequence[str]]) -> None:
        self.keys = keys
        self.rows = {row.event_id: row for row in wanted}
        self.by_key = {(row.app, key): row.event_id for row in wanted for key in (row.key, *keys.get(row.event_id, ()))}
        self.by_session: dict[tuple[str, str], list[PastRow]] = {}
        for row in wanted:
            if not row.is_imported:
                self.by_session.setdefault((row.app, row.session), []).append(row)


def _is_near(row: PastRow, request: CaptureRequest) -> bool:
    at = request.at
    earlier = _QUEUED_AT_MOST if request.payload.get("is_queued") else _WITHIN
    return at is None or at - earlier <= row.at <= at + _WITHIN


def _files(positions: Iterable[str], apps: set[str]) -> list[tuple[str, Path]]:
    """Where these assistants keep their histories, and whatever else was imported from; each file once."""
    home = Path.home()
    found: dict[Path, str] = {}
    for one in HISTORIES:
        if one.name in apps:
            folder = one.config_dir(home, os.environ)
            found |= dict.fromkeys(one.listed_files(folder), one.name)
    for name in positions:
        path = Path(name)
        if path not in found and path.is_file():
            source = discover.recognise(path)
            if source in READERS and (source in apps or source in _CHATS):
                found[path] = source
    return [(source, path) for path, source in found.items()]
