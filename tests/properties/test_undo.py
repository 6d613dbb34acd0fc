"""R16: do N, undo N = the same content, for random scripts of everything a person can do; redo brings it back."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Intent, Outcome, Places, UserError
from tests.conftest import START
from tests.dump import BESIDE, dump_store
from tests.patience import PATIENCE_S

Act = tuple[str, int, int]
ACTS = (
    "rename",
    "end",
    "reopen",
    "split",
    "merge",
    "move",
    "outcome",
    "intents",
    "reference",
    "dismiss",
    "clear",
    "setting",
    "app",
)


def open_engine(home: Path, clock: FrozenClock) -> Engine:
    return Engine.open(Places.under(home), clock=clock)


def seed(engine: Engine, clock: FrozenClock) -> None:
    texts = (
        ("a", "I want to add a FAB button"), ("a", "Make it purple"), ("a", "Test it"),
        ("b", "The login page throws a 502"), ("b", "check the logs for it. We use PostgreSQL as the database."),
        ("c", "Write a README for the parser"),
    )  # fmt: skip
    for number, (session, text) in enumerate(texts):
        clock.advance(minutes=2)
        request = CaptureRequest(
            app="claude-code", kind=EventKind.PROMPT, key=f"k{number}", session=session, text=text, cwd="/w/app"
        )
        payload = {"tool_name": "Edit", "tool_input": {"file_path": f"/w/app/{number}.py"}}
        edit = CaptureRequest(
            app="claude-code", kind=EventKind.TOOL, key=f"t{number}", session=session, payload=payload, cwd="/w/app"
        )
        engine.events.capture([request, edit], wait_s=PATIENCE_S)


def do(engine: Engine, act: Act, number: int) -> None:
    """One act on whatever is there; the picks choose among it."""
    name, first, second = act
    listed = engine.conversations.list()
    one, other = listed[first % len(listed)], listed[second % len(listed)]
    messages = engine.conversations.get(one.id).messages
    message = messages[second % len(messages)] if messages else None
    references = [key for row in messages for key, _ in row.references]
    conversations, edit = engine.conversations, engine.messages
    acts: dict[str, Callable[[], object]] = {
        "rename": lambda: conversations.rename(one.id, f"Title {number}"),
        "end": lambda: conversations.end(one.id, Outcome.COMPLETED if second % 2 else None),
        "reopen": lambda: conversations.reopen(one.id),
        "split": lambda: conversations.split(message.id if message else 0),
        "merge": lambda: conversations.merge(one.id, other.id),
        "move": lambda: conversations.move(message.id if message else 0, other.id),
        "outcome": lambda: conversations.set_outcome(one.id, list(Outcome)[second % 5]),
        "intents": lambda: edit.correct_intents(message.id if message else 0, (list(Intent)[first % 9],)),
        "reference": lambda: edit.correct_reference(
            references[second % len(references)] if references else 0, f"thing {number}"
        ),
        "dismiss": lambda: edit.dismiss_reference(references[second % len(references)] if references else 0),
        "clear": engine.window.clear,
        "setting": lambda: engine.settings.set("window_messages", 5 + number),
        "app": lambda: engine.apps.set_keeps_answers("claude-code", keeps=bool(second % 2)),
    }
    acts[name]()


def depth(engine: Engine) -> int:
    return sum(
        one.origin.value == "person" and one.undoes_id is None and not one.is_undone for one in engine.journal.list()
    )


# no shrinking: each example opens a store twice, and a failing script is short enough to read
@settings(
    max_examples=12,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(script=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=14))
def test_undoing_everything_brings_the_content_back(script: list[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, clock = Path(folder), FrozenClock(START)
        engine = open_engine(home, clock)
        try:
            seed(engine, clock)
            path = engine.places.store_path
            # a setting's row is made at its first change and says nothing until then
            before = dump_store(path, without=BESIDE | {"setting"})
            for number, act in enumerate(script):
                try:
                    do(engine, act, number)
                except UserError:
                    continue
            after = dump_store(path, without=BESIDE | {"setting"})
            steps = depth(engine)
            engine.close()
            engine = open_engine(home, clock)  # undo survives a restart
            for _ in range(steps):
                engine.journal.undo()
            assert dump_store(path, without=BESIDE | {"setting"}) == before
            assert engine.settings.current.window_messages == 10
            assert engine.journal.undo_label() == ""
            for _ in range(steps):
                engine.journal.redo()
            assert dump_store(path, without=BESIDE | {"setting"}) == after
        finally:
            engine.close()


def test_a_hundred_steps_back_and_forth(engine: Engine) -> None:
    clock = FrozenClock(START)
    seed(engine, clock)
    path = engine.places.store_path
    before = dump_store(path)
    for number in range(120):
        engine.conversations.rename(1 + number % 3, f"Title {number}")
    after = dump_store(path)
    for _ in range(120):
        engine.journal.undo()
    assert dump_store(path) == before
    for _ in range(120):
        engine.journal.redo()
    assert dump_store(path) == after
