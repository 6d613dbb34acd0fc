"""What each step proposes and leaves alone, and what that does to a context. Ids name the rule of the seeds."""

from typing import Any

import pytest

from app.api import ContextRequest, ContextSignals, Engine, FactType, FrozenClock, MemoryStatus, Slot
from app.store.journal import table_of
from app.store.rows.receipt import note_usage
from app.store.tables.memory import UsageEventRow
from app.values import Origin, Trust, UsageKind
from app.values.consolidation import RunReport
from tests.app.consolidation.memories import project_of, remember, rest, work
from tests.conftest import Say

FIRST = "The nightly import reads the supplier's price list from the shared folder."
LONG = (
    f"{FIRST} It checks every row against the catalogue, writes what does not fit to a report for the purchasing team, and only "
    "then changes the prices of the shop, so that a broken list never reaches a customer."
)
ACTIVE = MemoryStatus.ACTIVE


def report(engine: Engine, **settings: Any) -> RunReport:
    return engine.consolidation.estimate(settings).report


def status(engine: Engine, memory_id: int) -> MemoryStatus:
    return engine.memories.get(memory_id).memory.status


@pytest.mark.seed("S4", "con.dedup")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("The access token lives 15 minutes.", "The access token lives 30 minutes.", id="number"),
        pytest.param("Commit the generated client.", "Never commit the generated client.", id="negation"),
        pytest.param("Anna owns the payments service.", "Ben owns the payments service.", id="name"),
        pytest.param("Payments call the ledger.", "The ledger calls payments.", id="direction"),
        pytest.param("Search results are cached in Redis.", "Search results are cached in Memcached.", id="value"),
    ],
)
def test_what_differs_in_a_word_that_carries_something_is_never_merged_unasked(
    engine: Engine, one: str, other: str
) -> None:
    remember(engine, one)
    remember(engine, other)
    card = engine.consolidation.run()
    assert card.report.deduped == 0


def test_the_same_in_another_project_or_trusted_otherwise_is_not_merged(engine: Engine) -> None:
    text = "We deploy on Fridays with the blue script."
    remember(engine, text, project_id=project_of(engine, "/w/a"))
    remember(engine, text, project_id=project_of(engine, "/w/b"))
    remember(engine, text, project_id=project_of(engine, "/w/b"), trust=int(Trust.IMPORTED))
    assert report(engine).deduped == 0


def test_merged_keeps_where_both_were_said(engine: Engine) -> None:
    first = remember(engine, "We deploy on Fridays with the blue script.")
    remember(engine, "We deploy on Fridays, with the blue script!")
    engine.consolidation.run()
    links = engine.memories.get(first).links
    assert [one.type.value for one in links] == ["merged_from"]


def test_of_the_same_words_the_better_written_stay(engine: Engine) -> None:
    first = remember(engine, "deploy the api on fridays with the blue script")
    remember(engine, "Deploy the API on Fridays with the blue script.")
    remember(engine, "DEPLOY THE API ON FRIDAYS WITH THE BLUE SCRIPT")
    engine.consolidation.run()
    assert engine.memories.get(first).memory.levels.full.text == "Deploy the API on Fridays with the blue script."
    assert engine.memories.get(first).versions, "as it was written before can be seen"


def test_what_is_pinned_keeps_its_writing(engine: Engine) -> None:
    first = remember(engine, "deploy the api on fridays with the blue script", is_pinned=True)
    remember(engine, "Deploy the API on Fridays with the blue script.")
    engine.consolidation.run()
    assert engine.memories.get(first).memory.levels.full.text == "deploy the api on fridays with the blue script"


# forgetting ------------------------------------------------------------------------------------------


@pytest.mark.seed("S4", "con.unused")
def test_what_nobody_used_on_ninety_days_of_work_is_put_away_and_brought_back(
    engine: Engine, clock: FrozenClock
) -> None:
    project = project_of(engine)
    memory_id = remember(engine, "The staging host is called lighthouse.", project_id=project, importance=0.9, worth=1)
    work(engine, clock, project, 89)
    assert report(engine, archive_below=0.0).forgotten == 0
    work(engine, clock, project, 1)
    assert report(engine, archive_below=0.0).forgotten == 1
    engine.consolidation.run()
    assert status(engine, memory_id) is MemoryStatus.ARCHIVED
    engine.memories.unarchive([memory_id])
    assert status(engine, memory_id) is MemoryStatus.ACTIVE


