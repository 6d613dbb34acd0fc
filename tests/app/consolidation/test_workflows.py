"""What is done again and again becomes a workflow: found in a run, taken back, counted on, given when it is asked for."""

from dataclasses import replace

import pytest

from app.api import CaptureRequest, ContextRequest, ContextSignals, Engine, EventKind, FrozenClock, Places
from app.consolidation.steps.workflows import LEARNED
from app.deciders.learning.workflows import Stretch, mine_workflows, word_workflow
from app.deciders.memory.levels.compress import compress
from app.language.token_counts import count_tokens
from app.values import MemoryCard, MemoryEdit, MemoryFilter, MemoryKind, Tier
from tests.conftest import Say
from tests.dump import dump_store
from tests.patience import PATIENCE_S

DEPLOY = (
    "pnpm test --coverage",
    "docker build -t shop:3 .",
    "kubectl apply -n staging -f web.yaml",
    "./verify.sh",
    "./ship.sh prod",
)


def run(engine: Engine, clock: FrozenClock, session: str, command: str, *, code: int = 0) -> None:
    clock.advance(seconds=5)
    payload = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"exit_code": code, "stdout": ""},
    }
    base = CaptureRequest(
        "claude-code", EventKind.TOOL, f"{session}-{clock.now().isoformat()}", session=session, cwd="/w/app"
    )
    engine.events.capture([replace(base, payload=payload)], wait_s=PATIENCE_S)


def work(engine: Engine, clock: FrozenClock, say: Say, session: str, *commands: str, code: int = 0) -> int:
    """One conversation in which these were run."""
    first = say(f"Add the filter{session} to the orders page", session=session, minutes=300)
    for command in commands:
        run(engine, clock, session, command, code=code if command == commands[-1] else 0)
    assert first.conversation_id is not None
    engine.conversations.end(first.conversation_id)
    return first.conversation_id


def workflows(engine: Engine) -> list[MemoryCard]:
    return list(engine.memories.list(MemoryFilter(kinds=(MemoryKind.WORKFLOW,))).cards)


def three_times(engine: Engine, clock: FrozenClock, say: Say) -> None:
    for name in ("a", "b", "c"):
        work(engine, clock, say, name, *DEPLOY)


@pytest.mark.seed("S4", "workflow.recording", "phase.c.workflows", "workflow.steps")
def test_the_seeds_deployment_is_found_and_written_as_the_seed_writes_it(
    engine: Engine, clock: FrozenClock, say: Say
) -> None:
    three_times(engine, clock, say)
    engine.consolidation.run()
    (card,) = workflows(engine)
    whole = engine.memories.get(card.id).memory
    assert whole.details["trigger"] == "deploy_request"
    assert whole.details["steps"] == ["test", "build", "stage", "verify", "prod"]
    assert whole.levels.compressed.text == "deploy: test→build→stage→verify→prod"
    assert whole.details["details"]["test"] == "pnpm test --coverage"


def test_the_printed_workflow_has_the_printed_hint_in_a_line_of_a_few_tokens() -> None:
    details = {
        "trigger": "deploy_request",
        "steps": ["test", "build", "stage", "verify", "prod"],
        "details": {"test": "pnpm test --coverage >80%", "build": "docker build -t app:${SHA}"},
    }
    text = "For a deploy this is done every time: test (pnpm test --coverage >80%), build, stage, verify, prod."
    levels = compress(text, kind=MemoryKind.WORKFLOW, title="Deploy", details=details)
    hint = levels.compressed.text
    assert hint == "deploy: test→build→stage→verify→prod"
    assert count_tokens(hint.replace("→", " ")) <= 7, "as the seed counts: arrows are none"
    assert levels.full.text == text
    assert levels.index.text == "deploy"


def test_twice_is_no_workflow_and_what_everybody_does_is_none(engine: Engine, clock: FrozenClock, say: Say) -> None:
    for name in ("a", "b"):
        work(engine, clock, say, name, *DEPLOY)
    for name in ("c", "d", "e", "f"):
        work(engine, clock, say, name, "git add -A && git commit -m 'x'", "git push")
    engine.consolidation.run()
    assert workflows(engine) == []


def test_noise_and_flags_do_not_hide_it() -> None:
    def seen(*steps: str, number: int) -> Stretch:
        return Stretch(steps, conversation_ids=frozenset({number}))

    mined = mine_workflows(
        [
            seen("lint", "test", "build", "commit", number=1),
            seen("test", "adb logcat", "build", "commit", number=2),
            seen("test", "build", "commit", "push", number=3),
            seen("start", "screenshot", number=3),
        ]
    )
    assert [(one.steps, one.times, one.share) for one in mined] == [(("test", "build", "commit"), 3, 1.0)]


