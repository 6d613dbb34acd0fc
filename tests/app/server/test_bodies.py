"""Hostile and huge bodies: refused early and in words, or kept to the byte (QUALITY R8, R9, R10)."""

import gzip
import json

import httpx
import pytest

from app.api import Scope
from tests.app.server.conftest import Running
from tests.app.server.raw import exchange, post, status_of
from tests.patience import PATIENCE_S

LIMIT_BYTES = 10_000_000


def send(running: Running, body: bytes, *headers: bytes) -> bytes:
    port = running.server.endpoint.port
    return exchange(port, post("/v1/events", port, running.token(Scope.CAPTURE), body, *headers))


def kept_text(running: Running, answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return running.engine.messages.get(answer.json()["results"][0]["message_id"]).text


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b'{"text": "x", "payload": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"text": ' + b"9" * 100_000 + b"}",
        b'{"text": "x", "payload": {"n": NaN}}',
        b'{"text": "x", "payload": {"n": -Infinity}}',
        b'{"text": "x", "payload": {"n": 1e999}}',
        b'{"text": "x", "text": "y"}',
        b'{"text": "x"',
        b"{'text': 'x'}",
        b"\xff\xfe{",
        b'{"text": "\xed\xa0\x80"}',
        b"null",
        b"[]",
        b'"text"',
        b"17",
        b'{"events": []}',
        b'{"events": {}}',
        b'{"kind": "nothing"}',
        b'{"at": "2026-01-01T00:00:00"}',
        b'{"app": "../../etc"}',
    ],
    ids=lambda body: body[:24].decode("latin-1"),
)
def test_abuse_is_refused_in_words_and_nothing_is_kept(shared: Running, body: bytes) -> None:
    before = len(shared.engine.events.inbox(limit=1000))
    answer = send(shared, body)
    assert status_of(answer) in {400, 422}
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["detail"]
    assert len(shared.engine.events.inbox(limit=1000)) == before


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Type: text/plain",
        b"Content-Type: application/x-www-form-urlencoded",
        b"Content-Type: multipart/form-data; boundary=x",
        b"Content-Type: application/json; charset=utf-16",
        b"Content-Type: application/jsonp",
        b"Content-Type:",
    ],
)
def test_only_json_is_taken(shared: Running, header: bytes) -> None:
    assert status_of(send(shared, b'{"text": "x"}', header)) == 415


def test_compressed_bodies_are_not_unpacked(shared: Running) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    assert status_of(send(shared, bomb, b"Content-Encoding: gzip")) == 415


@pytest.mark.parametrize(
    "header", [b"Content-Length: 99999999999", b"Content-Length: 10551297", b"Content-Length: " + b"9" * 19]
)
def test_an_announced_giant_is_refused_before_it_comes(shared: Running, header: bytes) -> None:
    assert status_of(send(shared, b"{", header)) == 413


@pytest.mark.parametrize(
    "headers",
    [
        (b"Content-Length: -1",),
        (b"Content-Length: abc",),
        (b"Content-Length: 5", b"Content-Length: 6"),
        (b"Content-Length: 5", b"Transfer-Encoding: chunked"),
        (b"Transfer-Encoding: gzip",),
        (b"Transfer-Encoding: chunked, identity",),
    ],
)
def test_lies_about_the_length_are_refused(shared: Running, headers: tuple[bytes, ...]) -> None:
    answer = send(shared, b'{"text": "x"}', *headers)
    assert answer == b"" or 400 <= status_of(answer) < 500


def test_a_giant_without_announced_length_is_stopped(shared: Running) -> None:
    def stream() -> object:
        yield b'{"text": "'
        for _ in range(12):
            yield b"a" * 1_000_000
        yield b'"}'

    token = shared.token(Scope.CAPTURE)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    answer = httpx.post(
        f"{shared.url}/v1/events", content=stream(), headers=headers, trust_env=False, timeout=PATIENCE_S
    )  # type: ignore[arg-type]
    assert answer.status_code == 413


