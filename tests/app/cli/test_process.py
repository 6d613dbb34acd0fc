"""The log of `serve`: private in every file of its rotation, bounded, and it refuses a planted link."""

import logging
import stat

import pytest

from app.api import Places
from app.cli.process import LOG_FILE_COUNT, start_log, stop_log
from app.errors import EnvironmentProblem


def test_rotated_files_stay_private_few_and_small(places: Places) -> None:
    handler = start_log(places, 2_000)
    for number in range(200):
        logging.getLogger("app.somewhere").warning("a line of some length, number %d", number)
    stop_log(handler)
    files = sorted(places.log_path.parent.glob("remanence.log*"))
    assert len(files) == LOG_FILE_COUNT
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert all(path.stat().st_size <= 2_000 for path in files)
    assert "number 199" in places.log_path.read_text()


def test_a_link_in_its_place_is_refused(places: Places) -> None:
    places.prepare()
    precious = places.data_dir / "precious"
    precious.write_text("keep me")
    places.log_path.symlink_to(precious)
    with pytest.raises(EnvironmentProblem, match="is a link"):
        start_log(places, 2_000)
    assert precious.read_text() == "keep me"
