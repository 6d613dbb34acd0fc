"""`remanence conversations list|show|search`, `remanence episodes list|show` and `remanence window load|log|hand-over|clear`.

`remanence conversations rename|outcome|end|reopen|split|merge|move|questions|clarify`: what a person corrects. An episode is what a
conversation came to. Source: S1 "User Clarification Flow", UX 4.3.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from app.cli.client import EngineClient, open_client
from app.cli.options import JsonOption, ask, places_of
from app.cli.output import print_done, print_json, print_line, print_result, print_table, shown_at
from app.errors import InvalidError
from app.values import EpisodeType, Intent, Outcome

ConversationArgument = Annotated[int, typer.Argument(help="The conversation's id, as in the list.")]
MessageArgument = Annotated[int, typer.Argument(help="The message's id, as remanence messages list shows it.")]


def rename(
    context: typer.Context,
    conversation_id: ConversationArgument,
    title: Annotated[str, typer.Argument(help="The new title.")],
    as_json: JsonOption = False,
) -> None:
    """Give a conversation another title."""
    ask(context, "PATCH", f"/v1/conversations/{conversation_id}", body={"title": title})
    print_done({"id": conversation_id}, f"Renamed conversation {conversation_id}.", as_json=as_json)


def set_outcome(
    context: typer.Context,
    conversation_id: ConversationArgument,
    outcome: Annotated[Outcome, typer.Argument(help="What came of it.")],
    as_json: JsonOption = False,
) -> None:
    """Say what came of a conversation."""
    ask(context, "PATCH", f"/v1/conversations/{conversation_id}", body={"outcome": outcome.value})
    print_done({"id": conversation_id}, f"Conversation {conversation_id} is {outcome.value}.", as_json=as_json)


def end(
    context: typer.Context,
    conversation_id: ConversationArgument,
    outcome: Annotated[
        Outcome | None, typer.Option(help="What came of it; left out: judged from its messages.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """End a conversation. What you say next starts a new one."""
    body = {"outcome": outcome.value if outcome else None}
    ask(context, "POST", f"/v1/conversations/{conversation_id}/end", body=body)
    print_done({"id": conversation_id}, f"Ended conversation {conversation_id}.", as_json=as_json)


def reopen(context: typer.Context, conversation_id: ConversationArgument, as_json: JsonOption = False) -> None:
    """Continue a conversation that was ended."""
    ask(context, "POST", f"/v1/conversations/{conversation_id}/reopen")
    print_done({"id": conversation_id}, f"Conversation {conversation_id} continues.", as_json=as_json)


def split(context: typer.Context, message_id: MessageArgument, as_json: JsonOption = False) -> None:
    """Split a conversation at a message. This one and those after it become a new conversation."""
    with open_client(places_of(context)) as client:
        path = f"/v1/conversations/{_holder_of(client, message_id)}/split"
        made = client.ask("POST", path, body={"message_id": message_id})["conversation"]
    text = f"Message {message_id} starts conversation {made['id']} now: “{made['title']}”."
    print_done(made, text, as_json=as_json)


def merge(
    context: typer.Context,
    conversation_id: ConversationArgument,
    into: Annotated[int, typer.Option("--into", help="The conversation that takes its messages.")],
    as_json: JsonOption = False,
) -> None:
    """Join a conversation with another one."""
    made = ask(context, "POST", f"/v1/conversations/{conversation_id}/merge", body={"into": into})["conversation"]
    print_done(made, f"Joined conversation {conversation_id} with {into}: “{made['title']}”.", as_json=as_json)


def move(
    context: typer.Context,
    message_id: MessageArgument,
    into: Annotated[int, typer.Option("--into", help="The conversation that it belongs to.")],
    as_json: JsonOption = False,
) -> None:
    """Put a message and those after it into another conversation."""
    made = ask(context, "POST", f"/v1/messages/{message_id}/move", body={"into": into})["conversation"]
    print_done(made, f"Message {message_id} is in conversation {into} now: “{made['title']}”.", as_json=as_json)


def list_questions(context: typer.Context, as_json: JsonOption = False) -> None:
    """Messages that may start a new topic: you decide."""
    found = ask(context, "GET", "/v1/clarifications", as_json=as_json)
    rows = (
        (one["message_id"], one["continue_title"], f"{one['confidence']:.2f}", one["reason"], one["message_text"])
        for one in found
    )
    print_table(("message", "continues", "sure", "why", "text"), rows, empty="No question is open.")
    if found:
        print_line("Answer with: remanence conversations clarify MESSAGE --new (or --same)")


def clarify(
    context: typer.Context,
    message_id: MessageArgument,
    is_new: Annotated[
        bool | None, typer.Option("--new/--same", help="It starts a new topic, or continues the same one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether a message starts a new topic. It learns from your answer."""
    if is_new is None:
        raise InvalidError("New topic, or the same?", hint="Add --new or --same.")
    with open_client(places_of(context)) as client:
        path = f"/v1/conversations/{_holder_of(client, message_id)}/clarify"
        client.ask("POST", path, body={"message_id": message_id, "is_new": is_new})
    said = "starts a new topic" if is_new else "continues the same topic"
    print_done({"message_id": message_id, "is_new": is_new}, f"Message {message_id} {said}.", as_json=as_json)


