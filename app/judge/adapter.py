"""What an adapter is, and how it fails. Knows no program and no protocol. Source: JUDGE "Adapters"."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from app.judge.request import AnyRequest
from app.judge.values import Reply

TIMEOUT_S = 120.0
CHILD_MARK = "REMANENCE_JUDGE_CHILD"
# They make a call bill an API account in place of the plan that the person pays for already.
_KEYS = frozenset(
    [
        "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY",
        "GOOGLE_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY",
    ]
)  # fmt: skip


class JudgeError(Exception):
    """A request that brought no answer. `is_refused`: the program's account or plan says no; asking again will not help."""

    def __init__(self, message: str, *, is_refused: bool = False) -> None:
        super().__init__(message)
        self.is_refused = is_refused


class JudgeCancelledError(JudgeError):
    """Somebody wanted the request gone; it counts as never made."""


@dataclass(frozen=True, slots=True)
class Call:
    """Where and how a request is made."""

    folder: Path  # empty, and excluded from capture
    cancelled: threading.Event = field(default_factory=threading.Event)
    model: str = ""  # "" = the adapter's own choice
    hands_keys: bool = False
    timeout_s: float = TIMEOUT_S
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


class Adapter(Protocol):
    """One way to ask. `is_cut`: long texts are cut, because they are inside a prompt."""

    name: str
    title: str
    is_cut: bool

    def ask(self, request: AnyRequest, call: Call) -> Reply:
        """What was answered. Raises JudgeError."""

    def sent_text(self, request: AnyRequest) -> str:
        """What is sent, to count its tokens before it is."""


def child_environment(call: Call) -> dict[str, str]:
    """The environment of a program that is asked: marked as ours, without keys that would bill somebody else."""
    kept = {name: value for name, value in call.env.items() if call.hands_keys or name not in _KEYS}
    return kept | {CHILD_MARK: "1"}
