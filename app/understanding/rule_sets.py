"""The rules and the classifier that the deciders get, read once and swapped whole; the intent classifier with a person's corrections is
trained in a process of its own and kept until the corrections change.

Owns which rule files belong to which decider. Knows no store: corrections are passed in. Source: DESIGN section 5 "learn rules", QUALITY P11.
"""

import logging
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from app.capture.secret_rule_set import SecretRuleSet
from app.deciders.conversation.authorship import wanted_words
from app.deciders.conversation.boundary.boundary import BoundaryRules
from app.deciders.conversation.boundary.session_starts import SessionRules
from app.deciders.conversation.entities.entities import EntityRules
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.intents.intents import IntentRules, classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.training import (
    LabelledExample,
    dump_corrections,
    hash_examples,
    load_examples,
    train_intent_model,
)
from app.deciders.conversation.outcome import OutcomeRules
from app.deciders.conversation.references.resolution import ReferenceRules
from app.deciders.conversation.title import TitleRules
from app.deciders.learning.rule_application import LearnedRules
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.statements.statement_model import shipped_model
from app.errors import InvalidError
from app.places import write_private
from app.privacy.redaction import SecretRules
from app.resources import load_rules, own_rules, resource_path
from app.values import BoundaryFeedback, IntentScore
from app.values.rules import LearnedRule

_log = logging.getLogger(__name__)
_WEIGHTS = "intents.json"
_BEGIN_CHARS = 600
_PROGRAM = train_intent_model.__module__
_MOST_S = 120.0


class IntentLessons:
    """One lesson at a time. `kept` is where the weights stand."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._is_stopping = False

    def learn(self, corrections: Sequence[LabelledExample]) -> IntentModel:
        """The model of the shipped examples and these; seconds, when they are not those of the last time."""
        if not corrections:
            self._kept.unlink(missing_ok=True)
            return shipped_intent_model()
        shipped = load_examples(resource_path("intents"))
        wanted = hash_examples((*shipped, *corrections))
        known = self._read(wanted)
        if known is None and self._learn_beside(corrections):
            known = self._read(wanted)
        if known is None and self._is_stopping:
            return shipped_intent_model()  # nobody waits for it any more
        return known or train_intent_model(shipped, corrections)

    def stop(self) -> None:
        """Ends a lesson that is under way; it is taken again at the next start."""
        self._is_stopping = True
        with self._lock:
            child = self._child
        if child is not None:
            child.kill()

    def _read(self, wanted: str) -> IntentModel | None:
        try:
            model = IntentModel.load(self._kept) if self._kept.exists() else None
        except InvalidError:
            return None
        return model if model is not None and model.examples_hash == wanted else None

    def _learn_beside(self, corrections: Sequence[LabelledExample]) -> bool:
        """Whether a child has written the weights."""
        try:
            with self._lock:
                if self._is_stopping:
                    return False
                child = self._child = subprocess.Popen(
                    [sys.executable, "-P", "-m", _PROGRAM, "-"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self._kept.anchor,
                )  # fmt: skip
            weights, _ = child.communicate(dump_corrections(corrections), timeout=_MOST_S)
            if child.returncode == 0:
                write_private(self._kept, weights)
        except (OSError, subprocess.TimeoutExpired) as error:
            _log.info("intents are learned in this process: %s", type(error).__name__)
            return False
        else:
            return child.returncode == 0
        finally:
            self._end()

    def _end(self) -> None:
        with self._lock:
            child, self._child = self._child, None
        if child is not None and child.poll() is None:
            child.kill()
            child.communicate()  # which also closes its pipes


@cache
def shipped_intent_model() -> IntentModel:
    """Held once: with no correction to learn from, learning comes to the same."""
    return IntentModel.load(resource_path("intents", "weights.json"))


@dataclass(frozen=True, slots=True)
class Rules:
    """One consistent set of everything that analyzes a message."""

    entities: EntityRules
    references: ReferenceRules
    intents: IntentRules
    intent_model: IntentModel
    boundary: BoundaryRules
    sessions: SessionRules
    titles: TitleRules
    outcomes: OutcomeRules
    feedback: tuple[BoundaryFeedback, ...] = ()
    learned: LearnedRules = field(default_factory=LearnedRules)


class RuleSets:
    """Loads rules at first use; `learn` swaps the classifier and the feedback."""

    def __init__(self, rules_dir: Path | None, state_dir: Path, secret_rule_set: SecretRuleSet | None = None) -> None:
        self._rules_dir = rules_dir
        self._lessons = IntentLessons(state_dir / _WEIGHTS)
        self._secret_rule_set = secret_rule_set or SecretRuleSet(rules_dir)
        self._lock = threading.Lock()
        self._rules: Rules | None = None
        self._memory: MemoryRules | None = None
        self._feedback: tuple[BoundaryFeedback, ...] = ()
        self._learned = LearnedRules()

    @property
    def secrets(self) -> SecretRules:
        return self._secret_rule_set.secrets

    @property
    def memory(self) -> MemoryRules:
        with self._lock:
            if self._memory is None:
                self._memory = load_memory_rules(self._rules_dir)
                shipped_model()  # read with them: no prompt waits for it
            return self._memory

    @property
    def rules(self) -> Rules:
        with self._lock:
            if self._rules is None:
                own = own_rules(self._rules_dir)
                shipped = _shipped() if own is None else _load(own)
                self._rules = replace(shipped, feedback=self._feedback, learned=self._learned)
            return self._rules

    def find_intents(self, text: str) -> tuple[IntentScore, ...]:
        """What a text wants, for whom has little time: of its beginning only, and nothing before the rules are loaded."""
        rules = self._rules
        wanted = wanted_words(text[:_BEGIN_CHARS])
        return classify_intents(wanted, (), rules.intents, rules.intent_model) if rules and text else ()

    def set_feedback(self, feedback: Sequence[BoundaryFeedback]) -> None:
        with self._lock:
            self._feedback = tuple(feedback)
            if self._rules is not None:
                self._rules = replace(self._rules, feedback=self._feedback)

    def set_learned(self, rules: Iterable[LearnedRule]) -> None:
        """What conversations taught, from now on."""
        learned = LearnedRules.of(rules)
        with self._lock:
            self._learned = learned
            if self._rules is not None:
                self._rules = replace(self._rules, learned=learned)

    def retrain(self, corrections: Sequence[LabelledExample]) -> None:
        """Trains the intent classifier on the shipped examples and the person's own; seconds, off the hot path."""
        rules = self.rules
        model = self._lessons.learn(corrections)
        with self._lock:
            self._rules = replace(self._rules or rules, intent_model=model)
        _log.info("intent classifier now knows %d corrections", len(corrections))

    def stop(self) -> None:
        """Ends what is being learned."""
        self._lessons.stop()


@cache
def _shipped() -> Rules:
    return _load(None)


def _load(own: Path | None) -> Rules:
    return Rules(
        entities=EntityRules.parse(load_rules("entities", own), Gazetteer.parse(load_rules("gazetteer", own))),
        references=ReferenceRules.parse(load_rules("references", own)),
        intents=IntentRules.parse(load_rules("intents", own)),
        intent_model=shipped_intent_model(),
        boundary=BoundaryRules.parse(load_rules("boundary", own)),
        sessions=SessionRules.parse(load_rules("sessions", own)),
        titles=TitleRules.parse(load_rules("titles", own)),
        outcomes=OutcomeRules.parse(load_rules("outcomes", own)),
    )
