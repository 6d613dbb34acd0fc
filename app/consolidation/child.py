"""A plan over much is computed in a process of its own, which only reads values from a pipe and answers with values.

Single calls that hold the interpreter's lock would freeze the window. The child ends when its work is done, when it is cancelled,
or when whoever started it is gone. Both ends are this program: what passes the pipe is no input from outside.
Source: DESIGN section 3 "One writer".
"""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

_LENGTH_BYTES = 8
_TICK_S = 0.1
Plan = Callable[[Any, Any], Sequence[Any]]  # of a step: values and a Reading in, proposals out


class PlanCancelledError(Exception):
    """Nobody wants the answer any more."""


def plan_in_child(plan: Plan, loaded: object, reading: object, is_cancelled: Callable[[], bool]) -> Sequence[Any]:
    """What `plan` answers. Raises PlanCancelledError, or RuntimeError with what the child said when it broke."""
    words = [sys.executable, "-m", "app.consolidation.child"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
    sent = pickle.dumps((plan, loaded, reading), protocol=pickle.HIGHEST_PROTOCOL)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        try:
            return _talk(process, sent, is_cancelled)
        finally:
            process.kill()


def _talk(process: "subprocess.Popen[bytes]", sent: bytes, is_cancelled: Callable[[], bool]) -> Sequence[Any]:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("The child has no pipes.")
    answer: list[bytes] = []
    threads = (
        threading.Thread(target=_send, args=(process.stdin, sent), name="remanence-plan-in", daemon=True),
        threading.Thread(target=_receive, args=(process.stdout, answer), name="remanence-plan-out", daemon=True),
    )
    for thread in threads:
        thread.start()
    while threads[1].is_alive():
        threads[1].join(_TICK_S)
        if is_cancelled():
            process.kill()
            for thread in threads:
                thread.join()
            raise PlanCancelledError
    threads[0].join()
    if not answer or not answer[0]:
        raise RuntimeError(f"The planning process ended with {process.wait()}.")
    is_done, value = pickle.loads(answer[0])  # noqa: S301 (our own child)
    if not is_done:
        raise RuntimeError(f"The planning process failed: {value}")
    found: Sequence[Any] = value
    return found


def _send(pipe: BinaryIO, sent: bytes) -> None:
    with contextlib.suppress(OSError):
        pipe.write(len(sent).to_bytes(_LENGTH_BYTES, "big"))
        pipe.write(sent)
        pipe.flush()  # and stays open: the child ends when it closes


def _receive(pipe: BinaryIO, answer: list[bytes]) -> None:
    with contextlib.suppress(OSError):
        answer.append(pipe.read())


def _end_with_parent(pipe: BinaryIO) -> None:
    pipe.read()
    os._exit(1)


def main() -> None:
    """The child: one question, one answer."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whoever prints does not spoil the answer
    length = int.from_bytes(source.read(_LENGTH_BYTES), "big")
    plan, loaded, reading = pickle.loads(source.read(length))  # noqa: S301 (our own parent)
    threading.Thread(target=_end_with_parent, args=(source,), daemon=True).start()
    try:
        answer: tuple[bool, object] = True, tuple(plan(loaded, reading))
    except Exception as error:  # noqa: BLE001 (told to the parent, which raises it)
        answer = False, f"{type(error).__name__}: {error}"
    target.write(pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL))
    target.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
