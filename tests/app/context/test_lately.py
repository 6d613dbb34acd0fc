"""Recent errors and fixes: told with the error itself, told as repaired, told to whom it concerns, silenced until the next run."""

from dataclasses import replace

import pytest

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, MemoryDraft, Places
from app.assistants.hook_payload import parse_hook_payload
from app.errors import NotFoundError
from app.values import Context, ContextRequest, ContextSignals, Tier
from tests.patience import PATIENCE_S

SHOP = "/w/shop"
BUILD = "npm run build"
SAID = "> shop@1.0.0 build\n\nsrc/cart.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
LINE = "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable to type 'number'."


class Session:
    """What an assistant's hooks tell of one session."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._count = 0
        self._prompt = CaptureRequest("claude-code", EventKind.PROMPT, "p", session="s1", text="Carry on", cwd=SHOP)
        self._engine.events.capture([self._prompt])

    def use(self, name: str, tool_input: dict[str, str], response: object) -> None:
        self._count += 1
        payload = {"tool_name": name, "tool_input": tool_input, "tool_response": response}
        used = replace(self._prompt, kind=EventKind.TOOL, key=f"t{self._count}", text="", payload=payload)
        self._engine.events.capture([used])
        assert self._engine.events.wait_idle(PATIENCE_S)

    def run(self, command: str = BUILD, *, said: str = "", exit_code: int = 0) -> None:
        self.use("Bash", {"command": command}, {"exit_code": exit_code, "stdout": said})

    def edit(self, file: str) -> None:
        self.use("Edit", {"file_path": f"{SHOP}/{file}"}, {})

    def given(self, prompt: str = "fix the build error", *, file: str = "", delivery: str = "hook:prompt") -> Context:
        signals = ContextSignals(SHOP, prompt=prompt, current_file=file)
        return self._engine.context.assemble(ContextRequest(signals, delivery=delivery, is_kept=False))


@pytest.fixture
def session(engine: Engine) -> Session:
    return Session(engine)


def lines(context: Context) -> list[str]:
    return [item.text for item in context.items]


def test_a_failure_is_told_with_its_error(session: Session) -> None:
    session.run(said=SAID, exit_code=2)
    assert lines(session.given()) == [f"- Failed lately: {BUILD} (exit 2): {LINE}"]


def test_what_failed_last_brings_what_was_learned_of_it_until_it_passes(engine: Engine, session: Session) -> None:
    fix = engine.memories.create(
        MemoryDraft("TS2322 in cart.ts means that the price is still a string.", project_path=SHOP)
    )
    engine.memories.create(MemoryDraft("The shop is translated into Swedish.", project_path=SHOP))
    assert session.given("again?!").is_empty
    session.run(said=SAID, exit_code=2)
    assert [item.memory_id for item in session.given("again?!").items] == [fix]
    session.run()
    assert session.given("again?!").is_empty


def test_what_an_error_says_word_for_word_is_told(engine: Engine, session: Session) -> None:
    known = engine.memories.create(MemoryDraft("Type 'string' is not assignable to type 'number'", project_path=SHOP))
    session.run(said=SAID, exit_code=2)
    assert known in [item.memory_id for item in session.given("again?!").items]


def test_a_host_that_tells_failures_apart_is_understood_too(engine: Engine, session: Session) -> None:
    raw = b'{"session_id":"s1","cwd":"/w/shop","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"u",'
    raw += b'"tool_input":{"command":"npm run build"},"error":"Exit code 2\\nerror TS2322: no such type"}'
    used = parse_hook_payload("claude-code", "tool", raw, key="u", cwd=SHOP, at=None)
    assert used is not None
    engine.events.capture([used])
    assert engine.events.wait_idle(PATIENCE_S)
    assert lines(session.given()) == [f"- Failed lately: {BUILD} (exit 2): error TS2322: no such type"]


def test_no_secret_of_an_output_is_kept(engine: Engine, session: Session, places: Places) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    session.run(said=f"error: push of https://x:{secret}@example.org was refused " + "y" * 300, exit_code=1)
    (line,) = lines(session.given())
    assert "error: push of" in line
    assert len(line) < 300
    engine.close()
    held = [
        path.name
        for path in places.data_dir.parent.rglob("*")
        if path.is_file() and b"a1B2c3D4e5F6" in path.read_bytes()
    ]
    assert held == []


@pytest.mark.parametrize(
    ("prompt", "is_told"),
    [
        ("fix the build error", True),
        ("it is broken again", True),
        ("why does it crash?", True),
        ("the build is red", True),
        ("what about cart.ts and that type?", True),
        ("paint the button red", False),
        ("add a page for the orders", False),
    ],
)
def test_it_is_told_to_whom_it_concerns(session: Session, prompt: str, *, is_told: bool) -> None:
    session.run(said=SAID, exit_code=2)
    assert bool(lines(session.given(prompt))) is is_told


def test_what_an_edit_repaired_is_told_for_a_day(session: Session, clock: FrozenClock) -> None:
    session.run(said=SAID, exit_code=2)
    session.edit("src/cart.ts")
    session.run()
    fixed = f"- Fixed: {BUILD} failed with “{LINE}”, passed after src/cart.ts was edited"
    asked = session.given()
    assert lines(asked) == [fixed]
    assert asked.items[0].tier is Tier.CRITICAL
    assert [item.tier for item in session.given("", file="src/cart.ts", delivery="mcp").items] == [Tier.CRITICAL]
    beside = session.given("", file="src/menu.ts", delivery="mcp")
    assert [(item.text, item.tier) for item in beside.items] == [(fixed, Tier.BACKGROUND)]
    assert session.given("add a page for the orders").is_empty
    clock.advance(minutes=25 * 60)
    assert session.given().is_empty


def test_what_passed_by_itself_is_no_fix_and_what_fails_again_is_none(session: Session) -> None:
    session.run(said=SAID, exit_code=2)
    session.run()
    assert session.given().is_empty
    session.run(said=SAID, exit_code=2)
    session.edit("src/cart.ts")
    session.run()
    session.run(exit_code=1)
    assert lines(session.given()) == [f"- Failed lately: {BUILD} (exit 1)"]


def test_a_line_is_silenced_until_its_command_runs_again(engine: Engine, session: Session) -> None:
    session.run(said=SAID, exit_code=2)
    session.run("npm test", exit_code=1)
    (line,) = [one.removeprefix("- ") for one in lines(session.given()) if BUILD in one]
    engine.context.dismiss(line, project_path=SHOP)
    assert lines(session.given()) == ["- Failed lately: npm test (exit 1)"]
    assert BUILD in engine.journal.list()[0].label
    engine.journal.undo()
    assert len(lines(session.given())) == 2
    engine.context.dismiss(BUILD, project_path="shop")
    session.run(said=SAID, exit_code=2)
    assert len(lines(session.given())) == 2
    with pytest.raises(NotFoundError):
        engine.context.dismiss("make", project_path=SHOP)
