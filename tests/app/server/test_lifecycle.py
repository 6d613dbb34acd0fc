"""Starting and stopping: the files it leaves, the ones it takes away, and nothing that goes on listening.

What is loaded when (QUALITY P3, P5): little before the socket answers, nothing any more once all is warm.
"""

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import psutil
import pytest

from app.api import Engine, EnvironmentProblem, Places, Scope, hello_proof
from app.server import start_server
from app.server.lifecycle import bind_tcp, bind_unix
from tests.app.server.conftest import Running, run_server
from tests.app.server.raw import status_of
from tests.patience import PATIENCE_S


def listening_ports() -> set[int]:
    return {found.laddr.port for found in psutil.Process().net_connections("inet") if found.status == "LISTEN"}


def endpoint_of(running: Running) -> dict[str, str]:
    lines = running.engine.places.endpoint_path.read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines)


def test_stop_leaves_no_listener_thread_or_file(tmp_path: Path) -> None:
    threads, ports = set(threading.enumerate()), listening_ports()
    with run_server(tmp_path) as running:
        with running.client(running.token(Scope.READ)) as client:
            client.get("/v1/stats")
        assert listening_ports() - ports == {running.server.endpoint.port}
        running.server.stop()
        running.server.stop()
        state = running.engine.places.state_dir
        assert not [name for name in ("endpoint", "admin.token", "capture.sock") if (state / name).exists()]
    assert listening_ports() == ports
    assert set(threading.enumerate()) <= threads


def test_the_endpoint_file_tells_the_hook_where_we_are(own: Running) -> None:
    found = endpoint_of(own)
    assert int(found["port"]) == own.server.endpoint.port
    assert found["socket"] == own.server.endpoint.socket_path
    assert int(found["pid"]) == os.getpid()
    assert own.engine.stats.health().endpoint == own.server.endpoint


def test_only_we_can_prove_who_we_are(own: Running) -> None:
    nonce = "0123456789abcdef0123456789abcdef"
    answer = httpx.get(f"{own.url}/v1/hello", params={"nonce": nonce}, trust_env=False, timeout=PATIENCE_S)
    assert answer.text == f"proof {hello_proof(endpoint_of(own)['secret'], nonce)}\n"
    for wrong in ("", "short", "x" * 200, "space s p a c e s", "é" * 20):
        assert (
            httpx.get(f"{own.url}/v1/hello", params={"nonce": wrong}, trust_env=False, timeout=PATIENCE_S).status_code
            == 422
        )


def test_files_are_private_from_the_start(own: Running) -> None:
    places = own.engine.places
    for path in (places.endpoint_path, places.state_dir / "admin.token", places.socket_path):
        assert stat.S_IMODE(path.lstat().st_mode) == 0o600, path
    assert stat.S_IMODE(places.state_dir.stat().st_mode) == 0o700


