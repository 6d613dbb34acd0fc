"""The switches of the ablation: families by hand, then every function of the deciders by itself, answering what says nothing."""

import collections.abc
import inspect
import sys
import types
import typing
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

_MODULES = {
    "statements": (
        "app.deciders.memory.statements.statement_model app.deciders.memory.statements.statement_features app.deciders.memory.statements.statements app.deciders.memory.statements.matching app.deciders.memory.statements.clauses app.deciders.memory.statements.tasks "
        "app.deciders.memory.slots.slots app.deciders.memory.statements.stated_names app.deciders.memory.statements.phrasing app.language.sentences "
        "app.deciders.conversation.references.expansion app.deciders.conversation.voice"
    ),
    "pairs": (
        "app.deciders.memory.contradictions.compare app.language.likeness app.deciders.memory.slots.slots app.deciders.memory.slots.values "
        "app.deciders.memory.statements.stated_names app.deciders.memory.statements.statements app.deciders.memory.statements.matching"
    ),
    "references": (
        "app.deciders.conversation.references.resolution app.deciders.conversation.references.one_sided app.deciders.conversation.references.candidates app.deciders.conversation.references.mentions "
        "app.deciders.conversation.references.resolution app.deciders.conversation.references.mentions "
        "app.deciders.conversation.references.resolution app.deciders.conversation.references.score app.deciders.conversation.references.resolution app.language.tagging "
        "app.language.tagging app.language.tagging app.language.tagging app.language.phrases app.deciders.conversation.entities.entities "
        "app.deciders.conversation.entities.shapes app.deciders.conversation.entities.entities app.language.pasted"
    ),
    "intents": "app.deciders.conversation.intents.intents app.deciders.conversation.intents.rules app.deciders.conversation.intents.features app.deciders.conversation.intents.features app.language.pasted",
    "boundary": (
        "app.deciders.conversation.boundary.boundary app.deciders.conversation.boundary.factors app.deciders.conversation.boundary.markers app.deciders.conversation.boundary.wording "
        "app.deciders.conversation.boundary.cohesion app.deciders.conversation.boundary.sessions"
    ),
    "titles": "app.deciders.conversation.title app.language.pasted",
}
_SEQUENCES = (list, tuple, collections.abc.Sequence, collections.abc.Iterator, collections.abc.Iterable, set, frozenset)


def _neutral(function: Callable[..., Any]) -> Callable[..., Any] | None:
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
    if wanted is float:
        return lambda *_, **__: 0.0
    if wanted is str:
        return (lambda one, *_, **__: one) if first is str else (lambda *_, **__: "")
    if origin in _SEQUENCES:
        same = typing.get_args(wanted)[:1] == typing.get_args(first)[:1] and first_origin in _SEQUENCES
        make = {tuple: tuple, set: set, frozenset: frozenset, collections.abc.Iterator: iter}.get(origin, list)
        return (lambda one, *_, **__: make(one)) if same else (lambda *_, **__: make(()))
    if origin in {dict, collections.abc.Mapping}:
        return lambda *_, **__: {}
    return (lambda one, *_, **__: one) if wanted is first else None


def _each(task: str) -> dict[str, Callable[[], None]]:
    from tests.quality.ablation import off

    found = {}
    for module in map(import_module, _MODULES[task].split()):
        for name, known in list(vars(module).items()):
            plain = inspect.unwrap(known) if callable(known) else None
            if not inspect.isfunction(plain) or plain.__module__ != module.__name__:
                continue
            stand_in = _neutral(known)
            if stand_in is not None:
                found[f"{module.__name__}:{name}"] = lambda place=f"{module.__name__}:{name}", value=stand_in: off(
                    place, value
                )
    return found


def _without_patterns(keep: Callable[[Any], bool]) -> Callable[[], None]:
    from app.deciders.memory.rules import _index
    from tests.quality.ablation import _memory_rules, off

    def change() -> None:
        rules = _memory_rules()
        patterns = tuple(one for one in rules.patterns if keep(one))
        changed = replace(rules, patterns=patterns, patterns_by_word=_index(patterns))
        off("app.deciders.memory.rules:load_memory_rules", lambda *_: changed)

    return change


def _by_hand() -> dict[str, dict[str, Callable[[], None]]]:
    from tests.quality.ablation import _memory_rules, returning, without

    rules = _memory_rules()
    statements: dict[str, Callable[[], None]] = {
        "all patterns": _without_patterns(lambda _: False),
        "reader: sayings": returning("app.deciders.memory.statements.statement_model:read_saying", None),
    }
    for pattern in rules.patterns:
        statements[f"pattern: {pattern.id}"] = _without_patterns(lambda other, one=pattern: other.id != one.id)
    for doubt in rules.doubts:
        rest = tuple(one for one in rules.doubts if one is not doubt)
        statements[f"doubt: {doubt.kind}"] = without("doubts", rest)
    for name in ("vague", "pronouns", "standing_words"):
        statements[f"words: {name}"] = without(name, frozenset())
    for name in ("cut_after", "drop_after"):
        statements[f"words: {name}"] = without(name, ())
    for name in ("openers", "closers"):
        statements[f"words: {name}"] = without(name, r"(?!)")
    pairs: dict[str, Callable[[], None]] = {}
    pairs["all patterns"] = statements["all patterns"]
    for name, value in vars_of(rules.likeness).items():
        if isinstance(value, dict | frozenset):
            pairs[f"likeness: {name}"] = without(f"likeness.{name}", type(value)())
    return {"statements": statements, "pairs": pairs}


def vars_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def switches(task: str) -> dict[str, Callable[[], None]]:
    for name in " ".join(_MODULES.values()).split():
        if name not in sys.modules:
            import_module(name)
    return {**_by_hand().get(task, {}), **_each(task)}
