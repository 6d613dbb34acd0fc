"""The switches of the ablation: every list of rules left empty, every pattern of code matching nothing, every function that a task calls
answering what says nothing."""

import collections.abc
import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from app.resources import load_rules

_WITHIN = ("app/deciders/", "app/language/")
_SEQUENCES = (list, tuple, collections.abc.Sequence, collections.abc.Iterator, collections.abc.Iterable, set, frozenset)
_READING = frozenset(
    {"parse", "load", "shipped", "load_rules", "_shipped", "_rules", "_lexicon"}
)  # read rules, decide nothing
_MOST_PARTS = 60
_NOTHING = re.compile(r"(?!)")
_KEPT = frozenset({"compiled", "resources_dir"})  # hold nothing that a switch changes
Switch = Callable[[], None]


def off(place: str, value: Any) -> None:
    """Puts `value` for `module:name` wherever that was imported to; `module:Class.name` in its class."""
    module, name = place.split(":")
    if "." in name:
        owner, name = name.split(".")
        setattr(getattr(sys.modules[module], owner), name, value)
        return
    original = getattr(sys.modules[module], name)
    for loaded in [one for key, one in sys.modules.items() if key.startswith(("app.", "tests.quality"))]:
        for key, known in list(vars(loaded).items()):
            if known is original:
                setattr(loaded, key, value)


def clear_caches(*, only_bounded: bool = False) -> None:
    """What was worked out before the switch goes; `only_bounded`: what was read from files stays."""
    for module in [one for key, one in sys.modules.items() if key.startswith("app.")]:
        for known in list(vars(module).values()):
            if not isinstance(known, functools._lru_cache_wrapper) or known.__name__ in _KEPT:
                continue
            if not only_bounded or known.cache_parameters()["maxsize"] is not None:
                known.cache_clear()


def functions(called: set[tuple[str, str]]) -> dict[str, Switch]:
    """A switch for each function in `called` (file, qualified name) that a stand-in is known for."""
    found: dict[str, Switch] = {}
    for file, qualified in sorted(called):
        module = _module_of(file)
        if not module or qualified.count(".") > 1 or "<" in qualified or qualified.split(".")[-1] in _READING:
            continue
        known: Any = import_module(module)
        for part in qualified.split("."):
            known = inspect.getattr_static(known, part, None) if isinstance(known, type) else getattr(known, part, None)
        stand_in = neutral_of(known) if callable(known) and not isinstance(known, type) else None
        if stand_in is not None:
            name = f"{module}:{qualified}"
            found[name.removeprefix("app.")] = functools.partial(off, name, stand_in)
    return found


def patterns(called: set[tuple[str, str]]) -> dict[str, Switch]:
    """A switch for each pattern that a file of a called function holds: it matches nothing any more."""
    found: dict[str, Switch] = {}
    for file in sorted({file for file, _ in called}):
        module = _module_of(file)
        for name, known in list(vars(import_module(module)).items()) if module else ():
            if isinstance(known, re.Pattern) and name.isupper():
                found[f"{module}:{name}".removeprefix("app.")] = functools.partial(off, f"{module}:{name}", _NOTHING)
    return found


def _module_of(file: str) -> str:
    place = next((at for at in _WITHIN if at in file), None)
    return (
        ""
        if place is None
        else file[file.index(place) :].removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    )


def neutral_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """A stand-in that answers what says nothing, or hands back what it was given; None where neither is known."""
    try:
        hints = typing.get_type_hints(inspect.unwrap(function))
    except Exception:
        return None
    wanted = hints.pop("return", None)
    first = next(iter(hints.values()), None)
    origin, first_origin = typing.get_origin(wanted) or wanted, typing.get_origin(first) or first
    if wanted is bool:
        return lambda *_, **__: False
    if origin in {typing.Union, types.UnionType} and type(None) in typing.get_args(wanted):
        return lambda *_, **__: None
    if wanted in {float, int}:
        return lambda *_, **__: wanted(0)
    if wanted is str:
        return (lambda one, *_, **__: one) if first is str else (lambda *_, **__: "")
    if origin in _SEQUENCES:
        same = typing.get_args(wanted)[:1] == typing.get_args(first)[:1] and first_origin in _SEQUENCES
        make = {tuple: tuple, set: set, frozenset: frozenset, collections.abc.Iterator: iter}.get(origin, list)
        return (lambda one, *_, **__: make(one)) if same else (lambda *_, **__: make(()))
    if origin in {dict, collections.abc.Mapping}:
        return lambda *_, **__: {}
    return (lambda one, *_, **__: one) if wanted is not None and wanted is first else None


def lists(read: set[str]) -> dict[str, Switch]:
    """A switch for each part of the rule files in `read`: a list left empty, a weight put to zero, one pattern of a list taken out."""
    found: dict[str, Switch] = {}
    for file in sorted(read):
        for path, value in _parts(load_rules(file), ()):
            label = "/".join(str(one) for one in path)
            found[f"{file}.yaml: {label}"] = functools.partial(_change, file, path, value)
    return found


def _parts(rules: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """(where, what to put there); _GONE takes the entry out."""
    for key, value in rules.items() if isinstance(rules, Mapping) else enumerate(rules):
        here = (*path, key)
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int | float):
            if len(path) < 3 and any("weight" in str(one) or "factor" in str(one) for one in path):
                yield here, 0
        elif isinstance(value, str):
            if not path and len(value) > 8:
                yield here, "(?!)"
        else:
            if isinstance(rules, Mapping):
                yield here, type(value)()
            if isinstance(value, Mapping) and len(value) <= _MOST_PARTS and len(path) < 2:
                yield from _parts(value, here)
            elif isinstance(value, list) and value and isinstance(value[0], Mapping) and len(value) <= _MOST_PARTS:
                yield from (((*here, number), _GONE) for number in range(len(value)))


_GONE = object()


def _change(file: str, path: tuple[Any, ...], value: Any) -> None:
    original = load_rules

    def changed(name: str, *more: Any, **named: Any) -> Any:
        rules = original(name, *more, **named)
        if name != file:
            return rules
        return _without(rules, path, value)

    off("app.resources:load_rules", changed)
    clear_caches()


def _without(rules: Any, path: tuple[Any, ...], value: Any) -> Any:
    head, *rest = path
    if rest:
        new = _without(rules[head], tuple(rest), value)
    elif value is _GONE:
        return [one for at, one in enumerate(rules) if at != head]
    else:
        new = value
    if isinstance(rules, Mapping):
        return {**rules, head: new}
    return [new if at == head else one for at, one in enumerate(rules)]
