"""How many keys with a structure are taken out: all of some 360 made-up ones in varied surroundings (S6 of QUALITY.md).

The command for the figure alone: `pytest -s tests/quality/test_structured.py`.
"""

import random

from app.privacy.redaction import SecretRules, redact
from app.resources import load_rules
from tests.quality.structured_samples import make_structured

RULES = SecretRules.parse(load_rules("secrets"), is_proven=True)


def test_keys_with_a_structure_are_taken_out() -> None:
    made = list(make_structured(random.Random(20), each=3))
    kept = [(name, text) for name, text, secret in made if secret in redact(text, RULES).text]
    print(
        f"\n{len(made) - len(kept)} of {len(made)} keys found", *(f"{name}: {text!r}" for name, text in kept), sep="\n"
    )
    assert len(made) >= 300
    assert len(kept) <= 0.01 * len(made)
