"""Exclusion rules over HTTP: only the person sees and changes them, since they name what nobody shall read.

Owns parameter names only; every act is one call of the engine. Source: UX 4.10.
"""

from dataclasses import dataclass

from app.api import Engine
from app.server.routes.requests import ExclusionBody, ExclusionTestBody, RowId
from app.server.routes.routing import Routes
from app.values import ExclusionRule, Scope


@dataclass(frozen=True, slots=True)
class MadeExclusion:
    id: int


@dataclass(frozen=True, slots=True)
class ExclusionVerdict:
    is_excluded: bool


_ALL = "/v1/exclusions"
routes = Routes()


@routes("GET", _ALL, Scope.ADMIN, "List exclusion rules")
def list_exclusions(engine: Engine) -> tuple[ExclusionRule, ...]:
    """What is never captured, with how much each rule kept out."""
    return engine.rules.exclusions()


@routes("POST", _ALL, Scope.ADMIN, "Exclude", status=201)
def add_exclusion(engine: Engine, body: ExclusionBody) -> MadeExclusion:
    """From now on nothing from this folder, or with these words, is captured; what is stored stays."""
    return MadeExclusion(engine.rules.exclude(body.kind, body.text))


@routes("POST", f"{_ALL}/test", Scope.ADMIN, "Test exclusion")
def check_exclusion(engine: Engine, body: ExclusionTestBody) -> ExclusionVerdict:
    """Whether a message with this text, typed in this folder, would be kept out. Keeps and counts nothing."""
    is_excluded = engine.rules.is_excluded(body.text, folder=body.folder)
    return ExclusionVerdict(is_excluded)


@routes("DELETE", f"{_ALL}/{{rule_id}}", Scope.ADMIN, "Remove an exclusion")
def remove_exclusion(engine: Engine, rule_id: RowId) -> None:
    """Removes an exclusion rule."""
    engine.rules.remove_exclusion(rule_id)
