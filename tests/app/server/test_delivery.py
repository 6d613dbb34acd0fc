"""A context comes with the answer to a prompt or a session start: framed, once in a session, nothing when nothing fits."""

import contextlib
import json
from collections.abc import Callable, Iterator

import httpx
import pytest

from app.api import Engine, MemoryDraft, Scope
from app.assistants.hook_answers import MAX_CHARS
from app.values import ArtifactKind
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

PROMPT = {"session_id": "s1", "cwd": "/w/shop", "hook_event_name": "UserPromptSubmit"}


@pytest.fixture
def engine(running: Running) -> Engine:
    return running.engine


@pytest.fixture
def hook_of(running: Running) -> Iterator[Callable[[str], httpx.Client]]:
    with contextlib.ExitStack() as stack:

        def connect(app: str) -> httpx.Client:
            _, token = running.engine.apps.create(app, app, frozenset({Scope.CAPTURE, Scope.READ}))
            return stack.enter_context(running.client(token))

        yield connect


@pytest.fixture
def hook_line(hook_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return hook_of("claude-code")


@pytest.fixture
def known(engine: Engine) -> Engine:
    engine.warm_up()
    for text in ("We use PostgreSQL for the orders service.", "Never commit directly to main."):
        engine.memories.create(MemoryDraft(text=text, project_path="/w/shop"))
    return engine


def given(answer: httpx.Response) -> str:
    body = answer.content
    return str(json.loads(body)["hookSpecificOutput"]["additionalContext"]) if body else ""


def test_a_prompt_that_fits_gets_what_is_known_once_in_a_session(known: Engine, hook_line: httpx.Client) -> None:
    first = hook_line.post(
        "/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "Which database does the orders service use?"}
    )
    again = hook_line.post(
        "/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "And which database for the orders service tests?"}
    )
    other = hook_line.post(
        "/v1/hook/claude-code/prompt",
        json=PROMPT | {"session_id": "s2", "prompt": "Which database does the orders service use?"},
    )

    assert "PostgreSQL" in given(first)
    assert given(first).startswith("<remanence-memory id=")
    assert "PostgreSQL" not in given(again)
    assert "PostgreSQL" in given(other)


def test_a_compaction_makes_it_told_again(known: Engine, hook_line: httpx.Client) -> None:
    question = {"prompt": "Which database does the orders service use?"}
    assert "PostgreSQL" in given(hook_line.post("/v1/hook/claude-code/prompt", json=PROMPT | question))
    hook_line.post("/v1/hook/claude-code/compact", json={"session_id": "s1", "cwd": "/w/shop", "trigger": "auto"})
    again = PROMPT | {"prompt": "So which database does the orders service use again?"}
    assert "PostgreSQL" in given(hook_line.post("/v1/hook/claude-code/prompt", json=again))


def test_a_session_start_gets_the_conventions(known: Engine, hook_line: httpx.Client) -> None:
    answer = hook_line.post(
        "/v1/hook/claude-code/start", json={"session_id": "s1", "cwd": "/w/shop", "source": "startup"}
    )
    assert "commit" in given(answer)
    assert json.loads(answer.content)["hookSpecificOutput"]["hookEventName"] == "SessionStart"


def test_nothing_is_sent_when_nothing_fits_and_nothing_for_another_project(
    known: Engine, hook_line: httpx.Client
) -> None:
    nothing = hook_line.post("/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "Bake zucchini muffins"})
    foreign = hook_line.post(
        "/v1/hook/claude-code/prompt",
        json=PROMPT | {"cwd": "/w/other", "prompt": "Which database does the orders service use?"},
    )
    assert (nothing.status_code, nothing.content) == (200, b"")
    assert foreign.content == b""
    assert known.context.receipts() == ()


def test_the_receipt_holds_the_bytes_that_were_sent(known: Engine, hook_line: httpx.Client) -> None:
    answer = hook_line.post(
        "/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "Which database does the orders service use?"}
    )
    [receipt] = known.context.receipts()
    detail = known.context.receipt(receipt.id)
    assert detail.context.text == given(answer)
    assert (receipt.app, receipt.delivery, receipt.session) == ("claude-code", "hook:prompt", "s1")
    for item in detail.context.items:
        assert detail.context.text[item.start : item.end] == item.text
        assert item.reason


def test_switched_off_nothing_is_told_and_capturing_goes_on(known: Engine, hook_line: httpx.Client) -> None:
    known.settings.set("is_giving_context", False)
    answer = hook_line.post(
        "/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "Which database does the orders service use?"}
    )
    known.settings.set("is_giving_context", True)  # the config file outlives the test
    assert answer.content == b""
    assert len(known.events.inbox()) == 1


def test_a_hook_value_stays_within_what_the_host_takes(engine: Engine, hook_line: httpx.Client) -> None:
    for number in range(200):
        for text in (
            f"The invoice field {number * 7} must be checked by rule {number} before it is printed.",
            f"Parcels of size {number} go with carrier number {number % 9} on weekdays.",
        ):
            engine.memories.create(MemoryDraft(text=text, project_path="/w/shop"))
    answer = hook_line.post(
        "/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "How is an invoice field checked before it is printed?"}
    )
    assert 0 < len(given(answer)) <= MAX_CHARS


def test_a_hook_that_asks_for_it_hears_at_once_that_its_event_is_kept_and_then_the_context(
    known: Engine, hook_line: httpx.Client
) -> None:
    question = PROMPT | {"prompt": "Which database does the orders service use?"}
    answer = hook_line.post("/v1/hook/claude-code/prompt?key=k1&early=1", json=question)
    assert answer.status_code == 200
    assert answer.headers["transfer-encoding"] == "chunked"
    assert "PostgreSQL" in given(answer)
    nothing = hook_line.post("/v1/hook/claude-code/prompt?key=k1&early=1", json=question)
    assert (nothing.status_code, nothing.content) == (200, b""), "the same event again"


@pytest.mark.parametrize("app", ["codex", "cursor"])
def test_each_host_gets_its_own_shape(known: Engine, hook_of: Callable[[str], httpx.Client], app: str) -> None:
    body = (
        hook_of(app)
        .post(f"/v1/hook/{app}/prompt", json=PROMPT | {"prompt": "Which database does the orders service use?"})
        .json()
    )
    value = body["additional_context"] if app == "cursor" else body["hookSpecificOutput"]["additionalContext"]
    assert "PostgreSQL" in value


@pytest.mark.parametrize("app", ["gemini", "qwen"])
def test_what_a_host_drops_after_clear_is_given_with_the_next_prompt(
    known: Engine, hook_of: Callable[[str], httpx.Client], app: str
) -> None:
    """Seen in both: the session that `/clear` begins runs its start hook, and nothing of the answer reaches the model."""
    line, session = hook_of(app), {"session_id": "s2", "cwd": "/w/shop"}
    cleared = line.post(f"/v1/hook/{app}/start", json={**session, "source": "clear"})
    assert (cleared.content, known.context.receipts()) == (b"", ())
    question = {**session, "prompt": "Which database does the orders service use?"}
    assert "PostgreSQL" in given(line.post(f"/v1/hook/{app}/prompt", json=question))


MAYBE = "This may or may not be related to the current task."


@pytest.mark.parametrize(
    "block",
    [
        f"<ide_opened_file>The user opened the file /w/shop/src/refunds.py in the IDE. {MAYBE}</ide_opened_file>",
        f"<ide_selection>The user selected the lines 3 to 4 from /w/shop/src/refunds.py:\ntotal\n\n{MAYBE}</ide_selection>",
    ],
    ids=["opened", "selected"],
)
def test_what_the_person_has_open_in_the_editor_is_the_file_at_hand(
    known: Engine, hook_line: httpx.Client, block: str
) -> None:
    made = known.memories.create(MemoryDraft(text="A second booking needs a supervisor.", project_path="/w/shop"))
    known.memories.attach(made, ArtifactKind.FILE, "src/refunds.py")
    plain = hook_line.post("/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "make this one shorter"})
    opened = hook_line.post("/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": f"{block}\nmake it shorter"})
    assert "supervisor" not in given(plain)
    assert "supervisor" in given(opened)
    (receipt, *_) = known.context.receipts(session="s1", limit=1)
    assert (receipt.signals.current_file, receipt.signals.prompt) == ("/w/shop/src/refunds.py", "make it shorter")


def test_what_the_assistant_read_last_is_the_file_at_hand_until_it_changes_one(
    known: Engine, hook_line: httpx.Client
) -> None:
    made = known.memories.create(MemoryDraft(text="A second booking needs a supervisor.", project_path="/w/shop"))
    known.memories.attach(made, ArtifactKind.FILE, "src/refunds.py")
    use = {**PROMPT, "hook_event_name": "PostToolUse", "tool_response": "[left out]"}
    read = {"tool_name": "Read", "tool_input": {"file_path": "/w/shop/src/refunds.py"}, "tool_use_id": "t1"}
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "/w/shop/src/menu.py"}, "tool_use_id": "t2"}
    hook_line.post("/v1/hook/claude-code/tool", json=use | read)
    with known._core.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM event").scalar() == 0
    assert "supervisor" in given(hook_line.post("/v1/hook/claude-code/prompt", json=PROMPT | {"prompt": "shorter"}))
    hook_line.post("/v1/hook/claude-code/tool", json=use | edit | {"session_id": "s2"})
    hook_line.post("/v1/hook/claude-code/tool", json=use | read | {"session_id": "s2"})
    hook_line.post("/v1/hook/claude-code/tool", json=use | edit | {"session_id": "s2", "tool_use_id": "t3"})
    after = hook_line.post("/v1/hook/claude-code/prompt", json=PROMPT | {"session_id": "s2", "prompt": "shorter"})
    assert "supervisor" not in given(after)


