"""Conversations, their messages, references and episodes over HTTP: browse, search and correct.

Owns parameter names only; every act is one call of the engine. Source: DESIGN section 6, S3, S4, issue 17.
"""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from app.api import Engine
from app.errors import InvalidError
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
from app.server.routes.routing import Routes
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


def _not_there(message_id: int, conversation_id: int, holder_id: int) -> InvalidError:
    return InvalidError(
        f"Message {message_id} is not in conversation {conversation_id}.", hint=f"It is in conversation {holder_id}."
    )


_ONE = "/v1/conversations/{conversation_id}"
routes = Routes()


@routes("GET", "/v1/episodes", Scope.READ, "List episodes")
def list_episodes(
    engine: Engine,
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
) -> tuple[Episode, ...]:
    """What came of conversations, newest first. `q` takes words and a time: "in March", "last week", "2026-03"."""
    where = EpisodeFilter(project, since, until, q, type, file, is_key, app)
    return engine.episodes.list(where, before=before, limit=limit)


@routes("GET", "/v1/episodes/{episode_id}", Scope.READ, "Read an episode")
def get_episode(engine: Engine, episode_id: RowId) -> EpisodeDetail:
    """One episode: its story, its arc in thirds with key moments, what was made, and the memories of its conversations."""
    return engine.episodes.get(episode_id)


@routes("GET", "/v1/conversations/{conversation_id}/arc", Scope.READ, "Narrative arc")
def get_narrative_arc(engine: Engine, conversation_id: RowId) -> NarrativeArc:
    """The moments of a conversation by thirds, and those of a significance of 0.7 and more."""
    return engine.episodes.narrative_arc(conversation_id)


@routes("GET", "/v1/conversations", Scope.READ, "List the queue")
def list_conversations(
    engine: Engine, app: NameQuery = None, project: NameQuery = None, include_evicted: bool = False
) -> tuple[Conversation, ...]:
    """The queue, newest first."""
    return engine.conversations.list(app=app, project=project, include_evicted=include_evicted)


@routes("GET", "/v1/conversations/search", Scope.READ, "Search messages")
def search_conversations(
    engine: Engine, q: Annotated[str, Query(max_length=1_000)], limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> tuple[SearchHit, ...]:
    """Messages that match `q`, best first."""
    return engine.conversations.search(q, limit=limit)


@routes("GET", "/v1/clarifications", Scope.READ, "Open questions")
def list_clarifications(engine: Engine) -> tuple[Clarification, ...]:
    """Open questions: does this message start a new conversation?"""
    return engine.conversations.clarifications()


@routes("GET", _ONE, Scope.READ, "Read a conversation")
def get_conversation(engine: Engine, conversation_id: RowId) -> ConversationDetail:
    """One conversation with its messages and timeline."""
    return engine.conversations.get(conversation_id)


@routes("GET", f"{_ONE}/markdown", Scope.READ, "Read as Markdown", media_type="text/markdown")
def get_conversation_markdown(engine: Engine, conversation_id: RowId) -> Response:
    """One conversation as Markdown."""
    text = engine.conversations.to_markdown(conversation_id)
    return Response(text.encode("utf-8"), media_type="text/markdown; charset=utf-8")


@routes("GET", f"{_ONE}/record", Scope.READ, "Files, references, episodes")
def get_record(engine: Engine, conversation_id: RowId) -> ConversationRecord:
    """Its files with one line each of what was changed, the conversations it continues or mentions, and its episodes."""
    return engine.conversations.record(conversation_id)


@routes("PATCH", _ONE, Scope.WRITE, "Rename, set the outcome")
def patch_conversation(engine: Engine, conversation_id: RowId, body: ConversationPatch) -> None:
    """Renames a conversation or sets its outcome."""
    conversations = engine.conversations
    if body.title is None and body.outcome is None:
        raise InvalidError("There is nothing to change.", hint="Give a title or an outcome.")
    if body.title is not None:
        conversations.rename(conversation_id, body.title)
    if body.outcome is not None:
        conversations.set_outcome(conversation_id, body.outcome)


@routes("POST", f"{_ONE}/clarify", Scope.WRITE, "Answer a question")
def clarify_conversation(engine: Engine, conversation_id: RowId, body: ClarifyBody) -> None:
    """Answers whether a message starts a new conversation."""
    message = engine.messages.get(body.message_id)
    if message.conversation_id != conversation_id:
        raise _not_there(body.message_id, conversation_id, message.conversation_id)
    engine.conversations.clarify(body.message_id, is_new=body.is_new)


@routes("POST", f"{_ONE}/end", Scope.WRITE, "End")
def end_conversation(engine: Engine, conversation_id: RowId, body: EndBody | None = None) -> None:
    """Ends a conversation, with an outcome if one is given."""
    outcome = body.outcome if body else None
    engine.conversations.end(conversation_id, outcome)


@routes("POST", f"{_ONE}/reopen", Scope.WRITE, "Reopen")
def reopen_conversation(engine: Engine, conversation_id: RowId) -> None:
    """Makes an ended conversation active again."""
    engine.conversations.reopen(conversation_id)


@routes("POST", f"{_ONE}/split", Scope.WRITE, "Split", status=201)
def split_conversation(engine: Engine, conversation_id: RowId, body: SplitBody) -> ConversationDetail:
    """Lets a message start a new conversation; answers with the new one."""
    message = engine.messages.get(body.message_id)
    if message.conversation_id != conversation_id:
        raise _not_there(body.message_id, conversation_id, message.conversation_id)
    new_id = engine.conversations.split(body.message_id)
    return engine.conversations.get(new_id)


@routes("POST", f"{_ONE}/merge", Scope.WRITE, "Merge")
def merge_conversation(engine: Engine, conversation_id: RowId, body: MergeBody) -> ConversationDetail:
    """Puts this conversation's messages into another one; answers with that one."""
    engine.conversations.merge(conversation_id, body.into)
    return engine.conversations.get(body.into)


@routes("GET", "/v1/messages/{message_id}", Scope.READ, "Read a message")
def get_message(engine: Engine, message_id: RowId) -> Message:
    """One message with what was understood of it."""
    return engine.messages.get(message_id)


@routes("POST", "/v1/messages/{message_id}/move", Scope.WRITE, "Move")
def move_message(engine: Engine, message_id: RowId, body: MergeBody) -> ConversationDetail:
    """Puts a message and those after it into another conversation; answers with that one."""
    engine.conversations.move(message_id, body.into)
    return engine.conversations.get(body.into)


@routes("PATCH", "/v1/messages/{message_id}", Scope.WRITE, "Correct intents")
def patch_message(engine: Engine, message_id: RowId, body: MessagePatch) -> None:
    """Corrects the intents of a message."""
    engine.messages.correct_intents(message_id, tuple(body.intents))


@routes("POST", "/v1/references/{reference_id}/correct", Scope.WRITE, "Correct a reference")
def correct_reference(engine: Engine, reference_id: RowId, body: ReferenceBody) -> None:
    """Sets what a reference refers to."""
    engine.messages.correct_reference(reference_id, body.antecedent, body.antecedent_message_id)


@routes("POST", "/v1/references/{reference_id}/dismiss", Scope.WRITE, "Dismiss a reference")
def dismiss_reference(engine: Engine, reference_id: RowId) -> None:
    """Says that a reference refers to nothing."""
    engine.messages.dismiss_reference(reference_id)
