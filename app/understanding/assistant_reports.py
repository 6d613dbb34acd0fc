"""An assistant at work reports what the person said: verified as a judge's answer is, and kept at once.

The quote must be in the person's own wording, in one of their last prompts to this app in this project, and the statement brings
nothing new. What passes is active and has the trust of the quote; what does not waits with none, and says why. Waits for a prompt
that is still being understood, since an assistant may be quicker. Knows neither MCP nor HTTP. Source: JUDGE "Who judges", no. 2.
"""

from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Connection

from app.capture.caller_project import CallerProject
from app.capture.exclusion import Exclusions
from app.capture.streams import Streams, title_of_app
from app.deciders.memory.statements.statements import guess_statement
from app.errors import InvalidError, NotFoundError
from app.judge.values import AnsweredMemory, JudgeAnswer, JudgeMessage, JudgeRequest, KnownMemory, VerifiedMemory
from app.judge.verification import NOT_SAID, find_foreign, find_quoted_message, verify
from app.memories.action_checks import named
from app.memories.actions import MemoryCurator
from app.memories.learn import Learner
from app.privacy.secret_rules import MARK_START
from app.settings import Settings
from app.store.journal import Write
from app.store.rows import judge as judge_rows
from app.store.rows.project import find_project
from app.store.store import Store
from app.store.table_queries import ids_with, rows_with
from app.store.tables.core import AppRow
from app.store.tables.memory import MemoryRow
from app.store.visibility import load_never_given
from app.understanding.judge.apply import NEVER, PUT_AWAY, AppliedAnswer, ReadingSource, apply_report, was_put_away
from app.understanding.worker import Worker
from app.values import MemoryDraft, MemoryStatus, Origin, Report, Reported, ReportState

LAST_PROMPTS = 25  # JUDGE: the quote is in one of that many
_WAIT_S = 10.0  # for a prompt that waits to be understood
_WORTH = 2


