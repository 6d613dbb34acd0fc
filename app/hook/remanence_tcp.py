"""The hook's way to the engine over TCP, loaded only where the Unix socket does not answer: first the proof, then the talk.

`remanence_hook.py` hands itself in. Source: QUALITY S4, `app/server/routes/hello.py`.
"""

import _socket

TYPE_CHECKING = False  # as in `remanence_hook.py`
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def connect_proven(hook: "ModuleType", port: int, host: bytes, secret: str) -> _socket.socket:
    """A TCP connection whose other end has shown that it knows the engine's secret.

    Anybody may sit on the port while the engine is away; until the proof, nothing but a nonce leaves us.
    """
    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    connection.settimeout(min(hook.CONNECT_BUDGET_S, hook.left_s()))
    connection.connect(("127.0.0.1", port))
    nonce = hook.system.urandom(16).hex().encode()
    connection.settimeout(hook.left_s())
    connection.sendall(b"GET /v1/hello?nonce=%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (nonce, host))
    status, body = hook.read_answer(connection)
    if status != b"200" or hmac_sha256(bytes.fromhex(secret), nonce) not in body:
        raise ValueError
    return connection


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC in hex, without `hmac` and `hashlib`, which take long to import. `key` is at most 64 bytes."""
    sha256 = find_sha256()
    key = key[:64].ljust(64, b"\0")
    inner = sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    digest: str = sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()
    return digest.encode()


def find_sha256() -> "Callable[[bytes], Any]":
    """The C function; its module has another name in each Python."""
    for module, name in (("_sha2", "sha256"), ("_sha256", "sha256"), ("_hashlib", "openssl_sha256")):
        try:
            found: Callable[[bytes], Any] = getattr(__import__(module), name)
        except (ImportError, AttributeError):
            continue
        return found
    raise ValueError
