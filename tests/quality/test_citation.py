"""How well it is recognised what an answer, a tool or the next prompt took up of what was told: dialogues written for this test.

Figures: `pytest -s`. Source: S4 "Usage Tracker".
"""

from collections.abc import Sequence

from app.deciders.recall.context.citation import GivenText, find_citations
from tests.quality.citation_dialogues import HELD_OUT, WORKED_ON, Dialogue
from tests.table import table


def measure(dialogues: Sequence[Dialogue]) -> tuple[float, float, list[str]]:
    """Precision and recall of "cited", and the dialogues that were not read right."""
    right = said = meant = 0
    wrong = []
    for one in dialogues:
        given = [GivenText(at, text, value) for at, (text, value) in enumerate(one.given)]
        found = find_citations(one.said, given, question=one.question)
        right, said, meant = right + len(found & one.cited), said + len(found), meant + len(one.cited)
        if found != one.cited:
            wrong.append(one.name)
    return right / said, right / meant, wrong


@table("dialogues", [WORKED_ON, HELD_OUT], ids=["worked on", "held out"])
def test_what_was_taken_up_is_cited_and_little_else(dialogues: Sequence[Dialogue]) -> None:
    precision, recall, wrong = measure(dialogues)
    print(f"cited: precision {precision:.2f}, recall {recall:.2f}; wrong: {', '.join(wrong)}")
    assert precision >= 0.9
    assert recall >= 0.9


def test_what_another_dialogue_said_cites_little() -> None:
    """The control: said after another question, hardly anything may count."""
    everything = [*WORKED_ON, *HELD_OUT]
    told_count = cited_count = 0
    for at, one in enumerate(everything):
        given = [GivenText(place, text, value) for place, (text, value) in enumerate(one.given)]
        for step in (3, 11, 17):
            other = everything[(at + step) % len(everything)]
            told_count += len(given)
            cited_count += len(find_citations(other.said, given, question=other.question))
    print(f"of {told_count} told beside a stranger's answer {cited_count} were called cited")
    assert cited_count / told_count < 0.02
