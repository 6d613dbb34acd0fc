"""Writing conversations out: Markdown for people, the two JSONL files of seeds 1 and 2 without loss."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from app.errors import DiskProblem
from app.interop.seed_files import write_context, write_history
from app.places import open_private
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


def write_lines(path: Path, lines: Iterable[bytes]) -> int:
    """Writes lines into a private file, replacing it at the end; returns how many. Raises DiskProblem."""
    partial = path.with_name(f".{path.name}.partial")
    count = 0
    try:
        partial.unlink(missing_ok=True)
        descriptor = open_private(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(descriptor, "wb") as handle:
            for line in lines:
                handle.write(line if line.endswith(b"\n") else line + b"\n")
                count += 1
            handle.flush()
            os.fsync(handle.fileno())
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):  # there may be no such folder
            partial.unlink(missing_ok=True)
        reason = (error.strerror or "no reason was given").lower()
        raise DiskProblem(
            f"{path} cannot be written: {reason}.", hint="Choose a file in a folder that you may write."
        ) from error
    return count


def history_lines(details: Iterable[ConversationDetail]) -> Iterator[bytes]:
    return write_history(details)


def context_lines(messages: Iterable[Message], sessions: dict[int, str]) -> Iterator[bytes]:
    return write_context(messages, sessions)
