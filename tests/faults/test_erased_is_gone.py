"""S10 over random lives: what is erased is in no column, file or log, in no encoding, wherever the app copied it to.

A seeded life captures, fails, learns, edits, takes back, merges, imports and hands out contexts; assistants note their commits,
to-dos, plans, summaries and rules, answer, cite, and report what was said; a judge reads along and words titles, summaries and
memories out of several sessions at once; prompts leave the queue into the archive. Every session, every memory and every second
thing that is said has a word of its own. Then something is erased: the words that lived only there must be gone from every byte of
the home folder, and no undo brings them back.
"""

import base64
import contextlib
import json
import random
import re
import shlex
import sys
import urllib.parse
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pysqlite3
import pytest
import zstandard

from app.api import CaptureRequest, Engine, EventKind, FrozenClock, Places
from app.errors import UserError
from app.values import (
    ArtifactKind,
    ContextRequest,
    ContextSignals,
    LinkType,
    MemoryDraft,
    MemoryEdit,
    RecallQuery,
    Report,
    Resolution,
    ResolutionRequest,
)
from tests.conftest import START
from tests.patience import PATIENCE_S

APPS = ("claude-code", "codex")
PROJECTS = ("/w/shop", "/w/ledger", "/w/atlas")
# A judge that keeps every decision, words the next one with the name in the one before, and tells of all that it read everywhere.
JUDGE = """
import json, re, sys
request = json.load(sys.stdin)
answer = {"memories": [], "changes": [], "topics": []}
before, seen = "", []
for one in request.get("messages", []):
    words = re.findall(r"qz\\d+vex\\d+wug", one["text"])
    seen += [word for word in words if word not in seen]
    found = re.search(r"(We decided to use|Yes, the second one for|Never deploy) \\S+", one["text"])
    if found:
        more = f" and not {before}" if before else ""
        said = f"{found.group()} here{more}." if not before else f"Not {before} here: {found.group()}."
        answer["memories"].append({"message": one["id"], "quote": found.group(), "statement": said, "type": "decision",
                                   "scope": "project", "worth": 2, "replaces": [k["id"] for k in request["known"]][:1]})
    before = words[0] if words else before
    told = " and ".join(seen[-3:])
    answer["topics"].append({"starts": one["id"], "title": f"Work on {told}", "outcome": "open", "summary": f"Built {told}; next is {told}"})
answer["verdicts"], shown = [], []
for one in request.get("pairs", []):
    shown += re.findall(r"qz\\d+vex\\d+wug", one["a"] + " " + one["b"])
    told = " and ".join(shown[-3:])
    answer["verdicts"].append({"id": one["id"], "verdict": "contradict", "why": f"either {told}", "holds": "b"})
print(json.dumps(answer))
"""


# where a word still stands --------------------------------------------------------------------------------


def forms(word: str) -> dict[str, bytes]:
    """The word in every dress that a program might put on it; all compared in lower case but base64."""
    raw = word.encode()
    found = {
        "utf-8": raw,
        "utf-16": word.encode("utf-16-le"),
        "utf-16 big": word.encode("utf-16-be"),
        "hex": raw.hex().encode(),
        "percent": "".join(f"%{byte:02x}" for byte in raw).encode(),
        "json": "".join(f"\\u{ord(sign):04x}" for sign in word).encode(),
    }
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + raw)
        found[f"base64 at {offset}"] = whole[4 if offset else 0 : len(whole) - 4].rstrip(b"=")
    return found


