"""The hook's patience, loaded only when stdin came late: a child that waits for the rest and spools it.

The assistant has gone on by then, so there is nobody to answer and the engine is not asked: it would keep a receipt of a
context that nobody got. `remanence_hook.py` hands itself in. Source: QUALITY P4, R13.
"""

TYPE_CHECKING = False  # as in `remanence_hook.py`
if TYPE_CHECKING:
    from types import ModuleType

    from app.hook.remanence_hook import Event

LATE_S = 10.0  # without a byte; hosts give a hook five seconds
LATE_WATCHDOG_S = 60.0


def finish(event: "Event", state: str, hook: "ModuleType") -> None:
    """Reads on until the input is whole, closed or silent for good, and keeps what came."""
    import _signal  # type: ignore[import-not-found]

    hook.ignore_signals()
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, LATE_WATCHDOG_S)
    hook.read_stdin(event, LATE_S)
    if event.body:
        hook.keep(event, state)
