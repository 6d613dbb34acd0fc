"""Speaks HTTP byte by byte, for requests that no client library would send."""

import socket

from tests.patience import PATIENCE_S


def exchange(port: int, request: bytes, *, timeout_s: float = PATIENCE_S) -> bytes:
    """Everything the server said until it closed the line or had answered once."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout_s) as line:
        line.sendall(request)
        return read_answer(line)


def read_answer(line: socket.socket) -> bytes:
    """One answer with its body, or what came before the line closed."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = line.recv(65_536)
        if not part:
            return found
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    lengths = [part for part in head.lower().split(b"\r\n") if part.startswith(b"content-length:")]
    wanted = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < wanted:
        part = line.recv(65_536)
        if not part:
            break
        body += part
    return head + b"\r\n\r\n" + body


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def post(path: str, port: int, token: str, body: bytes, *headers: bytes, host: str = "") -> bytes:
    """The bytes of a POST with `Content-Length`, unless the headers say something else."""
    lines = [
        f"POST {path} HTTP/1.1".encode(),
        f"Host: {host or f'127.0.0.1:{port}'}".encode(),
        f"Authorization: Bearer {token}".encode(),
        *headers,
    ]
    if not any(header.lower().startswith(b"content-type") for header in headers):
        lines.append(b"Content-Type: application/json")
    if not any(header.lower().startswith((b"content-length", b"transfer-encoding")) for header in headers):
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
