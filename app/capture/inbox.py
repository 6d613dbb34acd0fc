"""The door for events: normalise, redact, one durable row each; group commit; idempotent by key.

What this returns is on disk. Secrets are taken out before the first write. Knows nothing of what the event
means: `understanding.pipeline` reads the rows in order. Source: DESIGN section 5 "capture", QUALITY P3, S6.
"""

import hashlib
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from app.capture.app_tokens import find_app_id
from app.capture.exclusion import Exclusions
from app.capture.priority import PriorityGate
from app.capture.secret_rule_set import SecretRuleSet
from app.capture.streams import Streams
from app.deciders.conversation.authorship import condense_pastes
from app.deciders.conversation.router_readings import LOGGED
from app.errors import InvalidError
from app.interop.tool_calls import tool_outcomes
from app.language.normalise import normalise_text, strip_injected
from app.privacy.redaction import SecretRules, redact
from app.settings import Settings
from app.store.journal import Record
from app.store.rows.inbox import add_events, find_events, find_live_sessions, find_seen
from app.store.store import Store
from app.store.table_queries import rows_with
from app.store.tables.core import EventRow
from app.values import (
    CaptureRequest,
    CaptureResult,
    Changes,
    DataKind,
    Distilled,
    EventKind,
    EventState,
    Origin,
    ToolOutcome,
    distilled_from_json,
)
from app.values.repeated_prompts import SEEN_AGAIN, WORDS_GONE, Sighting, find_same, witness_of

_QUEUED_AT_MOST = timedelta(hours=6)  # so long a prompt may have waited for the turn before it
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)  # nobody typed to an assistant before
_AHEAD = timedelta(days=366)  # another machine's clock, in a history that is imported
_TOOL_FILES = 50
_ERROR_CHARS = 200
_ID_BYTES, _PLACE_BYTES, _BRANCH_BYTES = 512, 4_096, 512
_PASTE_ID = re.compile(r"<(/?)pasted_content id=\"[0-9a-f]{1,32}\">")
_PLAIN_ID = re.compile(r"(?:[a-z]+[:-])*[0-9a-f-]{32,36}")  # a UUID: nothing to look for
_SOMETHING_WAITS = Changes(seq=0, kinds=frozenset({DataKind.EVENTS}), origin=Origin.CAPTURE)
_PAYLOAD_TEXTS = ("source", "reason", "trigger", "prompt_source", *LOGGED)


@dataclass(slots=True)
class _Waiting:
    """One caller's rows, waiting for the commit that whoever holds the lock makes for all."""

    rows: list[dict[str, Any]]
    results: list[CaptureResult] = field(default_factory=list)
    error: BaseException | None = None
    is_done: bool = False


