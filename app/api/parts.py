"""What understands, remembers and gives: every part of an engine that taking an event in does without.

Built by `Core` when somebody first needs one of them, so that the socket answers before they are loaded. Not for clients.
Source: DESIGN section 5, QUALITY P5.
"""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from app.assistant_instructions import LINE_TITLE
from app.consolidation.automatic_runs import AutomaticRuns
from app.consolidation.runner import Consolidator
from app.consolidation.steps.code_patterns import code_patterns
from app.consolidation.steps.compress import COMPRESS
from app.consolidation.steps.contradictions import find_contradictions
from app.consolidation.steps.deduplicate import deduplicate
from app.consolidation.steps.episodes import EPISODES
from app.consolidation.steps.forget import ARCHIVE, FORGET
from app.consolidation.steps.links import links
from app.consolidation.steps.notes import NOTES
from app.consolidation.steps.rules import RULES as LEARN_RULES
from app.consolidation.steps.usage import USAGE
from app.consolidation.steps.workflows import WORKFLOWS
from app.context.assembly import Assembler
from app.context.draft import Footer
from app.context.imports import ImportReader
from app.context.nudge import Nudge
from app.context.prediction import Predictor
from app.context.receipts import Receipts
from app.context.window import WindowPlanner
from app.contradictions.scanner import Scanner
from app.deciders.conversation.intents.training import LabelledExample
from app.deciders.recall.ranking.recipes import load_recipes
from app.deciders.recall.rules import load_recall_rules
from app.errors import DiskProblem
from app.language.token_counts import warm as warm_tokens
from app.memories.actions import MemoryCurator
from app.memories.learn import Learner
from app.memories.lists import MemoryLists
from app.retrieval.embedding import Embedding
from app.retrieval.indexing import Indexing
from app.retrieval.messages import MessageSearch
from app.retrieval.recall import Recall
from app.settings import Settings
from app.store.after_write import follow_memories
from app.store.journal import Write
from app.store.rows.rule import load_answers
from app.transfer.archived_history import ArchivedHistoryImporter
from app.transfer.event_import import Importer
from app.understanding.assistant_reports import AssistantReports
from app.understanding.clarification_answers import ClarificationAnswers
from app.understanding.conversations.chunking import Chunker
from app.understanding.conversations.curation import BOUNDARY_RULE, INTENT_RULE, Curator
from app.understanding.conversations.derived import KnownConversation, derive_conversation, load_known
from app.understanding.conversations.eviction_lessons import DepartureLessons
from app.understanding.conversations.queue import Queue
from app.understanding.conversations.recent_messages import ConversationCache
from app.understanding.episodes.writing import keep_episode
from app.understanding.judge.archived_prompts import ArchivedPrompts
from app.understanding.judge.worker import JudgeWorker
from app.understanding.message_analyzer import MessageAnalyzer
from app.understanding.message_rows import factors_from_json
from app.understanding.pipeline import MessagePipeline
from app.understanding.rule_sets import RuleSets
from app.upkeep.energy import Energy
from app.upkeep.erase import Eraser
from app.upkeep.housekeeping import Housekeeper
from app.upkeep.note_delivery import NOTES_TITLE, NoteGiver
from app.upkeep.notes import NoteKeeper
from app.upkeep.prompt_archive import PromptArchive
from app.upkeep.review import archive_unseen
from app.upkeep.stale_memories import CodeCheck
from app.values import BoundaryFeedback, ContextRequest, DataKind, Intent, Origin
from app.values.energy import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.api.core import Core

_log = logging.getLogger(__name__)


