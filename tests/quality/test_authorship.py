"""Others' words in a message (pastes.jsonl: 200 messages by a writer who had not read the rules): found, and never a memory.

Of pastes.jsonl half A was open while the rules were written, half B was not read then; since then the weights of `voice` were learned
from both. pastes_unseen.jsonl (120, by another writer) was looked at once, totals only, after everything was written: its figures are
what holds for texts nobody has seen. `own` and `foreign` are stretches of the text.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from app.api import Engine, MemoryFilter, MemoryStatus
from app.deciders.conversation.authorship import own_words, split_authors
from app.deciders.conversation.authorship_model import may_be_pasted
from app.values import Trust
from tests.conftest import Say
from tests.table import table


def load(name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (Path(__file__).parent / "labels" / name).read_text(encoding="utf-8").splitlines()
    ]


ROWS, UNSEEN = load("pastes.jsonl"), load("pastes_unseen.jsonl")
LEAST_FOUND, LEAST_CAUGHT, LEAST_KEPT, MOST_UNSURE, MOST_LEAKED = 0.68, 0.93, 0.94, 0.25, 9


def half(row: dict[str, Any]) -> str:
    return "AB"[int(hashlib.sha256(str(row["id"]).encode()).hexdigest(), 16) % 2]


def stands(text: str, own: str, part: str) -> tuple[bool, bool]:
    """Whether the part is wholly own, and whether anything of it is."""
    at = text.index(part)
    kept = own[at : at + len(part)]
    return kept == part, bool(kept.strip())


@table(("which", "least_found", "least_kept"), [("A", 0.99, 0.98), ("B", 0.86, 0.94)])
def test_stretches_of_others_are_found_and_the_persons_own_are_kept(
    which: str, least_found: float, least_kept: float
) -> None:
    rows = [row for row in ROWS if half(row) == which]
    found = [not stands(row["text"], own_words(row["text"]), part)[1] for row in rows for part in row["foreign"]]
    kept = [stands(row["text"], own_words(row["text"]), part)[0] for row in rows for part in row["own"]]
    print(f"half {which}: foreign found {sum(found)} of {len(found)}, own kept {sum(kept)} of {len(kept)}")
    assert sum(found) / len(found) >= least_found
    assert sum(kept) / len(kept) >= least_kept


def test_of_unseen_messages_others_words_are_found_and_own_kept() -> None:
    found = [not stands(row["text"], own_words(row["text"]), part)[1] for row in UNSEEN for part in row["foreign"]]
    kept = [stands(row["text"], own_words(row["text"]), part)[0] for row in UNSEEN for part in row["own"]]
    unsure = [is_unsure(row["text"], part) for row in UNSEEN for part in row["own"]]
    print(
        f"unseen: foreign found {sum(found)} of {len(found)}, own kept {sum(kept)} of {len(kept)}, unsure {sum(unsure)}"
    )
    caught = [
        not stands(row["text"], own_words(row["text"]), part)[1] or is_unsure(row["text"], part)
        for row in UNSEEN
        for part in row["foreign"]
    ]
    print(f"unseen: foreign found or unsure {sum(caught)} of {len(caught)}")
    assert sum(found) / len(found) >= LEAST_FOUND
    assert sum(caught) / len(caught) >= LEAST_CAUGHT
    assert sum(kept) / len(kept) >= LEAST_KEPT
    assert sum(unsure) / len(unsure) <= MOST_UNSURE


def is_unsure(text: str, part: str) -> bool:
    at = text.index(part)
    return may_be_pasted(text, [(at, at + len(part))])[0]


def test_stretches_follow_one_another_without_a_gap() -> None:
    for row in (*ROWS, *UNSEEN):
        assert "".join(row["text"][one.start : one.end] for one in split_authors(row["text"])) == row["text"]
        assert len(own_words(row["text"])) == len(row["text"])


@pytest.mark.parametrize(("rows", "most_leaked"), [(ROWS, 0), (UNSEEN, MOST_LEAKED)], ids=["seen", "unseen"])
def test_no_words_of_others_become_the_persons_memories(
    engine: Engine, say: Say, rows: list[dict[str, Any]], most_leaked: int
) -> None:
    """Each pasted message through the engine."""
    leaked: list[str] = []
    active: list[str] = []
    for number, row in enumerate(rows):
        if row["foreign"]:
            say(row["text"], session=f"s{number}", cwd=f"/w/{row['id']}")
    listed = engine.memories.list(MemoryFilter(statuses=tuple(MemoryStatus), min_trust=Trust.SPOKEN), limit=500).cards
    by_project = {row["id"]: row for row in rows}
    for card in listed:
        quotes = [source.quote for source in engine.memories.get(card.id).sources]
        foreign = by_project[card.project]["foreign"]
        leaked += [quote for quote in quotes if any(part in quote or quote.rstrip(".") in part for part in foreign)]
        active += [quote for quote in leaked if card.status is MemoryStatus.ACTIVE and quote in quotes]
    print(f"{len(listed)} memories of trust 2, {len(leaked)} hold others' words, of these {len(active)} active")
    assert len(leaked) <= most_leaked
    assert active == []
