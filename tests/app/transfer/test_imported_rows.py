"""S12: a file that was tampered with breaks nobody who reads the memories later, and leaves room for what comes after."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.api import Engine, MemoryDraft, MemoryEdit, RecallQuery
from app.interop.seed3_files import EXTRA
from app.values import ArtifactKind, LinkType

Row = dict[str, Any]


@pytest.fixture
def rows(engine: Engine, tmp_path: Path) -> list[Row]:
    """Two memories with all that hangs on them, as we write them; gone from the store."""
    memories = engine.memories
    one = memories.create(MemoryDraft("We test with a heron.", tags=("bird",)))
    other = memories.create(MemoryDraft("We lint at noon."))
    memories.edit(one, MemoryEdit(full="We test with two herons.", summary="Two herons."))
    memories.attach(one, ArtifactKind.ADR, "ADR-1")
    memories.link(one, other, LinkType.RELATED_TO)
    engine.transfer.export_memories(tmp_path / "m.json")
    memories.erase([one, other])
    found: list[Row] = json.loads((tmp_path / "m.json").read_text())
    return found


def of_memory(name: str, value: object) -> Callable[[Row], None]:
    return lambda extra: extra["memory"].update({name: value})


def of_part(part: str, name: str, value: object) -> Callable[[Row], None]:
    return lambda extra: [one.update({name: value}) for one in extra[part]] and None


def of_state(name: str, value: object) -> Callable[[Row], None]:
    return lambda extra: [one["state"].update({name: value}) for one in extra["versions"]] and None


TAMPERED = {
    "tags that are no words": of_memory("tags", [1, {}]),
    "a level that does not exist": of_memory("edited_levels", ["nope"]),
    "a year that does not exist": of_memory("valid_from", 2**60),
    "a number too large": of_memory("retrieved_count", 2**70),
    "the last number there is": of_memory("id", 2**63 - 1),
    "a text too long": of_memory("full", "x" * 200_001),
    "half a version": of_part("versions", "state", {"title": "t"}),
    "a version that is none": of_part("versions", "state", []),
    "a version with a wrong word": of_state("status", "nope"),
    "a version with a wrong level": of_state("edited_levels", ["nope"]),
    "a version with a number for a text": of_state("full", 5),
    "a version's number too large": of_part("versions", "number", 2**70),
    "an artifact of no kind": of_part("artifacts", "kind", "nope"),
    "a link of no kind": of_part("links", "type", "nope"),
    "a link too strong": of_part("links", "strength", 99),
    "a part with the last number there is": of_part("artifacts", "id", 2**63 - 1),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_row_is_left_out_and_the_rest_can_be_read(
    engine: Engine, rows: list[Row], tmp_path: Path, tamper: Callable[[Row], None]
) -> None:
    for row in rows:
        tamper(row[EXTRA])
    path = tmp_path / "tampered.json"
    path.write_text(json.dumps(rows))
    engine.transfer.import_memories(path, is_own=True)
    added = engine.memories.create(MemoryDraft("We deploy with a crane."))
    engine.memories.attach(added, ArtifactKind.ADR, "ADR-2")
    for card in engine.memories.list().cards:
        for version in engine.memories.get(card.id).versions:
            engine.memories.version_diff(version.id)
    assert engine.search.search(RecallQuery("crane")).hits[0].card.id == added
    assert engine.search.rebuild() == engine.memories.count()


def test_the_control_whole_rows_are_all_taken(engine: Engine, rows: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(rows))
    engine.transfer.import_memories(path, is_own=True)
    first = min(card.id for card in engine.memories.list().cards)
    detail = engine.memories.get(first)
    assert (len(detail.versions), len(detail.artifacts), len(detail.links)) == (1, 1, 1)