def _holder_of(client: EngineClient, message_id: int) -> int:
    """The conversation in which the message stands."""
    return int(client.ask("GET", f"/v1/messages/{message_id}")["conversation_id"])


AppOption = Annotated[str | None, typer.Option("--app", help="Only of this app.")]
ProjectOption = Annotated[str | None, typer.Option("--project", help="Only of this project.")]


def list_conversations(
    context: typer.Context,
    app: AppOption = None,
    project: ProjectOption = None,
    is_all: Annotated[bool, typer.Option("--all", help="Also those that left the queue of 20.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Your last 20 conversations, newest first."""
    query = {"app": app, "project": project, "include_evicted": "true" if is_all else None}
    found = ask(context, "GET", "/v1/conversations", query=query, as_json=as_json)
    rows = (
        (
            part["position"],
            part["id"],
            part["state"],
            part["app"],
            part["project"],
            part["message_count"],
            part["title"],
        )
        for part in found
    )
    empty = "No conversations match." if app or project else "No conversations yet."
    print_table(("place", "id", "state", "app", "project", "messages", "title"), rows, empty=empty)


def show_conversation(
    context: typer.Context,
    conversation_id: Annotated[int, typer.Argument(help="The id, as in the list.")],
    as_json: JsonOption = False,
) -> None:
    """Show one conversation as Markdown."""
    path = f"/v1/conversations/{conversation_id}"
    with open_client(places_of(context)) as client:
        if as_json:
            print_json(client.ask("GET", path))
        else:
            print_line(client.ask("GET", f"{path}/markdown").rstrip("\n"))


def show_record(
    context: typer.Context,
    conversation_id: Annotated[int, typer.Argument(help="The id, as in the list.")],
    as_json: JsonOption = False,
) -> None:
    """Files it changed, and conversations it continues. Each with one line."""
    found = ask(context, "GET", f"/v1/conversations/{conversation_id}/record", as_json=as_json)
    for one in found["changes"]:
        source = "commit" if one["is_commit"] else one["worded_by"]
        print_line(f"{one['file']}" + (f": {one['line']} ({source})" if one["line"] else ""))
    for one in found["references"]:
        way = (
            one["way"] if one["is_outgoing"] else {"continues": "continued by", "mentions": "mentioned by"}[one["way"]]
        )
        print_line(f"{way} conversation {one['conversation_id']}: {one['title']}")


def search_conversations(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words to look for.")],
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=500)] = 20,
    as_json: JsonOption = False,
) -> None:
    """Find messages by words."""
    found = ask(context, "GET", "/v1/conversations/search", query={"q": query, "limit": limit}, as_json=as_json)
    rows = ((hit["conversation_id"], shown_at(hit["at"]), hit["conversation_title"], hit["snippet"]) for hit in found)
    print_table(("id", "at", "conversation", "text"), rows, empty="No message has these words.")


def load_window(
    context: typer.Context, app: AppOption = None, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """List these messages."""
    found: list[dict[str, Any]] = ask(
        context, "GET", "/v1/window", query={"app": app, "project": project}, as_json=as_json
    )
    rows = ((part["id"], shown_at(part["at"]), part["expanded_text"]) for part in found)
    print_table(("id", "at", "text"), rows, empty="No messages yet.")


TextArgument = Annotated[str, typer.Argument(help="The message.")]
SessionOption = Annotated[str, typer.Option("--session", "--session-id", help="The session that it belongs to.")]
FolderOption = Annotated[str, typer.Option("--project", help="Folder or name of its project.")]
IntentOption = Annotated[
    list[Intent] | None,
    typer.Option("--intent", help="What it asks for; left out: judged from its words.", case_sensitive=False),
]
RefOption = Annotated[
    str, typer.Option("--context-ref", help="What “it” means in it; left out: judged from the messages before.")
]


def log_window(
    context: typer.Context,
    text: TextArgument,
    session: SessionOption = "",
    project: FolderOption = "",
    intent: IntentOption = None,
    context_ref: RefOption = "",
    as_json: JsonOption = False,
) -> None:
    """Add a message, as if you had typed it."""
    body = _window_body(text, session, project, intent, context_ref)
    result = ask(context, "POST", "/v1/window", body=body)
    if as_json:
        print_json(result)
    elif result["state"] == "ignored":
        print_line(f"Not kept: {result['error']}.")
    else:
        print_line(result["expanded_text"] or text)


def hand_over(
    context: typer.Context,
    text: TextArgument,
    session: SessionOption = "",
    project: FolderOption = "",
    intent: IntentOption = None,
    context_ref: RefOption = "",
    as_json: JsonOption = False,
) -> None:
    """Add a message and show how it was understood."""
    body = _window_body(text, session, project, intent, context_ref)
    done = ask(context, "POST", "/v1/window/hand-over", body=body, as_json=as_json)
    intents = ", ".join(one["intent"] for one in done["intents"])
    print_table(
        ("", "handed over"),
        (
            ("original", done["original"]), ("expanded", done["expanded"]), ("context", done["context"]),
            ("intents", intents), ("conversation", f"{done['conversation_id']} {done['title']}"),
            ("messages before", len(done["recent"])),
        ),
    )  # fmt: skip


def _window_body(
    text: str, session: str, project: str, intents: list[Intent] | None, context_ref: str
) -> dict[str, object]:
    chosen = [one.value for one in intents or []]
    return {
        "text": text, "session": session, "project": project, "intents": chosen, "context_ref": context_ref,
    }  # fmt: skip


def clear_window(
    context: typer.Context,
    app: AppOption = None,
    conversation: Annotated[int | None, typer.Option(help="Only of this conversation.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Let “it” look no further back. No message is deleted."""
    done = ask(context, "DELETE", "/v1/window", query={"app": app, "conversation": conversation})
    count = done["cleared_count"]
    said = "1 message is" if count == 1 else f"{count} messages are"
    print_result(done, f"{said} no longer searched for what “it” means.", as_json=as_json)


def list_episodes(
    context: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(help="Words, and a time: in March, last week, 2026-03.", show_default=False)
    ] = None,
    project: Annotated[str | None, typer.Option("--project", help="Only of this project.")] = None,
    kind: Annotated[EpisodeType | None, typer.Option("--type", help="Only of this type.")] = None,
    file: Annotated[str, typer.Option("--file", help="Only those that changed this file.")] = "",
    is_key: Annotated[bool, typer.Option("--key", help="Only those with a key moment.")] = False,
    limit: Annotated[int, typer.Option(help="At most this many.", min=1, max=500)] = 50,
    as_json: JsonOption = False,
) -> None:
    """List them, the newest first."""
    query = {
        "q": " ".join(words or ()), "project": project, "type": kind.value if kind else None, "file": file or None,
        "is_key": "true" if is_key else None, "limit": limit,
    }  # fmt: skip
    found = ask(context, "GET", "/v1/episodes", query=query, as_json=as_json)
    rows = ((one["id"], one["began_at"][:10], one["project"], _kind_words(one), one["title"]) for one in found)
    empty = "No episodes match." if words or project or kind or file or is_key else "No episodes yet."
    print_table(("id", "began", "project", "type", "title"), rows, empty=empty)


def show_episode(
    context: typer.Context,
    episode_id: Annotated[int, typer.Argument(help="The id, as in the list.")],
    as_json: JsonOption = False,
) -> None:
    """One episode: its story, what was made and learned."""
    found = ask(context, "GET", f"/v1/episodes/{episode_id}", as_json=as_json)
    for line in episode_lines(found):
        print_line(line)


def episode_lines(detail: dict[str, Any]) -> Iterator[str]:
    """An episode in plain lines."""
    one, arc = detail["episode"], detail["arc"]
    yield one["title"]
    yield " · ".join(filter(None, (one["began_at"][:10], one["project"], _kind_words(one), one["outcome"])))
    yield f"\n{detail['narrative']}"
    if one["context"]:
        yield one["context"]
    for name in ("beginning", "middle", "end"):
        if arc[name]:
            yield f"\n{name.capitalize()}"
        for moment in arc[name]:
            mark = "*" if moment in arc["key_moments"] else "-"
            yield f"  {mark} {moment['type'].replace('_', ' ')} (turn {moment['turn']}): {moment['text']}"
    if one["artifacts"]:
        yield "\nMade: " + ", ".join(f"{made['kind']} {made['reference']}" for made in one["artifacts"])
    if detail["memories"]:
        yield "\nLearned"
    for card in detail["memories"]:
        yield f"  {card['id']}  {card['summary']}"


def _kind_words(one: dict[str, Any]) -> str:
    return str(one["type"] or "").replace("_", " ")
