"""The rules and the classifier that the deciders are handed, read once and swapped whole.

Owns which rule files belong to which decider. Knows no store: corrections are handed in, and `intent_retraining` learns from them.
Source: DESIGN section 5.
"""

import logging
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
)
from app.deciders.conversation.outcome import OutcomeRules
from app.deciders.conversation.references.resolution import ReferenceRules
from app.deciders.conversation.title import TitleRules
from app.deciders.learning.rule_application import LearnedRules
from app.deciders.memory.rules import MemoryRules, load_memory_rules
from app.deciders.memory.statements.statement_model import shipped_model
from app.privacy.redaction import SecretRules
from app.resources import load_rules, own_rules
from app.understanding.intent_retraining import IntentLessons, shipped_intent_model
from app.values import BoundaryFeedback, IntentScore
from app.values.rules import LearnedRule

_log = logging.getLogger(__name__)
_WEIGHTS = "intents.json"
_BEGIN_CHARS = 600


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
