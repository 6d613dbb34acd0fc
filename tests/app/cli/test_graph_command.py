"""`remanence graph`: around a thing, ways, links drawn and judged, names merged and unmerged, files, a rebuild; each act taken back."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.app.cli.conftest import Remanence


@pytest.mark.usefixtures("way")
def test_around_way_links_and_file(remanence: Remanence, tmp_path: Path) -> None:
    assert remanence("graph").out == "Nothing is remembered yet.\n"
    remanence("memories", "add", "Exports are CSV.")
    remanence("memories", "add", "Deploys run at night.")
    found = remanence("graph", "neighbours", "night", "--json").value
    assert [node["title"] for node in found["nodes"]] == ["Deploys run at night"]
    assert remanence("graph", "neighbours", "CSV").out.startswith("Around memory:")
    assert "No path between them" in remanence("graph", "path", "CSV", "night").out
    for words in (("path", "memory:1", "memory:99"), ("neighbours", "memory:99")):
        assert remanence("graph", *words).err.startswith("There is no memory:99 in the graph.")
    drawn = remanence(
        "graph", "link", "night", "CSV", "--type", "depends_on", "--reason", "one file a night", "--json"
    ).value
    assert (drawn["from_id"], drawn["to_id"]) == ("memory:2", "memory:1")
    assert remanence("graph", "path", "CSV", "night").out == "  Deploys run at night  –depends on→  Exports are CSV\n"
    assert "Removed the link" in remanence("graph", "unlink", "night", "CSV", "--type", "depends_on").out
    assert remanence("graph", "unlink", "night", "CSV", "--type", "depends_on").code != 0
    remanence("undo")
    assert len(remanence("graph", "path", "CSV", "night", "--json").value["links"]) == 1
    assert "Rejected" in remanence("graph", "reject", "night", "CSV", "--type", "depends_on").out
    assert "No path between them" in remanence("graph", "path", "CSV", "night").out
    for words in (("path", "memory:1", "memory:99"), ("neighbours", "memory:99")):
        assert remanence("graph", *words).err.startswith("There is no memory:99 in the graph.")
    assert remanence("graph", "accept", "night", "CSV", "--json").value["is_accepted"] is True
    path = tmp_path / "graph.graphml"
    assert remanence("graph", "export", str(path), "--around", "CSV").out == "Wrote 1 file.\n"
    assert ET.parse(path).getroot().tag.endswith("graphml")
    missing = remanence("graph", "neighbours", "kubernetes")
    assert missing.code != 0
    assert "Nothing is called" in missing.err
    rebuilt = remanence("graph", "rebuild", "--json").value
    assert rebuilt == {"link_count": 0, "added_count": 0, "removed_count": 0, "thing_count": 2}
    assert "No two names" in remanence("graph", "merge").out
    assert "was merged into another" in remanence("graph", "unmerge", "planet").err
