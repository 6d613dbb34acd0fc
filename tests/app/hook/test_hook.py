"""The real hook process against an engine that is up, away, hung, refusing, or not the engine at all."""

import fcntl
import json
import marshal
import os
import random
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import parse_qs, quote

import pytest

from app.capture.spool import SpooledEvent, take_spool
from app.privacy.exclusion import folder_pattern, words_pattern
from app.privacy.redaction import redact
from tests.app.hook.conftest import HOOK, TOKEN, Hook, TinyEngine, http, prompt
from tests.app.privacy.secret_samples import SHAPES
from tests.patience import PATIENCE_S

CLEAN = (0, b"", b"")


def result(process: "subprocess.CompletedProcess[bytes]") -> tuple[int, bytes, bytes]:
    return process.returncode, process.stdout, process.stderr


def events(hook: Hook) -> list[SpooledEvent]:
    return list(take_spool(hook.state / "spool"))


def kept_event(hook: Hook) -> SpooledEvent:
    """The one event of the spool; waited for, since on a busy machine a child keeps what comes late on stdin."""
    hook.wait_for_spool()
    [event] = events(hook)
    return event


@pytest.mark.parametrize("unix", [True, False], ids=["unix socket", "tcp"])
def test_engine_up(hook, serve, unix):
    engine = serve(unix=unix)
    body = prompt("make it purple – größer")
    assert result(hook.run(body)) == (0, b'{"hookSpecificOutput":{"additionalContext":"x"}}', b"")
    request = b"".join(engine.received)
    assert request.endswith(body)
    assert b"POST /v1/hook/claude-code/prompt?key=" in request
    assert b"Authorization: Bearer " + TOKEN.encode() in request
    assert b"&cwd=" + quote(os.fsencode(hook.home)).encode() in request
    assert not (hook.state / "spool").exists()


@pytest.mark.parametrize(
    "body", [b"", b"<html>no</html>", b"{" + b"x" * 1_048_576], ids=["empty", "not JSON", "too large"]
)
def test_only_json_of_bearable_size_is_printed(hook, serve, body):
    serve(lambda _engine, connection, _request: connection.sendall(http("200 OK", body)), unix=True)
    assert result(hook.run(prompt("hi"))) == CLEAN
    assert events(hook) == []  # acknowledged all the same


EARLY = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CONTEXT = b'{"hookSpecificOutput":{"additionalContext":"x"}}'


@pytest.mark.parametrize(
    ("rest", "printed"),
    [
        (b"%x\r\n%s\r\n0\r\n\r\n" % (len(CONTEXT), CONTEXT), CONTEXT),
        (b"0\r\n\r\n", b""),
        (b"%x\r\n%s" % (len(CONTEXT), CONTEXT[:9]), b""),
        (b"zz\r\n0\r\n\r\n", b""),
        (b"", b""),
    ],
    ids=["a context", "nothing to tell", "torn", "no length", "nothing comes"],
)
def test_what_an_engine_says_early_is_the_acknowledgement_and_what_comes_after_it_the_context(
    hook, serve, rest, printed
):
    def speak(_engine: TinyEngine, connection: socket.socket, _request: bytes) -> None:
        connection.sendall(EARLY)
        connection.sendall(rest)
        connection.shutdown(socket.SHUT_WR)

    engine = serve(speak, unix=True)
    assert result(hook.run(prompt("hi"))) == (0, printed, b"")
    assert b"&early=1 HTTP/1.1" in b"".join(engine.received)
    assert events(hook) == [], "acknowledged all the same"


def test_odd_folder_names_cannot_break_the_request(hook, serve):
    engine = serve(unix=True)
    folder = hook.home / "a b&c=1\r\nX-Evil: 1 größe%"
    folder.mkdir()
    process = hook.start("claude-code", "prompt", cwd=folder)
    process.communicate(prompt("hi"), timeout=PATIENCE_S)
    head = b"".join(engine.received).partition(b"\r\n\r\n")[0]
    assert b"X-Evil" not in [line.partition(b":")[0] for line in head.split(b"\r\n")]
    query = parse_qs(head.split(b" ")[1].partition(b"?")[2].decode())
    assert query["cwd"] == [str(folder)]
    assert len(query["key"][0]) == 32


def test_no_answer_text_with_204(hook, serve):
    serve(lambda _engine, connection, _request: connection.sendall(http("204 No Content")), unix=True)
    assert result(hook.run(prompt("hi"))) == CLEAN
    assert events(hook) == []


