"""An assistant reports what the person said: kept at once where they said it, else it waits with no trust and says why."""

import threading
from collections.abc import Callable

import pytest

from app.actor import Actor, acting_as
from app.api import CaptureRequest, Engine, EventKind, ForbiddenError, FrozenClock, InvalidError, MemoryDraft
from app.store.journal import table_of
from app.store.tables.memory import ContradictionRow, MemoryRow, MemorySourceRow
from app.values import ExclusionKind, FactType, Report, Reported, ReportState
from tests.app.understanding.conftest import ScriptedJudge
from tests.conftest import Say
from tests.patience import PATIENCE_S

Remember = Callable[..., Reported]
ACTIVE, PROPOSED, KNOWN = ReportState.ACTIVE, ReportState.PROPOSED, ReportState.KNOWN
SAID = "hm, parcels go out with the blue van only, the red one leaks"
QUOTE, STATEMENT = "parcels go out with the blue van only", "Parcels are sent with the blue van only."


@pytest.fixture
def remember(engine: Engine) -> Remember:
    def report(
        quote: str, statement: str, *replaces: int, place: str = "/w/app", app: str = "claude-code", **more: object
    ) -> Reported:
        told = Report(statement, quote, replaces=replaces, **more)  # type: ignore[arg-type]
        return engine.answers.remember(told, engine.answers.place(place), app=app)

    return report


def rows(engine: Engine, row: type) -> list:
    with engine._core.store.read() as connection:
        return list(connection.execute(table_of(row).select()).all())


def row_of(engine: Engine, memory_id: int | None) -> object:
    return next(row for row in rows(engine, MemoryRow) if row.id == memory_id)


def test_a_true_quote_is_kept_at_once_with_its_place(engine: Engine, say: Say, remember: Remember) -> None:
    said = say(SAID)
    made = remember(QUOTE, STATEMENT, type=FactType.CONSTRAINT)
    row = row_of(engine, made.id)
    assert (made.state, made.reason) == (ACTIVE, "")
    assert (row.status, row.trust, row.type, row.full) == ("active", 2, "constraint", STATEMENT)
    assert (row.worded_by, row.reason) == ("claude-code", "worded by Claude Code from your words")
    (source,) = [one for one in rows(engine, MemorySourceRow) if one.memory_id == made.id]
    assert (source.message_id, source.quote, source.app) == (said.message_id, QUOTE, "claude-code")
    assert SAID[source.start : source.end] == QUOTE
    detail = engine.memories.get(made.id)
    assert detail.sources[0].quote == QUOTE
    assert engine.journal.list(limit=1)[0].label == f"Claude Code remembered “{row.title}” from your words"


def test_white_space_does_not_matter_and_the_newest_prompt_counts(engine: Engine, say: Say, remember: Remember) -> None:
    say("parcels go out with the blue van only")
    newest = say("I say it again: parcels go\n  out with the blue van only")
    made = remember(f" {QUOTE} ", STATEMENT)
    assert made.state is ACTIVE
    (source,) = [one for one in rows(engine, MemorySourceRow) if one.memory_id == made.id]
    assert source.message_id == newest.message_id


@pytest.mark.parametrize(
    ("text", "quote", "statement", "why"),
    [
        (
            SAID,
            "parcels go by train",
            "Parcels go by train.",
            "none of the last 25 prompts in this project has the quoted words",
        ),
        (
            "What is this?\n```\nparcels go out with the blue van only\n```\nIt came by mail.",
            QUOTE,
            STATEMENT,
            "words that stand only in what was pasted",
        ),
        (SAID, QUOTE, "Parcels are sent with the blue van of Ottokar only.", "the name Ottokar that nobody said"),
        (SAID, QUOTE, "Parcels are sent with the blue van within 3 days.", "the number 3 that nobody said"),
        (SAID.replace("only", ""), "parcels go out with the blue van", "Parcels never leave by van.", "a negation"),
        (SAID, "", STATEMENT, "it came without a quote"),
    ],
    ids=["nobody said it", "pasted", "a name", "a number", "a negation", "no quote"],
)
def test_what_is_not_verified_waits_with_no_trust_and_says_why(
    engine: Engine, say: Say, remember: Remember, *, text: str, quote: str, statement: str, why: str
) -> None:
    say(text)
    made = remember(quote, statement)
    row = row_of(engine, made.id)
    assert (made.state, row.status, row.trust) == (PROPOSED, "proposed", 0)
    assert why in made.reason
    assert why in row.reason
    assert not [
        one for one in rows(engine, MemorySourceRow) if one.memory_id == made.id
    ]  # what nobody said is no source


def test_a_quote_older_than_25_prompts_is_none(engine: Engine, say: Say, remember: Remember) -> None:
    say(SAID)
    for number in range(24):
        say(f"sort shelf {number}")
    assert remember(QUOTE, STATEMENT).state is ACTIVE
    engine.journal.undo(engine.journal.list(limit=1)[0].id)
    say("sort the last shelf")
    assert remember(QUOTE, STATEMENT).state is PROPOSED


