"""Which versions of its dependencies a project declares: bytes of a manifest in, majors out.

Reads package.json, pyproject.toml, requirements files, Cargo.toml and go.mod; what it cannot read says nothing. Knows no folder.
Source: issue 4 "names a file, symbol or version which the project folder no longer has".
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

ANY_MAJOR = 1_000_000
Majors = tuple[int, int]  # the lowest and the highest that is allowed
_NODE_PARTS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_CARGO_PARTS = ("dependencies", "dev-dependencies", "build-dependencies")
_BOUND = re.compile(r"(\^|~=|~>|~|===|==|=|>=|>|<=|<|!=)?\s*v?(\d{1,6})((?:\.[\dx*]+)*)")
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*([^;#]*)")
_GO_LINE = re.compile(r"^\s*(?:require\s+)?([\w.-]+(?:/[\w.~-]+)+)\s+v(\d+)\.", re.MULTILINE)
_GO_MAJOR = re.compile(r"/v\d+$")


def is_manifest(name: str) -> bool:
    """Whether a file of this name declares versions.

    >>> is_manifest("package.json"), is_manifest("requirements-dev.txt"), is_manifest("notes.txt")
    (True, True, False)
    """
    is_requirements = name.startswith("requirements") and name.endswith(".txt")
    return is_requirements or name in {"package.json", "pyproject.toml", "Cargo.toml", "go.mod"}


def read_majors(name: str, content: bytes) -> dict[str, Majors]:
    """The majors that a manifest allows of each dependency, by lower-case name; none for what it does not bound.

    >>> read_majors("package.json", b'{"dependencies": {"react": "^18.2.0", "left-pad": "*"}}')
    {'react': (18, 18)}
    """
    try:
        pairs = list(_pairs_of(name, content.decode("utf-8", "replace")))
    except (ValueError, RecursionError, AttributeError):  # no such file as its name says
        return {}
    found = {_plain(dependency): read_range(wanted) for dependency, wanted in pairs}
    return {dependency: majors for dependency, majors in found.items() if majors is not None}


def read_range(wanted: str) -> Majors | None:
    """The majors that a constraint allows; None when it bounds nothing, or says more than one thing.

    >>> read_range("^18.2.0"), read_range(">=4.2,<6"), read_range(">=7"), read_range("*"), read_range("1 || 2")
    ((18, 18), (4, 5), (7, 1000000), None, None)
    """
    if "|" in wanted or ":" in wanted or "/" in wanted:
        return None
    low, high = 0, ANY_MAJOR
    for operator, major, rest in _BOUND.findall(wanted):
        number = int(major)
        match operator:
            case ">=" | ">":
                low = max(low, number)
            case "<":
                high = min(high, number if re.search(r"[1-9]", rest) else number - 1)
            case "<=":
                high = min(high, number)
            case "!=":
                continue
            case _:
                low, high = max(low, number), min(high, number)
    return (low, high) if (low, high) != (0, ANY_MAJOR) and low <= high else None


def _pairs_of(name: str, text: str) -> Iterator[tuple[str, str]]:
    if name == "package.json":
        read = json.loads(text)
        for part in _NODE_PARTS:
            yield from _strings(read.get(part))
    elif name == "pyproject.toml":
        yield from _of_pyproject(tomllib.loads(text))
    elif name == "Cargo.toml":
        read = tomllib.loads(text)
        for part in _CARGO_PARTS:
            yield from _strings(read.get(part))
    elif name == "go.mod":
        yield from ((_GO_MAJOR.sub("", path).rsplit("/", 1)[-1], f"={major}") for path, major in _GO_LINE.findall(text))
    else:
        yield from _requirements(text.splitlines())


def _of_pyproject(read: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    project = read.get("project", {})
    yield from _requirements(project.get("dependencies", ()))
    for group in (*project.get("optional-dependencies", {}).values(), *read.get("dependency-groups", {}).values()):
        yield from _requirements(group)
    yield from _strings(read.get("tool", {}).get("poetry", {}).get("dependencies"))


def _requirements(lines: Any) -> Iterator[tuple[str, str]]:
    for line in lines:
        found = _REQUIREMENT.match(line) if isinstance(line, str) else None
        if found is not None:
            yield found[1], found[2]


def _strings(table: Any) -> Iterator[tuple[str, str]]:
    for name, wanted in table.items() if isinstance(table, dict) else ():
        version = wanted.get("version") if isinstance(wanted, dict) else wanted
        if isinstance(version, str):
            yield name, version


def _plain(name: str) -> str:
    """As a person writes it: `@angular/core` is Angular, `typing_extensions` typing-extensions."""
    scope, _, inner = name.lower().partition("/")
    return (scope.removeprefix("@") if inner == "core" else inner or scope).replace("_", "-")