def test_engine_away_spools_the_bytes_as_they_came(hook):
    body = b'{"prompt": "\xff\xfe broken \\ud800 and "}'
    assert result(hook.run(body)) == CLEAN
    event = kept_event(hook)
    assert (event.app, event.event, event.raw, event.cwd) == ("claude-code", "prompt", body, str(hook.home))
    assert (hook.state / "spool").stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in (hook.state / "spool").iterdir())


@pytest.mark.parametrize("status", ["500 Oops", "503 Busy", "401 Unauthorized", "403 Forbidden", "429 Too Many"])
def test_refused_for_now_is_spooled(hook, serve, status):
    serve(lambda _engine, connection, _request: connection.sendall(http(status)), unix=True)
    assert result(hook.run(prompt("hi"))) == CLEAN
    assert kept_event(hook)


@pytest.mark.parametrize("status", ["400 Bad", "413 Too Large", "422 No"])
def test_what_the_engine_refuses_is_spooled_too(hook, serve, status):
    serve(lambda _engine, connection, _request: connection.sendall(http(status)), unix=True)
    assert result(hook.run(prompt("hi"))) == CLEAN
    assert kept_event(hook)


@pytest.mark.parametrize("unix", [True, False], ids=["unix socket", "tcp"])
def test_engine_hung_spools_under_the_same_key(hook, serve, unix):
    engine = serve(lambda _engine, _connection, _request: None, unix=unix)
    assert result(hook.run(prompt("hi"))) == CLEAN
    event = kept_event(hook)
    if unix:
        assert f"?key={event.key}&".encode() in b"".join(engine.received)


@pytest.mark.parametrize("reply", [b"proof " + b"0" * 64, b"", b'{"ok": true}'], ids=["guess", "empty", "json"])
def test_squatter_on_the_port_gets_neither_token_nor_message(hook, serve, reply):
    def squat(engine: TinyEngine, connection: socket.socket, _request: bytes) -> None:
        connection.sendall(http("200 OK", reply))

    engine = serve(squat)
    assert result(hook.run(prompt("a private thought"))) == CLEAN
    sent = b"".join(engine.received)
    assert sent.startswith(b"GET /v1/hello?nonce=")
    assert TOKEN.encode() not in sent
    assert b"private" not in sent
    assert kept_event(hook)


def test_stale_endpoint_of_a_killed_engine(hook, serve):
    engine = serve(unix=True)
    engine.listener.shutdown(socket.SHUT_RDWR)
    (hook.state / "capture.sock").unlink()
    assert result(hook.run(prompt("hi"))) == CLEAN
    assert kept_event(hook)


@pytest.mark.parametrize("with_rules", [True, False], ids=["engine's rules", "built-in rules"])
@pytest.mark.parametrize("name", ["github classic", "aws key id", "stripe", "anthropic", "pem", "slack bot", "jwt"])
def test_no_secret_in_the_spool(hook, name, with_rules):
    if not with_rules:
        (hook.state / "hook" / "rules.marshal").unlink()
    secret = SHAPES[name](random.Random(name))
    password = "Tr0ub" + "4dor&3"
    body = prompt(f'first line\nthe key:\n{secret}\nand "the password is {password}", please')
    assert result(hook.run(body)) == CLEAN
    event = kept_event(hook)
    kept = json.loads(event.raw)["prompt"]
    assert kept.startswith("first line\n")
    assert password not in kept
    assert all(line not in kept for line in secret.splitlines()[:-1] or [secret])


@pytest.mark.parametrize(
    "text",
    [
        "the password is " + "hunt" + "er2 and the token is expired",
        "password is required\nDB_PASSWORD=" + "q7We9Rt2" + "\nsee C:\\new\\table",
        'config: {"password": "' + "q7We9" + 'Rt2Yu"} in "a\\tb"',
        "https://bob:" + "q7We9Rt2" + "@example.org/?token=" + "ab12cd34ef56",
        "das Paßwort? Nein: das Passwort lautet " + "Sommer" + "2023, größer",
        "nothing to see: max_tokens=4096, password: string;",
        "you can get in with bob and " + "Meadow" + "48!21, as ever\nthe zip opens with “" + "Quarry" + "-saddle-1903”",
        "net use Q: \\\\srv\\films /user:ann " + "Heron" + ".Moss.Lane",
        'os.environ["DB_PASSWORD"] raises KeyError; the sketch has AP_PASS "' + "gUll" + '-harbour52"',
        "creds: mira/" + "larch72" + "x; the passphrase, as ever, is " + "seven wooden " + "kettles hum",
        "the route admin/users2 and the login of Harbor(2) stay\n" + "pin 7 is led, my pin is " + "4471",
    ],
)
def test_the_hook_marks_what_the_engine_marks(hook, secret_rules, text):
    hook.run(prompt(text))
    event = kept_event(hook)
    assert json.loads(event.raw)["prompt"] == redact(text, secret_rules).text


