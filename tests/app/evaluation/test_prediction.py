"""A small history whose turns change the same files: each prompt is asked before its turn, and each signal can be left out."""

import json
from pathlib import Path
from typing import Any

from tests.app.cli.conftest import Remanence, remanence
from tests.app.evaluation.test_sessions import prompt, write

__all__ = ["remanence"]  # the fixture


def turn(number: int, *files: str, session: str = "one") -> dict[str, Any]:
    tools = [{"name": "Edit", "input": {"file_path": f"/w/shop/{file}"}, "result": ""} for file in files]
    return prompt(number, f"Change the colour of part {number}", session=session, tools=tools)


def test_what_is_at_hand_is_expected_and_goes_with_its_signals(remanence: Remanence, tmp_path: Path) -> None:
    stream = tmp_path / "shop.mine.jsonl"
    write(stream, [turn(1, "a.py", "b.py"), turn(2, "a.py"), turn(3), turn(4, "b.py"), turn(5, "new.py")])

    found = json.loads(remanence("eval", "prediction", str(stream), "--json").out)

    assert (found["n"], found["file_needed"]) == (4, 5)
    assert found["file_known"] == 0.4  # a.py and b.py the second time; no history says what is new
    assert found["file_hit_of_known_at_10"] == 1.0
    assert found["file_hit_at_10"] == found["file_last_at_10"] == 0.5
    assert found["file_at_10_without_hour"] == found["file_at_10_without_graph"] == 0.5
    assert "memory_hit_at_10" not in found  # nothing was remembered
    said = [found[name] for name in found if name.startswith("file_said_") and name.endswith("_count")]
    assert sum(said) > 0
    assert 0 < found["file_calibration_error"] < 1


def test_a_file_that_a_host_names_from_the_project_is_the_one_that_is_expected(
    remanence: Remanence, tmp_path: Path
) -> None:
    stream = tmp_path / "shop.mine.jsonl"
    tools = [{"name": "Edit", "input": {"file_path": "src/a.py"}, "result": ""}]
    write(stream, [prompt(at, f"Change part {at}", session="one", tools=tools) for at in (1, 2)])
    assert json.loads(remanence("eval", "prediction", str(stream), "--json").out)["file_hit_at_10"] == 0.5
