"""A prompt that only answers our own question about the one before it: it answers, and is no message.

Owns when a question may still be answered by a word: it was asked about the stream's last prompt, a little while ago, and the
assistant has not asked something itself. The answer is the person's act on that message, as by click. Source: S1 "User
Clarification Flow", issue 17.
"""

from datetime import timedelta

from app.capture.streams import StreamIds
from app.deciders.conversation.assistant_questions import ClarificationReply, question_of, read_clarification_reply
from app.settings import Settings
from app.store.journal import Write
from app.store.rows.message import last_prompt, load_references_of, names_spoken
from app.store.table_queries import rows_with
from app.store.tables.core import MessageRow
from app.store.tables.judge import AnswerEndRow
from app.understanding.conversations.curation import Curator
from app.understanding.conversations.recent_messages import ConversationCache
from app.understanding.message_rows import AnyEvent, AnyRow, reference_of
from app.understanding.understood_event import UnderstoodEvent
from app.values import EventState, ReferenceKind, ReferenceState

_ANSWERED_WITHIN = timedelta(minutes=30)
_NAMES_READ = 40
_OPEN = frozenset({ReferenceState.UNRESOLVED.value, ReferenceState.AMBIGUOUS.value})
_POINTING = frozenset({ReferenceKind.PRONOUN.value, ReferenceKind.DEMONSTRATIVE.value})


class ClarificationAnswers:
    """`take` gives what became of an event that was an answer; None for every other."""

    def __init__(self, curator: Curator, conversations: ConversationCache) -> None:
        self._curator = curator
        self._conversations = conversations

    def take(self, write: Write, event: AnyEvent, ids: StreamIds, settings: Settings) -> UnderstoodEvent | None:
        """Answers our question where the event does."""
        text = str((event.payload or {}).get("text", ""))
        asked = None if event.is_imported else last_prompt(write.connection, stream_id=ids.stream_id)
        if asked is None or not timedelta(0) <= event.at - asked.at <= _ANSWERED_WITHIN:
            return None
        is_boundary_asked = asked.boundary_state == "asked"
        reference = self._open_reference(write, asked)
        if not is_boundary_asked and reference is None:
            return None
        names = self._names(write, asked, reference)
        answer = read_clarification_reply(
            text, names, is_boundary_asked=is_boundary_asked, is_thing_asked=reference is not None
        )
        if answer is None or self._is_assistants_turn(write, asked):
            return None
        return self._apply(write, asked, reference, answer, (text, settings))

    def _apply(
        self,
        write: Write,
        asked: AnyRow,
        reference: AnyRow | None,
        answer: ClarificationReply,
        given: tuple[str, Settings],
    ) -> UnderstoodEvent:
        text, settings = given
        label = f"Answered “{' '.join(text.split())}”"
        if answer.name and reference is not None:
            self._curator.correct_reference(write, reference.id, answer.name, None)
            write.label = f"{label}: “{reference.mention}” means “{answer.name}”"
        is_new = answer.is_new
        if is_new is None and asked.boundary_state == "asked":
            is_new = not self._is_named_in(write, asked.continue_conversation_id, answer.name)
        if is_new is not None and asked.boundary_state == "asked":
            self._curator.clarify(write, asked.id, settings, is_new=is_new)
            write.label = f"{label}: {'start new' if is_new else 'continue'}"
        self._conversations.forget()  # messages may have moved
        now = write.get(MessageRow, asked.id)
        write.conversation_id, write.message_id = now.conversation_id, asked.id
        return UnderstoodEvent(
            EventState.DONE,
            message_id=asked.id,
            conversation_id=now.conversation_id,
            expanded_text=now.expanded_text or now.text,
        )

    @staticmethod
    def _open_reference(write: Write, asked: AnyRow) -> AnyRow | None:
        """The pointing word of the message that nothing answers, or of which an answer was only likely."""
        rows = load_references_of(write.connection, [asked.id])
        return next((row for row in rows if row.state in _OPEN and row.kind in _POINTING), None)

    def _names(self, write: Write, asked: AnyRow, reference: AnyRow | None) -> list[str]:
        """What may be meant: candidates, then what the conversation spoke of, the newest first."""
        names = [one.text for one in reference_of(reference).candidates] if reference is not None else []
        conversations = [one for one in (asked.conversation_id, asked.continue_conversation_id) if one is not None]
        return list(dict.fromkeys([*names, *names_spoken(write.connection, conversations, _NAMES_READ)]))

    @staticmethod
    def _is_named_in(write: Write, conversation_id: int | None, name: str) -> bool:
        """Whether the conversation that might go on spoke of it."""
        here = [] if conversation_id is None else [conversation_id]
        return any(name.casefold() == text.casefold() for text in names_spoken(write.connection, here))

    @staticmethod
    def _is_assistants_turn(write: Write, asked: AnyRow) -> bool:
        """Whether the assistant's answer to that message ends with a question of its own: then it is answered, not we."""
        ends = rows_with(write.connection, AnswerEndRow, "text", message_id=asked.id)
        return any(row.text and question_of(row.text) for row in ends)
