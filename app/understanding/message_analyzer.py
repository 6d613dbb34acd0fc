"""What a prompt is found to be, before anything of it is written: its conversation, references, intents, boundary.

Reads through any connection and changes nothing, so that it can run while others write; stands aside for callers
that wait for an acknowledgement. Source: DESIGN section 5 "capture", S1 conversation lifecycle, S2 window.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.capture.streams import StreamIds
from app.deciders.conversation.authorship import PRINTED, own_words, split_authors, wanted_words
from app.deciders.conversation.boundary.boundary import detect_boundary
from app.deciders.conversation.boundary.markers import speech_head
from app.deciders.conversation.boundary.session_starts import hold_session
from app.deciders.conversation.entities.entities import MAX_ENTITIES, extract_entities
from app.deciders.conversation.intents.intents import classify_intents
from app.deciders.conversation.outcome import infer_outcome
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.conversation.references.resolution import resolve_references
from app.deciders.conversation.references.values import ConversationMention
from app.deciders.conversation.router_readings import logged_intents, logged_references
from app.deciders.learning.rule_application import apply_marker, apply_phrase, hold_reach
from app.settings import Settings
from app.store.rows.conversation import newest_of_place, newest_of_stream
from app.store.rows.rule import load_rules_learned
from app.understanding.conversations.recent_messages import ConversationCache, ConversationView
from app.understanding.message_rows import AnyEvent, AnyRow
from app.understanding.rule_sets import Rules, RuleSets
from app.values import (
    BoundaryDecision,
    BoundaryFactor,
    BoundaryInput,
    ConversationState,
    Entity,
    EntityKind,
    FactCandidate,
    IntentScore,
    Outcome,
    PriorMessage,
    Reference,
    ReferenceState,
)

_RESUMABLE = timedelta(days=14)  # a new session asks about nothing older than this
_OTHER_SESSION_IDLE = timedelta(minutes=10)  # a conversation alive in another terminal is not taken away from it

_ENDED = "the conversation before was ended"

_REHEARSED = "Actually, make it wider like the export in src/shop.py, test it, and why does `load_cart` fail?"
_REHEARSED_STATEMENT = "We moved from MySQL to PostgreSQL and never commit to main."


@dataclass(frozen=True, slots=True)
class MessageReading:
    """One reading of a message against one history."""

    entities: tuple[Entity, ...]
    references: tuple[Reference, ...]
    expanded: str
    intents: tuple[IntentScore, ...]
    rule_ids: tuple[int, ...] = ()  # learned rules that changed it


@dataclass(frozen=True, slots=True)
class MessageAnalysis:
    """Everything that is to be saved of a prompt."""

    text: str
    conversation: ConversationView | None  # the conversation that it would continue
    is_new: bool
    reading: MessageReading
    decision: BoundaryDecision
    drops_conversation: bool = False  # it says that what came before is not wanted any more
    statements: tuple[FactCandidate, ...] = ()  # what it teaches


ReadStatements = Callable[[str, MessageReading], tuple[FactCandidate, ...]]


class MessageAnalyzer:
    def __init__(self, rule_sets: RuleSets, conversations: ConversationCache, read_statements: ReadStatements) -> None:
        self._rule_sets = rule_sets
        self._conversations = conversations
        self._read_statements = read_statements
        self._is_learned_known: bool | None = (
            None  # whether rules were in use when they were read; None: read them again
        )

    def forget_learned(self) -> None:
        """Learned rules came, went or changed: the next message reads them again."""
        self._is_learned_known = None

    def _refresh_learned(self, connection: Connection, settings: Settings) -> None:
        if self._is_learned_known is not settings.is_using_rules:
            self._is_learned_known = (
                settings.is_using_rules
            )  # first: what changes meanwhile is read by the next message
            self._rule_sets.set_learned(load_rules_learned(connection, only_on=True) if settings.is_using_rules else ())

    def rehearse(self) -> None:
        """Analyzes a sample sentence, so that what is loaded and compiled at first use is ready."""
        rules = self._rule_sets.rules
        entities = extract_entities(_REHEARSED, rules.entities)
        history = (PriorMessage(1, None, _REHEARSED, entities=entities),)
        references = resolve_references(_REHEARSED, entities, history, rules.references)
        expanded = expand_text(_REHEARSED, references)
        classify_intents(_REHEARSED, history, rules.intents, rules.intent_model, expanded_text=expanded)
        given = BoundaryInput(_REHEARSED, None, entities=entities, references=references, history=history)
        hold_session(given, detect_boundary(given, rules.boundary, ()), rules.sessions)
        infer_outcome(history, is_ended=True)

    def rehearse_statements(self) -> None:
        """The same for what is learned."""
        entities = extract_entities(_REHEARSED_STATEMENT, self._rule_sets.rules.entities)
        self._read_statements(_REHEARSED_STATEMENT, MessageReading(entities, (), _REHEARSED_STATEMENT, ()))

    def analyze(
        self,
        connection: Connection,
        event: AnyEvent,
        ids: StreamIds,
        settings: Settings,
        *,
        yield_to_foreground: Callable[[], None] = lambda: None,
    ) -> MessageAnalysis:
        """The analysis of one prompt as the store stands now. `yield_to_foreground` is called between its steps."""
        self._refresh_learned(connection, settings)
        rules = self._rule_sets.rules
        text = str(event.payload["text"])
        view, is_first, is_alive = self._conversation_of(connection, ids, event.at)
        entities = find_entities(text, rules)
        named = self._conversations.mentions(connection, own_words(text))
        yield_to_foreground()
        reading = _as_logged(text, self.read(text, entities, view, rules, settings, named, event.at), event.payload)
        yield_to_foreground()
        decision = _decide(text, event, reading, view, rules, settings, is_first=is_first, is_alive=is_alive)
        is_new = view is None or (decision.leaning if decision.is_new is None else decision.is_new)
        if is_new and view is not None and not _is_ended(view):
            yield_to_foreground()
            reading = _as_logged(text, self.read(text, entities, None, rules, settings, named, event.at), event.payload)
        statements = self._read_statements(text, reading)
        drops_conversation = _drops_conversation(text, view, rules)
        return MessageAnalysis(text, view, is_new, reading, decision, drops_conversation, statements)

    def read_again(
        self, connection: Connection, message: AnyRow, conversation: AnyRow, settings: Settings
    ) -> MessageReading:
        """The message against its conversation as it was before it."""
        view = self._conversations.view_before(connection, conversation, message.id)
        self._refresh_learned(connection, settings)
        rules = self._rule_sets.rules
        entities = find_entities(message.text, rules)
        named = self._conversations.mentions(connection, own_words(message.text))
        return self.read(message.text, entities, view if view.messages else None, rules, settings, named, message.at)

    def _conversation_of(
        self, connection: Connection, ids: StreamIds, at: datetime
    ) -> tuple[ConversationView | None, bool, bool]:
        """The conversation that this stream would continue; whether a new session begins, and beside one that is alive."""
        own = newest_of_stream(connection, ids.stream_id)
        if own is not None:
            return self._conversations.view(connection, own), False, False
        earlier = newest_of_place(connection, ids.app_id, ids.project_id, at - _RESUMABLE, at)
        if earlier is None:
            return None, True, False
        is_alive = earlier.state == "active" and at - earlier.last_message_at < _OTHER_SESSION_IDLE
        return self._conversations.view(connection, earlier), True, is_alive

    def read(
        self,
        text: str,
        entities: tuple[Entity, ...],
        view: ConversationView | None,
        rules: Rules,
        settings: Settings,
        named: tuple[ConversationMention, ...],
        at: datetime,
    ) -> MessageReading:
        history = () if view is None else view.window(settings.window_messages)
        own = own_words(text)
        references = resolve_references(
            own, entities, history, rules.references, conversations=named, now=at.astimezone(), whole=text
        )
        references, rule_ids = hold_reach(references, history, rules.learned)
        expanded = expand_text(text, references)
        plain = read_intents(text, expanded, history, rules)
        phrase = rules.learned.find_phrase(own, entities)
        intents = apply_phrase(plain, phrase)
        if phrase is not None and intents is not plain:
            rule_ids = (*rule_ids, phrase.id)
        return MessageReading(entities, references, expanded, intents, rule_ids)


def _as_logged(text: str, reading: MessageReading, payload: Mapping[str, object]) -> MessageReading:
    """The reading with what a router said of the message when it logged it."""
    intents = logged_intents(payload) or reading.intents
    references = logged_references(text, reading.references, payload)
    expanded = reading.expanded if references == reading.references else expand_text(text, references)
    return replace(reading, references=references, expanded=expanded, intents=intents)


def find_entities(text: str, rules: Rules) -> tuple[Entity, ...]:
    """What the person names. In what a program printed files and symbols are named too, words are not."""
    found = extract_entities(own_words(text), rules.entities)
    printed = [one for one in split_authors(text) if one.reason in PRINTED]
    if not printed:
        return found
    shown = [
        one
        for one in extract_entities(text, rules.entities)
        if one.kind in {EntityKind.FILE, EntityKind.SYMBOL} and any(it.start <= one.start < it.end for it in printed)
    ]
    return tuple(sorted((*found, *shown), key=lambda one: one.start)[:MAX_ENTITIES])


def own_references(text: str, references: Sequence[Reference]) -> tuple[Reference, ...]:
    """The references as they may teach: only what the person's own words of the same message name is put in.

    What points into an earlier message or into others' words stays open: no word of another message enters a memory.
    """
    own = own_words(text)
    return tuple(
        replace(one, state=ReferenceState.UNRESOLVED, antecedent=None)
        if one.state is ReferenceState.RESOLVED
        and (one.antecedent_message_id is not None or (one.antecedent or "") not in own)
        else one
        for one in references
    )


def read_intents(text: str, expanded: str, history: Sequence[PriorMessage], rules: Rules) -> tuple[IntentScore, ...]:
    """What the person's own words want; of a log, code, a quote below them only that it is there."""
    wanted = wanted_words(text)
    expanded = wanted if expanded == text else wanted_words(expanded)
    return classify_intents(wanted, history, rules.intents, rules.intent_model, expanded_text=expanded)


