"""The secret rules of one engine, read once: the shipped ones with the person's own laid over them.

Owns when they are read, and nothing else: taking an event in needs these rules and no other, so they stand apart from the
rule sets of meaning. Source: QUALITY S6.
"""

import logging
import re
import threading
from functools import cache
from pathlib import Path

from app.errors import InvalidError
from app.privacy.redaction import SecretRules
from app.resources import load_rules, own_rules

# What a file of the wrong shape raises, wherever it is read.
_MISFITS = (InvalidError, OSError, AttributeError, LookupError, TypeError, ValueError, RecursionError, re.error)
_log = logging.getLogger(__name__)


class SecretRuleSet:
    """`secrets` reads them at first use. Thread-safe."""

    def __init__(self, rules_dir: Path | None) -> None:
        self._rules_dir = rules_dir
        self._lock = threading.Lock()
        self._secrets: SecretRules | None = None
        self.notice = ""  # why the person's own rules are not used

    @property
    def secrets(self) -> SecretRules:
        if self._secrets is not None:  # without the lock: captures need not wait for each other
            return self._secrets
        with self._lock:
            if self._secrets is None:
                self._secrets = self._load()
            return self._secrets

    def _load(self) -> SecretRules:
        own = own_rules(self._rules_dir)
        if own is None:
            return _shipped()
        try:
            return _load(own)
        except _MISFITS as error:  # nothing is taken in without rules, and the shipped ones are there
            self.notice = f"Your own secrets.yaml is not used, the shipped rules are: {error}"
            _log.warning("%s", self.notice)
            return _shipped()


@cache
def _shipped() -> SecretRules:
    return _load(None)


def _load(own: Path | None) -> SecretRules:
    is_proven = own is None or not (own / "secrets.yaml").exists()
    return SecretRules.parse(load_rules("secrets", own), is_proven=is_proven)
