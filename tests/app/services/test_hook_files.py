"""The files that the engine leaves for the hook: private, complete, replaced in one step."""

import marshal
import re
from pathlib import Path

from app.conversation.redaction import SecretRules
from app.hook import remanence_wide
from app.resources import load_rules
from app.services.hook_files import (
    hello_proof,
    python_tag,
    remove_endpoint,
    write_endpoint,
    write_hook_conf,
    write_hook_rules,
)

RULES = SecretRules.parse(load_rules("secrets"))


def test_endpoint_is_private_and_goes_at_stop(tmp_path: Path):
    state = tmp_path / "state"
    write_endpoint(state, socket=state / "capture.sock", port=8765, secret="ab" * 32, pid=7)
    lines = (state / "endpoint").read_text(encoding="utf-8").splitlines()
    assert lines == [f"secret {'ab' * 32}", "pid 7", f"socket {state / 'capture.sock'}", "port 8765"]
    assert (state / "endpoint").stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700
    remove_endpoint(state)
    remove_endpoint(state)
    assert not (state / "endpoint").exists()


def test_token_file(tmp_path: Path):
    write_hook_conf(tmp_path, "codex", {"token": "t1"})
    assert (tmp_path / "hook" / "codex.conf").read_text(encoding="utf-8") == "token t1\n"
    assert (tmp_path / "hook" / "codex.conf").stat().st_mode & 0o777 == 0o600


def test_proof_depends_on_secret_and_nonce():
    assert len({hello_proof("00" * 32, "aa"), hello_proof("01" * 32, "aa"), hello_proof("00" * 32, "ab")}) == 3


def test_rules_hold_every_rule_and_every_pattern_compiles_in_python(tmp_path: Path):
    write_hook_rules(tmp_path / "hook" / "rules.marshal", RULES)
    stored = (tmp_path / "hook" / "rules.marshal").read_bytes()
    tag, keywords, rules, checks, words, _ = marshal.loads(stored)
    patterns = len(stored) - int.from_bytes(stored[-8:], "little")
    assert tag == python_tag()
    assert len(rules) == len(RULES.rules)
    for (at, (first, end, _), group, *_), rule in zip(rules, RULES.rules, strict=True):
        pattern = stored[patterns + first : patterns + end]
        assert keywords[at] == tuple(keyword.encode() for keyword in rule.keywords)
        assert re.compile(pattern).groups >= group
        assert pattern.decode() == rule.pattern
    assert set(checks) == set(RULES.judge.checks)
    assert b"wrong" in words


def test_the_same_rules_are_not_written_again_but_others_and_a_damaged_file_are(tmp_path: Path):
    path = tmp_path / "hook" / "rules.marshal"
    write_hook_rules(path, RULES)
    first = path.stat().st_ino
    write_hook_rules(path, RULES)
    assert path.stat().st_ino == first
    other = SecretRules(RULES.rules[:5], RULES.judge)
    write_hook_rules(path, other)
    assert len(marshal.loads(path.read_bytes())[2]) == 5
    path.write_bytes(b"torn")
    write_hook_rules(path, other)
    assert len(marshal.loads(path.read_bytes())[2]) == 5


def test_the_hooks_own_marks_are_known_to_the_engine():
    titles = {rule.title.encode() for rule in RULES.rules}
    assert {rule[3] for rule in remanence_wide.BUILT_IN_RULES} <= titles
