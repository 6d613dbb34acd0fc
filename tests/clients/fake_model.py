"""A model that says what a script tells it: enough to run every real client without a network.

Owns the script (which words of the person are answered with what), the server on 127.0.0.1 and the record of every
request, by which one sees what reached the model. Knows no client and nothing of Remanence.
By hand: `python -m tests.clients.fake_model --rules rules.json --log folder`.
"""

import argparse
import contextlib
import gzip
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import zstandard

from tests.clients.model_dialects import Call, Conversation, Dialect, dialect_of

HELD_AT_MOST_S = 90.0  # an answer nobody lets go ends all the same
BREATH_S = 0.15  # between two words of a slow answer


@dataclass(frozen=True)
class Say:
    """Words; with `lasting_s` spread over that time, with `until` streamed on until that event is set."""

    text: str
    lasting_s: float = 0.0
    until: threading.Event | None = None

    def words(self) -> Iterator[str]:
        if not self.lasting_s and self.until is None:
            yield self.text
            return
        end = time.monotonic() + (HELD_AT_MOST_S if self.until else self.lasting_s)
        yield self.text
        for number in itertools.count(1):  # no two alike: some clients stop a model that repeats itself
            if time.monotonic() > end or (self.until and self.until.wait(BREATH_S)):
                return
            yield f" part {number},"
            if self.until is None:
                time.sleep(BREATH_S)


@dataclass(frozen=True)
class Ask:
    """One or more tools at once, with words before them if wanted."""

    calls: tuple[Call, ...]
    text: str = ""


Step = Say | Ask


@dataclass(frozen=True)
class Rule:
    """What follows when the person said `phrase`: step by step, one for each round of tools."""

    phrase: str
    steps: tuple[Step, ...]


@dataclass
class Request:
    """One request as it came, and the phrase that it was answered by."""

    at_s: float
    path: str
    dialect: str
    body: dict[str, Any]
    conversation: Conversation
    phrase: str = ""
    step: int = 0


# What clients ask besides: a summary for /compact, a title. Their texts repeat earlier prompts, so these stand first.
SIDE_REQUESTS = (
    Rule("create a detailed summary of the conversation", (Say("<summary>They worked on the example.</summary>"),)),
    Rule("new <state_snapshot>", (Say("<state_snapshot>They worked on the example.</state_snapshot>"),)),
    Rule("Create a handoff summary", (Say("They worked on the example."),)),
)


@dataclass
class Script:
    """The rules, the newest first."""

    rules: list[Rule] = field(default_factory=list)

    def on(self, phrase: str, *steps: Step) -> None:
        """When this phrase is the last known one that the person said, these steps follow."""
        self.rules.insert(0, Rule(phrase, steps))

    def knows(self, phrase: str) -> bool:
        return any(rule.phrase == phrase for rule in self.rules)

    def choose(self, conversation: Conversation) -> tuple[Step, str, int]:
        """The step for a conversation, with the phrase and the number of the step.

        Stateless: which step it is follows from how often the model spoke since the phrase, so that side requests
        and sessions beside one another do not get into each other's way.
        """
        for index in range(len(conversation.items) - 1, -1, -1):
            item = conversation.items[index]
            if item.role == "user" and (rule := self._last_in(item.typed)) is not None:
                number = _rounds(conversation, index)
                step = rule.steps[number] if number < len(rule.steps) else Say("Done.")
                return _possible(step, conversation), rule.phrase, number
        return Say("All right."), "", 0

    def _last_in(self, text: str) -> Rule | None:
        for rule in SIDE_REQUESTS:
            if rule.phrase in text:
                return rule
        found = [(text.rfind(rule.phrase), rule) for rule in self.rules if rule.phrase in text]
        return max(found, key=lambda pair: pair[0])[1] if found else None


def _rounds(conversation: Conversation, since: int) -> int:
    """How often the model spoke after this entry."""
    roles = [item.role for item in conversation.items[since:]]
    return sum(1 for before, role in itertools.pairwise(roles) if role == "assistant" != before)


def _possible(step: Step, conversation: Conversation) -> Step:
    """A request without the tool (a title, a topic) is answered with words."""
    if isinstance(step, Ask) and not conversation.tools:
        return Say("A title")
    return step


