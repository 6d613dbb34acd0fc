"""Speaks the Model Context Protocol through the official SDK: lists tools, runs them, words their failures.

The only module that imports the SDK, which takes seconds: whoever needs it imports this late. Every request is alone (no
sessions), so nothing has to be started before the first and stopped after the last. Source: INTEROP section 11.
"""

import asyncio
import logging
from typing import Any
from urllib.parse import unquote

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from starlette.requests import Request

from app import __version__
from app.actor import acting_as
from app.errors import RemanenceError
from app.server.context import caller_of, context_of
from app.server.guard import AsgiScope, Receive, Send
from app.server.mcp.tools import INSTRUCTIONS, QUIET_INSTRUCTIONS, TOOLS, McpCall, connect_place, run_tool, tool_named
from app.values import Scope

log = logging.getLogger(__name__)

LATE_READING = (
    "Remanence is busy and did not answer in time. Go on without it: nothing is known of what it would have said. "
    "You may call once more in a while."
)
LATE_WRITING = (
    "Remanence is busy and did not answer in time. Your sentence is with it and is noted as soon as it gets to it. "
    "Do not send it again; go on without waiting."
)
PROJECT_HEADER = "remanence-project"
MAX_REQUEST_BYTES = 262_144
_PROJECT_CHARS = 4_096
_Context = ServerRequestContext[dict[str, Any], Request]


def build_server(*, is_asking: bool) -> Server[dict[str, Any]]:
    """The server with its tools; who calls, and from where, each request says. `is_asking`: it says when to call `remember`."""
    return Server(
        "remanence",
        title="Remanence",
        version=__version__,
        instructions=INSTRUCTIONS if is_asking else QUIET_INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
    )


async def answer(
    server: Server[dict[str, Any]], scope: AsgiScope, receive: Receive, send: Send, *, hosts: list[str]
) -> None:
    """Answers one POST with JSON. `hosts` are the exact names that may be asked for; any Origin is refused."""
    manager = StreamableHTTPSessionManager(
        server,
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=[]
        ),
        max_request_body_size=MAX_REQUEST_BYTES,
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)


async def _list_tools(context: _Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    is_bound = bool(_project_said(_request_of(context)))
    return ListToolsResult(
        tools=[
            Tool(
                name=tool.name,
                title=tool.title,
                description=tool.description,
                input_schema=tool.schema(is_bound=is_bound),
                annotations=ToolAnnotations(
                    read_only_hint=tool.scope is Scope.READ,
                    destructive_hint=False,
                    idempotent_hint=tool.scope is Scope.READ,
                    open_world_hint=False,
                ),
                _meta={"anthropic/alwaysLoad": True} if tool.is_key else None,
            )
            for tool in TOOLS
        ]
    )


async def _call_tool(asked: _Context, params: CallToolRequestParams) -> CallToolResult:
    request = _request_of(asked)
    tool = tool_named(params.name)
    if tool is None:
        raise MCPError(INVALID_PARAMS, f"There is no tool called {params.name[:80]}.")

    def run() -> str:
        engine = context_of(request).engine
        place, is_bound, rest = connect_place(engine, _project_said(request), params.arguments or {})
        return run_tool(tool, McpCall(engine, caller_of(request), place, is_bound), rest)

    def run_as_caller() -> str:
        with acting_as(caller_of(request).actor):  # the library runs a tool in a context of its own
            return run()

    context = context_of(request)
    working = asyncio.ensure_future(context.offload.run(run_as_caller))
    wait_s = context.engine.settings.current.tool_deadline_s
    try:
        return _result(await asyncio.wait_for(asyncio.shield(working), wait_s))
    except TimeoutError:
        working.add_done_callback(_log_late_failure)
        return _result(LATE_WRITING if tool.scope is Scope.CAPTURE else LATE_READING, is_error=True)
    except RemanenceError as error:
        return _result(f"{error} {error.hint}".strip(), is_error=True)
    except Exception:  # a presenter: the assistant gets a sentence, the log the traceback
        log.exception("Unexpected error in the tool %s", tool.name)
        return _result("Something went wrong inside Remanence; its log has the details.", is_error=True)


def _log_late_failure(done: "asyncio.Future[str]") -> None:
    """Nobody waits for it any more; what went wrong is in the log."""
    error = None if done.cancelled() else done.exception()
    if error is not None:
        log.warning("A tool that answered too late failed: %s", error)


def _result(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def _request_of(context: _Context) -> Request:
    assert context.request is not None, "the transport is HTTP"
    return context.request


def _project_said(request: Request) -> str:
    """The project that the connection names: in its header (the stdio program sends its folder) or its address."""
    said = unquote(request.headers.get(PROJECT_HEADER, "")) or request.query_params.get("project", "")
    return said.strip()[:_PROJECT_CHARS]
