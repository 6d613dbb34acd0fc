"""A terminal that nobody sees: a client's window of text in a pty, with keys, bracketed paste and its screen as text.

Owns one child process and the thread that reads it. pyte (test only) keeps the screen, since clients repaint and move the
cursor, so that their bytes in order are no text. Knows no client.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import pyte

PATIENCE_S = 60.0
ROWS, COLUMNS = 60, 160
KEYS = {
    "enter": "\r", "escape": "\x1b", "up": "\x1b[A", "down": "\x1b[B", "tab": "\t", "ctrl-c": "\x03", "ctrl-d": "\x04",
    "ctrl-u": "\x15", "space": " ", "backspace": "\x7f",
}  # fmt: skip
_QUESTIONS: tuple[tuple[bytes, bytes], ...] = (  # what clients ask their terminal, and what a plain one answers
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[0c", b"\x1b[?62;22c"),
    (b"\x1b[?u", b"\x1b[?0u"),
    (b"\x1b]10;?", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
)
# pyte does not know private forms of some sequences and would show their letters
_UNKNOWN = re.compile(rb"\x1b\[[<>=][\d;]*[a-zA-Z]|\x1b\[\?[\d;]*(?:\$p|u)|\x1b[PX^_].*?\x1b\\", re.DOTALL)


class Terminal:
    """One program in a pty."""

    def __init__(self, words: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self._screen = pyte.HistoryScreen(COLUMNS, ROWS, history=5_000)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            words, cwd=cwd, env=dict(env), stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(slave)
        self.raw = b""
        self.quiet_since_s = time.monotonic()
        self._reader = threading.Thread(target=self._read, name="terminal", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def text(self) -> str:
        """The screen as text, without empty ends."""
        with self._lock:
            return "\n".join(line.rstrip() for line in self._screen.display).strip("\n")

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def type(self, text: str) -> None:
        """Keys one by one, as a person would press them: some clients take a burst for a paste."""
        for character in text:
            self._write(character.encode())
            time.sleep(0.004)

    def press(self, *keys: str) -> None:
        for key in keys:
            self._write(KEYS[key].encode())
            time.sleep(0.15)

    def paste(self, text: str) -> None:
        """A bracketed paste, as terminals send what came from the clipboard."""
        self._write(b"\x1b[200~" + text.encode() + b"\x1b[201~")
        time.sleep(0.3)

    def say(self, text: str) -> None:
        """Types a line and sends it off."""
        self.type(text)
        time.sleep(0.4)
        self.press("enter")

    def wait(self, wanted: str | Callable[[str], bool], *, patience_s: float = PATIENCE_S) -> bool:
        """True once the screen shows it (a regular expression, or a test of the text); False after the patience."""
        is_there = (lambda text: re.search(wanted, text) is not None) if isinstance(wanted, str) else wanted
        end = time.monotonic() + patience_s
        while not is_there(self.text):
            if time.monotonic() > end or not self.is_running:
                return is_there(self.text)
            time.sleep(0.05)
        return True

    def settle(self, quiet_s: float = 0.8, patience_s: float = 20.0) -> None:
        """Waits until nothing was painted for a while."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end and time.monotonic() - self.quiet_since_s < quiet_s:
            time.sleep(0.05)

    def close(self, patience_s: float = 10.0) -> None:
        """Ends the program: politely, then by force."""
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            if self.is_running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(patience_s / 3)
        self._reader.join(5)
        with contextlib.suppress(OSError):
            os.close(self._master)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the program is gone; what was wanted will be missed by a check
            os.write(self._master, data)

    def _read(self) -> None:
        while True:
            try:
                ready = select.select([self._master], [], [], 0.2)[0]
                if not ready:
                    if not self.is_running:
                        return
                    continue
                data = os.read(self._master, 65536)
            except (OSError, ValueError):
                return
            if not data:
                return
            self.raw += data
            self.quiet_since_s = time.monotonic()
            for question, answer in _QUESTIONS:
                for _ in range(data.count(question)):
                    self._write(answer)
            with (
                self._lock,
                contextlib.suppress(Exception),
            ):  # a sequence that pyte cannot read is no fault of the client
                self._stream.feed(_UNKNOWN.sub(b"", data))


def _own_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
