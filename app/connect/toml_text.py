"""Edits of a TOML text that touch no other byte: one flag of a table switched on and off, our MCP server put in as a table at the end.

The edit is textual and then checked: the parsed result must differ by that alone, or the file is refused.
Knows nothing of what they mean. Source: INTEROP section 5.
"""

import contextlib
import json
import re
import tomllib
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from app.connect.base import MCP_SERVER_NAME, ConnectRefusedError, McpServer, is_own_server, refuse_foreign_server

_ERROR_LINE = re.compile(r"line (\d+)")
_CANDIDATE_LIMIT = 50


def read_flag(path: Path, content: bytes, table: str, key: str) -> bool | None:
    """The flag as it is; None when it is not set. Raises ConnectRefusedError for what is not TOML."""
    parsed = parse_toml(path, decode_toml(path, content)).get(table)
    value = parsed.get(key) if isinstance(parsed, dict) else None
    return value if isinstance(value, bool) else None


def with_flag(path: Path, before: bytes | None, table: str, key: str) -> bytes:
    """The file with `key = true` in its table; the same bytes when it is so already."""
    content = before or b""
    if read_flag(path, content, table, key) is True:
        return content
    text = decode_toml(path, content)
    wanted = parse_toml(path, text)
    inner = wanted.setdefault(table, {})
    if isinstance(inner, dict):
        inner[key] = True
        candidates = chain(_changed(text, table, key, "true"), _added(text, table, key), _dotted(text, table, key))
        if (found := _first_same(candidates, wanted)) is not None:
            return found
    raise ConnectRefusedError(
        f"{path} writes “{table}” in a way that cannot be changed safely.",
        hint=f"Add “{key} = true” to the table [{table}] yourself, then connect again. The file was not changed.",
    )


def without_flag(path: Path, now: bytes, before: bytes | None, table: str, key: str) -> bytes:
    """The file with the flag as it was before us: false, or not set at all.

    Written in another way since, it stays on: a flag that is on does no harm.
    """
    was = None if before is None else read_flag(path, before, table, key)
    if was is True or read_flag(path, now, table, key) is not True:
        return now
    text = decode_toml(path, now)
    wanted = parse_toml(path, text)
    if was is False:
        wanted[table][key] = False
        return _first_same(_changed(text, table, key, "false"), wanted) or now
    del wanted[table][key]
    without = _first_same(_removed(text, table, key), wanted) or now
    if wanted[table] or table in parse_toml(path, decode_toml(path, before or b"")):
        return without
    del wanted[table]
    return _first_same(_without_header(decode_toml(path, without), table), wanted) or without


def decode_toml(path: Path, content: bytes) -> str:
    """The text. Raises ConnectRefusedError, naming the line, for what is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refused(path, line, "not valid UTF-8") from error


def parse_toml(path: Path, text: str) -> dict[str, Any]:
    """What the text says. Raises ConnectRefusedError, naming the line, for what is not TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _ERROR_LINE.search(str(error))
        raise _refused(path, int(found[1]) if found else text.count("\n") + 1, "not valid TOML") from error


def _refused(path: Path, line: int, why: str) -> ConnectRefusedError:
    return ConnectRefusedError(
        f"{path} is {why}: line {line}.", hint="Correct that line, then try again. The file was not changed."
    )


def _first_same(candidates: Iterator[str], wanted: dict[str, Any]) -> bytes | None:
    """The first text that says exactly what is wanted."""
    for candidate in islice(candidates, _CANDIDATE_LIMIT):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            if tomllib.loads(candidate.removeprefix("\ufeff")) == wanted:
                return candidate.encode("utf-8")
    return None


def newline_of(text: str) -> str:
    """How the text ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def _header(table: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)


def _lines(text: str, table: str, key: str) -> Iterator[re.Match[str]]:
    """Every line that could set the flag, by its own name or by the dotted one. Group 1 is the value."""
    name = rf"(?:{re.escape(table)}[ \t]*\.[ \t]*)?{re.escape(key)}"
    return re.finditer(rf"^[ \t]*{name}[ \t]*=[ \t]*(true|false)[^\n]*(?:\n|\Z)", text, re.MULTILINE)


def _changed(text: str, table: str, key: str, value: str) -> Iterator[str]:
    for line in _lines(text, table, key):
        yield text[: line.start(1)] + value + text[line.end(1) :]


def _removed(text: str, table: str, key: str) -> Iterator[str]:
    for line in _lines(text, table, key):
        yield text[: line.start()] + text[line.end() :]


def _added(text: str, table: str, key: str) -> Iterator[str]:
    """The flag below the table's header, or in a table of its own at the end."""
    newline = newline_of(text)
    for header in _header(table).finditer(text):
        gap = "" if header[0].endswith("\n") else newline
        yield f"{text[: header.end()]}{gap}{key} = true{newline}{text[header.end() :]}"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    yield f"{text}{gap}[{table}]{newline}{key} = true{newline}"


