"""The derived columns of a conversation: count, topics, intents, files, outcome, title. A function of its messages.

Owns what has to be remembered of a conversation so that one more message or tool use costs no re-reading. Knows
neither the queue's rules nor who calls. Source: DESIGN "Canonical and derived", S1 "Each Conversation Contains".
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.episode import says_nothing_made, says_order_carried_out
from app.deciders.conversation.outcome import ORDERED, OutcomeRules, infer_outcome, is_commit, is_edit, is_test
from app.deciders.conversation.summary import find_cross_references, list_topics
from app.deciders.conversation.title import TitleRules
from app.deciders.conversation.title_choice import choose_title
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.store.journal import Write
from app.store.reads import ids_with, rows_with
from app.store.rows.conversation import titles_before
from app.store.rows.message import beginnings_elsewhere, count_and_last, first_prompts, last_answer_end, load_tool_uses
from app.store.tables.core import ConversationRow, MessageRow
from app.store.tables.memory import MemorySourceRow
from app.understanding.message_rows import MESSAGES_REMEMBERED, AnyRow, load_prior
from app.values import ConversationState, Outcome, PriorMessage, Speaker, ToolOutcome

_TOOL_USES_READ = 500
_FILES_KEPT = 100
_PASTES_READ = 3
_ANY_ID = 2**62
ALIKE_CHARS, _ALIKE_IN = (
    48,
    2,
)  # prompts that begin alike in so many other conversations come from a template or a hook

_OPEN = "open"  # a judge's word for what came to no end
_SEVERAL = 2
READ_BY_MODEL = "read from what was said and answered"


@dataclass(slots=True)
class ToolSignals:
    """Of all tool uses only those that tell: the files they touched, the last edit, commit and test."""

    files: dict[str, None] = field(default_factory=dict)
    count: int = 0
    rules: OutcomeRules | None = None
    _edit: tuple[int, ToolOutcome] | None = None
    _test: tuple[int, ToolOutcome] | None = None
    _commit: tuple[int, ToolOutcome] | None = None
    _any: tuple[int, ToolOutcome] | None = None

    def note(self, tool: ToolOutcome) -> None:
        self.count += 1
        self._any = (self.count, tool)
        if is_edit(tool, self.rules):
            self._edit = self._any
        if is_test(tool, self.rules):
            self._test = self._any
        if is_commit(tool, self.rules):
            self._commit = self._any
        if tool.file and not tool.is_error:
            self.files[tool.file] = None

    @property
    def telling(self) -> list[ToolOutcome]:
        """What the outcome depends on, in order: an outcome read from these is the one read from all."""
        told = dict(one for one in (self._edit, self._test, self._commit) if one is not None) or dict(
            [self._any] if self._any else []
        )
        return [told[number] for number in sorted(told)]


@dataclass(slots=True)
class KnownConversation:
    """What is remembered of one conversation: its last messages, and enough of the rest."""

    messages: list[PriorMessage] = field(default_factory=list)
    hidden_ids: frozenset[int] = frozenset()
    tools: ToolSignals = field(default_factory=ToolSignals)
    message_count: int = 0
    last_at: datetime | None = None
    title_rules: TitleRules | None = None  # None: the shipped ones

    def add(self, message: PriorMessage) -> None:
        self.messages.append(message)
        del self.messages[:-MESSAGES_REMEMBERED]
        self.message_count += 1
        if message.at is not None:
            self.last_at = message.at if self.last_at is None else max(self.last_at, message.at)

    def outcome(self, *, is_ended: bool) -> tuple[Outcome | None, str]:
        rules = self.tools.rules
        return infer_outcome(self.messages, tool_events=self.tools.telling, is_ended=is_ended, rules=rules)


Load = Callable[[Connection, int], KnownConversation]


def load_known(
    connection: Connection,
    conversation_id: int,
    rules: OutcomeRules | None = None,
    title_rules: TitleRules | None = None,
) -> KnownConversation:
    """Reads a conversation back from the store. Rules that are None: the shipped ones."""
    messages = load_prior(connection, conversation_id=conversation_id, newest=MESSAGES_REMEMBERED)
    hidden = ids_with(connection, MessageRow, conversation_id=conversation_id, is_out_of_window=True)
    known = KnownConversation(list(messages), frozenset(hidden))
    known.message_count, known.last_at = count_and_last(connection, conversation_id)
    known.tools.rules, known.title_rules = rules, title_rules
    for row in load_tool_uses(connection, conversation_id, _TOOL_USES_READ):
        known.tools.note(tool_outcome_of(row))
    return known


def tool_outcome_of(row: AnyRow) -> ToolOutcome:
    return ToolOutcome(
        tool=row.tool, file=row.file, command=row.command, exit_status=row.exit_status, is_error=row.is_error
    )


def outcome_with(
    known: KnownConversation, noted: Mapping[str, Any] | None, answer_end: Callable[[], str] = str, *, is_ended: bool
) -> tuple[Outcome | None, str]:
    """The outcome: as a judge read it, who has read all of it; else of words and tools; else of what the assistant noted or said."""
    read = _outcome_read(known, noted or {})
    if read is not None:
        return read
    outcome, reason = known.outcome(is_ended=is_ended)
    if outcome is Outcome.IMPLEMENTED and says_nothing_made(answer_end()):
        return None, "the last answer says that nothing was changed"
    if outcome not in {None, Outcome.PLANNED}:
        return outcome, reason
    todos = (noted or {}).get("todos") or []
    if todos and all(state in {"completed", "cancelled"} for _, state in todos):
        return Outcome.IMPLEMENTED, "all to-dos of the assistant are done"
    if (noted or {}).get("pull_requests"):
        return Outcome.IMPLEMENTED, "a pull request was opened"
    if outcome is None and (noted or {}).get("plan"):
        return Outcome.PLANNED, "you accepted a plan"
    if outcome is None and reason == ORDERED and says_order_carried_out(answer_end()):
        return Outcome.IMPLEMENTED, "the assistant says that it is done"
    return outcome, reason


def _outcome_read(known: KnownConversation, noted: Mapping[str, Any]) -> tuple[Outcome | None, str] | None:
    """What a judge says of the last topic that was not given up; None as long as nobody read what was said last.

    "open" is no outcome; where several topics came to an end, and not fewer than stay open, the last of these counts. A conversation is abandoned when all
    its topics are: one that was tried and taken back at the end says nothing of what was made before.
    """
    spoken = [one.id for one in known.messages if one.speaker is Speaker.USER]
    topics = [one for one in noted.get("topics") or [] if one[0] <= noted.get("read_until", 0) and one[2]]
    if not spoken or not topics or spoken[-1] > noted.get("read_until", 0):
        return None
    outcomes = [str(one[2]) for one in topics]
    made = [one for one in outcomes if one not in {_OPEN, Outcome.ABANDONED}]
    if outcomes[-1] == _OPEN and len(made) >= max(_SEVERAL, outcomes.count(_OPEN)):
        return Outcome(made[-1]), f"{READ_BY_MODEL}; the last matter is still open"
    outcome = next((one for one in reversed(outcomes) if one != Outcome.ABANDONED), outcomes[-1])
    return (None, f"still open, as {READ_BY_MODEL}") if outcome == _OPEN else (Outcome(outcome), READ_BY_MODEL)


def derive_conversation(write: Write, conversation_id: int, load: Load = load_known) -> None:
    """Rebuilds the derived columns of one conversation from its messages and tool uses, as `load` gives them."""
    row = next(iter(rows_with(write.connection, ConversationRow, id=conversation_id)), None)
    if row is None or row.state == ConversationState.EVICTED:  # an undo may just have taken it away
        return
    known = load(write.connection, conversation_id)
    end = partial(last_answer_end, write.connection, conversation_id)
    values = derived_columns(known, row.distilled, end, is_ended=row.state == ConversationState.ENDED)
    values["last_message_at"] = known.last_at or row.started_at
    if not row.title:
        values["auto_title"] = _title_of(write.connection, known, conversation_id) or row.auto_title
    values["related_ids"] = [found for found in values["related_ids"] if found != conversation_id]
    changed = {name: value for name, value in values.items() if row._mapping[name] != value}
    if changed:
        write.unjournalled(ConversationRow, conversation_id, changed)
    if "auto_title" in changed:
        name_sources(write, conversation_id, values["auto_title"])


def name_sources(write: Write, conversation_id: int, title: str) -> None:
    """Updates the conversation's title in the memories learned from it."""
    for row in rows_with(
        write.connection, MemorySourceRow, "id", "conversation_title", conversation_id=conversation_id
    ):
        if row.conversation_title != title:
            write.update(MemorySourceRow, row.id, {"conversation_title": title})


