"""The log file: who writes into it, its mode and its size."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.log import OUR_LOGGERS, start_log, stop_log


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """`start(name, max_bytes)` as in a process of our own: pytest's handlers are out of the way from then on."""
    levels = {name: logging.getLogger(name).level for name in OUR_LOGGERS}

    def begin(name: str, max_bytes: int = 1_000_000) -> None:
        monkeypatch.setattr(logging.getLogger(), "handlers", [])
        start_log(tmp_path / name, max_bytes)

    yield begin
    stop_log()
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def test_engine_and_window_write_into_one_private_file(tmp_path: Path, start: Callable[..., None]) -> None:
    path = tmp_path / "remanence.log"
    path.touch(mode=0o644)
    start(path.name)
    logging.getLogger("app.understanding.worker").info("from the engine")
    logging.getLogger("remanence.ui").warning("from the window")
    assert [line.split(" ", 2)[2] for line in path.read_text().splitlines()] == [
        "INFO app.understanding.worker from the engine",
        "WARNING remanence.ui from the window",
    ]
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_stays_below_its_size_and_older_ones_are_few(tmp_path: Path, start: Callable[..., None]) -> None:
    path = tmp_path / "remanence.log"
    start(path.name)
    start(path.name, 1_000)
    for number in range(200):
        logging.getLogger("app").info("line %d", number)
    files = sorted(tmp_path.glob("remanence.log*"))
    assert [file.name for file in files] == ["remanence.log", "remanence.log.1", "remanence.log.2"]
    assert all(file.stat().st_size <= 1_000 for file in files)
    assert "line 199" in path.read_text()


def test_another_place_takes_over(tmp_path: Path, start: Callable[..., None]) -> None:
    start("one.log")
    start("two.log")
    logging.getLogger("app").info("where")
    assert "where" in (tmp_path / "two.log").read_text()
    assert not (tmp_path / "one.log").exists()


def test_logging_that_somebody_set_up_is_left_alone(tmp_path: Path) -> None:
    logging.getLogger().addHandler(logging.NullHandler())
    start_log(tmp_path / "remanence.log", 1_000)
    logging.getLogger("app").error("to the others")
    assert not (tmp_path / "remanence.log").exists()
