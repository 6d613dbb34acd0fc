"""Puts our MCP server into a `{"mcpServers": {name: …}}` file and takes it out: bytes in, bytes out.

Claude Code keeps the servers of all projects in `.claude.json` beside much else of its own, which is not touched. A server counts
as ours by its name and the script that it runs. Source: INTEROP section 11 "Client side".
"""

from pathlib import Path

from app.connect.base import MCP_SERVER_NAME, ConnectRefusedError, McpServer, is_own_server, refuse_foreign_server
from app.connect.file_connector import ManagedFile
from app.connect.files import WrittenFile
from app.connect.hooks_json import decode_json, parse_json
from app.connect.json_text import Child, Json, Node, append, remove

_KEY = "mcpServers"
_EMPTY = "{\n}\n"


def servers_file(path: Path, server: McpServer) -> ManagedFile:
    """A file of MCP servers with ours in it."""

    def take_out(now: bytes, record: WrittenFile | None) -> bytes | None:
        was_there = record is not None and record.before is not None and has_servers(path, record.before)
        left = without_server(path, now, keeps_empty=was_there)
        was_made_by_us = record is not None and record.before is None
        return None if was_made_by_us and not left.strip(b"{} \t\r\n") else left

    return ManagedFile(
        path=path,
        insert=lambda before: with_server(path, before, server),
        is_done=lambda now: has_exactly(path, now, server),
        take_out=take_out,
    )


def with_server(path: Path, before: bytes | None, server: McpServer) -> bytes:
    """The file with our server; the same bytes when it is in already.

    Raises ConnectRefusedError for a file that is not what it should be, or that has another server of our name.
    """
    if before is not None and has_exactly(path, before, server):
        return before
    cleaned = without_server(path, before, keeps_empty=True) if before is not None else b""
    mark, text = decode_json(path, cleaned)
    text = text if text.strip() else _EMPTY
    root = _root(path, text)
    servers = root.member(_KEY)
    if servers is None:
        return mark + append(text, root, {MCP_SERVER_NAME: _entry(server)}, key=_KEY).encode("utf-8")
    if servers.member(MCP_SERVER_NAME) is not None:
        raise refuse_foreign_server(path)
    return mark + append(text, servers, _entry(server), key=MCP_SERVER_NAME).encode("utf-8")


def without_server(path: Path, before: bytes, *, keeps_empty: bool) -> bytes:
    """The file without our server, and without the list of servers when that is empty then; nothing else changes."""
    mark, text = decode_json(path, before)
    if not text.strip():
        return before
    root = _root(path, text)
    listed, own = _own(root)
    if listed is None or own is None:
        return before
    is_last = len(listed.node.children) == 1
    text = remove(text, root, listed) if is_last and not keeps_empty else remove(text, listed.node, own)
    return mark + text.encode("utf-8")


def has_exactly(path: Path, content: bytes, server: McpServer) -> bool:
    """Is our server in the file as it should be?"""
    _, own = _own(_root(path, decode_json(path, content)[1]))
    return own is not None and own.node.value == _entry(server)


def has_servers(path: Path, content: bytes) -> bool:
    return _root(path, decode_json(path, content)[1]).member(_KEY) is not None


def _entry(server: McpServer) -> dict[str, Json]:
    return {"type": "stdio", "command": server.command, "args": list(server.args), "env": {}}


def _own(root: Node) -> tuple[Child | None, Child | None]:
    """(the list of servers, our server in it)"""
    listed = next((child for child in reversed(root.children) if child.key == _KEY), None)
    if listed is None:
        return None, None
    named = (child for child in reversed(listed.node.children) if child.key == MCP_SERVER_NAME)
    return listed, next((child for child in named if is_own_server(child.node.value)), None)


def _root(path: Path, text: str) -> Node:
    root = parse_json(path, text)
    servers = root.member(_KEY) if root.is_object else None
    if not root.is_object or (servers is not None and not servers.is_object):
        raise ConnectRefusedError(
            f"{path} does not have the shape of a list of servers: “{_KEY}” must hold one entry per name.",
            hint=f"Correct the entry “{_KEY}”, then try again. The file was not changed.",
        )
    return root
