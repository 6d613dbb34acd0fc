"""The one place that decides how a command reaches the store: through the running app, else by opening it itself.

Owns finding the running app, making sure that it is ours before the admin token is sent, and turning problems back
into errors. Commands see `Desk.ask` only. Source: DESIGN section 3, QUALITY S5.
"""

import hashlib
import hmac
import http.client
import json
import re
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from app.errors import (
    EnvironmentProblem,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    RemanenceError,
    StaleError,
    StoreLockedError,
)
from app.places import Places

_ADMIN_FILE_NAME = "admin.token"
_HELLO_TIMEOUT_S = 2.0
_PROOF_BYTES_MAX = 4_096
_SILENT_HINT = "Close it, or end it, and try again."
_ANSWER_TIMEOUT_S = 600.0  # an import of a large history
_STARTING_WAIT_S = 3.0
_PLACE_IN_REQUEST = re.compile(r"\b(?:body|query|path)\.(?=[a-z])|\.(?:str-enum|literal)\[[^\]]*\]")
_SHOULD = re.compile(r": (?:String|Input|List) should")
_ERRORS: Mapping[int, type[RemanenceError]] = {
    403: ForbiddenError,
    404: NotFoundError,
    409: StaleError,
    500: EnvironmentProblem,
    503: EnvironmentProblem,
    507: EnvironmentProblem,
}


class SilentAppProblem(EnvironmentProblem):
    """Somebody listens, and says nothing in time."""


class Wire(Protocol):
    def request(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        """Status and body of the answer."""


@dataclass(frozen=True, slots=True)
class EngineClient:
    """Asks over one wire."""

    wire: Wire

    def ask(self, method: str, path: str, *, query: Mapping[str, object] | None = None, body: object = None) -> Any:
        """The answer's JSON, text when it is none, or None. Raises UserError or EnvironmentProblem."""
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        target = quote(path, safe="/") + (f"?{urlencode(asked, doseq=True)}" if asked else "")
        data = None if body is None else json.dumps(body).encode()
        status, answer = self.wire.request(method, target, data)
        if status >= 400:
            raise _error_of(status, answer)
        try:
            return json.loads(answer) if answer else None
        except ValueError:
            return answer.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class RunningApp:
    """Where another process of ours listens. Its token is sent only after it proved that it knows the secret."""

    port: int
    socket_path: str
    secret: str
    admin_token: str

    def request(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self.admin_token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return self.exchange(method, target, body, headers, _ANSWER_TIMEOUT_S)

    def is_ours(self, timeout_s: float = _HELLO_TIMEOUT_S) -> bool:
        """True when the listener proves itself, False for a stranger on our port. Raises EnvironmentProblem for nobody."""
        with self._connection(time.monotonic() + timeout_s) as connection:
            return self._proves_itself(connection)

    def exchange(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str], timeout_s: float
    ) -> tuple[int, bytes]:
        """Status and body of the answer to a request with these headers. Raises EnvironmentProblem.

        Over TCP the other end proves itself on this very connection first: the app may have gone since it was found, and
        whoever has its port now is sent neither token nor text. The socket file is in a folder that only we can write.
        """
        until_s = time.monotonic() + timeout_s
        with self._connection(until_s) as connection:
            if not self.socket_path:
                if not self._proves_itself(connection):
                    raise EnvironmentProblem("Another program has the app's port.", hint="Start Remanence.")
                connection.sock.settimeout(max(0.001, until_s - time.monotonic()))
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

    @contextmanager
    def _connection(self, until_s: float) -> "Iterator[http.client.HTTPConnection]":
        """An open connection that is never opened a second time by itself."""
        connection: http.client.HTTPConnection
        timeout_s = max(0.001, until_s - time.monotonic())
        if self.socket_path:
            connection = _UnixConnection(self.socket_path, timeout_s)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.connect()
            connection.auto_open = 0
            connection.sock.settimeout(max(0.001, until_s - time.monotonic()))
            yield connection
        except TimeoutError as error:
            raise SilentAppProblem("The running app does not answer in time.", hint=_SILENT_HINT) from error
        except (OSError, http.client.HTTPException) as error:
            raise EnvironmentProblem(f"The running app does not answer: {error}.", hint=_SILENT_HINT) from error
        finally:
            connection.close()

    def _proves_itself(self, connection: http.client.HTTPConnection) -> bool:
        nonce = secrets.token_hex(16)
        expected = hmac.new(bytes.fromhex(self.secret), nonce.encode(), hashlib.sha256).hexdigest()
        connection.request("GET", f"/v1/hello?nonce={nonce}")
        answer = connection.getresponse()
        proof = answer.read(_PROOF_BYTES_MAX).strip()
        return answer.status == 200 and hmac.compare_digest(proof, f"proof {expected}".encode())


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def find_running_app(places: Places) -> RunningApp | None:
    """The app that listens now and has shown that it is ours, or None."""
    running = read_endpoint(places)
    with suppress(EnvironmentProblem):
        return running if running is not None and running.is_ours() else None
    return None


def read_endpoint(places: Places) -> RunningApp | None:
    """The app as our private state folder names it; whether it still listens is not known. None when there is none."""
    try:
        lines = places.endpoint_path.read_text(encoding="utf-8").splitlines()
        token = (places.state_dir / _ADMIN_FILE_NAME).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    found = dict(line.split(" ", 1) for line in lines if " " in line)
    with suppress(KeyError, ValueError):
        path = found.get("socket", "")
        bytes.fromhex(found["secret"])
        return RunningApp(
            port=int(found["port"]),
            socket_path=path if path and Path(path).exists() else "",
            secret=found["secret"],
            admin_token=token,
        )
    return None


@contextmanager
def open_client(places: Places) -> Iterator[EngineClient]:
    """A desk over the running app, else over an engine opened for this command. Raises EnvironmentProblem."""
    running = find_running_app(places)
    if running is not None:
        yield EngineClient(running)
        return
    from app.api import Engine
    from app.server import InProcess

    try:
        engine = Engine.open(places, owner="command")
    except StoreLockedError:
        yield EngineClient(_wait_for_app(places))
        return
    try:
        with InProcess(engine) as wire:
            yield EngineClient(wire)
    finally:
        engine.close()


def _wait_for_app(places: Places) -> RunningApp:
    """The owner of the store, which may be starting just now and not listen yet."""
    end = time.monotonic() + _STARTING_WAIT_S
    while time.monotonic() < end:
        running = find_running_app(places)
        if running is not None:
            return running
        time.sleep(0.1)
    raise StoreLockedError(
        "Another Remanence holds the store but does not listen.",
        hint="End it, then try again; remanence info says more.",
    )


def _error_of(status: int, answer: bytes) -> RemanenceError:
    try:
        found = json.loads(answer)
    except ValueError:
        found = {}
    detail = str(found.get("detail") or f"The app answered with status {status}.")
    candidates = found.get("candidates") or ()
    hint = str(found.get("hint", ""))
    if "/openapi.json" in hint:  # for programs; whoever types a command has its help
        detail = _PLACE_IN_REQUEST.sub("", detail).replace("The request is not valid", "This cannot be done")
        detail = _SHOULD.sub(" must", detail).replace("must have at least 1 character", "must not be empty")
        hint = "The same command with --help shows how to use it."
    if candidates:
        hint = f"{hint} Which one: {', '.join(map(str, candidates))}.".strip()
    return _ERRORS.get(status, InvalidError)(detail, hint=hint)
