"""Many cases in one test: as a test of its own a case costs some thousandths of a second before it begins, here nearly nothing."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def table(
    names: str | Sequence[str],
    cases: Iterable[Any],
    *,
    ids: Iterable[str] | Callable[[Any], str] | None = None,
) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, for what needs no fixture of its own. All cases run; those that fail are named together."""
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [_row(case, len(keys), number, ids) for number, case in enumerate(cases)]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            wrong = []
            for label, values in rows:
                try:
                    test(**dict(zip(keys, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    wrong.append(f"[{label}] {type(error).__name__}: {error}")
            assert not wrong, f"{len(wrong)} of {len(rows)} cases\n" + "\n".join(wrong)

        shown = inspect.signature(test)
        left = [value for name, value in shown.parameters.items() if name not in keys]
        run.__signature__ = shown.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    assert rows, "a table without a case shows nothing"
    return decorate


def _row(case: Any, width: int, number: int, ids: Any) -> tuple[str, Sequence[Any]]:
    label = None
    if isinstance(case, type(pytest.param())):
        assert not case.marks, "a case with a mark is a test of its own"
        case, label = (case.values if width > 1 else case.values[0]), case.id
    values = tuple(case) if width > 1 else (case,)
    if label is None and ids is not None:
        label = list(ids)[number] if not callable(ids) else "-".join(str(ids(value)) for value in values)
    return str(label) if label is not None else f"{', '.join(map(repr, values)):.200}", values
