"""Who acts in this context of execution, when it is not the person: the journal names it, the store asks what it may.

Set by whoever knows the caller, read by the store. Follows a call into threads that are started with its context.
Source: DESIGN section 1 "app", "journal".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A program with a token of its own. The person at the window and at the command line is no actor.

    `projects`: the folders of the only projects that it may read and change; empty: all of them.
    """

    app: str
    is_admin: bool = False
    may_write: bool = False
    projects: tuple[str, ...] = ()


_ACTOR: ContextVar[Actor | None] = ContextVar("actor", default=None)


def actor() -> Actor | None:
    """The program that acts; None for the person and the engine itself.

    >>> with acting_as(Actor("codex")):
    ...     actor()
    Actor(app='codex', is_admin=False, may_write=False, projects=())
    >>> actor() is None
    True
    """
    return _ACTOR.get()


def program() -> Actor | None:
    """The program that acts, if it is an assistant or a tool; None for the person and for what holds the person's own token."""
    who = actor()
    return who if who is not None and not who.is_admin else None


def bound_actor() -> Actor | None:
    """The program that acts, if its token is bound to projects."""
    who = actor()
    return who if who is not None and who.projects else None


@contextmanager
def acting_as(who: Actor | None) -> Iterator[None]:
    """What is done inside is done by this program."""
    token = _ACTOR.set(who)
    try:
        yield
    finally:
        _ACTOR.reset(token)