class Inbox:
    """Takes events in. Thread-safe; many callers share one commit."""

    def __init__(
        self, store: Store, secret_rule_set: SecretRuleSet, streams: Streams, gate: PriorityGate, excluded: Exclusions
    ) -> None:
        self.excluded = excluded
        self._store = store
        self._secret_rule_set = secret_rule_set
        self._streams = streams
        self._gate = gate
        self._queue: list[_Waiting] = []
        self._queue_lock = threading.Lock()

    def take_in(
        self,
        requests: Sequence[CaptureRequest],
        settings: Settings,
        *,
        is_paused: bool = False,
        paused_apps: frozenset[str] = frozenset(),
    ) -> list[CaptureResult]:
        """Durable when it returns; one result per request, in order. Raises InvalidError, DiskProblem.

        Of what an exclusion rule keeps out there is an answer, and nothing else.
        """
        out = self.excluded.leave_out(requests)
        with self._gate.foreground():
            rows = [
                self._row(request, settings, is_paused=is_paused or request.app in paused_apps)
                for at, request in enumerate(requests)
                if at not in out
            ]
            taken = self._take_in(_Waiting(rows)) if rows or not out else []
        if not out:
            return taken
        rest = iter(taken)
        return [out[at] if at in out else next(rest) for at in range(len(requests))]

    def take_in_if_free(
        self,
        requests: Sequence[CaptureRequest],
        settings: Settings,
        *,
        is_paused: bool = False,
        paused_apps: frozenset[str] = frozenset(),
    ) -> list[CaptureResult] | None:
        """As `take_in`, but waits for no other writer: None, and nothing done, while there is one."""
        lock = self._store.database.lock
        if not lock.acquire(blocking=False):
            return None
        try:
            return self.take_in(requests, settings, is_paused=is_paused, paused_apps=paused_apps)
        finally:
            lock.release()

    def _take_in(self, waiting: _Waiting) -> list[CaptureResult]:
        with self._queue_lock:
            self._queue.append(waiting)
        with self._store.database.lock:
            if not waiting.is_done:
                with self._queue_lock:
                    batch, self._queue = self._queue, []
                self._commit(batch)
        if waiting.error is not None:
            raise waiting.error
        return waiting.results

    def row_of(self, request: CaptureRequest, settings: Settings) -> Record:
        """The row that an import would add, with the app's name for its number. Raises InvalidError."""
        return self._row(request, settings, is_paused=False)

    def find_seen(
        self, connection: Connection, request: CaptureRequest, row: Record, *, taken: Collection[int] = ()
    ) -> Sighting | None:
        """The event that saw the prompt of this line of a transcript before; None when nobody did.

        `taken`: events that other lines were found to tell of, and whose rows are not saved yet.
        """
        app_id = self._streams.find_app(request.app) or find_app_id(connection, request.app)
        if app_id is None or row["kind"] != EventKind.PROMPT.value or row["state"] != EventState.PENDING.value:
            return None
        sessions = {row["session"], self.clean_id(str(request.payload.get("forked_from") or row["session"]))}
        cursor = self._store.database.cursor_of(connection)
        known = find_seen(cursor, app_id, sorted(sessions), (row["text_hash"], WORDS_GONE))
        since = row["at"] - _QUEUED_AT_MOST if request.payload.get("is_queued") else None
        witness = witness_of(row["key"], is_imported=True)
        return find_same(known, witness, row["at"], typed_since=since, taken=taken)

    def known_keys(self, connection: Connection, app: str, keys: Sequence[str]) -> set[str]:
        """Which of these cleaned keys of an app were taken in before."""
        app_id = find_app_id(connection, app)
        rows = () if app_id is None else rows_with(connection, EventRow, "key", app_id=app_id, key=list(keys))
        return {row.key for row in rows}

    def live_sessions(self, connection: Connection, sessions: Iterable[str]) -> set[str]:
        """Which of these sessions were heard live, so that what a history says of them may be known under another key."""
        return find_live_sessions(connection, sessions)

    def place_to_keep(self, request: CaptureRequest, settings: Settings) -> dict[str, str]:
        """What would be kept of where an event was said: folder, repository, branch."""
        places = {"cwd": request.cwd, "project_root": request.project_root}
        found = {name: self.clean_short(place, settings) for name, place in places.items()}
        return found | {"git_branch": self.clean_short(request.git_branch, settings, max_bytes=_BRANCH_BYTES)}

    def prompt_to_keep(self, request: CaptureRequest, settings: Settings) -> str:
        """What would be kept of a prompt's text, and nothing of where it was said. Its size was checked."""
        text = self.clean_text(strip_injected(request.text), settings)
        return text if settings.is_keeping_pastes else condense_pastes(text)

    def clean_id(self, text: str) -> str:
        """A key or session as it may be kept. One that holds a secret becomes its fingerprint: it still tells apart."""
        if len(text) <= _ID_BYTES and _PLAIN_ID.fullmatch(text):
            return text
        normal = normalise_text(text, max_bytes=_ID_BYTES).text
        if not normal or _PLAIN_ID.fullmatch(normal) or not redact(normal, self._secret_rule_set.secrets).findings:
            return normal
        return f"secret-{_hash(normal)}"

    def without_secrets(self, text: str, settings: Settings) -> str:
        return redact(text, self._secret_rule_set.secrets, _let_others).text if settings.is_redacting and text else text

    def clean_text(self, text: str, settings: Settings) -> str:
        """A text that somebody wrote as it may be kept."""
        normal = normalise_text(text, max_bytes=settings.max_message_bytes).text
        return self.without_secrets(normal, settings)

    def clean_short(self, text: str, settings: Settings, *, max_bytes: int = _PLACE_BYTES) -> str:
        """A path or name as it may be kept."""
        return self.without_secrets(normalise_text(text, max_bytes=max_bytes).text, settings)

    def _commit(self, batch: list[_Waiting]) -> None:
        try:
            self._add(batch)
        except BaseException as error:  # noqa: BLE001 (all who share the commit raise it: none may take it for done)
            self._streams.forget()
            for waiting in batch:
                waiting.error = error
        finally:
            for waiting in batch:
                waiting.is_done = True
        if any(result.state is EventState.PENDING for waiting in batch for result in waiting.results):
            self._store.announce(_SOMETHING_WAITS)

    def _add(self, batch: list[_Waiting]) -> None:
        """All rows of all who wait in one transaction: by the driver alone when nothing has to be journalled for them."""
        rows = [row for waiting in batch for row in waiting.rows]
        for row in rows:
            row["app_id"] = self._streams.find_app(row["app"])
        if all(row["app_id"] is not None and not row["is_imported"] for row in rows):
            with self._store.write_inbox() as cursor:
                self._add_rows(batch, cursor)
            return
        with self._store.write(
            origin=Origin.CAPTURE, kind="new_assistant", label="A new assistant sent its first event"
        ) as write:
            for row in rows:
                row["app_id"] = self._streams.ensure_app(write, row["app"])
            self._add_rows(batch, self._store.database.cursor_of(write.connection))

    def _add_rows(self, batch: list[_Waiting], cursor: Any) -> None:
        """Those that are known already only get their answer."""
        asked: dict[int, list[str]] = {}
        for row in (row for waiting in batch for row in waiting.rows):
            asked.setdefault(row["app_id"], []).append(row["key"])
        known = {
            (app_id, found.key): CaptureResult(
                found.id, found.key, EventState(found.state), is_duplicate=True, message_id=found.message_id
            )
            for app_id, keys in asked.items()
            for found in find_events(cursor, app_id, keys)
        }
        new: list[Record] = []
        for waiting in batch:
            for row in waiting.rows:
                waiting.results.append(self._answer(row, known, new, cursor))
        if new:  # not journalled: an undone capture must not come back when its sender tries again
            add_events(cursor, new)

    def _answer(
        self, row: Record, known: dict[tuple[int, str], CaptureResult], new: list[Record], cursor: Any
    ) -> CaptureResult:
        """What the sender is answered about one row; one that nobody sent before is added to `new` and from then on known."""
        name = (row["app_id"], row["key"])
        if name in known:
            return known[name]
        seen = _seen_before(row, new, cursor)
        row["id"] = self._store.ids.take("event")
        new.append(row)
        if seen is not None:
            row.update(seen_again(seen))
            return CaptureResult(
                seen.event_id, row["key"], EventState(seen.state), is_duplicate=True, message_id=seen.message_id
            )
        result = CaptureResult(row["id"], row["key"], EventState(row["state"]), error=row["error"])
        known[name] = replace(result, is_duplicate=True)
        return result

    def _row(self, request: CaptureRequest, settings: Settings, *, is_paused: bool) -> dict[str, Any]:
        if not request.app or len(request.app) > 64 or not request.app.replace("-", "").replace("_", "").isalnum():
            raise InvalidError(f"{request.app!r} is not the name of an app.", hint="Use letters, digits and dashes.")
        secrets = self._secret_rule_set.secrets if settings.is_redacting else None
        now = self._store.clock.now()
        at = _instant_of(request, now)
        cleaned, count = _clean(request, settings, secrets)
        payload: dict[str, Any] | None = cleaned
        state, error = EventState.PENDING, ""
        if is_paused:
            state, error, payload = EventState.IGNORED, "capture was paused", None
        elif request.agent_id and not settings.is_subagent_kept:
            state, error, payload = EventState.IGNORED, "written by a sub-agent", None
        elif request.kind is EventKind.PROMPT and not (payload or {}).get("text", "").strip():
            state, error, payload = EventState.IGNORED, "nothing in it was typed by a person", None
        if payload is not None:
            payload["redaction_count"] = count
        text = (payload or {}).get("text", "")
        hashed = _words_hash(text) if text else WORDS_GONE if is_paused else ""
        if text and payload is not None and request.kind is EventKind.PROMPT and not settings.is_keeping_pastes:
            payload["text"] = condense_pastes(text)  # it is known again by all its words
        return {
            "app": request.app,
            "key": self.clean_id(request.key or f"{request.session}:{now.isoformat()}:{_hash(request.text)}"),
            "kind": request.kind.value,
            "state": state.value,
            "session": self.clean_id(request.session),
            "text_hash": hashed if request.kind is EventKind.PROMPT else "",
            "at": at,
            "received_at": now,
            "payload": payload,
            "error": error,
            "attempt_count": 0,
            "message_id": None,
            "is_imported": request.is_imported,
        }


