"""Finds and reads shipped resources, and lays a person's own rule files over them.

In a checkout they are in `resources/`, in a wheel in `_resources/` beside this file. A person's file
`<config>/rules/<name>.yaml` is merged over the shipped one: mappings key by key, lists appended, and a list
`remove_x` takes entries out of the list `x`. Knows nothing of what rules mean.
"""

from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from app.errors import InvalidError

T = TypeVar("T", list[Any], dict[str, Any])

OWN_RULES = frozenset(  # what a person's file is laid over; all others are read as they are shipped
    [
        "boundary",
        "clauses",
        "entities",
        "gazetteer",
        "intents",
        "likeness",
        "outcomes",
        "recipes",
        "references",
        "secrets",
        "sessions",
        "slots",
        "statements",
        "titles",
    ]
)
UNREAD_HINT = "Compare it with the shipped file of that name in resources/rules: only names that stand there are read."

_HERE = Path(__file__).resolve().parent


@cache
def resources_dir() -> Path:
    """The folder of shipped resources; the wheel's copy wins over a checkout's."""
    packed = _HERE / "_resources"
    return packed if packed.is_dir() else _HERE.parent / "resources"


def resource_path(*parts: str) -> Path:
    return resources_dir().joinpath(*parts)


@cache
def shipped_rules() -> dict[str, Path]:
    """The shipped rule files by name: a folder for each room that reads them, no name twice."""
    return {path.stem: path for path in sorted(resource_path("rules").glob("*/*.yaml"))}


def load_rules(name: str, user_dir: Path | None = None) -> dict[str, Any]:
    """Shipped rules `resources/rules/<room>/<name>.yaml` with the person's own file laid over them.

    Raises InvalidError when the person's file is not readable YAML or holds something else where the shipped one has
    a list or a mapping: it names file and place.
    """
    rules = _read_yaml(shipped_rules()[name])
    own = user_dir / f"{name}.yaml" if user_dir is not None else None
    if own is None or not own.is_file():
        return rules
    return _merge(rules, _read_yaml(own), own)


def own_rules(user_dir: Path | None) -> Path | None:
    """The person's folder of rules when there are any in it: who has none shares the shipped ones, read once a process."""
    return user_dir if user_dir is not None and any(user_dir.glob("*.yaml")) else None


def unread_names(user_dir: Path) -> tuple[str, ...]:
    """What of a person's own rule files nothing reads, a sentence each: files and names that the shipped rules do not have.

    A rule that was renamed, or mistyped, would else do nothing and say nothing. Files that cannot be read are not told
    here: `load_rules` refuses them.
    """
    said = []
    for own in sorted(user_dir.glob("*.yaml")):
        if own.stem not in OWN_RULES:
            said.append(f"{own.name} is not used: there is no rule file of that name.")
            continue
        known = _read_yaml(shipped_rules()[own.stem])
        said += [
            f"{own.name} has “{name}”, which is not used."
            for name in map(str, _read_yaml(own))
            if name not in known and not isinstance(known.get(name.removeprefix("remove_")), list)
        ]
    return tuple(said)


def misfit(name: str, error: Exception) -> InvalidError:
    """What to raise when the content of the rules `name` cannot be used: `raise misfit("titles", error) from error`."""
    said = f"there is no {error}" if isinstance(error, KeyError) else str(error)
    return InvalidError(
        f"The rule file {name}.yaml is not right: {said}.",
        hint=f"Compare your own {name}.yaml with the shipped one, or move it away and start again.",
    )


def _read_yaml(path: Path) -> dict[str, Any]:
    import yaml  # late: the window asks this module for its icons, and is to be painted first

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 (CSafeLoader is safe)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InvalidError(
            f"The rule file {path} cannot be read: {error}",
            hint="Correct it or move it away, then start again.",
        ) from error
    if not isinstance(loaded, dict):
        raise InvalidError(
            f"The rule file {path} must hold a mapping at its top level.",
            hint="Each of its lists stands under a name, as in the shipped file of the same name.",
        )
    return loaded


def _merge(base: dict[str, Any], over: dict[str, Any], path: Path) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        place = str(key)
        removed = place.removeprefix("remove_")
        if removed != place and isinstance(merged.get(removed), list):
            unwanted = _same_kind([], value, place, path)
            merged[removed] = [entry for entry in merged[removed] if entry not in unwanted]
            continue
        old = merged.get(key)
        if isinstance(old, dict):
            merged[key] = _merge(old, _same_kind({}, value, place, path), path)
        elif isinstance(old, list):
            merged[key] = old + _same_kind([], value, place, path)
        else:
            merged[key] = value
    return merged


def _same_kind(kind: T, value: object, key: str, path: Path) -> T:
    if isinstance(value, type(kind)):
        return value
    what = "a list, as in [one, two]" if isinstance(kind, list) else "a mapping of names to values"
    raise InvalidError(f"In the rule file {path}, “{key}” must be {what}.", hint="Correct it, then start again.")


def words_of(value: object) -> tuple[str, ...]:
    """The entries of a list in lower case; none where the file has no such list.

    >>> words_of(["Tab", 404]), words_of(None)
    (('tab', '404'), ())
    """
    return tuple(str(entry).lower() for entry in value) if isinstance(value, list) else ()