class Parts:
    """The later half of an engine, wired."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        store, places, streams, gates = core.store, core.places, core.streams, core.gates
        self.energy = Energy(store, self._settings)
        self.rule_sets = RuleSets(places.rules_dir, places.state_dir, core.secret_rule_set)
        self.conversations = ConversationCache(lambda: self.rule_sets.rules)
        self.queue = Queue()
        self.queue.on_over.append(self._keep_episode)
        self.queue.on_evict.append(DepartureLessons(self._settings).learn)
        self.learner = Learner(lambda: self.rule_sets.memory, self._settings)
        self.analyzer = analyzer = MessageAnalyzer(self.rule_sets, self.conversations, self.learner.read)
        self.chunker = Chunker(self._settings)
        self.understanding = MessagePipeline(
            self.rule_sets,
            analyzer,
            self.queue,
            streams,
            self.conversations,
            chunker=self.chunker,
            learner=self.learner,
            clean_branch=lambda branch: core.inbox.clean_short(branch, self._settings()),
        )
        self.indexing = Indexing(
            store, yield_to_foreground=gates.capture.yield_to_foreground, spends=lambda: self.energy.spends(Work.INDEX)
        )
        self.message_search = MessageSearch(load_recall_rules(), self.indexing.prompts, core.excluded.excludes)
        self.recall = Recall(store, self.indexing, self._settings, load_recall_rules(), load_recipes(places.rules_dir))
        self.learner.find_alike = self.recall.find_alike
        self.receipts = Receipts(store)
        self.note_giver = NoteGiver(store, self._settings, self.receipts, core.excluded)
        self.code_check = CodeCheck(core.clock)
        imports = ImportReader(self._settings, lambda path: core.excluded.excludes([path], ()))
        self.predictor = Predictor(store, self.recall, imports.find)
        self.assembler = Assembler(
            store,
            self.recall,
            self.receipts,
            self._settings,
            places.state_dir,
            self.predictor.predict_in,
            self.code_check.find_stale,
            self.rule_sets.find_intents,
            make_footers(self.note_giver, Nudge(store, self._settings, self.learner, core.apps_with_tools)),
        )
        self.embedding = Embedding(store, self._settings, core.excluded, gates.capture, self.energy)
        self.recall.likeness = self.embedding.likeness
        self.windowing = WindowPlanner(store, self.assembler, self._settings)
        self.curator = Curator(self.queue, self.understanding)
        self.understanding.take_answer = ClarificationAnswers(self.curator, self.conversations).take
        self.memory_curator = MemoryCurator(streams, self.learner)
        self.lists = MemoryLists(store)
        self.eraser = Eraser(store, places, self.indexing.purge)
        self.archive = PromptArchive(store, self._settings, core.excluded, self.eraser)
        self.queue.archive = self.archive.keep_conversation
        earlier = ArchivedHistoryImporter(store, core.inbox, self.rule_sets, streams, self.learner)
        earlier.archive = self.archive.keep_past
        self.importer = Importer(
            store, core.inbox, self.understanding, streams, self.conversations, self.queue, gates, earlier
        )
        self.housekeeper = Housekeeper(
            store,
            self._settings,
            self.learn,
            self._each_round,
            self._begin_day,
            lambda: self.energy.spends(Work.UPKEEP),
        )
        past = ArchivedPrompts(store, self._settings, core.inbox, lambda: self.archive.is_on, gates.capture)
        self.judge_worker = JudgeWorker(
            store, self._settings, self.learner, core.excluded, gates.capture, places.judge_dir, past, self.energy
        )
        self.note_keeper = NoteKeeper(
            store, self._settings, core.excluded, self.judge_worker, self.energy, gates.capture
        )
        self.scanner = Scanner(
            store,
            self._settings,
            lambda: self.rule_sets.memory,
            self.recall.find_alike,
            self.judge_worker,
            core.excluded,
            gates.capture,
            self.energy,
        )
        self.learner.leaves_to_judge = lambda: self._settings().judge != "off"
        self.assistant_reports = AssistantReports(
            store, self._settings, self.learner, core.excluded, self.memory_curator, streams=streams, worker=core.worker
        )
        self.consolidator = Consolidator(store, self._settings, gates.capture, self.energy)
        alike = self.recall.find_alike
        self.consolidator.register(
            deduplicate(alike),
            COMPRESS,
            USAGE,
            find_contradictions(alike, self.scanner.has_held, self.scanner.hold_later),
            FORGET,
            links(alike),
            LEARN_RULES,
            WORKFLOWS,
            code_patterns(lambda path: core.excluded.excludes([path], ())),
            ARCHIVE,
            EPISODES,
            NOTES,
        )
        self.clockwork = AutomaticRuns(store, self._settings, self.consolidator, self.energy)
        core.hook_rule_files.begin()
        self.learn(has_time=False)

    def start(self) -> None:
        """Starts what works in the background."""
        self.indexing.start()
        try:
            self.eraser.finish()
        except DiskProblem as problem:  # the next start, or the next erase, tries again
            _log.warning("%s", problem)
        self.embedding.start()
        self.housekeeper.start()
        self.judge_worker.start()
        self.scanner.start()
        self.consolidator.start()
        self.clockwork.start()
        self.note_keeper.start()

    def stop(self) -> None:
        """Stops all but the housekeeper, which ends before the worker that it may give work to."""
        self.indexing.stop()
        self.embedding.stop()
        self.code_check.stop()
        self.lists.close()
        self.energy.flush()

    def steps_of_warming(self) -> "Iterator[Callable[[], object]]":
        """What loads all that the first message needs, in steps."""
        yield self.rule_sets.secrets.prepare
        yield self.analyzer.rehearse
        yield self.analyzer.rehearse_statements
        yield warm_tokens
        yield self.assembler.load

    def learn(self, *, has_time: bool = True) -> None:
        """Hands the person's answers to the rule sets; retrains the classifier, unless there is no time for it now.

        With learning switched off they know what was shipped, and nothing else.
        """
        self.analyzer.forget_learned()
        with self._core.store.read() as connection:
            rules = load_answers(connection)
        if not self._settings().is_learning_from_corrections:
            rules = []
        answers = [
            BoundaryFeedback(factors_from_json(rule.data["factors"]), bool(rule.data["is_new"]))
            for rule in rules
            if rule.kind == BOUNDARY_RULE
        ]
        corrections = [
            LabelledExample(rule.pattern, tuple(Intent(name) for name in rule.data["intents"]))
            for rule in rules
            if rule.kind == INTENT_RULE
        ]
        self.rule_sets.set_feedback(answers)
        if has_time:
            self.rule_sets.retrain(corrections)
        elif corrections:
            self.housekeeper.learn_soon()

    def after_write(self, write: Write) -> None:
        """Derived columns follow, the search index hears of memories; caches that a person's act made wrong are dropped."""
        follow_memories(write)
        if DataKind.RULES in write.touched:
            self.analyzer.forget_learned()
        if write.origin in {Origin.CAPTURE, Origin.IMPORT}:
            self.understanding.settle(write)
            return
        for conversation_id in sorted(write.touched_conversations):
            derive_conversation(write, conversation_id, self._load_known)
            self.chunker.settle(write, conversation_id)
        self.conversations.forget()
        self._core.streams.forget()

    def _each_round(self) -> None:
        """What waits for a disk that works again, then what hooks wrote down."""
        self._core.hook_rule_files.try_again()
        self._core.spool()

    def _begin_day(self) -> None:
        """Once a day: counts it, archives what nobody looked at, pauses what is idle, lets go of what the prompt archive kept long enough."""
        archive_unseen(self._core.store, self.memory_curator)
        self._pause_idle()
        self.archive.begin_day()
        self.note_keeper.expire()

    def _pause_idle(self) -> None:
        store = self._core.store
        with store.write(
            origin=Origin.ENGINE, kind="pause", label="Paused conversations in which nothing was said"
        ) as write:
            for conversation_id in self.queue.pause_idle(write, write.at, self._settings()):
                self.conversations.forget_conversation(conversation_id)
                write.touched_conversations.add(conversation_id)

    def _keep_episode(self, write: Write, conversation_id: int) -> None:
        if self._settings().is_distilling:
            keep_episode(write, conversation_id)

    def _settings(self) -> Settings:
        return self._core.current

    def _load_known(self, connection: Connection, conversation_id: int) -> KnownConversation:
        rules = self.rule_sets.rules
        return load_known(connection, conversation_id, rules.outcomes, rules.titles)


def make_footers(notes: NoteGiver, nudge: Nudge) -> "Callable[[ContextRequest], tuple[Footer, ...]]":
    """What is below the memories of a context: an app's notes, then the line that asks to remember."""

    def find(request: ContextRequest) -> tuple[Footer, ...]:
        block, line = notes.block_for(request), nudge.line(request)
        found = (
            Footer(block, NOTES_TITLE, "notes of this app, with the first prompt"),
            Footer(line, LINE_TITLE, "asks the assistant to remember what you say"),
        )
        return tuple(one for one in found if one.text)

    return find
