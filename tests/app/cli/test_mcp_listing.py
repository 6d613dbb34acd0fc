"""What the stdio program says by itself is what the server says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from app.api import Engine, Places, Scope
from app.asking import INSTRUCTION
from app.cli.mcp_listing import answer_by_itself, is_asking
from app.server import start_server
from tests.app.cli.made_listing import request, said_by_server


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Places.under(tmp_path))
    yield opened
    opened.close()


@pytest.fixture
def door(engine: Engine) -> Iterator[tuple[str, str]]:
    """Address and token of a running socket."""
    server = start_server(engine, port=0)
    try:
        _, token = engine.apps.create("lister", "Lister", frozenset({Scope.READ}))
        yield f"http://127.0.0.1:{server.endpoint.port}", token
    finally:
        server.stop()


ASKED = [
    *(
        ("initialize", False, version)
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION, "1999-01-01")
    ),
    ("ping", False, ""),
    ("tools/list", False, ""),
    ("tools/list", True, ""),
    ("server/discover", True, ""),
]


def test_it_says_what_the_server_says(door: tuple[str, str]) -> None:
    for method, is_newer, version in ASKED:
        for project in ("", "/w/orchard"):
            message = request(method, is_newer=is_newer, version=version)
            said = answer_by_itself(message, is_bound=bool(project))
            server = said_by_server(*door, message, project=project)
            assert said == server, "python -m tests.app.cli.made_listing writes resources/mcp_listing.json anew"


def test_one_switch_takes_the_line_that_asks_out_of_both(engine: Engine, door: tuple[str, str]) -> None:
    config = engine.places.config_path
    message = request("initialize", is_newer=False, version=HANDSHAKE_PROTOCOL_VERSIONS[-1])
    assert is_asking(config, {})
    assert INSTRUCTION in said_by_server(*door, message)["instructions"]
    engine.settings.set("is_asking_to_remember", False)
    assert not is_asking(config, {})
    assert is_asking(config, {"REMANENCE_IS_ASKING_TO_REMEMBER": "true"})
    quiet = answer_by_itself(message, is_bound=True, is_asking=False)
    assert quiet == said_by_server(*door, message)
    assert quiet is not None
    assert "`remember`" not in quiet["instructions"]
    config.write_text("is_asking_to_remember = [", encoding="utf-8")
    assert is_asking(config, {})  # the app says what is wrong with it


@pytest.mark.parametrize(
    "message",
    [
        {"method": "tools/call", "params": {"name": "recall"}},
        {"method": "prompts/list"},
        {"method": {"not": "text"}, "params": ["no", "object"]},
        {"method": "tools/list", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}},
    ],
    ids=json.dumps,
)
def test_everything_else_is_left_to_the_app(message: dict[str, object]) -> None:
    assert answer_by_itself(message, is_bound=False) is None
