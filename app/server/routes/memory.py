"""Memories over HTTP: browse, write, tag, put away; what only a person does needs the admin scope.

Owns parameter names, and that a caller without the admin scope acts as an assistant: what it writes is only proposed (S7).
Every act is one call of the engine. Source: DESIGN section 6.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.server.context import caller_of, context_of
from app.server.routes.memory_requests import (
    ArtifactBody,
    DraftBody,
    EditBody,
    FilterQuery,
    IdsBody,
    LinkBody,
    ListQuery,
    MergeBody,
    PinBody,
    RejectBody,
    ReportBody,
    RuleBody,
    TagBody,
    TextBody,
    VersionBody,
)
from app.server.routes.requests import RowId
from app.server.routes.routing import RouteSpec, answer
from app.values import (
    AddedMemory,
    Chunk,
    Facets,
    MemoryCard,
    MemoryDetail,
    MemoryDraft,
    MemoryPage,
    MemoryRule,
    MemoryVersion,
    Origin,
    Reported,
    Scope,
)


@dataclass(frozen=True, slots=True)
class Made:
    """The number of what was added."""

    id: int


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """Words that went in `[-…-]`, words that came in `{+…+}`, a line per field."""

    diff: str


def origin_of(request: Request) -> Origin:
    """The person at this machine, or a program that writes for an assistant."""
    return Origin.PERSON if caller_of(request).may(Scope.ADMIN) else Origin.API


async def list_memories(request: Request, query: Annotated[ListQuery, Query()]) -> Response:
    """A stretch of the sorted list: all but archived ones unless asked."""
    context = context_of(request)
    found = await context.offload.run(
        context.engine.memories.list, query.to_filter(), sort=query.sort, start=query.start, limit=query.limit
    )
    return answer(found)


async def list_facets(request: Request, query: Annotated[FilterQuery, Query()]) -> Response:
    """How many memories there are of each kind, type, status, trust, project, app, tag and time."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.facets, query.to_filter()))


async def get_memory(request: Request, memory_id: RowId) -> Response:
    """One memory with sources, versions, links, artifacts."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.get, memory_id))


async def list_versions(request: Request, memory_id: RowId) -> Response:
    """Earlier states of a memory, newest first."""
    context = context_of(request)
    return answer((await context.offload.run(context.engine.memories.get, memory_id)).versions)


async def get_version_diff(request: Request, version_id: RowId) -> Response:
    """What changed after a version."""
    context = context_of(request)
    return answer(VersionDiff(await context.offload.run(context.engine.memories.version_diff, version_id)))


async def list_memories_of_message(request: Request, message_id: RowId) -> Response:
    """Memories that were said in a message."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.of_message, message_id))


async def list_memories_of_conversation(request: Request, conversation_id: RowId) -> Response:
    """Memories that were said in a conversation."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.of_conversation, conversation_id))


async def list_chunks(request: Request, conversation_id: RowId) -> Response:
    """The summed-up older messages of a conversation."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.chunks, conversation_id))


async def guess_memory(request: Request, body: TextBody) -> Response:
    """What a text would become: type, slot, title, levels. Writes nothing."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.guess, body.text))


async def create_memory(request: Request, body: DraftBody) -> Response:
    """Adds a memory, or names the one that says the same. An assistant's is only proposed: a person accepts it."""
    context = context_of(request)
    caller = caller_of(request)
    draft = body.to_draft("" if caller.is_admin_client else caller.app)
    made = await context.offload.run(context.engine.memories.add, draft, origin=origin_of(request))
    return answer(made, 200 if made.is_known else 201)


async def remember(request: Request, body: ReportBody) -> Response:
    """Keeps what an assistant reports: in use where the person said it in one of their last prompts to it, else proposed."""
    context = context_of(request)
    app = caller_of(request).app_for(body.app)

    def run() -> Reported:
        telling = context.engine.telling
        return telling.remember(body.to_report(), telling.place(body.project), app=app)

    return answer(await context.offload.run(run))


