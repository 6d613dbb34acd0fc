"""The guard of the suite sees what it is there for, and lets through what tests may do (QUALITY R19, S13)."""

import asyncio
import os
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.guard import Guard, is_loopback, outside


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0)])
def test_a_connection_abroad_is_refused_and_remembered(guard: Guard, address: tuple[object, ...]) -> None:
    family = socket.AF_INET6 if len(address) == 4 else socket.AF_INET
    with socket.socket(family) as line, pytest.raises(PermissionError, match="connects to"):
        line.connect(address)
    assert guard.refused
    guard.refused.clear()


def test_it_is_seen_behind_libraries_too(guard: Guard) -> None:
    with pytest.raises((urllib.error.URLError, PermissionError)):
        urllib.request.urlopen("http://192.0.2.1/", timeout=1)
    with pytest.raises(OSError, match="connects to"):
        asyncio.run(asyncio.open_connection("192.0.2.1", 80))
    with pytest.raises(PermissionError):
        socket.getaddrinfo("example.org", 443)
    assert len(guard.refused) == 3
    guard.refused.clear()


def test_a_file_outside_is_refused(guard: Guard, tmp_path: Path) -> None:
    victim = outside()
    for write in (
        lambda: victim.write_text("x"),
        lambda: os.open(victim, os.O_CREAT | os.O_WRONLY),
        victim.mkdir,
        lambda: (tmp_path / ".." / ".." / ".." / victim.name).touch(),
        victim.unlink,
    ):
        with pytest.raises(PermissionError, match=victim.name):
            write()
    assert len(guard.refused) == 5
    assert not victim.exists()
    guard.refused.clear()


def test_what_tests_do_is_let_through(guard: Guard, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
        (tmp_path / "mine").write_text("x")
    Path(__file__).read_text(encoding="utf-8")
    assert guard.refused == []


@pytest.mark.parametrize(
    ("host", "is_ours"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.0.0.1", False), ("a.b", False)]
)
def test_what_counts_as_this_machine(host: str, is_ours: bool) -> None:
    assert is_loopback(host) is is_ours
