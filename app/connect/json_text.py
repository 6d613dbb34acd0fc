"""Edits a JSON text in place: values are put in and taken out while every other character stays.

Reads with positions, because `json.dumps` would lay out a person's file again. What is not plain JSON is refused
with its line. Knows nothing of hooks or files.
"""

import json
import re
from dataclasses import dataclass
from typing import TypeAlias, cast

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_SCALAR = re.compile(r"[^\s,\]}]+")
_ONE_STEP = re.compile(r"[{\[][ \t]*\r?\n([ \t]+)\S")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class JsonTextError(ValueError):
    """Not JSON; `line` counts from 1."""

    def __init__(self, why: str, line: int) -> None:
        super().__init__(why)
        self.line = line


@dataclass(frozen=True, slots=True)
class Child:
    """A member of an object or an item of a list: text[start:end], the key included."""

    key: str  # "" in a list
    start: int
    end: int
    node: "Node"


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it is: text[start:end]."""

    start: int
    end: int
    value: Json
    children: tuple[Child, ...] = ()

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def member(self, key: str) -> "Node | None":
        """The value under a key; the last one when the key stands twice, as every parser has it."""
        return next((child.node for child in reversed(self.children) if child.key == key), None)


def parse(text: str) -> Node:
    """The text's value with positions. Raises JsonTextError.

    >>> parse('{"a": [1, 2]}').member("a").value
    [1, 2]
    """
    try:
        json.loads(text)
        return _node(text, _skip(text, 0))
    except json.JSONDecodeError as error:
        raise JsonTextError(_why(text, error), error.lineno) from error
    except RecursionError as error:
        raise JsonTextError("nested too deeply", 1) from error


def _why(text: str, error: json.JSONDecodeError) -> str:
    """What is wrong, in words for the two things that people write who think of JavaScript.

    >>> for text in ('{"a": 1, // mine', '[1, 2,]', '{"a" 1}'):
    ...     try: parse(text)
    ...     except JsonTextError as error: print(error)
    a comment, which JSON does not have
    a comma that nothing follows
    Expecting ':' delimiter
    """
    if text.startswith(("//", "/*", "#"), error.pos):
        return "a comment, which JSON does not have"
    if text[: error.pos + 1].rstrip("]} \t\r\n").endswith(",") and text.startswith(("]", "}", ","), error.pos):
        return "a comma that nothing follows"
    return error.msg


def append(text: str, target: Node, value: Json, *, key: str | None = None) -> str:
    """The text with a value added at the end of a list, or with a key and its value at the end of an object.

    Laid out as its neighbours are, or as the rest of the file is.

    >>> append('{"a": 1}', parse('{"a": 1}'), 2, key="b")
    '{"a": 1, "b": 2}'
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    step = _indent_step(text)
    if not target.children:
        base = _line_indent(text, target.start)
        open_gap, close_gap = (newline + base + step, newline + base) if step else ("", "")
        rendered = _render(value, key, step, newline, base + step)
        return text[: target.start + 1] + open_gap + rendered + close_gap + text[target.end - 1 :]
    first, last = target.children[0], target.children[-1]
    if "\n" in text[target.start : first.start]:
        base = _line_indent(text, first.start)
        gap, rendered = newline + base, _render(value, key, step or "  ", newline, base)
    else:
        is_tight = '":"' in text or '":{' in text or '":[' in text
        gap, rendered = ("" if is_tight else " "), _render(value, key, "", newline, "", is_tight=is_tight)
    return f"{text[: last.end]},{gap}{rendered}{text[last.end :]}"


def remove(text: str, target: Node, child: Child) -> str:
    """The text without a child of `target`, its comma and its line.

    >>> remove('[1, 2, 3]', parse('[1, 2, 3]'), parse('[1, 2, 3]').children[1])
    '[1, 3]'
    """
    index = target.children.index(child)
    if len(target.children) == 1:
        return text[: target.start + 1] + text[target.end - 1 :]
    if index == 0:
        return text[: child.start] + text[target.children[1].start :]
    return text[: target.children[index - 1].end] + text[child.end :]


def _indent_step(text: str) -> str:
    """One step of indent; "" for a text that is on one line and says something."""
    found = _ONE_STEP.search(text)
    if found is not None:
        return found[1]
    return "  " if len(text.strip("{} \t\r\n")) == 0 or "\n" in text.strip() else ""


def _line_indent(text: str, at: int) -> str:
    line_start = text.rfind("\n", 0, at) + 1
    return cast(re.Match[str], re.compile(r"[ \t]*").match(text, line_start, at))[0]


def _render(value: Json, key: str | None, step: str, newline: str, base: str, *, is_tight: bool = False) -> str:
    colon = ":" if is_tight else ": "
    separators = (",", colon) if is_tight or step else (", ", colon)
    body = json.dumps(value, ensure_ascii=False, indent=step or None, separators=separators)
    body = body.replace("\n", newline + base)
    return body if key is None else json.dumps(key, ensure_ascii=False) + colon + body


def _skip(text: str, at: int) -> int:
    return cast(re.Match[str], _BLANK.match(text, at)).end()


def _node(text: str, at: int) -> Node:
    """The value that begins at `at`; the text is known to be valid."""
    if text[at] in "{[":
        return _container(text, at)
    pattern = _STRING if text[at] == '"' else _SCALAR
    end = cast(re.Match[str], pattern.match(text, at)).end()
    return Node(at, end, cast(Json, json.loads(text[at:end])))


def _container(text: str, start: int) -> Node:
    is_object = text[start] == "{"
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, ""
        if is_object:
            end_of_key = cast(re.Match[str], _STRING.match(text, at)).end()
            key = cast(str, json.loads(text[at:end_of_key]))
            at = _skip(text, _skip(text, end_of_key) + 1)
        node = _node(text, at)
        children.append(Child(key, begin, node.end, node))
        at = _skip(text, node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    value: Json = {c.key: c.node.value for c in children} if is_object else [c.node.value for c in children]
    return Node(start, at + 1, value, tuple(children))