def _dotted(text: str, table: str, key: str) -> Iterator[str]:
    """The flag before the table's first dotted key, or first in its inline form."""
    for found in re.finditer(rf"^[ \t]*{re.escape(table)}[ \t]*\.", text, re.MULTILINE):
        yield f"{text[: found.start()]}{table}.{key} = true{newline_of(text)}{text[found.start() :]}"
    for found in re.finditer(rf"^([ \t]*{re.escape(table)}[ \t]*=[ \t]*\{{[ \t]*)(\}}?)", text, re.MULTILINE):
        end = " }" if found[2] else ", "
        yield f"{text[: found.end(1)]}{key} = true{end}{text[found.end() :]}"


def _without_header(text: str, table: str) -> Iterator[str]:
    for header in _header(table).finditer(text):
        before = text[: header.start()]
        yield (before.removesuffix(newline_of(text)) if before.endswith("\n" + newline_of(text)) else before) + text[
            header.end() :
        ]


_KEY = "mcp_servers"
_NAME = rf"[ \t]*\[[ \t]*{_KEY}[ \t]*\.[ \t]*[\"']?{MCP_SERVER_NAME}[\"']?[ \t]*"
_HEADER = re.compile(rf"^{_NAME}\][ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)
_KEY_LINES = re.compile(r"(?:[ \t]*[^\s#\[][^\n]*(?:\n|\Z))*")
_ANY_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_ENDS_TRIED = 50


def has_server(path: Path, content: bytes, server: McpServer) -> bool:
    """Is our server in the file as it should be?"""
    return _found(parse_toml(path, decode_toml(path, content))) == _entry(server)


def with_server(path: Path, before: bytes, server: McpServer) -> bytes:
    """The file with our server; the same bytes when it is in already. Raises ConnectRefusedError."""
    if has_server(path, before, server):
        return before
    text = decode_toml(path, without_server(path, before))
    wanted = parse_toml(path, text)
    if _found(wanted) is not None:
        raise refuse_foreign_server(path)
    if isinstance(wanted.setdefault(_KEY, {}), dict):
        wanted[_KEY][MCP_SERVER_NAME] = _entry(server)
        newline = newline_of(text)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        lines = [
            f"[{_KEY}.{MCP_SERVER_NAME}]",
            f"command = {_toml(server.command)}",
            f"args = {_toml(list(server.args))}",
        ]
        made = text + gap + newline.join([*lines, ""])
        with contextlib.suppress(tomllib.TOMLDecodeError):
            if tomllib.loads(made.removeprefix("\ufeff")) == wanted:
                return made.encode("utf-8")
    raise _refused_server(path, "takes no further server safely", f"Add a table [{_KEY}.{MCP_SERVER_NAME}] yourself")


def without_server(path: Path, now: bytes) -> bytes:
    """The file without our server; the same bytes when it is not in. Raises ConnectRefusedError."""
    text = decode_toml(path, now)
    parsed = parse_toml(path, text)
    if not is_own_server(_found(parsed)):
        return now
    del parsed[_KEY][MCP_SERVER_NAME]
    wanted = [parsed] if parsed[_KEY] else [parsed, {key: value for key, value in parsed.items() if key != _KEY}]
    for candidate in _without_server(text):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            if tomllib.loads(candidate.removeprefix("\ufeff")) in wanted:
                return candidate.encode("utf-8")
    raise _refused_server(path, "writes our server in a way that cannot be taken out safely", "Take it out yourself")


def _without_server(text: str) -> Iterator[str]:
    """The text without our table: without its lines that say something first, then down to one of the next tables."""
    newline = newline_of(text)
    for header in _HEADER.finditer(text):
        before = text[: header.start()]
        kept = before.removesuffix(newline) if before.endswith("\n" + newline) or before == newline else before
        lines = _KEY_LINES.match(text, header.end())
        assert lines is not None, "the pattern fits nothing, too"
        others = islice(_ANY_HEADER.finditer(text, lines.end()), _ENDS_TRIED)
        for end in (lines.end(), *(other.start() for other in others), len(text)):
            yield kept + text[end:]


def _found(parsed: dict[str, Any]) -> object:
    servers = parsed.get(_KEY)
    return servers.get(MCP_SERVER_NAME) if isinstance(servers, dict) else None


def _entry(server: McpServer) -> dict[str, object]:
    return {"command": server.command, "args": list(server.args)}


def _toml(value: str | list[str]) -> str:
    """As TOML writes it, which for these is as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def _refused_server(path: Path, why: str, what: str) -> ConnectRefusedError:
    return ConnectRefusedError(f"{path} {why}.", hint=f"{what}, then try again. The file was not changed.")