def derived_columns(
    known: KnownConversation,
    noted: Mapping[str, Any] | None = None,
    answer_end: Callable[[], str] = str,
    *,
    is_ended: bool,
) -> dict[str, Any]:
    """Everything that follows from the messages, and from what the assistant `noted` of its work and said last."""
    outcome, reason = outcome_with(known, noted, answer_end, is_ended=is_ended)
    counted = Counter(intent for one in known.messages for intent in one.intents[:1])
    related = find_cross_references([reference for one in known.messages for reference in one.references])
    return {
        "message_count": known.message_count,
        "auto_outcome": None if outcome is None else outcome.value,
        "outcome_reason": reason,
        "topics": list(list_topics(known.messages)),
        "intents": [intent.value for intent, _ in counted.most_common(4)],
        "files": list(known.tools.files)[-_FILES_KEPT:],
        "related_ids": list(related),
    }


def _title_of(connection: Connection, known: KnownConversation, conversation_id: int) -> str:
    """What most of the conversation was about, told apart from what others in the queue are called; "" when nothing names it yet."""
    prompts = [one.text for one in known.messages if one.speaker is Speaker.USER]
    alike = find_alike(connection, conversation_id)
    repeated = {text for text in prompts if text[:ALIKE_CHARS] in alike}
    files = list(known.tools.files)
    title = choose_title(prompts, files=files, repeated=repeated, rules=known.title_rules)
    if not title:  # nothing but what others wrote: that, then
        pasted = first_prompts(connection, conversation_id, _PASTES_READ)
        title = choose_title([one for one in pasted if one[:ALIKE_CHARS] not in alike], rules=known.title_rules)
    return make_unique_title(connection, title, conversation_id, before_id=conversation_id)


def find_alike(connection: Connection, conversation_id: int) -> frozenset[str]:
    """How the prompts begin that stand in several other conversations, too: a template or a hook types them."""
    return beginnings_elsewhere(connection, conversation_id, chars=ALIKE_CHARS, least=_ALIKE_IN)


def make_unique_title(
    connection: Connection, title: str, conversation_id: int, *, before_id: int = _ANY_ID, others: Sequence[str] = ()
) -> str:
    """`title`, else one of the `others`, else `title` numbered: another conversation in the queue, begun before `before_id`, is not
    called so, nor by the same words in another order.
    """
    rows = titles_before(connection, conversation_id, before_id) if title else ()
    called = {_title_key(row.title or row.auto_title) for row in rows}
    number, apart = 2, next((one for one in (title, *others) if _title_key(one) not in called), title)
    while _title_key(apart) in called:
        number, apart = number + 1, f"{title} ({number})"
    return apart


def _title_key(title: str) -> frozenset[str]:
    """
    >>> _title_key("Fix the widget sizes") == _title_key("Widget size fix")
    True
    """
    return frozenset(split_stems(title)) - load_recall_rules().stop_stems or frozenset({title.casefold()})