def test_an_edit_is_the_first_step_of_what_follows_it() -> None:
    def seen(*steps: str, number: int, times: int = 1) -> Stretch:
        return Stretch(steps, times, times, {"install": "./gradlew installDebug"}, frozenset({number}))

    mined = mine_workflows(
        [seen("edit", "install", number=1, times=5), seen("edit", "install", number=2), seen("edit", "test", number=2)]
        + [seen("edit", "commit", "push", number=number) for number in (1, 2, 3)]  # as everybody does
    )
    assert [(one.steps, one.times, one.share) for one in mined] == [(("edit", "install"), 6, 0.6)]
    assert word_workflow(mined[0]) == "After an edit this is done mostly: install (./gradlew installDebug)."


def test_what_comes_in_either_order_is_none() -> None:
    both = [
        Stretch(("test", "start"), 3, 3, {}, frozenset({1, 2})),
        Stretch(("start", "test"), 3, 3, {}, frozenset({3})),
    ]
    assert mine_workflows(both) == ()


def test_two_halves_of_one_thing_are_one_workflow() -> None:
    conversations = frozenset({1, 2, 3, 4})
    done = (
        Stretch(("copy", "install", "screenshot"), 3, 3, {}, conversations),
        Stretch(("screenshot", "adb pull"), 4, 4, {}, conversations),
    )
    assert len([one for one in mine_workflows(done) if "screenshot" in one.steps]) == 1


def test_a_run_is_taken_back_to_the_letter(engine: Engine, clock: FrozenClock, say: Say, places: Places) -> None:
    three_times(engine, clock, say)
    before = dump_store(places.store_path)
    card = engine.consolidation.run()
    assert len(workflows(engine)) == 1
    engine.consolidation.undo(card.id)
    assert dump_store(places.store_path) == before


def test_a_second_run_has_nothing_to_do_and_a_fourth_time_counts(engine: Engine, clock: FrozenClock, say: Say) -> None:
    three_times(engine, clock, say)
    engine.consolidation.run()
    again = engine.consolidation.run()
    assert (again.report.patterns_added, again.report.patterns_reinforced) == (0, 0)
    work(engine, clock, say, "d", *DEPLOY, code=1)
    engine.consolidation.run()
    details = engine.memories.get(workflows(engine)[0].id).memory.details
    assert (details["times"], details["succeeded"]) == (4, 3)
    assert details[LEARNED] == details["steps"]


def test_steps_that_a_person_edited_stay_and_count_on(engine: Engine, clock: FrozenClock, say: Say) -> None:
    three_times(engine, clock, say)
    engine.consolidation.run()
    number = workflows(engine)[0].id
    own = {**engine.memories.get(number).memory.details, "steps": ["test", "ship"]}
    engine.memories.edit(number, MemoryEdit(details=own))
    work(engine, clock, say, "d", *DEPLOY)
    engine.consolidation.run()
    details = engine.memories.get(number).memory.details
    assert (details["steps"], details["times"]) == (["test", "ship"], 4)
    assert len(workflows(engine)) == 1


@pytest.mark.seed("S4", "tier3.workflows")
def test_it_comes_in_full_when_it_is_asked_for_and_as_a_hint_else(engine: Engine, clock: FrozenClock, say: Say) -> None:
    three_times(engine, clock, say)
    engine.consolidation.run()

    def given(prompt: str, delivery: str = "api") -> dict[int, Tier]:
        signals = ContextSignals(project_path="/w/app", prompt=prompt, app="claude-code")
        context = engine.context.assemble(ContextRequest(signals, delivery=delivery))
        return {one.memory_id: one.tier for one in context.items if one.memory_id is not None}

    (card,) = workflows(engine)
    assert given("Deploy the shop")[card.id] is Tier.RELEVANT
    assert given("Deploy the shop", "hook:prompt")[card.id] is Tier.RELEVANT
    assert given("")[card.id] is Tier.BACKGROUND
    assert given("Why does the map flicker?", "hook:prompt") == {}
    assert card.id not in given("", "hook:start")


def test_what_was_put_away_is_not_learned_again(engine: Engine, clock: FrozenClock, say: Say) -> None:
    three_times(engine, clock, say)
    engine.consolidation.run()
    engine.memories.archive([workflows(engine)[0].id])
    work(engine, clock, say, "d", *DEPLOY)
    engine.consolidation.run()
    assert workflows(engine) == []


def test_a_step_that_is_done_again_does_not_hide_the_order_and_making_is_not_running_a_migration() -> None:
    from app.deciders.learning.commands import read_steps

    label = [one.label for one in read_steps("mix ecto.gen.migration add_unit && mix ecto.migrate && mix compile")]
    assert label == ["generate", "migrate", "build"]
    done = [
        Stretch(steps, conversation_ids=frozenset({number}))
        for number, steps in enumerate(
            (("migrate", "start"), ("migrate", "start", "migrate"), ("migrate", "test", "start", "migrate", "start"))
        )
    ]
    assert [one.hint for one in mine_workflows(done)] == ["migration: migrate→start"]
