"""S9: what an assistant is told beside the frame — suggestions too — says nothing of what may not be told there."""

import pytest

from app.api import Engine, MemoryDraft, Origin
from app.values import Visibility

NAMED = "The zanzibarite is rolled out on Fridays."
SLIP = "zanzibarit"


@pytest.mark.parametrize(
    ("draft", "origin", "is_told"),
    [
        (MemoryDraft(NAMED, project_path="/w/here"), Origin.PERSON, True),
        (MemoryDraft(NAMED), Origin.PERSON, True),
        (MemoryDraft(NAMED, project_path="/w/there", visibility=Visibility.PROJECT_SHARED), Origin.PERSON, True),
        (MemoryDraft(NAMED, project_path="/w/there"), Origin.PERSON, False),
        (MemoryDraft(NAMED, project_path="/w/here"), Origin.API, False),
    ],
    ids=["own", "of no project", "shared", "of another project", "proposed"],
)
def test_a_slip_is_corrected_only_by_words_that_may_be_told(
    engine: Engine, draft: MemoryDraft, origin: Origin, *, is_told: bool
) -> None:
    engine.memories.create(MemoryDraft("We indent by two.", project_path="/w/here"))
    engine.memories.create(draft, origin=origin)
    told = engine.telling.recall(f"when is {SLIP} released?", engine.telling.place("/w/here"))
    said = told.text + told.note
    assert ("zanzibarite" in said) == is_told, said


@pytest.mark.parametrize("topic", ["word " * 5_000, "%_" * 2_000])
def test_a_topic_of_any_length_is_answered(engine: Engine, topic: str) -> None:
    assert engine.telling.timeline(engine.telling.place("/w/here"), topic=topic).text == ""
