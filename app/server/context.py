"""What every route needs at hand: the engine, its threads, the feed of changes and the shared secret.

One per server, handed to each request. Knows nothing of requests.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from starlette.requests import Request

from app.server.batcher import CaptureBatcher
from app.server.callers import Caller, Callers
from app.server.changes_feed import ChangesFeed
from app.server.offload import Offload

if TYPE_CHECKING:
    from app.api import Engine


@dataclass(frozen=True, slots=True)
class ServerContext:
    engine: "Engine"
    offload: Offload
    batcher: CaptureBatcher
    feed: ChangesFeed
    callers: Callers
    secret: str
    is_in_process: bool = False  # asked by a command line of this process, through no socket


def context_of(request: Request) -> ServerContext:
    return cast(ServerContext, request.state.context)


def engine_of(request: Request) -> "Engine":
    return context_of(request).engine


def caller_of(request: Request) -> Caller:
    return cast(Caller, request.state.caller)
