"""The fake model answers in all four languages: words, tools in order, an answer that is held until it is let go."""

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from tests.clients.fake_model import Ask, FakeModel, Say, read_rules
from tests.clients.model_dialects import Call, Item

PATHS = {
    "anthropic": "/v1/messages?beta=true",
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "gemini": "/v1beta/models/some-model:streamGenerateContent?alt=sse",
}


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel() as started:
        yield started


def request_of(dialect: str, text: str, *, calls: int = 0) -> dict[str, Any]:
    """A request in which the person said `text` and the model has called tools so often since."""
    if dialect == "gemini":
        contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": text}]}]
        for _ in range(calls):
            contents.append({"role": "model", "parts": [{"functionCall": {"name": "shell", "args": {}}}]})
            contents.append({"role": "user", "parts": [{"functionResponse": {"name": "shell", "response": {"a": 1}}}]})
        return {"contents": contents, "tools": [{"functionDeclarations": [{"name": "shell"}]}]}
    if dialect == "responses":
        given: list[dict[str, Any]] = [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        ]
        for _ in range(calls):
            given.append({"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"})
            given.append({"type": "function_call_output", "call_id": "c", "output": "1"})
        return {"input": given, "tools": [{"type": "function", "name": "shell"}], "stream": True}
    if dialect == "chat":
        said: list[dict[str, Any]] = [{"role": "user", "content": text}]
        for _ in range(calls):
            said.append({"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]})
            said.append({"role": "tool", "tool_call_id": "c", "content": "1"})
        return {"messages": said, "tools": [{"type": "function", "function": {"name": "shell"}}], "stream": True}
    said = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    for _ in range(calls):
        said.append({"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "shell", "input": {}}]})
        said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "1"}]})
    return {"messages": said, "tools": [{"name": "shell"}], "stream": True}


def ask(model: FakeModel, path: str, body: dict[str, Any]) -> str:
    connection = HTTPConnection(model.url.removeprefix("http://"), timeout=30)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer


@pytest.mark.parametrize("dialect", PATHS)
def test_a_phrase_is_answered_step_by_step_in_every_language(model: FakeModel, dialect: str) -> None:
    model.script.on("run the tests", Ask((Call("shell", {"command": "exit 3"}),)), Say("They fail with three."))
    first = ask(model, PATHS[dialect], request_of(dialect, "Please run the tests now"))
    second = ask(model, PATHS[dialect], request_of(dialect, "Please run the tests now", calls=1))
    assert "exit 3" in first
    assert "They fail" not in first
    assert "They fail with three." in second
    assert [(request.phrase, request.step) for request in model.requests] == [
        ("run the tests", 0),
        ("run the tests", 1),
    ]
    assert "Please run the tests now" in model.requests[0].conversation.text("user")


@pytest.mark.parametrize("dialect", PATHS)
def test_a_held_answer_ends_when_it_is_let_go(model: FakeModel, dialect: str) -> None:
    gate = threading.Event()
    model.script.on("take your time", Say("I am thinking", until=gate))
    answers: list[str] = []
    waiting = threading.Thread(
        target=lambda: answers.append(ask(model, PATHS[dialect], request_of(dialect, "take your time")))
    )
    waiting.start()
    assert model.wait(lambda request: request.phrase == "take your time") is not None
    assert not answers
    gate.set()
    waiting.join(30)
    assert "I am thinking" in answers[0]


def test_what_a_hook_added_to_the_message_is_no_phrase_of_the_person(model: FakeModel) -> None:
    model.script.on("old words", Say("old"))
    model.script.on("new words", Say("new"))
    body = request_of("chat", "new words <system-reminder>earlier: old words</system-reminder>")
    assert "new" in ask(model, PATHS["chat"], body)


def test_a_request_without_tools_gets_words(model: FakeModel) -> None:
    model.script.on("fix it", Ask((Call("shell", {}),)))
    body = request_of("chat", "fix it") | {"tools": []}
    assert "tool_calls" not in ask(model, PATHS["chat"], body)


def test_rules_are_read_from_json() -> None:
    rules = list(read_rules({"go": [{"call": "Bash", "arguments": {"command": "ls"}}, {"say": "Done."}]}))
    assert rules[0].phrase == "go"
    assert rules[0].steps[1] == Say("Done.")


def test_what_qwen_escapes_is_not_taken_for_the_persons_words() -> None:
    context = "&lt;remanence-memory id=1f&gt;\n- [1] Cents\n&lt;/remanence-memory id=1f&gt;"
    assert Item("user", f"how do we store prices?{context}").typed == "how do we store prices?"
