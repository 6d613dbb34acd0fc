"""The hook marks what the engine marks, text for text: one of them is always the first to write."""

import importlib
import json
import random
from types import ModuleType

import pytest

from app.conversation.redaction import SecretRules, redact
from tests.app.hook.conftest import HOOK
from tests.quality.told_samples import load_talk, load_tellings

LINES = [*(text for text, _ in load_tellings()), *load_talk()]
PROMPT_LINES = 5


@pytest.fixture
def spool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The hook's own module, loaded as the hook loads it: from its folder."""
    monkeypatch.syspath_prepend(str(HOOK.parent))
    return importlib.import_module("remanence_spool")


def test_hook_and_engine_mark_the_same(spool: ModuleType, rules_file: bytes, secret_rules: SecretRules) -> None:
    blocks = ["\n".join(LINES[at : at + PROMPT_LINES]) for at in range(0, len(LINES), PROMPT_LINES)]
    texts = [*blocks, '| user | password |\n| "loft" | hEmp-' + "canvas3 |", 'md: ("x-auth", "lk20s9' + 'x8qqp1")']
    for text in texts:
        body = json.dumps({"session_id": "s1", "prompt": text}, ensure_ascii=False).encode()
        assert json.loads(spool.redact(body, rules_file))["prompt"] == redact(text, secret_rules).text


def test_escapes_are_read_as_json_reads_them(spool: ModuleType) -> None:
    """Marks are set in the body as it came: each place of the text has its place there."""
    rng = random.Random(4)
    for _ in range(2000):
        text = "".join(rng.choice('\\"\n\t/uaé') for _ in range(rng.randrange(12)))
        body = json.dumps([text], ensure_ascii=False).encode()
        plain, gaps = spool.unescaped(body)
        assert plain == b'["' + text.encode() + b'"]'
        moved = spool.in_body([(at, at + 1, 0, b"") for at in range(len(plain))], gaps)
        assert b"".join(body[start:end] for start, end, _, _ in moved) == body


@pytest.mark.parametrize("torn", [b"\\", b'{"prompt":"a\\', b'{"prompt":"a\\\\', b""])
def test_a_torn_escape_is_kept(spool: ModuleType, rules_file: bytes, torn: bytes) -> None:
    assert spool.redact(torn, rules_file) == torn
