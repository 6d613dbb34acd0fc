"""A web page reaches nothing: every Host but our own and every sign of a browser is refused (QUALITY S2)."""

import pytest

from app.api import Scope
from tests.app.server.conftest import Running
from tests.app.server.raw import exchange, status_of

FOREIGN_HOSTS = [
    "",
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "localhost",
    "[::1]",
    "127.0.0.1:{other}",
    "localhost:{other}",
    "127.0.0.1:0{port}",
    "127.0.0.1:{port}0",
    "127.0.0.1:",
    "127.0.0.1:{port}:{port}",
    "127.0.0.2:{port}",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "::1:{port}",
    "[0:0:0:0:0:0:0:1]:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0x7f000001:{port}",
    "localhost.:{port}",
    "localhost.evil.example:{port}",
    "evil.localhost:{port}",
    "LOCALHOST:{port}",
    "127.0.0.1.nip.example:{port}",
    "127.0.0.1:{port}.evil.example",
    "user@127.0.0.1:{port}",
    "127.0.0.1:{port}/path",
    "127.0.0.1:{port}#",
    "127.0.0.1%00:{port}",
    "local host:{port}",
    "127.0.0.1:{port},evil.example",
]
BROWSER_HEADERS = [
    "Origin: null",
    "Origin: http://127.0.0.1:{port}",
    "Origin: http://localhost:{port}",
    "Origin: https://evil.example",
    "Origin:",
    "ORIGIN: file://",
    "origin: chrome-extension://abc",
    "Origin: vscode-webview://abc",
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-Site: none",
    "Sec-Fetch-Mode: no-cors",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-Dest: image",
    "sec-fetch-user: ?1",
    "SEC-FETCH-STORAGE-ACCESS: none",
    "Host: evil.example",
]


def get(running: Running, host: str, *headers: str, path: str = "/v1/stats") -> bytes:
    port = running.server.endpoint.port
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        f"Authorization: Bearer {running.token(Scope.READ)}",
        *headers,
    ]
    text = "\r\n".join(lines).format(port=port, other=port - 1) + "\r\n\r\n"
    return exchange(port, text.encode("latin-1"))


PATHS = pytest.mark.parametrize("path", ["/v1/stats", "/healthz", "/v1/hello?nonce=0123456789abcdef"])


@PATHS
def test_our_own_names_are_answered_and_foreign_ones_refused(shared: Running, path: str) -> None:
    own = ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}"]
    assert [host for host in own if status_of(get(shared, host, path=path)) != 200] == []
    assert [host for host in FOREIGN_HOSTS if status_of(get(shared, host, path=path)) not in {400, 421}] == []


def test_a_request_without_host_is_refused(shared: Running) -> None:
    port = shared.server.endpoint.port
    for version in ("1.0", "1.1"):
        assert status_of(exchange(port, f"GET /healthz HTTP/{version}\r\n\r\n".encode())) in {400, 421}


@PATHS
def test_signs_of_a_browser_are_refused(shared: Running, path: str) -> None:
    answers = {header: get(shared, "127.0.0.1:{port}", header, path=path) for header in BROWSER_HEADERS}
    assert [header for header, answer in answers.items() if status_of(answer) not in {400, 403}] == []
    assert [header for header, answer in answers.items() if b"access-control" in answer.lower()] == []


def test_a_preflight_gets_no_permission(shared: Running) -> None:
    port = shared.server.endpoint.port
    request = (
        f"OPTIONS /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\n"
        "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Private-Network: true\r\n\r\n"
    )
    answer = exchange(port, request.encode())
    assert status_of(answer) == 403
    assert b"access-control" not in answer.lower()