class AssistantReports:
    """Thread-safe. Texts come cleaned."""

    def __init__(
        self,
        store: Store,
        settings: Callable[[], Settings],
        learner: Learner,
        excluded: Exclusions,
        curator: MemoryCurator,
        *,
        streams: Streams,
        worker: Worker,
    ) -> None:
        self._store = store
        self._settings = settings
        self._learner = learner
        self._excluded = excluded
        self._curator = curator
        self._streams = streams
        self._worker = worker

    def remember(self, report: Report, place: CallerProject, app: str) -> Reported:
        """Keeps what was reported from there, in one operation. Raises InvalidError for what is excluded or not wanted."""
        if not self._settings().is_learning_memories:
            raise InvalidError("The person wants nothing learned just now.", hint="Continue without remembering it.")
        self._excluded.refuse([place.path], (report.statement, report.quote))
        self._await_prompt(report, place, app)
        try:
            with self._store.write(origin=Origin.API, kind="remember", label="") as write:
                verified, reason, request = self._verify(write, report, place, app)
                if verified is None:
                    return self._propose(write, report, place, app, reason)
                reader = self._reader(write, app, place)
                applied = apply_report(write, reader, request, verified, self._learner)
                return _reported(write, report, reader, applied, verified)
        except NotFoundError:  # it says what is behind the wall of this program: nothing of it changes
            return Reported(ReportState.REFUSED, reason=PUT_AWAY)

    def _await_prompt(self, report: Report, place: CallerProject, app: str) -> None:
        """Until the prompt is understood that the assistant speaks of, if none before it says the same."""
        with self._store.read() as connection:
            app_id = self._app_id(connection, app)
            if app_id is None or not report.quote:
                return
            waiting = judge_rows.find_newest_waiting(connection, app_id)
            if waiting is None:
                return
            message = find_quoted_message(self._prompts(connection, place, app_id), report.quote, find_foreign)
        if isinstance(message, str):
            self._worker.wait_for(waiting, _WAIT_S)

    def _verify(
        self, write: Write, report: Report, place: CallerProject, app: str
    ) -> tuple[VerifiedMemory | None, str, JudgeRequest]:
        """What of the report holds; else None and why."""
        connection = write.connection
        app_id = self._app_id(connection, app)
        messages = () if app_id is None else self._prompts(connection, place, app_id)
        request = JudgeRequest(place.name, messages, self._known(connection, report, place))
        if not report.quote:
            return None, "it came without a quote", request
        if MARK_START in report.statement or MARK_START in report.quote:
            return None, "a secret was taken out of it", request
        message = find_quoted_message(messages, report.quote, find_foreign)
        if isinstance(message, str):
            why = (
                f"it quotes {message}"
                if message != NOT_SAID
                else f"none of the last {LAST_PROMPTS} prompts in this project has the quoted words"
            )
            return None, why, request
        guessed = report.type or guess_statement(report.statement).type
        answered = AnsweredMemory(
            message.id,
            report.quote,
            report.statement,
            guessed.value,
            "person" if report.is_for_all_projects else "project",
            _WORTH,
            tuple(f"k{number}" for number in report.replaces),
        )
        found = verify(JudgeAnswer((answered,)), request, find_foreign)
        if not found.memories:
            return None, f"it says {found.dropped[0]}", request
        return found.memories[0], "", request

    def _prompts(self, connection: Connection, place: CallerProject, app_id: int) -> tuple[JudgeMessage, ...]:
        """The person's last prompts to the app in the project, oldest first."""
        project_id = self._project_id(connection, place)
        if project_id is None:
            return ()
        rows = judge_rows.load_last_prompts(connection, project_id, app_id, LAST_PROMPTS)
        return tuple(
            JudgeMessage(
                int(row.id), int(row.conversation_id), str(row.session), row.at, row.text, row.answer_end or "",
                is_imported=bool(row.is_imported),
            )
            for row in rows
            if not self._excluded.excludes([row.path], [row.text])
        )  # fmt: skip

    def _known(self, connection: Connection, report: Report, place: CallerProject) -> tuple[KnownMemory, ...]:
        """Those that it says it replaces, as far as they hold in this very project and may be given."""
        project_id = self._project_id(connection, place)
        if not report.replaces or project_id is None:
            return ()
        wanted = set(report.replaces) - set(load_never_given(connection))
        return tuple(
            KnownMemory(int(row.id), row.full, row.type, row.valid_from)
            for row in judge_rows.load_holding(connection, project_id)
            if row.id in wanted
        )

    def _propose(self, write: Write, report: Report, place: CallerProject, app: str, reason: str) -> Reported:
        """It waits for the person, with no trust."""
        guessed = guess_statement(report.statement)
        statement = replace(guessed, type=report.type or guessed.type)
        refusal = NEVER if self._learner.is_refused(write, statement) else ""
        project_id = self._project_id(write.connection, place)
        if project_id is not None and was_put_away(write, project_id, report.statement):
            refusal = refusal or PUT_AWAY
        if refusal:
            return Reported(ReportState.REFUSED, reason=refusal)
        draft = MemoryDraft(
            text=report.statement,
            type=report.type,
            tags=report.tags,
            project_path=place.path,
            app=app,
            reason=f"an assistant asked to remember it; {reason}",
        )
        made = self._curator.add(write, draft)
        if made.is_known:
            return Reported(ReportState.WAITING if made.is_waiting else ReportState.KNOWN, made.id, reason)
        write.label = f"{self._title(write.connection, app)} proposed {named(write, [made.id])}"
        return Reported(_report_state(write, made.id), made.id, reason)

    def _reader(self, write: Write, app: str, place: CallerProject) -> ReadingSource:
        project_id = self._project_id(write.connection, place)
        assert project_id is not None, "the quote was found in a prompt of this project"
        app_id = self._streams.ensure_app(write, app)
        return ReadingSource(app, self._title(write.connection, app), app_id, app, project_id)

    @staticmethod
    def _app_id(connection: Connection, app: str) -> int | None:
        return next(iter(ids_with(connection, AppRow, name=app)), None)

    @staticmethod
    def _title(connection: Connection, app: str) -> str:
        return next((row.title for row in rows_with(connection, AppRow, "title", name=app)), "") or title_of_app(app)

    @staticmethod
    def _project_id(connection: Connection, place: CallerProject) -> int | None:
        """As it is now: the project's first prompt may have come since the place was looked up."""
        return find_project(connection, place.path) if place.path else None


def _reported(
    write: Write, report: Report, reader: ReadingSource, applied: AppliedAnswer, one: VerifiedMemory
) -> Reported:
    """What became of a report whose quote was verified."""
    touched = {*applied.closed_ids, *applied.disputed_ids}
    left = tuple(number for number in dict.fromkeys(report.replaces) if number not in touched)
    if not applied.memory_ids and not applied.known_ids:
        return Reported(ReportState.REFUSED, reason=applied.dropped[0], left_ids=left)
    new = applied.memory_ids + applied.accepted_ids
    memory_id = (new + applied.known_ids)[0]
    state = _report_state(write, memory_id)
    if not new:
        write.label = f"{reader.title} heard {named(write, [memory_id])} again"
        said_before = {ReportState.ACTIVE: ReportState.KNOWN, ReportState.PROPOSED: ReportState.WAITING}
        state = said_before.get(state, state)
    else:
        what = named(write, [memory_id])
        is_held = state is ReportState.HELD
        write.label = f"{reader.title} {'reported an order: ' if is_held else 'remembered '}{what} from your words"
        write.conversation_id, write.message_id = one.message.conversation_id, one.message.message_id
    why = f"{one.unsaid} is from an answer, not from the person" if one.unsaid else "it is from an imported history"
    reason = why if state is ReportState.PROPOSED else ""
    closed, disputed = tuple(applied.closed_ids), tuple(applied.disputed_ids)
    return Reported(state, memory_id, reason, closed, disputed, left)


def _report_state(write: Write, memory_id: int) -> ReportState:
    match MemoryStatus(write.get(MemoryRow, memory_id).status):
        case MemoryStatus.ACTIVE:
            return ReportState.ACTIVE
        case MemoryStatus.QUARANTINED:
            return ReportState.HELD
        case _:
            return ReportState.PROPOSED
