"""A file opened, a branch, an error: what is expected from past sessions, within the walls, and ready for the next assembly."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from app.api import CaptureRequest, Engine, EventKind, ExclusionKind, FrozenClock, MemoryDraft
from app.context.prediction import Predictor
from app.errors import InvalidError
from app.retrieval.ranked_hits import RankedHits
from app.store.rows.receipt import note_usage
from app.values import ArtifactKind, ContextRequest, ContextSignals, PredictionSignal, Tier, UsageKind
from tests.app.capture.test_checkout import git
from tests.conftest import Say
from tests.patience import PATIENCE_S

PROJECT = "/w/app"


def edit(engine: Engine, *files: str, session: str) -> None:
    for file in files:
        payload = {"tool_name": "Edit", "tool_input": {"file_path": f"{PROJECT}/{file}"}}
        request = CaptureRequest(
            app="claude-code",
            kind=EventKind.TOOL,
            key=f"{session}:{file}",
            session=session,
            cwd=PROJECT,
            payload=payload,
        )
        engine.events.capture([request], wait_s=PATIENCE_S)


def remember(engine: Engine, text: str, file: str = "", project: str = PROJECT) -> int:
    made = engine.memories.create(MemoryDraft(text=text, project_path=project))
    if file:
        engine.memories.attach(made, ArtifactKind.FILE, file)
    return made


@pytest.fixture
def worked(engine: Engine, say: Say) -> Engine:
    for session in ("a", "b", "c"):
        say(f"work on the login of {session}", session=session)
        edit(engine, "src/login.py", "src/session.py", session=session)
    return engine


@pytest.mark.seed("S4", "tier2.decisions", "predict.file")
def test_a_file_brings_what_is_about_it_and_about_what_changes_with_it(worked: Engine) -> None:
    own = remember(worked, "Login attempts are limited to five.", "src/login.py")
    beside = remember(worked, "Cookies of a session last a week.", "src/session.py")
    elsewhere = remember(worked, "Invoices are numbered per year.", "src/invoice.py")
    found = worked.context.predict(ContextSignals(project_path=PROJECT, current_file=f"{PROJECT}/src/login.py"))
    assert found.memory_ids == (own, beside, elsewhere)
    assert found.strengths[0] > 0.8
    assert found.strengths[-1] < 0.1  # it only lies in the same folder
    assert found.confidence < 0.1  # nobody took it up yet
    assert "login.py and session.py change together" in found.reasons


def test_what_was_learned_while_the_file_was_edited_is_expected(engine: Engine, say: Say) -> None:
    say("We decided to use Argon2 for the password hashes.", session="a")
    edit(engine, "src/hash.py", session="a")
    found = engine.context.predict(ContextSignals(project_path=PROJECT, current_file="src/hash.py"))
    assert len(found.memory_ids) == 1
    assert found.reasons == ("learned while hash.py was edited",)


@pytest.mark.seed("S4", "tier2.people", "predict.branch", "predict.error", "predict.collaborator")
def test_branch_error_and_collaborator_are_signals_too(engine: Engine) -> None:
    texts = {
        "branch": "The invoice export writes one line per item.",
        "error": "A ConnectionResetError of the mailer means that the relay is down.",
        "collaborator": "Marjolein prefers small pull requests.",
        "other": "Fonts are self-hosted.",
    }
    made = {name: remember(engine, text) for name, text in texts.items()}
    base = ContextSignals(project_path=PROJECT)
    asked = {
        "branch": ContextSignals(project_path=PROJECT, branch="feature/invoice-export"),
        "error": ContextSignals(project_path=PROJECT, recent_errors=("ConnectionResetError: peer 10.0.0.7 in mailer",)),
        "collaborator": ContextSignals(project_path=PROJECT, collaborator="Marjolein"),
    }
    for name, signals in asked.items():
        assert engine.context.predict(signals).memory_ids[:1] == (made[name],), name
    assert engine.context.predict(base).memory_ids == ()


def test_what_a_co_author_of_the_branch_prefers_stands_with_what_is_related(engine: Engine, tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "-m", "first")
    git(tmp_path, "checkout", "-b", "feature/rooms")
    git(tmp_path, "commit", "--allow-empty", "-m", "rooms\n\nCo-authored-by: Marjolein Vos <mv@example.org>")
    made = engine.memories.create(MemoryDraft("Marjolein prefers small pull requests.", project_path=str(tmp_path)))
    signals = ContextSignals(project_path=str(tmp_path), app="claude-code", prompt="Add beds to the rooms page")
    context = engine.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))
    [item] = [item for item in context.items if item.memory_id == made]
    assert (item.tier, item.reason) == (Tier.RELEVANT, "expected: Marjolein Vos is here")


@pytest.mark.seed("S4", "predict.time")
def test_what_was_of_use_at_this_hour_on_several_days_is_expected(engine: Engine, clock: FrozenClock) -> None:
    standup = remember(engine, "The list for the standup is in notes/today.md.")
    once = remember(engine, "The bakery opens at seven.")
    for day, ids in enumerate(([standup, once], [standup])):
        clock.advance(hours=24 * day)
        with engine._core.store.write_log() as connection:
            note_usage(connection, ids, UsageKind.CITED, clock.now(), None)
    clock.advance(hours=24)
    found = engine.context.predict(ContextSignals(project_path=PROJECT, at=clock.now()))
    assert found.memory_ids == (standup,)
    clock.advance(hours=8)
    assert engine.context.predict(ContextSignals(project_path=PROJECT, at=clock.now())).memory_ids == ()


def test_another_project_is_never_expected(worked: Engine) -> None:
    remember(worked, "Secret of another house.", "src/login.py", project="/w/other")
    found = worked.context.predict(ContextSignals(project_path=PROJECT, current_file="src/login.py"))
    assert found.memory_ids == ()


@pytest.mark.seed("S4", "goal.predict", "tier2.predicted", "predict.tiers", "phase.b")
def test_what_is_expected_stands_in_the_context_and_says_why(worked: Engine, clock: FrozenClock) -> None:
    expected = remember(worked, "Cookies last a week.", "src/session.py")
    signals = ContextSignals(project_path=PROJECT, current_file=f"{PROJECT}/src/login.py", at=clock.now())
    context = worked.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))
    [item] = [item for item in context.items if item.memory_id == expected]
    assert item.tier is Tier.RELEVANT
    assert item.reason.startswith("expected: ")
    assert context.prediction is not None
    assert context.prediction.memory_ids == (expected,)


def test_each_says_what_speaks_for_itself(worked: Engine, clock: FrozenClock) -> None:
    own = remember(worked, "Login attempts are limited to five.", "src/login.py")
    beside = remember(worked, "Cookies last a week.", "src/session.py")
    branch = remember(worked, "The invoice export writes one line per item.")
    signals = ContextSignals(
        project_path=PROJECT, app="claude-code", session="a", branch="feature/invoice-export", at=clock.now()
    )
    made = worked.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))
    reasons = {item.memory_id: item.reason for item in made.items}
    assert reasons[own] == "expected: about src/login.py"
    assert reasons[beside] == "expected: about src/session.py"
    assert reasons[branch] == "expected: named by the branch feature/invoice-export"


def test_what_is_hardly_expected_is_told_to_who_asks_for_a_context_only(worked: Engine) -> None:
    remember(worked, "Login attempts are limited to five.", "src/login.py")
    unlikely = remember(worked, "Fonts are self-hosted.", "src/fonts.py")
    signals = ContextSignals(project_path=PROJECT, app="claude-code", session="b", prompt="Lock out login attempts")

    def given(delivery: str) -> list[int | None]:
        made = worked.context.assemble(ContextRequest(signals, delivery=delivery, is_kept=False))
        assert made.text
        return [item.memory_id for item in made.items if item.reason.startswith("expected: ")]

    assert worked.context.predict(signals).strengths[-1] < 0.1
    assert unlikely in given("mcp")
    assert unlikely not in given("hook:prompt")


def test_sessions_whose_conversation_has_left_still_say_what_belongs_together(engine: Engine, say: Say) -> None:
    say("the price table rounds the taxes", session="first", cwd=PROJECT)
    edit(engine, "src/price.py", "web/table.ts", session="first")
    for number in range(engine.settings.current.queue_size + 1):
        say(f"something else, number {number}", session=f"later{number}", cwd=PROJECT, minutes=300)
    with engine._core.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM tool_use").scalar() == 0
    table = remember(engine, "Cells are aligned by their dot.", "web/table.ts")
    found = engine.context.predict(ContextSignals(project_path=PROJECT, current_file="src/price.py"))
    assert found.memory_ids == (table,)
    assert found.reasons == ("price.py and table.ts change together",)


def test_the_files_that_the_session_touched_stand_for_the_one_that_is_open(worked: Engine) -> None:
    beside = remember(worked, "Cookies of a session last a week.", "src/session.py")
    signals = ContextSignals(project_path=PROJECT, app="claude-code", session="a")
    assert worked.context.predict(signals).memory_ids == (beside,)


def test_the_words_of_the_prompt_decide_between_two_habits(engine: Engine, say: Say) -> None:
    for session, thing in (("a", "mail"), ("b", "fax"), ("c", "mail"), ("d", "fax")):
        say(f"the {thing} is sent twice", session=session)
        edit(engine, "src/send.py", f"src/{thing}.py", session=session)
    made = {thing: remember(engine, f"About {thing} in general.", f"src/{thing}.py") for thing in ("mail", "fax")}
    for thing, prompt in (("mail", "a mail got lost"), ("fax", "a fax got lost"), ("mail", "which mail was it?")):
        signals = ContextSignals(project_path=PROJECT, current_file="src/send.py", prompt=prompt)
        assert engine.context.predict(signals).memory_ids[0] == made[thing], prompt


def test_the_files_of_a_trace_are_as_good_as_open(engine: Engine) -> None:
    relay = remember(engine, "The relay retries twice.", "src/relay.py")
    remember(engine, "Fonts are self-hosted.", "web/fonts.css")
    trace = (
        f'Traceback:\n  File "{PROJECT}/src/main.py", line 3\n  File "{PROJECT}/src/relay.py", line 8\nOSError: gone'
    )
    found = engine.context.predict(ContextSignals(project_path=PROJECT, recent_errors=(trace,)))
    assert found.memory_ids[0] == relay
    assert "about src/relay.py" in found.reasons


def test_what_would_not_be_told_is_not_expected_either(worked: Engine) -> None:
    own = remember(worked, "We decided to use Redis for caching", "src/login.py")
    secret = remember(worked, "The login page is redone by Quentin.", "src/login.py")
    foreign = remember(worked, "We decided to use Memcached for caching", "src/login.py", project="")
    signals = ContextSignals(project_path=PROJECT, current_file="src/login.py")
    assert worked.context.predict(signals).memory_ids == (own, secret), "the control: the overruled one is left out"
    worked.context.withhold([secret])
    assert worked.context.predict(signals).memory_ids == (own,)
    made = worked.context.assemble(ContextRequest(signals, is_kept=False))
    assert {one.memory_id for one in made.left_out} == {secret, foreign}, "a context says why it leaves them out"
    worked.context.withhold([secret], is_withheld=False)
    assert worked.context.predict(signals).memory_ids == (own, secret)


def test_a_prefetch_changes_nothing_but_the_time(worked: Engine, clock: FrozenClock) -> None:
    remember(worked, "Cookies of a session last a week.", "src/session.py")
    signals = ContextSignals(project_path=PROJECT, current_file="src/login.py", prompt="log in again", at=clock.now())
    request = ContextRequest(signals, is_kept=False)
    cold = worked.context.assemble(request)
    worked.context.predict(replace(signals, current_file="src/session.py"))
    worked.context.predict(replace(signals, prompt=""))
    assert worked.context.assemble(request).text == cold.text
    assert worked.context.assemble(request).prediction == cold.prediction


def test_a_prefetch_that_hangs_holds_up_neither_a_context_nor_a_write(engine: Engine, clock: FrozenClock) -> None:
    core = engine._core
    is_in, is_free = Event(), Event()

    class Slow:
        def retrieve(self, *_args: object, **_more: object) -> RankedHits:
            is_in.set()
            assert is_free.wait(PATIENCE_S)
            raise InvalidError("too late")

    slow = Predictor(core.store, Slow())  # type: ignore[arg-type]
    stuck = ContextSignals(project_path=PROJECT, recent_errors=("OSError: no such host",))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slow.predict, stuck)
        assert is_in.wait(PATIENCE_S)
        remember(engine, "Cookies of a session last a week.", "src/session.py")
        assert slow.predict(ContextSignals(project_path=PROJECT, current_file="src/session.py")).memory_ids == (1,)
        is_free.set()
        with pytest.raises(InvalidError):
            waiting.result(PATIENCE_S)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The login form has two fields.", "named by the branch fix/login"),
        ("Every session lasts a week.", "close to the name of the branch fix/login"),
    ],
)
def test_what_only_means_the_same_is_not_named_by_the_branch(engine: Engine, text: str, reason: str) -> None:
    remember(engine, text, "docs/notes.md")
    found = engine.context.predict(ContextSignals(project_path=PROJECT, branch="fix/login"))
    assert reason in found.reasons


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "shop").mkdir()
    texts = {"cart": "from shop.price import net\n", "price": "import os\n", "api": "import shop.cart\n", "mail": ""}
    for name, text in texts.items():
        (tmp_path / "shop" / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


def expect(engine: Engine, shop: Path, file: str, **signals: str) -> dict[str, str]:
    found = engine.context.predict(ContextSignals(project_path=str(shop), current_file=str(shop / file), **signals))
    return {one.path: one.reason for one in found.files}


@pytest.mark.seed("S4", "predict.file")
def test_what_a_file_imports_is_expected_before_it_was_ever_changed(engine: Engine, say: Say, shop: Path) -> None:
    say("Work on the cart", session="a", cwd=str(shop))
    about = engine.memories.create(MemoryDraft("Prices are kept in cents.", project_path=str(shop)))
    engine.memories.attach(about, ArtifactKind.FILE, "shop/price.py")
    found = engine.context.predict(ContextSignals(project_path=str(shop), current_file=str(shop / "shop/cart.py")))
    reasons = {one.path: one.reason for one in found.files}
    assert reasons["shop/price.py"] == "cart.py imports price.py"
    assert "shop/mail.py" not in reasons
    assert found.memory_ids == (about,)
    assert PredictionSignal.IMPORTS in {share.signal for share in found.shares_of_each[0]}
    without = engine.context.predict(
        ContextSignals(project_path=str(shop), current_file=str(shop / "shop/cart.py")),
        without={PredictionSignal.IMPORTS},
    )
    assert "cart.py imports price.py" not in {one.reason for one in without.files}


def test_a_file_worked_on_is_expected_where_it_imports_the_one_at_hand(engine: Engine, say: Say, shop: Path) -> None:
    say("Work on the routes", session="b", cwd=str(shop))
    payload = {"tool_name": "Edit", "tool_input": {"file_path": str(shop / "shop/api.py")}}
    edited = CaptureRequest("claude-code", EventKind.TOOL, "k", session="b", cwd=str(shop), payload=payload)
    engine.events.capture([edited], wait_s=PATIENCE_S)
    assert expect(engine, shop, "shop/cart.py")["shop/api.py"] == "api.py imports cart.py"


def test_imports_are_not_read_where_a_person_said_so(engine: Engine, say: Say, shop: Path) -> None:
    say("Work on the cart", session="a", cwd=str(shop))
    engine.settings.set("is_reading_code", False)
    assert "shop/price.py" not in expect(engine, shop, "shop/cart.py")
    engine.settings.set("is_reading_code", True)
    engine.rules.exclude(ExclusionKind.FOLDER, str(shop / "shop"))
    assert "shop/price.py" not in expect(engine, shop, "shop/cart.py")
