"""Takes events in: by the API, as a prompt turn, and as an assistant's hook sends them; answers with a context if that takes no noticeable time.

Turns bodies into capture requests. These are hot routes: they read the body themselves and are reached past FastAPI, which only
describes them. Source: DESIGN sections 5 and 6, INTEROP rule 1 and section 13, QUALITY P2, P3.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

from app.assistants.codex.turn import is_turn_end
from app.assistants.hook_answers import MAX_CHARS, takes_context, write_hook_answer
from app.assistants.hook_payload import parse_hook_payload
from app.assistants.live_notes import has_notes
from app.errors import InvalidError
from app.injected_text import find_file_at_hand, strip_injected
from app.server.context import caller_of, context_of
from app.server.guard import AsgiScope, Receive, Send
from app.server.offload import Offload
from app.server.problems import explain
from app.server.routes.requests import EventBody, EventsBody, OneEventBody, Wait
from app.server.routes.routing import SMALL_BYTES, RouteSpec, answer
from app.values import (
    CaptureRequest,
    CaptureResult,
    Context,
    ContextRequest,
    ContextSignals,
    EventKind,
    EventState,
    Scope,
)

if TYPE_CHECKING:
    from app.api import Engine


WITHIN_MS = 150.0  # of the hook's 400
_IN_PROCESS_MS = 20_000.0  # a command line that plays a history waits for nobody's prompt: its figures do not hang on the machine's load
_GRACE_S = 0.02


async def give_context(request: Request, event: CaptureRequest, *, delivery: str, budget_tokens: int) -> Context | None:
    """What the caller's assistant gets now; None when nothing fits, it may not read, or it would take too long."""
    begun = begin_context(request, event, delivery=delivery, budget_tokens=budget_tokens)
    return await begun.finish() if begun is not None else None


def begin_context(
    request: Request, event: CaptureRequest, *, delivery: str, budget_tokens: int
) -> "BegunContext | None":
    """A context on its way, for whom has something else to wait for meanwhile; None when the caller gets none."""
    context, caller = context_of(request), caller_of(request)
    if not context.engine.settings.current.is_giving_context or not caller.may(Scope.READ):
        return None
    signals = ContextSignals(
        project_path=event.project_root or event.cwd,
        app=event.app,
        session=event.session,
        prompt=strip_injected(event.text),
        current_file=find_file_at_hand(event.text),
        branch=event.git_branch,
    )
    wanted = ContextRequest(
        signals,
        budget_tokens=budget_tokens,
        delivery=delivery,
        max_chars=MAX_CHARS if delivery.startswith("hook:") else None,
        within_ms=_within_ms(request),
        is_text_only=True,
    )
    return BegunContext(request, wanted)


def _within_ms(request: Request) -> float:
    return _IN_PROCESS_MS if context_of(request).is_in_process else WITHIN_MS


class BegunContext:
    """Either `finish` or `give_up` is called, once."""

    def __init__(self, request: Request, wanted: ContextRequest) -> None:
        self._request = request
        self._within_s = _within_ms(request) / 1000 + _GRACE_S
        self._offload = context_of(request).offload
        self._attempt = _Attempt(context_of(request).engine)
        self._working = asyncio.ensure_future(self._offload.run(self._attempt.make, wanted))

    async def finish(self) -> Context | None:
        """The context; None when nothing fits, it took too long, or nobody is there any more to take it."""
        try:
            found = await asyncio.wait_for(asyncio.shield(self._working), self._within_s)
        except TimeoutError:
            found = None
        if found is None or await self._request.is_disconnected():
            await self._attempt.give_up(self._offload)
            return None
        return None if found.is_empty else found

    async def give_up(self) -> None:
        """Drops the context: nobody waits for it any more."""
        self._working.add_done_callback(_take_error)
        await self._attempt.give_up(self._offload)


def _take_error(done: "asyncio.Future[Context]") -> None:
    """Nobody waits for it any more, so nobody has to hear of it."""
    if not done.cancelled():
        done.exception()


