"""How a command finds the running app, and what a stranger on its port learns: nothing (QUALITY S5)."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from app.api import Engine, EnvironmentProblem, Places, StoreLockedError
from app.cli import client
from app.cli.client import RunningApp, find_running_app, open_client, read_endpoint
from app.places import write_private
from app.server import start_server

SECRET = "ab" * 32
TOKEN = "the-admin-token-of-this-machine"


@contextmanager
def stranger(answer: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Listens on a port, keeps what it hears, and says `answer` to everybody."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                with line:
                    heard.append(line.recv(65_536))
                    line.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1], heard
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def plant(places: Places, port: int) -> None:
    places.prepare()
    lines = f"secret {SECRET}\npid {os.getpid()}\nport {port}\n"
    write_private(places.endpoint_path, lines.encode())
    write_private(places.state_dir / "admin.token", TOKEN.encode())


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\nproof " + b"0" * 64,
        b"SSH-2.0-squatter\r\n",
        b"",
    ],
)
def test_a_stranger_gets_no_token_and_no_message(places: Places, answer: bytes) -> None:
    with stranger(answer) as (port, heard):
        plant(places, port)
        assert find_running_app(places) is None
        with open_client(places) as desk:
            desk.ask("POST", "/v1/window", body={"text": "a private sentence"})
            assert not isinstance(desk.wire, RunningApp)
    assert heard
    assert not [part for part in heard if TOKEN.encode() in part or b"private" in part or SECRET.encode() in part]


def test_a_stranger_who_took_the_port_after_the_app_was_found_gets_no_token_either(places: Places) -> None:
    with stranger(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}") as (port, heard):
        plant(places, port)
        found = read_endpoint(places)
        assert found is not None
        with pytest.raises(EnvironmentProblem, match="Another program has the app's port"):
            found.exchange("POST", "/mcp", b"a private sentence", {"Authorization": f"Bearer {TOKEN}"}, 30.0)
    assert heard
    assert not [part for part in heard if TOKEN.encode() in part or b"private" in part]


@pytest.mark.parametrize(
    "endpoint",
    [b"", b"port\n", b"port x\nsecret ab\n", b"port 1\nsecret zz\n", b"\xff\xfe", b"port 99999\nsecret ab\n"],
)
def test_a_damaged_endpoint_file_is_no_running_app(places: Places, endpoint: bytes) -> None:
    plant(places, 1)
    write_private(places.endpoint_path, endpoint)
    assert find_running_app(places) is None


def test_the_port_serves_when_there_is_no_socket_file(places: Places) -> None:
    engine = Engine.open(places)
    server = start_server(engine, port=0)
    try:
        places.socket_path.unlink()
        running = find_running_app(places)
        assert running is not None
        assert running.socket_path == ""
        with open_client(places) as desk:
            assert isinstance(desk.wire, RunningApp)
            assert desk.ask("GET", "/v1/stats")["message_count"] == 0
    finally:
        server.stop()
        engine.close()


def test_a_locked_store_without_a_listener_is_said(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_STARTING_WAIT_S", 0.3)
    with closing(Engine.open(places)), pytest.raises(StoreLockedError), open_client(places):
        pass


def test_an_app_that_is_just_starting_is_waited_for(places: Places) -> None:
    engine = Engine.open(places)
    servers = []
    starting = threading.Timer(0.5, lambda: servers.append(start_server(engine, port=0)))
    starting.start()
    try:
        with open_client(places) as desk:
            assert isinstance(desk.wire, RunningApp)
    finally:
        starting.join()
        servers[0].stop()
        engine.close()
