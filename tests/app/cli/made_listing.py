"""Writes `resources/mcp_listing.json` from what the server says: `python -m tests.app.cli.made_listing`."""

import json
import tempfile
from pathlib import Path
from typing import Any

import httpx
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from app import __version__
from app.api import Engine, Places, Scope
from app.cli.mcp import VERSION_MARK
from app.resources import resource_path
from app.server import start_server
from tests.patience import PATIENCE_S

_KEY = "io.modelcontextprotocol/"
META = {f"{_KEY}protocolVersion": LATEST_MODERN_VERSION, f"{_KEY}clientCapabilities": {}}


def request(method: str, *, is_newer: bool, version: str = "") -> dict[str, Any]:
    """A request as a client of the newer or the older protocol makes it."""
    handshake = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    parameters = {"_meta": META} if is_newer else handshake if method == "initialize" else {}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}


def said_by_server(base: str, token: str, message: dict[str, Any], *, project: str = "") -> Any:
    """What the server answers to it."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    if "_meta" in message["params"]:
        headers |= {"MCP-Protocol-Version": LATEST_MODERN_VERSION, "Mcp-Method": message["method"]}
    if project:
        headers["Remanence-Project"] = project
    answer = httpx.post(f"{base}/mcp", json=message, headers=headers, trust_env=False, timeout=PATIENCE_S)
    return answer.json()["result"]


def listing(base: str, token: str) -> dict[str, Any]:
    """All that the file holds."""

    def ask(method: str, *, is_newer: bool = False) -> Any:
        message = request(method, is_newer=is_newer, version=HANDSHAKE_PROTOCOL_VERSIONS[-1])
        return said_by_server(base, token, message)

    first, newer, older = ask("initialize"), ask("tools/list", is_newer=True), ask("tools/list")
    tools = newer.pop("tools")
    del older["tools"], first["protocolVersion"]
    return {
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "initialize": first,
        "discover": ask("server/discover", is_newer=True),
        "list": newer,
        "list_before": older,
        "tools": tools,
    }


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="remanence-listing-") as folder:
        engine = Engine.open(Places.under(Path(folder)))
        server = start_server(engine, port=0)
        try:
            _, token = engine.apps.create("lister", "Lister", frozenset({Scope.READ}))
            found = listing(f"http://127.0.0.1:{server.endpoint.port}", token)
        finally:
            server.stop()
            engine.close()
    for part in (found["initialize"], *(found[name]["_meta"][f"{_KEY}serverInfo"] for name in ("discover", "list"))):
        info = part.get("serverInfo", part)
        assert info["version"] == __version__
        info["version"] = VERSION_MARK
    text = json.dumps(found, indent=1, ensure_ascii=False)
    resource_path("mcp_listing.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
