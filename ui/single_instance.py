"""One window per state folder: the second start hands over what it was asked for, and leaves with 0 (QUALITY R6).

A lock file decides who is first, a local socket in the same folder carries the message. Knows no window.
"""

import hashlib
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

HANDOVER_MS = 400
HANDOVER_TRIES = 12
MAX_MESSAGE_BYTES = 4_096
_MAX_SOCKET_PATH = 100  # Unix sockets end at 107


def _socket_name(state_dir: Path) -> str:
    name = str(state_dir / "window.sock")
    if len(name.encode()) <= _MAX_SOCKET_PATH:
        return name
    digest = hashlib.sha256(str(state_dir).encode()).hexdigest()[:16]
    return str(Path(tempfile.gettempdir()) / f"remanence-{digest}.sock")


class SingleInstance(QObject):
    """`asked` carries the link that another start was given, "" for "show yourself"."""

    asked = Signal(str)

    def __init__(self, state_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = _socket_name(state_dir)
        self._lock = QLockFile(str(state_dir / "window.lock"))
        self._lock.setStaleLockTime(0)  # only a dead owner makes it stale
        self._server: QLocalServer | None = None

    def claim(self, message: str = "") -> bool:
        """True when this process is the one; False when another took `message` over and this one may leave.

        True also when another holds the lock but never answers: better a second window that says why it
        cannot open the store than none at all.
        """
        for _try in range(HANDOVER_TRIES):
            if self._lock.tryLock(0):
                self._listen()
                return True
            if self._hand_over(message):
                return False
            time.sleep(0.25)
        return True

    def release(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.unlock()

    def _hand_over(self, message: str) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(HANDOVER_MS):
            return False
        socket.write(f"show {message}\n".encode()[:MAX_MESSAGE_BYTES])
        is_taken = socket.waitForBytesWritten(HANDOVER_MS) and socket.waitForReadyRead(2_000)
        socket.abort()
        return is_taken

    def _listen(self) -> None:
        QLocalServer.removeServer(self._name)  # we hold the lock: whatever lies there is stale
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._server.listen(self._name)

    def _on_connection(self) -> None:
        if self._server is None:
            return
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._on_message)
            if socket.bytesAvailable():
                self._read(socket)

    def _on_message(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket):
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            return
        line = bytes(socket.readLine(MAX_MESSAGE_BYTES).data()).decode("utf-8", "replace").strip()
        if line.startswith("show"):
            socket.write(b"ok\n")
            socket.flush()
            self.asked.emit(line.removeprefix("show").strip())
