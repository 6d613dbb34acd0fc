"""Memories over HTTP: browse, write, tag, archive; what only a person does needs the admin scope.

Owns parameter names, and that a caller without the admin scope acts as an assistant: what it writes is only proposed (S7).
Every act is one call of the engine. Source: DESIGN section 6.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from app.api import Engine
from app.server.callers import Caller
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
from app.server.routes.routing import Routes, answer
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


def origin_of(caller: Caller) -> Origin:
    """The person at this machine, or a program that writes for an assistant."""
    return Origin.PERSON if caller.may(Scope.ADMIN) else Origin.API


_ALL = "/v1/memories"
_ONE = "/v1/memories/{memory_id}"
_READ, _WRITE, _ADMIN = Scope.READ, Scope.WRITE, Scope.ADMIN
routes = Routes()


@routes("GET", _ALL, _READ, "List memories")
def list_memories(engine: Engine, query: Annotated[ListQuery, Query()]) -> MemoryPage:
    """One page of the sorted list; archived memories only if asked for."""
    return engine.memories.list(query.to_filter(), sort=query.sort, start=query.start, limit=query.limit)


@routes("POST", "/v1/remember", Scope.CAPTURE, "Remember what the person said")
def remember(engine: Engine, caller: Caller, body: ReportBody) -> Reported:
    """Keeps what an assistant reports: in use where the person said it in one of their last prompts to it, else proposed."""
    app, answers = caller.app_for(body.app), engine.answers
    return answers.remember(body.to_report(), answers.place(body.project), app=app)


@routes("POST", _ALL, _WRITE, "Add a memory", status=201, answers=AddedMemory)
def create_memory(engine: Engine, caller: Caller, body: DraftBody) -> Response:
    """Adds a memory, or names the one that says the same. An assistant's is only proposed: a person accepts it."""
    draft = body.to_draft("" if caller.is_admin_client else caller.app)
    made = engine.memories.add(draft, origin=origin_of(caller))
    return answer(made, 200 if made.is_known else 201)


@routes("GET", f"{_ALL}/facets", _READ, "Count memories")
def list_facets(engine: Engine, query: Annotated[FilterQuery, Query()]) -> Facets:
    """How many memories there are of each kind, type, status, trust, project, app, tag and time."""
    return engine.memories.facets(query.to_filter())


@routes("POST", f"{_ALL}/guess", _READ, "Guess a draft")
def guess_memory(engine: Engine, body: TextBody) -> MemoryDraft:
    """What a text would become: type, slot, title, levels. Writes nothing."""
    return engine.memories.guess(body.text)


@routes("POST", f"{_ALL}/archive", _WRITE, "Archive memories")
def archive_memories(engine: Engine, caller: Caller, body: IdsBody) -> None:
    """Archives memories; can be undone."""
    engine.memories.archive(body.ids, origin=origin_of(caller))


@routes("POST", f"{_ALL}/unarchive", _ADMIN, "Bring memories back")
def unarchive_memories(engine: Engine, body: IdsBody) -> None:
    """Brings archived memories back."""
    engine.memories.unarchive(body.ids)


@routes("POST", f"{_ALL}/accept", _ADMIN, "Accept memories")
def accept_memories(engine: Engine, body: IdsBody) -> None:
    """Makes proposed and quarantined memories active and trusted."""
    engine.memories.accept(body.ids)


@routes("POST", f"{_ALL}/reject", _ADMIN, "Reject memories")
def reject_memories(engine: Engine, body: RejectBody) -> None:
    """Archives memories; with a rule nothing like them is learned again."""
    rule = None
    if body.rule is not None:
        asked = body.rule
        rule = MemoryRule(0, asked.verdict, asked.type, asked.attribute, asked.phrase, engine.clock.now(), 0)
    engine.memories.reject(body.ids, rule=rule)


@routes("POST", f"{_ALL}/pin", _ADMIN, "Pin memories")
def pin_memories(engine: Engine, body: PinBody) -> None:
    """Pins memories, or not: pinned ones are never forgotten."""
    engine.memories.pin(body.ids, body.is_pinned)


@routes("POST", f"{_ALL}/tag", _WRITE, "Tag memories")
def tag_memories(engine: Engine, caller: Caller, body: TagBody) -> None:
    """Adds and removes tags."""
    engine.memories.tag(body.ids, add=body.add, remove=body.remove, origin=origin_of(caller))


@routes("POST", f"{_ALL}/merge", _ADMIN, "Merge memories")
def merge_memories(engine: Engine, body: MergeBody) -> Made:
    """Merges several memories into one; the others are archived with their history. One undo reverts it."""
    return Made(engine.memories.merge(body.ids, text=body.text, keep_id=body.keep_id))


