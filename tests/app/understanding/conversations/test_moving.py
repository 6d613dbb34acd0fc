"""What goes with a message that a person moves: files, memories and where they were said; undo brings the very same back."""

from collections.abc import Callable

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, InvalidError, MemoryFilter, MemoryKind
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

Edit = Callable[..., None]


@pytest.fixture
def edit(engine: Engine) -> Edit:
    def capture(path: str, *, session: str = "s1") -> None:
        payload = {"tool_name": "Edit", "tool_input": {"file_path": path}}
        tool = CaptureRequest(
            app="claude-code", kind=EventKind.TOOL, key=path, session=session, cwd="/w/app", payload=payload
        )
        engine.events.capture([tool], wait_s=PATIENCE_S)

    return capture


@pytest.fixture
def story(say: Say, edit: Edit) -> None:
    say("Add a login form to the shop. We use PostgreSQL as the database.")
    edit("/w/app/login.py")
    say("Put a border around it")
    say("Add an importer for suppliers. We use Celery for background jobs.")
    edit("/w/app/importer.py")
    say("Always run ruff before a commit.")


def learned(engine: Engine, conversation_id: int) -> list[str]:
    return sorted(card.title for card in engine.memories.of_conversation(conversation_id))


def places_said(engine: Engine) -> set[tuple[int | None, str]]:
    """Where the memories say that they come from."""
    cards = engine.memories.list(MemoryFilter(kinds=(MemoryKind.FACT,)), limit=100).cards
    return {
        (one.conversation_id, one.conversation_title) for card in cards for one in engine.memories.get(card.id).sources
    }


def shown(engine: Engine) -> dict[int, tuple[str, int, tuple[str, ...], int]]:
    """Title, messages, files and memories of each conversation of the queue."""
    return {
        one.id: (one.title, one.message_count, one.files, len(learned(engine, one.id)))
        for one in engine.conversations.list()
    }


@pytest.mark.usefixtures("story")
def test_a_split_takes_files_and_memories_along(engine: Engine) -> None:
    before, dump = shown(engine), dump_store(engine.places.store_path)
    assert before == {1: ("Add a login form to the shop", 4, ("/w/app/login.py", "/w/app/importer.py"), 3)}
    new_id = engine.conversations.split(engine.conversations.get(1).messages[2].id)
    assert shown(engine) == {
        1: ("Add a login form to the shop", 2, ("/w/app/login.py",), 1),
        new_id: ("Importer for suppliers", 2, ("/w/app/importer.py",), 2),
    }
    assert places_said(engine) == {(1, "Add a login form to the shop"), (new_id, "Importer for suppliers")}
    after = dump_store(engine.places.store_path)
    engine.journal.undo()
    assert (shown(engine), dump_store(engine.places.store_path)) == (before, dump)
    engine.journal.redo()
    assert dump_store(engine.places.store_path) == after


@pytest.mark.usefixtures("story")
def test_a_merge_names_the_conversation_that_holds_the_messages(engine: Engine) -> None:
    new_id = engine.conversations.split(engine.conversations.get(1).messages[2].id)
    dump = dump_store(engine.places.store_path)
    engine.conversations.merge(new_id, 1)
    assert shown(engine) == {1: ("Add a login form to the shop", 4, ("/w/app/login.py", "/w/app/importer.py"), 3)}
    assert places_said(engine) == {(1, "Add a login form to the shop")}
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == dump


@pytest.mark.usefixtures("story")
def test_a_message_is_dropped_on_another_conversation(engine: Engine, say: Say, edit: Edit) -> None:
    say("Write a manual for the mail server", session="other")
    edit("/w/app/manual.md", session="other")
    dump = dump_store(engine.places.store_path)
    engine.conversations.move(engine.conversations.get(1).messages[2].id, 2)
    now = shown(engine)
    assert now[1] == ("Add a login form to the shop", 2, ("/w/app/login.py",), 1)
    assert (now[2][1], set(now[2][2]), now[2][3]) == (3, {"/w/app/importer.py", "/w/app/manual.md"}, 2)
    assert {one for one, _ in places_said(engine)} == {1, 2}
    assert say("and a search field").conversation_id == 2  # what was typed last goes on there
    engine.journal.undo(next(one for one in engine.journal.list() if one.kind == "capture").id)
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == dump


@pytest.mark.usefixtures("story")
def test_dropping_the_first_message_joins_the_conversations(engine: Engine, say: Say) -> None:
    say("Write a manual for the mail server", session="other")
    first = engine.conversations.get(1).messages[0].id
    with pytest.raises(InvalidError, match="in this conversation already"):
        engine.conversations.move(first, 1)
    engine.conversations.move(first, 2)
    assert [one.id for one in engine.conversations.list()] == [2]
    assert places_said(engine) == {(2, engine.conversations.list()[0].title)}


