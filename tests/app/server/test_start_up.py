"""What is loaded when (QUALITY P3, P5): little before the socket answers, nothing any more once all is warm."""

import json
import os
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_BEGIN = """
import http.client, json, sys
from pathlib import Path
from app.api import Engine, Places, Scope
from app.server import start_server

def ask(method, path, body=None):
    line = http.client.HTTPConnection("127.0.0.1", server.endpoint.port)
    line.request(method, path, json.dumps(body) if body else None,
                 {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    answer = line.getresponse()
    said = json.loads(answer.read())
    assert answer.status == 200, (answer.status, said)
    return said

engine = Engine.open(Places.under(Path(sys.argv[1])), flags={"understand_wait_s": 240.0}, is_whole=False)
server = start_server(engine, port=0)
token = (engine.places.state_dir / "admin.token").read_text().strip()
"""
_ANSWERS_FIRST = """
ask("GET", "/healthz")
known = [name for name in sys.modules]
print(json.dumps(known))
"""
_WARM_THEN_TOLD = """
engine.warm_up()
server.warm_up()
before = set(sys.modules)
told = ask("POST", "/v1/events", {"text": "We use PostgreSQL for billing; now add a retry to it and test it", "session": "s"})
assert told["results"][0]["message_id"], told
ask("POST", "/v1/turn", {"text": "which database do we use for billing?", "session": "s"})
print(json.dumps(sorted(set(sys.modules) - before)))
"""
_END = "server.stop(); engine.close()\n"


def _modules(tmp_path: Path, story: str) -> set[str]:
    """What the story printed, told in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + story + _END, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_the_socket_answers_before_anything_is_loaded_that_it_can_do_without(tmp_path: Path) -> None:
    loaded = _modules(tmp_path, _ANSWERS_FIRST)
    assert "app.capture.inbox" in loaded  # what was looked at is the engine that answers
    ours = {
        "app.api.parts",
        "app.api.nouns",
        "app.deciders.recall.ranking.rank",
        "app.deciders.memory.rules",
        "app.assistants.connecting",
        "app.understanding.rule_sets",
    }
    theirs = {"fastapi", "mcp", "sklearn", "numpy", "tantivy", "tiktoken", "regex", "rapidfuzz"}
    assert loaded & (ours | theirs) == set()


def test_nothing_is_imported_for_a_message_once_all_is_warm(tmp_path: Path) -> None:
    codecs = {"encodings.utf_8_sig", "encodings.idna", "stringprep"}  # of the standard library: microseconds
    assert sorted(_modules(tmp_path, _WARM_THEN_TOLD) - codecs) == []
