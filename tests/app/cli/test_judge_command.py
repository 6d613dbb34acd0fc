"""`remanence judge`: shows what would be sent, lets it be read, and says who is missing."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.app.cli.conftest import Remanence

PROGRAM = """
import json, sys
(one,) = json.load(sys.stdin)["messages"]
print(json.dumps({"memories": [{"message": one["id"], "quote": "exports are CSV", "statement": "Exports are CSV.", "worth": 2}]}))
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setenv("REMANENCE_JUDGE", "command")
    monkeypatch.setenv("REMANENCE_JUDGE_COMMAND", shlex.join([sys.executable, "-I", str(program)]))


@pytest.mark.usefixtures("asked", "way")
def test_what_would_be_sent_is_shown_and_then_read(remanence: Remanence) -> None:
    remanence("window", "log", "hmm, exports are CSV I think")
    dry = remanence("judge", "--dry-run")
    assert dry.code == 0
    assert dry.out.startswith("1 prompt in 1 request, ")
    assert "hmm, exports are CSV I think" in dry.out
    assert json.loads(remanence("judge", "--dry-run", "--json").value["requests"][0])["task"] == "remember"
    assert remanence("judge", "--since", "2999-01-01").out == "Everything has been read.\n"
    assert remanence("judge", "--project", "nowhere").out == "Everything has been read.\n"
    assert remanence("judge").out.startswith("Done: ")
    (card,) = remanence("memories", "list", "--json").value["cards"]
    assert card["text"] == "Exports are CSV."
    assert remanence("judge", "--json").value == {"pending": 0, "token_count": 0}
    log = remanence("judge", "--log").out
    assert "1 prompt, 1 remembered" in log
    assert "Today: 1 conversation, " in log
    (reading,) = remanence("judge", "--log", "--json").value
    assert (reading["state"], reading["remembered_count"]) == ("done", 1)
    assert remanence("judge", "--again", str(reading["id"])).out.startswith("Done: ")
    assert len(remanence("memories", "list", "--json").value["cards"]) == 1
    assert remanence("judge", "--again", "999").err.startswith("There is no reading 999.")
    assert remanence("judge", "--levels").out.startswith("Done: 0 tokens."), "nothing is long"
    assert remanence("judge", "--references", "1").out == "Everything has been read.\n", "no word points anywhere"
    assert remanence("judge", "--cancel").out == "Stopped. What was not read can be read later.\n"


def test_the_past_is_read_from_the_history_it_came_from(
    remanence: Remanence, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("REMANENCE_QUEUE_SIZE", "3")
    files = []
    for day, text in enumerate(("exports are CSV", "add a sidebar", "add a footer", "add a header"), 1):
        line = {
            "type": "user", "uuid": f"u{day}", "sessionId": f"s{day}", "cwd": "/w/shop",
            "timestamp": f"2026-01-0{day}T09:00:00Z", "message": {"role": "user", "content": text},
        }  # fmt: skip
        files.append(tmp_path / f"s{day}.jsonl")
        files[-1].write_text(json.dumps(line) + "\n", encoding="utf-8")
    for path in files:
        assert remanence("import", "claude-code", str(path)).code == 0
    request.getfixturevalue("asked")  # chosen now: what is there was not read
    dry = remanence("judge", "--dry-run")
    assert dry.out.startswith("4 prompts in 2 requests, ")
    assert "Older, from the archive or your history: 1 prompt.\n" in dry.out
    files[0].unlink()
    gone = remanence("judge", "--dry-run").out
    assert gone.startswith("3 prompts in 1 request, ")
    assert "No longer kept: 1 prompt.\n" in gone


@pytest.mark.usefixtures("way")
def test_while_nobody_reads_along_it_says_where_to_choose(remanence: Remanence) -> None:
    shown = remanence("judge")
    assert (shown.code, shown.err) == (2, "No model reads along.\nChoose one in Settings, under Reading along.\n")
    assert remanence("judge", "--dry-run").out.startswith(
        "0 prompts in 0 requests, 0 tokens, to no model: none is chosen."
    )
