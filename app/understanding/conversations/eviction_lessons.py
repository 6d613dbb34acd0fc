"""What a conversation leaves when it goes: rules and links are kept, what stays is counted, and Activity says so in one line.

Runs in the transaction of the message that pushes it out, before its text goes. The same reading serves the conversations that are
over and still in the queue, when a consolidation learns rules: a conversation counts once for each rule, whoever asks.
Source: S1 "DELETED: FIFO removes oldest", DESIGN section 5 "evict".
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection

from app.context.prediction import inside
from app.deciders.conversation.authorship import own_words
from app.deciders.learning.conversation_rules import TaughtMessage, TaughtUse, learn_from_conversation
from app.settings import Settings
from app.store.journal import Write
from app.store.rows.conversation import place_of
from app.store.rows.message import load_tool_uses
from app.store.rows.rule import count_memories_of, count_rules_of, find_archived, keep_candidates, link_conversation
from app.store.table_queries import rows_with
from app.store.tables.core import ConversationRow
from app.understanding.message_rows import AnyRow, load_messages, title_of
from app.values import Conversation, ConversationState, Intent, Message, Origin, Speaker
from app.values.memory import MemoryKind
from app.values.rules import Farewell, RuleCandidate, RuleKind

KIND = "evicted"
_USES_READ = 2_000


class ConversationLessons(NamedTuple):
    """What a conversation teaches, and where."""

    candidates: tuple[RuleCandidate, ...]
    files: tuple[str, ...]
    project_id: int | None


def read_lessons(connection: Connection, conversation_id: int) -> ConversationLessons | None:
    """What the rules would learn from a conversation; None for one that has no message."""
    messages = load_messages(connection, conversation_id=conversation_id)
    spoken = [one for one in messages if one.speaker is Speaker.USER]
    if not spoken:
        return None
    place = place_of(connection, _row(connection, conversation_id).stream_id)
    uses = _uses(connection, conversation_id, spoken, place.path)
    files = tuple(dict.fromkeys(one.file for one in uses if one.file and not one.command and not one.is_error))
    candidates = learn_from_conversation(_as_lessons(spoken), uses)
    return ConversationLessons(candidates, files, place.project_id)


def _row(connection: Connection, conversation_id: int) -> AnyRow:
    return rows_with(connection, ConversationRow, "stream_id", "message_count", id=conversation_id)[0]


def _as_lessons(spoken: Sequence[Message]) -> list[TaughtMessage]:
    order = {one.id: place for place, one in enumerate(spoken)}
    return [
        TaughtMessage(
            text=own_words(one.text),
            intents=tuple(Intent(score.intent) for score in one.intents),
            entities=one.entities,
            references=tuple(reference for _, reference in one.references),
            back=tuple(
                order[one.id] - order[reference.antecedent_message_id]
                if reference.antecedent_message_id in order
                else None
                for _, reference in one.references
            ),
            is_start=one.boundary.is_start,
            boundary_state=one.boundary.state,
            boundary_reason=one.boundary.reason,
            is_intent_corrected=one.is_intent_corrected,
        )
        for one in spoken
    ]


def _uses(connection: Connection, conversation_id: int, spoken: Sequence[Message], root: str) -> list[TaughtUse]:
    rows = load_tool_uses(connection, conversation_id, _USES_READ)
    starts = [one.at for one in spoken]
    return [
        TaughtUse(
            file=inside(row.file, root),
            command=row.command,
            is_error=row.is_error,
            error=row.error,
            turn=sum(at <= row.at for at in starts),
        )
        for row in rows
    ]


def learn_rules_of(write: Write, conversation_id: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Keeps what the conversation teaches and links it; the numbers of the rules that are new, and of those reinforced."""
    taught = read_lessons(write.connection, conversation_id)
    if taught is None:
        return (), ()
    added, reinforced = keep_candidates(
        write,
        taught.candidates,
        conversation_id=conversation_id,
        project_id=taught.project_id,
    )
    link_conversation(write, conversation_id, (*added, *reinforced), taught.files)
    return added, reinforced


class DepartureLessons:
    """Learns from a conversation that leaves. Not from one of a history that is read in: it would fill Activity."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings

    def learn(self, write: Write, conversation_id: int) -> None:
        """Keeps rules and links, and says in one line what stays."""
        if self._settings().is_learning_rules:
            learn_rules_of(write, conversation_id)
        if write.origin is Origin.IMPORT:
            return
        title = title_of(write.get(ConversationRow, conversation_id))
        stays = load_farewell(write.connection, conversation_id, is_archived=self._settings().archive != "off")
        write.note_beside(KIND, f"“{title}” left the queue: {say_kept(stays)}", conversation_id=conversation_id)


def load_farewell(connection: Connection, conversation_id: int, *, is_archived: bool) -> Farewell:
    """What would stay of a conversation of the queue if it went now, and what its going costs."""
    row = _row(connection, conversation_id)
    taught = read_lessons(connection, conversation_id)
    kinds = Counter(one.kind for one in taught.candidates) if taught else Counter()
    known = count_rules_of(connection, [conversation_id]).get(conversation_id, Counter())
    memories = count_memories_of(connection, [conversation_id]).get(conversation_id, Counter())
    return _farewell(memories, kinds | known, 0 if is_archived else int(row.message_count))


def with_farewells(
    connection: Connection, conversations: Sequence[Conversation], *, is_archived: bool, is_learning: bool
) -> tuple[Conversation, ...]:
    """The conversations, of those that are out what stayed and of the next one out what will."""
    out = [one.id for one in conversations if one.state is ConversationState.EVICTED]
    memories, rules = count_memories_of(connection, out), count_rules_of(connection, out)
    archived = find_archived(connection, out)
    made = []
    for one in conversations:
        farewell = None
        if one.state is ConversationState.EVICTED:
            lost = 0 if one.id in archived else one.message_count
            farewell = _farewell(memories.get(one.id, Counter()), rules.get(one.id, Counter()), lost)
        elif one.is_next_out and is_learning:
            farewell = load_farewell(connection, one.id, is_archived=is_archived)
        made.append(one if farewell is None else replace(one, farewell=farewell))
    return tuple(made)


def _farewell(memories: Counter[MemoryKind], rules: Counter[RuleKind], lost_count: int) -> Farewell:
    return Farewell(
        fact_count=memories[MemoryKind.FACT] + memories[MemoryKind.PATTERN],
        workflow_count=memories[MemoryKind.WORKFLOW] + rules[RuleKind.SEQUENCE],
        episode_count=memories[MemoryKind.EPISODE],
        rule_count=rules.total() - rules[RuleKind.SEQUENCE],
        message_count=lost_count,
        is_archived=lost_count == 0,
    )


def say_kept(stays: Farewell) -> str:
    """What stays, for Activity.

    >>> say_kept(Farewell(fact_count=3, episode_count=1, rule_count=2)), say_kept(Farewell())
    ('4 memories stay', 'nothing was learned from it')
    """
    if stays.memory_count:
        return "1 memory stays" if stays.memory_count == 1 else f"{stays.memory_count} memories stay"
    if stays.rule_count:
        return "1 rule stays" if stays.rule_count == 1 else f"{stays.rule_count} rules stay"
    return "nothing was learned from it"
