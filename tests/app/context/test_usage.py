"""What a session was told is cited by what follows, or ignored when it is over; ranking follows."""

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft
from app.context.usage import settle_old
from app.store.rows.receipt import note_usage
from app.values import ContextRequest, ContextSignals, PredictionSignal, RecallQuery, UsageKind
from tests.patience import PATIENCE_S

PROJECT = "/w/app"


@pytest.fixture
def known(engine: Engine) -> dict[str, int]:
    texts = {
        "proxy": "We decided to use Caddy as the reverse proxy for deployments.",
        "window": "Deployments never happen on a Friday afternoon.",
    }
    made = {name: engine.memories.create(MemoryDraft(text=text, project_path=PROJECT)) for name, text in texts.items()}
    prompt = ContextSignals(project_path=PROJECT, app="claude-code", session="s1", prompt="prepare the deployments")
    assert len(engine.context.assemble(ContextRequest(prompt, delivery="mcp")).items) == 2
    return made


def send(engine: Engine, kind: EventKind, text: str = "", *, session: str = "s1", **more: object) -> None:
    request = CaptureRequest(
        app="claude-code", kind=kind, key=f"{kind}:{text}", session=session, text=text, cwd=PROJECT, **more
    )
    engine.events.capture([request], wait_s=PATIENCE_S)


def usage(engine: Engine) -> dict[int, str]:
    [receipt] = engine.context.receipts()
    return dict(engine.context.receipt(receipt.id).usage)


@pytest.mark.seed("S4", "schema.usage")
def test_an_answer_that_names_it_cites_it_and_the_end_lets_the_rest_go(engine: Engine, known: dict[str, int]) -> None:
    send(engine, EventKind.ANSWER, "I wrote a Caddy block for it.")
    assert usage(engine) == {known["proxy"]: "cited", known["window"]: "retrieved"}

    send(engine, EventKind.SESSION_END)
    assert usage(engine) == {known["proxy"]: "cited", known["window"]: "ignored"}
    proxy, window = (engine.memories.get(known[name]).memory for name in ("proxy", "window"))
    assert (proxy.cited_count, proxy.ignored_count) == (1, 0)
    assert (window.cited_count, window.ignored_count) == (0, 1)
    [receipt] = engine.context.receipts()
    assert (receipt.retrieved_count, receipt.cited_count, receipt.ignored_count) == (0, 1, 1)


def test_the_next_prompt_can_cite_it_too(engine: Engine, known: dict[str, int]) -> None:
    send(engine, EventKind.PROMPT, "no, let Caddy listen on another port")
    assert usage(engine)[known["proxy"]] == "cited"


def test_the_prompt_that_was_answered_and_other_sessions_cite_nothing(engine: Engine, known: dict[str, int]) -> None:
    send(engine, EventKind.PROMPT, "prepare the deployments")
    send(engine, EventKind.ANSWER, "Caddy is set up.", session="another")
    assert set(usage(engine).values()) == {"retrieved"}


def run(engine: Engine, command: str, *, name: str = "Bash", **tool_input: str) -> None:
    given = {"command": command, **tool_input} if command else tool_input
    payload = {"tool_name": name, "tool_input": given, "tool_response": {"stdout": ""}}
    send(engine, EventKind.TOOL, command or str(tool_input), payload=payload)


@pytest.mark.seed("S4", "usage.cited")
def test_each_use_keeps_what_was_done_and_where_it_was_given(engine: Engine, known: dict[str, int]) -> None:
    send(engine, EventKind.PROMPT, "prepare the deployments")
    send(engine, EventKind.ANSWER, "I wrote a Caddy block for it.")
    run(engine, "", name="Write", file_path=f"{PROJECT}/deploy/caddy/site.conf", content="x")
    run(engine, "caddy reload --config deploy/Caddyfile")
    run(engine, "caddy reload --config deploy/Caddyfile again")
    kept = engine.memories.get(known["proxy"]).citations
    assert [(one.kind.value, one.detail) for one in kept] == [
        ("command", "caddy reload --config deploy/Caddyfile"),
        ("edit", f"{PROJECT}/deploy/caddy/site.conf"),
        ("answer", ""),
    ]
    [receipt] = engine.context.receipts()
    assert engine.context.receipt(receipt.id).citations == kept
    (used,) = engine.context.used()
    assert (used.citation.memory_id, used.citation.kind.value) == (known["proxy"], "command")
    assert used.citation.is_followed
    assert (used.prompt, used.citation.receipt_id, used.citation.app) == (
        "prepare the deployments", receipt.id, "claude-code",
    )  # fmt: skip


