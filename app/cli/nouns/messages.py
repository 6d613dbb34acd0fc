"""`remanence messages list|show|correct-intents|correct-reference|dismiss-reference`: what was understood, and corrections.

Owns how it is shown; every correction is one request. Source: S2 references, UX 4.3.
"""

from typing import Annotated, Any

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_done, print_json, print_line, print_table, shown_at
from app.values import Intent

MessageArgument = Annotated[int, typer.Argument(help="The message's id, as in the list.")]
ReferenceArgument = Annotated[int, typer.Argument(help="The reference's id, as remanence messages show prints it.")]


def list_messages(
    context: typer.Context,
    conversation_id: Annotated[int, typer.Argument(help="The conversation's id.")],
    as_json: JsonOption = False,
) -> None:
    """The messages of a conversation, with their ids."""
    found = ask(context, "GET", f"/v1/conversations/{conversation_id}")["messages"]
    if as_json:
        print_json(found)
        return
    rows = (
        (one["id"], shown_at(one["at"]), _intents(one), len(one["references"]), one["expanded_text"]) for one in found
    )
    print_table(("id", "at", "intents", "references", "text"), rows)


def show_message(context: typer.Context, message_id: MessageArgument, as_json: JsonOption = False) -> None:
    """One message and how it was understood."""
    found = ask(context, "GET", f"/v1/messages/{message_id}", as_json=as_json)
    print_line(found["text"])
    boundary = found["boundary"]
    print_line()
    facts = (
        ("conversation", found["conversation_id"]),
        ("read as", found["expanded_text"]),
        ("intents", _intents(found)),
        ("starts it" if boundary["is_start"] else "continues", boundary["reason"]),
    )
    print_table(("field", "value"), facts)
    if found["references"]:
        print_line()
        heads = ("reference", "words", "refers to", "state", "sure", "why")
        print_table(heads, (_reference_row(*pair) for pair in found["references"]))


def correct_intents(
    context: typer.Context,
    message_id: MessageArgument,
    intents: Annotated[list[Intent], typer.Argument(help="All that the message asks for.", case_sensitive=False)],
    as_json: JsonOption = False,
) -> None:
    """Say what a message asks for. It learns from that."""
    chosen = [one.value for one in intents]
    ask(context, "PATCH", f"/v1/messages/{message_id}", body={"intents": chosen})
    text = f"Message {message_id} is {', '.join(chosen)}."
    print_done({"id": message_id, "intents": chosen}, text, as_json=as_json)


def correct_reference(
    context: typer.Context,
    reference_id: ReferenceArgument,
    antecedent: Annotated[str, typer.Argument(help="What “it” means.")],
    message: Annotated[int | None, typer.Option(help="The message that names it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what “it” means in a message."""
    body = {"antecedent": antecedent, "antecedent_message_id": message}
    ask(context, "POST", f"/v1/references/{reference_id}/correct", body=body)
    text = f"Reference {reference_id} refers to “{antecedent}”."
    print_done({"id": reference_id, "antecedent": antecedent}, text, as_json=as_json)


def dismiss_reference(context: typer.Context, reference_id: ReferenceArgument, as_json: JsonOption = False) -> None:
    """Say that “it” means nothing in particular."""
    ask(context, "POST", f"/v1/references/{reference_id}/dismiss")
    print_done({"id": reference_id}, f"Reference {reference_id} refers to nothing.", as_json=as_json)


def _intents(message: dict[str, Any]) -> list[str]:
    return [score["intent"] for score in message["intents"]]


def _reference_row(reference_id: int, one: dict[str, Any]) -> tuple[object, ...]:
    words = one["mention"] or "(left out)"
    return reference_id, words, one["antecedent"], one["state"], f"{one['confidence']:.2f}", one["reason"]
