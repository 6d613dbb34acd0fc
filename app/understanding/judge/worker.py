"""The quiet thread that lets a judge read along: one request at a time, behind everything, within the caps.

Owns when a request is made, the breaker and the meter. What a request holds, whether an answer is believed and what it becomes are
others' (`app.judge`, `judge_apply`). Whatever a judge does costs a line in Activity, nothing else. Source: JUDGE, DESIGN section 7.
"""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection

from app.capture.exclusion import Exclusions
from app.capture.priority import PriorityGate
from app.errors import InvalidError, RemanenceError
from app.judge import request as requests
from app.judge.adapter import TIMEOUT_S, Adapter, Call, JudgeCancelledError, JudgeError
from app.judge.answer import parse_answer, parse_task_answer
from app.judge.registry import find_adapter
from app.judge.request import AnyRequest
from app.judge.schedule import QUIET_S, Batch, Waiting, choose_all, choose_due, next_to_leave
from app.judge.tasks import T, TaskAnswer, TaskRequest
from app.judge.topic_overlap import bears_on, content_words
from app.judge.values import JudgeAnswer, JudgeMessage, JudgeRequest, KnownMemory, Reply
from app.judge.verification import find_foreign, verify
from app.language.token_counts import count_tokens
from app.memories.learn import Learner
from app.settings import Settings
from app.store.rows import judge as judge_rows
from app.store.rows.unread_prompts import PastRow
from app.store.store import Store
from app.store.visibility import load_never_given
from app.understanding.judge.apply import AppliedAnswer, ReadingSource, apply_answer
from app.understanding.judge.archived_prompts import ArchivedPrompts, UnreadPrompts, batches_of
from app.understanding.judge.levels import LEAST_WAITING, AskedLevels, apply_levels, levels_request
from app.understanding.judge.references import PendingReferences, apply_references, references_request
from app.understanding.machine_load import is_busy, is_on_battery
from app.upkeep.energy import REASONS, Energy
from app.values import Changes, DataKind, Origin
from app.values.admin import JudgePlan
from app.values.energy import Work

Parsed = TypeVar("Parsed")
_log = logging.getLogger(__name__)
_ROUND_S = 30.0  # what rests is looked for so often
_SETTLE_S = 0.3  # after a capture: many come in a row
_AFTER_FAILURE_S = 300.0
_FAILURES_MAX = 3
_PAUSE = timedelta(days=1)
_MONTH = timedelta(days=30)
_BESIDE = timedelta(days=1)  # a message is as old as its event, or nearly
_ANSWER_TOKENS = 1_500  # set aside before a request, corrected by what came
_KNOWN_PER_MESSAGE, _LEAST_KNOWN, _NEWEST_KNOWN = 1, 12, 2
_EARLIER_PROMPTS, _EARLIER_CHARS = 500, 2_000  # in which names may stand
_NOTE_TASKS, _LEVEL_TASKS = ("note", "compact"), ("levels",)
_OTHER_TASKS = ("remember", "contradictions", "merge", "references")