def test_ten_megabytes_are_accepted_and_kept(running: Running, client: httpx.Client) -> None:
    text = ("make the header purple " * 460_000)[: LIMIT_BYTES - 1000]
    answer = client.post("/v1/events", json={"text": text, "wait": "durable"}, timeout=PATIENCE_S)
    assert answer.status_code == 200
    assert running.engine.events.wait_idle(PATIENCE_S)
    (card,) = running.engine.conversations.list()
    assert running.engine.conversations.get(card.id).messages[0].text.strip() == text.strip()


def test_more_than_that_is_refused(client: httpx.Client) -> None:
    assert client.post("/v1/events", json={"text": "a" * (LIMIT_BYTES + 70_000)}).status_code == 413


@pytest.mark.parametrize(
    "text",
    [
        "naïve café – “quotes” … 日本語 עברית 🧵👩‍👩‍👧",
        "tabs\tand\nlines stay",
        "e" + "\u0301" * 500,
        "<script>alert(1)</script> & <b>bold</b>",
        "'; DROP TABLE message; --",
        "a\u202egnp.exe",
    ],
    ids=["scripts", "white space", "marks", "html", "sql", "direction"],
)
def test_valid_text_is_kept_to_the_byte(running: Running, client: httpx.Client, text: str) -> None:
    assert kept_text(running, client.post("/v1/events", json={"text": text})) == text


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "nul \\u0000 inside"}',
        b'{"text": "half \\ud800 pair"}',
        b'{"text": "tag \\udb40\\udc41 char"}',
        json.dumps({"text": "x" + "\u0301" * 32_000}).encode(),
        json.dumps({"text": "\u2028\u2029\ufeff\u200b word"}).encode(),
        json.dumps({"text": "a b", "session": "s\u0000", "cwd": "\u0000", "payload": {"\u0000": "\ud800"}}).encode(),
    ],
    ids=["nul", "surrogate", "tag", "long grapheme", "separators", "everywhere"],
)
def test_torture_is_no_server_error(running: Running, body: bytes) -> None:
    assert status_of(send(running, body)) in {200, 400, 422}
    assert running.engine.events.wait_idle(PATIENCE_S)
    with running.client(running.token(Scope.READ)) as reader:
        assert reader.get("/v1/conversations").status_code == 200
        assert reader.get("/v1/events").status_code == 200


def test_a_body_where_none_belongs_is_refused(shared: Running) -> None:
    headers = {"Authorization": f"Bearer {shared.token(Scope.READ)}"}
    answer = httpx.request(
        "GET", f"{shared.url}/v1/stats", json={"a": 1}, headers=headers, trust_env=False, timeout=PATIENCE_S
    )
    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/v1/events", "/v1/turn"])
def test_a_request_without_a_body_is_refused_in_words(client: httpx.Client, path: str) -> None:
    answer = client.post(path)
    assert (answer.status_code, answer.json()["detail"]) == (400, "The request has no body.")


@pytest.mark.parametrize(
    "path", ["/" + "a" * 4_000, "/tmp/" + "b" * 300, "/tmp/x\0y", "~" + "c" * 300, "/none/x.jsonl"]
)
def test_a_path_that_no_file_can_have_is_refused(admin: httpx.Client, path: str) -> None:
    asked = (
        ("/v1/backups/restore", {"path": path}),
        ("/v1/import", {"path": path}),
        ("/v1/import", {"path": path, "source": "claude-code"}),
        ("/v1/export", {"path": path, "kind": "history"}),
    )
    assert {admin.post(route, json=body).status_code for route, body in asked} <= {404, 422}


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_an_instant_outside_the_calendar_is_now_and_stops_nobody(own: Running, at: str) -> None:
    with own.client(own.token(Scope.CAPTURE)) as client:
        body = {"kind": "prompt", "text": "Use tabs", "session": "s", "at": at, "wait": "understood"}
        (result,) = client.post("/v1/events", json=body).json()["results"]
    assert result["state"] == "done"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1"])
def test_a_proxys_form_of_address_is_refused(running: Running, host: str) -> None:
    port = running.server.endpoint.port
    request = f"GET http://{host}/healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    assert status_of(exchange(port, request.encode())) == 421