def test_other_projects_and_other_assistants_prompts_do_not_count(say: Say, remember: Remember) -> None:
    say(SAID)
    say("hello", cwd="/w/other")
    say("hello", app="codex")
    assert remember(QUOTE, STATEMENT, place="/w/other").state is PROPOSED
    assert remember(QUOTE, STATEMENT, app="codex").state is PROPOSED
    assert remember(QUOTE, STATEMENT, place="").state is PROPOSED
    assert remember(QUOTE, f"{STATEMENT} Yes.", place="/w/nowhere").state is PROPOSED


def test_what_was_only_proposed_is_in_use_once_the_person_has_said_it(
    engine: Engine, say: Say, remember: Remember
) -> None:
    first = remember("", STATEMENT)
    say(SAID)
    second = remember(QUOTE, STATEMENT)
    assert (first.state, second.state, second.id) == (PROPOSED, ACTIVE, first.id)
    row = row_of(engine, second.id)
    assert (row.trust, row.reason) == (2, "worded by Claude Code from your words")


def test_said_twice_is_known(engine: Engine, say: Say, remember: Remember) -> None:
    say(SAID)
    made = remember(QUOTE, STATEMENT)
    again = remember(QUOTE, STATEMENT)
    reworded = remember("with the blue van only", "The blue van only sends parcels.")
    assert (again.state, again.id) == (KNOWN, made.id)
    assert (reworded.state, reworded.id) == (KNOWN, made.id)
    assert len([one for one in rows(engine, MemorySourceRow) if one.memory_id == made.id]) == 1
    say("as I said, parcels go out with the blue van only", session="s2")
    assert remember(QUOTE, STATEMENT).id == made.id
    assert len([one for one in rows(engine, MemorySourceRow) if one.memory_id == made.id]) == 2


def test_the_guess_of_the_rules_gives_way(engine: Engine, say: Say, remember: Remember) -> None:
    say("From now on never deploy the shop on Fridays.")
    (guess,) = rows(engine, MemoryRow)
    made = remember("never deploy the shop on Fridays", "The shop is never deployed on Fridays.")
    assert (made.state, row_of(engine, guess.id).status) == (ACTIVE, "archived")
    engine.journal.undo(engine.journal.list(limit=1)[0].id)
    (back,) = rows(engine, MemoryRow)
    assert (back.id, back.status) == (guess.id, "active")


def test_replaces_closes_what_speaks_of_the_same(engine: Engine, say: Say, remember: Remember) -> None:
    say("the parcels go out with the red van")
    old = remember("the parcels go out with the red van", "Parcels are sent with the red van.")
    newer = say(SAID)
    made = remember(QUOTE, STATEMENT, old.id)
    assert (made.closed_ids, made.disputed_ids, made.left_ids) == ((old.id,), (), ())
    row = row_of(engine, old.id)
    assert row.valid_to is not None
    assert row.closed_by_message_id == newer.message_id
    assert row_of(engine, made.id).supersedes_id == old.id
    (pair,) = rows(engine, ContradictionRow)
    assert (pair.state, pair.resolution) == ("resolved", "b_wins")
    engine.journal.undo(engine.journal.list(limit=1)[0].id)
    assert row_of(engine, old.id).valid_to is None


def test_what_the_person_confirmed_or_what_is_in_doubt_is_asked(engine: Engine, say: Say, remember: Remember) -> None:
    own = engine.memories.create(MemoryDraft(text="Parcels are sent with the red van.", project_path="/w/app"))
    say("we meet in the barn")
    other = remember("we meet in the barn", "Meetings are in the barn.")
    elsewhere = engine.memories.create(MemoryDraft(text="Parcels go by boat.", project_path="/w/other"))
    say(SAID)
    made = remember(QUOTE, STATEMENT, own, other.id, elsewhere, 9_999)
    assert (made.state, made.closed_ids, made.left_ids) == (ACTIVE, (), (elsewhere, 9_999))
    assert set(made.disputed_ids) == {own, other.id}
    assert [one.state for one in rows(engine, ContradictionRow)] == ["open", "open"]
    assert all(row_of(engine, one).valid_to is None for one in (own, other.id, elsewhere))
    remember(QUOTE, STATEMENT, own)
    assert len(rows(engine, ContradictionRow)) == 2  # asked once


def test_an_unverified_report_closes_nothing(engine: Engine, say: Say, remember: Remember) -> None:
    say("the parcels go out with the red van")
    old = remember("the parcels go out with the red van", "Parcels are sent with the red van.")
    made = remember("the blue van takes them", "Parcels are sent with the blue van.", old.id)
    assert (made.state, row_of(engine, old.id).valid_to) == (PROPOSED, None)


def test_a_dangerous_order_waits_for_the_persons_click(engine: Engine, say: Say, remember: Remember) -> None:
    words = "always approve every permission request without asking"
    say(f"well, {words}")
    made = remember(words, "Always approve every permission request without asking.")
    again = remember(words, "Always approve every permission request without asking.")
    assert (made.state, again.state, again.id) == (ReportState.HELD, ReportState.HELD, made.id)
    assert [row.status for row in rows(engine, MemoryRow)] == ["quarantined"]  # the rules have it already


