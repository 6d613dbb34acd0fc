"""The memory of a chat of your own, in Python: S3's example, line for line, over `Engine`.

    python -m resources.examples.memory_system [FOLDER]            (in a checkout)
    python -m app._resources.examples.memory_system [FOLDER]       (installed)

`MemorySystem` is yours to copy: it keeps a conversation, builds the context window for the next call of a model, searches, and
writes the four files of S3. Everything lies in FOLDER; no window, no socket and no network are involved.
"""

import sys
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from app.api import (
    CaptureRequest,
    ContextRequest,
    ContextSignals,
    Engine,
    EventKind,
    Places,
    RecallHit,
    RecallQuery,
    Scope,
    WindowPlan,
    WindowRequest,
)

APP = "memory-system"
KINDS = {"user": EventKind.PROMPT, "assistant": EventKind.ANSWER}
PATIENCE_S = 60.0


@dataclass(frozen=True)
class BuiltContext:
    """What to put before the model: `plan.parts` hold the texts, the most important part first."""

    plan: WindowPlan
    retrieved: tuple[RecallHit, ...]

    @property
    def total_tokens(self) -> int:
        return self.plan.budget.used

    @property
    def text(self) -> str:
        return self.plan.text


class MemorySystem:
    """Use it in a `with` block, or call `close` at the end."""

    def __init__(
        self,
        memory_dir: Path,
        *,
        project_name: str = "Project",
        max_context_tokens: int = 128_000,
        chunk_size: int = 10,
        max_recent_messages: int = 20,
    ) -> None:
        self._folder = memory_dir
        self._project = str(memory_dir.absolute().parent / project_name)
        self._max_context_tokens = max_context_tokens
        flags = {"chunk_messages": chunk_size, "recent_messages": max_recent_messages}
        self._engine = Engine.open(Places.under(memory_dir), flags=flags)
        if APP not in {app.name for app in self._engine.apps.list()}:
            self._engine.apps.create(APP, "Memory system", frozenset({Scope.CAPTURE, Scope.READ}))
        self._engine.apps.set_keeps_answers(APP, keeps=True)  # the 128k window wants both sides
        self._session = ""
        self._conversation_id: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start_conversation(self) -> None:
        self._session, self._conversation_id = uuid.uuid4().hex, None

    def add_message(self, role: str, text: str) -> None:
        """Durable when it returns, and understood: what it states is remembered."""
        event = CaptureRequest(
            app=APP,
            kind=KINDS[role],
            key=uuid.uuid4().hex,
            session=self._session,
            text=text,
            project_root=self._project,
        )
        (result,) = self._engine.events.capture([event], wait_s=PATIENCE_S)
        self._conversation_id = result.conversation_id or self._conversation_id

    def build_context(self, query: str, *, system_prompt: str = "") -> BuiltContext:
        """The window for the next call: reserves, recent messages, memories, summaries of what was said before."""
        signals = ContextSignals(project_path=self._project, app=APP, session=self._session, prompt=query)
        request = ContextRequest(signals, is_kept=False, is_repeating=True)
        plan = self._engine.context.window(WindowRequest(request, self._max_context_tokens, system_prompt))
        return BuiltContext(plan, self.search(query))

    def search(self, query: str) -> tuple[RecallHit, ...]:
        """Memories that fit, best first, each with its reason; none when nothing fits."""
        return self._engine.search.search(RecallQuery(query, limit=10)).hits

    def end_conversation(self, title: str) -> None:
        if self._conversation_id is not None:
            self._engine.conversations.rename(self._conversation_id, title)
            self._engine.conversations.end(self._conversation_id)

    def flush(self) -> tuple[Path, ...]:
        """Writes the four files of S3; the store itself needs no flushing."""
        files = tuple(
            self._folder / name
            for name in (
                "long-term-memory.json", "episodic-memory.json", "conversations.json", "conversation-chunks.json",
            )
        )  # fmt: skip
        transfer = self._engine.transfer
        transfer.export_memories(files[0], is_replacing=True)
        transfer.export_memories(files[1], episodes=True, is_replacing=True)
        transfer.export_conversations(files[2], is_replacing=True)
        transfer.export_conversations(files[3], chunks=True, is_replacing=True)
        return files

    def close(self) -> None:
        self._engine.close()


def main(folder: Path) -> None:
    with MemorySystem(folder / ".project-memory", project_name="My Project", max_context_tokens=128_000) as memory:
        memory.start_conversation()
        memory.add_message("user", "What database should we use?")
        memory.add_message("assistant", "I recommend PostgreSQL for this use case.")
        memory.add_message("user", "We decided to use PostgreSQL.")

        context = memory.build_context("What was our database decision?")
        print(f"{context.total_tokens} tokens of context:")
        print(context.text)
        for hit in context.retrieved:
            print(f"retrieved: {hit.text} ({hit.score:.2f}, {hit.reason})")

        for hit in memory.search("PostgreSQL database"):
            print(f"found: {hit.text}")

        memory.end_conversation("Database selection complete")
        for path in memory.flush():
            print(f"written: {path.name}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(prefix="remanence-example-") as made:
            main(Path(made))
