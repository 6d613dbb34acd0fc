"""Episodes that overlap become one story; a project keeps so many whole; parts are kept, and all of it can be taken back."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from app.api import ArtifactKind, Engine, EpisodeFilter, MemoryStatus, Places
from app.consolidation.steps.episodes import SAME_TITLE
from app.memories.new_memory import NewMemory, NewSource, insert_memory, insert_source
from app.store.tables.memory import ArtifactRow
from app.values import MemoryKind, Origin, Trust
from app.values.consolidation import ActionState
from tests.app.consolidation.memories import project_of
from tests.dump import dump_store


def tell(
    engine: Engine,
    title: str,
    at: datetime,
    *,
    conversation: int,
    files: tuple[str, ...] = (),
    hours: float = 1,
    **details: Any,
) -> int:
    """One episode as the end of a conversation leaves it."""
    project_id = project_of(engine)
    given = {
        "done": [f"{title} was done."], "conversation_id": conversation, "participants": ["you", "codex"],
        "turn_range": {"start": 1, "end": 4}, **details,
    }  # fmt: skip
    with engine._core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
        memory_id = insert_memory(
            write,
            NewMemory(
                text=f"You worked on “{title}”. {title} was done.", kind=MemoryKind.EPISODE, type=None, title=title,
                details=given, trust=Trust.AGENT, project_id=project_id, valid_from=at,
            ),
        )  # fmt: skip
        insert_source(
            write, memory_id, NewSource(at=at + timedelta(hours=hours), quote="", conversation_id=conversation)
        )
        for file in files:
            write.insert(ArtifactRow, {"memory_id": memory_id, "kind": ArtifactKind.FILE.value, "reference": file})
    return memory_id


def moment(turn: int, significance: float = 0.6) -> dict[str, Any]:
    return {
        "type": "task_completed",
        "turn": turn,
        "text": f"step {turn} of {significance}",
        "significance": significance,
    }


FILES = ("src/a.py", "src/b.py", "src/c.py")


@pytest.mark.seed("S3", "consolidate.episodes")
def test_work_on_the_same_files_within_half_a_day_is_one_story(engine: Engine, places: Places) -> None:
    now = engine.clock.now()
    first = tell(
        engine, "Export", now, conversation=1, files=FILES, moments=[moment(2)], valence=0.5, outcome="implemented"
    )
    second = tell(
        engine, "Filter", now + timedelta(hours=5), conversation=2, files=FILES[1:], moments=[moment(3, 0.9)], valence=-0.1,
        outcome="tested", significance=0.9, next="Ship it.",
    )  # fmt: skip
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    assert card.report.episodes_merged == 1
    (one,) = engine.episodes.list()
    assert one.title == "Filter and 1 more"
    assert [place.conversation_id for place in one.conversations] == [1, 2]
    assert [(told.turn, told.significance) for told in one.moments] == [(2, 0.6), (7, 0.9)]
    assert (one.valence, one.significance, one.next) == (0.2, 0.9, "Ship it.")
    assert one.outcome is not None
    assert one.outcome.value == "tested"
    assert {made.reference for made in one.artifacts} == set(FILES)
    story = engine.episodes.get(one.id).narrative
    assert story.index("“Export”: Export was done.") < story.index("“Filter”: Filter was done.")
    for part, title in ((first, "Export"), (second, "Filter")):
        assert engine.memories.get(part).memory.status is MemoryStatus.ARCHIVED, "parts are kept"
        assert engine.episodes.get(part).episode.title == title
    assert engine.consolidation.preview().report.episodes_merged == 0, "a second run proposes nothing"
    engine.consolidation.undo(card.id)
    assert dump_store(places.store_path) == before


def test_what_does_not_overlap_stays(engine: Engine) -> None:
    now = engine.clock.now()
    tell(engine, "Export", now, conversation=1, files=FILES)
    tell(engine, "Filter", now + timedelta(hours=5), conversation=2, files=("src/z.py",))
    tell(engine, "Search", now + timedelta(days=3), conversation=3, files=FILES)
    assert engine.consolidation.preview().report.episodes_merged == 0


def test_the_same_title_alone_waits_for_a_yes(engine: Engine) -> None:
    now = engine.clock.now()
    tell(engine, "Commit message", now, conversation=1)
    tell(engine, "Commit message (2)", now + timedelta(days=2), conversation=2)
    card = engine.consolidation.run()
    (action,) = [one for one in engine.consolidation.actions(card.id) if one.kind == "merge_same_title"]
    assert action.state is ActionState.PROPOSED
    assert action.why == SAME_TITLE
    assert len(engine.episodes.list()) == 2


def test_the_persons_stay_out_of_it(engine: Engine) -> None:
    now = engine.clock.now()
    pinned = tell(engine, "Export", now, conversation=1, files=FILES)
    tell(engine, "Filter", now + timedelta(hours=2), conversation=2, files=FILES)
    engine.memories.pin([pinned], True)
    assert engine.consolidation.preview().report.episodes_merged == 0


def test_files_of_every_second_piece_of_work_are_no_sign(engine: Engine) -> None:
    now = engine.clock.now()
    everywhere = ("architecture.md", "src/main.py")
    for number, name in enumerate(("Exports", "Logins", "Themes", "Backups", "Mails")):
        own = f"src/{name.lower()}.py"
        tell(engine, name, now + timedelta(hours=2 * number), conversation=number, files=(*everywhere, own))
    assert engine.consolidation.preview().report.episodes_merged == 0
    tell(engine, "Mails again", now + timedelta(hours=10), conversation=9, files=(*everywhere, "src/mails.py"))
    assert engine.consolidation.preview().report.episodes_merged == 0, "one file of their own"
    for number in (11, 12):
        at = now + timedelta(days=3, hours=number)
        tell(engine, f"Search {number}", at, conversation=number, files=(*everywhere, *FILES[:2]))
    assert engine.consolidation.preview().report.episodes_merged == 1


def test_a_story_takes_no_more_in_because_of_a_file(engine: Engine) -> None:
    now = engine.clock.now()
    for number in range(2):
        tell(engine, f"Part {number}", now + timedelta(hours=number), conversation=number, files=FILES)
    assert engine.consolidation.run().report.episodes_merged == 1
    tell(engine, "Something else", now + timedelta(hours=5), conversation=7, files=FILES)
    assert engine.consolidation.run().report.episodes_merged == 0


@pytest.mark.seed("S3", "config.episodes")
def test_a_project_keeps_so_many_whole_and_the_key_ones_longest(engine: Engine) -> None:
    engine.settings.set("episodes_kept", 10)
    began = engine.clock.now()
    key = tell(engine, "The turn", began, conversation=1, significance=0.9, moments=[moment(1, 0.9)])
    for number in range(2, 15):
        tell(engine, f"Work {number}", began + timedelta(days=number), conversation=number, significance=0.5)
    card = engine.consolidation.run()
    assert card.report.episodes_merged == 1
    listed = engine.episodes.list()
    assert len(listed) == 10
    assert key in {one.id for one in listed}
    (together,) = [one for one in listed if len(one.conversations) > 1]
    assert [place.conversation_id for place in together.conversations] == [2, 3, 4, 5, 6]
    assert engine.episodes.list(EpisodeFilter(is_key=True))[0].id == key
    assert engine.consolidation.preview().report.episodes_merged == 0


def test_a_story_goes_with_a_part_that_is_erased_and_the_others_stand_by_themselves_again(
    engine: Engine, places: Places
) -> None:
    now = engine.clock.now()
    first = tell(engine, "Heron", now, conversation=1, files=FILES)
    second = tell(engine, "Filter", now + timedelta(hours=3), conversation=2, files=FILES)
    third = tell(engine, "Search", now + timedelta(hours=6), conversation=3, files=FILES)
    engine.consolidation.run()
    assert [len(one.conversations) for one in engine.episodes.list()] == [3]
    engine.memories.erase([first])
    assert [one.id for one in engine.episodes.list()] == [third, second]
    assert "Heron" not in dump_store(places.store_path)


def test_the_same_story_told_twice_is_one_whenever_it_was(engine: Engine) -> None:
    now = engine.clock.now()
    first = tell(engine, "Import", now, conversation=1, done=["CSV files are read."])
    tell(engine, "Ferry plan", now + timedelta(days=20), conversation=2)
    second = tell(engine, "Import (2)", now + timedelta(days=40), conversation=3, done=["CSV files are read."])
    card = engine.consolidation.run()
    (action,) = engine.consolidation.actions(card.id)
    assert set(action.memory_ids) == {first, second}
    assert action.after[0].count("CSV files are read.") == 1
    assert len(engine.episodes.list()) == 2


def test_a_long_merged_story_keeps_the_title_of_each_part(engine: Engine) -> None:
    now = engine.clock.now()
    for number in range(8):
        done = [f"Crane {number} " + "was painted, oiled and lifted back on its rails by the night shift; " * 4]
        tell(
            engine,
            f"Work on crane {number}",
            now + timedelta(hours=number),
            conversation=1,
            files=FILES,
            done=done,
        )
    card = engine.consolidation.run()
    (action,) = [one for one in engine.consolidation.actions(card.id) if one.step == "episodes"]
    assert all(f"“Work on crane {number}”" in action.after[0] for number in range(8))
    assert len(action.after[0]) < 2_000
