"""R15, R16, issue 20: runs, answers to contradictions, graph edits, memories and conversations in one random script.

Taken back step by step and done again, each state is the store as it was there; and after any undo or redo every derived column is what
a rebuild gives. Contexts are given between the acts: uses are counted beside the journal.
"""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from app.api import (
    CaptureRequest,
    Engine,
    EventKind,
    FrozenClock,
    MemoryDraft,
    Origin,
    Places,
    RecallQuery,
    Resolution,
    ResolutionRequest,
    UserError,
)
from app.values import ContextRequest, ContextSignals, MemoryEdit, MemoryFilter
from app.values.graph import NodeId, NodeKind, Relation
from tests.conftest import START
from tests.derived import check_derived
from tests.dump import dump_store
from tests.patience import PATIENCE_S

PROJECT = "/w/app"
SAID = (
    ("a", "Emails of the shop go through SendGrid."), ("a", "make the header blue"), ("b", "The primary database is PostgreSQL."),
    ("b", "The header must stay below 60 px."), ("c", "Emails of the shop are sent with SES."), ("c", "test the exporter"),
)  # fmt: skip
TEXTS = (
    "The exporter listens on port 7402.", "The exporter, listens on port 7402!", "The exporter listens on port 7403.",
    "Never restart the exporter before 9 o'clock.", "The primary database is SQLite.",
)  # fmt: skip
ACTS = (
    "create", "edit", "archive", "tag", "pin", "merge_memories", "draw", "resolve", "run",
    "rename", "split", "merge", "move", "end", "give", "ask",
)  # fmt: skip
SCRIPT = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=14)


def seed(engine: Engine, clock: FrozenClock) -> None:
    for number, (session, text) in enumerate(SAID):
        clock.advance(minutes=2)
        request = CaptureRequest("claude-code", EventKind.PROMPT, f"k{number}", session=session, text=text, cwd=PROJECT)
        engine.events.capture([request], wait_s=PATIENCE_S)
    for text in TEXTS[:2]:
        engine.memories.create(MemoryDraft(text, project_path=PROJECT, tags=("api",)))


def do(engine: Engine, act: tuple[str, int, int], number: int) -> None:
    """One act on whatever is there; the picks choose among it."""
    name, first, second = act
    memories = sorted(engine.memories.ids(MemoryFilter()))
    one, other = (memories[pick % len(memories)] if memories else 0 for pick in (first, second))
    talks = engine.conversations.list()
    talk, beside = talks[first % len(talks)], talks[second % len(talks)]
    messages = engine.conversations.get(talk.id).messages
    message = messages[second % len(messages)].id if messages else 0
    open_ones = engine.contradictions.list()
    answer = ResolutionRequest(
        list(Resolution)[second % len(Resolution)], text="One of both, in other words.", scope_a="tests"
    )
    signals = ContextSignals(PROJECT, app="claude-code", session=f"s{number}", prompt="which port has the exporter?")
    acts: dict[str, Callable[[], object]] = {
        "create": lambda: engine.memories.create(MemoryDraft(TEXTS[first % len(TEXTS)], project_path=PROJECT)),
        "edit": lambda: engine.memories.edit(one, MemoryEdit(full=TEXTS[second % len(TEXTS)], tags=(f"t{second}",))),
        "archive": lambda: engine.memories.archive([one, other]),
        "tag": lambda: engine.memories.tag([one, other], add=["ui"], remove=["api"]),
        "pin": lambda: engine.memories.pin([one], bool(second % 2)),
        "merge_memories": lambda: engine.memories.merge(tuple(dict.fromkeys((one, other)))),
        "draw": lambda: engine.graph.draw(
            NodeId(NodeKind.MEMORY, one), NodeId(NodeKind.MEMORY, other), Relation.RELATED_TO, reason="drawn"
        ),
        "resolve": lambda: engine.contradictions.resolve(open_ones[first % len(open_ones)].id, answer) if open_ones else None,
        "run": engine.consolidation.run,
        "rename": lambda: engine.conversations.rename(talk.id, f"Title {number}"),
        "split": lambda: engine.conversations.split(message),
        "merge": lambda: engine.conversations.merge(talk.id, beside.id),
        "move": lambda: engine.conversations.move(message, beside.id),
        "end": lambda: engine.conversations.end(talk.id),
        "give": lambda: engine.context.assemble(ContextRequest(signals, delivery="hook:prompt")),
        "ask": lambda: engine.search.search(RecallQuery("exporter port")),
    }  # fmt: skip
    acts[name]()


@settings(
    max_examples=12,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(script=SCRIPT)
@example(script=[("merge", 1, 5), ("move", 8, 3), ("merge", 3, 0)])  # a message leaves the one that it came to
@example(
    script=[("create", 2, 0), ("give", 0, 0), ("ask", 0, 0), ("give", 1, 0), ("run", 0, 0)]
)  # used, then taken back
def test_every_step_back_and_forth_is_the_store_as_it_was_and_what_is_derived_follows(
    script: list[tuple[str, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(START)
        engine = Engine.open(Places.under(Path(folder)), clock=clock)
        engine.load()
        engine._core.scanner.stop()  # else it opens contradictions between two steps, which nobody's undo takes back
        try:
            seed(engine, clock)
            path = engine.places.store_path
            states, steps = [dump_store(path)], list[int]()
            for number, act in enumerate(script):
                clock.advance(minutes=7)
                before = newest(engine)
                with suppress(UserError):
                    do(engine, act, number)
                check_derived(engine)
                if newest(engine) != before:
                    states.append(dump_store(path))
                    steps.append(engine.consolidation.runs()[0].id if act[0] == "run" else 0)
                else:
                    assert dump_store(path) == states[-1], f"{act} changed what no undo takes back"
            for run_id, state in zip(reversed(steps), reversed(states[:-1]), strict=True):
                if run_id:  # the person takes a run back from its report, not with Ctrl+Z
                    assert engine.consolidation.undo(run_id)[1] == 0
                else:
                    engine.journal.undo()
                assert differing(dump_store(path), state) == []
                check_derived(engine)
            for state in states[1:]:
                engine.journal.redo()
                assert differing(dump_store(path), state) == []
                check_derived(engine)
        finally:
            engine.close()


def differing(now: str, then: str) -> list[str]:
    """The lines of one dump that the other lacks: of two whole ones nobody sees what differs."""
    return sorted({*now.split("\n")} ^ {*then.split("\n")})


def newest(engine: Engine) -> int:
    """The newest act of the person; notes are made behind the end of a conversation, by operations of their own."""
    listed = engine.journal.list(limit=20)
    return next((one.id for one in listed if one.origin is Origin.PERSON or one.kind == "consolidate"), 0)