def test_what_the_person_excludes_is_not_spooled(hook):
    rules = [(True, folder_pattern(str(hook.home / "secret"))), (False, words_pattern("zeus größe"))]
    (hook.state / "hook" / "exclude.marshal").write_bytes(marshal.dumps(rules, 2))
    tool = {"tool_input": {"file_path": str(hook.home / "secret" / "a.py")}}
    for body in (
        prompt("the ZEUS  größe"),
        prompt("the zeus gr\u00f6\u00dfe"),
        b"{ zeus gr\xc3\xb6\xc3\x9fe",
        json.dumps(tool).encode(),
    ):
        assert result(hook.run(body)) == CLEAN
    assert not (hook.state / "spool").exists()
    (hook.home / "secret").mkdir()
    process = hook.start("claude-code", "prompt", cwd=hook.home / "secret")
    process.communicate(prompt("hello"), timeout=PATIENCE_S)
    assert not (hook.state / "spool").exists()
    kept = prompt(f"what is in {hook.home}/secret?")
    assert result(hook.run(kept)) == CLEAN
    assert kept_event(hook).raw == kept, "only spoken of: it is kept"


def test_rules_for_another_python_are_compiled_here(hook):
    path = hook.state / "hook" / "rules.marshal"
    path.write_bytes(path.read_bytes().replace(sys.implementation.cache_tag.encode(), b"cpython-000", 1))
    hook.run(prompt("the password is " + "hunt" + "er2"))
    assert json.loads(kept_event(hook).raw)["prompt"] == "the password is [secret: password]"


def test_long_text_is_spooled_in_the_background(hook):
    secret = SHAPES["github classic"](random.Random(9))
    body = prompt("please read this. " * 10_000 + secret)
    assert result(hook.run(body)) == CLEAN
    hook.wait_for_spool()
    event = kept_event(hook)
    assert json.loads(event.raw) == json.loads(body.replace(secret.encode(), b"[secret: GitHub token]"))


def test_large_tool_answer_is_cut_out(hook):
    body = json.dumps(
        {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": "x" * 300_000}
    ).encode()
    assert result(hook.run(body, "claude-code", "tool")) == CLEAN
    assert json.loads(kept_event(hook).raw) == {
        "tool_name": "Edit",
        "tool_input": {"file_path": "a.py"},
        "tool_response": "[left out]",
    }


def test_of_a_file_that_is_read_the_name_goes_to_the_engine_and_nothing_to_the_spool(hook, serve):
    told = {"session_id": "s", "tool_name": "Read", "tool_input": {"file_path": "/w/a.py"}}
    body = json.dumps({**told, "tool_response": {"type": "text", "file": {"content": "PASSWORD = 'x'"}}}).encode()
    assert result(hook.run(body, "claude-code", "tool")) == CLEAN
    assert hook.spooled() == b""
    engine = serve()
    hook.run(body, "claude-code", "tool")
    got = b"".join(engine.received).rpartition(b"\r\n\r\n")[2]
    assert json.loads(got) == {**told, "tool_response": "[left out]"}


@pytest.mark.parametrize(
    "words",
    [(), ("claude-code",), ("claude-code", "nope"), ("../x", "prompt"), ("a", "b", "c"), ("--home",), ("Ä", "prompt")],
)
def test_bad_arguments(hook, words):
    process = hook.start(*words)
    out, err = process.communicate(prompt("hi"), timeout=PATIENCE_S)
    assert (process.returncode, out, err) == CLEAN
    assert not (hook.state / "spool").exists()


@pytest.mark.parametrize("body", [b"", b"   \n"], ids=["empty", "blank"])
def test_nothing_on_stdin(hook, body):
    assert result(hook.run(body)) == CLEAN
    assert not (hook.state / "spool").exists()


def test_more_than_the_limit_is_let_go(hook):
    assert result(hook.run(b"x" * (12 * 1024 * 1024 + 1))) == CLEAN
    assert not (hook.state / "spool").exists()


def test_closed_stdin_stdout_and_stderr(hook):
    shell = f'exec "{sys.executable}" -I -S -E "{HOOK}" --home "{hook.home}" claude-code prompt <&- >&- 2>&-'
    assert subprocess.run(["/bin/sh", "-c", shell], check=False, timeout=PATIENCE_S).returncode == 0


def test_host_that_no_longer_reads(hook, serve):
    serve(unix=True)
    process = hook.start("claude-code", "prompt")
    process.stdout.close()
    process.stdin.write(prompt("hi"))
    process.stdin.close()
    assert process.wait(timeout=PATIENCE_S) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_stdin_that_is_never_closed(hook):
    process = hook.start("claude-code", "prompt")
    process.stdin.write(prompt("hi"))
    process.stdin.flush()
    assert process.wait(timeout=PATIENCE_S) == 0
    process.communicate()
    assert kept_event(hook)


def test_a_host_that_keeps_the_pipe_open_gets_its_answer(hook, serve):
    engine = serve(unix=True)
    process = hook.start("claude-code", "prompt")
    process.stdin.write(prompt("make it } purple"))
    process.stdin.flush()
    assert process.wait(timeout=PATIENCE_S) == 0
    assert process.communicate()[0] == b'{"hookSpecificOutput":{"additionalContext":"x"}}'
    assert b"".join(engine.received).endswith(prompt("make it } purple"))


@pytest.mark.parametrize("early", [0, 1, 20, -1], ids=["nothing", "a brace", "half", "all but a brace"])
def test_what_comes_after_the_assistant_has_gone_on_is_spooled(hook, serve, early):
    engine = serve(unix=True)
    body = prompt("make it {purple}")
    process = hook.start("claude-code", "prompt")
    process.stdin.write(body[:early])
    process.stdin.flush()
    assert process.wait(timeout=PATIENCE_S) == 0, "the assistant does not wait for itself"
    assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    process.stdin.write(body[early:])
    process.stdin.close()
    event = kept_event(hook)
    assert event.raw == body
    assert engine.received == [], "a context that nobody gets is not asked for"
    process.stdout.close()
    process.stderr.close()


def test_an_input_that_never_comes_leaves_nothing(hook):
    process = hook.start("claude-code", "prompt")
    assert process.wait(timeout=PATIENCE_S) == 0
    process.stdin.close()
    assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    process.stdout.close()
    process.stderr.close()
    assert not (hook.state / "spool").exists()


def test_terminated_while_it_waits(hook, serve):
    asked = []
    serve(lambda _engine, _connection, request: asked.append(request), unix=True)
    process = hook.start("claude-code", "prompt")
    process.stdin.write(prompt("hi"))
    process.stdin.close()
    until = time.monotonic() + PATIENCE_S
    while not asked and time.monotonic() < until:
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=PATIENCE_S) == 0
    assert process.stdout.read() + process.stderr.read() == b""
    process.stdout.close()
    process.stderr.close()
    assert kept_event(hook)