class _Attempt:
    """One context on its way. Whoever is the later one, its maker or who gave it up, says that nobody got it."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._receipt_id: int | None = None
        self._is_given_up = False

    def make(self, wanted: ContextRequest) -> Context:
        made = self._engine.context.assemble(wanted)
        with self._lock:
            self._receipt_id = made.receipt_id
            is_given_up = self._is_given_up
        if is_given_up and made.receipt_id is not None:
            self._engine.context.mark_undelivered(made.receipt_id)
        return made

    async def give_up(self, offload: Offload) -> None:
        with self._lock:
            self._is_given_up = True
            receipt_id = self._receipt_id
        if receipt_id is not None:
            await offload.run(self._engine.context.mark_undelivered, receipt_id)


log = logging.getLogger(__name__)

_Body = TypeVar("_Body")
_ONE: TypeAdapter[OneEventBody] = TypeAdapter(OneEventBody)
_MANY: TypeAdapter[EventsBody] = TypeAdapter(EventsBody)
ASKED_WITHIN_S = 0.12  # of the hook's 0.4
_ASKED_WORDS = 12  # what is longer says by itself what it is about
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EventsAnswer:
    results: tuple[CaptureResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAnswer(CaptureResult):
    """What was understood of the prompt, and its context: "" when nothing fits."""

    context: str = ""
    context_tokens: int = 0
    receipt_id: int | None = None


async def post_events(request: Request) -> Response:
    """Captures one event, or many as `{"events": […]}`. It is on disk when the answer comes; with `wait` it is understood as well."""
    body = await request.json()
    if isinstance(body, dict) and "events" in body:
        many = _read(_MANY, body)
        return answer(EventsAnswer(await _capture(request, many.events, many.wait)))
    one = _read(_ONE, body)
    return answer(EventsAnswer(await _capture(request, [one], one.wait)))


async def post_turn(request: Request) -> Response:
    """Captures a prompt and gives its context in one round trip."""
    one = _read(_ONE, await request.json())
    if one.kind is not EventKind.PROMPT:
        raise InvalidError("A turn is a prompt.", hint="Send other events to /v1/events.")
    requests = await _requests(request, [one])
    begin = partial(
        begin_context,
        request,
        requests[0],
        delivery="turn",
        budget_tokens=context_of(request).engine.settings.current.context_tokens,
    )
    begun = begin() if one.wait == "durable" else None  # what is not understood yet is in no context: no need to wait
    async with AsyncExitStack() as unless_taken:
        if begun is not None:
            unless_taken.push_async_callback(begun.give_up)
        (result,) = await _take(request, requests, one.wait)
        unless_taken.pop_all()
    begun = begun if one.wait == "durable" else begin()
    given = await begun.finish() if begun is not None else None
    bare = TurnAnswer(**{part.name: getattr(result, part.name) for part in fields(result)})
    if given is None:
        return answer(bare)
    return answer(replace(bare, context=given.text, context_tokens=given.token_count, receipt_id=given.receipt_id))


async def post_hook(request: Request) -> Response:
    """Captures what an assistant's hook got on stdin. It is on disk when the answer comes; the answer is what the hook prints."""
    context = context_of(request)
    app, event = caller_of(request).app_for(request.path_params["app"]), request.path_params["event"]
    raw = await request.body()
    if len(raw) <= SMALL_BYTES:
        found = _read_hook(app, event, raw, request.query_params)
    else:
        found = await context.offload.run(_read_hook, app, event, raw, request.query_params)
    if found is None:
        return Response(status_code=200)
    if event == "tool" and context.engine.events.note_reading(found):
        return Response(status_code=200)
    (taken,) = await context.batcher.capture([found])
    if is_turn_end(found) or has_notes(found):
        after = BackgroundTask(context.offload.run, context.engine.events.capture_turn, found)
        return Response(status_code=200, background=after)
    source = str(found.payload.get("source", ""))
    if taken.state is not EventState.PENDING or not takes_context(app, event, source):
        return Response(status_code=200)

    if event == "tool":
        return await _known_fix(request, app, found, is_failure=b'"PostToolUseFailure"' in raw)

    async def look_for_context() -> bytes:
        settings = context.engine.settings.current
        budget_tokens = settings.start_tokens if event == "start" else settings.hook_tokens
        giving = give_context(request, found, delivery=f"hook:{event}", budget_tokens=budget_tokens)
        given, asked = await asyncio.gather(giving, _ask(request, event, found, taken))
        text = "\n".join(filter(None, (given.text if given is not None else "", asked)))
        return write_hook_answer(app, event, text)

    if request.query_params.get("early"):
        return _EarlyAnswer(look_for_context)
    body = await look_for_context()
    return Response(body, status_code=200, media_type="application/json" if body else None)


