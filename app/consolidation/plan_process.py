"""A plan over much is computed in a process of its own, which only reads values from a pipe and answers with values.

Single calls that hold the interpreter's lock would freeze the window. The child ends when its run is planned, when it is cancelled,
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
from queue import SimpleQueue
from typing import Any, BinaryIO, Self

_LENGTH_BYTES = 8
_TICK_S = 0.1
Plan = Callable[[Any, Any], Sequence[Any]]  # of a step: values and a Reading in, proposals out


class PlanCancelledError(Exception):
    """The plan was cancelled."""


def plan_in_child(plan: Plan, loaded: object, context: object, is_cancelled: Callable[[], bool]) -> Sequence[Any]:
    """As `Planner.plan`, in a process for this plan alone."""
    with Planner() as planner:
        return planner.plan(plan, loaded, context, is_cancelled)


class Planner:
    """One process for all plans of a run, because a process takes a second to begin; it begins with the first. Ends with its context."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            with self._process:  # closes the pipes, waits
                self._process = None

    def plan(self, plan: Plan, loaded: object, context: object, is_cancelled: Callable[[], bool]) -> Sequence[Any]:
        """What `plan` answers. Raises PlanCancelledError, or RuntimeError with what the child said when it broke."""
        if self._process is None:
            words = [sys.executable, "-P", "-m", __name__]  # -P: never a package `app` of the folder we were started in
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        sent = pickle.dumps((plan, loaded, context), protocol=pickle.HIGHEST_PROTOCOL)
        return _talk(self._process, sent, is_cancelled)


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
    if not answer:
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


def _receive(pipe: BinaryIO, received: list[bytes]) -> None:
    """One message, or nothing where the other end is gone."""
    with contextlib.suppress(OSError):
        length = int.from_bytes(pipe.read(_LENGTH_BYTES), "big")
        read = pipe.read(length)
        if length and len(read) == length:
            received.append(read)


def _listen(pipe: BinaryIO, asked: "SimpleQueue[bytes]") -> None:
    """Whoever started this process is gone when the pipe ends: then it ends too, whatever it computes."""
    while True:
        received: list[bytes] = []
        _receive(pipe, received)
        if not received:
            os._exit(1)
        asked.put(received[0])


def main() -> None:
    """The child: questions and answers, one by one."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whoever prints does not spoil the answer
    asked: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(source, asked), daemon=True).start()
    while True:
        try:
            plan, loaded, context = pickle.loads(asked.get())  # noqa: S301 (our own parent)
            answer: tuple[bool, object] = True, tuple(plan(loaded, context))
        except Exception as error:  # noqa: BLE001 (told to the parent, which raises it)
            answer = False, f"{type(error).__name__}: {error}"
        _send(target, pickle.dumps(answer, protocol=pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main()
