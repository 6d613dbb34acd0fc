"""The intent classifier with a person's corrections: trained in a process of its own, kept until the corrections change.

Source: DESIGN section 5 "learn rules", QUALITY P11.
"""

import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.training import (
    LabelledExample,
    dump_corrections,
    hash_examples,
    load_examples,
    train_intent_model,
)
from app.errors import InvalidError
from app.places import write_private
from app.resources import resource_path

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


_log = logging.getLogger(__name__)


@cache
def shipped_intent_model() -> IntentModel:
    """Held once: with no correction to learn from, learning comes to the same."""
    return IntentModel.load(resource_path("intents", "weights.json"))
