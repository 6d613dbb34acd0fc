"""The wheel has everything of ours inside one package: what the build does to imports, and that it can do it to every module."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def layout() -> ModuleType:
    """The build's own file, read by its path as hatchling reads it."""
    spec = spec_from_file_location("wheel_layout", ROOT / "packaging" / "wheel_layout.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("written", "moved"),
    [
        ("from app.api import Engine", "from remanence.app.api import Engine"),
        ("from ui import icons", "from remanence.ui import icons"),
        ("if x:\n    from app import clock", "if x:\n    from remanence.app import clock"),
        ("import app.clock as clock", "import remanence.app.clock as clock"),
        (">>> from app.clock import Clock", ">>> from remanence.app.clock import Clock"),
        ("from . import app", "from . import app"),
        ("from apple import ui", "from apple import ui"),
        ("import application", "import application"),
        ('name = "from app.api"', 'name = "from app.api"'),
    ],
)
def test_imports_of_ours_get_the_package_in_front(layout: ModuleType, written: str, moved: str) -> None:
    is_example = written.startswith(">>>")
    quote = '"""' if is_example else ""
    assert layout.move_imports(f"{quote}\n{written}\n{quote}", "x.py") == f"{quote}\n{moved}\n{quote}"


@pytest.mark.parametrize("written", ["import app.clock", "import os, app", "x = 1; from app import clock"])
def test_an_import_that_cannot_be_moved_stops_the_build_and_names_its_line(layout: ModuleType, written: str) -> None:
    with pytest.raises(ValueError, match=r"x\.py:2: "):
        layout.move_imports(f"\n{written}", "x.py")


def test_every_module_can_be_moved(layout: ModuleType) -> None:
    modules = [path for folder in ("app", "ui", "resources") for path in (ROOT / folder).rglob("*.py")]
    assert len(modules) > 500
    for module in modules:
        layout.move_imports(module.read_text(encoding="utf-8"), str(module.relative_to(ROOT)))
