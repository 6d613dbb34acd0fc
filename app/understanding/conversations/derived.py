"""The derived columns of a conversation: count, topics, intents, files, outcome, title. A function of its messages.

Owns what has to be remembered of a conversation so that one more message or tool use costs no re-reading. Knows
neither the queue's rules nor who calls. Source: DESIGN "Canonical and derived", S1 "Each Conversation Contains".
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from app.deciders.conversation.episode import (
    reports_fault,
    says_nothing_made,
    says_order_carried_out,
    says_tests_pass,
)
from app.deciders.conversation.outcome import (
    ORDERED,
    OutcomeRules,
    find_dropping,
    find_sign_of_result,
    infer_outcome,
    is_commit,
    is_edit,
    is_test,
    opens_with_approval,
)
from app.deciders.conversation.summary import find_cross_references, list_topics
from app.deciders.conversation.title import TitleRules
from app.deciders.conversation.title_choice import choose_title, leans, names_something
from app.deciders.conversation.topic_titles import NamedTopic, titles_of_topics, weigh_topics
from app.deciders.recall.rules import load_recall_rules
from app.language.search_words import split_stems
from app.store.journal import Write
from app.store.rows.conversation import titles_before
from app.store.rows.message import beginnings_elsewhere, count_and_last, first_prompts, last_answer, load_tool_uses
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import ConversationRow, MessageRow
from app.store.tables.memory import MemorySourceRow
from app.understanding.message_rows import MESSAGES_REMEMBERED, AnyRow, load_prior
from app.values import ConversationState, Intent, Outcome, PriorMessage, Speaker, ToolOutcome

_TOOL_USES_READ = 500
_FILES_KEPT = 100
_PASTES_READ = 3
_ANY_ID = 2**62
ALIKE_CHARS, _ALIKE_IN = (
    48,
    2,
)  # prompts that begin alike in that many other conversations come from a template or a hook

TEMPLATE_IDS = (
    "template_ids"  # in what a conversation has noted: its prompts that a template or a hook typed, as last read
)
_TITLE_READ = "title_read"  # the title made of its topics, which a later reading may change
_OPEN = "open"  # a judge's word for what came to no end
_SEVERAL = 2
_LONG_CHARS = 160  # nobody types so much twice
READ_BY_MODEL = "read from what was said and answered"
_OPEN_FAULT = "the last words say that something is not right"
_GO_ON = re.compile(
    r"(?:[^\s.!?]+[\s,]+){0,4}(?:continue|go on|proceed|carry on|keep going|try again|retry)[.!\s]*|@\w+ continue\b.*",
    re.IGNORECASE,
)
_ORDERS = frozenset({Intent.EXECUTE, Intent.PLAN, Intent.TEST})
_NOTHING_MADE = "the last answer says that nothing was changed"
_NO_SIGN = "changes were spoken of, nothing shows that they were made"


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
    def decisive(self) -> list[ToolOutcome]:
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
        return infer_outcome(self.messages, tool_events=self.tools.decisive, is_ended=is_ended, rules=rules)


LastAnswer = Callable[[], tuple[int, str]]  # the prompt that was answered last, and the end of the answer


def no_answer() -> tuple[int, str]:
    """Where no answer is kept."""
    return 0, ""


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
    known: KnownConversation,
    noted: Mapping[str, Any] | None,
    answer: LastAnswer = no_answer,
    *,
    is_ended: bool,
) -> tuple[Outcome | None, str]:
    """The outcome: as a judge read it, who has read all of it; else of words and tools; else of what the assistant noted or said.

    Whoever says that something was made, a sign has to show it, and the person's last words must not say the opposite.
    """
    noted = noted or {}
    read = _outcome_read(known, noted)
    outcome, reason = read or _outcome_told(known, noted, answer, is_ended=is_ended)
    prompts = [one for one in known.messages if one.speaker is Speaker.USER]
    if outcome in {None, Outcome.PLANNED} or not prompts:
        return outcome, reason
    answered_id, end = answer()
    tools = known.tools.decisive
    if says_nothing_made(end) and not tools:
        return None, _NOTHING_MADE
    dropped = find_dropping(prompts[-1].text, known.tools.rules)
    if read is not None and dropped and outcome is not Outcome.ABANDONED:
        return None, f'the person says "{dropped}"'
    is_ordered = any(_ORDERS.intersection(one.intents) for one in prompts)
    is_done = is_ordered and says_order_carried_out(end)
    last = next((one.text for one in reversed(prompts) if not _only_goes_on(one.text)), "")
    is_faulty = len(prompts) > 1 and reports_fault(last) and not opens_with_approval(last, known.tools.rules)
    is_done_last = is_done and answered_id == prompts[-1].id
    if is_faulty and not is_done_last:
        return None, _OPEN_FAULT
    if outcome is Outcome.IMPLEMENTED and is_done_last and says_tests_pass(end):
        return Outcome.TESTED, "the last answer says that the tests pass"
    if read is None or outcome is Outcome.ABANDONED:
        return outcome, reason
    typed = set(noted.get(TEMPLATE_IDS, ()))
    said = [one for one in known.messages if one.id not in typed]
    sign = find_sign_of_result(said, tool_events=tools, rules=known.tools.rules)
    if not (is_ordered or tools) or not (is_done or sign or _went_on(known, noted)):
        return None, _NO_SIGN
    if outcome is Outcome.COMPLETED and (is_faulty or not sign):  # the person has not said so
        return Outcome.IMPLEMENTED, reason
    return outcome, reason


def _outcome_told(
    known: KnownConversation, noted: Mapping[str, Any], answer: LastAnswer, *, is_ended: bool
) -> tuple[Outcome | None, str]:
    """As words and tools tell it, else what the assistant noted or said."""
    outcome, reason = known.outcome(is_ended=is_ended)
    if outcome is Outcome.IMPLEMENTED and says_nothing_made(answer()[1]):
        return None, _NOTHING_MADE
    if outcome not in {None, Outcome.PLANNED}:
        return outcome, reason
    todos = noted.get("todos") or []
    if todos and all(state in {"completed", "cancelled"} for _, state in todos):
        return Outcome.IMPLEMENTED, "all to-dos of the assistant are done"
    if noted.get("pull_requests"):
        return Outcome.IMPLEMENTED, "a pull request was opened"
    if outcome is None and noted.get("plan"):
        return Outcome.PLANNED, "you accepted a plan"
    if outcome is None and reason == ORDERED and says_order_carried_out(answer()[1]):
        return Outcome.IMPLEMENTED, "the assistant says that it is done"
    return outcome, reason


def _only_goes_on(text: str) -> bool:
    """ "it compiled, continue": says nothing of what was wrong before."""
    return _GO_ON.fullmatch(text.strip()) is not None


def _went_on(known: KnownConversation, noted: Mapping[str, Any]) -> bool:
    """Whether the person took what was ordered as made: a later prompt asks for something else and complains of nothing."""
    typed = set(noted.get(TEMPLATE_IDS, ()))
    spoken = [one for one in known.messages if one.speaker is Speaker.USER and one.id not in typed]
    orders = [place for place, one in enumerate(spoken) if Intent.EXECUTE in one.intents]
    later = spoken[orders[0] + 1 :] if orders else []
    return any(
        names_something(one.text, known.title_rules)
        and not (leans(one.text) or reports_fault(one.text))
        and one.text != spoken[orders[0]].text
        for one in later
    )


def _outcome_read(known: KnownConversation, noted: Mapping[str, Any]) -> tuple[Outcome | None, str] | None:
    """What a judge says of the last topic that was not given up; None as long as nobody read what was said last.

    "open" is no outcome; where several topics came to an end, and not fewer than stay open, the last of these counts. A conversation is abandoned when all
    its topics are: one that was tried and taken back at the end says nothing of what was made before. A topic that only a template or
    a hook typed says nothing.
    """
    spoken = [(one.id, one.text) for one in known.messages if one.speaker is Speaker.USER]
    read_until = noted.get("read_until", 0)
    topics = [one for one in topics_noted(noted) if one.outcome and one.start_id <= read_until]
    if not spoken or spoken[-1][0] > read_until:
        return None
    typed = set(noted.get(TEMPLATE_IDS, ()))
    repeated = {text for number, text in spoken if number in typed}
    shares = weigh_topics(topics, spoken, repeated=repeated, rules=known.title_rules)
    outcomes = [one.topic.outcome for one in shares if one.is_read and one.weight]
    if not outcomes:
        return None
    made = [one for one in outcomes if one not in {_OPEN, Outcome.ABANDONED}]
    if outcomes[-1] == _OPEN and len(made) >= max(_SEVERAL, outcomes.count(_OPEN)):
        last = Outcome.IMPLEMENTED if made[-1] == Outcome.COMPLETED else Outcome(made[-1])
        return last, f"{READ_BY_MODEL}; the last matter is still open"
    outcome = next((one for one in reversed(outcomes) if one != Outcome.ABANDONED), outcomes[-1])
    return (None, f"still open, as {READ_BY_MODEL}") if outcome == _OPEN else (Outcome(outcome), READ_BY_MODEL)


def topics_noted(noted: Mapping[str, Any]) -> list[NamedTopic]:
    """The topics that a judge told of a conversation, as `distilled` keeps them."""
    return [NamedTopic(int(start), str(title), str(outcome)) for start, title, outcome, *_ in noted.get("topics") or ()]


def derive_conversation(write: Write, conversation_id: int, load: Load = load_known) -> None:
    """Rebuilds the derived columns of one conversation from its messages and tool uses, as `load` gives them."""
    row = next(iter(rows_with(write.connection, ConversationRow, id=conversation_id)), None)
    if row is None or row.state == ConversationState.EVICTED:  # an undo may just have taken it away
        return
    known = load(write.connection, conversation_id)
    answer = partial(last_answer, write.connection, conversation_id)
    values = derived_columns(known, row.distilled, answer, is_ended=row.state == ConversationState.ENDED)
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
    answer: LastAnswer = no_answer,
    *,
    is_ended: bool,
) -> dict[str, Any]:
    """Everything that follows from the messages, and from what the assistant `noted` of its work and said last."""
    outcome, reason = outcome_with(known, noted, answer, is_ended=is_ended)
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


def note_title_read(connection: Connection, row: AnyRow, noted: Mapping[str, Any]) -> dict[str, Any]:
    """The `title` after the topics that a judge told of, by the work that each took, and `distilled` with it.

    Without a title where a person or an assistant gave one; that of an earlier reading gives way.
    """
    known = load_known(connection, row.id)
    spoken = [one for one in known.messages if one.speaker is Speaker.USER]
    typed = _typed_by_template(connection, row.id, spoken)
    noted = {**noted, TEMPLATE_IDS: [one.id for one in typed]}
    if row.is_title_edited or (row.title and row.title != noted.get(_TITLE_READ)):
        return {"distilled": noted}
    shares = weigh_topics(
        topics_noted(noted), [(one.id, one.text) for one in spoken], repeated={one.text for one in typed}
    )
    titles = titles_of_topics(shares)
    if not titles:
        return {"distilled": noted}
    title = make_unique_title(connection, titles[0], row.id, others=titles[1:])
    return {"title": title, "distilled": {**noted, _TITLE_READ: title}}


def _typed_by_template(
    connection: Connection, conversation_id: int, spoken: Sequence[PriorMessage]
) -> list[PriorMessage]:
    """The prompts that are in several other conversations, too, and long ones that are in one other and do not begin this one."""
    several = find_alike(connection, conversation_id)
    one_other = beginnings_elsewhere(connection, conversation_id, chars=ALIKE_CHARS, least=1)
    return [
        one
        for place, one in enumerate(spoken)
        if one.text[:ALIKE_CHARS] in several
        or (place and len(one.text) >= _LONG_CHARS and one.text[:ALIKE_CHARS] in one_other)
    ]


def find_alike(connection: Connection, conversation_id: int) -> frozenset[str]:
    """How the prompts begin that are in several other conversations, too: a template or a hook types them."""
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
