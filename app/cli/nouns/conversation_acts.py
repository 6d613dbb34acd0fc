"""`remanence conversations rename|outcome|end|reopen|split|merge|move|questions|clarify`: what a person corrects.

Owns how each act is asked for and what is said of it; every act is one request, one entry of the journal. Source: S1
"User Clarification Flow", UX 4.3.
"""

from typing import Annotated

import typer

from app.cli.client import Desk, open_desk
from app.cli.options import JsonOption, places_of
from app.cli.output import print_done, print_json, print_line, print_table
from app.errors import InvalidError
from app.values import Outcome

ConversationArgument = Annotated[int, typer.Argument(help="The conversation's id, as in the list.")]
MessageArgument = Annotated[int, typer.Argument(help="The message's id, as remanence messages list shows it.")]


def rename(
    context: typer.Context,
    conversation_id: ConversationArgument,
    title: Annotated[str, typer.Argument(help="The new title.")],
    as_json: JsonOption = False,
) -> None:
    """Give a conversation another title."""
    with open_desk(places_of(context)) as desk:
        desk.ask("PATCH", f"/v1/conversations/{conversation_id}", body={"title": title})
    print_done({"id": conversation_id}, f"Renamed conversation {conversation_id}.", as_json=as_json)


def set_outcome(
    context: typer.Context,
    conversation_id: ConversationArgument,
    outcome: Annotated[Outcome, typer.Argument(help="What came of it.")],
    as_json: JsonOption = False,
) -> None:
    """Say what came of a conversation."""
    with open_desk(places_of(context)) as desk:
        desk.ask("PATCH", f"/v1/conversations/{conversation_id}", body={"outcome": outcome.value})
    print_done({"id": conversation_id}, f"Conversation {conversation_id} is {outcome.value}.", as_json=as_json)


def end(
    context: typer.Context,
    conversation_id: ConversationArgument,
    outcome: Annotated[Outcome | None, typer.Option(help="What came of it; left out: found out.")] = None,
    as_json: JsonOption = False,
) -> None:
    """End a conversation: what is said next starts a new one."""
    body = {"outcome": outcome.value if outcome else None}
    with open_desk(places_of(context)) as desk:
        desk.ask("POST", f"/v1/conversations/{conversation_id}/end", body=body)
    print_done({"id": conversation_id}, f"Ended conversation {conversation_id}.", as_json=as_json)


def reopen(context: typer.Context, conversation_id: ConversationArgument, as_json: JsonOption = False) -> None:
    """Go on with an ended conversation."""
    with open_desk(places_of(context)) as desk:
        desk.ask("POST", f"/v1/conversations/{conversation_id}/reopen")
    print_done({"id": conversation_id}, f"Conversation {conversation_id} continues.", as_json=as_json)


def split(context: typer.Context, message_id: MessageArgument, as_json: JsonOption = False) -> None:
    """Let a message start a new conversation; those after it go with it."""
    with open_desk(places_of(context)) as desk:
        path = f"/v1/conversations/{_holder_of(desk, message_id)}/split"
        made = desk.ask("POST", path, body={"message_id": message_id})["conversation"]
    text = f"Message {message_id} starts conversation {made['id']} now: “{made['title']}”."
    print_done(made, text, as_json=as_json)


def merge(
    context: typer.Context,
    conversation_id: ConversationArgument,
    into: Annotated[int, typer.Option("--into", help="The conversation that takes its messages.")],
    as_json: JsonOption = False,
) -> None:
    """Join a conversation with another one."""
    with open_desk(places_of(context)) as desk:
        made = desk.ask("POST", f"/v1/conversations/{conversation_id}/merge", body={"into": into})["conversation"]
    print_done(made, f"Joined conversation {conversation_id} with {into}: “{made['title']}”.", as_json=as_json)


def move(
    context: typer.Context,
    message_id: MessageArgument,
    into: Annotated[int, typer.Option("--into", help="The conversation that it belongs to.")],
    as_json: JsonOption = False,
) -> None:
    """Put a message and those after it into another conversation."""
    with open_desk(places_of(context)) as desk:
        made = desk.ask("POST", f"/v1/messages/{message_id}/move", body={"into": into})["conversation"]
    print_done(made, f"Message {message_id} is in conversation {into} now: “{made['title']}”.", as_json=as_json)


def list_questions(context: typer.Context, as_json: JsonOption = False) -> None:
    """Messages of which it is not sure whether they start something new."""
    with open_desk(places_of(context)) as desk:
        found = desk.ask("GET", "/v1/clarifications")
    if as_json:
        print_json(found)
        return
    rows = (
        (one["message_id"], one["continue_title"], f"{one['confidence']:.2f}", one["reason"], one["message_text"])
        for one in found
    )
    print_table(("message", "continues", "sure", "why", "text"), rows)
    if found:
        print_line("remanence conversations clarify MESSAGE --new, or --same.")


def clarify(
    context: typer.Context,
    message_id: MessageArgument,
    is_new: Annotated[
        bool | None, typer.Option("--new/--same", help="It starts something new, or continues the same.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Answer whether a message starts something new; later judgements follow the answer."""
    if is_new is None:
        raise InvalidError("What is the answer?", hint="Give --new, or --same.")
    with open_desk(places_of(context)) as desk:
        path = f"/v1/conversations/{_holder_of(desk, message_id)}/clarify"
        desk.ask("POST", path, body={"message_id": message_id, "is_new": is_new})
    said = "starts something new" if is_new else "continues the same"
    print_done({"message_id": message_id, "is_new": is_new}, f"Message {message_id} {said}.", as_json=as_json)


def _holder_of(desk: Desk, message_id: int) -> int:
    """The conversation in which the message stands."""
    return int(desk.ask("GET", f"/v1/messages/{message_id}")["conversation_id"])