async def patch_memory(request: Request, memory_id: RowId, body: EditBody) -> Response:
    """Changes a memory; the state before is kept as a version."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.edit, memory_id, body.to_edit(), origin=origin_of(request))
    return Response(status_code=204)


async def archive_memory(request: Request, memory_id: RowId) -> Response:
    """Puts a memory away; restorable. Erasing is another request."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.archive, [memory_id], origin=origin_of(request))
    return Response(status_code=204)


async def archive_memories(request: Request, body: IdsBody) -> Response:
    """Puts memories away; restorable."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.archive, body.ids, origin=origin_of(request))
    return Response(status_code=204)


async def unarchive_memories(request: Request, body: IdsBody) -> Response:
    """Brings archived memories back."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.unarchive, body.ids)
    return Response(status_code=204)


async def accept_memories(request: Request, body: IdsBody) -> Response:
    """Makes proposed and quarantined memories active and trusted."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.accept, body.ids)
    return Response(status_code=204)


async def reject_memories(request: Request, body: RejectBody) -> Response:
    """Puts memories away; with a rule nothing like them is learned again."""
    context = context_of(request)
    rule = None
    if body.rule is not None:
        one = body.rule
        now = context.engine.clock.now()
        rule = MemoryRule(0, one.verdict, one.type, one.attribute, one.phrase, now, 0)
    await context.offload.run(context.engine.memories.reject, body.ids, rule=rule)
    return Response(status_code=204)


async def pin_memories(request: Request, body: PinBody) -> Response:
    """Pins memories, or not: pinned ones are never forgotten."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.pin, body.ids, body.is_pinned)
    return Response(status_code=204)


async def tag_memories(request: Request, body: TagBody) -> Response:
    """Adds and removes tags."""
    context = context_of(request)
    tag = context.engine.memories.tag
    await context.offload.run(tag, body.ids, add=body.add, remove=body.remove, origin=origin_of(request))
    return Response(status_code=204)


async def merge_memories(request: Request, body: MergeBody) -> Response:
    """Makes one of several; the others are put away with their history. One undo takes it back."""
    context = context_of(request)
    merge = context.engine.memories.merge
    return answer(Made(await context.offload.run(merge, body.ids, text=body.text, keep_id=body.keep_id)))


async def restore_memory_version(request: Request, memory_id: RowId, body: VersionBody) -> Response:
    """Brings an earlier version back; the present one becomes a version."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.restore_version, memory_id, body.version_id)
    return Response(status_code=204)


async def link_memory(request: Request, memory_id: RowId, body: LinkBody) -> Response:
    """Joins a memory with another one."""
    context = context_of(request)
    link = context.engine.memories.link
    made = await context.offload.run(link, memory_id, body.to_id, body.type, body.strength, origin=origin_of(request))
    return answer(Made(made), 201)


async def unlink_memory(request: Request, link_id: RowId) -> Response:
    """Takes a link away."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.unlink, link_id)
    return Response(status_code=204)


async def attach_artifact(request: Request, memory_id: RowId, body: ArtifactBody) -> Response:
    """Notes a commit, pull request, decision record or file."""
    context = context_of(request)
    made = await context.offload.run(context.engine.memories.attach, memory_id, body.kind, body.reference)
    return answer(Made(made), 201)


async def detach_artifact(request: Request, artifact_id: RowId) -> Response:
    """Takes an artifact away."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.detach, artifact_id)
    return Response(status_code=204)


async def list_memory_rules(request: Request) -> Response:
    """The always/never rules for what is learned."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.memories.rules))


async def add_memory_rule(request: Request, body: RuleBody) -> Response:
    """Adds an always/never rule."""
    context = context_of(request)
    add = context.engine.memories.add_rule
    made = await context.offload.run(add, body.verdict, type=body.type, attribute=body.attribute, phrase=body.phrase)
    return answer(Made(made), 201)


async def remove_memory_rule(request: Request, rule_id: RowId) -> Response:
    """Takes a rule away."""
    context = context_of(request)
    await context.offload.run(context.engine.memories.remove_rule, rule_id)
    return Response(status_code=204)


