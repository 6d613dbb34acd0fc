"""Who on this machine could read along: models that run here, the programs of assistants.

Looks at PATH and asks four addresses on the loopback which models they have; sends nothing of the person's. Source: JUDGE
"Adapters", UX 4.8b.
"""

import http.client
import json
import os
import shutil

from app.judge.claude_code import ClaudeCodeAdapter
from app.judge.codex import CodexAdapter
from app.judge.gemini import GeminiAdapter
from app.values.judge import JudgeChoice

LOCAL_SERVERS = (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("vLLM", 8000))
_PROBE_S = 0.3
_ANSWER_BYTES = 200_000
_PROGRAMS = (
    (ClaudeCodeAdapter.name, ClaudeCodeAdapter.title, "claude"),
    (CodexAdapter.name, CodexAdapter.title, "codex"),
    (GeminiAdapter.name, GeminiAdapter.title, "gemini"),
)
_NO_TALKERS = ("embed", "bge-", "rerank", "whisper", "clip")


def find_choices() -> tuple[JudgeChoice, ...]:
    """All who could read along, found or not; what is found comes first, and of those what keeps all on this machine."""
    path = os.environ.get("PATH")
    local = [choice for title, port in LOCAL_SERVERS if (choice := _probe(title, port)) is not None]
    programs = [
        JudgeChoice(name, name, title, (place := shutil.which(program, path=path)) is not None, place or "")
        for name, title, program in _PROGRAMS
    ]
    found = [one for one in programs if one.is_found]
    same = JudgeChoice(
        "same",
        "same",
        " and ".join(one.title for one in found) or "The assistant that had the conversation",
        bool(found),
        ", ".join(one.place for one in found),
    )
    others = [JudgeChoice("endpoint", "endpoint", "A model at an address", is_found=False, is_local=True)]
    others += [JudgeChoice("command", "command", "A command of your own", is_found=False)]
    everybody = [*local, same, *programs, *others]
    return tuple(sorted(everybody, key=lambda one: not one.is_found))


def title_of(judge: str, app: str = "") -> str:
    """Who that is, for people; an unknown one as it is.

    >>> title_of("same", "claude-code"), title_of("endpoint"), title_of("command")
    ('Claude Code', 'Your local model', 'Your command')
    """
    own = {"endpoint": "Your local model", "command": "Your command"}
    titles = own | {name: title for name, title, _program in _PROGRAMS}
    name = app if judge == "same" else judge
    return titles.get(name, name)


def program_of(name: str) -> str:
    """The program of an adapter, "" for one that is none."""
    return next((program for adapter, _title, program in _PROGRAMS if adapter == name), "")


def _probe(title: str, port: int) -> JudgeChoice | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PROBE_S)
    try:
        connection.request("GET", "/v1/models")
        answer = connection.getresponse()
        raw = answer.read(_ANSWER_BYTES) if answer.status == 200 else b""
        listed = json.loads(raw)["data"] if raw else []
        models = [str(one["id"]) for one in listed]
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return None
    finally:
        connection.close()
    talking = [one for one in models if not any(word in one.casefold() for word in _NO_TALKERS)]
    if not talking:
        return None
    address = f"http://127.0.0.1:{port}/v1"
    return JudgeChoice(
        f"endpoint:{port}",
        "endpoint",
        f"{title} on this computer",
        is_found=True,
        place=address,
        is_local=True,
        model=talking[0][:200],
        endpoint=address,
    )