def test_no_home_and_an_unwritable_one(hook):
    environment = {"HOME": "/dev/null/none"}
    process = subprocess.run(
        [sys.executable, "-I", "-S", "-E", str(HOOK), "claude-code", "prompt"],
        input=prompt("hi"), capture_output=True, env=environment, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    assert result(process) == CLEAN


@pytest.mark.parametrize("planted", ["file", "folder"])
def test_planted_link_is_refused(hook, tmp_path, planted):
    target = tmp_path / "elsewhere"
    if planted == "folder":
        target.mkdir()
        (hook.state / "spool").symlink_to(target)
    else:
        (hook.state / "spool").mkdir(mode=0o700)
        target.write_bytes(b"")
        (hook.state / "spool" / "events.jsonl").symlink_to(target)
    assert result(hook.run(prompt("hi"))) == CLEAN
    assert (list(target.iterdir()) if target.is_dir() else target.read_bytes()) in ([], b"")


def test_lock_that_is_held_too_long(hook):
    (hook.state / "spool").mkdir(mode=0o700)
    with (hook.state / "spool" / "events.jsonl").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert result(hook.run(prompt("hi"))) == CLEAN
    assert json.loads(kept_event(hook).raw)["prompt"] == "hi"


def test_many_hooks_at_once_and_a_take_in_between(hook):
    processes = [hook.start("claude-code", "prompt") for _ in range(12)]
    for number, process in enumerate(processes):
        process.stdin.write(prompt(f"message {number}"))
        process.stdin.close()
    early = events(hook)  # left in the taken file: `finish` is not called
    assert all(process.wait(timeout=PATIENCE_S) == 0 for process in processes)
    for process in processes:
        process.stdout.close()
        process.stderr.close()
    until = time.monotonic() + PATIENCE_S
    while len(keys := {event.key for event in events(hook)}) < len(processes):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert {event.key for event in early} <= keys


def test_the_key_says_which_command_line_ran_and_is_another_each_time(hook):
    for more in ((), (), ("--home", str(hook.home))):
        hook.run(prompt("go on"), *more, "claude-code", "prompt")
    first, second, other = (event.key for event in events(hook))
    assert len({first, second, other}) == 3
    assert first[-8:] == second[-8:] != other[-8:]
