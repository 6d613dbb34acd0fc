"""What the nouns share: store, judges, queue, worker, settings. Built once by `Engine.open`. Not for clients."""

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, select

from app.clock import Clock
from app.conversation.intent_training import LabelledExample
from app.memory.tokens import warm as count_tokens_warm
from app.places import Places
from app.recall.recipes import load_recipes
from app.recall.rules import load_recall_rules
from app.services.assembling import Assembler
from app.services.chunking import Chunker
from app.services.code_check import CodeCheck
from app.services.curate import BOUNDARY_RULE, INTENT_RULE, Curator
from app.services.derive import Known, derive_conversation, load_known
from app.services.earlier import Earlier
from app.services.erase import Eraser
from app.services.giving_way import Ways
from app.services.hook_files import RULES_NAME, write_hook_rules
from app.services.housekeeping import Housekeeper
from app.services.importing import Importer
from app.services.inbox import Inbox
from app.services.indexing import Indexing
from app.services.judges import Judges
from app.services.judging import Judging
from app.services.learn import Learner
from app.services.memories import MemoryCurator
from app.services.memory_follow import follow_memories
from app.services.memory_lists import MemoryLists
from app.services.paused import PausedApps
from app.services.predicting import Predictor
from app.services.queue import Queue
from app.services.recall import Recall
from app.services.receipts import Receipts
from app.services.rows import factors_from_json
from app.services.streams import Streams
from app.services.talks import Talks
from app.services.understanding import Understanding
from app.services.windowing import Windowing
from app.services.worker import Worker
from app.settings import Settings
from app.settings_sources import LoadedSettings, load_settings, save_setting
from app.store.journal import Write, table_of
from app.store.lock import OwnerKind
from app.store.store import Store
from app.store.tables import RuleRow, SettingRow
from app.values import BoundaryFeedback, Endpoint, Intent, Origin


