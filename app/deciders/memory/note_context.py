"""How notes are given to an assistant: the block of S5, the prompts of S5. Pure. Source: S5 "Memory Context Format", "LLM Prompt"."""

from collections.abc import Sequence
from datetime import datetime

WHOLE_CHARS = 2_000  # of the whole block, where it is asked for
_HEAD = "(memories for app: {app})\nThe following are memories from previous conversations with this app:\n\n"
_FOOT = "\n\nUse these memories to provide context-aware responses."
_NOTE_PROMPT = """You are a memory creation assistant. Analyze this conversation and create a concise memory record.

Focus on:
- Key facts and information
- User preferences or patterns
- Important decisions or outcomes
- Lessons learned or insights

Format: Single paragraph, 2-4 sentences, factual and concise. At most {chars} characters.

Conversation:
{conversation}

Create memory:"""
_COMPACT_PROMPT = """You are a memory management assistant. You have {count} memories but can only keep {kept}.

Analyze these memories and decide which ONE to either:
1. DELETE (remove entirely)
2. EDIT (merge with another or update content)

Existing memories:
{existing}

New memory:
{new}

Decision format:
{{
  "action": "delete" | "edit",
  "targetMemoryId": <id>,
  "newContent": "<merged content if editing>",
  "reason": "<explanation>"
}}"""
_PROMPT_CHARS, _CONVERSATION_CHARS = 400, 1_400  # about 350 tokens: with the rest what S5's 10 to 15 units buy


def render_notes(app: str, notes: Sequence[tuple[datetime, str]]) -> str:
    """The block, best first as they come; "" without notes.

    >>> print(render_notes("Claude Code", [(datetime(2025, 10, 10), "User prefers meetings after 2pm.")]))
    (memories for app: Claude Code)
    The following are memories from previous conversations with this app:
    <BLANKLINE>
    1. [Created: 2025-10-10] User prefers meetings after 2pm.
    <BLANKLINE>
    Use these memories to provide context-aware responses.
    """
    if not notes:
        return ""
    lines = [f"{number}. [Created: {at:%Y-%m-%d}] {text}" for number, (at, text) in enumerate(notes, 1)]
    return _HEAD.format(app=app) + "\n".join(lines) + _FOOT


def fit_notes(app: str, notes: Sequence[tuple[datetime, str]], max_chars: int) -> int:
    """How many of them, from the first, the block may hold.

    >>> fit_notes("x", [(datetime(2025, 10, 10), "word " * 20)] * 3, 400)
    2
    """
    count = len(notes)
    while count and len(render_notes(app, notes[:count])) > max_chars:
        count -= 1
    return count


def note_prompt(turns: Sequence[tuple[str, str]], chars: int) -> str:
    """What a model is asked to write a note with. `turns`: (what was typed, the end of the answer)."""
    lines: list[str] = []
    for text, answer in turns:
        lines.append(f"User: {_cut(text)}")
        if answer:
            lines.append(f"Assistant: … {_cut(answer)}")
    return _NOTE_PROMPT.format(chars=chars, conversation=_middle_out(lines))


def compact_prompt(existing: Sequence[tuple[int, str]], new: str) -> str:
    listed = "\n".join(f"{number}: {text}" for number, text in existing)
    return _COMPACT_PROMPT.format(count=len(existing) + 1, kept=len(existing), existing=listed, new=new)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _PROMPT_CHARS else f"{line[:_PROMPT_CHARS]}…"


def _middle_out(lines: Sequence[str]) -> str:
    """All lines, or the first and as many of the last as there is room for."""
    if sum(len(line) + 1 for line in lines) <= _CONVERSATION_CHARS:
        return "\n".join(lines)
    kept: list[str] = []
    left = _CONVERSATION_CHARS - len(lines[0]) - 3
    for line in reversed(lines[1:]):
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join((lines[0], "…", *reversed(kept)))