def test_what_the_person_says_again_is_told_apart_from_what_an_assistant_did(
    engine: Engine, known: dict[str, int]
) -> None:
    send(engine, EventKind.PROMPT, "no, let Caddy listen on another port")
    assert [one.kind.value for one in engine.memories.get(known["proxy"]).citations] == ["prompt"]
    assert [one.citation.kind.value for one in engine.context.used()] == ["prompt"]
    send(engine, EventKind.ANSWER, "I wrote a Caddy block for it.")
    (used,) = engine.context.used()
    assert (used.citation.kind.value, used.use_count) == ("answer", 1)


def test_what_was_of_use_yesterday_is_not_of_today_and_what_is_erased_leaves_nothing(
    engine: Engine, known: dict[str, int], clock: FrozenClock
) -> None:
    send(engine, EventKind.ANSWER, "I wrote a Caddy block for it.")
    assert len(engine.context.used()) == 1
    clock.advance(days=1)
    assert (engine.context.used(), len(engine.context.used(days=2))) == ((), 1)
    engine.memories.erase([known["proxy"]])
    assert engine.context.used(days=2) == ()


def test_a_session_that_nobody_ended_is_settled_a_day_later(
    engine: Engine, known: dict[str, int], clock: FrozenClock
) -> None:
    store = engine._core.store
    assert settle_old(store) == 0
    clock.advance(minutes=60 * 25)
    assert settle_old(store) == 2
    assert set(usage(engine).values()) == {"ignored"}
    assert settle_old(store) == 0


@pytest.mark.seed("S4", "con.rank", "usage.ignored")
def test_what_was_cited_ranks_before_what_was_ignored(engine: Engine) -> None:
    first, second = (
        engine.memories.create(
            MemoryDraft(text=f"The nightly export is written by the {name} worker.", project_path=PROJECT)
        )
        for name in ("Mercury", "Saturn")
    )
    query = RecallQuery("which worker writes the nightly export", is_counted=False)
    before = [hit.card.id for hit in engine.search.search(query).hits]
    last = before[-1]
    signals = ContextSignals(project_path=PROJECT, app="claude-code", session="s1", prompt="nightly export")
    engine.context.assemble(ContextRequest(signals, delivery="mcp"))
    send(engine, EventKind.PROMPT, f"the {'Mercury' if last == first else 'Saturn'} one is right")
    send(engine, EventKind.SESSION_END)
    assert sorted(before) == sorted((first, second))
    assert next(hit.card.id for hit in engine.search.search(query).hits) == last


def test_use_moves_within_bounds_and_never_past_what_fits_better(engine: Engine) -> None:
    """Cited above never given above ignored; but a hundred citations do not beat a memory that answers."""
    cited, fresh, ignored = (
        engine.memories.create(MemoryDraft(text=f"The nightly export is written by the {name} worker."))
        for name in ("Mercury", "Saturn", "Uranus")
    )
    answer = engine.memories.create(
        MemoryDraft(text="The nightly export of invoices is written to the Neptune bucket.")
    )
    query = RecallQuery("nightly export worker", is_counted=False)
    asked = RecallQuery("nightly export of invoices Neptune bucket", is_counted=False)
    before = {hit.card.id: hit.score for hit in engine.search.search(query).hits}
    store = engine._core.store
    with store.database.transaction() as connection:
        for kind, memory_id in ((UsageKind.CITED, cited), (UsageKind.IGNORED, ignored)):
            for _ in range(100):
                note_usage(connection, [memory_id], UsageKind.RETRIEVED, store.clock.now(), None)
                note_usage(connection, [memory_id], kind, store.clock.now(), None)
    after = {hit.card.id: hit.score for hit in engine.search.search(query).hits}
    assert [one for one in after if one != answer] == [cited, fresh, ignored]
    assert all(0.9 < after[one] / before[one] < 1.1 for one in (cited, fresh, ignored))
    assert next(hit.card.id for hit in engine.search.search(asked).hits) == answer


def test_what_was_taken_up_is_expected_again_and_a_context_is_not_filled_with_it(
    engine: Engine, known: dict[str, int]
) -> None:
    signals = ContextSignals(project_path=PROJECT, app="claude-code", session="s2", prompt="go on")
    assert engine.context.predict(signals).memory_ids == ()
    send(engine, EventKind.ANSWER, "I wrote a Caddy block for it.")
    found = engine.context.predict(signals)
    assert (found.memory_ids, found.reasons) == ((known["proxy"],), ("used recently",))
    assert engine.context.predict(signals, without=frozenset({PredictionSignal.USE})).memory_ids == ()
    context = engine.context.assemble(ContextRequest(signals, delivery="hook:prompt", is_kept=False))
    assert not [item for item in context.items if item.reason.startswith("expected")]
