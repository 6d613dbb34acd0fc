"""What the harness must know of a client to play it: how it is set up, started, spoken to, and what its tools are called.

One subclass per client in `drivers/`; the play in `play.py` is the same for all. What a client does not offer is `None`
or an empty text, and its part of the play is named as left out.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.clients.fake_model import FakeModel, Request, Step
from tests.clients.room import Room, wait_until
from tests.clients.terminal import Terminal


class Client:
    """One client and its ways. The attributes are what most have in common."""

    name = ""
    title = ""
    program = ""
    has_connector = True  # `remanence connect` knows it; else the harness writes its configuration
    history = ""  # the source for `remanence import`; empty: there is no reader
    history_dir = ""  # below the home
    prompt_event = "UserPromptSubmit"
    start_event = "SessionStart"
    stop_event = "Stop"
    ready = r"^\s*[>❯›]"
    clear: str | None = "/clear"
    compact: str | None = "/compact"
    compact_words = "summary"  # in what the client then asks the model
    leave = "/exit"
    can_fork = True
    can_queue = True  # takes what is typed while it works
    paste_mark = ""  # what the client writes around a paste

    def env(self, model: FakeModel) -> dict[str, str]:
        """Environment that leads the client to the fake model and to no other place."""
        raise NotImplementedError

    def prepare(self, room: Room, model: FakeModel) -> None:
        """The person's own configuration, with hooks of their own that record."""
        raise NotImplementedError

    def config_files(self, room: Room) -> Sequence[Path]:
        """The files that connecting may change."""
        raise NotImplementedError

    def connect(self, room: Room) -> None:
        room.remanence_cli("connect", self.name, "--yes")

    def disconnect(self, room: Room) -> None:
        room.remanence_cli("disconnect", self.name, "--yes")

    # sessions

    def words(self, *, resume: str = "", fork: bool = False) -> list[str]:
        """The command line of an interactive session."""
        raise NotImplementedError

    def once(self, prompt: str) -> list[str]:
        """The command line for one prompt without a terminal."""
        raise NotImplementedError

    def open(self, room: Room, *, resume: str = "", fork: bool = False, cwd: Path | None = None) -> Terminal:
        """A session in a terminal, ready to be typed into."""
        terminal = Terminal(self.words(resume=resume, fork=fork), cwd=cwd or room.project, env=room.env)
        self.answer_questions(terminal)
        terminal.settle()
        return terminal

    def answer_questions(self, terminal: Terminal) -> None:
        """What the client asks at its start, answered as a person would who wants to go on."""
        terminal.wait(self.ready)

    def say(self, terminal: Terminal, text: str) -> None:
        """Types a line and sends it off."""
        terminal.say(text)

    def close(self, terminal: Terminal) -> None:
        """Leaves as a person does."""
        self.say(terminal, self.leave)
        wait_until(lambda: not terminal.is_running, 10)
        terminal.close()

    # tools

    def shell(self, command: str) -> tuple[Step, ...]:
        raise NotImplementedError

    def edit(self, path: Path) -> tuple[Step, ...]:
        """Replaces `return net` in prices.py."""
        raise NotImplementedError

    def helper(self, prompt: str) -> tuple[Step, ...] | None:
        """A subagent with this prompt."""
        return None

    def recall(self, query: str) -> tuple[Step, ...]:
        raise NotImplementedError

    def remember(self, quote: str, statement: str) -> tuple[Step, ...]:
        raise NotImplementedError

    def given(self, request: Request) -> str:
        """What reached the model beside the person's words: where our context must be."""
        items = request.conversation.items
        wrapped = [item.text for item in items if item.role == "user" and item.typed != item.text]
        return "\n".join([item.text for item in items if item.role == "system"] + wrapped)

    def status_of_shell(self) -> dict[str, Any]:
        """What a row of our store must say about `exit 3`."""
        return {"exit_status": 3, "is_error": 1}


class HandWritten(Client):
    """A client that `remanence connect` does not know: the harness writes hooks, server and token by hand."""

    has_connector = False

    def __init__(self) -> None:
        self._originals: dict[Path, bytes | None] = {}

    def write_ours(self, room: Room) -> None:
        """Puts our hooks and our server into the configuration."""
        raise NotImplementedError

    def connect(self, room: Room) -> None:
        self._originals = {path: path.read_bytes() if path.exists() else None for path in self.config_files(room)}
        given = room.remanence / "state" / "hook" / f"{self.name}.conf"
        if not given.exists():
            made = room.remanence_cli("apps", "create", self.name, "--scope", "capture", "--scope", "read")
            given.parent.mkdir(mode=0o700, exist_ok=True)
            given.write_text(f"token {made.stdout.strip()}\n", encoding="utf-8")
            given.chmod(0o600)
        self.write_ours(room)

    def disconnect(self, room: Room) -> None:
        for path, before in self._originals.items():
            if before is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(before)
