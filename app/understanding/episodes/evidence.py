"""The signs of how a conversation went, gathered from what the store keeps of it, as its episode's deciders take them.

Loads messages, tool uses and what was learned, turn by turn; and the artifacts that were made. Composes nothing.
Source: S3 "Episodic Memory", S4 "Episode artifacts".
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import Connection

from app.context.prediction import inside
from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.file_changes import adr_of
from app.deciders.conversation.moments import LearnedSign, TopicSign, Turn
from app.deciders.conversation.outcome import has_failed, is_commit, is_edit, is_test
from app.interop.distil import distil_tool
from app.language.sentences import SENTENCE_END
from app.store.rows import episode as rows
from app.understanding.conversations.derived import tool_outcome_of
from app.values import ArtifactKind, DistilledKind, Intent

FILES_MOST, COMMITS_MOST = 12, 20
_TURN_CHARS = 4_000  # of a message that are read for how it went
_CONTEXT_CHARS = 200


@dataclass(frozen=True, slots=True)
class EpisodeEvidence:
    """`artifacts` in order, each kind and reference once; `opening`: the person's first words."""

    turns: tuple[Turn, ...]
    times: tuple[Any, ...]
    artifacts: tuple[tuple[ArtifactKind, str], ...]
    opening: str


def load_evidence(connection: Connection, conversation_id: int, noted: Mapping[str, Any], root: str) -> EpisodeEvidence:
    """All that is known of how it went. `noted`: what its assistant and a judge wrote of it; `root`: the project's folder."""
    messages = rows.load_turns(connection, conversation_id)
    learned: dict[int, list[LearnedSign]] = defaultdict(list)
    for one in rows.load_learned(connection, [row.id for row in messages]):
        is_turn = one.replaces and one.type in {"decision", "goal"}
        learned[one.message_id].append(LearnedSign(one.memory_id, one.type, one.worth, is_turn))
    topics = {int(message_id): TopicSign(title, outcome) for message_id, title, outcome, _ in noted.get("topics", [])}
    tools = by_turn([row.at for row in messages], rows.load_tool_uses(connection, conversation_id))
    texts = [own_words(row.text[:_TURN_CHARS]).strip() for row in messages]
    turns = tuple(
        _turn(number, text, row.intents, tools[number], learned[row.id], topics.get(row.id))
        for number, (row, text) in enumerate(zip(messages, texts, strict=True), 1)
    )
    used = [use for uses in tools.values() for use in uses]
    return EpisodeEvidence(
        turns, tuple(row.at for row in messages), tuple(_artifacts(noted, used, root)), _opening(texts)
    )


def _turn(
    number: int,
    text: str,
    intents: Sequence[Any],
    uses: Sequence[Any],
    learned: Sequence[LearnedSign],
    topic: TopicSign | None,
) -> Turn:
    outcomes = [replace(tool_outcome_of(use), error=use.error) for use in uses]
    tests = [not has_failed(one) for one in outcomes if is_test(one)]
    noted = [note for one in outcomes if is_commit(one) for note in noted_in_command(one.command)]
    return Turn(
        number=number,
        text=text,
        is_problem=bool(intents) and intents[0][0] == Intent.DEBUG.value,
        tests=tests,
        error=next((one.error for one in outcomes if is_test(one) and has_failed(one) and one.error), ""),
        edited=[PurePosixPath(one.file.replace("\\", "/")).name for one in outcomes if is_edit(one) and one.file],
        commits=[note.text for note in noted if note.kind is DistilledKind.COMMIT],
        pull_requests=[note.text for note in noted if note.kind is DistilledKind.PULL_REQUEST],
        learned=learned,
        topic=topic,
    )


def noted_in_command(command: str) -> Iterable[Any]:
    """What a command says of the work: the subject of a commit, the title of a pull request."""
    return distil_tool({"tool_name": "Bash", "tool_input": {"command": command}})


def by_turn(times: Sequence[Any], uses: Sequence[Any]) -> dict[int, list[Any]]:
    """Each use with the turn after which it came, counted from 1."""
    found: dict[int, list[Any]] = defaultdict(list)
    for use in uses:
        found[max(1, bisect_right(times, use.at))].append(use)
    return found


def _artifacts(noted: Mapping[str, Any], uses: Sequence[Any], root: str) -> Iterable[tuple[ArtifactKind, str]]:
    """Commits and pull requests by number where it is known, else by what they say; decision records; files that were changed."""
    found: dict[tuple[ArtifactKind, str], None] = {}
    numbers = noted.get("references") or {}
    for text in noted.get("commits", [])[-COMMITS_MOST:]:
        found[ArtifactKind.COMMIT, str(numbers.get(text) or text)] = None
    for text in noted.get("pull_requests", []):
        found[ArtifactKind.PR, str(numbers.get(text) or text)] = None
    files = dict.fromkeys(
        inside(use.file, root) for use in uses if use.file and not use.is_error and " " not in use.file
    )
    for file in list(files)[-FILES_MOST:]:
        record = adr_of(file)
        found[(ArtifactKind.ADR, record) if record else (ArtifactKind.FILE, file)] = None
    return found


def _opening(texts: Sequence[str]) -> str:
    """The first sentence of what the person began with, in one line."""
    first = next((" ".join(text.split()) for text in texts if text.strip()), "")
    end = SENTENCE_END.search(first, 20, _CONTEXT_CHARS)
    opening = first[: end.start()] if end is not None else first
    return opening if len(opening) <= _CONTEXT_CHARS else f"{opening[: _CONTEXT_CHARS - 1].rstrip()}…"
