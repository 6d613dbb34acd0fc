"""The wheel holds what the app needs at run time, and works from another folder in an environment of its own."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = ("tests/", "packaging/", ".venv/", "ui/tests/")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True, timeout=300)
    (found,) = folder.glob("remanence-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel in it and the libraries of this one; returns its program."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(folder)], check=True, timeout=120)
    libraries = [entry for entry in sys.path if entry.endswith("site-packages")]
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text("\n".join(libraries) + "\n")
    pip = [
        str(folder / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--force-reinstall",
    ]
    subprocess.run([*pip, str(wheel)], check=True, timeout=300)
    return folder / "bin" / "remanence"


def run(program: Path, *arguments: str, cwd: Path) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [program, *arguments], cwd=cwd, env=env, check=True, capture_output=True, text=True, timeout=300
    )
    return done.stdout


def test_every_resource_and_module_is_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    resources = {
        f"remanence/app/_resources/{path.relative_to(ROOT / 'resources')}"
        for path in (ROOT / "resources").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    modules = {
        f"remanence/{path.relative_to(ROOT)}" for folder in ("app", "ui") for path in (ROOT / folder).rglob("*.py")
    }
    assert resources
    assert resources - names == set()
    assert modules - names == set()
    assert "remanence/app/hook/remanence_hook.py" in names


def test_nothing_else_is_inside(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.startswith(FORBIDDEN) or name.endswith((".pyc", ".db"))]
    assert {name.split("/")[0] for name in names} - {"remanence"} == {
        name.split("/")[0] for name in names if ".dist-info/" in name
    }


def test_both_commands_are_declared(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (entry,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
    text = archive.read(entry).decode()
    assert "remanence = remanence.__main__:main" in text
    assert "remanence-gui = remanence.__main__:gui_main" in text


IMPORT_ALL = """
import importlib, pkgutil, sys, remanence
names = [found.name for found in pkgutil.walk_packages(remanence.__path__, "remanence.")]
run = [name for name in names if ".hook." not in name and not name.endswith(("__main__", "remanence_cli"))]
for name in run:
    importlib.import_module(name)
strangers = sorted({name.split(".")[0] for name in sys.modules} & {"app", "ui"})
print(len(run), strangers, importlib.util.find_spec("app"), importlib.util.find_spec("ui"))
"""


def test_every_module_can_be_imported_and_none_is_called_app_or_ui(installed: Path, tmp_path: Path) -> None:
    count, rest = run(installed.with_name("python"), "-P", "-c", IMPORT_ALL, cwd=tmp_path).split(" ", 1)
    assert rest == "[] None None\n"
    assert int(count) > 500


def test_the_window_opens(installed: Path, tmp_path: Path) -> None:
    run(installed, "--home", str(tmp_path / "memory"), "gui", "--offscreen-smoke", cwd=tmp_path)
    run(installed, "gui", "--screenshot-all", str(tmp_path / "pictures"), cwd=tmp_path)
    assert len(list((tmp_path / "pictures").glob("*.png"))) > 30


def test_the_package_itself_and_the_script_that_assistants_start_are_the_command_line(
    installed: Path, tmp_path: Path
) -> None:
    python = installed.with_name("python")
    (script,) = installed.parent.parent.rglob("remanence_cli.py")
    assert run(python, "-P", "-m", "remanence", "--version", cwd=tmp_path).startswith("remanence ")
    assert run(python, "-P", str(script), "--version", cwd=tmp_path).startswith("remanence ")


def test_it_starts_from_another_folder(installed: Path, tmp_path: Path) -> None:
    assert run(installed, "--version", cwd=tmp_path).startswith("remanence ")
    found = run(installed, "info", cwd=tmp_path)
    assert str(installed.parent.parent) in found
    assert "_resources" in found
    assert str(ROOT) not in found


def test_it_keeps_and_shows_a_message_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    home = str(tmp_path / "memory")
    run(installed, "--home", home, "window", "log", "add a dark mode", cwd=tmp_path)
    assert "add a dark mode" in run(installed, "--home", home, "window", "load", cwd=tmp_path)
    assert "!!" not in run(installed, "--home", home, "doctor", cwd=tmp_path)


PLAN_IN_A_CHILD = """
from pathlib import Path
from remanence.app.api import Engine, MemoryDraft, Places
engine = Engine.open(Places.under(Path("home").resolve()))
for _ in range(2):
    engine.memories.create(MemoryDraft("Never push to main."))
engine.settings.set("consolidation_in_place", 0)
print(engine.consolidation.run().report.deduped)
engine.close()
"""


def test_a_run_is_planned_in_a_child(installed: Path, tmp_path: Path) -> None:
    assert run(installed.with_name("python"), "-P", "-c", PLAN_IN_A_CHILD, cwd=tmp_path) == "1\n"


def test_the_demo_is_filled(installed: Path, tmp_path: Path) -> None:
    run(installed, "gui", "--demo", "--screenshot-all", str(tmp_path / "pictures"), cwd=tmp_path)
    assert len(list((tmp_path / "pictures").glob("*.png"))) > 30
