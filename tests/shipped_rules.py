"""The shipped rules for secrets, proven and compiled once for all test files: each compiled hundreds of patterns for itself."""

from functools import cache

from app.privacy.redaction import SecretRules
from app.resources import load_rules


@cache
def secret_rules() -> SecretRules:
    return SecretRules.parse(load_rules("secrets"))
