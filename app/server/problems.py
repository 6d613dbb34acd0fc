"""Turns errors into `application/problem+json` answers: the only place where the socket words a failure.

Knows the two families of `app.errors` and nothing of routes. Source: RFC 9457, STYLE errors.
"""

import logging
from collections.abc import Mapping

from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.errors import (
    AmbiguousError,
    DiskProblem,
    EnvironmentProblem,
    ForbiddenError,
    NotFoundError,
    RemanenceError,
    StaleError,
)

log = logging.getLogger(__name__)

PROBLEM_TYPE = "application/problem+json"

_TITLES = {
    400: "Not readable",
    401: "Token needed",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported content",
    421: "Wrong host",
    422: "Not valid",
    500: "A fault in Remanence",
    503: "Not possible now",
    507: "Disk trouble",
}
_STATUS_OF: tuple[tuple[type[RemanenceError], int], ...] = (
    (NotFoundError, 404),
    (StaleError, 409),
    (AmbiguousError, 409),
    (ForbiddenError, 403),
    (DiskProblem, 507),
    (EnvironmentProblem, 503),
)


class Refusal(RemanenceError):
    """A request that the socket itself refuses, before the engine hears of it."""

    def __init__(
        self, status: int, code: str, detail: str, *, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail, hint=hint)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    hint: str = "",
    headers: Mapping[str, str] | None = None,
    candidates: tuple[str, ...] = (),
) -> Response:
    """The answer for one failure; `code` is stable, `detail` and `hint` are for people."""
    body: dict[str, object] = {
        "type": f"urn:remanence:problem:{code}",
        "title": _TITLES.get(status, "Refused"),
        "status": status,
        "detail": detail,
        "hint": hint,
        "code": code,
    }
    if candidates:
        body["candidates"] = candidates
    return Response(to_json(body), status, headers=headers, media_type=PROBLEM_TYPE)


def problem_of(error: RemanenceError) -> Response:
    """The answer for an error of ours: family decides the status, `code` is passed on."""
    if isinstance(error, Refusal):
        return problem(error.status, error.code, str(error), hint=error.hint, headers=error.headers)
    status = next((status for family, status in _STATUS_OF if isinstance(error, family)), 422)
    candidates = error.candidates if isinstance(error, AmbiguousError) else ()
    return problem(status, error.code, str(error), hint=error.hint, candidates=candidates)


async def on_remanence_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RemanenceError)
    return problem_of(error)


async def on_http_error(_request: Request, error: Exception) -> Response:
    """Routing's own refusals: unknown path, wrong method."""
    assert isinstance(error, HTTPException)
    detail = {404: "There is nothing at this address.", 405: "This address does not know that method."}
    text = detail.get(error.status_code, str(error.detail))
    code = {404: "not_found", 405: "method"}.get(error.status_code, "refused")
    return problem(error.status_code, code, text, hint="GET /openapi.json lists what there is.", headers=error.headers)


async def on_bug(request: Request, error: Exception) -> Response:
    log.error("Unexpected error in %s %s", request.method, request.url.path, exc_info=error)
    return problem(
        500, "bug", "Something went wrong inside Remanence.", hint="The log file has the details; please report them."
    )


def explain(errors: object) -> str:
    """One sentence from pydantic's list of errors, at most three places named."""
    found = errors if isinstance(errors, list | tuple) else []
    parts = []
    for entry in found[:3]:
        place = ".".join(str(part) for part in entry.get("loc", ())) or "request"
        parts.append(f"{place}: {str(entry.get('msg', 'not valid')).removeprefix('Value error, ')[:200]}")
    return "The request is not valid: " + "; ".join(parts) + "."
