"""What a commit, a pull request, a decision record or a file hangs on is found by it; and what is given where, by that."""

import pytest

from app.api import ArtifactKind, Engine, MemoryDraft, MemoryFilter, RecallQuery, Visibility
from app.deciders.recall.ranking.grammar import parse_search


@pytest.fixture
def kept(engine: Engine) -> dict[str, int]:
    made = {
        name: engine.memories.create(MemoryDraft(f"The {name} is round.", visibility=where))
        for name, where in (
            ("heron", Visibility.SYSTEM), ("stork", Visibility.PROJECT_SHARED), ("crane", Visibility.USER_PRIVATE)
        )
    }  # fmt: skip
    engine.memories.attach(made["heron"], ArtifactKind.ADR, "docs/adr/0012-round.md")
    engine.memories.attach(made["stork"], ArtifactKind.PR, "#45")
    engine.memories.attach(made["crane"], ArtifactKind.COMMIT, "1a2b3c4d")
    return made


@pytest.mark.seed("S4", "schema.scope", "schema.artifacts")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("artifact:adr", ["heron"]),
        ("artifact:ADR", ["heron"]),
        ("artifact:0012-round.md", ["heron"]),
        ("artifact:#45", ["stork"]),
        ("artifact:#4", []),
        ("artifact:1a2b", ["crane"]),
        ("artifact:2b3c", []),
        ("artifact:%", []),
        ("visibility:system", ["heron"]),
        ("visibility:shared visibility:system", ["heron", "stork"]),
        ("visibility:user-private", ["crane"]),
    ],
)
def test_list_and_search_agree(engine: Engine, kept: dict[str, int], query: str, names: list[str]) -> None:
    words, where = parse_search(query, engine.clock.now())
    assert not words
    expected = {kept[name] for name in names}
    assert {card.id for card in engine.memories.list(where).cards} == expected
    found = engine.search.find(RecallQuery("which is round", filters=where, limit=10))
    assert {hit.card.id for hit in found.hits if hit.card} == expected


def test_what_is_no_visibility_stays_a_word(engine: Engine) -> None:
    assert parse_search("visibility:nobody", engine.clock.now()) == ("visibility:nobody", MemoryFilter())
