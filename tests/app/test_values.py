"""Values are read when they are asked for: the lists of names agree, and nothing comes along that nobody asked for."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import app.api
import app.values
from tests.patience import PATIENCE_S


def test_every_name_has_its_module_and_is_found_from_both_doors() -> None:
    defined = {
        name: module
        for module in app.values._HOMES
        for node in ast.parse(
            Path(app.values.__file__ or "").with_name(f"{module}.py").read_text(encoding="utf-8")
        ).body
        for name in names_bound_by(node)
        if not name.startswith("_")
    }
    assert defined == app.values._MODULE_OF
    for name, module in defined.items():
        assert getattr(app.values, name) is getattr(sys.modules[f"app.values.{module}"], name)
        assert getattr(app.api, name) is getattr(app.values, name)
    for door in (app.values, app.api):
        with pytest.raises(AttributeError, match="Nonsense"):
            door.Nonsense  # noqa: B018


def names_bound_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def test_until_the_window_is_painted_nothing_of_the_engine_is_read() -> None:
    code = (
        "import json, sys\nfrom app.cli import window\nfrom app.cli.main import run\n"
        "window.open_window = lambda *_: __import__('ui.main') and 0\n"
        "sys.stdout.write(json.dumps([run([]), sorted(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=PATIENCE_S,
        env={"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    status, read = json.loads(done.stdout)
    assert status == 0
    assert "ui.shell.main_window" in read
    late = {"typer", "yaml", "pydantic", "sqlalchemy", "app.api", "app.values.memory", "ui.shell.palette"}
    assert not late & set(read)
