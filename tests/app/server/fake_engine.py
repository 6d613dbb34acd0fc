"""An engine without a store: answers every call of the door with small values and remembers what was asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from types import SimpleNamespace

from app.errors import NotFoundError
from app.places import Places
from app.settings import LoadedSettings, Settings, describe_settings
from app.values import (
    AppCard,
    BoundaryJudgement,
    CaptureRequest,
    CaptureResult,
    Changes,
    Conversation,
    ConversationDetail,
    ConversationState,
    DataKind,
    EventState,
    Message,
    Operation,
    Origin,
    Scope,
    Speaker,
)

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def token_for(*scopes: Scope) -> str:
    return "token-" + "-".join(sorted(scope.value for scope in scopes))


def card_for(name: str, scopes: frozenset[Scope]) -> AppCard:
    return AppCard(
        id=1,
        name=name,
        title=name,
        scopes=scopes,
        is_paused=False,
        paused_until=None,
        keeps_answers=False,
        created_at=AT,
        last_seen_at=None,
        message_count=0,
        is_revoked=False,
    )


def conversation(number: int = 1) -> Conversation:
    return Conversation(
        id=number,
        title="FAB button",
        is_title_edited=False,
        state=ConversationState.ACTIVE,
        position=1,
        app="claude-code",
        project="demo",
        project_path="/demo",
        session="s",
        started_at=AT,
        last_message_at=AT,
        ended_at=None,
        message_count=1,
        topics=("FAB button",),
        files=(),
        intents=(),
        outcome=None,
        is_outcome_edited=False,
        is_next_out=False,
        has_clarification=False,
        related_ids=(),
    )


def message(number: int = 1, text: str = "make it purple") -> Message:
    return Message(
        id=number,
        conversation_id=1,
        at=AT,
        speaker=Speaker.USER,
        text=text,
        expanded_text=text,
        entities=(),
        references=(),
        intents=(),
        is_intent_corrected=False,
        boundary=BoundaryJudgement(True, "decided", 0.9, "first message"),
        redaction_count=0,
        is_imported=False,
    )


def operation(number: int) -> Operation:
    return Operation(number, AT, Origin.CAPTURE, "capture", f"Captured {number}", 1, False, False, None, 1, number)


@dataclass
class FakeEngine:
    """Has the nouns of the door as namespaces; `asked` lists (noun.verb, arguments)."""

    places: Places
    settings_now: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self.asked: list[tuple[str, tuple[object, ...]]] = []
        self.captured: list[CaptureRequest] = []
        self.endpoints: list[object] = []
        self.broken: Exception | None = None
        self._listeners: list[Callable[[Changes], None]] = []
        self._numbers = count(1)
        self.tokens = {
            token_for(*scopes): card_for("claude-code", frozenset(scopes))
            for scopes in [(), *[(scope,) for scope in Scope], (Scope.CAPTURE, Scope.READ, Scope.WRITE)]
        }
        loaded = LoadedSettings(self.settings_now, {})
        self.settings = SimpleNamespace(
            current=self.settings_now,
            list=lambda: describe_settings(loaded),
            set=self._noted("settings.set"),
            reset=self._noted("settings.reset"),
        )
        self.events = SimpleNamespace(
            capture=self._capture,
            inbox=lambda **_: (),
            retry=self._noted("events.retry"),
            discard=self._noted("events.discard"),
            changes_since=lambda seq, limit: tuple(operation(n) for n in range(seq + 1, 4)),
            pause=self._noted("events.pause"),
            resume=self._noted("events.resume"),
        )
        self.conversations = SimpleNamespace(
            list=self._noted("conversations.list", lambda: (conversation(),)),
            get=self._get,
            search=self._noted("conversations.search", tuple),
            rename=self._noted("conversations.rename"),
            end=self._noted("conversations.end"),
            reopen=self._noted("conversations.reopen"),
            set_outcome=self._noted("conversations.set_outcome"),
            split=self._noted("conversations.split", lambda: 2),
            merge=self._noted("conversations.merge"),
            clarifications=self._noted("conversations.clarifications", tuple),
            clarify=self._noted("conversations.clarify"),
            to_markdown=self._noted("conversations.to_markdown", lambda: "# FAB button\n"),
        )
        self.messages = SimpleNamespace(
            get=lambda number: message(number),
            correct_intents=self._noted("messages.correct_intents"),
            correct_reference=self._noted("messages.correct_reference"),
            dismiss_reference=self._noted("messages.dismiss_reference"),
        )
        self.window = SimpleNamespace(
            load=self._noted("window.load", lambda: (message(),)),
            log=lambda text, app, session: self._capture([CaptureRequest(app, "prompt", "k", session, text)])[0],
            clear=self._noted("window.clear", lambda: 3),
        )
        self.journal = SimpleNamespace(
            list=self._noted("journal.list", lambda: (operation(1),)),
            detail=self._noted("journal.detail", tuple),
            undo=self._noted("journal.undo", lambda: operation(2)),
            redo=self._noted("journal.redo", lambda: operation(3)),
        )
        self.stats = SimpleNamespace(
            now=self._noted("stats.now", dict), health=self._noted("stats.health", dict), set_endpoint=self._set_endpoint
        )
        self.apps = SimpleNamespace(
            check_token=lambda token: self.tokens.get(token),
            list=self._noted("apps.list", lambda: tuple(self.tokens.values())),
            create=self._noted("apps.create", lambda: (card_for("x", frozenset()), "t")),
            renew_token=self._noted("apps.renew_token", lambda: "t"),
            pause=self._noted("apps.pause"),
            resume=self._noted("apps.resume"),
            revoke=self._noted("apps.revoke"),
            set_keeps_answers=self._noted("apps.set_keeps_answers"),
            assistants=self._noted("apps.assistants", tuple),
            preview_connect=self._noted("apps.preview_connect", tuple),
            connect=self._noted("apps.connect", lambda: card_for("codex", frozenset())),
            preview_disconnect=self._noted("apps.preview_disconnect", tuple),
            disconnect=self._noted("apps.disconnect"),
        )
        self.transfer = SimpleNamespace(
            found=self._noted("transfer.found", tuple),
            recognise=self._noted("transfer.recognise", lambda: SimpleNamespace(source="chatgpt")),
            import_history=self._noted("transfer.import_history", dict),
            export=self._noted("transfer.export", lambda: 7),
        )
        self.backups = SimpleNamespace(
            list=self._noted("backups.list", tuple),
            create=self._noted("backups.create", dict),
            restore=self._noted("backups.restore"),
        )

    def subscribe(self, listener: Callable[[Changes], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def announce(self, number: int) -> None:
        changes = Changes(number, frozenset({DataKind.MESSAGES}), operation_id=number)
        for listener in list(self._listeners):
            listener(changes)

    @property
    def listener_count(self) -> int:
        return len(self._listeners)

    def _noted(self, name: str, result: Callable[[], object] | None = None) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            if self.broken is not None:
                raise self.broken
            self.asked.append((name, (*args, *kwargs.values())))
            return result() if result else None

        return call

    def _get(self, number: int) -> ConversationDetail:
        if self.broken is not None:
            raise self.broken
        if number > 2:
            raise NotFoundError(f"There is no conversation {number}.", hint="It may have left the queue.")
        return ConversationDetail(conversation(number), (message(),), ())

    def _capture(self, requests: Sequence[CaptureRequest], *, wait_s: float | None = None) -> tuple[CaptureResult, ...]:
        if self.broken is not None:
            raise self.broken
        self.asked.append(("events.capture", (wait_s,)))
        self.captured.extend(requests)
        return tuple(CaptureResult(next(self._numbers), request.key, EventState.DONE) for request in requests)

    def _set_endpoint(self, endpoint: object) -> None:
        self.endpoints.append(endpoint)