def test_an_answer_that_starts_anew_takes_memories_along(engine: Engine, say: Say, edit: Edit) -> None:
    say("I want to add a FAB button")
    edit("/w/app/button.py")
    asked = say("Make it purple. We use Tailwind for styles.", minutes=60 * 9)
    assert asked.clarification is not None
    assert asked.message_id is not None
    engine.conversations.clarify(asked.message_id, is_new=False)
    assert len(learned(engine, 1)) == 1
    engine.journal.undo()
    dump = dump_store(engine.places.store_path)
    engine.conversations.clarify(asked.message_id, is_new=True)
    (newest, oldest) = engine.conversations.list()
    assert (learned(engine, oldest.id), oldest.files) == ([], ("/w/app/button.py",))
    assert len(learned(engine, newest.id)) == 1
    assert places_said(engine) == {(newest.id, newest.title)}
    engine.journal.undo()
    assert dump_store(engine.places.store_path) == dump


def test_a_question_about_a_joined_conversation_is_answered(engine: Engine, say: Say) -> None:
    say("I want to add a FAB button")
    asked = say("Make it purple", minutes=60 * 9)
    assert asked.conversation_id is not None
    if asked.conversation_id == 1:
        asked_in = engine.conversations.split(asked.message_id or 0)
    else:
        asked_in = asked.conversation_id
    engine.conversations.merge(1, asked_in)
    assert engine.conversations.clarifications() == ()


@pytest.fixture
def full_queue(engine: Engine, say: Say, edit: Edit, clock: FrozenClock, request: pytest.FixtureRequest) -> None:
    """Three of three: a manual (the next to leave), then the story, and one more."""
    engine.settings.set("queue_size", 3)
    say("Write a manual for the mail server. We use Postfix for outgoing mail.", session="old")
    edit("/w/app/manual.md", session="old")
    clock.advance(hours=3)
    request.getfixturevalue("story")
    say("Sketch a plan for the tiles", session="other")


def story_id(engine: Engine) -> int:
    return next(one.id for one in engine.conversations.list() if one.message_count == 4)


def third_message(engine: Engine) -> int:
    return engine.conversations.get(story_id(engine)).messages[2].id


@pytest.mark.usefixtures("full_queue")
def test_what_a_split_pushes_out_is_known_before_and_back_after_a_join(engine: Engine) -> None:
    origin, before, dump = story_id(engine), shown(engine), dump_store(engine.places.store_path)
    (leaving,) = engine.conversations.leaving_at_split(third_message(engine))
    assert leaving.title == "Write a manual for the mail server"
    assert leaving.farewell is not None
    assert (leaving.farewell.fact_count, leaving.farewell.message_count) == (1, 1)
    new_id = engine.conversations.split(third_message(engine))
    assert leaving.id not in shown(engine)
    assert "“Write a manual for the mail server” left the queue" in engine.journal.list()[1].label
    engine.conversations.merge(new_id, origin)
    assert (shown(engine), dump_store(engine.places.store_path)) == (before, dump)
    engine.journal.undo()  # the join
    assert set(shown(engine)) == {origin, new_id, max(before)}
    engine.journal.undo()  # the split
    assert (shown(engine), dump_store(engine.places.store_path)) == (before, dump)


@pytest.mark.usefixtures("full_queue")
def test_a_join_brings_back_what_the_split_pushed_out_although_talk_went_on(engine: Engine, say: Say) -> None:
    origin, before = story_id(engine), shown(engine)
    (leaving,) = engine.conversations.leaving_at_split(third_message(engine))
    new_id = engine.conversations.split(third_message(engine))
    assert say("and run mypy, too").conversation_id == new_id
    engine.conversations.merge(new_id, origin)
    assert shown(engine)[leaving.id] == before[leaving.id]
    assert shown(engine)[origin][1] == 5
    assert len(shown(engine)) == 3


@pytest.mark.usefixtures("full_queue")
def test_a_join_after_other_changes_joins_all_the_same(engine: Engine) -> None:
    origin = story_id(engine)
    new_id = engine.conversations.split(third_message(engine))
    engine.conversations.reopen(origin)
    engine.conversations.merge(new_id, origin)
    assert shown(engine)[origin][1] == 4


@pytest.mark.usefixtures("full_queue")
def test_neither_half_of_a_split_is_pushed_out_by_it(engine: Engine) -> None:
    origin = story_id(engine)
    engine.conversations.reopen(engine.conversations.list()[-1].id)
    engine.conversations.end(origin)
    assert engine.conversations.list()[-1].id == origin  # the next to leave
    (leaving,) = engine.conversations.leaving_at_split(third_message(engine))
    new_id = engine.conversations.split(third_message(engine))
    assert {origin, new_id} <= set(shown(engine))
    assert leaving.id not in shown(engine)
