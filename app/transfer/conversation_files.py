"""Writing a conversation out as Markdown, for people; the JSONL files of seeds 1 and 2 are `interop.seed_files`."""

from collections.abc import Iterable, Iterator

from app.values import ConversationDetail, Message, ReferenceState, Speaker


def conversation_markdown(detail: ConversationDetail) -> str:
    """One conversation as Markdown; the person's text is quoted, never interpreted."""
    one = detail.conversation
    lines = [f"# {one.title}", "", f"{one.app} · {one.project} · {one.started_at:%Y-%m-%d %H:%M} UTC"]
    if one.merged_into_id is not None:
        lines.append(f"Joined with “{one.merged_into_title}”: its messages are in conversation {one.merged_into_id}.")
    elif one.outcome is not None:
        lines.append(f"Outcome: {one.outcome.value}")
    if one.topics:
        lines.append(f"Topics: {', '.join(one.topics)}")
    if one.files:
        lines.append(f"Files: {', '.join(one.files)}")
    for message in detail.messages:
        lines += ["", *_message_lines(message)]
    return "\n".join(lines) + "\n"


def _message_lines(message: Message) -> Iterator[str]:
    intents = " + ".join(score.intent.value for score in message.intents)
    who = "assistant" if message.speaker is Speaker.ASSISTANT else "you"
    yield f"## {message.at:%Y-%m-%d %H:%M} · {who} · {intents}"
    yield ""
    yield from (f"> {line}" for line in message.text.splitlines() or [""])
    for _, reference in message.references:
        if reference.state in {ReferenceState.RESOLVED, ReferenceState.CORRECTED}:
            yield ""
            yield f"“{reference.mention or 'left out'}” = {reference.antecedent}"


def ended_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Each line with its end."""
    return (line if line.endswith(b"\n") else line + b"\n" for line in lines)
