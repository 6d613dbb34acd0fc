"""R18: a signal ends `serve` at whatever line of its waiting it comes."""

import subprocess
import sys
import textwrap

import pytest

from tests.patience import PATIENCE_S

SIGNAL_AT_EACH_LINE = textwrap.dedent(
    """
    import os, signal, sys, threading
    from app.cli import serve

    def wait_with_signal_at(line, stop):
        seen = 0

        def trace(frame, event, _argument):
            nonlocal seen
            if event == "line":
                seen += 1
                if seen == line:
                    os.kill(os.getpid(), signal.SIGTERM)
            return trace

        sys.settrace(trace)
        stop.wait()
        sys.settrace(None)

    class Event(threading.Event):
        ask = threading.Event.set

    stop = Event() if sys.argv[1:] == ["event"] else serve.Stop()
    serve._stop_on_signals(stop)
    for line in range(1, 8):
        late = threading.Timer(0.2, stop.ask)  # when the waiting has fewer lines than that
        late.start()
        wait_with_signal_at(line, stop)
        late.cancel()
    print("ended")
    """
)

SIGNAL_FOR_ANOTHER_THREAD = textwrap.dedent(
    """
    import queue, signal, sys, threading, time
    from app.cli import serve

    class Queue(queue.SimpleQueue):
        def ask(self):
            self.put(None)

        wait = queue.SimpleQueue.get

    stop = Queue() if sys.argv[1:] == ["queue"] else serve.Stop()
    serve._stop_on_signals(stop)

    def get_signal():
        time.sleep(0.3)  # until the main thread sleeps
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        time.sleep(20)

    threading.Thread(target=get_signal, daemon=True).start()
    stop.wait()
    print("ended")
    """
)


def run(*arguments: str, script: str = SIGNAL_AT_EACH_LINE, patience_s: float = PATIENCE_S) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=patience_s,
        check=True,
    )
    return done.stdout


def test_a_signal_at_any_line_of_waiting_ends_it() -> None:
    assert run() == "ended\n"


def test_an_event_would_wait_for_its_own_lock() -> None:  # shows that the test above can fail
    with pytest.raises(subprocess.TimeoutExpired):
        run("event", patience_s=4)


def test_a_signal_that_another_thread_gets_ends_it() -> None:
    assert run(script=SIGNAL_FOR_ANOTHER_THREAD) == "ended\n"


def test_a_queue_would_not_be_woken_by_it() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run("queue", script=SIGNAL_FOR_ANOTHER_THREAD, patience_s=4)
