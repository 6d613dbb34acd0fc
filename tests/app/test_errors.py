"""Every error a person can meet says what to do next: looked for in the code itself, so that a new one says it too."""

import ast
from pathlib import Path

import pytest

import app
from app.connect.base import ConnectRefusedError
from app.errors import RemanenceError
from app.interop.prompts import ImportRefusedError
from app.server.problems import Refusal

ROOT = Path(app.__file__).parent


def names_of(family: type[RemanenceError]) -> set[str]:
    return {family.__name__}.union(*(names_of(one) for one in family.__subclasses__()))


def without_a_next_step(source: str) -> list[str]:
    """The errors that are made without a hint."""
    names = names_of(RemanenceError)
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            hints = [one.value for one in node.keywords if one.arg == "hint"]
            if not hints or (isinstance(hints[0], ast.Constant) and not hints[0].value):
                found.append(ast.unparse(node))
    return found


def test_the_look_itself() -> None:
    assert {one.__name__ for one in (ConnectRefusedError, ImportRefusedError, Refusal)} <= names_of(RemanenceError)
    assert len(without_a_next_step("raise InvalidError('x')\nraise NotFoundError('y', hint='')")) == 2
    assert without_a_next_step("raise InvalidError('x', hint='Write it.')\nraise ValueError('z')") == []


@pytest.mark.parametrize("folder", sorted(path.name for path in ROOT.iterdir() if path.is_dir()))
def test_every_error_says_what_to_do_next(folder: str) -> None:
    files = [*(ROOT / folder).rglob("*.py")]
    said = {str(path.relative_to(ROOT)): without_a_next_step(path.read_text(encoding="utf-8")) for path in files}
    assert {name: found for name, found in said.items() if found} == {}
