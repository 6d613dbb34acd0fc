"""Health without a token, and the proof for hooks: what is asked before anything else, so FastAPI is not needed for it.

Owns the shape of a nonce. Source: DESIGN section 6, QUALITY S5.
"""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from app.api import hello_proof
from app.server.context import context_of
from app.server.routes.routing import RouteSpec, answer

_NONCE = r"^[A-Za-z0-9_-]{16,128}$"
_PLAIN_QUERY = re.compile(r"nonce=([A-Za-z0-9_-]{16,128})")


@dataclass(frozen=True, slots=True)
class Alive:
    status: str


async def get_healthz() -> Response:
    """Says that the server is there, and nothing else."""
    return answer(Alive("ok"))


async def get_hello(request: Request, nonce: Annotated[str, Field(pattern=_NONCE)]) -> Response:
    """Proves that we wrote the endpoint file, so that a hook gives its token to no stranger."""
    line = f"proof {hello_proof(context_of(request).secret, nonce)}\n"
    return Response(line.encode("ascii"), media_type="text/plain")


async def answer_healthz(request: Request) -> Response | None:
    """The answer for anybody who asks plainly; None leaves it to FastAPI to say what is wrong."""
    return None if request.scope["query_string"] else await get_healthz()


async def answer_hello(request: Request) -> Response | None:
    """The proof for a nonce alone, as hooks send it; None leaves the rest to FastAPI."""
    plain = _PLAIN_QUERY.fullmatch(request.scope["query_string"].decode("latin-1"))
    return await get_hello(request, plain[1]) if plain else None


ROUTES = (
    RouteSpec("GET", "/healthz", None, get_healthz, "Alive", Alive),
    RouteSpec("GET", "/v1/hello", None, get_hello, "Prove who listens", media_type="text/plain"),
)
