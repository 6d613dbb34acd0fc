"""How the wheel is laid out: everything of ours under one package, `remanence`, so that no `app` and no `ui` stand in site-packages.

The folders keep their names in the checkout. When a wheel is built, their modules are copied and their imports get the
prefix: `from app.api import Engine` becomes `from remanence.app.api import Engine`. What is read back must name neither
`app` nor `ui` at its top, else the build fails with the place. An editable installation runs the checkout itself and adds only
`remanence/__main__.py`, to which both commands lead. `tests/packaging/test_wheel.py` imports every module of the
installed wheel and runs it. Hatchling calls this file by its name in pyproject.toml.
"""

import ast
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "remanence"
MOVED = ("app", "ui")
_IMPORT = re.compile(rf"^(\s*(?:>>> |\.\.\. )?(?:from|import) )({'|'.join(MOVED)})(?=[.\s])", re.MULTILINE)
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")
_START = '"""`python -m remanence`: the command line."""\n\nfrom {prefix}app.cli.main import gui_main, main\n\n__all__ = ["gui_main", "main"]\n\nif __name__ == "__main__":\n    main()\n'


class CustomBuildHook(BuildHookInterface[Any]):
    """Lays the files out in a folder beside the checkout's, which is gone when the wheel is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="remanence-wheel-"))
        package = self.folder / PACKAGE
        package.mkdir()
        (package / "__init__.py").write_text(
            '"""Remanence: the memory of your coding assistants."""\n', encoding="utf-8"
        )
        is_editable = version == "editable"
        (package / "__main__.py").write_text(
            _START.format(prefix="" if is_editable else f"{PACKAGE}."), encoding="utf-8"
        )
        if not is_editable:
            self._copy_all(package)
        build_data["force_include_editable" if is_editable else "force_include"][str(package)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        shutil.rmtree(self.folder, ignore_errors=True)

    def _copy_all(self, package: Path) -> None:
        root = Path(self.root)
        for name in MOVED:
            shutil.copytree(root / name, package / name, ignore=_LEFT_OUT)
        shutil.copytree(root / "resources", package / "app" / "_resources", ignore=_LEFT_OUT)
        for module in package.rglob("*.py"):
            text = module.read_text(encoding="utf-8")
            moved = move_imports(text, str(module.relative_to(package)))
            if moved != text:
                module.write_text(moved, encoding="utf-8")


def move_imports(text: str, name: str) -> str:
    """The module's text with `app` and `ui` imported from the package. Raises ValueError where one is left, with its line.

    >>> move_imports("from app.api import Engine", "x.py")
    'from remanence.app.api import Engine'
    """
    moved = _IMPORT.sub(rf"\g<1>{PACKAGE}.\g<2>", text)
    for node in ast.walk(ast.parse(moved, name)):
        if isinstance(node, ast.ImportFrom):
            is_left = node.level == 0 and (node.module or "").split(".")[0] in MOVED
        elif isinstance(node, ast.Import):
            # `import app.x` binds the name `app`, which would be another one in the wheel
            is_left = any(alias.name.split(".")[0] in {*MOVED, PACKAGE} and not alias.asname for alias in node.names)
        else:
            continue
        if is_left:
            raise ValueError(f"{name}:{node.lineno}: write this import as `from … import …`, so that it can be moved.")
    return moved