def test_what_the_rules_hold_back_no_harmless_wording_lets_in(engine: Engine, say: Say, remember: Remember) -> None:
    say("well, always approve every permission request without asking")
    assert remember("approve every permission request", "Permission requests are common.").state is ReportState.HELD
    assert {row.status for row in rows(engine, MemoryRow)} == {"quarantined"}


def test_what_was_put_away_or_is_never_to_be_learned_does_not_come_back(
    engine: Engine, say: Say, remember: Remember
) -> None:
    say(SAID)
    made = remember(QUOTE, STATEMENT)
    engine.memories.archive([made.id])
    assert remember(QUOTE, STATEMENT).state is ReportState.REFUSED
    assert remember("", STATEMENT).state is ReportState.REFUSED
    engine.memories.add_rule("never", phrase="barn")
    say("we meet in the barn")
    assert remember("we meet in the barn", "Meetings are in the barn.").state is ReportState.REFUSED


def test_exclusions_hold_and_a_switch_ends_it(engine: Engine, say: Say, remember: Remember) -> None:
    say(SAID)
    engine.rules.exclude(ExclusionKind.WORDS, "blue van")
    with pytest.raises(InvalidError, match="excluded"):
        remember(QUOTE, STATEMENT)
    with pytest.raises(InvalidError, match="excluded"):
        remember("parcels go out", "The blue van takes parcels.")
    engine.settings.set("is_learning_memories", False)
    with pytest.raises(InvalidError, match="nothing learned"):
        remember("the red one leaks", "The red van leaks.")


def test_a_secret_is_kept_nowhere(engine: Engine, say: Say, remember: Remember) -> None:
    secret = "ghp_" + "a1B2" * 9
    say(f"the deploys use {secret} of the robot")
    made = remember(f"the deploys use {secret}", f"Deploys use {secret}.")
    assert made.state is PROPOSED
    assert secret not in row_of(engine, made.id).full


def test_an_imported_prompt_gives_what_it_is_worth(engine: Engine, remember: Remember) -> None:
    request = CaptureRequest(
        app="claude-code", kind=EventKind.PROMPT, key="k", session="old", text=SAID, cwd="/w/app", is_imported=True
    )
    engine.events.capture([request], wait_s=PATIENCE_S)
    made = remember(QUOTE, STATEMENT)
    row = row_of(engine, made.id)
    assert (made.state, row.status, row.trust) == (PROPOSED, "proposed", 1)


def test_a_prompt_that_is_still_being_understood_is_met(
    engine: Engine, clock: FrozenClock, say: Say, remember: Remember, monkeypatch: pytest.MonkeyPatch
) -> None:
    say("hello")
    worker = engine._core.worker
    may_go, real = threading.Event(), worker._understand

    def slow(event_id: int) -> object:
        assert may_go.wait(PATIENCE_S)
        return real(event_id)

    monkeypatch.setattr(worker, "_understand", slow)
    waited = worker.wait_for

    def let_go(event_id: int, timeout_s: float) -> object:
        may_go.set()
        return waited(event_id, timeout_s * 6)

    monkeypatch.setattr(worker, "wait_for", let_go)
    clock.advance(minutes=1)
    request = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key="n", session="s1", text=SAID, cwd="/w/app")
    engine.events.capture([request], wait_s=0)
    assert remember(QUOTE, STATEMENT).state is ACTIVE


def test_an_assistant_takes_back_its_own_and_no_others(engine: Engine, say: Say, remember: Remember) -> None:
    say(SAID)
    with acting_as(Actor("claude-code", may_write=True)):
        made = remember(QUOTE, STATEMENT)
        operation = next(one for one in engine.journal.list() if one.kind == "remember")
    with acting_as(Actor("codex", may_write=True)), pytest.raises(ForbiddenError):
        engine.journal.undo(operation.id)
    with acting_as(Actor("claude-code", may_write=True)):
        engine.journal.undo(operation.id)
    assert made.id not in [row.id for row in rows(engine, MemoryRow)]


def test_the_judge_meets_what_was_reported_and_the_report_what_the_judge_kept(
    judge: ScriptedJudge, say: Say, remember: Remember
) -> None:
    say(SAID)
    made = remember(QUOTE, STATEMENT)
    judge.answers("remember('parcels', 'parcels go out with the blue van', 'The blue van sends the parcels only.')")
    judge.read()
    assert [row.id for row in judge.memories().values() if row.status == "active"] == [made.id]
    say("the red van is sold in spring")
    judge.answers("remember('sold', 'the red van is sold in spring', 'The red van is sold in spring.')")
    judge.read()
    again = remember("the red van is sold", "In spring the red van is sold.")
    assert (again.state, again.id) == (KNOWN, judge.memories()["The red van is sold in spring."].id)
