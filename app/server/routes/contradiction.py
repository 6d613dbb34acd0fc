"""Contradictions over HTTP: the paths and bodies of [S4], and the way back. Owns field names only.

[S4] names its paths without a version: they and those under /v1 are the same routes. Source: S4 "API Endpoints", DESIGN section 6.
"""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.api import Engine
from app.server.routes.requests import RowId
from app.server.routes.routing import Routes
from app.values import Contradiction, ContradictionDetail, Resolution, ResolutionRequest, Scope


class ResolveBody(BaseModel):
    """`scope_a`, `scope_b`: where a side holds, for both_valid; `text`: the one text, for merged; `since`: when the loser ended."""

    model_config = ConfigDict(extra="forbid")
    resolution: Resolution
    note: str = Field("", max_length=1_000)
    text: str = Field("", max_length=20_000)
    scope_a: str = Field("", max_length=120)
    scope_b: str = Field("", max_length=120)
    since: AwareDatetime | None = None

    def to_request(self) -> ResolutionRequest:
        return ResolutionRequest(self.resolution, self.note, self.text, self.scope_a, self.scope_b, self.since)


_ONE_S4 = "/contradictions/{contradiction_id}"  # as [S4] has it, without a version
_ONE = f"/v1{_ONE_S4}"
routes = Routes()


@routes("GET", "/v1/contradictions", Scope.READ, "List contradictions", also="/contradictions")
def list_contradictions(
    engine: Engine,
    status: Literal["open", "resolved", "dismissed", "all"] = "open",
    project: Annotated[str, Query(max_length=4_096)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> tuple[Contradiction, ...]:
    """Pairs of memories that cannot both be true: open ones first, by how much they matter, then resolved ones, newest first."""
    return engine.contradictions.list(status, project=project, limit=limit)


@routes("GET", _ONE, Scope.READ, "One contradiction", also=_ONE_S4)
def get_contradiction(engine: Engine, contradiction_id: RowId) -> ContradictionDetail:
    """Both sides in full, the suggestion, and what each answer would do."""
    return engine.contradictions.get(contradiction_id)


@routes("POST", f"{_ONE}/resolve", Scope.ADMIN, "Resolve one", also=f"{_ONE_S4}/resolve")
def resolve_contradiction(engine: Engine, contradiction_id: RowId, body: ResolveBody) -> Contradiction:
    """The person's answer: a_wins, b_wins, both_valid, merged or dismissed. One entry of the journal, one undo."""
    return engine.contradictions.resolve(contradiction_id, body.to_request())


@routes("POST", f"{_ONE}/reopen", Scope.ADMIN, "Open one again", also=f"{_ONE_S4}/reopen")
def reopen_contradiction(engine: Engine, contradiction_id: RowId) -> Contradiction:
    """Opens it again: it waits for the person to decide."""
    return engine.contradictions.reopen(contradiction_id)