async def _ask(request: Request, event: str, found: CaptureRequest, taken: CaptureResult) -> str:
    """The question that a short prompt raised, in one line: it can be answered where it is typed."""
    context = context_of(request)
    is_short = event == "prompt" and len(found.text.split(maxsplit=_ASKED_WORDS)) <= _ASKED_WORDS
    is_wanted = context.engine.settings.current.is_giving_context and caller_of(request).may(Scope.READ)
    if not is_short or not is_wanted:
        return ""
    return await context.offload.run(context.engine.events.ask_line, taken.event_id, ASKED_WITHIN_S)


async def _known_fix(request: Request, app: str, found: CaptureRequest, *, is_failure: bool) -> Response:
    """What repaired the error that a tool reported, in the same turn, where the host reads it."""
    context = context_of(request)
    if not context.engine.settings.current.is_giving_context or not caller_of(request).may(Scope.READ):
        return Response(status_code=200)
    line = await context.offload.run(context.engine.context.known_fix, found)
    body = write_hook_answer(app, "tool", line, is_failure=is_failure)
    return Response(body, status_code=200, media_type="application/json" if body else None)


class _EarlyAnswer(Response):
    """Says at once that the event is durable, so that nobody takes us for hung, and then what there is to tell."""

    def __init__(self, look: Callable[[], Awaitable[bytes]]) -> None:
        super().__init__(media_type="application/json")
        self._look = look

    async def __call__(self, _scope: AsgiScope, _receive: Receive, send: Send) -> None:
        headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
        try:
            body = await self._look()
        except Exception:  # the status is out: the event is kept, only the context is not there
            log.exception("No context could be made for a hook")
            body = b""
        await send({"type": "http.response.body", "body": body})


async def _capture(request: Request, bodies: Sequence[EventBody], wait: Wait) -> tuple[CaptureResult, ...]:
    return await _take(request, await _requests(request, bodies), wait)


async def _take(request: Request, requests: Sequence[CaptureRequest], wait: Wait) -> tuple[CaptureResult, ...]:
    context = context_of(request)
    if wait == "durable":
        return await context.batcher.capture(requests)
    return await context.offload.capture(context.engine.events.capture, requests)


async def _requests(request: Request, bodies: Sequence[EventBody]) -> list[CaptureRequest]:
    """The bodies as the caller's requests; a project's name is looked up once."""
    context, caller = context_of(request), caller_of(request)
    folders: dict[str, str] = {}
    for body in bodies:
        if body.project and not body.project_root and body.project not in folders:
            folders[body.project] = await context.offload.run(context.engine.events.folder_of, body.project)
    return [body.to_request(caller.app_for(body.app), folders.get(body.project, "")) for body in bodies]


def _read(adapter: TypeAdapter[_Body], body: object) -> _Body:
    try:
        return adapter.validate_python(body)
    except ValidationError as error:
        raise InvalidError(explain(error.errors()), hint="GET /openapi.json describes an event.") from error


def _read_hook(app: str, event: str, raw: bytes, query: Mapping[str, str]) -> CaptureRequest | None:
    time_ns = query.get("time_ns", "")
    at = _EPOCH + timedelta(microseconds=int(time_ns) // 1000) if time_ns.isdigit() and len(time_ns) < 20 else None
    return parse_hook_payload(app, event, raw, key=query.get("key", ""), cwd=query.get("cwd", ""), at=at)


_REF = "#/components/schemas/{}"
_EVENT_SCHEMA: dict[str, Any] = {"anyOf": [{"$ref": _REF.format("OneEventBody")}, {"$ref": _REF.format("EventsBody")}]}

ROUTES = (
    RouteSpec(
        "POST",
        "/v1/events",
        Scope.CAPTURE,
        post_events,
        "Capture one or many events",
        EventsAnswer,
        body_schema=_EVENT_SCHEMA,
    ),
    RouteSpec(
        "POST",
        "/v1/turn",
        Scope.CAPTURE,
        post_turn,
        "Capture a prompt and get its context",
        TurnAnswer,
        body_schema={"$ref": _REF.format("OneEventBody")},
    ),
    RouteSpec(
        "POST",
        "/v1/hook/{app}/{event}",
        Scope.CAPTURE,
        post_hook,
        "Capture an assistant's hook input",
        is_raw=True,
        body_schema={"type": "object"},
        query=("key", "cwd", "time_ns", "early"),
        media_type="",
    ),
)
BODIES = (OneEventBody, EventsBody)