def test_the_unix_socket_answers_like_the_port(own: Running) -> None:
    transport = httpx.HTTPTransport(uds=own.server.endpoint.socket_path)
    headers = {"Authorization": f"Bearer {own.token(Scope.READ)}"}
    with httpx.Client(transport=transport, base_url="http://localhost", headers=headers) as client:
        assert client.get("/v1/stats").status_code == 200
        assert client.get("/v1/stats", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/v1/stats", headers={"Origin": "null"}).status_code == 403
        assert client.get("/v1/stats", headers={"Authorization": "Bearer no"}).status_code == 401


def test_a_taken_port_gives_way_to_a_free_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as squatter, run_server(tmp_path) as running:
        taken = squatter.getsockname()[1]
        running.server.stop()
        again = start_server(running.engine, port=taken)
        try:
            assert again.endpoint.port not in {0, taken}
            assert endpoint_of(running)["port"] == str(again.endpoint.port)
        finally:
            again.stop()


def test_the_port_of_the_settings_is_the_first_choice(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free = probe.getsockname()[1]
    with closing(Engine.open(Places.under(tmp_path), flags={"port": free})) as engine:
        server = start_server(engine)
        assert server.endpoint.port == free
        server.stop()


def test_what_lies_at_the_socket_path_is_replaced_and_links_are_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("keep me")
    path = tmp_path / "capture.sock"
    for plant in (lambda: path.symlink_to(target), path.touch, lambda: bind_unix(path).close()):  # type: ignore[union-attr]
        path.unlink(missing_ok=True)
        plant()
        listener = bind_unix(path)
        assert listener is not None
        assert stat.S_ISSOCK(path.lstat().st_mode)
        listener.close()
    assert target.read_text() == "keep me"


def test_a_path_too_long_for_a_socket_is_done_without(tmp_path: Path) -> None:
    with run_server(tmp_path / ("long" * 30)) as running:
        assert running.server.endpoint.socket_path == ""
        assert "socket" not in endpoint_of(running)
        assert httpx.get(f"{running.url}/healthz", trust_env=False, timeout=PATIENCE_S).status_code == 200


def test_answers_are_not_held_back_by_the_network_layer() -> None:
    with bind_tcp(0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_it_listens_on_loopback_only(own: Running) -> None:
    found = [part for part in psutil.Process().net_connections("inet") if part.status == "LISTEN"]
    assert {part.laddr.ip for part in found} == {"127.0.0.1"}
    assert own.server.endpoint.host == "127.0.0.1"


def test_a_hanging_client_does_not_hold_up_the_end(tmp_path: Path) -> None:
    with run_server(tmp_path, request_deadline_s=30.0) as running:
        port = running.server.endpoint.port
        lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        lines[1].sendall(b"POST /v1/events HTTP/1.1\r\nHost: x")
        token = running.token(Scope.CAPTURE).encode()
        lines[2].sendall(
            b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{" % (port, token)
        )
        time.sleep(0.2)
        running.server.stop()
        running.server._thread.join(PATIENCE_S)
        for line in lines:
            line.settimeout(PATIENCE_S)
            with line, contextlib.suppress(ConnectionError):
                assert b" 408 " not in line.recv(1000), "it waited for the deadline of those who hang"


def test_a_server_that_cannot_start_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object) -> None:
        raise SystemExit(3)

    monkeypatch.setattr("uvicorn.Server.startup", never)
    with closing(Engine.open(Places.under(tmp_path))) as engine:
        with pytest.raises(EnvironmentProblem):
            start_server(engine, port=0)
        assert not engine.places.endpoint_path.exists()


def test_a_deadline_is_said(hasty: Running) -> None:
    with socket.create_connection(("127.0.0.1", hasty.server.endpoint.port), timeout=PATIENCE_S) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert status_of(line.recv(1000)) == 408
        assert line.recv(1000) == b""


_ROOT = Path(__file__).resolve().parents[3]
_BEGIN = """
import http.client, json, sys
from pathlib import Path
from app.api import Engine, Places, Scope
from app.server import start_server

def ask(method, path, body=None):
    line = http.client.HTTPConnection("127.0.0.1", server.endpoint.port)
    line.request(method, path, json.dumps(body) if body else None,
                 {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    answer = line.getresponse()
    said = json.loads(answer.read())
    assert answer.status == 200, (answer.status, said)
    return said

engine = Engine.open(Places.under(Path(sys.argv[1])), flags={"understand_wait_s": 240.0}, is_whole=False)
server = start_server(engine, port=0)
token = (engine.places.state_dir / "admin.token").read_text().strip()
"""
_ANSWERS_FIRST = """
ask("GET", "/healthz")
known = [name for name in sys.modules]
print(json.dumps(known))
"""
_WARM_THEN_TOLD = """
engine.warm_up()
server.warm_up()
before = set(sys.modules)
told = ask("POST", "/v1/events", {"text": "We use PostgreSQL for billing; now add a retry to it and test it", "session": "s"})
assert told["results"][0]["message_id"], told
ask("POST", "/v1/turn", {"text": "which database do we use for billing?", "session": "s"})
print(json.dumps(sorted(set(sys.modules) - before)))
"""
_END = "server.stop(); engine.close()\n"


def _modules(tmp_path: Path, story: str) -> set[str]:
    """What the story printed, told in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + story + _END, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_the_socket_answers_before_anything_is_loaded_that_it_can_do_without(tmp_path: Path) -> None:
    loaded = _modules(tmp_path, _ANSWERS_FIRST)
    assert "app.capture.inbox" in loaded  # what was looked at is the engine that answers
    ours = {
        "app.api.parts",
        "app.api.nouns",
        "app.deciders.recall.ranking.rank",
        "app.deciders.memory.rules",
        "app.assistants.connecting",
        "app.understanding.rule_sets",
    }
    theirs = {"fastapi", "mcp", "sklearn", "numpy", "tantivy", "tiktoken", "regex", "rapidfuzz"}
    assert loaded & (ours | theirs) == set()


def test_nothing_is_imported_for_a_message_once_all_is_warm(tmp_path: Path) -> None:
    codecs = {"encodings.utf_8_sig", "encodings.idna", "stringprep"}  # of the standard library: microseconds
    assert sorted(_modules(tmp_path, _WARM_THEN_TOLD) - codecs) == []
