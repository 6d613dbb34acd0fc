"""Learned rules over HTTP: seen, edited, switched off, purged, and the knowledge graph as a file. The person's only.

Owns parameter names only; every act is one call of the engine.

Workflows and code patterns over HTTP: seen, edited, switched off, put away. The person's only.

Source: S1 Tier 2, issue 17; S4 "Workflows", issue 18.
"""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.requests import KnowledgeBody, PracticePatch, RowId, RulePatch
from app.server.routes.routing import RouteSpec, answer
from app.values import MemoryKind, Scope
from app.values.rules import LearnedRule, Practice, PracticePart, RuleKind


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


_ONE_PRACTICE = "/v1/practices/{practice_id}"
PRACTICE_ROUTES = (
    RouteSpec("GET", "/v1/workflows", Scope.ADMIN, list_workflows, "List workflows", tuple[Practice, ...]),
    RouteSpec("GET", "/v1/patterns", Scope.ADMIN, list_patterns, "List code patterns", tuple[Practice, ...]),
    RouteSpec("GET", _ONE_PRACTICE, Scope.ADMIN, get_practice, "A workflow or code pattern", Practice),
    RouteSpec("PATCH", _ONE_PRACTICE, Scope.ADMIN, patch_practice, "Edit a workflow or code pattern", status=204),
    RouteSpec("DELETE", _ONE_PRACTICE, Scope.ADMIN, purge_practice, "Put a workflow or code pattern away", status=204),
)


@dataclass(frozen=True, slots=True)
class PurgedRules:
    purged: int


@dataclass(frozen=True, slots=True)
class TakenRules:
    added: int
    changed: int


async def list_rules(request: Request, kind: RuleKind | None = None) -> Response:
    """What conversations taught, the surest first: confidence, times seen, last seen, how often it changed what was understood."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.rules.learned, kind))


async def patch_rule(request: Request, rule_id: RowId, body: RulePatch) -> Response:
    """Edits a rule, or switches it on or off."""
    context = context_of(request)
    rules = context.engine.rules
    if body.is_on is not None:
        await context.offload.run(rules.switch, [rule_id], is_on=body.is_on)
    if (body.pattern, body.intents, body.confidence, body.lookback) != (None, None, None, None):
        await context.offload.run(
            rules.edit,
            rule_id,
            pattern=body.pattern,
            intents=body.intents,
            confidence=body.confidence,
            lookback=body.lookback,
        )
    return Response(status_code=204)


async def purge_rule(request: Request, rule_id: RowId) -> Response:
    """Takes one rule out; undo brings it back."""
    context = context_of(request)
    await context.offload.run(context.engine.rules.purge, [rule_id])
    return Response(status_code=204)


async def purge_rules(request: Request, kind: RuleKind | None = None) -> Response:
    """Takes out all rules, or those of a kind; undo brings them back."""
    context = context_of(request)
    return answer(PurgedRules(await context.offload.run(context.engine.rules.purge, kind=kind)))


async def get_knowledge_graph(request: Request) -> Response:
    """`knowledge-graph.yaml`, in the seed's shape."""
    context = context_of(request)
    written = await context.offload.run(context.engine.rules.knowledge_graph)
    return Response(written, media_type="application/yaml; charset=utf-8")


async def post_knowledge_graph(request: Request, body: KnowledgeBody) -> Response:
    """Reads such a file in."""
    context = context_of(request)
    taken = await context.offload.run(context.engine.rules.take_knowledge_graph, body.yaml.encode("utf-8"))
    return answer(TakenRules(*taken))


_ALL = "/v1/rules"
_FILE = "/v1/knowledge-graph"
ROUTES = (
    RouteSpec("GET", _ALL, Scope.ADMIN, list_rules, "List learned rules", tuple[LearnedRule, ...]),
    RouteSpec("DELETE", _ALL, Scope.ADMIN, purge_rules, "Purge learned rules", PurgedRules),
    RouteSpec("PATCH", f"{_ALL}/{{rule_id}}", Scope.ADMIN, patch_rule, "Edit a learned rule", status=204),
    RouteSpec("DELETE", f"{_ALL}/{{rule_id}}", Scope.ADMIN, purge_rule, "Purge a learned rule", status=204),
    RouteSpec(
        "GET", _FILE, Scope.ADMIN, get_knowledge_graph, "The knowledge graph as a file", media_type="application/yaml"
    ),
    RouteSpec("POST", _FILE, Scope.ADMIN, post_knowledge_graph, "Read a knowledge graph", TakenRules),
)