def seen_again(first: Sighting) -> Record:
    """What the row of a sighting says that is not the first of its prompt: nothing is understood of it."""
    return {
        "state": EventState.IGNORED.value,
        "error": SEEN_AGAIN,
        "payload": {"same_as": first.same_as or first.event_id},
        "session": first.session,
        "text_hash": first.text_hash,
    }


def _seen_before(row: Record, new: Sequence[Record], cursor: Any) -> Sighting | None:
    """The event that saw this prompt first, in the store or among those about to be added."""
    witness = witness_of(row["key"], is_imported=row["is_imported"])
    if not witness or row["kind"] != EventKind.PROMPT.value or row["state"] != EventState.PENDING.value:
        return None
    hashes = (row["text_hash"], WORDS_GONE)
    known = find_seen(cursor, row["app_id"], (row["session"],), hashes)
    known += [
        Sighting(
            other["id"], other["key"], other["at"], other["is_imported"], other["text_hash"], other["state"], None,
            other["session"], (other["payload"] or {}).get("same_as"),
        )
        for other in new
        if other["app_id"] == row["app_id"] and other["session"] == row["session"] and other["text_hash"] in hashes
    ]  # fmt: skip
    return find_same(known, witness, row["at"])


def _instant_of(request: CaptureRequest, now: datetime) -> datetime:
    """When it was typed: now where the sender's clock is wrong, since sums with an instant at the end of time have no result."""
    at = request.at
    if at is None or at < _EARLIEST or at > (now + _AHEAD if request.is_imported else now):
        return now
    return at


