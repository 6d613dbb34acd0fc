"""Finds and reads shipped resources, and lays a person's own rule files over them.

In a checkout they lie in `resources/`, in a wheel in `app/_resources/`. A person's file
`<config>/rules/<name>.yaml` is merged over the shipped one: mappings key by key, lists appended,
a key `remove:` beside a list `x` named `remove_x` takes entries out. Knows nothing of what rules mean.
"""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from app.errors import InvalidError

_HERE = Path(__file__).resolve().parent
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def resources_dir() -> Path:
    """The folder of shipped resources; the wheel's copy wins over a checkout's."""
    packed = _HERE / "_resources"
    return packed if packed.is_dir() else _HERE.parent / "resources"


def resource_path(*parts: str) -> Path:
    return resources_dir().joinpath(*parts)


def load_rules(name: str, user_dir: Path | None = None) -> dict[str, Any]:
    """Shipped rules `resources/rules/<name>.yaml` with the person's own file laid over them.

    Raises InvalidError when the person's file is not readable YAML: it names file and line.
    """
    rules = _read_yaml(resource_path("rules", f"{name}.yaml"))
    own = user_dir / f"{name}.yaml" if user_dir is not None else None
    if own is None or not own.is_file():
        return rules
    return _merge(rules, _read_yaml(own))


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 (CSafeLoader is safe)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidError(
            f"The rule file {path} cannot be read: {error}",
            hint="Correct it or move it away, then start again.",
        ) from error
    if not isinstance(loaded, dict):
        raise InvalidError(f"The rule file {path} must hold a mapping at its top level.")
    return loaded


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        if key.startswith("remove_") and isinstance(merged.get(key[7:]), list):
            merged[key[7:]] = [entry for entry in merged[key[7:]] if entry not in value]
        elif isinstance(old, dict) and isinstance(value, dict):
            merged[key] = _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            merged[key] = old + value
        else:
            merged[key] = value
    return merged