@routes("GET", f"{_ALL}/rules", _ADMIN, "List rules")
def list_memory_rules(engine: Engine) -> tuple[MemoryRule, ...]:
    """The always/never rules for what is learned."""
    return engine.memories.rules()


@routes("POST", f"{_ALL}/rules", _ADMIN, "Add a rule", status=201)
def add_memory_rule(engine: Engine, body: RuleBody) -> Made:
    """Adds an always/never rule."""
    made = engine.memories.add_rule(body.verdict, type=body.type, attribute=body.attribute, phrase=body.phrase)
    return Made(made)


@routes("DELETE", f"{_ALL}/rules/{{rule_id}}", _ADMIN, "Remove a rule")
def remove_memory_rule(engine: Engine, rule_id: RowId) -> None:
    """Removes a rule."""
    engine.memories.remove_rule(rule_id)


@routes("GET", f"{_ALL}/versions/{{version_id}}/diff", _READ, "Compare a version")
def get_version_diff(engine: Engine, version_id: RowId) -> VersionDiff:
    """What changed after a version."""
    return VersionDiff(engine.memories.version_diff(version_id))


@routes("DELETE", f"{_ALL}/links/{{link_id}}", _ADMIN, "Unlink")
def unlink_memory(engine: Engine, link_id: RowId) -> None:
    """Removes a link."""
    engine.memories.unlink(link_id)


@routes("DELETE", f"{_ALL}/artifacts/{{artifact_id}}", _ADMIN, "Detach")
def detach_artifact(engine: Engine, artifact_id: RowId) -> None:
    """Removes an artifact."""
    engine.memories.detach(artifact_id)


@routes("GET", _ONE, _READ, "Read a memory")
def get_memory(engine: Engine, memory_id: RowId) -> MemoryDetail:
    """One memory with sources, versions, links, artifacts."""
    return engine.memories.get(memory_id)


@routes("PATCH", _ONE, _WRITE, "Edit a memory")
def patch_memory(engine: Engine, caller: Caller, memory_id: RowId, body: EditBody) -> None:
    """Changes a memory; the state before is kept as a version."""
    engine.memories.edit(memory_id, body.to_edit(), origin=origin_of(caller))


@routes("DELETE", _ONE, _WRITE, "Archive a memory")
def archive_memory(engine: Engine, caller: Caller, memory_id: RowId) -> None:
    """Archives a memory; can be undone. Erasing is another request."""
    engine.memories.archive([memory_id], origin=origin_of(caller))


@routes("GET", f"{_ONE}/versions", _READ, "List versions")
def list_versions(engine: Engine, memory_id: RowId) -> tuple[MemoryVersion, ...]:
    """Earlier states of a memory, newest first."""
    return engine.memories.get(memory_id).versions


@routes("POST", f"{_ONE}/restore", _ADMIN, "Restore a version")
def restore_memory_version(engine: Engine, memory_id: RowId, body: VersionBody) -> None:
    """Goes back to an earlier version; the present one is kept as a version."""
    engine.memories.restore_version(memory_id, body.version_id)


@routes("POST", f"{_ONE}/links", _WRITE, "Link memories", status=201)
def link_memory(engine: Engine, caller: Caller, memory_id: RowId, body: LinkBody) -> Made:
    """Links a memory with another one."""
    made = engine.memories.link(memory_id, body.to_id, body.type, body.strength, origin=origin_of(caller))
    return Made(made)


@routes("POST", f"{_ONE}/artifacts", _ADMIN, "Attach an artifact", status=201)
def attach_artifact(engine: Engine, memory_id: RowId, body: ArtifactBody) -> Made:
    """Notes a commit, pull request, decision record or file."""
    return Made(engine.memories.attach(memory_id, body.kind, body.reference))


@routes("GET", "/v1/messages/{message_id}/memories", _READ, "Memories of a message")
def list_memories_of_message(engine: Engine, message_id: RowId) -> tuple[MemoryCard, ...]:
    """Memories learned from a message."""
    return engine.memories.of_message(message_id)


@routes("GET", "/v1/conversations/{conversation_id}/memories", _READ, "Memories of a conversation")
def list_memories_of_conversation(engine: Engine, conversation_id: RowId) -> tuple[MemoryCard, ...]:
    """Memories learned from a conversation."""
    return engine.memories.of_conversation(conversation_id)


@routes("GET", "/v1/conversations/{conversation_id}/chunks", _READ, "List chunks")
def list_chunks(engine: Engine, conversation_id: RowId) -> tuple[Chunk, ...]:
    """The summed-up older messages of a conversation."""
    return engine.memories.chunks(conversation_id)
