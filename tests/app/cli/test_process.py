"""The log of `serve`: private in every file of its rotation, bounded, and it refuses a planted link."""

import logging
import stat
import subprocess
import sys

import pytest

from app.api import Places
from app.cli.process import start_log, stop_log
from app.errors import EnvironmentProblem
from app.log import LOG_FILES
from tests.flows.processes import ROOT


def test_rotated_files_stay_private_few_and_small(places: Places) -> None:
    handler = start_log(places, 2_000)
    for number in range(200):
        logging.getLogger("app.somewhere").warning("a line of some length, number %d", number)
    stop_log(handler)
    files = sorted(places.log_path.parent.glob("remanence.log*"))
    assert len(files) == LOG_FILES
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


HOLES = """
import sys
from pathlib import Path
from app.cli.process import give_back_memory
def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
if sys.argv[1] == "given back":
    give_back_memory()
del [bytearray(8_000_000) for _ in range(2)][:]  # glibc takes the size of what is freed first for usual
large, small = [], []
for _ in range(60):
    large.append(bytearray(b"x") * 1_000_000)
    small.append(bytearray(3_000))
del large[:]
print(resident_mb())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc keeps what is freed")
def test_what_is_freed_between_things_that_stay_goes_back_to_the_system() -> None:
    left = {
        how: float(subprocess.run([sys.executable, "-c", HOLES, how], cwd=ROOT, capture_output=True, check=True).stdout)
        for how in ("kept", "given back")
    }
    assert left["given back"] < left["kept"] - 40, left
