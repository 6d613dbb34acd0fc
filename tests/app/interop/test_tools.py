"""What is kept of a tool call, from a live hook and from a transcript alike."""

from typing import Any

from app.interop.tool_calls import reduced_call, tool_outcomes
from app.values import ToolOutcome
from tests.table import table

PATCH = "*** Begin Patch\n*** Add File: a.py\n+code\n*** Update File: b.py\n*** Move to: c.py\n*** End Patch"


@table(
    ("payload", "outcomes"),
    [
        (
            {"tool_name": "Edit", "tool_input": {"file_path": "a.py"}, "tool_response": {"filePath": "a.py"}},
            [ToolOutcome("Edit", "a.py")],
        ),
        (
            {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "", "stderr": "x"}},
            [ToolOutcome("Bash", command="make")],
        ),
        (
            {
                "tool_name": "shell",
                "tool_input": {"command": ["bash", "-lc", "make"]},
                "tool_response": {"exit_code": 2},
            },
            [ToolOutcome("shell", command="make", exit_status=2, is_error=True)],
        ),
        (
            {"tool_name": "Write", "tool_input": {"file_path": "a"}, "tool_response": {"is_error": True}},
            [ToolOutcome("Write", "a", is_error=True)],
        ),
        (
            {"tool_name": "apply_patch", "tool_input": {"command": PATCH}, "tool_response": "Success"},
            [ToolOutcome("apply_patch", name) for name in ("a.py", "b.py", "c.py")],
        ),
        (
            {"tool_name": "shell", "tool_input": {"command": f"apply_patch <<EOF\n{PATCH}\nEOF"}},
            [ToolOutcome("shell", name, "apply_patch <<EOF\n") for name in ("a.py", "b.py", "c.py")],
        ),
        ({"tool_name": "Read", "tool_input": {"file_path": "a.py"}}, []),
        ({"tool_name": "Edit", "tool_input": "odd"}, []),
        ({"tool_name": 3}, []),
    ],
)
def test_outcomes(payload: dict[str, Any], outcomes: list[ToolOutcome]) -> None:
    assert list(tool_outcomes(payload)) == outcomes
    reduced = reduced_call(str(payload["tool_name"]), "t1", payload.get("tool_input"))
    again = {} if reduced is None else reduced | {"tool_response": payload.get("tool_response")}
    assert list(tool_outcomes(again)) == outcomes


def test_contents_are_dropped() -> None:
    for name in ("apply_patch", "shell"):
        assert "code" not in repr(reduced_call(name, "t1", {"command": PATCH}))