class Core:
    """The parts of one engine, wired."""

    def __init__(self, places: Places, clock: Clock, flags: Mapping[str, object], *, owner: OwnerKind) -> None:
        self.places = places
        self.clock = clock
        self._flags = flags
        self.loaded: LoadedSettings = load_settings(places.config_path, flags=flags)
        self.store = Store(places, clock, owner=owner)
        self.endpoint = Endpoint()
        self.paused_until: datetime | None = None
        self.is_paused = False
        self.paused_apps = PausedApps(self.store)
        self.streams = Streams()
        self.talks = Talks(lambda: self.judges.rules.outcomes)
        self.queue = Queue()
        self.judges = Judges(places.rules_dir, places.state_dir)
        self.ways = ways = Ways()
        self.inbox = Inbox(self.store, self.judges, self.streams, ways.capture)
        self.learner = Learner(lambda: self.judges.memory, lambda: self.loaded.settings)
        self.judging = judging = Judging(self.judges, self.talks, self.learner.read)
        self.chunker = Chunker(lambda: self.loaded.settings)
        self.understanding = Understanding(
            self.judges,
            judging,
            self.queue,
            self.streams,
            self.talks,
            chunker=self.chunker,
            learner=self.learner,
        )
        self.worker = Worker(
            self.store, self.understanding, self.streams, self.talks, lambda: self.loaded.settings, ways
        )
        self.indexing = Indexing(self.store)
        self.recall = Recall(
            self.store,
            self.indexing,
            lambda: self.loaded.settings,
            load_recall_rules(),
            load_recipes(places.rules_dir),
        )
        self.learner.find_alike = self.recall.find_alike
        self.receipts = Receipts(self.store)
        self.code_check = CodeCheck(clock)
        self.predictor = Predictor(self.store, self.recall)
        self.assembler = Assembler(
            self.store,
            self.recall,
            self.receipts,
            lambda: self.loaded.settings,
            places.state_dir,
            self.predictor.predict_in,
            self.code_check.find_stale,
        )
        self.windowing = Windowing(self.store, self.assembler)
        self.curator = Curator(self.queue, self.understanding)
        self.memory_curator = MemoryCurator(self.streams, self.learner)
        self.lists = MemoryLists(self.store)
        self.eraser = Eraser(self.store, places, self.indexing.wash)
        self.importer = Importer(
            self.store,
            self.inbox,
            self.understanding,
            self.streams,
            self.talks,
            self.queue,
            ways,
            Earlier(self.store, self.inbox, self.judges, self.streams, self.learner),
        )
        self.take_spool: Callable[[], object] = _nothing  # given by the engine, which knows how to capture
        self.housekeeper = Housekeeper(self.store, lambda: self.loaded.settings, self.learn, self._spool)
        self.store.after_write = self._after_write
        self.store.settings_changed = self.reload_settings
        self._stop_lock = threading.Lock()
        self._warm_lock = threading.Lock()
        self._is_stopped = self.is_leaving = False

    @property
    def current(self) -> Settings:
        return self.loaded.settings

    def start(self) -> None:
        self.learn(has_time=False)
        write_hook_rules(self.places.hook_dir / RULES_NAME, self.judges.secrets)
        self.worker.start()
        self.indexing.start()
        self.housekeeper.start()

    def stop(self) -> None:
        with self._stop_lock:
            if self._is_stopped:
                return
            self._is_stopped = self.is_leaving = True
        self.judges.stop()
        self.housekeeper.stop()
        self.worker.stop()
        self.indexing.stop()
        self.code_check.stop()
        self.lists.close()
        with self._warm_lock:  # a rehearsal still reads
            self.store.close()

    def warm_up(self) -> None:
        """Loads in steps what the first message needs; ends early when the engine is about to close."""
        for step in (
            self.judges.secrets.prepare,
            self.judging.rehearse,
            self.judging.rehearse_statements,
            count_tokens_warm,
            self.assembler.load,
        ):
            if self.is_leaving:
                return
            step()
        with self._warm_lock:
            if not self.is_leaving:
                self.assembler.rehearse()

    def restore(self, path: Path) -> None:
        """Swaps the store for a backup while nothing is being understood."""
        self.worker.stop()
        self.indexing.stop()
        try:
            self.store.restore(path)
        finally:
            self.talks.forget()
            self.streams.forget()
            self.worker.start()
            self.indexing.start(is_store_swapped=True)

    def reload_settings(self, setting_ids: Iterable[int] = ()) -> None:
        """Writes what these rows say into the config file, then reads all sources again."""
        with self.store.read() as connection:
            table = table_of(SettingRow)
            rows = connection.execute(select(table).where(table.c.id.in_(list(setting_ids)))).all()
        for row in rows:
            save_setting(self.places.config_path, row.name, row.value)
        was_learning = self.current.is_learning_from_corrections
        self.loaded = load_settings(self.places.config_path, flags=self._flags)
        if self.current.is_learning_from_corrections != was_learning:
            self.housekeeper.learn_soon()

    def learn(self, *, has_time: bool = True) -> None:
        """Hands the person's answers to the judges; retrains the classifier, unless there is no time for it now.

        With learning switched off the judges know what was shipped, and nothing else.
        """
        with self.store.read() as connection:
            table = table_of(RuleRow)
            rules = connection.execute(select(table).order_by(table.c.id)).all()
        if not self.current.is_learning_from_corrections:
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
        self.judges.set_feedback(answers)
        if has_time:
            self.judges.retrain(corrections)
        elif corrections:
            self.housekeeper.learn_soon()

    def _spool(self) -> object:
        return self.take_spool()

    def _load_known(self, connection: Connection, conversation_id: int) -> Known:
        return load_known(connection, conversation_id, self.judges.rules.outcomes)

    def _after_write(self, write: Write) -> None:
        """Derived columns follow, the search index hears of memories; caches that a person's act made wrong are dropped."""
        follow_memories(write)
        if write.origin in {Origin.CAPTURE, Origin.IMPORT}:
            self.understanding.settle(write)
            return
        for conversation_id in sorted(write.touched_conversations):
            derive_conversation(write, conversation_id, self._load_known)
            self.chunker.settle(write, conversation_id)
        self.talks.forget()
        self.streams.forget()


def _nothing() -> None:
    return None