def test_what_is_given_every_day_and_ignored_is_forgotten_and_what_is_used_or_steers_is_not(
    engine: Engine, clock: FrozenClock
) -> None:
    """One store with what must go and what must stay: that a session was given it by itself is no use of it."""
    project = project_of(engine)

    def fact(text: str, **columns: Any) -> int:
        return remember(engine, text, project_id=project, worth=1, **columns)

    ignored = fact("The staging host is called lighthouse.")
    never_given = fact("The printer upstairs is called Otto.")
    cited = fact("The API listens on port 8080.")
    asked_for = fact("The demo account is called walrus.")
    standing = [
        fact("We prefer short answers.", type=FactType.PREFERENCE),
        fact("We decided to use PostgreSQL.", type=FactType.DECISION),
        fact("Backups are encrypted.", is_pinned=True),
    ]
    for day in range(100):
        work(engine, clock, project, 1)
        with engine._core.store.write_log() as connection:
            note_usage(connection, [ignored, cited, *standing], UsageKind.RETRIEVED, clock.now(), day + 1)
            note_usage(connection, [cited], UsageKind.CITED, clock.now(), day + 1)
            note_usage(connection, [ignored, *standing], UsageKind.IGNORED, clock.now(), day + 1)
            note_usage(connection, [asked_for], UsageKind.RETRIEVED, clock.now())
    engine.consolidation.run()
    gone = {one for one in (ignored, never_given, cited, asked_for, *standing) if status(engine, one) is not ACTIVE}
    assert gone == {ignored, never_given}


@pytest.mark.parametrize("days", [30, 365, 3_650])
def test_a_project_that_rests_and_a_clock_that_jumps_forget_nothing(
    engine: Engine, clock: FrozenClock, days: int
) -> None:
    project = project_of(engine)
    memory_id = remember(engine, "The staging host is called lighthouse.", project_id=project)
    rest(clock, days)
    work(engine, clock, project, 1)
    engine.consolidation.run()
    assert status(engine, memory_id) is MemoryStatus.ACTIVE


def test_a_clock_that_went_back_forgets_nothing_either(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    work(engine, clock, project, 100)
    clock.set(clock.now().replace(year=2025)) if hasattr(clock, "set") else rest(clock, -300)
    memory_id = remember(engine, "The staging host is called lighthouse.", project_id=project)
    engine.consolidation.run()
    assert status(engine, memory_id) is MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"is_pinned": True}, id="pinned"),
        pytest.param({"trust": int(Trust.CONFIRMED)}, id="confirmed"),
        pytest.param({"type": FactType.CONSTRAINT}, id="constraint"),
        pytest.param({"type": FactType.GOAL}, id="goal"),
        pytest.param({"type": FactType.DECISION}, id="decision"),
        pytest.param({"worth": 2}, id="useful"),
        pytest.param({"worth": None}, id="unweighed"),
    ],
)
def test_what_the_person_keeps_and_what_goes_last_stays(
    engine: Engine, clock: FrozenClock, columns: dict[str, Any]
) -> None:
    project = project_of(engine)
    memory_id = remember(engine, "The staging host is called lighthouse.", project_id=project, **columns)
    work(engine, clock, project, 400)
    engine.consolidation.run()
    assert status(engine, memory_id) is MemoryStatus.ACTIVE