class FakeModel:
    """The server. `with FakeModel() as model: model.script.on("fix it", Say("Fixed.")); … model.url`."""

    def __init__(self, port: int = 0, log: Path | None = None) -> None:
        self.script = Script()
        self.requests: list[Request] = []
        self.others: list[str] = []  # addresses where no model answers: what else the client wanted
        self._log = log
        self._changed = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake-model", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def record(self, request: Request) -> None:
        with self._changed:
            self.requests.append(request)
            if self._log is not None:
                target = self._log / f"{len(self.requests):04d}-{request.dialect}.json"
                target.write_text(json.dumps(request.body, indent=1, ensure_ascii=False), encoding="utf-8")
            self._changed.notify_all()

    def wait(self, wanted: Callable[[Request], bool], *, since: int = 0, patience_s: float = 60.0) -> Request | None:
        """The first request from number `since` on that is wanted; None when none came in time."""
        with self._changed:
            self._changed.wait_for(lambda: any(map(wanted, self.requests[since:])), patience_s)
            return next(filter(wanted, self.requests[since:]), None)


def _handler_of(model: FakeModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            model.others.append(f"GET {self.path}")
            self._json({"object": "list", "data": [{"id": "fake-model", "object": "model"}], "models": []})

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def do_POST(self) -> None:
            body = self._body()
            dialect = dialect_of(self.path)
            if dialect is None:
                model.others.append(f"POST {self.path}")
                self._json({"input_tokens": 100, "totalTokens": 100, "success": True})
                return
            conversation = dialect.read(self.path, body)
            step, phrase, number = model.script.choose(conversation)
            model.record(Request(time.time(), self.path, dialect.name, body, conversation, phrase, number))
            self._answer(dialect, conversation, step)

        def _answer(self, dialect: Dialect, conversation: Conversation, step: Step) -> None:
            name = conversation.model or "fake-model"
            calls = step.calls if isinstance(step, Ask) else ()
            if not conversation.is_stream:
                self._json(dialect.whole(name, step.text, calls))
                return
            words = step.words() if isinstance(step, Say) else iter([step.text] if step.text else [])
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("cache-control", "no-cache")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            for event in dialect.stream(name, words, calls):
                self.wfile.write(event)
                self.wfile.flush()

        def _body(self) -> dict[str, Any]:
            raw = self._chunked() if "chunked" in self.headers.get("transfer-encoding", "") else self._measured()
            coding = self.headers.get("content-encoding", "")
            if coding == "gzip":
                raw = gzip.decompress(raw)
            elif coding == "zstd":
                raw = zstandard.ZstdDecompressor().decompressobj().decompress(raw)
            value = json.loads(raw) if raw.strip() else {}
            return value if isinstance(value, dict) else {"value": value}

        def _measured(self) -> bytes:
            return self.rfile.read(int(self.headers.get("content-length") or 0))

        def _chunked(self) -> bytes:
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _json(self, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def handle(self) -> None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client was interrupted or ended
                super().handle()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def read_rules(value: dict[str, list[dict[str, Any]]]) -> Iterator[Rule]:
    """Rules from JSON: `{"phrase": [{"call": "Bash", "arguments": {…}}, {"say": "Done.", "lasting_s": 5}]}`."""
    for phrase, steps in value.items():
        made: list[Step] = []
        for step in steps:
            if "call" in step:
                call = Call(step["call"], step.get("arguments", {}), step.get("namespace", ""))
                made.append(Ask((call,), step.get("say", "")))
            else:
                made.append(Say(step["say"], float(step.get("lasting_s", 0))))
        yield Rule(phrase, tuple(made))


def main() -> None:
    parser = argparse.ArgumentParser(description="A fake model on 127.0.0.1, for clients that are tried by hand.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--rules", type=Path, help='JSON: {"phrase": [{"call": …, "arguments": {…}}, {"say": …}]}')
    parser.add_argument("--log", type=Path, help="a folder for the body of every request")
    chosen = parser.parse_args()
    if chosen.log:
        chosen.log.mkdir(parents=True, exist_ok=True)
    with FakeModel(chosen.port, chosen.log) as model:
        if chosen.rules:
            for rule in read_rules(json.loads(chosen.rules.read_text(encoding="utf-8"))):
                model.script.on(rule.phrase, *rule.steps)
        print(model.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
