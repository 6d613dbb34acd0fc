"""The files that the engine leaves for the hook: private, complete, replaced in one step."""

from pathlib import Path

from app.capture.hook_files import (
    hello_proof,
    remove_endpoint,
    write_endpoint,
    write_hook_conf,
)


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
