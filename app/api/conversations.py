"""Conversations, their messages, their episodes and the reference window: read, corrected, split, joined, ended.

Each correction is one operation with a label for undo. How it is done is the curator's, how it is found the queries'. Knows neither
HTTP nor Qt. Source: DESIGN section 6, S1 "User Clarification Flow", S2 window, S3 "Episodic Memory", S4 "Episodes".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import Connection

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.api.events import Events
from app.deciders.conversation.router_readings import logged_payload
from app.deciders.conversation.summary import tell_context
from app.errors import InvalidError, StaleError
from app.store.rows.conversation import ConversationQuery
from app.transfer.conversation_files import conversation_markdown
from app.understanding.conversations.curation import clear_window
from app.understanding.conversations.eviction_lessons import load_farewell, with_farewells
from app.understanding.conversations.queries import (
    get_conversation,
    get_message,
    list_clarifications,
    list_conversations,
    list_messages_around,
    load_referable,
    load_window,
    search_messages,
)
from app.understanding.conversations.record import read_record
from app.understanding.episodes import queries as episode_queries
from app.upkeep.daily_questions import note_shown, todays_questions
from app.values import (
    CaptureRequest,
    CaptureResult,
    Clarification,
    Conversation,
    ConversationDetail,
    ConversationRecord,
    Episode,
    EpisodeDetail,
    EpisodeFilter,
    EventKind,
    HandOver,
    Intent,
    Message,
    NarrativeArc,
    Origin,
    Outcome,
    SearchHit,
)

_LISTED_MOST = 500


@cleans_arguments
class Episodes:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self, where: EpisodeFilter | None = None, *, before: int | None = None, limit: int = 100
    ) -> tuple[Episode, ...]:
        """Those in use, the newest first; `before` is the number of the last one of the page before. Raises NotFoundError."""
        if not 0 < limit <= _LISTED_MOST:
            raise InvalidError(f"At most {_LISTED_MOST} at a time.", hint="Continue with `before`.")
        now = self._core.clock.now()
        return self._core.read(
            episode_queries.list_episodes, where or EpisodeFilter(), before=before, limit=limit, now=now
        )

    def get(self, episode_id: int) -> EpisodeDetail:
        """One episode with its arc and the memories of its conversations. Raises NotFoundError."""
        return self._core.read(episode_queries.get_episode, episode_id, self._core.clock.now())

    def of_conversation(self, conversation_id: int) -> tuple[Episode, ...]:
        """The episodes of a conversation, also of one that left the queue; () when there is none."""
        return self._core.read(episode_queries.of_conversation, conversation_id)

    def narrative_arc(self, conversation_id: int) -> NarrativeArc:
        """The moments of a conversation by thirds, and its key moments [S3]; empty when there are none."""
        episodes = self.of_conversation(conversation_id)
        return episode_queries.arc_of(episodes[0]) if episodes else NarrativeArc((), (), (), ())


@cleans_arguments
class Conversations:
    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self, *, app: str | None = None, project: str | None = None, include_evicted: bool = False
    ) -> tuple[Conversation, ...]:
        """The queue, newest first; with `include_evicted` also those whose text is gone."""
        with self._core.store.read_for_caller() as connection:
            listed = list_conversations(
                connection,
                self._core.current.queue_size,
                ConversationQuery(app, project),
                include_evicted=include_evicted,
            )
            return self._with_farewells(connection, listed)

    def get(self, conversation_id: int) -> ConversationDetail:
        """One conversation with all its messages. Raises NotFoundError."""
        with self._core.store.read_for_caller() as connection:
            detail = get_conversation(connection, conversation_id, self._core.current.queue_size)
            return replace(detail, conversation=self._with_farewells(connection, [detail.conversation])[0])

    def _with_farewells(
        self, connection: Connection, conversations: Sequence[Conversation]
    ) -> tuple[Conversation, ...]:
        settings = self._core.current
        return with_farewells(
            connection, conversations, is_archived=settings.archive != "off", is_learning=settings.is_learning_rules
        )

    def search(self, query: str, *, limit: int = 50) -> tuple[SearchHit, ...]:
        """Messages of the queue that hold every word, newest first."""
        return self._core.read(search_messages, query, limit)

    def rename(self, conversation_id: int, title: str) -> None:
        self._core.act(
            "rename",
            self._core.curator.rename,
            conversation_id,
            self._core.inbox.without_secrets(title, self._core.current),
        )

    def end(self, conversation_id: int, outcome: Outcome | None = None) -> None:
        self._core.act("end", self._core.curator.end, conversation_id, outcome)

    def reopen(self, conversation_id: int) -> None:
        self._core.act("reopen", self._core.curator.reopen, conversation_id)

    def set_outcome(self, conversation_id: int, outcome: Outcome) -> None:
        self._core.act("set_outcome", self._core.curator.set_outcome, conversation_id, outcome)

    def split(self, message_id: int) -> int:
        """The message and those after it become a conversation of their own; returns its id."""
        return self._core.act("split", self._core.curator.split, message_id, self._core.current)

    def leaving_at_split(self, message_id: int) -> tuple[Conversation, ...]:
        """What splitting at this message would push out of a full queue, with what stays of it."""
        core, settings = self._core, self._core.current
        with core.store.read_for_caller() as connection:
            out = core.curator.leaving_at_split(connection, message_id, settings)
            gone = [get_conversation(connection, one, settings.queue_size).conversation for one in out]
            is_archived = settings.archive != "off"
            return tuple(
                replace(one, farewell=load_farewell(connection, one.id, is_archived=is_archived)) for one in gone
            )

    def merge(self, source_id: int, target_id: int) -> None:
        """All messages of `source_id` join `target_id`; `source_id` leaves the queue.

        Joining the two halves of a split takes the split back: what it pushed out of the queue is there again.
        """
        try:
            self._core.act("merge", self._core.curator.merge, source_id, target_id, is_restoring=True)
        except StaleError:  # more was changed since: they are joined as any two
            self._core.act("merge", self._core.curator.merge, source_id, target_id)

    def move(self, message_id: int, target_id: int) -> None:
        """The message and those after it join another conversation."""
        self._core.act("move", self._core.curator.move, message_id, target_id)

    def clarifications(self) -> tuple[Clarification, ...]:
        """Open questions, newest first."""
        return self._core.read(list_clarifications)

    def todays_questions(self) -> tuple[Clarification, ...]:
        """The open questions that are asked today, at most three; asking for them counts them as asked."""
        store = self._core.store
        with store.read_for_caller() as connection:
            questions = todays_questions(connection, self._core.clock.now())
        note_shown(store, questions)
        return questions

    def clarify(self, message_id: int, *, is_new: bool) -> None:
        """The person's answer to an open question. Raises StaleError when it was answered already."""
        self._core.act("clarify", self._core.curator.clarify, message_id, self._core.current, is_new=is_new)

    def record(self, conversation_id: int) -> ConversationRecord:
        """Its files with one line each, its cross-references and episodes; also of one whose text is gone. Raises NotFoundError."""
        with self._core.store.read_for_caller() as connection:
            one = get_conversation(connection, conversation_id, self._core.current.queue_size).conversation
            return read_record(connection, conversation_id, one.project_path, one.app)

    def to_markdown(self, conversation_id: int) -> str:
        return conversation_markdown(self.get(conversation_id))


