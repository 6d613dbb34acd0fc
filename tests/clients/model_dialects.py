"""The four languages that assistants speak with a model: a request read into turns, an answer written as its stream.

Owns Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini, as far as the clients need them to run.
Knows no script and no socket: `fake_model` decides what is answered. Source: INTEROP "Seen in the real clients".
"""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

_NUMBERS = itertools.count(1)
# what clients and hooks put beside the words of the person, inside the same message; Qwen Code escapes the marks of a context
_WRAPPED = re.compile(
    r"(?:<|&lt;)(system-reminder|system_reminder|hook_context|environment_context|remanence[\w-]*|user_instructions)\b.*?"
    r"(?:<|&lt;)/\1[^>&]*(?:>|&gt;)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Item:
    """One entry of a conversation as the model gets it."""

    role: str  # system | user | assistant | tool
    text: str

    @property
    def typed(self) -> str:
        """The text without what was wrapped around the person's words."""
        return _WRAPPED.sub("", self.text)


@dataclass(frozen=True)
class Conversation:
    """What a request asks: who said what, which tools there are, whether the answer is to be streamed."""

    items: tuple[Item, ...]
    tools: tuple[str, ...] = ()
    is_stream: bool = True
    model: str = ""

    def text(self, *roles: str) -> str:
        """Everything that was said in these roles (in all of them without a name)."""
        return "\n".join(item.text for item in self.items if not roles or item.role in roles)


@dataclass(frozen=True)
class Call:
    """A tool that the model asks for; `arguments` is an object, or the bare text of a freeform tool."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    namespace: str = ""
    id: str = field(default_factory=lambda: f"call_{next(_NUMBERS):06d}")


class Dialect(Protocol):
    """One of the four languages."""

    name: str

    def read(self, path: str, body: dict[str, Any]) -> Conversation:
        """The request as turns."""
        ...

    def stream(self, model: str, words: Iterator[str], calls: tuple[Call, ...]) -> Iterator[bytes]:
        """The answer, event by event."""
        ...

    def whole(self, model: str, text: str, calls: tuple[Call, ...]) -> dict[str, Any]:
        """The answer in one piece."""
        ...


def _text_of(content: Any) -> str:
    """The words of a message whose content is a text, one block or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = (block if isinstance(block, str) else block.get("text", "") for block in content)
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _event(value: dict[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()


def _id(prefix: str) -> str:
    return f"{prefix}_{next(_NUMBERS):08d}"


class Anthropic:
    """`POST /v1/messages`."""

    name = "anthropic"

    def read(self, path: str, body: dict[str, Any]) -> Conversation:
        items = [Item("system", _text_of(body.get("system")))]
        for message in body.get("messages", []):
            content = message.get("content")
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            for block in blocks:
                if block.get("type") == "tool_result":
                    items.append(Item("tool", _text_of(block.get("content"))))
                elif block.get("type") == "tool_use":
                    items.append(Item("assistant", json.dumps(block.get("input"))))
                elif block.get("type") == "text":
                    items.append(Item(message["role"], str(block.get("text", ""))))
        tools = tuple(str(tool.get("name")) for tool in body.get("tools", []))
        return Conversation(tuple(items), tools, bool(body.get("stream")), str(body.get("model", "")))

    def stream(self, model: str, words: Iterator[str], calls: tuple[Call, ...]) -> Iterator[bytes]:
        message = {
            "id": _id("msg"), "type": "message", "role": "assistant", "model": model, "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": self._usage(),
        }  # fmt: skip
        yield _event({"type": "message_start", "message": message}, "message_start")
        index = 0
        for number, word in enumerate(words):
            if number == 0:
                yield self._block(index, {"type": "text", "text": ""})
            delta = {"type": "text_delta", "text": word}
            yield _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            message["content"] = [True]
        if message["content"]:
            yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
            index += 1
        for call in calls:
            yield self._block(index, {"type": "tool_use", "id": call.id, "name": call.name, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
            yield _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
            index += 1
        stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        yield _event({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}}, "message_delta")
        yield _event({"type": "message_stop"}, "message_stop")

    def whole(self, model: str, text: str, calls: tuple[Call, ...]) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        content += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in calls]
        return {
            "id": _id("msg"), "type": "message", "role": "assistant", "model": model, "content": content,
            "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None, "usage": self._usage(),
        }  # fmt: skip

    def _block(self, index: int, block: dict[str, Any]) -> bytes:
        return _event({"type": "content_block_start", "index": index, "content_block": block}, "content_block_start")

    def _usage(self) -> dict[str, int]:
        return {
            "input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        }  # fmt: skip


class Responses:
    """`POST /v1/responses`."""

    name = "responses"

    def read(self, path: str, body: dict[str, Any]) -> Conversation:
        items = [Item("system", str(body.get("instructions") or ""))]
        given = body.get("input", [])
        for entry in [{"role": "user", "content": given}] if isinstance(given, str) else given:
            kind = entry.get("type", "message")
            if kind == "message":
                role = {"developer": "system"}.get(entry.get("role", "user"), entry.get("role", "user"))
                items.extend(Item(role, _text_of(block)) for block in self._blocks(entry.get("content")))
            elif kind.endswith("_output"):
                items.append(Item("tool", self._output(entry.get("output"))))
            elif kind.endswith("_call"):
                items.append(Item("assistant", json.dumps(entry)))
        return Conversation(
            tuple(items), tuple(self._tools(body)), bool(body.get("stream")), str(body.get("model", ""))
        )

    def _blocks(self, content: Any) -> list[Any]:
        return content if isinstance(content, list) else [content]

    def _output(self, output: Any) -> str:
        return output if isinstance(output, str) else _text_of(output) or json.dumps(output)

    def _tools(self, body: dict[str, Any]) -> Iterator[str]:
        for tool in body.get("tools") or []:
            if tool.get("type") == "namespace":
                yield from (f"{tool.get('name')}.{inner.get('name')}" for inner in tool.get("tools", []))
            else:
                yield str(tool.get("name") or tool.get("type"))

    def stream(self, model: str, words: Iterator[str], calls: tuple[Call, ...]) -> Iterator[bytes]:
        response = {"id": _id("resp"), "object": "response", "model": model, "status": "in_progress", "output": []}
        yield self._named("response.created", response=response)
        output: list[dict[str, Any]] = []
        said, message_id = "", _id("msg")
        for word in words:
            if not said:
                start = {
                    "type": "message",
                    "id": message_id,
                    "role": "assistant",
                    "status": "in_progress",
                    "content": [],
                }
                yield self._named("response.output_item.added", output_index=0, item=start)
                part = {"type": "output_text", "text": "", "annotations": []}
                yield self._named(
                    "response.content_part.added", item_id=message_id, output_index=0, content_index=0, part=part
                )
            said += word
            yield self._named(
                "response.output_text.delta", item_id=message_id, output_index=0, content_index=0, delta=word
            )
        if said:
            output.append(self._message(message_id, said))
        output += [self._call(call) for call in calls]
        for index, item in enumerate(output):
            if item["type"] != "message":
                yield self._named("response.output_item.added", output_index=index, item=item)
            yield self._named("response.output_item.done", output_index=index, item=item)
        yield self._named("response.completed", response=self._done(response["id"], model, output))

    def whole(self, model: str, text: str, calls: tuple[Call, ...]) -> dict[str, Any]:
        output = [self._message(_id("msg"), text)] if text else []
        return self._done(_id("resp"), model, output + [self._call(call) for call in calls])

    def _message(self, message_id: str, text: str) -> dict[str, Any]:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": message_id, "role": "assistant", "status": "completed", "content": content}

    def _call(self, call: Call) -> dict[str, Any]:
        head = {"id": _id("fc"), "call_id": call.id, "name": call.name, "status": "completed"}
        if call.namespace:
            head["namespace"] = call.namespace
        if isinstance(call.arguments, str):
            return {"type": "custom_tool_call", **head, "input": call.arguments}
        return {"type": "function_call", **head, "arguments": json.dumps(call.arguments)}

    def _done(self, response_id: Any, model: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {
            "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120,
        }  # fmt: skip
        return {
            "id": response_id, "object": "response", "model": model, "status": "completed", "output": output,
            "usage": usage,
        }  # fmt: skip

    def _named(self, kind: str, **fields: Any) -> bytes:
        return _event({"type": kind, **fields}, kind)


class ChatCompletions:
    """`POST /v1/chat/completions`."""

    name = "chat"

    def read(self, path: str, body: dict[str, Any]) -> Conversation:
        items = []
        for message in body.get("messages", []):
            role = {"developer": "system"}.get(message.get("role"), message.get("role", "user"))
            content = message.get("content")
            for block in content if isinstance(content, list) else [content]:
                if text := _text_of(block):
                    items.append(Item(role, text))
            items.extend(Item("assistant", json.dumps(call)) for call in message.get("tool_calls") or [])
        tools = tuple(str(tool.get("function", {}).get("name")) for tool in body.get("tools") or [])
        return Conversation(tuple(items), tools, bool(body.get("stream")), str(body.get("model", "")))

    def stream(self, model: str, words: Iterator[str], calls: tuple[Call, ...]) -> Iterator[bytes]:
        head = {"id": _id("chatcmpl"), "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model}

        def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
            return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

        yield chunk({"role": "assistant", "content": ""})
        for word in words:
            yield chunk({"content": word})
        for index, call in enumerate(calls):
            yield chunk({"tool_calls": [{"index": index, **self._call(call)}]})
        yield chunk({}, "tool_calls" if calls else "stop")
        yield _event({**head, "choices": [], "usage": self._usage()})
        yield b"data: [DONE]\n\n"

    def whole(self, model: str, text: str, calls: tuple[Call, ...]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [self._call(call) for call in calls]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        return {
            "id": _id("chatcmpl"), "object": "chat.completion", "created": 1_700_000_000, "model": model,
            "choices": [choice], "usage": self._usage(),
        }  # fmt: skip

    def _call(self, call: Call) -> dict[str, Any]:
        return {
            "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }  # fmt: skip

    def _usage(self) -> dict[str, int]:
        return {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


class Gemini:
    """`POST …/models/<model>:generateContent` and `:streamGenerateContent`."""

    name = "gemini"

    def read(self, path: str, body: dict[str, Any]) -> Conversation:
        items = [Item("system", _text_of((body.get("systemInstruction") or {}).get("parts")))]
        for content in body.get("contents", []):
            for part in content.get("parts", []):
                if "functionResponse" in part:
                    items.append(Item("tool", json.dumps(part["functionResponse"].get("response"), ensure_ascii=False)))
                elif "functionCall" in part:
                    items.append(Item("assistant", json.dumps(part["functionCall"])))
                elif part.get("text"):
                    items.append(Item("assistant" if content.get("role") == "model" else "user", part["text"]))
        tools = tuple(
            str(declared.get("name"))
            for tool in body.get("tools") or []
            for declared in tool.get("functionDeclarations", [])
        )
        model = path.rpartition("/models/")[2].partition(":")[0]
        return Conversation(tuple(items), tools, "streamGenerateContent" in path, model)

    def stream(self, model: str, words: Iterator[str], calls: tuple[Call, ...]) -> Iterator[bytes]:
        for word in words:
            yield _event(self._part([{"text": word}], ""))
        yield _event(self._part(self._calls(calls) or [{"text": ""}], "STOP"))

    def whole(self, model: str, text: str, calls: tuple[Call, ...]) -> dict[str, Any]:
        return self._part(([{"text": text}] if text else []) + self._calls(calls), "STOP")

    def _calls(self, calls: tuple[Call, ...]) -> list[dict[str, Any]]:
        return [{"functionCall": {"name": call.name, "args": call.arguments}} for call in calls]

    def _part(self, parts: list[dict[str, Any]], reason: str) -> dict[str, Any]:
        candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
        if reason:
            candidate["finishReason"] = reason
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake-model"}


def dialect_of(path: str) -> Dialect | None:
    """The language that is spoken at this address; None where no answer of a model is expected."""
    plain = path.partition("?")[0].rstrip("/")
    if plain.endswith("/messages"):
        return Anthropic()
    if plain.endswith("/responses"):
        return Responses()
    if plain.endswith("/chat/completions"):
        return ChatCompletions()
    if plain.endswith((":generateContent", ":streamGenerateContent")):
        return Gemini()
    return None
