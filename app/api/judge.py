"""The model that reads along: who may, its state, what it read and what came of it; on demand, and what would be sent.

Knows neither HTTP nor Qt. Source: JUDGE "On demand", "The meter", "The yes".
"""

import threading
import time
from datetime import datetime, timedelta

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.api.settings_api import SettingsApi
from app.errors import InvalidError, NotFoundError
from app.judge.discovery import find_choices
from app.settings_sources import check_setting
from app.store.rows import judge as judge_rows
from app.understanding.judge import readings as judge_readings
from app.upkeep.undo import undo
from app.values import Changes, DataKind
from app.values.admin import JudgePlan
from app.values.judge import JudgeChoice, JudgePastCount, JudgeQuestion, JudgeReading, JudgeReadingDetail, JudgeState

_LOOKED_FOR_S = 60.0  # who is there is not looked up again so soon
_WEEK = timedelta(days=7)


@cleans_arguments
class Judge:
    """Thread-safe; reading itself runs in the background."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._settings = SettingsApi(core)
        self._lock = threading.Lock()
        self._choices: tuple[JudgeChoice, ...] = ()
        self._looked_at_s = -_LOOKED_FOR_S

    def read(self, *, project: str = "", since: datetime | None = None) -> int:
        """Queues all unread prompts, those of active conversations too, then the past; returns how many requests wait.

        Raises InvalidError.
        """
        return self._core.judge_worker.demand(project=project, since=since)

    def read_references(self, conversation_id: int) -> int:
        """Queues the question what the words of a conversation point at; returns how many requests wait. Raises InvalidError."""
        return self._core.judge_worker.demand_references(conversation_id)

    def word_levels(self) -> int:
        """Queues the shorter wordings of all that is long; returns how many requests wait. Raises InvalidError."""
        return self._core.judge_worker.demand_levels()

    def plan(self, *, project: str = "", since: datetime | None = None) -> JudgePlan:
        """What `read` would send now, word for word."""
        return self._core.judge_worker.plan(project=project, since=since, shows_requests=True)

    def preview(self, choice: JudgeChoice | None = None, *, most: int = 2) -> JudgePlan:
        """The first requests that would go to `choice`, or to who reads now. Nothing is sent."""
        settings = self._core.current
        if choice is not None:
            for name, value in _values_of(choice).items():
                settings = check_setting(name, value, settings)
        return self._core.judge_worker.plan(shows_requests=True, settings=settings, most=most)

    # its state ---------------------------------------------------------------------------------------

    def state(self) -> JudgeState:
        """Its current state, with today's totals."""
        core = self._core
        with core.store.read() as connection:
            return judge_readings.describe_state(
                connection,
                core.judge_worker,
                core.current,
                core.clock.now(),
                set_by=self._settings.set_by("judge"),
                is_settable=self._settings.is_free("judge"),
            )

    def unread_tokens(self) -> int:
        """About what it would cost to read all that nobody read."""
        with self._core.store.read() as connection:
            ids = {int(row.id) for row in judge_rows.load_unread(connection)}
            rows = [one for one in judge_rows.load_lengths(connection) if int(one.id) in ids]
            return judge_readings.about(judge_readings.estimate_tokens(rows))

    def past(self) -> JudgePastCount:
        """What has left the queue and nobody read, as far as it is counted; READINGS is announced when it is counted again."""
        found = self._core.judge_worker.past()
        tokens = judge_readings.about(judge_readings.estimate_tokens(found.rows))
        return JudgePastCount(len(found.rows), tokens, found.gone_count)

    def readings(self, *, limit: int = 100, before_id: int | None = None) -> tuple[JudgeReading, ...]:
        """The requests that were made, newest first."""
        return self._core.read(judge_readings.list_readings, limit=limit, before_id=before_id)

    def reading(self, reading_id: int) -> JudgeReadingDetail:
        """One of them opened. Raises NotFoundError."""
        found = self._core.read(judge_readings.open_reading, reading_id)
        if found is None:
            raise NotFoundError(f"There is no reading {reading_id}.", hint="remanence judge --log lists them.")
        return found

    def cancel(self) -> None:
        """Ends what is being read; its prompts stay unread."""
        self._core.judge_worker.cancel()

    def read_again(self, reading_id: int) -> int:
        """Takes back what came of a reading and has its prompts read again; returns how many requests wait.

        Raises NotFoundError, StaleError when what came of it was changed since, InvalidError when nothing of it is kept.
        """
        core = self._core
        detail = self.reading(reading_id)
        ids = frozenset(one.message_id for one in detail.messages)
        if not ids:
            raise InvalidError(
                "Nothing of what was read is still kept.",
                hint="What left the queue or was erased cannot be read again.",
            )
        if core.current.judge == "off":
            raise InvalidError("No model reads along.", hint="Choose one in Settings, under Reading along.")
        if detail.reading.is_undoable:
            undo(core.store, detail.reading.operation_id)
        with core.store.write_log() as connection:
            judge_rows.forget_reading(connection, reading_id)
        return core.judge_worker.demand(message_ids=ids)

    # the yes ---------------------------------------------------------------------------------------------

    def choices(self, *, is_fresh: bool = False) -> tuple[JudgeChoice, ...]:
        """Who could read along; what was found on this machine first, and of those what keeps all here."""
        with self._lock:
            now_s = time.monotonic()
            if is_fresh or now_s - self._looked_at_s >= _LOOKED_FOR_S:
                self._choices = find_choices()
                self._looked_at_s = now_s
            return self._choices

    def question(self) -> JudgeQuestion | None:
        """The one question, while it is open: after the first message, and only if somebody was found who could read along."""
        if not self.is_question_open():
            return None
        with self._core.store.read() as connection:
            was_asked_recently = judge_rows.load_lengths(connection, self._core.clock.now() - _WEEK)
        return self.offer() if was_asked_recently else None

    def is_question_open(self) -> bool:
        """Whether the person has neither answered it nor set an option that says it."""
        settings = self._core.current
        is_unsaid = self._settings.set_by("judge") == "default" and not settings.is_judge_asked
        return is_unsaid and settings.judge == "off" and settings.is_learning_memories

    def offer(self) -> JudgeQuestion | None:
        """The same without being asked: for the page and for Settings. None when nobody was found."""
        choices = self.choices()
        if not any(one.is_found for one in choices):
            return None
        with self._core.store.read() as connection:
            tokens = judge_readings.tokens_a_day(connection, self._core.clock.now())
        return JudgeQuestion(choices, tokens, self._core.current.judge_daily_tokens)

    def choose(self, choice: JudgeChoice) -> None:
        """That one reads along from now on; one undo. Raises InvalidError where the environment holds the option."""
        values = _values_of(choice)
        self._answer()
        self._settings.set_together(values, f"{choice.title} reads along")

    def decline(self) -> None:
        """Not now: it is not asked again."""
        self._answer()
        self._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.READINGS})))

    def _answer(self) -> None:
        if not self._core.current.is_judge_asked and self._settings.is_free("is_judge_asked"):
            self._settings.set("is_judge_asked", value=True)


def _values_of(choice: JudgeChoice) -> "dict[str, object]":
    values: dict[str, object] = {"judge": choice.judge, "judge_model": choice.model, "is_judge_paused": False}
    if choice.endpoint:
        values["judge_endpoint"] = choice.endpoint
    return values