def _clean(request: CaptureRequest, settings: Settings, secrets: SecretRules | None) -> tuple[dict[str, Any], int]:
    """The payload as it may be kept: text normalised and redacted, tools reduced to what they touched."""
    count = 0

    def clean(text: str, limit: int = _PLACE_BYTES) -> str:
        nonlocal count
        normal = normalise_text(text, max_bytes=limit).text
        if secrets is None or not normal:
            return normal
        done = redact(normal, secrets, _let_others)
        count += len(done.findings)
        return done.text

    check_size(request.text, settings)
    payload: dict[str, Any] = {
        "cwd": clean(request.cwd),
        "project_root": clean(request.project_root),
        "git_branch": clean(request.git_branch, _BRANCH_BYTES),
    }
    if request.kind in {EventKind.PROMPT, EventKind.ANSWER, EventKind.SIGNAL}:
        payload["text"] = clean(strip_injected(request.text), settings.max_message_bytes)
    payload.update(
        {name: clean(str(request.payload[name]), 256) for name in _PAYLOAD_TEXTS if request.payload.get(name)}
    )
    if settings.is_distilling and (noted := _distil(request)):
        payload["distilled"] = [[one.kind.value, clean(one.text, 2_000), clean(one.detail, 256)] for one in noted]
    if request.kind is EventKind.TOOL:
        payload["tools"] = _clean_tool(request.payload, clean)
        if request.payload.get("completes"):
            payload["completes"] = True
    return payload, count


def _distil(request: CaptureRequest) -> tuple[Distilled, ...]:
    """What the assistant's model wrote about the work; the text it is in goes no further."""
    from app.interop.distil import distil_summary, distil_tool  # late: prompts are taken in without it

    match request.kind:
        case EventKind.TOOL:
            return distil_tool(request.payload)
        case EventKind.COMPACTION if request.text:
            return distil_summary(request.text)
        case EventKind.SIGNAL:
            return distilled_from_json(request.payload.get("distilled"))
        case _:
            return ()


def check_size(text: str, settings: Settings) -> None:
    """Raises InvalidError when the text is larger than the settings allow."""
    limit = settings.max_message_bytes
    if len(text) * 4 > limit and len(text.encode("utf-8", "surrogatepass")) > limit:
        raise InvalidError(
            f"The message is larger than {limit:,} bytes.", hint="Raise 'Largest message' in the settings."
        )


def _clean_tool(raw: dict[str, Any], clean: Callable[..., str]) -> list[list[Any]]:
    """Files, command and outcome of a tool's use; empty when it neither changed a file nor ran a command."""
    return [
        [
            clean(one.tool, 128),
            clean(one.file),
            clean(one.command, 2_000),
            one.exit_status,
            one.is_error,
            _line(one, clean),
        ]
        for one in tool_outcomes(raw)[:_TOOL_FILES]
    ]


def _line(one: ToolOutcome, clean: Callable[..., str]) -> str:
    """The line that names the error, cut after the secrets went: no half of one stays."""
    from app.deciders.recall.context.failures import (
        pick_error_line,  # late: it brings the cutting of words, and few tools fail
    )

    line = clean(pick_error_line(one.error), 2_000) if one.error else ""
    return line if len(line) <= _ERROR_CHARS else f"{line[: _ERROR_CHARS - 1]}…"


def _words_hash(text: str) -> str:
    """Of a prompt's words. Claude Code numbers each paste again in its hooks, and its list of prompts has no numbers."""
    if "<pasted_content" in text:
        text = " ".join(_PASTE_ID.sub(r"<\1pasted_content>", text).split())
    return _hash(text)


def _let_others() -> None:
    """Lets the other threads have the interpreter: an acknowledgement is waited for, a long text is not."""
    time.sleep(0)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
