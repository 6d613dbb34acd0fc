"""The record of a conversation: its files with one line each, the conversations it refers to and that refer to it, its episodes.

Read from what tools and answers left while they are kept; of a conversation that left the queue from its episode. Source: S1.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from app.context.prediction import inside
from app.deciders.conversation.file_changes import ToolStep, describe_file_changes, is_continuing
from app.deciders.conversation.outcome import is_commit, is_edit
from app.store.rows import episode as episode_rows
from app.understanding.conversations.derived import tool_outcome_of
from app.understanding.episodes.evidence import by_turn, noted_in_command
from app.values import ConversationRecord, CrossReference, DistilledKind, FileChange, MemoryStatus, ReferenceWay

_FILES_MOST, _EPISODES_MOST = 40, 5


def read_record(connection: Connection, conversation_id: int, root: str, app: str) -> ConversationRecord:
    """`root`: the project's folder; `app`: whose words a line is."""
    episodes = episode_rows.load_episodes(connection, conversation_id)
    return ConversationRecord(
        conversation_id,
        tuple(find_changes(connection, conversation_id, root, app)) or tuple(_kept(episodes, conversation_id)),
        (
            *_references(connection, conversation_id, is_outgoing=True),
            *_references(connection, conversation_id, is_outgoing=False),
        ),
        tuple(number for number, status, _ in episodes if status == MemoryStatus.ACTIVE)[:_EPISODES_MOST],
    )


def find_changes(connection: Connection, conversation_id: int, root: str, app: str) -> list[FileChange]:
    """Of what tools did, while that is kept."""
    messages = episode_rows.load_turns(connection, conversation_id)
    uses = by_turn([row.at for row in messages], episode_rows.load_tool_uses(connection, conversation_id))
    if not uses:
        return []
    ends = episode_rows.load_answer_ends(connection, conversation_id)
    steps: list[ToolStep] = []
    for number, row in enumerate(messages, 1):
        steps += _steps(uses.get(number, ()), root, ends.get(int(row.id), ""))
    return [
        FileChange(file, line, is_commit=by_commit, worded_by=app if line else "")
        for file, (line, by_commit) in list(describe_file_changes(steps).items())[-_FILES_MOST:]
    ]


def _steps(uses: Sequence[Any], root: str, answer: str) -> Iterable[ToolStep]:
    """A step ends with each commit; what comes after the last is said by the answer."""
    edited: list[str] = []
    for use in uses:
        outcome = tool_outcome_of(use)
        if is_edit(outcome) and use.file:
            edited.append(inside(use.file, root))
        if is_commit(outcome):
            subjects = [one.text for one in noted_in_command(use.command) if one.kind is DistilledKind.COMMIT]
            yield ToolStep(edited, subjects[0] if subjects else "", answer)
            edited = []
    if edited:
        yield ToolStep(edited, answer=answer)


def kept_changes(connection: Connection, conversation_id: int, root: str, app: str) -> list[list[Any]]:
    """As an episode keeps them for when what tools did is gone."""
    found = find_changes(connection, conversation_id, root, app)
    return [[one.file, one.line, one.is_commit, one.worded_by] for one in found]


def _kept(episodes: Iterable[episode_rows.EpisodeRow], conversation_id: int) -> Iterable[FileChange]:
    own: Mapping[str, Any] = next(
        (one for _, _, one in episodes if one.get("conversation_id") == conversation_id), {}
    )  # not of what tells of several
    for one in own.get("changes") or ():
        if isinstance(one, list) and len(one) == 4:
            yield FileChange(str(one[0]), str(one[1]), bool(one[2]), str(one[3]))


def _references(connection: Connection, conversation_id: int, *, is_outgoing: bool) -> Iterable[CrossReference]:
    for row in episode_rows.load_references(connection, conversation_id, is_outgoing=is_outgoing):
        way = ReferenceWay.CONTINUES if row.was_continued or is_continuing(row.said) else ReferenceWay.MENTIONS
        yield CrossReference(row.conversation_id, row.title, way, is_outgoing, row.is_kept)
