"""Puts our MCP server into a TOML text as a table of its own at the end, and takes it out, without touching any other byte.

The edit is textual and then checked: the parsed result must differ by that one table only, or the file is refused.
Source: INTEROP section 5 `[mcp_servers.<name>]`.
"""

import contextlib
import json
import re
import tomllib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from app.connect.base import MCP_SERVER_NAME, ConnectRefusedError, McpServer, is_own_server, refuse_foreign_server
from app.connect.toml_flag import decode_toml, newline_of, parse_toml

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
    raise _refused(path, "takes no further server safely", f"Add a table [{_KEY}.{MCP_SERVER_NAME}] yourself")


def without_server(path: Path, now: bytes) -> bytes:
    """The file without our server; the same bytes when it is not in. Raises ConnectRefusedError."""
    text = decode_toml(path, now)
    parsed = parse_toml(path, text)
    if not is_own_server(_found(parsed)):
        return now
    del parsed[_KEY][MCP_SERVER_NAME]
    wanted = [parsed] if parsed[_KEY] else [parsed, {key: value for key, value in parsed.items() if key != _KEY}]
    for candidate in _removed(text):
        with contextlib.suppress(tomllib.TOMLDecodeError):
            if tomllib.loads(candidate.removeprefix("\ufeff")) in wanted:
                return candidate.encode("utf-8")
    raise _refused(path, "writes our server in a way that cannot be taken out safely", "Take it out yourself")


def _removed(text: str) -> Iterator[str]:
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


def _refused(path: Path, why: str, what: str) -> ConnectRefusedError:
    return ConnectRefusedError(f"{path} {why}.", hint=f"{what}, then try again. The file was not changed.")