class JudgeWorker:
    """Thread-safe. `start` and `stop` belong to the engine."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        learner: Learner,
        excluded: Exclusions,
        gate: PriorityGate,
        folder: Path,
        past: ArchivedPrompts,
        energy: Energy,
    ) -> None:
        self._store = store
        self._settings = settings
        self._learner = learner
        self._excluded = excluded
        self._gate = gate
        self._folder = folder
        self._past = past
        self._energy = energy
        self._past_seen: tuple[tuple[object, ...], UnreadPrompts] = (
            (),
            UnreadPrompts(),
        )  # as it was counted last, and of which state
        self._wants_past = False
        self._reading_count = 0  # a reading that brings nothing is no operation
        self._condition = threading.Condition()
        self._is_stopping = False
        self._has_changed = True
        self._demanded: deque[Batch] = deque()
        self._running: Batch | None = None
        self._pointing: deque[int] = deque()  # conversations whose pointing words are to be read
        self._is_pointing = False
        self._wants_levels = False  # asked for
        self._may_shorten = True  # something was remembered since it was last looked for
        self._shortened: set[int] = set()  # asked about while this process runs
        self._levels_resumed_at: datetime | None = None
        self._cancelled = threading.Event()
        self._one_at_a_time = threading.Lock()  # requests, whoever makes them
        self._others: set[threading.Event] = set()  # cancel what is asked besides reading along
        self._captured_at_s = -QUIET_S
        self._failed_at_s = -_AFTER_FAILURE_S
        self._must_drop_ends = False
        self._resumed_at: datetime | None = None  # the person pressed: what failed before does not count
        self._began_at: datetime | None = None  # of what is running
        self._capped: tuple[object, ...] = ()  # the day and the caps that held a request up
        self._thread: threading.Thread | None = None
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        self._unsubscribe = self._store.subscribe(self._on_changes)
        self._thread = threading.Thread(target=self._run, name="remanence-judge", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the program that is being asked; its prompts stay unread."""
        self._unsubscribe()
        with self._condition:
            self._is_stopping = True
            self._cancel_all()
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _cancel_all(self) -> None:
        for one in (self._cancelled, *self._others):
            one.set()

    # for who has another task ---------------------------------------------------------------------------

    def ask(
        self,
        request: TaskRequest[T],
        *,
        app: str,
        project_id: int = 0,
        app_id: int = 0,
        timeout_s: float = TIMEOUT_S,
    ) -> TaskAnswer[T]:
        """What holds of the answer, from who reads the conversations of `app`; waits for it, so never on the way of a prompt.

        Through the same switch, caps, breaker and meter as reading along; what is dropped is counted there. Raises InvalidError
        when nobody is to be asked, JudgeError when no answer came or none may be asked for now.
        """
        settings = self._settings()
        adapter = find_adapter(settings, app)
        if adapter is None:
            raise InvalidError("No model reads along.", hint="Choose one in Settings, under Reading along.")
        batch = Batch(app_id, app, project_id, ())
        cancelled = threading.Event()
        with self._condition:
            self._others.add(cancelled)
            if self._is_stopping:
                cancelled.set()
        try:
            with self._one_at_a_time:
                call = Call(
                    self._folder,
                    cancelled,
                    model=settings.judge_model,
                    hands_keys=settings.is_judge_handing_keys,
                    timeout_s=timeout_s,
                )
                return self._ask_task(adapter, batch, request, settings, call)
        finally:
            with self._condition:
                self._others.discard(cancelled)

    def _ask_task(
        self, adapter: Adapter, batch: Batch, request: TaskRequest[T], settings: Settings, call: Call
    ) -> TaskAnswer[T]:
        with self._store.read() as connection:
            is_paused = self.is_paused_for(connection, adapter.name, request.task)
            if is_paused or not self._is_within_caps(connection, adapter, request):
                raise JudgeError(f"{adapter.title} is not to be asked now.")
        if call.cancelled.is_set():
            raise JudgeCancelledError("The request was cancelled.")
        started_s, sent_tokens = time.monotonic(), count_tokens(adapter.sent_text(request))
        try:
            reply, answer = _twice(lambda: adapter.ask(request, call), lambda text: parse_task_answer(text, request))
        except JudgeCancelledError:
            raise
        except (JudgeError, InvalidError) as error:
            if request.task in _OTHER_TASKS:
                self._failed_at_s = time.monotonic()
            self._energy.book(_work_of(request.task), token_count=_tries(error) * sent_tokens)
            seconds = time.monotonic() - started_s
            self._book_failure(adapter, batch, 0, error, sent_tokens, seconds, task=request.task)
            raise JudgeError(str(error), is_refused=isinstance(error, JudgeError) and error.is_refused) from error
        meter = _cost(reply, sent_tokens, started_s, settings) | {"dropped_count": len(answer.dropped)}
        model = meter.pop("model")
        self._energy.book(_work_of(request.task), token_count=_tokens_of(meter))
        with self._store.write_log() as connection:
            is_failed = request.task in _NOTE_TASKS and not answer.found  # who has no words for notes is not asked on
            values = self._meter_row(adapter, batch, 0, "failed" if is_failed else "done", request.task) | meter
            values["error"] = plain_reason(next(iter(answer.dropped), "")) if is_failed else ""
            request_id = judge_rows.add_request(connection, values, ())
            judge_rows.add_result(connection, request_id, {"model": model})
        _log_dropped(adapter, answer.dropped)
        return answer

    # for the API ---------------------------------------------------------------------------------------

    @property
    def pending_count(self) -> int:
        """Requests queued or running."""
        with self._condition:
            return self._pending()

    @property
    def running(self) -> tuple[int, datetime | None]:
        """How many prompts are being read, and since when."""
        with self._condition:
            return (len(self._running.message_ids) if self._running is not None else 0, self._began_at)

    @property
    def resumed_at(self) -> datetime | None:
        return self._resumed_at

    @property
    def put_off_reason(self) -> str:
        """Why what waits is put off, in words for people; "" when it is not."""
        reason = "battery" if is_on_battery() else "energy" if self._energy.is_low else ""
        return REASONS[reason] if reason else ""

    @property
    def is_capped(self) -> bool:
        """Whether a request was held up today by the caps as they are."""
        return bool(self._capped) and self._capped == self._caps_today()

    def cancel(self) -> None:
        """Ends what is being read and what was asked for; its prompts stay unread, and wait a while."""
        with self._condition:
            self._demanded.clear()
            self._failed_at_s = time.monotonic()
            self._cancelled.set()
            self._condition.notify_all()

    def _pending(self) -> int:
        return (
            len(self._demanded)
            + (self._running is not None)
            + len(self._pointing)
            + self._is_pointing
            + self._wants_levels
        )

    def demand_references(self, conversation_id: int) -> int:
        """Queues what the words of a conversation point at; returns how many requests wait. Raises InvalidError as `demand`."""
        self._check_on()
        with self._store.read() as connection:
            asked = references_request(connection, conversation_id, self._is_hidden)
        with self._condition:
            self._resume()
            if asked is not None and conversation_id not in self._pointing:
                self._pointing.append(conversation_id)
                self._condition.notify_all()
            return self._pending()

    def demand_levels(self) -> int:
        """Queues the shorter wordings of all that is long; returns how many requests wait. Raises InvalidError as `demand`."""
        self._check_on()
        with self._condition:
            self._levels_resumed_at = self._store.clock.now()
            self._shortened.clear()
            self._wants_levels = True
            self._condition.notify_all()
            return self._pending()

    def _check_on(self) -> None:
        settings = self._settings()
        if settings.judge == "off" or not settings.is_learning_memories:
            raise InvalidError("No model reads along.", hint="Choose one in Settings, under Reading along.")

    def _resume(self) -> None:
        self._resumed_at = self._store.clock.now()
        self._failed_at_s = -_AFTER_FAILURE_S

    def _is_hidden(self, path: str, text: str) -> bool:
        return bool(self._excluded.excludes([path], [text]))

    def demand(
        self, *, project: str = "", since: datetime | None = None, message_ids: frozenset[int] | None = None
    ) -> int:
        """Queues all that is unread, then the past, the newest first; returns how many requests wait.

               Raises InvalidError when nobody is to read along.
        `message_ids`: only these.
        """
        self._check_on()
        settings = self._settings()
        with self._store.read() as connection:
            batches = self._all(connection, settings, project, since, message_ids)
        batches += batches_of(
            row
            for row in self._find_past(settings, project, since).rows
            if message_ids is None or row.number in message_ids
        )
        with self._condition:
            self._resume()
            waiting = {number for one in self._demanded for number in one.message_ids}
            if self._running is not None:
                waiting.update(self._running.message_ids)
            self._demanded.extend(one for one in batches if not waiting.issuperset(one.message_ids))
            self._condition.notify_all()
            return self._pending()

    def plan(
        self,
        *,
        project: str = "",
        since: datetime | None = None,
        shows_requests: bool = False,
        settings: Settings | None = None,
        most: int | None = None,
    ) -> JudgePlan:
        """What `demand` would send, without sending it. `settings`: as if these held; `most` requests are looked at."""
        settings = settings or self._settings()
        prompts = past_prompts = tokens = count = 0
        texts: list[str] = []
        titles: dict[str, None] = {}
        with self._store.read() as connection:
            unread = judge_rows.load_unread(connection, project=project, since=since)
            batches = self._all(connection, settings, project, since)
        past = (
            UnreadPrompts() if most is not None and len(batches) >= most else self._find_past(settings, project, since)
        )
        with self._store.read() as connection:
            for batch in (*batches, *batches_of(past.rows))[:most]:
                adapter = find_adapter(settings, batch.app)
                if adapter is None:
                    continue
                for request in self._requests(connection, batch, adapter):
                    sent = adapter.sent_text(request)
                    prompts, tokens, count = prompts + len(request.messages), tokens + count_tokens(sent), count + 1
                    past_prompts += len(request.messages) * batch.is_past
                    titles[adapter.title] = None
                    texts += [sent] if shows_requests else []
        nobody = sum(find_adapter(settings, row.app) is None for row in unread)
        return JudgePlan(count, prompts, tokens, tuple(titles), nobody, tuple(texts), past_prompts, past.gone_count)

    def past(self) -> UnreadPrompts:
        """What has left the queue unread, as it was counted last; counted again in the background when something changed since."""
        with self._condition:
            if self._past_state() != self._past_seen[0] and not self._wants_past:
                self._wants_past = True
                self._condition.notify_all()
            return self._past_seen[1]

    def _past_state(self) -> tuple[object, ...]:
        settings = self._settings()
        return (
            self._store.last_seq,
            self._reading_count,
            settings.judge,
            settings.archive,
            settings.is_learning_memories,
        )

    def _find_past(self, settings: Settings, project: str = "", since: datetime | None = None) -> UnreadPrompts:
        return self._past.find(lambda app: find_adapter(settings, app) is not None, project=project, since=since)

    def _count_past(self) -> None:
        if not self._wants_past:
            return
        state = self._past_state()
        found = self._find_past(self._settings())
        with self._condition:
            is_news = found != self._past_seen[1]
            self._past_seen, self._wants_past = (state, found), False
        if is_news:
            self._announce()

    def token_count(self, connection: Connection) -> int:
        return judge_rows.tokens_since(connection)

    # the thread -------------------------------------------------------------------------------------------

    def _on_changes(self, changes: Changes) -> None:
        if self._settings().judge == "off" and DataKind.SETTINGS not in changes.kinds:
            return
        self._may_shorten |= DataKind.MEMORIES in changes.kinds
        is_capture = changes.origin is Origin.CAPTURE and DataKind.MESSAGES in changes.kinds
        if is_capture or {DataKind.SETTINGS, DataKind.CONVERSATIONS} & changes.kinds:
            with self._condition:
                self._has_changed = True
                if is_capture:
                    self._captured_at_s = time.monotonic()
                self._condition.notify_all()
        if DataKind.SETTINGS in changes.kinds:
            settings = self._settings()
            with self._condition:
                self._must_drop_ends = not settings.is_keeping_answer_ends
                if settings.judge == "off":
                    self._demanded.clear()
                    self._pointing.clear()
                    self._wants_levels = False
                    self._cancel_all()

    def _run(self) -> None:
        while True:
            with self._condition:
                is_off = self._settings().judge == "off"
                self._condition.wait_for(self._has_work, timeout=None if is_off else _ROUND_S)
                if not (self._is_stopping or self._demanded or self._pointing or self._wants_levels):
                    self._condition.wait_for(
                        lambda: self._is_stopping or bool(self._demanded or self._pointing), timeout=_SETTLE_S
                    )
                if self._is_stopping:
                    return
                self._has_changed = False
            try:
                self._drop_ends()
                self._count_past()
                self._round()
            except Exception as error:  # noqa: BLE001 (this thread must outlive everything; the next round tries again)
                _log.warning("reading along: %s", error, exc_info=not isinstance(error, RemanenceError))

    def _drop_ends(self) -> None:
        """The person wants none kept."""
        if self._must_drop_ends:
            self._must_drop_ends = False
            with self._store.write_log() as connection:
                judge_rows.drop_answer_ends(connection)

    def _has_work(self) -> bool:
        has_asked = bool(self._demanded) or bool(self._pointing) or self._wants_past or self._wants_levels
        return self._is_stopping or self._has_changed or has_asked

    def _round(self) -> None:
        while (conversation_id := self._next_pointing()) is not None:
            try:
                self._read_references(conversation_id)
            finally:
                with self._condition:
                    self._is_pointing = False
        while (batch := self._next()) is not None:
            self._began_at = self._store.clock.now()
            self._announce()
            try:
                self._read(batch)
            finally:
                with self._condition:
                    self._running = self._began_at = None
                    self._reading_count += 1
                self._announce()
            if self._is_stopping:
                return
        try:
            while self._shorten() and self._wants_levels and not self._is_stopping:
                continue
        finally:
            with self._condition:
                self._wants_levels = False

    def _shorten(self) -> bool:
        """Asks for shorter wordings of what is long; whether there may be more."""
        asked = self._next_levels()
        adapter = self._adapter(asked.app) if asked is not None else None
        if asked is None or adapter is None:
            return False
        self._shortened |= asked.ids
        try:
            answer = self.ask(asked.request, app=asked.app, project_id=asked.project_id, app_id=asked.app_id)
        except (JudgeError, InvalidError) as error:
            _log.info("levels: %s", error)
            return False
        if not answer.found and not answer.dropped:
            return False
        self._gate.yield_to_foreground()
        with self._store.write(origin=Origin.ENGINE, kind="judge", label="") as write:
            count = apply_levels(write, adapter.title, asked, answer.found)
            write.label = f"{adapter.title} shortened {count} {'memory' if count == 1 else 'memories'}"
        return True

    def _next_levels(self) -> AskedLevels | None:
        settings = self._settings()
        if settings.judge == "off" or not settings.is_learning_memories:
            return None
        if not self._wants_levels:
            is_quiet = time.monotonic() - self._captured_at_s >= QUIET_S and not is_busy()
            if not self._may_shorten or not is_quiet or settings.is_judge_paused or self._is_put_off():
                return None
            self._may_shorten = False
        with self._store.read() as connection:
            return levels_request(
                connection,
                is_read=lambda app: find_adapter(settings, app) is not None,
                is_hidden=self._is_hidden,
                passed=self._shortened,
                least=0 if self._wants_levels else LEAST_WAITING,
            )

    def _next_pointing(self) -> int | None:
        with self._condition:
            if self._is_stopping or not self._pointing:
                return None
            self._is_pointing = True
            return self._pointing.popleft()

    def _read_references(self, conversation_id: int) -> None:
        """Asks what the words of a conversation point at, and shows it in place of what the rules found."""
        with self._store.read() as connection:
            asked: PendingReferences | None = references_request(connection, conversation_id, self._is_hidden)
        adapter = find_adapter(self._settings(), asked.app) if asked is not None else None
        if asked is None or adapter is None:
            return
        try:
            answer = self.ask(asked.request, app=asked.app, project_id=asked.project_id, app_id=asked.app_id)
        except JudgeError as error:
            _log.info("references: %s", error)
            return
        if not answer.found:
            return
        self._gate.yield_to_foreground()
        with self._store.write(
            origin=Origin.ENGINE, kind="judge", label=f"{adapter.title} read what words mean"
        ) as write:
            count = apply_references(write, adapter.title, asked, answer.found)
            write.label = f"{adapter.title} read what {count} {'word means' if count == 1 else 'words mean'}"
            write.conversation_id = conversation_id

    def _next(self) -> Batch | None:
        """The next prompts to be read, taken from the queue; they count as running from then on."""
        with self._condition:
            if self._is_stopping:
                return None
            self._cancelled.clear()
            if self._demanded:
                self._running = self._demanded.popleft()
                return self._running
        settings = self._settings()
        if settings.judge == "off" or not settings.is_learning_memories or settings.is_judge_paused:
            return None
        if time.monotonic() - self._failed_at_s < _AFTER_FAILURE_S:
            return None
        with self._store.read() as connection:
            waiting = [one for one in _waiting(judge_rows.load_unread(connection)) if find_adapter(settings, one.app)]
            if not waiting or self._is_put_off():
                return None
            leaving = next_to_leave(judge_rows.load_queue(connection), settings.queue_size)
            is_quiet = time.monotonic() - self._captured_at_s >= QUIET_S and not is_busy()
            due = choose_due(waiting, self._store.clock.now(), leaving, is_quiet=is_quiet)
            due = tuple(one for one in due if not self._is_paused(connection, find_adapter(settings, one.app)))
        with self._condition:
            self._running = due[0] if due else None
            return self._running

    def _is_put_off(self) -> bool:
        """Whether what waits, and nobody asked for, has to wait longer; noted in the ledger of energy."""
        reason = "battery" if is_on_battery() else "energy" if self._energy.is_low else ""
        self._energy.note_put_off(Work.JUDGE, reason)
        return bool(reason)

    @staticmethod
    def _all(
        connection: Connection,
        settings: Settings,
        project: str,
        since: datetime | None,
        message_ids: frozenset[int] | None = None,
    ) -> tuple[Batch, ...]:
        unread = _waiting(judge_rows.load_unread(connection, project=project, since=since))
        wanted = [one for one in unread if message_ids is None or one.message_id in message_ids]
        return choose_all([one for one in wanted if find_adapter(settings, one.app) is not None])

    def _adapter(self, app: str) -> Adapter | None:
        return find_adapter(self._settings(), app)

    # one request ------------------------------------------------------------------------------------------

    def _read(self, batch: Batch) -> None:
        settings = self._settings()
        adapter = find_adapter(settings, batch.app)
        if adapter is None:
            return
        with self._store.read() as connection:
            made = list(self._requests(connection, batch, adapter, books_empty=True))
        for request in made:
            with self._store.read() as connection:
                is_within_caps = self._is_within_caps(connection, adapter, request)
                self._capped = () if is_within_caps else self._caps_today()
                if self._is_paused(connection, adapter) or not is_within_caps:
                    self._failed_at_s = time.monotonic()
                    return
            if not self._ask(adapter, batch, request, settings) or self._is_stopping:
                return

    def _requests(
        self, connection: Connection, batch: Batch, adapter: Adapter, *, books_empty: bool = False
    ) -> list[JudgeRequest]:
        rows: Sequence[Any] = (
            self._past.load(connection, batch)
            if batch.is_past
            else judge_rows.load_texts(connection, batch.message_ids)
        )
        kept = [row for row in rows if row.text.strip() and not self._excluded.excludes([row.path], [row.text])]
        if books_empty and not kept and rows:
            self._book_unsent(batch, adapter, [int(row.id) for row in rows])
        messages = [
            JudgeMessage(
                int(row.id), int(row.conversation_id), str(row.session), row.at, row.text, row.answer_end or "",
                is_imported=bool(row.is_imported), place=place if batch.is_past else 0,
            )
            for place, row in enumerate(kept, 1)
        ]  # fmt: skip
        guesses = judge_rows.learned_from(connection, batch.message_ids)
        candidates = {int(row.message_id) for row in guesses}
        guessed = frozenset(
            int(row.id) for row in guesses if row.worded_by == "rules"
        )  # of these very prompts: no news
        messages = [replace(one, is_candidate=one.message_id in candidates) for one in messages]
        project = str(rows[0].project) if rows else ""
        earlier: tuple[str, ...] = ()
        if messages and not batch.is_past:
            first = min(one.message_id for one in messages)
            earlier = judge_rows.load_texts_before(
                connection, batch.project_id, first, count=_EARLIER_PROMPTS, chars=_EARLIER_CHARS
            )
        return [
            JudgeRequest(project, group, self._known(connection, batch.project_id, group, guessed), earlier)
            for group in requests.split_messages(messages, count_tokens, is_cut=adapter.is_cut)
        ]

    def _known(
        self, connection: Connection, project_id: int, messages: Sequence[JudgeMessage], guessed: frozenset[int]
    ) -> tuple[KnownMemory, ...]:
        """The active memories of the project most like the messages, of those that bear on one of them; and the newest."""
        message_words = [content_words(f"{one.text} {one.answer_end}") for one in messages]
        scores: dict[int, float] = {}
        for message in messages:
            self._gate.yield_to_foreground()
            for place, memory_id in enumerate(self._learner.find_alike(connection, message.text[:2_000], project_id)):
                scores[memory_id] = scores.get(memory_id, 0.0) + 1 / (place + 2)
        order = sorted(scores, key=lambda number: (-scores[number], -number))
        limit = min(requests.MAX_KNOWN - _NEWEST_KNOWN, max(_LEAST_KNOWN, _KNOWN_PER_MESSAGE * len(messages)))
        hidden = load_never_given(connection) | guessed
        likest = judge_rows.load_known(connection, project_id, order, limit + len(hidden))
        newest = judge_rows.load_known(connection, project_id, (), _NEWEST_KNOWN + len(hidden))
        likest, newest = ([row for row in rows if row.id not in hidden] for rows in (likest, newest))
        shown = {row.id: row for row in likest[:limit] if any(bears_on(row.full, words) for words in message_words)}
        shown |= {row.id: row for row in newest[:_NEWEST_KNOWN]}  # "drop those" names nothing
        return tuple(KnownMemory(int(row.id), row.full, row.type, row.valid_from) for row in shown.values())

    def _ask(self, adapter: Adapter, batch: Batch, request: JudgeRequest, settings: Settings) -> bool:
        """Asks, and applies what comes; False when nothing came of it."""
        call = Call(
            self._folder, self._cancelled, model=settings.judge_model, hands_keys=settings.is_judge_handing_keys
        )
        started_s = time.monotonic()
        sent_tokens = count_tokens(adapter.sent_text(request))
        try:
            with self._one_at_a_time:
                reply, answer = _twice(lambda: adapter.ask(request, call), parse_answer)
        except JudgeCancelledError:
            return False
        except (JudgeError, InvalidError) as error:
            self._failed_at_s = time.monotonic()
            count = len(request.messages)
            seconds, conversations = time.monotonic() - started_s, _conversations_of(request)
            self._energy.book(Work.JUDGE, token_count=_tries(error) * sent_tokens)
            self._book_failure(adapter, batch, count, error, sent_tokens, seconds, conversation_ids=conversations)
            return False
        meter = _cost(reply, sent_tokens, started_s, settings)
        with self._energy.spends(Work.JUDGE) as spent:
            spent.token_count = _tokens_of(meter)
            self._apply(adapter, batch, request, answer, meter)
        return True

    def _apply(
        self, adapter: Adapter, batch: Batch, request: JudgeRequest, answer: JudgeAnswer, meter: Mapping[str, object]
    ) -> None:
        self._gate.yield_to_foreground()
        name = batch.app if adapter.name == batch.app else adapter.name
        reader = ReadingSource(name, adapter.title, batch.app_id, batch.app, batch.project_id)
        with self._store.write(origin=Origin.ENGINE, kind="judge", label=f"{adapter.title} read along") as write:
            there, marks = self._there(write.connection, batch, request)
            kept = tuple(
                one
                for one in request.messages
                if (row := there.get(one.message_id)) is not None
                and (isinstance(row, PastRow) or row.text == one.text)
                and not self._excluded.excludes([row.path], [one.text])
            )
            still = replace(request, messages=kept)
            verified = verify(answer, still, find_foreign)
            ids = [mark for one in request.messages for mark in marks.get(one.message_id, ())]
            kept_apart = {name: value for name, value in meter.items() if name != "model"}
            values = self._meter_row(adapter, batch, len(request.messages), "done") | kept_apart
            request_id = judge_rows.add_request(write.connection, values, ids)
            applied = apply_answer(write, reader, still, verified, self._learner) if kept else AppliedAnswer()
            dropped = [*verified.dropped, *applied.dropped]
            judge_rows.add_result(
                write.connection,
                request_id,
                {
                    "model": str(meter["model"]),
                    "conversation_ids": _conversations_of(request),
                    "remembered_ids": applied.memory_ids,
                    "closed_ids": applied.closed_ids,
                    "put_away_ids": applied.put_away_ids,
                    "drop_reasons": dict(Counter(map(plain_reason, dropped))),
                },
            )
            counts = {
                "memory_count": len(applied.memory_ids),
                "closed_count": len(applied.closed_ids),
                "dropped_count": len(dropped),
            }
            judge_rows.change_request(write.connection, request_id, counts)
            write.label = _label(adapter.title, len(request.messages), applied)
        with self._store.write_log() as connection:
            judge_rows.change_request(connection, request_id, {"operation_id": write.operation_id})
        _log_dropped(adapter, (*verified.dropped, *applied.dropped))

    def _there(
        self, connection: Connection, batch: Batch, request: JudgeRequest
    ) -> tuple[dict[int, Any], dict[int, tuple[int, ...]]]:
        """The prompts of a request that may be read still, and what is booked as read with each.

        Leaving never waits for an answer: what left the queue meanwhile, by time alone, counts as if it had stayed.
        """
        if batch.is_past:
            past = {row.number: row for row in self._past.still(connection, batch)}
            return past, {number: row.marks for number, row in past.items()}
        rows: dict[int, Any] = {int(row.id): row for row in judge_rows.load_texts(connection, batch.message_ids)}
        left = [one for one in request.messages if one.message_id not in rows]
        if left:
            ids = tuple(one.message_id for one in left)
            first, last = min(one.at for one in left), max(one.at for one in left)
            gone = replace(batch, message_ids=ids, first_at=first - _BESIDE, last_at=last + _BESIDE)
            rows |= {row.number: row for row in self._past.still(connection, gone)}
        return rows, {number: (number,) for number in rows}

    # caps, breaker, meter ---------------------------------------------------------------------------------------

    def _is_within_caps(self, connection: Connection, adapter: Adapter, request: AnyRequest) -> bool:
        """Checked before a request, with our own count."""
        settings = self._settings()
        now = self._store.clock.now()
        wanted = count_tokens(adapter.sent_text(request)) + _ANSWER_TOKENS
        day = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        caps = ((settings.judge_daily_tokens, day), (settings.judge_monthly_tokens, now - _MONTH))
        return all(not cap or judge_rows.tokens_since(connection, since) + wanted <= cap for cap, since in caps)

    def _caps_today(self) -> tuple[object, ...]:
        settings = self._settings()
        day = self._store.clock.now().astimezone().date()
        return (day, settings.judge_daily_tokens, settings.judge_monthly_tokens)

    def _announce(self) -> None:
        """Something begins to be read, or came to its end."""
        self._store.announce(Changes(seq=0, kinds=frozenset({DataKind.READINGS})))

    def _is_paused(self, connection: Connection, adapter: Adapter | None) -> bool:
        return adapter is None or self.is_paused_for(connection, adapter.name)

    def is_paused_for(self, connection: Connection, adapter: str, task: str = "remember") -> bool:
        """After a refusal, or three failures of a kind in a row: until the person presses, or for a day.

        Notes and levels that fail hold nothing else up: who answers only what JUDGE.md asked first is read along by as before. Nobody
        presses for notes: reading that is asked for does not ask for them again.
        """
        since = self._store.clock.now() - _PAUSE
        tasks = next((one for one in (_NOTE_TASKS, _LEVEL_TASKS) if task in one), _OTHER_TASKS)
        resumed_at = {_OTHER_TASKS: self._resumed_at, _LEVEL_TASKS: self._levels_resumed_at}.get(tasks)
        if resumed_at is not None:
            since = max(since, resumed_at)
        if judge_rows.newest_requests(connection, adapter, since, 1) == ["refused"]:
            return True
        most = 1 if tasks is _LEVEL_TASKS else _FAILURES_MAX  # what only saves tokens is not to cost any
        return judge_rows.newest_requests(connection, adapter, since, most, tasks) == ["failed"] * most

    def _meter_row(
        self, adapter: Adapter, batch: Batch, message_count: int, state: str, task: str = "remember"
    ) -> dict[str, object]:
        return {
            "at": self._store.clock.now(), "adapter": adapter.name, "app_id": batch.app_id, "project_id": batch.project_id,
            "state": state, "error": "", "message_count": message_count, "prompt_tokens": 0, "answer_tokens": 0,
            "seconds": 0.0, "money_usd": None, "is_paid_by_key": False, "memory_count": 0, "closed_count": 0,
            "dropped_count": 0, "operation_id": None, "task": task,
        }  # fmt: skip

    def _book_unsent(self, batch: Batch, adapter: Adapter, message_ids: Sequence[int]) -> None:
        """Prompts that are excluded since, or empty: read by nobody, and not looked at again."""
        with self._store.write_log() as connection:
            values = self._meter_row(adapter, batch, 0, "done")
            judge_rows.add_request(connection, values, message_ids)

    def _book_failure(
        self,
        adapter: Adapter,
        batch: Batch,
        message_count: int,
        error: Exception,
        tokens: int,
        seconds: float,
        *,
        conversation_ids: Sequence[int] = (),
        task: str = "remember",
    ) -> None:
        is_refused = isinstance(error, JudgeError) and error.is_refused
        failure = f"{adapter.title} did not read along: {error}"
        _log.warning("%s", failure)
        with self._store.write(origin=Origin.ENGINE, kind="judge", label=failure, is_undoable=False) as write:
            write.is_recorded = True
            values = self._meter_row(adapter, batch, message_count, "refused" if is_refused else "failed", task)
            more = {"error": str(error), "prompt_tokens": _tries(error) * tokens, "seconds": round(seconds, 3)}
            request_id = judge_rows.add_request(write.connection, values | more, ())
            result = {"model": self._settings().judge_model, "conversation_ids": list(conversation_ids)}
            judge_rows.add_result(write.connection, request_id, result)


