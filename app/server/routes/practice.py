"""Workflows and code patterns over HTTP: seen, edited, switched off, put away. The person's only.

Owns parameter names only; every act is one call of the engine. Source: S4 "Workflows", issue 18.
"""

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import PracticePatch, RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import MemoryKind, Scope
from app.values.practices import Practice, PracticePart


async def list_workflows(request: Request) -> Response:
    """What is done again and again in the same order: steps with their commands, trigger, times and how often it went well."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.rules.practices, MemoryKind.WORKFLOW))


async def list_patterns(request: Request) -> Response:
    """Shapes of code that recur in a project: template, trigger, hint, examples as path and line."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.rules.practices, MemoryKind.PATTERN))


async def get_practice(request: Request, practice_id: RowId) -> Response:
    """One workflow or code pattern, whole."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.rules.practice, practice_id))


async def patch_practice(request: Request, practice_id: RowId, body: PracticePatch) -> Response:
    """Edits one, or switches it on or off."""
    context = context_of(request)
    rules = context.engine.rules
    if (body.title, body.trigger, body.parts) != (None, None, None):
        parts = None if body.parts is None else [PracticePart(one.name, one.content) for one in body.parts]
        await context.offload.run(rules.edit_practice, practice_id, title=body.title, trigger=body.trigger, parts=parts)
    if body.is_on is not None:
        await context.offload.run(rules.switch_practices, [practice_id], is_on=body.is_on)
    return Response(status_code=204)


async def purge_practice(request: Request, practice_id: RowId) -> Response:
    """Puts one away: it is not learned again; undo brings it back."""
    context = context_of(request)
    await context.offload.run(context.engine.rules.purge_practices, [practice_id])
    return Response(status_code=204)


_ONE = "/v1/practices/{practice_id}"
ROUTES = (
    RouteSpec("GET", "/v1/workflows", Scope.ADMIN, list_workflows, "List workflows", tuple[Practice, ...]),
    RouteSpec("GET", "/v1/patterns", Scope.ADMIN, list_patterns, "List code patterns", tuple[Practice, ...]),
    RouteSpec("GET", _ONE, Scope.ADMIN, get_practice, "A workflow or code pattern", Practice),
    RouteSpec("PATCH", _ONE, Scope.ADMIN, patch_practice, "Edit a workflow or code pattern", status=204),
    RouteSpec("DELETE", _ONE, Scope.ADMIN, purge_practice, "Put a workflow or code pattern away", status=204),
)