def unpacked(data: bytes) -> Iterator[bytes]:
    """Streams of zlib, gzip and zstandard that stand anywhere in the data."""
    for start in re.finditer(rb"\x28\xb5\x2f\xfd", data):
        with contextlib.suppress(zstandard.ZstdError):
            yield zstandard.ZstdDecompressor().decompressobj().decompress(data[start.start() :])
    for start in re.finditer(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08", data):
        with contextlib.suppress(zlib.error):
            text = zlib.decompressobj(47).decompress(data[start.start() :], 1_000_000)
            if len(text) > 8:
                yield text


def columns(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every value of every column of every table of a database, by the schema itself."""
    with contextlib.closing(pysqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in names:
            table = name.decode()
            with contextlib.suppress(pysqlite3.dbapi2.DatabaseError):  # a virtual table that is written to only
                found = connection.execute(f'SELECT * FROM "{table}"')
                for row in found:
                    for column, value in zip(found.description, row, strict=True):
                        if isinstance(value, bytes) and value:
                            yield f"{path.name} {table}.{column[0]}", value


def where(home: Path, words: set[str], *, with_backups: bool) -> list[str]:
    """Each place that still holds one of the words."""
    dressed = {word: forms(word) for word in words}
    found: set[str] = set()

    def look(place: str, data: bytes) -> None:
        for part in (data, *unpacked(data)):
            lower = part.lower()
            for word, dresses in dressed.items():
                found.update(
                    f"{word} as {name} in {place}"
                    for name, form in dresses.items()
                    if form in (part if name.startswith("base64") else lower)
                )

    for path in sorted(home.rglob("*")):
        is_copy = "backups" in path.parts and path.suffix == ".db"
        if not path.is_file() or path.is_symlink() or (is_copy and not with_backups):
            continue
        try:
            data = path.read_bytes()
        except FileNotFoundError:  # a file that the index renamed or removed since it was listed
            continue
        if path.name == "remanence.db":  # named by column first
            for place, value in columns(path):
                look(place, value)
        look(path.name, data)
        look("a file's name", urllib.parse.unquote(path.name).encode())
    return sorted(found)


# a life ----------------------------------------------------------------------------------------------------


@dataclass
class Session:
    """One session: everything that is said, failed and learned in it holds its word."""

    app: str
    project: str
    name: str
    word: str
    first_at: datetime
    last_at: datetime
    conversations: set[int] = field(default_factory=set)
    imported: set[int] = field(default_factory=set)


@dataclass
class Said:
    """One thing that was said or noted in a session, with a word that stands nowhere else."""

    session: Session
    word: str
    at: datetime


@dataclass
class Kept:
    """A memory that was added by hand; `ids`: its number, 0 once it was taken back."""

    project: str
    app: str
    word: str
    id: int
    at: datetime


class Life:
    """A seeded sequence of what people and programs do, over a real engine."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.random = random.Random(seed)
        self.clock = FrozenClock(START)
        self.places = Places.under(home)
        # every second life keeps its prompts when they leave; they leave soon in two of three
        flags: dict[str, object] = {"queue_size": 3} if seed % 3 else {}
        flags |= {"archive": "forever"} if seed % 2 else {}
        self.has_judge = seed % 4 != 2
        if self.has_judge:
            words = [sys.executable, "-I", "-S", "-c", JUDGE]
            flags |= {"judge": "command", "judge_command": shlex.join(words), "judge_daily_tokens": 0}
        self.engine = Engine.open(self.places, clock=self.clock, flags=flags)
        self.reader = self.engine._core.judge_worker
        self.reader.stop()  # it reads when this life says so, not when the machine finds the time
        self.reader._is_stopping = False
        self.sessions: list[Session] = []
        self.said: list[Said] = []
        self.beside: set[str] = set()  # of notes in no conversation: only their place and time tell whose they are
        self.typed: set[str] = set()  # by the person: an assistant may name it
        self.gone: set[str] = set()  # words that were said once and are erased
        self.kept: list[Kept] = []
        self.joined: set[str] = set()  # of merged memories: the one that stays keeps tags and words of the other
        self._number = 0
        self._seed = seed

    def word(self) -> str:
        self._number += 1
        return f"qz{self._seed:03d}vex{self._number:03d}wug"

    def key(self) -> str:
        self._number += 1
        return f"k{self._number}"

    def session(self) -> Session:
        if len(self.sessions) < 3 or self.random.random() < 0.15:
            app, project = self.random.choice(APPS), self.random.choice(PROJECTS)
            now = self.clock.now()
            self.sessions.append(Session(app, project, f"s{len(self.sessions)}", self.word(), now, now))
        return self.random.choice(self.sessions)

    def word_in(self, session: Session) -> str:
        """The session's word, or one that is said this once."""
        if self.random.random() < 0.5:
            return session.word
        self.said.append(Said(session, self.word(), self.clock.now()))
        return self.said[-1].word

    def capture(
        self, kind: EventKind, session: Session, text: str = "", *, branch: str = "", **payload: object
    ) -> int | None:
        at = session.last_at = self.clock.now()
        if kind is EventKind.PROMPT:
            self.typed.update(one.word for one in self.said if one.word in text)
        request = CaptureRequest(
            session.app, kind, self.key(), session.name, text, at, session.project, git_branch=branch, payload=dict(payload)
        )  # fmt: skip
        (done,) = self.engine.events.capture([request], wait_s=PATIENCE_S)
        if done.conversation_id:
            session.conversations.add(done.conversation_id)
        return done.conversation_id

    def use(self, session: Session, name: str, word: str, **given: object) -> None:
        """A tool's use; what an assistant notes before anything was typed belongs to no conversation."""
        found = self.capture(EventKind.TOOL, session, tool_name=name, tool_input=given, tool_response={"exit_code": 0})
        if found is None:
            self.beside.add(word)

    # steps

    def say(self) -> None:
        one = self.session()
        form = self.random.choice(
            (
                "Add the {0} button to the page and test it",
                "We decided to use {0} as the cache of this service.",
                "Never deploy {0} on Fridays.",
                "The {0} panel and the {0} dialog are broken, fix the {0} panel",
                "In src/{0}.py rename the class {0}Store to {0}Keeper",
                "I prefer {0} over tabs in this project.",
                "Yes, the second one for {0}",
                "It works now, thanks. The {0} dialog is ready",
            )
        )
        word = self.word_in(one)
        branch = f"fix-{word}" if self.random.random() < 0.4 else ""
        self.capture(EventKind.PROMPT, one, form.format(word), branch=branch)

    def say_vaguely(self) -> None:
        form = self.random.choice(
            ("Make it blue", "Now test the button", "Rename that panel", "Is the dialog ready?", "Undo that", "Go on")
        )
        self.capture(EventKind.PROMPT, self.session(), form)

    def fail(self) -> None:
        one = self.session()
        word = self.word_in(one)
        said = f"src/{word}.py(4): error E7: {word} is not defined\n"
        self.capture(
            EventKind.TOOL,
            one,
            tool_name="Bash",
            tool_input={"command": f"make {word}"},
            tool_response={"exit_code": self.random.choice((0, 2)), "stdout": said},
        )

    def answer(self) -> None:
        one = self.session()
        word = self.word_in(one)
        self.capture(
            EventKind.ANSWER, one, f"I have changed {word} as you wanted; see src/{word}.py. Shall I go on with {word}?"
        )

    def note(self) -> None:
        """What an assistant writes of its own work."""
        one = self.session()
        word = self.word_in(one)
        act = self.random.randrange(8)
        if act == 0:
            self.use(one, "Bash", word, command=f"git commit -m 'Add the {word} button'")
        elif act == 1:
            states = ("pending", "in_progress", "completed")
            todos = [{"content": f"Wire {word} {n}", "status": self.random.choice(states)} for n in range(2)]
            self.use(one, "TodoWrite", word, todos=todos)
        elif act == 2:
            self.use(one, "ExitPlanMode", word, plan=f"# Plan\n\n1. Build {word}\n2. Test {word}")
        elif act == 3:
            rules = f"# Rules\n\n- Run `make {word}` before every commit\n"
            self.use(one, "Write", word, file_path=f"{one.project}/CLAUDE.md", content=rules)
        elif act == 4:
            self.use(one, "Edit", word, file_path=f"{one.project}/src/{word}.py", old_string="a", new_string=word)
        elif act == 5:
            self.use(one, "save_memory", word, fact=f"The {word} service listens on port 8080")
        elif act == 6:
            self.tell(EventKind.SIGNAL, one, word, distilled=[["title", f"The {word} panel", ""]])
        else:
            summary = f"7. Pending Tasks:\n   - Test {word}\n\n8. Current Work:\n   Built {word}\n\n9. Optional Next Step:\n   Ship {word}"
            self.tell(EventKind.COMPACTION, one, word, text=summary, distilled=[])

    def tell(self, kind: EventKind, session: Session, word: str, text: str = "", **payload: object) -> None:
        self.capture(kind, session, text, **payload)
        del word

    def report(self) -> None:
        """An assistant asks to remember what was said, or what it makes of it."""
        one = self.session()
        word = self.word_in(one)
        self.capture(EventKind.PROMPT, one, f"Yes, the second one for {word}")
        near = [said for said in self.said if said.session.project == one.project and said.session.app == one.app]
        earlier = [said.word for said in near if said.word in self.typed - self.gone]
        more = f", not {self.random.choice(earlier)}" if earlier and self.random.random() < 0.5 else ""
        quote = f"the second one for {word}" if self.random.random() < 0.8 else f"never for {word}"
        place = self.engine.answers.place(one.project)
        with contextlib.suppress(UserError):
            self.engine.answers.remember(Report(f"Take the second one for {word}{more}.", quote), place, app=one.app)

    def read_along(self) -> None:
        if self.has_judge:
            with contextlib.suppress(UserError):
                self.engine.judge.read()
                self.reader._round()

    def compare(self) -> None:
        """What was learned is held against what is known, and the judge says why it contradicts."""
        assert self.engine._core.scanner.wait_idle(PATIENCE_S)
        self.engine._core.scanner.decide_waiting(at_once=True)

    def settle(self) -> None:
        """A person answers: one holds, both in their places, one text for both, or none of it."""
        listed = self.engine.contradictions.list()
        if not listed:
            return
        one = self.random.choice(listed)
        answer = self.random.choice(list(Resolution))
        if answer is Resolution.MERGED:
            self.joined |= {word.word for word in self.kept if word.id in {one.a.id, one.b.id}}
            self.joined |= {word for word in self.words() if word in f"{one.a.text} {one.b.text}"}
        with contextlib.suppress(UserError):
            self.engine.contradictions.resolve(
                one.id, ResolutionRequest(answer, note="as agreed", text=f"{one.a.text} {one.b.text}", scope_a="tests")
            )

    def words(self) -> set[str]:
        """All that were ever said."""
        return {one.word for one in (*self.sessions, *self.said, *self.kept)}

    def remember(self) -> None:
        word, project, app = self.word(), self.random.choice(PROJECTS), self.random.choice(APPS)
        text = self.random.choice(("The port of {0} is 8080.", "Deploy {0} only on Mondays.", "{0} was chosen in May"))
        draft = MemoryDraft(text.format(word), project_path=project, app=app, tags=(word,), category=word)
        made = self.engine.memories.create(draft)
        self.kept.append(Kept(project, app, word, made, self.clock.now()))
        if self.random.random() < 0.4:
            self.engine.journal.undo()
            if self.random.random() < 0.5:
                self.engine.journal.redo()
                if self.random.random() < 0.5:
                    self.engine.journal.undo()

    def present(self) -> list[Kept]:
        found = []
        for one in self.kept:
            with contextlib.suppress(UserError):
                self.engine.memories.get(one.id)
                found.append(one)
        return found

    def change(self) -> None:
        known = self.present()
        if not known:
            return
        one, memories = self.random.choice(known), self.engine.memories
        act = self.random.randrange(7)
        with contextlib.suppress(UserError):
            if act == 0:
                memories.edit(one.id, MemoryEdit(full=f"{one.word} moved to another port {self.key()}"))
            elif act == 1:
                memories.edit(one.id, MemoryEdit(title=one.word, summary=f"{one.word} in short"))
            elif act == 2:
                memories.attach(one.id, ArtifactKind.FILE, f"src/{one.word}.py")
            elif act == 3:
                memories.link(one.id, self.random.choice(known).id, LinkType.RELATED_TO)
            elif act == 4:
                memories.archive([one.id])
            elif act == 5:
                self.engine.context.withhold([one.id])
            else:
                place = (one.project, one.app)
                same = [other for other in known if (other.project, other.app) == place and other.id != one.id]
                if same:
                    memories.merge([one.id, same[0].id], text=f"{one.word} holds", keep_id=one.id)
                    self.joined |= {one.word, same[0].word}

    def take_back(self) -> None:
        listed = [one for one in self.engine.journal.list(limit=30) if one.is_undoable]
        with contextlib.suppress(UserError):
            if listed and self.random.random() < 0.5:
                self.engine.journal.undo(self.random.choice(listed).id)
            else:
                self.engine.journal.undo()
        if self.random.random() < 0.5:
            with contextlib.suppress(UserError):
                self.engine.journal.redo()

    def correct(self) -> None:
        """Renamed, ended, asked about: what a person does to a conversation, in words of its own session."""
        one = self.random.choice(self.sessions) if self.sessions else self.session()
        with contextlib.suppress(UserError, IndexError):
            number = self.random.choice(sorted(one.conversations))
            if self.random.random() < 0.5:
                self.engine.conversations.rename(number, f"About {one.word}")
            else:
                self.engine.conversations.end(number)

    def ask(self) -> None:
        """Another session of the project is told what is known: lines of one place are handed out in another."""
        one = self.session()
        asks = (one.app, one.name) if self.random.random() < 0.6 else (APPS[0], f"asked{self.random.randrange(3)}")
        signals = ContextSignals(
            one.project,
            *asks,
            self.random.choice(("fix the build error", "which cache do we use?", "deploy it", "go on")),
        )
        self.engine.context.assemble(ContextRequest(signals, delivery=self.random.choice(("hook:prompt", "mcp"))))
        if self.random.random() < 0.3:
            self.engine.search.search(RecallQuery(f"port of {one.word}"))

    def cite(self) -> None:
        """A rule is said, told in its own session, and followed there: the receipt notes the command."""
        one = self.session()
        word = self.word_in(one)
        self.capture(EventKind.PROMPT, one, f"From now on always run make {word} before every commit.")
        signals = ContextSignals(one.project, one.app, one.name, f"commit the {word} dialog with make {word}")
        self.engine.context.assemble(ContextRequest(signals, delivery="hook:prompt"))
        self.use(one, "Bash", word, command=f"make {word} && git commit -m 'Add {word}'")

    def import_file(self) -> None:
        app, project, word, at = "claude-code", self.random.choice(PROJECTS), self.word(), self.clock.now()
        one = Session(app, project, f"i{self.key()}", word, at, at)
        self.sessions.append(one)
        path = self.home.parent / "transcripts" / f"{one.name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        lines = []
        for number in range(3):
            said = f"We decided to use {word} as the queue number {number}, the {word} panel shows it."
            lines.append(
                {
                    "type": "user",
                    "uuid": self.key(),
                    "sessionId": one.name,
                    "timestamp": at.isoformat().replace("+00:00", "Z"),
                    "cwd": project,
                    "message": {"role": "user", "content": said},
                }
            )
        path.write_text("\n".join(map(json.dumps, lines)) + "\n")
        with contextlib.suppress(UserError):
            report = self.engine.transfer.import_history("claude-code", path)
            path.unlink()
            one.imported = self.of_session(one)
            if self.random.random() < 0.4 and report.operation_id:
                self.engine.journal.undo(report.operation_id)

    STEPS = (
        (say, 8), (say_vaguely, 6), (fail, 4), (answer, 5), (remember, 4), (change, 4), (take_back, 4), (correct, 2),
        (ask, 5), (import_file, 1), (note, 8), (report, 2), (read_along, 2), (cite, 2),
        (compare, 2), (settle, 2),
    )  # fmt: skip

    def live(self, steps: int) -> None:
        acts, weights = zip(*self.STEPS, strict=True)
        for _ in range(steps):
            self.clock.advance(minutes=self.random.choice((1, 2, 5, 45)))
            self.random.choices(acts, weights)[0](self)
        assert self.engine.events.wait_idle(PATIENCE_S)

    # erasing: each returns the words that must be gone

    def words_of(
        self, *, project: str = "", app: str = "", since: datetime | None = None, until: datetime | None = None
    ) -> set[str]:
        """Words of what lies in the scope whole."""

        def is_in(place: Session | Kept, first: datetime, last: datetime) -> bool:
            return (
                place.project == (project or place.project)
                and place.app == (app or place.app)
                and (since is None or first >= since)
                and (until is None or last < until)
            )

        sessions = {one.word for one in self.sessions if is_in(one, one.first_at, one.last_at)}
        said = {one.word for one in self.said if is_in(one.session, one.at, one.at)}
        return sessions | said | {one.word for one in self.kept if is_in(one, one.at, one.at)}

    def erase_project(self, *, includes_backups: bool) -> set[str]:
        project = self.random.choice(PROJECTS)
        self.engine.memories.erase_everything_of(project=project, includes_backups=includes_backups)
        return self.words_of(project=project)

    def erase_app(self, *, includes_backups: bool) -> set[str]:
        app = self.random.choice(APPS)
        self.engine.memories.erase_everything_of(app=app, includes_backups=includes_backups)
        return self.words_of(app=app)

    def erase_time(self, *, includes_backups: bool) -> set[str]:
        lasted = self.clock.now() - START
        since = START + lasted * self.random.choice((-1.0, self.random.uniform(0.0, 0.5)))
        until = START + lasted * self.random.uniform(0.4, 1.1)
        if since < until:
            self.engine.memories.erase_everything_of(from_at=since, to_at=until, includes_backups=includes_backups)
        return self.words_of(since=since, until=until) - self.joined

    def erase_conversations(self, *, includes_backups: bool) -> set[str]:
        """Every conversation of one session, one after the other."""
        with_talks = [one for one in self.sessions if one.conversations]
        if not with_talks:
            return set()
        one = self.random.choice(with_talks)
        erased = 0
        for number in sorted(one.conversations | one.imported | self.of_session(one)):
            with contextlib.suppress(UserError):  # one that left no trace
                self.engine.memories.erase_everything_of(conversation_id=number, includes_backups=includes_backups)
                erased += 1
        said = {said.word for said in self.said if said.session is one}
        return {one.word, *said} - self.beside if erased else set()

    def of_session(self, one: Session) -> set[int]:
        """Conversations that are there; of an import that is undone, only the journal knows them afterwards."""
        return {talk.id for talk in self.engine.conversations.list(include_evicted=True) if talk.session == one.name}

    def erase_memory(self, *, includes_backups: bool) -> set[str]:
        """One that was added by hand, also one that was taken back since."""
        if not self.kept:
            self.remember()
        one = self.random.choice(self.kept)
        try:
            self.engine.memories.erase([one.id], includes_backups=includes_backups)
        except UserError:  # erased before: it must be gone all the same, but from the backups that were kept then
            return set() if includes_backups else {one.word} - self.joined
        return {one.word} - self.joined

    def take_all_back(self) -> None:
        """Whoever undoes what is left to undo, and redoes it, gets nothing back."""
        for one in self.engine.journal.list(limit=25):
            if one.is_undoable:
                with contextlib.suppress(UserError):
                    self.engine.journal.undo(one.id)
        for _ in range(5):
            with contextlib.suppress(UserError):
                self.engine.journal.redo()

    ERASURES = (erase_project, erase_app, erase_time, erase_conversations, erase_memory)


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level("ERROR")
    for cause in ("is_busy", "is_on_battery"):  # whatever the machine does that tests run on
        monkeypatch.setattr(f"app.understanding.judge.worker.{cause}", lambda: False)


def play(tmp_path: Path, seed: int, steps: int) -> None:
    life = Life(tmp_path / "home", seed)
    try:
        life.live(steps)
        if life.random.random() < 0.7:
            life.engine.backups.create()
        stale = life.places.backups_dir / "remanence-20260101T000000000000Z-by-hand.partial"
        stale.write_bytes(life.places.store_path.read_bytes())  # as a kill in the middle of a backup leaves it
        for _ in range(3):
            includes_backups = life.random.random() < 0.4
            erase = life.random.choice(Life.ERASURES)
            gone = erase(life, includes_backups=includes_backups)
            found = where(life.home, gone, with_backups=includes_backups)
            assert not found, f"seed {seed}, {erase.__name__}: {found}"
            life.take_all_back()
            back = where(life.home, gone, with_backups=includes_backups)
            assert not back, f"seed {seed}, {erase.__name__}, undone since: {back}"
            life.gone |= gone & {one.word for one in life.said}
            life.live(steps // 6)
            back = where(life.home, life.gone, with_backups=False)
            assert not back, f"seed {seed}, {erase.__name__}, said again since: {back}"
    finally:
        life.engine.close()


def test_the_search_finds_a_word_in_every_dress(tmp_path: Path) -> None:
    word = "qz001vex001wug"
    for number, (name, form) in enumerate(forms(word).items()):
        (tmp_path / f"{number}").write_bytes(b"..." + form + b"...")
        assert f"{word} as {name} in {number}" in where(tmp_path, {word}, with_backups=False)
    (tmp_path / "packed").write_bytes(b"\0\0" + zlib.compress(f"some {word} packed".encode()))
    assert f"{word} as utf-8 in packed" in where(tmp_path, {word}, with_backups=False)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_erased_is_nowhere(tmp_path: Path, seed: int) -> None:
    play(tmp_path, seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_what_is_erased_of_a_longer_life_is_nowhere(tmp_path: Path, seed: int) -> None:
    play(tmp_path, seed, 150)
