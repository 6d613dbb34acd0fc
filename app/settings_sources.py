"""Where settings come from: defaults < config file < `REMANENCE_*` environment < flags, and how each option is shown.

Owns the config file's form and the sentences of what does not fit. The options themselves are `app.settings`; knows no rule file.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from app.errors import InvalidError
from app.places import write_private
from app.settings import Settings
from app.values.amounts import to_amount

_MOST_BYTES = 1_048_576  # of a settings file: all options with their values are four kilobytes
_HINT = "remanence info --settings lists all settings with their ranges."


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
    is_internal: bool = False  # the app's own note: on no page, shown to nobody
    is_everyday: bool = False  # one of the ten that the settings page begins with
    words: Mapping[str, str] = field(default_factory=dict)  # what choices are called

    def describe(self, value: object) -> str:
        """A value of this option as people write it, such as "4 h"; `app.values.amounts` reads it back."""
        if isinstance(value, bool):
            return "on" if value else "off"
        if isinstance(value, int | float):
            return str(to_amount(value, self.unit))
        if self.choices:
            return self.words.get(str(value), str(value).capitalize())
        return str(value) or "not set"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    settings: Settings
    set_by: Mapping[str, str]
    notice: str = ""  # what of the settings file does not fit and is not used


def load_settings(
    config_path: Path, env: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> LoadedSettings:
    """Settings from file, environment and flags. Raises InvalidError naming option, value and place.

    What does not fit in the file is left out and said in `notice`: one wrong value must not lock the memory.
    """
    values: dict[str, object] = {}
    set_by: dict[str, str] = {}
    from_file, notice = _read_what_fits(config_path)
    for source, found in (
        ("file", from_file),
        ("environment", _read_environment(os.environ if env is None else env)),
        ("flag", dict(flags or {})),
    ):
        for name, value in found.items():
            values[name] = value
            set_by[name] = source
    try:
        return LoadedSettings(Settings.model_validate(values), set_by, notice)
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


def describe_change(name: str, value: object) -> str:
    """The text about an option that was given a value, "" of one that is the app's own note.

    >>> describe_change("theme", "dark"), describe_change("context_tokens", 4000), describe_change("idle_pause_s", 14_400)
    ('Theme: Dark', 'Limit per request: 4,000 tokens', 'Pause a conversation after: 4 h')
    >>> describe_change("first_start_done", True)
    ''
    """
    info = Settings.model_fields[name]
    extra = _extra_of(info)
    if extra["is_internal"]:
        return ""
    if isinstance(value, bool):
        on, off = extra["says"]
        return str(on if value else off)
    return f"{info.title}: {_describe(name, info, LoadedSettings(Settings(), {})).describe(value)}"


def check_setting(name: str, value: object, current: Settings) -> Settings:
    """`current` with one option changed. Raises InvalidError."""
    if name not in Settings.model_fields:
        raise InvalidError(f"There is no setting called {name!r}.", hint=_HINT)
    try:
        return Settings.model_validate({**current.model_dump(), name: value})
    except ValidationError as error:
        raise InvalidError(_explain(error, {name: "flag"}, Path()), hint=_HINT) from error


def _read_what_fits(path: Path) -> tuple[dict[str, object], str]:
    """The file's options that can be used, and what of the rest is to be said."""
    try:
        found = _read_file(path)
    except InvalidError as error:
        return {}, f"{error} The defaults are used. {error.hint}"
    try:
        Settings.model_validate(found)
    except ValidationError as error:
        wrong = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
        kept = {name: value for name, value in found.items() if name not in wrong}
        return kept, f"{_explain(error, dict.fromkeys(found, 'file'), path)} The default is used instead."
    return found, ""


def _read_file(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError("it is larger than any settings file")
        return dict(tomllib.loads(data.decode("utf-8")))
    except (OSError, ValueError, RecursionError) as error:  # a number too long or brackets too deep besides bad TOML
        said = str(error).rstrip(".")
        raise InvalidError(
            f"The settings file {path} cannot be read: {said}.", hint="Correct it or move it away."
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
            parts.append(
                f"{name}{place} has the value {detail.get('input')!r}: {_say_allowed(name) or detail['msg'].lower()}"
            )
    return "Settings: " + "; ".join(parts) + "."


def _say_allowed(name: str) -> str:
    """What an option may be, "" where pydantic says it better."""
    card = _describe(name, Settings.model_fields[name], LoadedSettings(Settings(), {}))
    if card.choices:
        return f"it must be one of {', '.join(card.choices)}"
    if card.minimum is None or card.maximum is None:
        return ""
    stored = f"it must be between {card.minimum:.10g} and {card.maximum:.10g}"
    return f"{stored} ({card.describe(card.minimum)} to {card.describe(card.maximum)})" if card.unit else stored


def _to_toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _describe(name: str, info: FieldInfo, loaded: LoadedSettings) -> SettingCard:
    extra = _extra_of(info)
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
        is_internal=bool(extra["is_internal"]),
        is_everyday=bool(extra["is_everyday"]),
        words=extra["words"],
    )


def _extra_of(info: FieldInfo) -> dict[str, Any]:
    return info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
