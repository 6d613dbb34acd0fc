"""What an assistant is told of the person's own prompts: the quote and its day, of this project only, after the memories."""

from collections.abc import Iterator

import pytest

from app.api import Engine, FrozenClock, MemoryDraft, NotFoundError, Origin, Places
from app.values import MemoryFilter, RecallQuery
from tests.conftest import Say

HERON = "why does the heron export stop after the third page?"


@pytest.fixture
def engine(places: Places, clock: FrozenClock) -> Iterator[Engine]:
    opened = Engine.open(places, clock=clock, flags={"queue_size": 3})
    opened.archive.choose("forever")
    yield opened
    opened.close()


def test_the_quote_and_its_day_are_told_in_its_project(engine: Engine, say: Say) -> None:
    said = say(HERON, cwd="/w/shop")
    given = engine.answers.recall("heron export", engine.answers.place("/w/shop"))
    assert f"the user typed on 2026-03-02: “{HERON}”" in given.text
    assert given.memory_ids == ()
    for elsewhere in ("/w/other", ""):
        assert "heron" not in engine.answers.recall("heron export", engine.answers.place(elsewhere)).text
    (listed,) = engine.answers.list_hits("heron export", engine.answers.place("/w/shop"))
    assert (listed.id, listed.message_id) == (0, said.message_id)
    assert HERON in engine.answers.fetch_message(said.message_id or 0, engine.answers.place("/w/shop")).text
    with pytest.raises(NotFoundError):
        engine.answers.fetch_message(said.message_id or 0, engine.answers.place("/w/other"))


def test_an_archived_prompt_is_told_too_and_only_its_stretch(engine: Engine, say: Say) -> None:
    say(HERON + " I looked at the pager." + " It is long." * 200, session="heron", cwd="/w/shop")
    for number in range(5):
        say(f"Add a sidebar to page number{number}", session=f"fill{number}", minutes=600, cwd="/w/shop")
    given = engine.answers.recall("heron export", engine.answers.place("/w/shop"))
    assert "heron export stop" in given.text
    assert len(given.text) < 900


def test_a_memory_stands_before_the_message_and_for_it(engine: Engine, say: Say) -> None:
    say("From now on the heron service listens on port 7402.", cwd="/w/shop")
    say("the heron service port is blocked by my firewall", cwd="/w/shop")
    say("look at the footer", cwd="/w/shop", minutes=10)
    given = engine.answers.recall("heron service port", engine.answers.place("/w/shop"))
    assert given.text.count("7402") == 1
    assert given.text.index("7402") < given.text.index("firewall")


def test_a_prompt_that_answers_stands_before_memories_that_only_share_a_word(engine: Engine, say: Say) -> None:
    for place in ("the attic", "the cellar", "the yard"):
        say(f"From now on keep the heron reports in {place}.", cwd="/w/shop")
    say("the heron pager stops after page ninety when the printer sleeps", cwd="/w/shop", minutes=10)
    say("look at the footer", cwd="/w/shop", minutes=10)
    first = engine.answers.list_hits("heron pager printer", engine.answers.place("/w/shop"), limit=3)[0]
    assert "page ninety" in first.text


def test_the_prompt_that_is_being_answered_is_no_answer_where_there_is_another(engine: Engine, say: Say) -> None:
    say("the heron export has a limit of ninety pages", cwd="/w/shop")
    say("what was the limit of the heron export?", cwd="/w/shop", minutes=60)
    given = engine.answers.recall("limit of the heron export", engine.answers.place("/w/shop"))
    assert "ninety pages" in given.text
    assert "what was" not in given.text


def test_pastes_and_orders_are_for_the_window_only(engine: Engine, say: Say) -> None:
    say("what is this?\n> the heron exporter writes to a bucket\n> of the other team", cwd="/w/shop")
    assert "bucket" not in engine.answers.recall("heron exporter bucket", engine.answers.place("/w/shop")).text


def test_no_prompt_enters_a_session_start(engine: Engine, say: Say) -> None:
    from app.values import ContextRequest, ContextSignals

    say(HERON, cwd="/w/shop")
    given = engine.context.assemble(
        ContextRequest(ContextSignals(project_path="/w/shop", app="codex"), delivery="session-start")
    )
    assert "heron" not in given.text


def test_a_prompt_is_told_when_nobody_looked_at_its_memory_and_not_when_the_person_put_it_away(
    engine: Engine, say: Say
) -> None:
    say("From now on the heron service listens on port 7402.", cwd="/w/shop")
    say("look at the footer", cwd="/w/shop", minutes=10)
    number = next(card.id for card in engine.memories.list().cards if "7402" in card.title)
    core = engine._core
    with core.store.write(origin=Origin.ENGINE, kind="archive_unseen", label="") as write:
        core.memory_curator.archive(write, [number])
    assert "7402" in engine.answers.recall("heron service port", engine.answers.place("/w/shop")).text
    engine.memories.unarchive([number])
    engine.memories.archive([number])
    assert "7402" not in engine.answers.recall("heron service port", engine.answers.place("/w/shop")).text


@pytest.mark.parametrize("asked", ["Which database is behind it?", "what kind of database do we have?"])
def test_a_kind_that_is_asked_for_is_said_by_a_name_of_that_kind(engine: Engine, asked: str) -> None:
    engine.memories.create(MemoryDraft("Heron orders go to MariaDB.", project_path="/w/shop"))
    engine.memories.create(MemoryDraft("Heron letters go to the printer.", project_path="/w/shop"))
    (only,) = engine.search.find(RecallQuery(asked, filters=MemoryFilter(projects=("/w/shop",)))).hits
    assert "MariaDB" in only.text


@pytest.mark.parametrize("typed", ["The database is slow. Which page asks it?", "Which engine is behind it?"])
def test_what_only_mentions_a_kind_asks_for_no_name(engine: Engine, typed: str) -> None:
    engine.memories.create(MemoryDraft("Heron orders go to MariaDB.", project_path="/w/shop"))
    assert engine.search.find(RecallQuery(typed, filters=MemoryFilter(projects=("/w/shop",)))).hits == ()


def test_of_two_memories_the_one_that_is_about_what_was_asked_stands_first(engine: Engine) -> None:
    for text in ("Stamps are put on paper when the heron lands.", "The heron lands on posts when stamps are put."):
        engine.memories.create(MemoryDraft(text, project_path="/w/shop"))
    for asked, first in (("stamps?", "Stamps"), ("heron?", "The heron")):
        hits = engine.search.find(RecallQuery(asked, filters=MemoryFilter(projects=("/w/shop",)))).hits
        assert hits[0].text.startswith(first), [hit.text for hit in hits]
