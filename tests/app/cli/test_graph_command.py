"""`remanence graph`: around a thing, by words, the way between two, and into a file."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.app.cli.conftest import Remanence


@pytest.mark.usefixtures("way")
def test_around_way_and_file(remanence: Remanence, tmp_path: Path) -> None:
    assert remanence("graph").out == "Nothing is known yet.\n"
    remanence("memories", "add", "Exports are CSV.")
    remanence("memories", "add", "Deploys run at night.")
    found = remanence("graph", "night", "--json").value
    assert [node["title"] for node in found["nodes"]] == ["Deploys run at night"]
    assert remanence("graph", "CSV").out.startswith("Around memory:")
    assert "no way between them" in remanence("graph", "CSV", "--to", "night").out
    path = tmp_path / "graph.graphml"
    assert remanence("graph", "CSV", "--export", str(path)).out == "Wrote 1 file.\n"
    assert ET.parse(path).getroot().tag.endswith("graphml")
    missing = remanence("graph", "kubernetes")
    assert missing.code != 0
    assert "Nothing is called" in missing.err
