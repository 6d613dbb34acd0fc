"""`eval` knows a file by its fields, refuses a wrong one in words, and prints one JSON object."""

import json
from pathlib import Path

import pytest

from app.api.evaluation import TASKS
from tests.app.cli.conftest import Remanence

MESSAGES = [
    {
        "id": "a",
        "conv": "1",
        "when": None,
        "text": "Add a search box to the header",
        "intent": "PLAN",
        "intent_ok": ["EXECUTE"],
    },
    {"id": "b", "conv": "1", "when": None, "text": "now run the tests", "intent": "TEST", "intent_ok": []},
    {
        "id": "c",
        "conv": "2",
        "when": None,
        "text": "New topic: why does the build fail?",
        "intent": "DEBUG",
        "intent_ok": [],
    },
]
FILES = {
    "messages": [{**row, "entities": ["header"], "boundary": int(row["id"] != "b")} for row in MESSAGES],
    "references": [
        {
            "history": [{"speaker": "user", "text": "Add a search box to the header"}],
            "message": "make it wider",
            "mention": "it",
            "start": 5,
            "gold": ["search box"],
        }
    ],
    "rewrites": [{"history": [], "message": "and the tests", "complete": "and run the tests", "kind": "ellipsis"}],
    "streams": [{"id": "s", "messages": [{"when": None, "boundary": 1, "text": row["text"]} for row in MESSAGES]}],
    "talks": [  # two people over months: turns, and questions that name the turns that answer them
        {
            "kind": "turn",
            "conv": "c",
            "id": "1",
            "session": 1,
            "when": "9:00 am on 2 March, 2026",
            "speaker": "A",
            "text": "My dog is called Ferro.",
        },
        {
            "kind": "query",
            "conv": "c",
            "id": "q",
            "category": "1",
            "text": "What is the dog called?",
            "evidence": ["1"],
            "answer": "Ferro",
        },
    ],
    "chats": [{"texts": [row["text"] for row in MESSAGES], "boundary": [1, 0, 1], "id": "c"}],
}
FITTING = [
    ("intent", "messages", {"strict", "lenient", "macro_f1"}),
    ("entities", "messages", {"precision", "recall", "f1"}),
    ("boundary", "messages", {"f1", "precision", "recall", "pk", "windowdiff", "asked"}),
    ("boundary", "streams", {"f1", "precision", "recall", "pk", "windowdiff", "asked"}),
    ("boundary", "chats", {"f1", "precision", "recall", "pk", "windowdiff", "asked"}),
    ("references", "references", {"exact", "loose", "answered", "right_of_answered", "asked"}),
    ("forgetting", "talks", {"false_forgetting", "rest_365_lost", "work_365_lost"}),
    ("references", "rewrites", {"exact", "loose", "answered", "right_of_answered", "asked"}),
]
WRONG = [
    ("intent", "references"),
    ("intent", "chats"),
    ("entities", "streams"),
    ("references", "messages"),
    ("boundary", "references"),
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, rows in FILES.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize(("task", "name", "keys"), FITTING)
def test_a_fitting_file_is_measured(remanence: Remanence, files: Path, task: str, name: str, keys: set[str]) -> None:
    path = str(files / f"{name}.jsonl")
    found = remanence("eval", task, path, "--json").value
    assert (found["task"], found["file"]) == (task, path)
    assert keys <= set(found)
    assert all(isinstance(found[key], int | float) for key in {*keys, "n"})
    readable = remanence("eval", task, path)
    assert readable.code == 0
    assert all(key in readable.out for key in keys)


@pytest.mark.parametrize(("task", "name"), WRONG)
def test_a_wrong_file_is_refused(remanence: Remanence, files: Path, task: str, name: str) -> None:
    shown = remanence("eval", task, str(files / f"{name}.jsonl"), "--json")
    assert (shown.code, shown.out) == (2, "")
    assert "Line 1" in shown.err
    assert "It fits" in shown.err


def test_telling_errors_are_shown(remanence: Remanence, tmp_path: Path) -> None:
    path = tmp_path / "all-wrong.jsonl"
    rows = [{"text": f"now run the unit tests again, part {number}", "intent": "DOCUMENT"} for number in range(20)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = remanence("eval", "intent", str(path)).out
    assert shown.count("DOCUMENT") == 10
    assert "part 1" in shown


@pytest.mark.parametrize(
    "content",
    ["", "\n\n", "not json\n", "[1]\n", '{"text": "a", "intent": "PLAN"}\n{"text"\n', '{"texts": 5, "boundary": 1}\n'],
)
def test_a_broken_file_is_said(remanence: Remanence, tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(content)
    task = "boundary" if "texts" in content else "intent"
    assert remanence("eval", task, str(path)).code == 2


def test_unknown_tasks_and_files_are_said(remanence: Remanence, tmp_path: Path) -> None:
    shown = remanence("eval", "poetry", str(tmp_path))
    assert shown.code == 2
    assert "boundary" in shown.err
    assert remanence("eval", "intent", str(tmp_path / "nothing.jsonl")).code == 2
    assert remanence("eval", "intent", str(tmp_path)).code == 2


def test_the_help_names_every_task(remanence: Remanence) -> None:
    said = " ".join(remanence("eval", "--help").out.replace("│", " ").split())
    assert all(task in said for task in TASKS)