def _decide(
    text: str,
    event: AnyEvent,
    reading: MessageReading,
    view: ConversationView | None,
    rules: Rules,
    settings: Settings,
    *,
    is_first: bool,
    is_alive: bool,
) -> BoundaryDecision:
    if view is None or not view.messages:
        return BoundaryDecision(is_new=True, confidence=1.0, reason="first message of a session", leaning=True)
    if _is_ended(view) and not event.is_imported:
        factor = BoundaryFactor("session", 1.0, _ENDED)
        return BoundaryDecision(is_new=True, confidence=1.0, reason=f"new: {_ENDED}", leaning=True, factors=(factor,))
    given = BoundaryInput(
        text=text,
        at=event.at,
        entities=reading.entities,
        references=reading.references,
        intents=tuple(score.intent for score in reading.intents),
        history=tuple(view.messages),
        is_first_of_session=is_first,
        is_session_ended=view.is_session_ended,
        is_alive_elsewhere=is_alive,
        outcome=view.outcome,
    )
    feedback = rules.feedback if settings.is_learning_from_corrections else ()
    decision = hold_session(
        given, detect_boundary(given, rules.boundary, feedback, ask_below=settings.ask_below), rules.sessions
    )
    decision = apply_marker(decision, rules.learned.find_marker(speech_head(text)))
    if event.is_imported and decision.is_new is None:
        return replace(decision, is_new=decision.leaning)  # nobody wants to be asked about last month
    return decision


def _is_ended(view: ConversationView) -> bool:
    """Whether it was ended for good, by the person or by a cleared session: what it spoke of is still known, it does not go on."""
    return view.state == ConversationState.ENDED and bool(view.messages)


def _drops_conversation(text: str, view: ConversationView | None, rules: Rules) -> bool:
    """Whether the words that start something new drop the old one: "forget that, let's …"."""
    if view is None or not view.messages:
        return False
    outcome, _ = infer_outcome(view.messages, is_ended=True, next_marker=text, rules=rules.outcomes)
    plain, _ = infer_outcome(view.messages, is_ended=True, rules=rules.outcomes)
    return outcome is Outcome.ABANDONED and plain is not Outcome.ABANDONED
