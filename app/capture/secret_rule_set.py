"""The secret rules of one engine, read once: the shipped ones with the person's own laid over them.

Owns when they are read, and nothing else: taking an event in needs these rules and no other, so they stand apart from the
rule sets of meaning. Source: QUALITY S6.
"""

import threading
from functools import cache
from pathlib import Path

from app.privacy.redaction import SecretRules
from app.resources import load_rules, own_rules


class SecretRuleSet:
    """`secrets` reads them at first use. Thread-safe."""

    def __init__(self, rules_dir: Path | None) -> None:
        self._rules_dir = rules_dir
        self._lock = threading.Lock()
        self._secrets: SecretRules | None = None

    @property
    def secrets(self) -> SecretRules:
        if self._secrets is not None:  # without the lock: captures need not wait for each other
            return self._secrets
        with self._lock:
            if self._secrets is None:
                own = own_rules(self._rules_dir)
                self._secrets = _shipped() if own is None else _load(own)
            return self._secrets


@cache
def _shipped() -> SecretRules:
    return _load(None)


def _load(own: Path | None) -> SecretRules:
    is_proven = own is None or not (own / "secrets.yaml").exists()
    return SecretRules.parse(load_rules("secrets", own), is_proven=is_proven)
