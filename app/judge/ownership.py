"""Which stretches of a prompt are not the person's own wording: fences, quoted lines, what a terminal printed.

Pure; the one place where the judge asks whose words these are. Source: JUDGE "Verified or dropped".
"""

import re

from app.conversation.pasted import find_terminal

_FENCE = re.compile(
    r"^[ \t]{0,8}(?P<fence>`{3,}|~{3,})[^\n]*$.*?(?:^[ \t]{0,8}(?P=fence)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_QUOTED = re.compile(r"^[ \t]{0,6}>[^\n]*$", re.MULTILINE)
_PASTED = re.compile(r"<pasted[_ -]?content\b.*?(?:</pasted[_ -]?content\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def find_foreign(text: str) -> list[tuple[int, int]]:
    """Half-open spans, in code points.

    >>> find_foreign("look:\\n> we use Mongo\\nwe do not")
    [(6, 20)]
    """
    found = [one.span() for pattern in (_FENCE, _QUOTED, _PASTED) for one in pattern.finditer(text)]
    return sorted([*found, *find_terminal(text)])