@cleans_arguments
class Messages:
    def __init__(self, core: Core) -> None:
        self._core = core

    def get(self, message_id: int) -> Message:
        return self._core.read(get_message, message_id)

    def around(self, message_id: int, *, count: int = 1) -> tuple[Message, ...]:
        """That message with up to `count` before it and after it in its conversation, oldest first."""
        return self._core.read(list_messages_around, message_id, count)

    def correct_intents(self, message_id: int, intents: tuple[Intent, ...]) -> None:
        """Sets the intents by hand; the classifier learns from it."""
        self._core.act("correct_intents", self._core.curator.correct_intents, message_id, intents)

    def correct_reference(self, reference_id: int, antecedent: str, antecedent_message_id: int | None = None) -> None:
        with self._core.store.write(origin=Origin.PERSON, kind="correct_reference", label="") as write:
            clean = self._core.inbox.without_secrets(antecedent, self._core.current)
            self._core.curator.correct_reference(write, reference_id, clean, antecedent_message_id)

    def dismiss_reference(self, reference_id: int) -> None:
        """'This refers to nothing.'"""
        self._core.act("dismiss_reference", self._core.curator.dismiss_reference, reference_id)


@cleans_arguments
class Window:
    """The reference window [S2]: what 'it' may refer to."""

    def __init__(self, core: Core, events: Events) -> None:
        self._core = core
        self._events = events

    def load(self, *, app: str | None = None, project: str | None = None) -> tuple[Message, ...]:
        """The last messages, oldest first, none older than the settings allow, none cleared."""
        settings = self._core.current
        newer_than = self._core.clock.now() - timedelta(seconds=settings.window_age_s)
        return self._core.read(load_window, settings.window_messages, newer_than, ConversationQuery(app, project))

    def log(
        self,
        text: str,
        *,
        app: str = "api",
        session: str = "",
        project: str = "",
        intents: Sequence[Intent] = (),
        context_ref: str = "",
    ) -> CaptureResult:
        """Captures one message by hand. What is said of its intents and of what it refers to holds; the rest is found."""
        folder = self._events.folder_of(project) if project else ""
        said = logged_payload(intents, context_ref)
        return self._events.capture([_logged(text, app, session, folder, said)])[0]

    def hand_over(
        self,
        text: str,
        *,
        app: str = "api",
        session: str = "",
        project: str = "",
        intents: Sequence[Intent] = (),
        context_ref: str = "",
    ) -> HandOver:
        """Logs one message and says what whoever carries it out needs: as typed, as meant, and what it continues from.

        Raises InvalidError for a message that is not kept, or not understood in time.
        """
        folder = self._events.folder_of(project) if project else ""
        request = _logged(text, app, session, folder, logged_payload(intents, context_ref))
        patience_s = max(self._core.current.understand_wait_s, self._core.current.request_deadline_s)
        (done,) = self._events.capture([request], wait_s=patience_s)
        if done.message_id is None or done.conversation_id is None:
            why = f"It is not kept: {done.error}." if done.error else "It is kept, but not understood yet."
            raise InvalidError(why, hint="remanence window load shows what is there.")
        settings = self._core.current
        newer_than = self._core.clock.now() - timedelta(seconds=settings.window_age_s)
        with self._core.store.read_for_caller() as connection:
            recent = load_window(
                connection, settings.window_messages, newer_than, ConversationQuery(), before_id=done.message_id
            )
            conversation = get_conversation(connection, done.conversation_id, settings.queue_size).conversation
        meant = tuple(dict.fromkeys(one.antecedent for one in done.references if one.antecedent))
        is_new = done.is_new_conversation
        return HandOver(
            original=text,
            expanded=done.expanded_text or text,
            context=tell_context(done.intents, meant, conversation.title, is_new=is_new is True),
            intents=done.intents,
            context_refs=meant,
            recent=recent,
            message_id=done.message_id,
            conversation_id=done.conversation_id,
            title=conversation.title,
            is_new_conversation=is_new,
            clarification=done.clarification,
        )

    def of_conversation(self, conversation_id: int) -> tuple[Message, ...]:
        """What "it" in the next message of a conversation may point to, oldest first."""
        return self._core.read(load_referable, self._core.current.window_messages, conversation_id)

    def clear(self, *, app: str | None = None, conversation_id: int | None = None) -> int:
        """Hides messages from references, all or those of an app or a conversation; returns how many.

        None is deleted, undo brings them back. Raises NotFoundError for a conversation that is not in the queue.
        """
        return self._core.act("clear_window", clear_window, app=app, conversation_id=conversation_id)


def _logged(text: str, app: str, session: str, folder: str, said: Mapping[str, str]) -> CaptureRequest:
    if not text.strip():
        raise InvalidError("There is no text to log.", hint="Write at least one word.")
    return CaptureRequest(
        app=app, kind=EventKind.PROMPT, key="", session=session, text=text, project_root=folder, payload=dict(said)
    )
