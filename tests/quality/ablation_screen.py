"""What each function and pattern of the deciders says at all, counted in one run: what says nothing cannot change anything.

    python -m tests.quality.ablation_screen DATA [TASK …] [--stream NAME] [--most N]

TASK and DATA as for `ablation`; `--stream` plays a labelled stream through the app's routes as well. Printed is, per function: calls, and how
often the answer was not what says nothing; per pattern how often it matched. A hundred switches cost a run each, this costs one: it is the
first look, and the switch itself has the last word.
"""

import argparse
import contextlib
import functools
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.cli.main import main as run
from tests.quality import ablation
from tests.quality.ablation_switches import neutral_of, off

_FOLDERS = ("deciders", "language")
_asked: Counter[str] = Counter()
_said: Counter[str] = Counter()


def watch() -> None:
    """Puts a counter around every function and pattern of the deciders."""
    app = Path(ablation.__file__).parents[2] / "app"
    files = [one for folder in _FOLDERS for one in sorted((app / folder).rglob("*.py")) if "training" not in one.name]
    for file in files:
        module = ".".join(file.relative_to(app.parent).with_suffix("").parts).removesuffix(".__init__")
        for name, known in list(vars(importlib.import_module(module)).items()):
            if isinstance(known, re.Pattern):
                if name.isupper():
                    off(f"{module}:{name}", _Watched(f"{module}:{name}", known))
            elif callable(known) and getattr(inspect.unwrap(known), "__module__", "") == module:
                plain = inspect.unwrap(known)
                stand_in = neutral_of(known) if inspect.isfunction(plain) else None
                if stand_in is not None and not name.startswith("load"):
                    off(f"{module}:{name}", _counted(f"{module}:{name}", known, stand_in))


def _counted(name: str, function: Callable[..., Any], stand_in: Callable[..., Any]) -> Callable[..., Any]:
    _asked[name] += 0

    @functools.wraps(function)
    def counted(*given: Any, **named: Any) -> Any:
        answer = function(*given, **named)
        _asked[name] += 1
        if inspect.isgenerator(answer):
            return _each(name, answer)
        _said[name] += bool(answer != stand_in(*given, **named))
        return answer

    return counted


def _each(name: str, found: Iterator[Any]) -> Iterator[Any]:
    is_first = True
    for one in found:
        _said[name] += is_first
        is_first = False
        yield one


class _Watched:
    """A pattern that counts its matches."""

    def __init__(self, name: str, pattern: re.Pattern[str]) -> None:
        self._name, self._of = name, pattern
        _asked[name] += 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        return functools.partial(self._count, found) if callable(found) else found

    def _count(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        _asked[self._name] += 1
        answer = call(*given, **named)
        if call.__name__ in {"match", "search", "fullmatch", "findall"}:
            _said[self._name] += bool(answer)
        else:  # sub, split, finditer
            text = given[1] if call.__name__ in {"sub", "subn"} else given[0]
            _said[self._name] += self._of.search(text) is not None
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("tasks", nargs="*", help="; ".join(ablation.TASKS))
    parser.add_argument("--thin", type=int, default=1)
    parser.add_argument("--stream", action="append", default=[])
    parser.add_argument("--most", type=int, default=2, help="print what said something at most so often")
    given = parser.parse_args()
    watch()
    data = ablation.Data(given.data, given.thin)
    if not set(given.tasks).isdisjoint(ablation.PREPARED):
        ablation.prepare(data)
    for name in given.tasks:
        ablation.TASKS[name](data)
        print(f"## {name}", *_seldom(given.most), sep="\n", flush=True)
    for name in given.stream:
        with contextlib.suppress(SystemExit):
            run(["eval", "sessions", str(given.data / "sessions" / f"{name}.dev.jsonl"), "--json"])
        print(f"## {name}", *_seldom(given.most), sep="\n", flush=True)


def _seldom(most: int) -> list[str]:
    """What said something at most so often, up to now."""
    return [
        f"{_said[name]:6d} of {count:7d}  {name.removeprefix('app.')}"
        for name, count in sorted(_asked.items())
        if _said[name] <= most
    ]


if __name__ == "__main__":
    main()