def test_a_learned_workflow_is_given_when_it_is_asked_for_and_not_before(
    engine: Engine, hook_line: httpx.Client
) -> None:
    engine.warm_up()
    commands = ("pnpm test", "docker build -t shop:3 .", "kubectl apply -n staging -f web.yaml", "./ship.sh prod")
    for number in range(3):
        host = {**PROMPT, "session_id": f"w{number}"}
        hook_line.post(
            "/v1/hook/claude-code/prompt", json=host | {"prompt": f"Add the filter{number} to the orders page"}
        )
        for place, command in enumerate(commands):
            use = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"u{number}-{place}"}
            tool = {**host, "hook_event_name": "PostToolUse", **use, "tool_response": {"exit_code": 0, "stdout": ""}}
            hook_line.post("/v1/hook/claude-code/tool", json=tool)
        assert engine.events.wait_idle(PATIENCE_S)
        engine.conversations.end(engine.conversations.list()[0].id)
    engine.consolidation.run()
    steps = "test→build→stage→prod"
    later = PROMPT | {"session_id": "later"}
    start = {**later, "hook_event_name": "SessionStart", "source": "startup"}
    assert steps not in given(hook_line.post("/v1/hook/claude-code/start", json=start))
    other = hook_line.post(
        "/v1/hook/claude-code/prompt", json=later | {"prompt": "Add a filter for dates to the orders"}
    )
    assert steps not in given(other)
    asked = hook_line.post("/v1/hook/claude-code/prompt", json=later | {"prompt": "Now deploy it to production"})
    assert all(word in given(asked) for word in ("pnpm test", "docker build", "./ship.sh prod"))
