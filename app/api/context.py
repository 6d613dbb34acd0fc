"""Contexts: assembled for a moment, previewed, and looked up afterwards by their receipts.

What an assistant is answered when it asks, and what it asks to remember. All texts come framed as data.

Source: DESIGN section 6 `engine.context`, S4 "API Endpoints"; DESIGN section 6 "MCP".
"""

import secrets
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection

from app.actor import bound_actor
from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.api.search import Search
from app.assistant_instructions import INSTRUCTION, PROMPT_LINE, START_LINE
from app.assistants.hook_answers import write_hook_answer
from app.capture.caller_project import find_place, resolve_folder
from app.capture.checkout import find_branch, find_collaborators
from app.capture.streams import find_project_root
from app.context.answers import Answer, AnswerService, CallerProject, FoundMemory
from app.context.citations import load_used
from app.context.recent_failures import dismiss, find_known_fix
from app.interop.tool_calls import tool_outcomes
from app.language.token_counts import count_tokens
from app.memories.placements import load_placements, place_at_level, place_in_tier, withhold
from app.retrieval.messages import FoundMessages
from app.retrieval.why_not import explain_not_given
from app.store.rows.project import newest_projects
from app.store.rows.rule import count_changes
from app.upkeep.statistics import load_figures, load_given_today
from app.values import (
    Absence,
    AskingCost,
    CaptureRequest,
    Context,
    ContextFigures,
    ContextRequest,
    ContextSignals,
    Level,
    MemoryFilter,
    Origin,
    Placement,
    Prediction,
    PredictionSignal,
    Receipt,
    ReceiptDetail,
    Report,
    Reported,
    Tier,
    UsedMemory,
    WindowPlan,
    WindowRequest,
)

__all__ = ["Answer", "AnswersApi", "CallerProject", "ContextApi", "FoundMemory"]


@cleans_arguments
class AnswersApi:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._store = core.store
        self._answers = AnswerService(
            core.store, core.recall, core.indexing.usage, secrets.token_bytes(32), self._find_messages
        )

    def _find_messages(self, connection: Connection, query: str, filters: MemoryFilter, limit: int) -> FoundMessages:
        search = self._core.message_search
        now = self._core.clock.now()
        return search.find(connection, query, filters, limit, now=now, is_archive_on=self._core.archive.is_on)

    def fetch_message(self, message_id: int, place: CallerProject) -> FoundMemory:
        """What the person typed, its stretch of at most 400 characters. Raises NotFoundError, also for what may not be given there."""
        return self._answers.fetch_message(message_id, place)

    def place(self, wanted: str) -> CallerProject:
        """Where somebody asks from: a folder of a project, a project's name, or "" for none.

        Raises NotFoundError for a name that nobody knows, AmbiguousError for one that two projects have.
        """
        who = bound_actor()
        if who is None:
            return self._answers.find_place(wanted)
        with self._store.read_for_caller() as connection:  # other projects' names are none of its business
            place = find_place(connection, wanted)
        return place if place.path in who.projects else CallerProject()

    def recall(self, query: str, place: CallerProject, *, limit: int = 8, at: datetime | None = None) -> Answer:
        """What fits the query and may be given there, best first; `at`: as it was known and held then."""
        return self._answers.recall(query, place, limit=limit, at=at)

    def expand(self, memory_ids: Iterable[int], place: CallerProject, *, at: datetime | None = None) -> Answer:
        """Whole texts by number, as far as they may be given there; `at`: as they were known and held then."""
        return self._answers.expand(memory_ids, place, at=at)

    def timeline(self, place: CallerProject, *, topic: str = "", limit: int = 30, at: datetime | None = None) -> Answer:
        """What was learned and when, oldest first, what is over included; `at`: what was known of it then."""
        return self._answers.timeline(place, topic=topic, limit=limit, at=at)

    def contradictions(self, place: CallerProject, *, topic: str = "", limit: int = 20) -> Answer:
        """Open contradictions that may be given there, each as one question."""
        return self._answers.contradictions(place, topic=topic, limit=limit)

    def list_hits(self, query: str, place: CallerProject, *, limit: int = 10) -> tuple[FoundMemory, ...]:
        return self._answers.list_hits(query, place, limit=limit)

    def fetch(self, memory_id: int, place: CallerProject) -> FoundMemory:
        """One memory, whole. Raises NotFoundError, also for one that may not be given there."""
        return self._answers.fetch(memory_id, place)

    def remember(self, report: Report, place: CallerProject, *, app: str) -> Reported:
        """Keeps what an assistant reports: active where the person said it in one of their last prompts to it, else proposed."""
        core = self._core
        clean = replace(
            report,
            statement=core.inbox.clean_text(report.statement, core.current).strip(),
            quote=core.inbox.clean_text(report.quote, core.current).strip(),
            tags=tuple(core.inbox.clean_text(tag, core.current) for tag in report.tags),
        )
        return core.assistant_reports.remember(clean, place, app)


