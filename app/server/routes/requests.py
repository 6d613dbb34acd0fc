"""The bodies of requests, as pydantic models: they validate and they are the OpenAPI description.

Field names are the words of DESIGN; the names of INTEROP section 13 are taken as well. Knows no engine.
"""

import hashlib
import uuid
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, AwareDatetime, BaseModel, ConfigDict, Field

from app.values import CaptureRequest, EventKind, ExclusionKind, Intent, Outcome, Scope
from app.values.consolidation import Habit
from app.values.graph import Relation

MAX_EVENT_COUNT = 1_000

Wait = Literal["durable", "understood"]
ShortText = Annotated[str, Field(max_length=512)]
PathText = Annotated[str, Field(max_length=4_096)]
RowId = Annotated[int, Field(ge=0, lt=2**63)]  # what SQLite can hold
AppName = Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9][a-z0-9._-]*$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def _also(*names: str) -> Any:
    return AliasChoices(*names)


class EventBody(_Body):
    """One event. Without `key`, `prompt_id`, `turn_id` and `at`, the same text twice is two events.

    `project` is a folder, or the name of a project that is known; `project_root` and `cwd` are folders. An assistant's
    own fields are for `/v1/hook/…`: here an unknown one is a mistake.
    """

    app: AppName | Literal[""] = Field("", validation_alias=_also("app", "assistant"))
    kind: EventKind = Field(EventKind.PROMPT, validation_alias=_also("kind", "event"))
    key: ShortText = ""
    session: ShortText = Field("", validation_alias=_also("session", "session_id"))
    text: str = Field("", validation_alias=_also("text", "prompt"))
    at: AwareDatetime | None = Field(None, validation_alias=_also("at", "timestamp"))
    cwd: PathText = ""
    project: PathText = ""
    project_root: PathText = ""
    source: ShortText = ""
    git_branch: ShortText = ""
    transcript_path: PathText = ""
    agent_id: ShortText = ""
    prompt_id: ShortText = ""
    turn_id: ShortText = ""
    payload: dict[str, Any] = Field(default_factory=dict)

    def to_request(self, app: str, folder: str = "") -> CaptureRequest:
        """The request as this app's. `folder`: of the project that is given by its name."""
        return CaptureRequest(
            app=app,
            kind=self.kind,
            key=self.key or self._derived_key(),
            session=self.session,
            text=self.text,
            at=self.at,
            cwd=self.cwd,
            project_root=self.project_root or folder or self.project,
            git_branch=self.git_branch,
            transcript_path=self.transcript_path,
            agent_id=self.agent_id,
            payload={"source": self.source, **self.payload} if self.source else self.payload,
        )

    def _derived_key(self) -> str:
        mark = self.prompt_id or self.turn_id or (_instant(self.at) if self.at else "")
        if not mark:
            return uuid.uuid4().hex  # "yes" said twice is two messages
        parts = f"{self.session}\0{mark}\0{self.kind.value}\0{self.text}"
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def _instant(at: datetime) -> str:
    return str(at.timestamp())


class EventsBody(_Body):
    """Many events at once, in order."""

    events: list[EventBody] = Field(min_length=1, max_length=MAX_EVENT_COUNT)
    wait: Wait = "understood"


class OneEventBody(EventBody):
    """One event, not wrapped in a list."""

    wait: Wait = "understood"


class ConversationPatch(_Body):
    title: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    outcome: Outcome | None = None


class ClarifyBody(_Body):
    message_id: RowId
    is_new: bool


class EndBody(_Body):
    outcome: Outcome | None = None


class SplitBody(_Body):
    message_id: RowId


class MergeBody(_Body):
    into: RowId


class WindowBody(_Body):
    """One message for the window. What is said of it holds; what is left out is found."""

    text: str = Field(min_length=1)
    session: ShortText = Field("", validation_alias=_also("session", "session_id"))
    project: PathText = ""
    intents: list[Intent] = Field(default_factory=list, max_length=len(Intent))
    context_ref: Annotated[str, Field(max_length=256)] = ""


class MessagePatch(_Body):
    intents: list[Intent] = Field(max_length=len(Intent))


class ReferenceBody(_Body):
    antecedent: Annotated[str, Field(min_length=1, max_length=1_000)]
    antecedent_message_id: RowId | None = None


class UndoBody(_Body):
    operation_id: RowId | None = None


class ExclusionBody(_Body):
    """What is never captured: a folder as a whole path, or words."""

    kind: ExclusionKind
    text: Annotated[str, Field(min_length=1, max_length=1_000)]