_ALL = "/v1/memories"
_ONE = "/v1/memories/{memory_id}"
_READ, _WRITE, _ADMIN = Scope.READ, Scope.WRITE, Scope.ADMIN
_CARDS = tuple[MemoryCard, ...]
ROUTES = (  # fixed names stand before the number, which would take them
    RouteSpec("GET", _ALL, _READ, list_memories, "List memories", MemoryPage),
    RouteSpec("POST", "/v1/remember", Scope.CAPTURE, remember, "Remember what the person said", Reported),
    RouteSpec("POST", _ALL, _WRITE, create_memory, "Add a memory", AddedMemory, status=201),
    RouteSpec("GET", f"{_ALL}/facets", _READ, list_facets, "Count memories", Facets),
    RouteSpec("POST", f"{_ALL}/guess", _READ, guess_memory, "Guess a draft", MemoryDraft),
    RouteSpec("POST", f"{_ALL}/archive", _WRITE, archive_memories, "Put memories away", status=204),
    RouteSpec("POST", f"{_ALL}/unarchive", _ADMIN, unarchive_memories, "Bring memories back", status=204),
    RouteSpec("POST", f"{_ALL}/accept", _ADMIN, accept_memories, "Accept memories", status=204),
    RouteSpec("POST", f"{_ALL}/reject", _ADMIN, reject_memories, "Reject memories", status=204),
    RouteSpec("POST", f"{_ALL}/pin", _ADMIN, pin_memories, "Pin memories", status=204),
    RouteSpec("POST", f"{_ALL}/tag", _WRITE, tag_memories, "Tag memories", status=204),
    RouteSpec("POST", f"{_ALL}/merge", _ADMIN, merge_memories, "Merge memories", Made),
    RouteSpec("GET", f"{_ALL}/rules", _ADMIN, list_memory_rules, "List rules", tuple[MemoryRule, ...]),
    RouteSpec("POST", f"{_ALL}/rules", _ADMIN, add_memory_rule, "Add a rule", Made, status=201),
    RouteSpec("DELETE", f"{_ALL}/rules/{{rule_id}}", _ADMIN, remove_memory_rule, "Remove a rule", status=204),
    RouteSpec("GET", f"{_ALL}/versions/{{version_id}}/diff", _READ, get_version_diff, "Compare a version", VersionDiff),
    RouteSpec("DELETE", f"{_ALL}/links/{{link_id}}", _ADMIN, unlink_memory, "Unlink", status=204),
    RouteSpec("DELETE", f"{_ALL}/artifacts/{{artifact_id}}", _ADMIN, detach_artifact, "Detach", status=204),
    RouteSpec("GET", _ONE, _READ, get_memory, "Read a memory", MemoryDetail),
    RouteSpec("PATCH", _ONE, _WRITE, patch_memory, "Edit a memory", status=204),
    RouteSpec("DELETE", _ONE, _WRITE, archive_memory, "Put a memory away", status=204),
    RouteSpec("GET", f"{_ONE}/versions", _READ, list_versions, "List versions", tuple[MemoryVersion, ...]),
    RouteSpec("POST", f"{_ONE}/restore", _ADMIN, restore_memory_version, "Restore a version", status=204),
    RouteSpec("POST", f"{_ONE}/links", _WRITE, link_memory, "Link memories", Made, status=201),
    RouteSpec("POST", f"{_ONE}/artifacts", _ADMIN, attach_artifact, "Attach an artifact", Made, status=201),
    RouteSpec(
        "GET", "/v1/messages/{message_id}/memories", _READ, list_memories_of_message, "Memories of a message", _CARDS
    ),
    RouteSpec(
        "GET",
        "/v1/conversations/{conversation_id}/memories",
        _READ,
        list_memories_of_conversation,
        "Memories of a conversation",
        _CARDS,
    ),
    RouteSpec(
        "GET", "/v1/conversations/{conversation_id}/chunks", _READ, list_chunks, "List chunks", tuple[Chunk, ...]
    ),
)