_FROM_A_FOLDER = ("hook:", "turn")  # these say where they are, by a folder of whatever form
_LIVE = (*_FROM_A_FOLDER, "mcp")  # what is checked out there is what is worked on
_PROMPT_CHARS = 8_000  # a pasted log says what it is about before its end


@cleans_arguments
class ContextApi:
    def __init__(self, core: Core) -> None:
        self._core = core

    def assemble(self, request: ContextRequest) -> Context:
        """What an assistant gets now; its text is "" when nothing fits. Kept as a receipt unless it is a preview.

        While an assistant waits for it, understanding and imports stand aside. The project may be a path, also one that is new,
        or a name. Raises InvalidError for a name that nobody knows, AmbiguousError for one that two projects have.
        """
        if request.is_kept and self._is_excluded(request.signals):
            request = replace(request, is_kept=False)
        with self._core.gates.capture.foreground() if request.is_kept else nullcontext():
            return self._core.assembler.assemble(self._clean_request(request))

    def why_not(self, text: str, request: ContextRequest, *, limit: int = 3) -> tuple[Absence, ...]:
        """What these words mean, and why a context of this moment does not give it; nothing is kept of the question."""
        search, request = Search(self._core), self._clean_request(replace(request, is_kept=False, is_text_only=False))
        context, signals = self._core.assembler.assemble(request), request.signals
        with self._core.store.read_for_caller() as connection:
            now = signals.at or self._core.clock.now()
            return tuple(
                Absence(card.title, reason, card.id, is_there=is_there)
                for card in search.expected(text, limit)
                for reason, is_there in [
                    explain_not_given(self._core.recall, connection, card.id, context, signals, now)
                ]
            ) or search.unlearned(text, limit)

    def _is_excluded(self, signals: ContextSignals) -> bool:
        """Whether a rule of the person's wants nothing kept of this moment: then no receipt either."""
        places = (signals.project_path, signals.current_file)
        return self._core.excluded.excludes(places, (signals.prompt, signals.branch, *signals.recent_errors))

    def _clean_request(self, request: ContextRequest) -> ContextRequest:
        signals = request.signals
        if request.delivery.startswith(_LIVE):  # before a worktree's folder becomes its project's
            signals = _checked_out(signals)
        if not signals.current_file and request.delivery.startswith(_FROM_A_FOLDER):
            signals = replace(signals, current_file=self._core.at_hand.find(signals.app, signals.session))
        if not request.delivery.startswith(_FROM_A_FOLDER):
            signals = replace(signals, project_path=resolve_folder(self._core.store, signals.project_path))
        return replace(request, signals=self._clean(_within_walls(signals)))

    def _clean(self, signals: ContextSignals) -> ContextSignals:
        """The signals as a receipt may keep them: an assistant hands them over as they were typed (S6)."""
        inbox, settings = self._core.inbox, self._core.current
        prompt = inbox.clean_text(signals.prompt[: 2 * _PROMPT_CHARS], settings)  # no secret is cut in two
        short = partial(inbox.clean_short, settings=settings)
        return replace(
            signals,
            project_path=short(signals.project_path),
            app=short(signals.app),
            session=inbox.clean_id(signals.session),
            prompt=prompt[:_PROMPT_CHARS],
            current_file=short(signals.current_file),
            branch=short(signals.branch),
            recent_errors=tuple(map(short, signals.recent_errors)),
            collaborator=short(signals.collaborator),
        )

    def known_fix(self, event: CaptureRequest) -> str:
        """One line on what repaired the error that a tool just reported, where it was seen before in this project; else ""."""
        failed = [one for one in tool_outcomes(event.payload) if one.is_error and one.error]
        if not failed or self._core.excluded.excludes((event.cwd, event.project_root), ()):
            return ""
        signals = _within_walls(ContextSignals(find_project_root(event.project_root or event.cwd)))
        store = self._core.store
        with store.read_for_caller() as connection:
            now = self._core.clock.now()
            line, rule_id = find_known_fix(connection, signals.project_path, failed, now, event.at)
        if rule_id is not None:
            with store.write_log() as connection:
                count_changes(connection, [rule_id])
        return line

    def predict(self, signals: ContextSignals, *, without: AbstractSet[PredictionSignal] = frozenset()) -> Prediction:
        """What will probably be needed, how sure that is, and why; the next assembly finds it ready.

        `without`: signals that are not to count, to see what they bring. Raises as `assemble` does.
        """
        if not signals.current_file:
            signals = replace(signals, current_file=self._core.at_hand.find(signals.app, signals.session))
        named = _within_walls(replace(signals, project_path=resolve_folder(self._core.store, signals.project_path)))
        return self._core.predictor.predict(self._clean(named), without=without)

    def window(self, request: WindowRequest) -> WindowPlan:
        """A whole context window for the session: reserves, recent messages, memories, summaries of what was before.

        The system prompt and the active items are for this answer alone: nothing of them is kept.
        """
        moment = request.context
        if moment.is_kept and self._is_excluded(moment.signals):
            moment = replace(moment, is_kept=False)
        cleaned = replace(request, context=self._clean_request(moment))
        return self._core.windowing.plan(cleaned, moment.signals.prompt)

    def receipts(
        self, *, app: str = "", project: str = "", session: str = "", limit: int = 50, before_id: int | None = None
    ) -> tuple[Receipt, ...]:
        """What was given, newest first. `project` is a path or a name."""
        return self._core.receipts.list(app=app, project=project, session=session, limit=limit, before_id=before_id)

    def receipt(self, receipt_id: int) -> ReceiptDetail:
        """One of them with every byte. Raises NotFoundError."""
        return self._core.receipts.get(receipt_id)

    def mark_undelivered(self, receipt_id: int) -> None:
        """Marks this context as not delivered: it counts as not given in its session."""
        self._core.receipts.mark_undelivered(receipt_id)

    @staticmethod
    def as_printed(text: str, *, app: str, event: str) -> bytes:
        """What our hook prints for this host so that it reads `text`; empty where the host takes nothing."""
        return write_hook_answer(app, event, text)

    def figures(self, *, days: int = 14, app: str = "", project: str = "") -> ContextFigures:
        """Tokens given by day, kind, project and app, from the receipts that are kept."""
        core = self._core
        with core.store.read_for_caller() as connection:
            return load_figures(connection, core.clock.now(), days=days, app=app, project=project)

    @staticmethod
    def asking_cost() -> AskingCost:
        """What asking assistants to remember costs, each time."""
        return AskingCost(*(count_tokens(f"{text.strip()}\n") for text in (INSTRUCTION, START_LINE, PROMPT_LINE)))

    def given_today(self) -> tuple[int, int]:
        """Tokens given today, and in how many contexts."""
        return self._core.read(load_given_today, self._core.clock.now())

    def used(self, *, days: int = 1, app: str = "", project: str = "") -> tuple[UsedMemory, ...]:
        """What was used of what assistants were given, today or in that many days, each memory once, the newest first."""
        core = self._core
        midnight = core.clock.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        with core.store.read_for_caller() as connection:
            return load_used(connection, midnight - timedelta(days=days - 1), app=app, project=project)

    def projects(self) -> tuple[tuple[str, str], ...]:
        """Name and path of the projects that a context can be assembled for, newest first."""
        return self._core.read(newest_projects)

    def placements(self) -> tuple[Placement, ...]:
        """How a person wants memories given: level and tier, by memory; the others are given as it fits best."""
        found = self._core.read(load_placements)
        return tuple(found[key] for key in sorted(found))

    def place_at_level(self, memory_ids: Sequence[int], level: Level | None) -> None:
        """From now on these are given at this level whenever they are given; None: at the one that fits."""
        self._core.act("place_memory", place_at_level, memory_ids, level)

    def place_in_tier(self, memory_ids: Sequence[int], tier: Tier | None) -> None:
        """From now on these are put in this tier whenever they are given; None: in the one that fits."""
        self._core.act("place_memory", place_in_tier, memory_ids, tier)

    def withhold(self, memory_ids: Sequence[int], *, is_withheld: bool = True) -> None:
        """From now on these are never given to an assistant, or again. A person finds them as before."""
        self._core.act("place_memory", withhold, memory_ids, is_withheld=is_withheld)

    def dismiss(self, line: str, *, project_path: str) -> None:
        """A line of what failed or was repaired lately is given no more until its command runs again. Can be undone.

        `line`: as it is in a context, or the command. Raises NotFoundError for one that is not given now.
        """
        core = self._core
        with core.store.write(origin=Origin.PERSON, kind="dismiss_line", label="") as write:
            place = find_place(write.connection, project_path)
            dismiss(write, place.project_id, place.path, line)


def _checked_out(signals: ContextSignals) -> ContextSignals:
    """With the branch, and who else works on it, where nobody said so."""
    folder = signals.project_path
    collaborator = signals.collaborator or next(iter(find_collaborators(folder)), "")
    return replace(signals, branch=signals.branch or find_branch(folder), collaborator=collaborator)


def _within_walls(signals: ContextSignals) -> ContextSignals:
    """What is asked for another project than a token is bound to is answered as to somebody who is in none."""
    who = bound_actor()
    if who is None or find_project_root(signals.project_path) in who.projects:
        return signals
    return replace(signals, project_path="", session="")