class PartBody(_Body):
    name: Annotated[str, Field(min_length=1, max_length=60)]
    content: Annotated[str, Field(max_length=300)] = ""


class PracticePatch(_Body):
    """What of a workflow or code pattern changes."""

    is_on: bool | None = None
    title: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    trigger: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    parts: Annotated[list[PartBody], Field(min_length=2, max_length=20)] | None = None


class RulePatch(_Body):
    """What of a learned rule changes."""

    is_on: bool | None = None
    pattern: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    intents: Annotated[list[Intent], Field(min_length=1, max_length=9)] | None = None
    confidence: Annotated[float, Field(gt=0, le=1)] | None = None
    lookback: Annotated[int, Field(ge=1, le=100)] | None = None


class KnowledgeBody(_Body):
    """The text of a `knowledge-graph.yaml`."""

    yaml: Annotated[str, Field(max_length=5_000_000)]


class ExclusionTestBody(_Body):
    text: Annotated[str, Field(max_length=100_000)] = ""
    folder: PathText = ""


class AppBody(_Body):
    name: AppName
    title: Annotated[str, Field(min_length=1, max_length=100)]
    scopes: list[Scope] = Field(min_length=1)


class PauseBody(_Body):
    until: AwareDatetime | None = None


class KeepBody(_Body):
    keeps_answers: bool


class ProjectsBody(_Body):
    """Folders or names of projects; none: all of them."""

    projects: list[PathText] = Field(max_length=100)


class SettingBody(_Body):
    value: bool | int | float | str


class ImportBody(_Body):
    source: Annotated[str, Field(max_length=64)] = ""
    path: PathText


class ExportBody(_Body):
    kind: Literal["history", "context", "memories", "episodes", "conversations", "chunks", "prompts"]
    path: PathText
    is_replacing: bool = False


class ArchiveBody(_Body):
    """`confirmed_count`: how many prompts the person was shown that this deletes for good."""

    archive: Literal["off", "90d", "1y", "forever"]
    confirmed_count: RowId = 0
    includes_backups: bool = False


class GraphExportBody(_Body):
    """`path` ends in .graphml, .canvas or .json, or is a folder that exists."""

    around: Annotated[str, Field(min_length=1, max_length=4_000)]
    path: Annotated[str, Field(min_length=1, max_length=4_000)]
    depth: Annotated[int, Field(ge=1, le=4)] = 2
    is_replacing: bool = False


class GraphLinkBody(_Body):
    """A link that the person draws; the ends as in memory:42 or file:src/a.py."""

    from_id: Annotated[str, Field(min_length=1, max_length=4_000)]
    to_id: Annotated[str, Field(min_length=1, max_length=4_000)]
    relation: Relation = Relation.RELATED_TO
    strength: Annotated[float, Field(ge=0, le=1)] = 0.8
    reason: Annotated[str, Field(max_length=300)] = ""


class GraphMergeBody(_Body):
    """Two names that mean one thing, by their numbers: the mentions of the one that goes become those of the one that stays."""

    keep_id: RowId
    gone_id: RowId


class GraphUnmergeBody(_Body):
    """A name that was merged into another."""

    name: Annotated[str, Field(min_length=1, max_length=4_000)]


class GraphVerdictBody(_Body):
    """What the person says about a link: whether it holds."""

    from_id: Annotated[str, Field(min_length=1, max_length=4_000)]
    to_id: Annotated[str, Field(min_length=1, max_length=4_000)]
    relation: Relation
    is_accepted: bool


class JudgeBody(_Body):
    """Which unread prompts: of one project, by folder or name; from an instant on. `dry_run`: only what would be sent.

    With `references_of` instead what the words of that conversation point at; with `levels` shorter wordings of what is long.
    """

    project: PathText = ""
    since: AwareDatetime | None = None
    dry_run: bool = False
    references_of: int | None = None
    levels: bool = False


class JudgeChoiceBody(_Body):
    """Who reads along from now on, by the `id` of a choice; "" for nobody."""

    id: Annotated[str, Field(max_length=100)]


class ConsolidateBody(_Body):
    """S4's own form."""

    dry_run: bool = False


class HabitBody(_Body):
    """Of a step and a kind, as the actions of a run name them."""

    step: Annotated[str, Field(min_length=1, max_length=64)]
    kind: Annotated[str, Field(min_length=1, max_length=64)]
    habit: Habit


class DecideActionsBody(_Body):
    ids: Annotated[list[int], Field(min_length=1, max_length=1_000)]
    is_accepted: bool


class BackupBody(_Body):
    reason: Annotated[str, Field(max_length=100)] = "by hand"


class RestoreBody(_Body):
    path: PathText
