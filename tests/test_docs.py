"""README and help pages against the program: commands, keys, links, settings and folders that they name exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from app.cli.commands import build_commands
from app.deciders.memory.rules import FILES as MEMORY_FILES
from app.resources import OWN_RULES, load_rules, resource_path, shipped_rules
from app.settings import Settings
from ui.actions.table import ACTIONS
from ui.screens.help.pages import HELP_PAGES
from ui.screens.registry import SCREENS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in resource_path("help").glob("*.md")}


@pytest.mark.seed("S1", "road.docs")
def test_every_help_page_is_reachable_and_every_listed_one_is_there() -> None:
    assert set(PAGES) | {"shortcuts"} == {page.id for page in HELP_PAGES}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_of_help_lead_somewhere(page: str) -> None:
    screens = {screen.id for screen in SCREENS}
    options = " ".join(
        f"{name} {info.title} {info.description}".lower() for name, info in Settings.model_fields.items()
    )
    for link in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        parts = urlsplit(link)
        if parts.scheme == "help":
            assert parts.path in {found.id for found in HELP_PAGES}, link
            continue
        assert parts.scheme == "remanence", link
        assert parts.netloc in screens, link
        asked = parse_qs(parts.query).get("q", [""])[0]
        assert asked in {"privacy", "secrets", "places", "failed", "statistics", "review"} or asked in options, link


@pytest.mark.parametrize("page", sorted(PAGES))
def test_keys_of_help_exist(page: str) -> None:
    known = {key for spec in ACTIONS for key in spec.shortcuts}
    named = re.findall(r"\*\*((?:Ctrl\+|Shift\+|Alt\+)*(?:[A-Z]|F\d+|\?))\*\*|\((Ctrl\+\w)\)", PAGES[page])
    assert {one or other for one, other in named} <= known


def test_commands_of_the_readme_exist() -> None:
    known = set(build_commands().commands)
    named = re.findall(r"`remanence ([a-z]+)", README)
    assert len(named) > 4
    assert set(named) <= known


def test_folders_and_files_of_the_readme_exist() -> None:
    named = re.findall(r"(?<![\w/<.])((?:app|ui|resources|packaging)/[\w./-]+)", README)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_words_lists_can_be_laid_over_as_the_readme_says(tmp_path: Path) -> None:
    (tmp_path / "sessions.yaml").write_text("resume_phrases: [on we go]\nremove_resume_phrases: [resume]\n")
    phrases = load_rules("sessions", tmp_path)["resume_phrases"]
    assert "on we go" in phrases
    assert "resume" not in phrases


def test_the_readme_names_the_word_lists_that_can_be_laid_over() -> None:
    told = README.split("**Your own words:**")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", told)) == OWN_RULES
    assert set(shipped_rules()) >= OWN_RULES
    read_with_own = {
        node.args[0].value
        for path in (ROOT / "app").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "load_rules"
        if len(node.args) > 1 and isinstance(node.args[0], ast.Constant)
    }
    assert read_with_own | set(MEMORY_FILES) == OWN_RULES


def _last_column(heading: str) -> list[str]:
    """The words of the last column of a table in `app/README.md`."""
    page = (ROOT / "app" / "README.md").read_text(encoding="utf-8")
    table = page.split(f"\n{heading}\n")[1].split("\n#")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    return [word.strip() for row in rows[1:] for word in row[2].split(",") if word.strip()]


def _texts_for_people() -> Iterator[tuple[str, str]]:
    """Where, and what: help, README, and the sentences of the window. Code in backticks is no text."""
    for name, text in {"README": README, **PAGES}.items():
        yield name, re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    for path in sorted((ROOT / "ui").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        comments = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments
            if is_text and " " in node.value and "demo" not in path.parts:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def test_texts_for_people_say_no_word_that_the_table_of_words_rules_out() -> None:
    words = _last_column("## Words")
    assert len(words) > 20
    ruled_out = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})s?\b", re.IGNORECASE)
    said = [(where, found.group()) for where, text in _texts_for_people() if (found := ruled_out.search(text))]
    assert said == []


_PLAIN_ROOMS = (
    "capture", "retrieval", "context", "deciders/recall", "store", "api", "server", "cli", "connect", "hook", "assistants",
)  # fmt: skip
_PUBLIC_NAMES = {"ToldAnswer", "told_in"}  # of the API, its description and the command line


def _names_in(path: Path) -> Iterator[str]:
    """What a file names by itself: functions, classes, arguments, variables, fields."""
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def test_names_in_code_hold_no_word_that_the_table_of_names_rules_out() -> None:
    ruled_out = set(_last_column("### Names in code"))
    assert len(ruled_out) > 15
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for room in _PLAIN_ROOMS
        for path in (ROOT / "app" / room).rglob("*.py")
        for name in set(_names_in(path)) - _PUBLIC_NAMES
        if ruled_out & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    }
    assert found == set()


def test_no_definition_in_app_has_a_name_that_was_replaced() -> None:
    ruled_out = set(_last_column("## Replaced names"))
    assert len(ruled_out) > 30
    found = {
        (str(path.relative_to(ROOT)), name)
        for path in (ROOT / "app").rglob("*.py")
        for name in [
            path.stem,
            *(
                node.name
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            ),
        ]
        if name in ruled_out
    }
    assert sorted(found) == []


def test_folders_of_the_tree_exist_and_none_is_left_out() -> None:
    page = (ROOT / "app" / "README.md").read_text(encoding="utf-8").split("## Four flows")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE))
    there = {path.parent.name for path in (ROOT / "app").glob("*/__init__.py")}
    assert named == there


def test_the_flows_pass_modules_that_are_there() -> None:
    page = (ROOT / "app" / "README.md").read_text(encoding="utf-8")
    flows = page.split("## Four flows")[1].split("## Words")[0]
    named = set(re.findall(r"[a-z_]+(?:/[a-z_]+)+", " ".join(flows.split("```")[1::2])))
    assert len(named) > 40
    homes = [ROOT, ROOT / "app"]
    assert [
        one
        for one in sorted(named)
        if not any((home / one).exists() or (home / f"{one}.py").exists() for home in homes)
    ] == []


_ELSEWHERE = {"a.py"}  # examples


@pytest.mark.parametrize("page", sorted((ROOT / "app").rglob("README.md")), ids=lambda page: page.parent.name)
def test_the_modules_that_the_pages_of_the_rooms_name_are_there(page: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("*/**/*.py")}
    named = set(re.findall(r"(?<![\w/.*])((?:\w+/)*\w+\.py)\b", page.read_text(encoding="utf-8"))) - _ELSEWHERE
    assert [one for one in sorted(named) if not any(f"/{module}".endswith(f"/{one}") for module in modules)] == []


def test_all_sql_stands_in_the_store() -> None:
    """The rest of the engine names a connection, a row and the library's errors; it hands no statement to the library or the driver."""
    found = set()
    for path in (ROOT / "app").rglob("*.py"):
        name = path.relative_to(ROOT / "app").as_posix()
        if name.startswith("store/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in {"sqlalchemy", "sqlmodel", "sqlalchemy.sql"}:
                found |= {(name, one.name) for one in node.names if one.name not in {"Connection", "Row"}}
            elif isinstance(node, ast.Attribute) and node.attr in {"execute", "executemany", "exec_driver_sql"}:
                found.add((name, node.attr))
            elif isinstance(node, ast.Constant) and re.match(r"(SELECT|INSERT|UPDATE|DELETE) ", str(node.value)):
                found.add((name, str(node.value)[:20]))
    assert {one for one, _ in found} == {"assistants/opencode/history.py"}, "which reads a database that is not ours"