def _twice(ask: Callable[[], Reply], parse: Callable[[str], Parsed]) -> tuple[Reply, Parsed]:
    """One try, and one more; a refusal is not tried again."""
    try:
        reply = ask()
        return reply, parse(reply.text)
    except JudgeCancelledError:
        raise
    except (JudgeError, InvalidError) as error:
        if isinstance(error, JudgeError) and error.is_refused:
            raise
        reply = ask()
        return reply, parse(reply.text)


def _tries(error: Exception) -> int:
    """How often a request was made that failed so: a refusal is not tried again."""
    return 1 if isinstance(error, JudgeError) and error.is_refused else 2


def _work_of(task: str) -> Work:
    """In whose name the ledger of energy books a task."""
    return {"note": Work.NOTE, "compact": Work.COMPACTION, "contradictions": Work.CONTRADICTIONS}.get(task, Work.JUDGE)


def _tokens_of(meter: Mapping[str, Any]) -> int:
    return int(meter["prompt_tokens"]) + int(meter["answer_tokens"])


def _log_dropped(adapter: Adapter, reasons: Sequence[str]) -> None:
    """One line a reason, however many entries it holds for."""
    for reason, count in Counter(reasons).items():
        _log.info("%s: dropped %s (%d)", adapter.title, reason, count)


