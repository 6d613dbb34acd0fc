"""Every number and switch that steers behaviour: default, unit, range, text and source, once.

The settings page, environment variables, config file, validation and the reference table come from here.
Order: defaults < config file < `REMANENCE_*` environment < flags. Owns no reading of rule files.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from app.errors import InvalidError
from app.places import write_private

_HINT = "remanence info --settings lists all options with their ranges."

ASK_BELOW = 0.56  # asks about 3 % of the messages of real sessions; S1's 0.70 would ask about 7 %


class Group(StrEnum):
    GENERAL = "General"
    CAPTURE = "Capture"
    QUEUE = "Queue"
    UNDERSTANDING = "Understanding"
    MEMORY = "Memory"
    CONTEXT = "Context"
    DATA = "Data"
    ADVANCED = "Advanced"


def _option(
    default: Any,
    group: Group,
    title: str,
    text: str,
    *,
    unit: str = "",
    source: str = "",
    restart: bool = False,
    **bounds: Any,
) -> Any:
    extra: dict[str, Any] = {"group": group.value, "unit": unit, "source": source, "restart": restart}
    return Field(default=default, title=title, description=text, json_schema_extra=extra, **bounds)


class Settings(BaseModel):
    """One immutable set of settings. Unknown names are refused with the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    theme: Literal["system", "light", "dark"] = _option(
        "system", Group.GENERAL, "Theme", "Light, dark, or as the system says.", source="UX 5"
    )
    font_percent: int = _option(
        100,
        Group.GENERAL,
        "Text size",
        "Size of all text in the window.",
        unit="%",
        ge=90,
        le=150,
        source="UX 4.10",
    )
    is_motion_reduced: bool = _option(
        False, Group.GENERAL, "Reduced motion", "No moving or fading parts.", source="UX 5"
    )
    first_start_done: bool = _option(
        False,
        Group.GENERAL,
        "First start done",
        "The welcome steps have been seen; switch off to see them again.",
    )

    port: int = _option(
        8765,
        Group.CAPTURE,
        "Port",
        "First choice on 127.0.0.1; a free one is taken when it is in use.",
        ge=1024,
        le=65535,
        restart=True,
        source="DESIGN 6",
    )
    max_message_bytes: int = _option(
        10_485_760,
        Group.CAPTURE,
        "Largest message",
        "A larger request is refused.",
        unit="bytes",
        ge=65_536,
        le=104_857_600,
        source="QUALITY R8",
    )
    request_deadline_s: float = _option(
        5.0,
        Group.CAPTURE,
        "Request deadline",
        "A request that is not complete by then is closed.",
        unit="s",
        ge=1,
        le=30,
        source="QUALITY R11",
    )
    understand_wait_s: float = _option(
        1.0,
        Group.CAPTURE,
        "Wait for understanding",
        "How long an answer on the socket waits for boundary and references before it says 'pending'.",
        unit="s",
        ge=0,
        le=10,
    )
    max_attempts: int = _option(
        3,
        Group.CAPTURE,
        "Attempts",
        "So often a failing event is tried before it is shown as failed.",
        ge=1,
        le=20,
    )
    is_redacting: bool = _option(
        True,
        Group.CAPTURE,
        "Remove secrets",
        "Passwords, tokens and keys are replaced before anything is written.",
        source="QUALITY S6",
    )
    is_subagent_kept: bool = _option(
        False, Group.CAPTURE, "Keep sub-agent prompts", "Prompts that one assistant writes for another."
    )

    queue_size: int = _option(
        20, Group.QUEUE, "Conversations kept", "Whole conversations in the queue.", ge=3, le=100, source="S1"
    )
    window_messages: int = _option(
        10,
        Group.QUEUE,
        "Reference window",
        "So many of the last messages references may look at.",
        ge=1,
        le=50,
        source="S2",
    )
    window_age_s: int = _option(
        7_200,
        Group.QUEUE,
        "Age of the reference window",
        "What `remanence window load` shows is not older than this.",
        unit="s",
        ge=60,
        le=86_400,
        source="S2",
    )
    idle_pause_s: int = _option(
        14_400,
        Group.QUEUE,
        "Idle until paused",
        "An active conversation of an earlier session pauses after this long without a message; "
        "only paused and ended ones leave the queue.",
        unit="s",
        ge=600,
        le=2_592_000,
        source="S1, time gap",
    )

    ask_below: float = _option(
        ASK_BELOW,
        Group.UNDERSTANDING,
        "Ask below",
        "A boundary less sure than this is asked about, not guessed. Higher asks more often, 0.5 hardly ever.",
        ge=0.5,
        le=0.95,
        source="S1, clarification",
    )
    is_learning_from_corrections: bool = _option(
        True,
        Group.UNDERSTANDING,
        "Learn from corrections",
        "Your corrections of intents and boundaries change later judgements.",
        source="S1",
    )

    is_learning_memories: bool = _option(
        True,
        Group.MEMORY,
        "Learn memories",
        "What you say about your project becomes memories. Off: only those that you write are kept.",
        source="S3",
    )
    promote_at: float = _option(
        0.7,
        Group.MEMORY,
        "Keep without asking",
        "A statement at least this sure becomes a memory by itself; a less sure one waits in the review inbox.",
        ge=0,
        le=1,
        source="S3, fact lifecycle",
    )
    propose_at: float = _option(
        0.5,
        Group.MEMORY,
        "Propose",
        "A statement less sure than this is not even proposed.",
        ge=0,
        le=1,
        source="S3, fact lifecycle",
    )
    decay_half_life_days: int = _option(
        30,
        Group.MEMORY,
        "Half-life",
        "After so many days without use a memory counts half; every use lifts it again.",
        unit="days",
        ge=1,
        le=3_650,
        source="S3, decay function",
    )
    recall_recipe: str = _option(
        "gated",
        Group.MEMORY,
        "Recall recipe",
        "How relevance, age, importance and use are weighed when memories are looked up.",
        source="S3, retrieval weights",
    )
    recent_messages: int = _option(
        20,
        Group.MEMORY,
        "Recent messages",
        "So many messages of a conversation stay as they are; older ones are summed up in chunks.",
        unit="messages",
        ge=5,
        le=200,
        source="S3, chunking strategy",
    )
    chunk_messages: int = _option(
        10,
        Group.MEMORY,
        "Messages in a chunk",
        "So many of the oldest messages become one chunk with a summary and its topics.",
        unit="messages",
        ge=2,
        le=100,
        source="S3, chunking strategy",
    )
    max_chunks: int = _option(
        25,
        Group.MEMORY,
        "Chunks of a conversation",
        "Beyond that the two oldest are merged.",
        ge=2,
        le=500,
        source="S3, chunk compression",
    )

    is_giving_context: bool = _option(
        True,
        Group.CONTEXT,
        "Tell assistants",
        "Off: nothing is handed out; capturing goes on.",
        source="DESIGN 1",
    )
    context_tokens: int = _option(
        8_000,
        Group.CONTEXT,
        "Budget",
        "An assistant that asks gets at most so much.",
        unit="tokens",
        ge=500,
        le=32_000,
        source="S4",
    )
    hook_tokens: int = _option(
        2_000,
        Group.CONTEXT,
        "Budget of a hook",
        "So much goes along with a session start or a prompt; the host cuts what is longer than 10,000 characters.",
        unit="tokens",
        ge=100,
        le=2_400,
        source="INTEROP, rule 2",
    )
    receipt_days: int = _option(
        30,
        Group.CONTEXT,
        "Receipts kept",
        "What was told to whom can be looked up for so long.",
        unit="days",
        ge=1,
        le=365,
        source="DESIGN 4",
    )

    backup_interval_s: int = _option(
        1_800,
        Group.DATA,
        "Backup every",
        "If something changed.",
        unit="s",
        ge=300,
        le=604_800,
        source="QUALITY R5",
    )
    backups_kept: int = _option(
        14, Group.DATA, "Backups kept", "Older ones are thinned: hourly, then daily.", ge=2, le=200
    )
    undo_days: int = _option(
        30,
        Group.DATA,
        "Undo reaches back",
        "After that, what undo needs is let go.",
        unit="days",
        ge=1,
        le=365,
        source="UX 2.3",
    )
    log_bytes: int = _option(
        2_000_000,
        Group.ADVANCED,
        "Log size",
        "Each of the three log files is at most so large.",
        unit="bytes",
        ge=100_000,
        le=100_000_000,
        restart=True,
    )
    import_batch: int = _option(
        200,
        Group.ADVANCED,
        "Import batch",
        "Messages per transaction while importing.",
        unit="messages",
        ge=10,
        le=5_000,
    )