def test_for_want_of_room_the_weakest_go_and_no_more_than_needed(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    facts = [
        remember(engine, f"The host of office {number} is called lighthouse{number}.", project_id=project)
        for number in range(8)
    ]
    decided = [
        remember(
            engine,
            f"Decided: module{number} is written in language{number}.",
            project_id=project,
            type=FactType.DECISION,
        )
        for number in range(8)
    ]
    work(engine, clock, project, 400)
    engine.settings.set("memories_kept", 13)
    assert engine.consolidation.run().report.forgotten == 3
    gone = {one for one in (*facts, *decided) if status(engine, one) is not MemoryStatus.ACTIVE}
    assert gone == set(facts[:3]), "a plain fact before a decision"


@pytest.mark.parametrize("trust", [Trust.AGENT, Trust.IMPORTED])
def test_what_an_assistant_or_a_file_says_goes_by_age(engine: Engine, clock: FrozenClock, trust: Trust) -> None:
    project = project_of(engine)
    memory_id = remember(engine, "The staging host is called lighthouse.", project_id=project, trust=int(trust))
    work(engine, clock, project, 100)
    engine.consolidation.run()
    assert status(engine, memory_id) is MemoryStatus.ARCHIVED


def test_what_goes_last_goes_for_want_of_room(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    for number in range(12):
        remember(
            engine, f"Decided: module{number} is written in language{number}.", project_id=project,
            type=FactType.DECISION,
        )  # fmt: skip
    work(engine, clock, project, 100)
    assert report(engine, memories_kept=12).forgotten == 0
    assert report(engine, memories_kept=10, unused_days=3_000).forgotten == 2


def test_said_three_times_is_not_forgotten(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    memory_id = remember(engine, "The staging host is called lighthouse.", project_id=project)
    from app.store.tables.memory import MemorySourceRow

    with engine._core.store.write(origin=Origin.CAPTURE, kind="capture", label="") as write:
        for number in range(3):
            write.insert(
                MemorySourceRow,
                {
                    "memory_id": memory_id, "message_id": 900 + number, "conversation_id": None, "conversation_title": "",
                    "app": "", "at": write.at, "quote": "", "start": 0, "end": 0,
                },
            )  # fmt: skip
    work(engine, clock, project, 400)
    assert report(engine).forgotten == 0


@pytest.mark.seed("S4", "con.superseded")
def test_what_holds_no_longer_is_put_away_after_a_while(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    closed = remember(engine, "The shop uses MySQL.", project_id=project, valid_to=clock.now(), trust=2)
    work(engine, clock, project, 29)
    assert report(engine).forgotten == 0
    work(engine, clock, project, 2)
    engine.consolidation.run()
    assert status(engine, closed) is MemoryStatus.ARCHIVED


@pytest.mark.parametrize("columns", [{"type": FactType.DECISION}, {"type": FactType.CONSTRAINT}, {"worth": 2}])
def test_what_goes_last_goes_last_also_when_it_holds_no_longer(
    engine: Engine, clock: FrozenClock, columns: dict[str, object]
) -> None:
    project = project_of(engine)
    remember(engine, "The shop uses MySQL.", project_id=project, valid_to=clock.now(), trust=2, **columns)
    work(engine, clock, project, 400)
    assert report(engine).forgotten == 0


# weight ----------------------------------------------------------------------------------------------


def use(engine: Engine, memory_id: int, kind: str, times: int) -> None:
    with engine._core.store.write_log() as connection:
        values = {"memory_id": memory_id, "at": engine.clock.now(), "kind": kind, "receipt_id": None}
        connection.execute(table_of(UsageEventRow).insert(), [values] * times)


@pytest.mark.seed("S4", "con.rank")
def test_cited_is_promoted_and_ignored_demoted_once(engine: Engine) -> None:
    cited = remember(engine, "The staging host is called lighthouse.")
    closed = remember(engine, "The staging host is called beacon.", valid_to=engine.clock.now())
    use(engine, closed, "cited", 2)
    ignored = remember(engine, "The canteen closes at two.")
    use(engine, cited, "cited", 2)
    use(engine, ignored, "ignored", 5)
    card = engine.consolidation.run()
    assert (card.report.promoted, card.report.demoted) == (1, 1)
    assert engine.memories.get(cited).memory.importance == pytest.approx(0.5855, abs=0.001)
    assert engine.memories.get(ignored).memory.importance == pytest.approx(0.45)
    raised = next(one for one in engine.consolidation.actions(card.id) if one.memory_ids == (cited,))
    assert raised.before == ("importance 50 %",)  # also once it is done
    assert raised.after == (f"{engine.memories.get(cited).memory.importance * 100:.0f} %",)
    assert engine.consolidation.run().action_count == 0


def test_a_rule_that_leaves_no_trace_when_it_is_followed_does_not_sink(engine: Engine) -> None:
    rules = [
        remember(engine, "Do not shut staging down when production is deployed.", type=FactType.CONSTRAINT),
        remember(engine, "Prefers plain SQL to a mapper.", type=FactType.PREFERENCE),
    ]
    for one in rules:
        use(engine, one, "ignored", 40)
    assert engine.consolidation.run().report.demoted == 0


def test_of_an_episode_each_part_and_what_is_open_is_still_told(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    text = (
        "You worked on “Labels of pallets”. Labels are printed twice, once for the box and once for the file of the customs office. "
        "The printer was slow, which came from a font that it loaded anew for each page; it is loaded once now. "
        "Barcodes on labels: Two sorts of barcodes were compared with the scanner of the yard. The choice is not confirmed yet. All 61 tests pass. Your printer is working as it should, with nothing else to be done about it today or on any other day of the week."
    )
    remember(engine, text, project_id=project, kind="episode")
    work(engine, clock, project, 30)
    card = engine.consolidation.run()
    (short,) = [one for one in engine.consolidation.actions(card.id) if one.step == "compress"]
    (told,) = short.after
    assert told == text[: text.index(" All 61")]


@pytest.mark.seed("S4", "con.summarise", "con.compress")
def test_long_and_unused_is_given_shorter_and_in_full_again_after_use(engine: Engine, clock: FrozenClock) -> None:
    project = project_of(engine)
    memory_id = remember(engine, LONG, project_id=project)
    work(engine, clock, project, 7)
    assert told(engine) == LONG
    card = engine.consolidation.run()
    assert card.report.compressed == 1
    assert card.report.tokens_reclaimed > 0
    assert told(engine) == FIRST, "whole sentences, word by word"
    assert engine.memories.get(memory_id).memory.levels.full.text == LONG
    use(engine, memory_id, "cited", 1)
    engine.consolidation.run()
    assert told(engine) == LONG


def told(engine: Engine) -> str:
    signals = ContextSignals(project_path="/w/app", prompt="what does the nightly import of the price list do?")
    context = engine.context.assemble(ContextRequest(signals=signals, is_kept=False))
    return next((one.text.removeprefix("- [1] ") for one in context.items if "import" in one.text), "")


# links -----------------------------------------------------------------------------------------------


@pytest.mark.seed("S4", "con.links")
def test_what_speaks_of_the_same_thing_is_linked_once(engine: Engine) -> None:
    project = project_of(engine)
    one = remember(engine, "The invoice exporter writes its CSV files to the finance bucket.", project_id=project)
    other = remember(engine, "When the finance bucket is full the invoice exporter stops.", project_id=project)
    remember(engine, "Buttons are round and blue.", project_id=project)
    card = engine.consolidation.run()
    assert card.report.linked == 1
    assert {link.other_id for link in engine.memories.get(one).links} == {other}
    assert engine.consolidation.run().action_count == 0


def test_a_reason_may_be_one_for_something_else_so_the_person_is_asked(engine: Engine) -> None:
    project = project_of(engine)
    remember(engine, "The label printer of the yard fails on long codes.", project_id=project)
    remember(
        engine, "The label printer of the yard is set to short codes because the scanner is old.", project_id=project
    )
    card = engine.consolidation.run()
    (asked,) = [one for one in engine.consolidation.actions(card.id) if one.step == "links"]
    assert (asked.is_sure, card.report.linked, asked.after) == (
        False,
        0,
        ("Linked as “causes”; both say “printer”, “label”, “codes”, “yard”",),
    )


def test_words_that_only_join_others_link_nothing(engine: Engine) -> None:
    project = project_of(engine)
    remember(engine, "Invoices wait until after the audit.", project_id=project)
    remember(engine, "Buttons wait until after the redesign.", project_id=project)
    assert engine.consolidation.run().report.linked == 0


def test_two_words_in_passing_link_nothing(engine: Engine) -> None:
    project = project_of(engine)
    remember(engine, "Every courier call keeps its labels in a separate folder beside the archive.", project_id=project)
    remember(
        engine, "Queries live in one separate folder, and each screen draws widgets of its own.", project_id=project
    )
    assert engine.consolidation.run().report.linked == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A crane counts as parked once its brake lock exists or is created.", "Where no ferry exists, it is created."),
        ("The crane limit is an environment variable.", "Ferry origins come from environment variables."),
    ],
    ids=["what is done", "one term"],
)
def test_two_words_that_are_one_thing_or_none_link_nothing(engine: Engine, one: str, other: str) -> None:
    remember(engine, one)
    remember(engine, other)
    assert engine.consolidation.run().report.linked == 0


def test_what_every_episode_says_links_no_two(engine: Engine) -> None:
    project = project_of(engine)
    for title, done in (("Rounding of invoices", "round to even"), ("Import of parcels", "read the parcels")):
        text = f"You worked on “{title}”. Claude Code committed “{done}”, and a commit message was written. All 48 tests pass."
        remember(engine, text, project_id=project, kind="episode")
    assert engine.consolidation.run().report.linked == 0


def test_a_slot_of_another_scope_is_another_memory(engine: Engine) -> None:
    for scope in ("staging", "production"):
        slot = Slot("api", "port", scope)
        remember(engine, "The api listens on port 8080.", slot=slot, value="8080")
    assert report(engine).deduped == 0


def test_each_day_on_which_a_prompt_came_in_counts_also_in_one_long_conversation(
    engine: Engine, clock: FrozenClock, say: Say
) -> None:
    project = project_of(engine)
    remember(engine, "The staging host is called lighthouse.", project_id=project, worth=1)
    for _ in range(5):
        say("continue", minutes=24 * 60)
    assert report(engine, unused_days=5).forgotten == 1
    assert report(engine, unused_days=6).forgotten == 0