def _cost(reply: Reply, sent_tokens: int, started_s: float, settings: Settings) -> dict[str, Any]:
    """What a request cost, as the program says, else as we count."""
    return {
        "prompt_tokens": sent_tokens if reply.prompt_tokens is None else reply.prompt_tokens,
        "answer_tokens": count_tokens(reply.text) if reply.answer_tokens is None else reply.answer_tokens,
        "seconds": round(time.monotonic() - started_s, 3),
        "money_usd": reply.money_usd,
        "is_paid_by_key": settings.is_judge_handing_keys,
        "model": settings.judge_model,
    }


def _waiting(rows: Sequence[Any]) -> list[Waiting]:
    return [
        Waiting(
            row.id, row.conversation_id, row.app_id, row.app, row.project_id, row.state, row.last_message_at, row.at
        )
        for row in rows
    ]


def _conversations_of(request: JudgeRequest) -> list[int]:
    return sorted({one.conversation_id for one in request.messages})


def plain_reason(reason: str) -> str:
    """Why something was dropped, without any word of the answer: reasons are counted and kept, texts are not.

    >>> plain_reason("the name PDF that nobody said"), plain_reason("a topic of no message")
    ('a name that nobody said', 'a topic of no message')
    """
    for what in ("name", "number"):
        if reason.startswith(f"the {what} "):
            return f"a {what} that nobody said"
    return reason


def _label(title: str, count: int, applied: AppliedAnswer) -> str:
    parts = [f"{title} read {count} {'prompt' if count == 1 else 'prompts'}"]
    made, closed, away = len(applied.memory_ids), len(applied.closed_ids), len(applied.put_away_ids)
    if made:
        parts.append(f"{made} {'memory' if made == 1 else 'memories'}")
    if closed:
        parts.append(f"{closed} replaced")
    if away:
        parts.append(f"{away} guesses archived" if away > 1 else "1 guess archived")
    return f"{parts[0]}: {', '.join(parts[1:])}" if parts[1:] else parts[0]
