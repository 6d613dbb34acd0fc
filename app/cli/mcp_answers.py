"""What an MCP client asks before it calls a tool, answered without the app: who we are, and which tools there are.

Source: INTEROP section 11.
"""

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from app import __version__
from app.assistant_instructions import INSTRUCTION
from app.resources import resource_path

VERSION_MARK = "(version)"
_SWITCH = "is_asking_to_remember"
_OFF = frozenset({"0", "false", "off", "no", "n", "f"})
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


def version_named(message: Mapping[str, Any]) -> str:
    """The version of the newer protocol, which every request names; "" in the older one."""
    parameters = message.get("params")
    meta = parameters.get("_meta") if isinstance(parameters, dict) else None
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else ""


def is_asking(config_path: Path, env: Mapping[str, str]) -> bool:
    """Whether assistants are told when to call `remember`: the app's own setting, read without the app.

    >>> is_asking(Path("/nowhere"), {}), is_asking(Path("/nowhere"), {"REMANENCE_IS_ASKING_TO_REMEMBER": "false"})
    (True, False)
    """
    said: object = env.get(f"REMANENCE_{_SWITCH.upper()}")
    if said is None:
        try:
            said = tomllib.loads(config_path.read_text(encoding="utf-8")).get(_SWITCH, True)
        except (OSError, ValueError):
            return True  # the app says what is wrong with its file
    return str(said).lower() not in _OFF


def answer_by_itself(message: Mapping[str, Any], *, is_bound: bool, is_asking: bool = True) -> dict[str, Any] | None:
    """The result for a request that needs no app; None for all others. `is_bound`: the connection has its project."""
    method, version = message["method"], version_named(message)
    listing = _listing()
    if method == "initialize" and not version:
        parameters = message.get("params")
        wanted = parameters.get("protocolVersion") if isinstance(parameters, dict) else None
        versions = listing["versions"]
        agreed = wanted if wanted in versions else versions[-1]
        return _as_asked({**listing["initialize"], "protocolVersion": agreed}, is_asking=is_asking)
    if method == "ping" and not version:
        return {}
    if version and version not in listing["discover"]["supportedVersions"]:
        return None  # the app says what is wrong with it
    if method == "server/discover" and version:
        return _as_asked(dict(listing["discover"]), is_asking=is_asking)
    if method == "tools/list":
        found = listing["list" if version else "list_before"]
        return {**found, "tools": [_tool(tool, is_bound=is_bound) for tool in listing["tools"]]}
    return None


def _as_asked(result: dict[str, Any], *, is_asking: bool) -> dict[str, Any]:
    """The result, its instructions without the line that asks to remember where the person wants none."""
    said = result.get("instructions")
    return result if is_asking or not said else {**result, "instructions": said.replace(INSTRUCTION, "")}


def _tool(tool: dict[str, Any], *, is_bound: bool) -> dict[str, Any]:
    """A tool as it is listed; where the connection says which project, no call does."""
    if not is_bound:
        return tool
    schema = tool["inputSchema"]
    properties = {name: value for name, value in schema["properties"].items() if name != "project"}
    return {**tool, "inputSchema": {**schema, "properties": properties}}


@cache
def _listing() -> dict[str, Any]:
    text = resource_path("mcp_listing.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.replace(VERSION_MARK, __version__))
    return found
