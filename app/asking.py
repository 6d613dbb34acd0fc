"""The words by which assistants are asked to report what the person says: in the server's instructions, at a session start, with a prompt.

One place, because what is told must be known again when a host echoes it, and because its tokens are counted and shown. Knows no
engine. Source: JUDGE "Who judges", no. 2.
"""

INSTRUCTION = """\
- When the person states what should hold in later sessions (a rule, choice, preference, a fact that code does not say; no task of \
now): `remember` at once, their exact words as `quote`.
"""
START_LINE = "When the user states what should hold in later sessions, call remember with their exact words."
PROMPT_LINE = "If this states something that should hold in later sessions, call remember with its exact words."
LINE_TITLE = "asks to remember"  # of the line in a receipt


def strip_lines(text: str) -> str:
    """`text` without lines of ours, so that what we told is never captured again.

    >>> strip_lines("use tabs\\n" + PROMPT_LINE)
    'use tabs'
    """
    if PROMPT_LINE not in text and START_LINE not in text:
        return text
    return text.replace(PROMPT_LINE, "").replace(START_LINE, "").strip()
