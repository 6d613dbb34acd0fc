"""One day of a person with one client: what is typed, what happens to the app meanwhile, and what must have come of it.

The same play for every client; `Client` says how. Every prompt has words that occur nowhere else, so that the store can be
asked how often each was kept. Each scene stands alone: one that breaks is a failed check, and the next one is played.
Source: issue 15 point 1, INTEROP "Seen in the real clients".
"""

import hashlib
import json
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.clients.checks import Checks
from tests.clients.client import Client
from tests.clients.fake_model import FakeModel, Request, Say
from tests.clients.room import Room, wait_until
from tests.clients.terminal import Terminal

MCP_S = 2.0  # an answer or a refusal, in every state of the app
QUIET_S = 6.0  # so long nothing more may come before something counts as lost
HELPER_WORDS = "Count all files below this folder and report the number"
PASTED = "From the notes of the other team:\n" + "\n".join(
    f"We decided to use MongoDB for shard {number} of the catalogue." for number in range(60)
)


@dataclass
class Typed:
    """One prompt of the person; `words` stand in no other one."""

    text: str
    words: str
    scene: str
    is_captured: bool = True  # by the hook; else only an import can know it


class Play:
    """The scenes, in order."""

    def __init__(self, client: Client, room: Room, model: FakeModel, checks: Checks) -> None:
        self.client = client
        self.room = room
        self.model = model
        self.checks = checks
        self.typed: list[Typed] = []
        self.mcp_s: dict[str, float] = {}
        self._scene = ""
        self._terminal: Terminal | None = None
        self._session = ""
        self._before: dict[Path, bytes | None] = {}

    def run(self) -> None:
        """All scenes; the app and every terminal are ended afterwards."""
        scenes: tuple[tuple[str, Callable[[], None]], ...] = (
            ("connect", self.connect),
            ("prompts", self.prompts),
            ("typed while it works", self.typed_while_working),
            ("paste", self.paste),
            ("tools", self.tools),
            ("subagent", self.subagent),
            ("compact", self.compact),
            ("clear", self.clear),
            ("memory", self.memory),
            ("resume and fork", self.resume_and_fork),
            ("without a terminal", self.without_terminal),
            ("two sessions", self.two_sessions),
            ("app closed", self.app_closed),
            ("app hung", self.app_hung),
            ("app killed", self.app_killed),
            ("recall while closed", self.recall_while_closed),
            ("reconnect", self.reconnect),
            ("what was kept", self.what_was_kept),
            ("import", self.import_history),
            ("disconnect", self.disconnect),
        )
        try:
            for name, scene in scenes:
                self._scene = name
                try:
                    scene()
                except Exception as error:  # the next scene is played all the same
                    self.checks.add(name, "the scene could be played", False, f"{type(error).__name__}: {error}")
                    self._show_screen()
                    self._leave()
                    if scene == self.connect:
                        return  # nothing that follows would say anything
                    self._app_up()
        finally:
            self._leave()
            self.room.stop_app()

    # scenes

    def connect(self) -> None:
        self.client.prepare(self.room, self.model)
        self._before = {path: _bytes(path) for path in self.client.config_files(self.room)}
        self.room.start_app()
        self.client.connect(self.room)
        changed = [path for path, before in self._before.items() if _bytes(path) != before]
        self._check("the configuration names us", changed, ", ".join(path.name for path in changed))
        if not self.client.has_connector:
            self.checks.note("connect: hooks and server are written by the harness, remanence connect does not know it")
            return
        self.client.disconnect(self.room)
        self._check_bytes("connect and disconnect leave every byte as it was (E8)")
        self.client.connect(self.room)

    def prompts(self) -> None:
        self._enter()
        self._say("We decided to store every price in cents as an integer.", "store every price in cents")
        self._say("The shop opens at eight on Saturdays, remember that.", "opens at eight on Saturdays")
        started = self.room.records(self.client.start_event)
        self._session = _session_of(self.room.records(self.client.prompt_event)[-1].payload)
        self._check("a session start came", started, [record.payload.get("source") for record in started])

    def typed_while_working(self) -> None:
        if not self.client.can_queue:
            self.checks.note("typed while it works: this client takes nothing while it works")
            return
        terminal = self._enter()
        gate = threading.Event()
        self.model.script.on("draft the long report", Say("I am writing the report", until=gate))
        asked = len(self.model.requests)
        before = len(self.room.records(self.client.prompt_event))
        self._type("Please draft the long report about last year's sales.", "draft the long report")
        self.model.wait(lambda request: request.phrase == "draft the long report", since=asked)
        terminal.settle(0.5, 3)
        for text, words in (
            ("And mention the winter sale in it as well.", "mention the winter sale"),
            ("Also keep it below two pages.", "keep it below two pages"),
        ):
            self._type(text, words)
            time.sleep(0.8)
        gate.set()
        wanted = [one.words for one in self.typed if one.scene == self._scene]
        self._check("the hook told of all three", wait_until(lambda: not self._untold(wanted, before), 30),
                    self._untold(wanted, before) or "")  # fmt: skip
        self._until_quiet()
        sent = [record.payload for record in self.room.records(self.client.prompt_event)[before:]]
        turns = {str(payload.get("prompt_id") or payload.get("turn_id") or "") for payload in sent}
        self._check_kept_once("the prompt and both follow-ups", f"{len(turns)} id of a turn for {len(sent)} prompts")

    def _untold(self, wanted: list[str], since: int) -> list[str]:
        """Of these words those that no hook has told of."""
        sent = [str(record.payload.get("prompt")) for record in self.room.records(self.client.prompt_event)[since:]]
        return [words for words in wanted if not any(words in text for text in sent)]

    def paste(self) -> None:
        terminal = self._enter()
        stops = self._stops()
        terminal.paste(PASTED)
        terminal.settle()
        self._type(" What do you think of their list?", "think of their list")
        self._make_sure("think of their list")
        self._wait_turn(stops)
        sent = self.room.records(self.client.prompt_event)[-1].payload
        text = str(sent.get("prompt", ""))
        self._check("the whole paste was sent", "shard 59 of" in text and "think of their list" in text)
        if self.client.paste_mark:
            self._check("the paste came with its mark", self.client.paste_mark in text)
        self._check_kept_once("the prompt with the paste")
        own = self.room.query("SELECT full, trust FROM memory WHERE full LIKE '%MongoDB%' AND trust >= 2")
        self._check("nothing that was pasted is the person's own memory", not own, f"{len(own)} at trust 2 or 3")

    def tools(self) -> None:
        self._enter()
        self.model.script.on("run the check script", *self.client.shell("ls /nowhere; exit 3"), Say("It fails with 3."))
        self._say("Please run the check script and tell me what it says.", "run the check script")
        prices = self.room.project / "prices.py"
        self.model.script.on("gross apply the tax", *self.client.edit(prices), Say("It does now."))
        self._say("Let gross apply the tax in the module of prices.", "gross apply the tax")
        self._check("the client changed the file", "1 + TAX" in prices.read_text(encoding="utf-8"))
        self._check_tools()

    def _check_tools(self) -> None:
        self._settled()
        ran = self.room.query("SELECT * FROM tool_use WHERE command LIKE '%ls /nowhere%'")
        self._check("the failing command was kept once", len(ran) == 1, f"{len(ran)} times")
        wanted = self.client.status_of_shell()
        got = [{name: row[name] for name in wanted} for row in ran]
        self._check("with its exit status", got and got[0] == wanted, got)
        changed = self.room.query("SELECT * FROM tool_use WHERE file LIKE '%prices.py' AND tool NOT LIKE '%read%'")
        self._check("the edit was kept once", len(changed) == 1, [(row["tool"], row["file"][-9:]) for row in changed])

    def subagent(self) -> None:
        steps = self.client.helper(HELPER_WORDS)
        if steps is None:
            self.checks.note("subagent: not played with this client")
            return
        self._enter()
        asked = len(self.model.requests)
        self.model.script.on(HELPER_WORDS, *self.client.shell("ls | wc -l"), Say("There are two files."))
        self.model.script.on("helper count the files", *steps, Say("The helper says two."))
        self._say("Let a helper count the files of the shop.", "helper count the files")
        self._check(
            "the helper worked", self.model.wait(lambda one: one.phrase == HELPER_WORDS, since=asked, patience_s=20)
        )
        self._until_quiet()
        own = self.room.query("SELECT id FROM message WHERE text LIKE ?", f"%{HELPER_WORDS}%")
        self._check("what the assistant told its helper is no message of the person", not own, f"{len(own)} kept")
        self._check_kept_once("the prompt")

    def compact(self) -> None:
        if self.client.compact is None:
            self.checks.note("compact: this client has no such command")
            return
        terminal = self._enter()
        asked = len(self.model.requests)
        self.client.say(terminal, self.client.compact)
        compacted = self.model.wait(
            lambda request: self.client.compact_words in request.conversation.items[-1].text, since=asked
        )
        self._check("the client asked for a summary", compacted is not None)
        terminal.settle(1.5)
        self._say("After the summary: is the tax still right?", "After the summary")
        self._check_kept_once("the prompt after it")
        self._check_nothing_else()

    def clear(self) -> None:
        if self.client.clear is None:
            self.checks.note("clear: this client has no such command")
            return
        terminal = self._enter()
        self.client.say(terminal, self.client.clear)
        terminal.settle(1.5)
        asked = len(self.model.requests)
        self._say("Now something new: how do we store prices?", "how do we store prices")
        sessions = {_session_of(record.payload) for record in self.room.records(self.client.prompt_event)}
        self._check("a new session began", len(sessions) > 1, f"{len(sessions)} sessions")
        request = self._first("how do we store prices", asked)
        given = self.client.given(request) if request else ""
        self._check("our context reached the model", "in cents" in given, _around(given, "in cents"))
        self._check_kept_once("the prompt")

    def memory(self) -> None:
        self._enter()
        seconds, answer = self._ask_memory("up", "price in cents", "look up what we said about prices")
        self._check(
            "recall answered with what was said", "as an integer" in answer, f"{seconds:.2f} s, {_short(answer)}"
        )
        quote, asked = "invoices are numbered by year", len(self.model.requests)
        self.model.script.on(quote, *self.client.remember(quote, "Invoices are numbered by year."), Say("Kept."))
        self._say("Please keep in mind that invoices are numbered by year.", quote)
        answers = self._tool_answers(quote, asked)
        is_kept = any("in the user's words" in text or "nown already" in text for text in answers)
        self._check("remember with the person's words was kept", is_kept, _short(" | ".join(answers)))

    def resume_and_fork(self) -> None:
        self._enter()
        self._say("Where shall the search box of the shop stand?", "shall the search box")
        session = _session_of(self.room.records(self.client.prompt_event)[-1].payload)
        self._leave()
        self._open(resume=session)
        self._say("Put that box to the right of the logo.", "to the right of the logo")
        resumed = _session_of(self.room.records(self.client.prompt_event)[-1].payload)
        self._check("the session went on", resumed == session)
        self._leave()
        if not self.client.can_fork:
            self.checks.note("fork: this client has none")
        else:
            self._open(resume=session, fork=True)
            self._say("In this copy, try a drop-down list instead.", "try a drop-down list")
            forked = _session_of(self.room.records(self.client.prompt_event)[-1].payload)
            self._check("the fork is a session of its own", forked != session)
            self._leave()
        self._check_kept_once("the prompts before and after")

    def without_terminal(self) -> None:
        text, words = "One shot: name the three largest files.", "name the three largest files"
        self._remember_typed(text, words)
        done = self.room.run(*self.client.once(text))
        self._check("it answered", done.returncode == 0, _short(done.stderr[-150:]) if done.returncode else "")
        self._check_kept_once("the prompt")

    def two_sessions(self) -> None:
        with self.client.open(self.room) as first, self.client.open(self.room) as second:
            for number, (terminal, text, words) in enumerate(
                (
                    (first, "Session one: rename the cart to basket.", "rename the cart to basket"),
                    (second, "Session two: the footer gets a grey background.", "gets a grey background"),
                    (first, "Session one again: rename it in the tests too.", "rename it in the tests too"),
                    (second, "Session two again: a darker grey, please.", "a darker grey, please"),
                )
            ):
                stops = self._stops()
                self._remember_typed(text, words)
                self.client.say(terminal, text)
                self._make_sure(words, terminal)
                if number % 2:
                    self._wait_turn(stops)
                else:
                    time.sleep(0.3)
            self._until_quiet()
            self.client.close(first)
            self.client.close(second)
        self._check_kept_once("all four prompts")
        rows = self.room.query(
            "SELECT DISTINCT stream_id FROM message WHERE text LIKE '%rename the cart%' OR text LIKE '%darker grey%'"
        )
        self._check("each session is a stream of its own", len(rows) == 2, f"{len(rows)} streams")

    def app_closed(self) -> None:
        self._enter()
        self.room.stop_app()
        self._say("While the app is closed the logo moves to the left.", "the logo moves to the left")
        self._say("And the slogan below it goes away.", "slogan below it goes away")
        self._check("the hook laid them down", wait_until(self.room.spooled, 10), f"{len(self.room.spooled())} files")
        self.room.start_app()
        self._check("they were taken in at the next start", wait_until(lambda: self._count("slogan below it") == 1, 30))
        self._check_kept_once("both prompts")
        rows = self.room.query(
            "SELECT text FROM message WHERE text LIKE '%logo moves%' OR text LIKE '%slogan%' ORDER BY id"
        )
        self._check("in their order", [row["text"][:9] for row in rows] == ["While the", "And the s"])

    def app_hung(self) -> None:
        self._enter()
        with self.room.hung_app():
            self._say("While the app hangs the header becomes smaller.", "the header becomes smaller")
            seconds, answer = self._ask_memory("hung", "header size", "ask the memory while it hangs")
            self._check("recall is answered or refused within 2 s", answer and seconds <= MCP_S + self._own_time(),
                        f"{seconds:.1f} s, {_short(answer)}")  # fmt: skip
        wait_until(lambda: self._count("header becomes smaller"), 30)
        self._until_quiet()
        self._check_kept_once("the prompts of the time")

    def app_killed(self) -> None:
        self._enter()
        self._say("Just before the kill the buttons get round corners.", "buttons get round corners")
        self.room.kill_app()
        self._say("Just after the kill the links turn green.", "links turn green")
        self.room.start_app()
        wait_until(lambda: self._count("links turn green"), 30)
        self._check_kept_once("the prompts around the kill")
        seconds, answer = self._ask_memory("back", "price in cents", "ask again after the kill")
        self._check("recall is answered or refused within 2 s", answer and seconds <= MCP_S + self._own_time(),
                    f"{seconds:.1f} s, {_short(answer)}")  # fmt: skip
        if "as an integer" not in answer:  # refused while the app was cold: it says that one may ask once more
            seconds, answer = self._ask_memory("back, second call", "price in cents", "ask the memory once more")
        self._check("recall answers again", "as an integer" in answer, f"{seconds:.2f} s, {_short(answer)}")

    def recall_while_closed(self) -> None:
        self._enter()
        self.room.stop_app()
        seconds, answer = self._ask_memory("closed", "price in cents", "ask while nobody is there")
        self._check("recall is answered or refused within 2 s", answer and seconds <= MCP_S + self._own_time(),
                    f"{seconds:.1f} s, {_short(answer)}")  # fmt: skip
        self._leave()
        endpoint = self.room.remanence / "state" / "endpoint"
        self._check("what it started ends with the session", wait_until(lambda: not endpoint.exists(), 20))
        self.room.start_app()
        wait_until(lambda: self._count("ask while nobody is there"), 30)
        self._check_kept_once("the prompt")

    def reconnect(self) -> None:
        self._leave()
        self.client.disconnect(self.room)
        self._enter()
        self._say("Nobody listens: the tea of the day is green.", "tea of the day is green", is_captured=False)
        self._until_quiet()
        self._check("disconnected, nothing is captured", self._count("tea of the day is green") == 0)
        self._leave()
        self.client.connect(self.room)
        self._enter()
        self._say("Listening again: the menu closes by itself.", "the menu closes by itself")
        self._leave()
        self._check_kept_once("the prompt after connecting again")

    def what_was_kept(self) -> None:
        self._leave()
        self._until_quiet()
        self._check_everything_once(is_imported=False)
        self._check_nothing_else()
        left = self.room.query(
            "SELECT kind, state, count(*) AS n FROM event WHERE state NOT IN ('done', 'ignored') GROUP BY 1, 2"
        )
        self._check("no event is left behind", not left, [tuple(row) for row in left])
        self._check("the spool is empty", not self.room.spooled(), [path.name for path in self.room.spooled()])

    def import_history(self) -> None:
        if not self.client.history:
            self.checks.note("import: there is no reader for this client's history yet")
            return
        done = self._import()
        self._check("the transcripts were read", done.returncode == 0, _short(done.stdout + done.stderr))
        self._until_quiet()
        self._check_everything_once(is_imported=True)
        self._check_nothing_else()
        self._check_tools()
        helper = self.room.query("SELECT id FROM message WHERE text LIKE ?", f"%{HELPER_WORDS}%")
        self._check("what the helper was told is no message of the person", not helper, f"{len(helper)} kept")
        again = len(self.room.query("SELECT id FROM message"))
        self._import()
        self._until_quiet()
        self._check("a second import changes nothing", len(self.room.query("SELECT id FROM message")) == again)

    def disconnect(self) -> None:
        self.client.disconnect(self.room)
        if not self.client.has_connector:
            return
        for path, before in self._before.items():
            now = _bytes(path)
            if now == before:
                self._check(f"{path.name} is byte for byte as before (E8)", True)
                continue
            left = b"" if now is None else now
            self._check(f"{path.name}, which the client wrote itself meanwhile, names us no more",
                        b"remanence_" not in left.replace(b"remanence_hook.py:", b""), _short(_own_lines(left)))  # fmt: skip

    def _import(self) -> subprocess.CompletedProcess[str]:
        place = self.room.home / self.client.history_dir
        return self.room.remanence_cli("import", self.client.history, str(place), "--json", check=False)

    # what a person does

    def _open(self, *, resume: str = "", fork: bool = False) -> Terminal:
        self._terminal = self.client.open(self.room, resume=resume, fork=fork)
        return self._terminal

    def _enter(self) -> Terminal:
        """The session that is open, else a new one."""
        if self._terminal is None or not self._terminal.is_running:
            self._open()
        assert self._terminal is not None
        return self._terminal

    def _leave(self) -> None:
        if self._terminal is not None:
            self.client.close(self._terminal)
            self._terminal = None

    def _remember_typed(self, text: str, words: str, *, is_captured: bool = True) -> None:
        self.typed.append(Typed(text, words, self._scene, is_captured))
        if not self.model.script.knows(words):
            self.model.script.on(words, Say("All right."))

    def _type(self, text: str, words: str, *, is_captured: bool = True) -> None:
        assert self._terminal is not None
        self._remember_typed(text, words, is_captured=is_captured)
        self.client.say(self._terminal, text)

    def _say(self, text: str, words: str, *, is_captured: bool = True) -> None:
        """One prompt, and the wait until the assistant is done with it."""
        stops = self._stops()
        self._type(text, words, is_captured=is_captured)
        self._make_sure(words)
        self._wait_turn(stops)

    def _make_sure(self, words: str, terminal: Terminal | None = None) -> None:
        """Some clients miss the Enter key while they are busy with themselves; a person presses it again."""
        terminal = terminal or self._terminal
        for _ in range(3):
            if wait_until(lambda: self._is_sent(words), 6):
                return
            if terminal is not None:
                terminal.press("enter")

    def _is_sent(self, words: str) -> bool:
        return any(words in str(record.payload.get("prompt")) for record in self.room.records(self.client.prompt_event))

    def _wait_turn(self, stops: int) -> None:
        """Until the client told the end of a turn."""
        assert self._terminal is not None or self._scene == "two sessions"
        self.room.wait_records(self.client.stop_event, stops + 1)
        if self._terminal is not None:
            self._terminal.settle(0.5, 5)

    def _stops(self) -> int:
        return len(self.room.records(self.client.stop_event))

    def _ask_memory(self, state: str, query: str, words: str) -> tuple[float, str]:
        """One recall: seconds from the model's call to the request that brings its answer, and the answer."""
        asked = len(self.model.requests)
        self.model.script.on(words, *self.client.recall(query), Say("That is what I found."))
        stops = self._stops()
        self._type(f"Please {words}.", words)
        self._make_sure(words)
        self.room.wait_records(self.client.stop_event, stops + 1, 150)
        found = [
            request for request in self.model.requests[asked:] if request.phrase == words and request.conversation.tools
        ]
        answers = self._tool_answers(words, asked)
        if len(found) < 2 or not answers:
            return 0.0, ""
        self.mcp_s[state] = found[-1].at_s - found[-2].at_s
        return self.mcp_s[state], answers[-1]

    def _own_time(self) -> float:
        """What the client itself takes around a tool, from the call that was answered at once."""
        return min(1.0, self.mcp_s.get("up", 0.5))

    def _tool_answers(self, phrase: str, since: int) -> list[str]:
        for request in reversed(self.model.requests[since:]):
            if request.phrase == phrase and request.conversation.tools:
                items = request.conversation.items
                at = max(index for index, item in enumerate(items) if phrase in item.typed and item.role == "user")
                return [item.text for item in items[at:] if item.role == "tool"]
        return []

    def _first(self, phrase: str, since: int) -> Request | None:
        """The first request that brings the model these words of the person, with the tools of the work itself."""
        return self.model.wait(lambda one: bool(one.conversation.tools) and _is_asked(one, phrase), since=since)

    def _app_up(self) -> None:
        if self.room.server is None or self.room.server.poll() is not None:
            self.room.server = None
            self.room.start_app()

    # what came of it

    def _check(self, promise: str, is_kept: object, found: object = "") -> None:
        self.checks.add(self._scene, promise, is_kept, found or "")

    def _count(self, words: str) -> int:
        return len(self.room.query("SELECT id FROM message WHERE text LIKE ?", f"%{words}%"))

    def _settled(self) -> None:
        """Until the inbox has nothing waiting."""
        waiting = "SELECT id FROM event WHERE state IN ('pending', 'waiting', 'new')"
        wait_until(lambda: not self.room.query(waiting), 30)

    def _until_quiet(self) -> None:
        """Until the store has not changed for a while: what has not come by then is lost."""
        state, since, end = "", time.monotonic(), time.monotonic() + 60
        while time.monotonic() < end and time.monotonic() - since < QUIET_S / 3:
            rows = self.room.query("SELECT max(id), count(*) FROM event")
            spooled = [path.name for path in self.room.spooled()]
            now = hashlib.sha256(repr([[tuple(row) for row in rows], spooled]).encode()).hexdigest()
            if now != state:
                state, since = now, time.monotonic()
            time.sleep(0.2)
        self._settled()

    def _check_kept_once(self, what: str, beside: str = "") -> None:
        """Every prompt of this scene is in the store, once."""
        typed = [one for one in self.typed if one.scene == self._scene and one.is_captured]
        wait_until(lambda: all(self._count(one.words) for one in typed), QUIET_S)
        counts = [self._count(one.words) for one in typed]
        lost = [one.words for one, count in zip(typed, counts, strict=True) if not count]
        twice = [one.words for one, count in zip(typed, counts, strict=True) if count > 1]
        found = f"{counts.count(1)} of {len(typed)} once"
        found += f", lost: {lost}" if lost else ""
        found += f", more than once: {twice}" if twice else ""
        self._check(f"{what}: kept once", counts == [1] * len(typed), found + (f"; {beside}" if beside else ""))

    def _check_everything_once(self, *, is_imported: bool) -> None:
        """Every prompt of the day; after an import also what was typed while nobody listened."""
        counts = {one.words: self._count(one.words) for one in self.typed}
        wanted = {one.words: 1 if one.is_captured or is_imported else 0 for one in self.typed}
        lost = [words for words, count in counts.items() if count < wanted[words]]
        twice = [words for words, count in counts.items() if count > wanted[words]]
        once = sum(1 for count in counts.values() if count == 1)
        self._check(f"of {len(self.typed)} prompts typed none is lost", not lost, f"{once} once, lost: {lost}")
        self._check("none is kept twice", not twice, twice or "")

    def _check_nothing_else(self) -> None:
        """No message that nobody typed: no title request, no summary, no context of ours, no word of the model."""
        self._settled()
        rows = self.room.query("SELECT text FROM message WHERE speaker = 'user'")
        extra = [row["text"] for row in rows if not any(one.words in row["text"] for one in self.typed)]
        self._check("nothing is kept that nobody typed", not extra, [_short(text) for text in extra[:4]])

    def _check_bytes(self, promise: str) -> None:
        changed = [path.name for path, before in self._before.items() if _bytes(path) != before]
        self._check(promise, not changed, ", ".join(changed))

    def _show_screen(self) -> None:
        if self._terminal is not None:
            lines = [line for line in self._terminal.text.splitlines() if line.strip()]
            self.checks.note("screen: " + " / ".join(line.strip()[:100] for line in lines[-8:]))


def _is_asked(request: Request, words: str) -> bool:
    return any(item.role == "user" and words in item.typed for item in request.conversation.items)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _own_lines(data: bytes) -> str:
    return " ".join(line.strip() for line in data.decode("utf-8", "replace").splitlines() if "remanence" in line)


def _session_of(payload: dict[str, object]) -> str:
    return str(payload.get("session_id") or payload.get("sessionId") or payload.get("sessionID") or "")


def _short(text: object) -> str:
    line = " ".join((text if isinstance(text, str) else json.dumps(text)).split())
    return line if len(line) <= 160 else f"{line[:157]}…"


def _around(text: str, words: str) -> str:
    at = text.find(words)
    return "…" + " ".join(text[max(0, at - 60) : at + 40].split()) + "…" if at >= 0 else f"{len(text)} characters given"
