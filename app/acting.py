"""Which app acts in this context of execution, when it is not the person: the journal names it.

Set by whoever knows the caller, read by the store. Follows a call into threads that are started with its context.
Source: DESIGN section 1 "app", "journal".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_APP: ContextVar[str] = ContextVar("acting_app", default="")


def acting_app() -> str:
    """The name of the app that acts, "" for the person and the engine itself.

    >>> with acting_as("codex"):
    ...     acting_app()
    'codex'
    >>> acting_app()
    ''
    """
    return _APP.get()


@contextmanager
def acting_as(app: str) -> Iterator[None]:
    """What is done inside is done by this app."""
    token = _APP.set(app)
    try:
        yield
    finally:
        _APP.reset(token)
