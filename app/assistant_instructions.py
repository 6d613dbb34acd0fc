"""The words by which assistants are asked to report what the person says: in the server's instructions, at a session start, with a prompt.

One place, because what is given must be recognised when a host echoes it, and because its tokens are counted and shown. Knows no
engine. Source: JUDGE "Who judges", no. 2.
"""

import re

INSTRUCTION = """\
- When the user states what should hold in later sessions (a rule, a choice, a preference, a fact that the code does not say; not the task at \
hand): `remember` at once, their exact words as `quote`.
"""
START_LINE = (
    "When the user states what should hold in later sessions, call the Remanence tool remember with their exact words."
)
PROMPT_LINE = "If the user states something here that should hold in later sessions, call the Remanence tool remember with their exact words."
_EARLIER_LINES = (  # as given before; transcripts that are imported still have them
    "When the user states what should hold in later sessions, call remember with their exact words.",
    "If this states something that should hold in later sessions, call remember with its exact words.",
)
_QUOTED_CHARS = 80
LINE_TITLE = "asks to remember"  # of the line in a receipt
NOTES_BEGIN, NOTES_END = "(memories for app: ", "Use these memories to provide context-aware responses."  # S5
_NOTES = re.compile(r"\(memories for app: [^\n]{0,100}\)\n.{0,20000}?" + re.escape(NOTES_END), re.DOTALL)
ASKED_BEGINS = "Pass on to the user, below your answer: Remanence asks: "
ASKED_ENDS = "A bare A or B as the next prompt answers."
_ASKED_SHORT = "Remanence asks"  # also how it began before
_ASKED = re.compile(rf"(?:Pass on to the user, below your answer: )?{_ASKED_SHORT}[^\n]{{0,400}}?{ASKED_ENDS}")


def ask_line(text: str, title: str) -> str:
    """The one line that asks, through an assistant, whether a prompt continues what was before.

    >>> ask_line("Make it purple", "FAB button")
    'Pass on to the user, below your answer: Remanence asks: does “Make it purple” continue “FAB button” (A), or start something new (B)? A bare A or B as the next prompt answers.'
    """
    said = " ".join(text.split())
    short = said if len(said) <= _QUOTED_CHARS else f"{said[: _QUOTED_CHARS - 1]}…"
    return f"{ASKED_BEGINS}does “{short}” continue “{title}” (A), or start something new (B)? {ASKED_ENDS}"


def strip_lines(text: str) -> str:
    """`text` without lines of ours, so that what we gave is never captured again.

    >>> strip_lines("use tabs\\n" + PROMPT_LINE)
    'use tabs'
    >>> strip_lines(f"use tabs\\n{NOTES_BEGIN}Codex)\\nThe following …\\n\\n1. [Created: 2026-03-02] Tabs.\\n\\n{NOTES_END}")
    'use tabs'
    """
    if NOTES_BEGIN in text:
        text = _NOTES.sub("", text).strip()
    if _ASKED_SHORT in text:
        without = _ASKED.sub("", text)
        text = text if without == text else without.strip()
    found = [line for line in (START_LINE, PROMPT_LINE, *_EARLIER_LINES) if line in text]
    for line in found:
        text = text.replace(line, "")
    return text.strip() if found else text
