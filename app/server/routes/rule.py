"""Rules over HTTP: what conversations taught (rules, workflows, code patterns) seen, edited, switched off, purged; the knowledge graph as a
file; and what is never captured.

The person's only: exclusions name what nobody shall read. Owns parameter names only; every act is one call of the engine.
Source: S1 Tier 2, S4 "Workflows", issues 17 and 18, UX 4.10.
"""

from dataclasses import dataclass

from starlette.responses import Response

from app.api import Engine
from app.server.routes.requests import ExclusionBody, ExclusionTestBody, KnowledgeBody, PracticePatch, RowId, RulePatch
from app.server.routes.routing import Routes
from app.values import ExclusionRule, MemoryKind, Scope
from app.values.rules import LearnedRule, Practice, PracticePart, RuleKind

_ONE_PRACTICE = "/v1/practices/{practice_id}"


@dataclass(frozen=True, slots=True)
class PurgedRules:
    purged: int


@dataclass(frozen=True, slots=True)
class TakenRules:
    added: int
    changed: int


_ALL = "/v1/rules"
_FILE = "/v1/knowledge-graph"
routes = Routes()


@routes("GET", "/v1/workflows", Scope.ADMIN, "List workflows")
def list_workflows(engine: Engine) -> tuple[Practice, ...]:
    """Steps that are repeated in the same order: commands, trigger, how often they were seen and how often they went well."""
    return engine.rules.practices(MemoryKind.WORKFLOW)


@routes("GET", "/v1/patterns", Scope.ADMIN, "List code patterns")
def list_patterns(engine: Engine) -> tuple[Practice, ...]:
    """Code patterns that recur in a project: template, trigger, hint, examples as path and line."""
    return engine.rules.practices(MemoryKind.PATTERN)


@routes("GET", _ONE_PRACTICE, Scope.ADMIN, "A workflow or code pattern")
def get_practice(engine: Engine, practice_id: RowId) -> Practice:
    """One workflow or code pattern in full."""
    return engine.rules.practice(practice_id)


@routes("PATCH", _ONE_PRACTICE, Scope.ADMIN, "Edit a workflow or code pattern")
def patch_practice(engine: Engine, practice_id: RowId, body: PracticePatch) -> None:
    """Edits one, or switches it on or off."""
    rules = engine.rules
    if (body.title, body.trigger, body.parts) != (None, None, None):
        parts = None if body.parts is None else [PracticePart(one.name, one.content) for one in body.parts]
        rules.edit_practice(practice_id, title=body.title, trigger=body.trigger, parts=parts)
    if body.is_on is not None:
        rules.switch_practices([practice_id], is_on=body.is_on)


@routes("DELETE", _ONE_PRACTICE, Scope.ADMIN, "Archive a workflow or code pattern")
def purge_practice(engine: Engine, practice_id: RowId) -> None:
    """Archives one: it is not learned again; can be undone."""
    engine.rules.purge_practices([practice_id])


@routes("GET", _ALL, Scope.ADMIN, "List learned rules")
def list_rules(engine: Engine, kind: RuleKind | None = None) -> tuple[LearnedRule, ...]:
    """What conversations taught, the surest first: confidence, times seen, last seen, how often it changed what was understood."""
    return engine.rules.learned(kind)


@routes("DELETE", _ALL, Scope.ADMIN, "Purge learned rules")
def purge_rules(engine: Engine, kind: RuleKind | None = None) -> PurgedRules:
    """Removes all rules, or those of a kind; can be undone."""
    return PurgedRules(engine.rules.purge(kind=kind))


@routes("PATCH", f"{_ALL}/{{rule_id}}", Scope.ADMIN, "Edit a learned rule")
def patch_rule(engine: Engine, rule_id: RowId, body: RulePatch) -> None:
    """Edits a rule, or switches it on or off."""
    rules = engine.rules
    if body.is_on is not None:
        rules.switch([rule_id], is_on=body.is_on)
    if (body.pattern, body.intents, body.confidence, body.lookback) != (None, None, None, None):
        rules.edit(
            rule_id, pattern=body.pattern, intents=body.intents, confidence=body.confidence, lookback=body.lookback
        )


@routes("DELETE", f"{_ALL}/{{rule_id}}", Scope.ADMIN, "Purge a learned rule")
def purge_rule(engine: Engine, rule_id: RowId) -> None:
    """Removes one rule; can be undone."""
    engine.rules.purge([rule_id])


@routes("GET", _FILE, Scope.ADMIN, "The knowledge graph as a file", media_type="application/yaml")
def get_knowledge_graph(engine: Engine) -> Response:
    """`knowledge-graph.yaml`, in the seed's shape."""
    written = engine.rules.knowledge_graph()
    return Response(written, media_type="application/yaml; charset=utf-8")


@routes("POST", _FILE, Scope.ADMIN, "Read a knowledge graph")
def post_knowledge_graph(engine: Engine, body: KnowledgeBody) -> TakenRules:
    """Imports such a file."""
    taken = engine.rules.take_knowledge_graph(body.yaml.encode("utf-8"))
    return TakenRules(*taken)


@dataclass(frozen=True, slots=True)
class MadeExclusion:
    id: int


@dataclass(frozen=True, slots=True)
class ExclusionVerdict:
    is_excluded: bool


_EXCLUSIONS = "/v1/exclusions"


@routes("GET", _EXCLUSIONS, Scope.ADMIN, "List exclusion rules")
def list_exclusions(engine: Engine) -> tuple[ExclusionRule, ...]:
    """What is never captured, with how much each rule kept out."""
    return engine.rules.exclusions()


@routes("POST", _EXCLUSIONS, Scope.ADMIN, "Exclude", status=201)
def add_exclusion(engine: Engine, body: ExclusionBody) -> MadeExclusion:
    """From now on nothing from this folder, or with these words, is captured; what is stored stays."""
    return MadeExclusion(engine.rules.exclude(body.kind, body.text))


@routes("POST", f"{_EXCLUSIONS}/test", Scope.ADMIN, "Test exclusion")
def check_exclusion(engine: Engine, body: ExclusionTestBody) -> ExclusionVerdict:
    """Whether a message with this text, typed in this folder, would be kept out. Keeps and counts nothing."""
    is_excluded = engine.rules.is_excluded(body.text, folder=body.folder)
    return ExclusionVerdict(is_excluded)


@routes("DELETE", f"{_EXCLUSIONS}/{{rule_id}}", Scope.ADMIN, "Remove an exclusion")
def remove_exclusion(engine: Engine, rule_id: RowId) -> None:
    """Removes an exclusion rule."""
    engine.rules.remove_exclusion(rule_id)
