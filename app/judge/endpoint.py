"""An OpenAI-compatible address: Ollama, LM Studio, llama.cpp, vLLM. On this machine, unless the person said otherwise.

Source: JUDGE "Adapters", endpoint.
"""

import http.client
import ipaddress
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.judge.adapter import Call, JudgeCancelledError, JudgeError
from app.judge.answer import MAX_ANSWER_BYTES
from app.judge.request import AnyRequest, answer_schema, instructions, request_prompt
from app.judge.values import Reply

_TICK_S = 0.05
_REFUSED = {401, 402, 403, 429}


class EndpointAdapter:
    name = "endpoint"
    title = "Your local model"
    is_cut = True

    def __init__(self, address: str, *, is_remote_allowed: bool = False, key: str = "") -> None:
        self._address = address
        self._is_remote_allowed = is_remote_allowed
        self._key = key

    def ask(self, request: AnyRequest, call: Call) -> Reply:
        body = {
            "model": call.model or "default",
            "messages": [
                {"role": "system", "content": instructions(request)},
                {"role": "user", "content": request_prompt(request, secrets.token_hex(8))},
            ],
            "temperature": 0,
            "stream": False,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": answer_schema(request)},
            },
        }
        door = Door(self._address, self._key, is_remote_allowed=self._is_remote_allowed)
        return _read(door.post("chat/completions", body, timeout_s=call.timeout_s, cancelled=call.cancelled))

    def sent_text(self, request: AnyRequest) -> str:
        return f"{instructions(request)}\n{request_prompt(request, '0' * 16)}"


def is_loopback(host: str) -> bool:
    """Whether a name stands for this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("example.org")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Door:
    """An address that models answer at, and the key to it."""

    address: str
    key: str
    is_remote_allowed: bool

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        *,
        timeout_s: float,
        cancelled: threading.Event,
        most_bytes: int = MAX_ANSWER_BYTES,
    ) -> bytes:
        """What is answered, within `timeout_s`. Raises JudgeError, also for an address that nobody allowed."""
        parts = urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise JudgeError("The address of the model is no http address.")
        if not is_loopback(parts.hostname) and not self.is_remote_allowed:
            raise JudgeError(
                "The address of the model is not on this machine; that needs a yes of its own in Settings."
            )
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname, parts.port, timeout=timeout_s)
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        where, sent = f"{parts.path.rstrip('/')}/{path}", json.dumps(body).encode()
        status, raw = _Exchange(connection, where, sent, headers, most_bytes).run(timeout_s, cancelled)
        if status != 200:
            raise JudgeError(f"The model's address answered {status}.", is_refused=status in _REFUSED)
        return raw


class _Exchange:
    """One request in a thread, so that it can be left when somebody cancels."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        body: bytes,
        headers: dict[str, str],
        most_bytes: int,
    ) -> None:
        self._connection, self._path, self._body, self._headers = connection, path, body, headers
        self._most_bytes = most_bytes
        self._answer: tuple[int, bytes] | None = None
        self._problem = ""

    def run(self, timeout_s: float, cancelled: threading.Event) -> tuple[int, bytes]:
        thread = threading.Thread(target=self._go, name="remanence-judge-http", daemon=True)
        thread.start()
        end_s = time.monotonic() + timeout_s
        try:
            while thread.is_alive():
                thread.join(_TICK_S)
                if cancelled.is_set():
                    raise JudgeCancelledError("The request was cancelled.")
                if time.monotonic() > end_s and thread.is_alive():
                    raise JudgeError(f"No answer came within {timeout_s:.0f} seconds.")
        finally:
            if self._connection.sock is not None:
                self._shut()
            self._connection.close()
            thread.join(1)
        if self._answer is None:
            raise JudgeError(self._problem or "The model's address does not answer.")
        return self._answer

    def _shut(self) -> None:
        import contextlib
        import socket

        with contextlib.suppress(OSError):  # wakes a thread that still reads
            self._connection.sock.shutdown(socket.SHUT_RDWR)

    def _go(self) -> None:
        try:
            self._connection.request("POST", self._path, self._body, self._headers)
            answer = self._connection.getresponse()
            raw = answer.read(self._most_bytes + 1)
        except (OSError, http.client.HTTPException, AttributeError) as error:
            self._problem = f"The model's address does not answer: {type(error).__name__}."
            return
        if len(raw) > self._most_bytes:
            self._problem = f"The answer is larger than {self._most_bytes // 1_000_000} MB."
            return
        self._answer = (answer.status, raw)


def _read(raw: bytes) -> Reply:
    try:
        value = json.loads(raw)
        text = value["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError) as error:
        raise JudgeError("The model's address gave no answer.") from error
    usage = value.get("usage") if isinstance(value.get("usage"), dict) else {}
    return Reply(str(text), _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
