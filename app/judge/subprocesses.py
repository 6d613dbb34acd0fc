"""Runs the program of an adapter: a process group of its own, ended whole when time is over or somebody cancels.

Owns limits of time and size and what a failure is called. What the program prints as errors goes to our log, nowhere else.
Knows no program. Source: JUDGE "Adapters".
"""

import contextlib
import logging
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence

from app.judge.adapter import Call, JudgeCancelledError, JudgeError, child_environment
from app.judge.answer import MAX_ANSWER_BYTES
from app.places import make_private_dir

_log = logging.getLogger(__name__)
_TICK_S = 0.05
_GRACE_S = 2.0
_ERRORS_LOGGED = 2_000
_REFUSED = re.compile(
    r"\b(?:401|403|429)\b|out of credit|credit balance|usage limit|rate.?limit|quota|not logged in|please (?:run )?/?log ?in"
    r"|invalid (?:api )?key|unauthorized|authentication",
    re.IGNORECASE,
)


def find_program(name: str, call: Call) -> str:
    """The program's path. Raises JudgeError when it is not there."""
    found = shutil.which(name, path=call.env.get("PATH"))
    if found is None:
        raise JudgeError(f"The program {name} was not found.")
    return found


def run_child(words: Sequence[str], sent: str, call: Call) -> str:
    """What the program wrote to stdout. Raises JudgeError for time-out, exit status, size; JudgeCancelledError."""
    make_private_dir(call.folder)
    try:
        process = subprocess.Popen(
            list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=call.folder,
            env=child_environment(call), start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise JudgeError(f"The program {words[0]} could not be started: {error.strerror}.") from error
    output, errors = _Pipe(process.stdout), _Pipe(process.stderr)
    writer = threading.Thread(target=_feed, args=(process, sent.encode()), name="remanence-judge-in", daemon=True)
    writer.start()
    try:
        _wait(process, output, call)
    finally:
        _end_group(process)
        for thread in (writer, output.thread, errors.thread):
            thread.join(_GRACE_S)
    error_text = bytes(errors.data[-_ERRORS_LOGGED:]).decode("utf-8", "replace").strip()
    answer = bytes(output.data).decode("utf-8", "replace")
    if error_text:
        _log.info("%s said: %s", words[0], error_text)
    if process.returncode:
        is_refused = _REFUSED.search(f"{error_text}\n{answer[:4_000]}") is not None
        raise JudgeError(f"The program ended with status {process.returncode}.", is_refused=is_refused)
    return answer


def check_refusal(text: str) -> bool:
    """Whether an error says that account or plan refuse."""
    return _REFUSED.search(text) is not None


class _Pipe:
    """Reads one end in a thread, no more than is taken."""

    def __init__(self, stream: object) -> None:
        self.data = bytearray()
        self.is_flood = False
        self._stream = stream
        self.thread = threading.Thread(target=self._read, name="remanence-judge-out", daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := self._stream.read1(65_536):  # type: ignore[attr-defined]
                if len(self.data) + len(part) > MAX_ANSWER_BYTES:
                    self.is_flood = True
                    return
                self.data += part


def _wait(process: "subprocess.Popen[bytes]", output: _Pipe, call: Call) -> None:
    end_s = time.monotonic() + call.timeout_s
    while process.poll() is None or output.thread.is_alive():
        if call.cancelled.wait(_TICK_S):
            raise JudgeCancelledError("The request was cancelled.")
        if output.is_flood:
            raise JudgeError("The answer is larger than a megabyte.")
        if time.monotonic() > end_s:
            raise JudgeError(f"No answer came within {call.timeout_s:.0f} seconds.")
    if output.is_flood:
        raise JudgeError("The answer is larger than a megabyte.")


def _feed(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):  # a program that reads nothing, or has gone
        if process.stdin is not None:
            process.stdin.write(data)
            process.stdin.close()


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    """Ends the program with all that it started; nobody of them outlives the request."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        elif process.poll() is None:
            process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()


def scratch_file(suffix: str, text: str = "") -> str:
    """A private file beside the call's folder, for programs that want one; the caller removes it."""
    handle, path = tempfile.mkstemp(suffix=suffix, prefix="remanence-judge-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return path