@dataclass(frozen=True, slots=True)
class SettingCard:
    """One option as the settings page and the reference table show it."""

    name: str
    group: str
    title: str
    text: str
    kind: str  # bool, int, float, choice, text
    value: object
    default: object
    unit: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    source: str  # where the default comes from
    set_by: str  # default, file, environment, flag
    environment_name: str
    needs_restart: bool


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    settings: Settings
    set_by: Mapping[str, str]


def load_settings(
    config_path: Path, env: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> LoadedSettings:
    """Settings from file, environment and flags. Raises InvalidError naming option, value and place."""
    values: dict[str, object] = {}
    set_by: dict[str, str] = {}
    for source, found in (
        ("file", _read_file(config_path)),
        ("environment", _read_environment(os.environ if env is None else env)),
        ("flag", dict(flags or {})),
    ):
        for name, value in found.items():
            values[name] = value
            set_by[name] = source
    try:
        return LoadedSettings(Settings.model_validate(values), set_by)
    except ValidationError as error:
        raise InvalidError(_explain(error, set_by, config_path), hint=_HINT) from error


def save_setting(config_path: Path, name: str, value: object | None) -> None:
    """Writes one option into the config file, or takes it out when `value` is None."""
    kept = _read_file(config_path)
    kept.pop(name, None)
    if value is not None:
        kept[name] = value
    lines = ["# Written by Remanence. Options and ranges: remanence info --settings", ""]
    lines += [f"{key} = {_to_toml(entry)}" for key, entry in sorted(kept.items())]
    write_private(config_path, ("\n".join(lines) + "\n").encode())


def describe_settings(loaded: LoadedSettings) -> tuple[SettingCard, ...]:
    """One card per option, in the order of the model."""
    return tuple(_describe(name, info, loaded) for name, info in Settings.model_fields.items())


def check_setting(name: str, value: object, current: Settings) -> Settings:
    """`current` with one option changed. Raises InvalidError."""
    if name not in Settings.model_fields:
        raise InvalidError(f"There is no setting called {name!r}.", hint=_HINT)
    try:
        return Settings.model_validate({**current.model_dump(), name: value})
    except ValidationError as error:
        raise InvalidError(_explain(error, {name: "flag"}, Path()), hint=_HINT) from error


def _read_file(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        return dict(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidError(
            f"The settings file {path} cannot be read: {error}.", hint="Correct it or move it away."
        ) from error


def _read_environment(env: Mapping[str, str]) -> dict[str, object]:
    return {
        name: env[f"REMANENCE_{name.upper()}"] for name in Settings.model_fields if f"REMANENCE_{name.upper()}" in env
    }


def _explain(error: ValidationError, set_by: Mapping[str, str], config_path: Path) -> str:
    parts = []
    for detail in error.errors():
        name = str(detail["loc"][0]) if detail["loc"] else "settings"
        places = {"file": f" in {config_path}", "environment": f" in REMANENCE_{name.upper()}"}
        place = places.get(set_by.get(name, ""), "")
        if detail["type"] == "extra_forbidden":
            near = get_close_matches(name, Settings.model_fields, n=1)
            meant = f" (is {near[0]} meant?)" if near else ""
            parts.append(f"there is no setting called {name!r}{place}{meant}")
        else:
            parts.append(f"{name}{place} has the value {detail.get('input')!r}: {detail['msg'].lower()}")
    return "Settings: " + "; ".join(parts) + "."


def _to_toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _describe(name: str, info: FieldInfo, loaded: LoadedSettings) -> SettingCard:
    extra: dict[str, Any] = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    bounds = {type(entry).__name__: entry for entry in info.metadata}
    low, high = bounds.get("Ge"), bounds.get("Le")
    choices = tuple(str(choice) for choice in getattr(info.annotation, "__args__", ()))
    kind = "choice" if choices else getattr(info.annotation, "__name__", "text")
    return SettingCard(
        name=name,
        group=str(extra["group"]),
        title=info.title or name,
        text=info.description or "",
        kind=kind,
        value=getattr(loaded.settings, name),
        default=info.default,
        unit=str(extra["unit"]),
        minimum=getattr(low, "ge", None),
        maximum=getattr(high, "le", None),
        choices=choices,
        source=str(extra["source"]),
        set_by=loaded.set_by.get(name, "default"),
        environment_name=f"REMANENCE_{name.upper()}",
        needs_restart=bool(extra["restart"]),
    )
