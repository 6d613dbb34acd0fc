"""Conversations, their messages and references over HTTP: browse, search and correct.

Owns parameter names only; every act is one call of the engine.

Episodes over HTTP: the time line by project and time, and one whole. Owns parameter names only.

Source: DESIGN section 6; S3, S4, issue 17.
"""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from app.errors import InvalidError
from app.server.context import context_of
from app.server.routes.requests import (
    ClarifyBody,
    ConversationPatch,
    EndBody,
    MergeBody,
    MessagePatch,
    ReferenceBody,
    RowId,
    SplitBody,
)
from app.server.routes.routing import RouteSpec, answer
from app.values import (
    Clarification,
    Conversation,
    ConversationDetail,
    ConversationRecord,
    Episode,
    EpisodeDetail,
    EpisodeFilter,
    EpisodeType,
    Message,
    NarrativeArc,
    Scope,
    SearchHit,
)

NameQuery = Annotated[str | None, Query(max_length=300)]


async def list_episodes(
    request: Request,
    q: Annotated[str, Query(max_length=1_000)] = "",
    project: NameQuery = None,
    app: NameQuery = None,
    since: datetime | None = None,
    until: datetime | None = None,
    type: EpisodeType | None = None,  # noqa: A002 (the name in the address)
    file: Annotated[str, Query(max_length=300)] = "",
    is_key: bool = False,
    before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """What conversations came to, the newest first. `q` takes words and a time: "in March", "last week", "2026-03"."""
    context = context_of(request)
    where = EpisodeFilter(project, since, until, q, type, file, is_key, app)
    return answer(await context.offload.run(context.engine.episodes.list, where, before=before, limit=limit))


async def get_episode(request: Request, episode_id: RowId) -> Response:
    """One episode: its story, its arc in thirds with key moments, what was made, and the memories of its conversations."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.episodes.get, episode_id))


async def get_narrative_arc(request: Request, conversation_id: RowId) -> Response:
    """The moments of a conversation by thirds, and those of a significance of 0.7 and more."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.episodes.narrative_arc, conversation_id))


EPISODE_ROUTES = (
    RouteSpec("GET", "/v1/episodes", Scope.READ, list_episodes, "List episodes", tuple[Episode, ...]),
    RouteSpec("GET", "/v1/episodes/{episode_id}", Scope.READ, get_episode, "Read an episode", EpisodeDetail),
    RouteSpec(
        "GET", "/v1/conversations/{conversation_id}/arc", Scope.READ, get_narrative_arc, "Narrative arc", NarrativeArc
    ),
)


async def list_conversations(
    request: Request, app: NameQuery = None, project: NameQuery = None, include_evicted: bool = False
) -> Response:
    """The queue, newest first."""
    context = context_of(request)
    found = await context.offload.run(
        context.engine.conversations.list, app=app, project=project, include_evicted=include_evicted
    )
    return answer(found)


async def search_conversations(
    request: Request, q: Annotated[str, Query(max_length=1_000)], limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> Response:
    """Messages that fit `q`, best first."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.conversations.search, q, limit=limit))


async def list_clarifications(request: Request) -> Response:
    """Open questions about boundaries."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.conversations.clarifications))


async def get_conversation(request: Request, conversation_id: RowId) -> Response:
    """One conversation with its messages and timeline."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.conversations.get, conversation_id))


async def get_record(request: Request, conversation_id: RowId) -> Response:
    """Its files with one line each of what was changed, the conversations it continues or mentions, and its episodes."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.conversations.record, conversation_id))


async def get_conversation_markdown(request: Request, conversation_id: RowId) -> Response:
    """One conversation as Markdown."""
    context = context_of(request)
    text = await context.offload.run(context.engine.conversations.to_markdown, conversation_id)
    return Response(text.encode("utf-8"), media_type="text/markdown; charset=utf-8")


async def patch_conversation(request: Request, conversation_id: RowId, body: ConversationPatch) -> Response:
    """Renames a conversation or sets its outcome."""
    context = context_of(request)
    conversations = context.engine.conversations
    if body.title is None and body.outcome is None:
        raise InvalidError("There is nothing to change.", hint="Give a title or an outcome.")
    if body.title is not None:
        await context.offload.run(conversations.rename, conversation_id, body.title)
    if body.outcome is not None:
        await context.offload.run(conversations.set_outcome, conversation_id, body.outcome)
    return Response(status_code=204)


async def clarify_conversation(request: Request, conversation_id: RowId, body: ClarifyBody) -> Response:
    """Answers the question whether a message starts something new."""
    context = context_of(request)
    message = await context.offload.run(context.engine.messages.get, body.message_id)
    if message.conversation_id != conversation_id:
        raise _not_there(body.message_id, conversation_id, message.conversation_id)
    await context.offload.run(context.engine.conversations.clarify, body.message_id, is_new=body.is_new)
    return Response(status_code=204)


def _not_there(message_id: int, conversation_id: int, holder_id: int) -> InvalidError:
    return InvalidError(
        f"Message {message_id} is not in conversation {conversation_id}.", hint=f"It is in conversation {holder_id}."
    )


async def end_conversation(request: Request, conversation_id: RowId, body: EndBody | None = None) -> Response:
    """Ends a conversation, with an outcome if one is given."""
    context = context_of(request)
    outcome = body.outcome if body else None
    await context.offload.run(context.engine.conversations.end, conversation_id, outcome)
    return Response(status_code=204)


async def reopen_conversation(request: Request, conversation_id: RowId) -> Response:
    """Makes an ended conversation active again."""
    context = context_of(request)
    await context.offload.run(context.engine.conversations.reopen, conversation_id)
    return Response(status_code=204)


async def split_conversation(request: Request, conversation_id: RowId, body: SplitBody) -> Response:
    """Lets a message start a new conversation; answers with the new one."""
    context = context_of(request)
    message = await context.offload.run(context.engine.messages.get, body.message_id)
    if message.conversation_id != conversation_id:
        raise _not_there(body.message_id, conversation_id, message.conversation_id)
    new_id = await context.offload.run(context.engine.conversations.split, body.message_id)
    return answer(await context.offload.run(context.engine.conversations.get, new_id), 201)


async def merge_conversation(request: Request, conversation_id: RowId, body: MergeBody) -> Response:
    """Puts this conversation's messages into another one; answers with that one."""
    context = context_of(request)
    await context.offload.run(context.engine.conversations.merge, conversation_id, body.into)
    return answer(await context.offload.run(context.engine.conversations.get, body.into))


async def move_message(request: Request, message_id: RowId, body: MergeBody) -> Response:
    """Puts a message and those after it into another conversation; answers with that one."""
    context = context_of(request)
    await context.offload.run(context.engine.conversations.move, message_id, body.into)
    return answer(await context.offload.run(context.engine.conversations.get, body.into))


async def get_message(request: Request, message_id: RowId) -> Response:
    """One message with what was understood of it."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.messages.get, message_id))


async def patch_message(request: Request, message_id: RowId, body: MessagePatch) -> Response:
    """Corrects the intents of a message."""
    context = context_of(request)
    await context.offload.run(context.engine.messages.correct_intents, message_id, tuple(body.intents))
    return Response(status_code=204)


async def correct_reference(request: Request, reference_id: RowId, body: ReferenceBody) -> Response:
    """Says what a reference stands for."""
    context = context_of(request)
    await context.offload.run(
        context.engine.messages.correct_reference, reference_id, body.antecedent, body.antecedent_message_id
    )
    return Response(status_code=204)


async def dismiss_reference(request: Request, reference_id: RowId) -> Response:
    """Says that a reference refers to nothing."""
    context = context_of(request)
    await context.offload.run(context.engine.messages.dismiss_reference, reference_id)
    return Response(status_code=204)


_ONE = "/v1/conversations/{conversation_id}"
ROUTES = (
    RouteSpec("GET", "/v1/conversations", Scope.READ, list_conversations, "List the queue", tuple[Conversation, ...]),
    RouteSpec(
        "GET", "/v1/conversations/search", Scope.READ, search_conversations, "Search messages", tuple[SearchHit, ...]
    ),
    RouteSpec(
        "GET", "/v1/clarifications", Scope.READ, list_clarifications, "Open questions", tuple[Clarification, ...]
    ),
    RouteSpec("GET", _ONE, Scope.READ, get_conversation, "Read a conversation", ConversationDetail),
    RouteSpec(
        "GET",
        f"{_ONE}/markdown",
        Scope.READ,
        get_conversation_markdown,
        "Read as Markdown",
        media_type="text/markdown",
    ),
    RouteSpec("GET", f"{_ONE}/record", Scope.READ, get_record, "Files, references, episodes", ConversationRecord),
    RouteSpec("PATCH", _ONE, Scope.WRITE, patch_conversation, "Rename, set the outcome", status=204),
    RouteSpec("POST", f"{_ONE}/clarify", Scope.WRITE, clarify_conversation, "Answer a question", status=204),
    RouteSpec("POST", f"{_ONE}/end", Scope.WRITE, end_conversation, "End", status=204),
    RouteSpec("POST", f"{_ONE}/reopen", Scope.WRITE, reopen_conversation, "Reopen", status=204),
    RouteSpec("POST", f"{_ONE}/split", Scope.WRITE, split_conversation, "Split", ConversationDetail, status=201),
    RouteSpec("POST", f"{_ONE}/merge", Scope.WRITE, merge_conversation, "Merge", ConversationDetail),
    RouteSpec("GET", "/v1/messages/{message_id}", Scope.READ, get_message, "Read a message", Message),
    RouteSpec("POST", "/v1/messages/{message_id}/move", Scope.WRITE, move_message, "Move", ConversationDetail),
    RouteSpec("PATCH", "/v1/messages/{message_id}", Scope.WRITE, patch_message, "Correct intents", status=204),
    RouteSpec(
        "POST",
        "/v1/references/{reference_id}/correct",
        Scope.WRITE,
        correct_reference,
        "Correct a reference",
        status=204,
    ),
    RouteSpec(
        "POST",
        "/v1/references/{reference_id}/dismiss",
        Scope.WRITE,
        dismiss_reference,
        "Dismiss a reference",
        status=204,
    ),
)
