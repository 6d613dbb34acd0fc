"""A diff of two versions in the words of the editor: names of fields, states and dates as the person knows them.

The engine's diff has a line per field in a fixed order; a text of several lines goes on below its name. Pure. Source: UX 2.7.
"""

import re
from datetime import datetime

from app.values import MemoryStatus, Visibility
from ui.wording.memories import STATUS_WORDS, VISIBILITY_WORDS

_FIELDS = {  # in the order in which the engine tells them
    "title": "Title",
    "full": "Full",
    "summary": "Summary",
    "compressed": "Short",
    "index": "Index",
    "type": "Type",
    "subject": "About",
    "key": "Property",
    "scope": "Where",
    "value": "Value",
    "tags": "Tags",
    "category": "Category",
    "importance": "Importance",
    "confidence": "Confidence",
    "visibility": "Given",
    "valid_from": "True from",
    "valid_to": "True until",
    "status": "State",
    "details": "Details",
}
_WORDS = {
    "status": {one.value: STATUS_WORDS[one] for one in MemoryStatus},
    "visibility": {one.value: VISIBILITY_WORDS[one] for one in Visibility},
}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:[+-]\d\d:\d\d)?")
_OPEN = re.compile(r"\bopen\b")
_CHANGED = re.compile(r"(\[-|\{\+)(.*?)(-\]|\+\})")
_ORDER = tuple(_FIELDS)


def plain_diff(diff: str) -> str:
    """`diff` with the engine's names replaced; what a memory says stays as it is.

    >>> plain_diff("compressed: port:[-80-]{+81+}\\nstatus: [-proposed-]{+active+}")
    'Short: port:[-80-]{+81+}\\nState: [-waits for you-]{+in use+}'
    """
    lines, last = [], -1
    for line in diff.split("\n"):
        name, colon, rest = line.partition(": ")
        place = _ORDER.index(name) if colon and name in _FIELDS else -1
        if place <= last:  # a line of what the field above says
            lines.append(line)
            continue
        last = place
        lines.append(f"{_FIELDS[name]}: {_plain(name, rest)}")
    return "\n".join(lines)


def _plain(name: str, said: str) -> str:
    """What a field says, in the words and dates of the editor."""
    if name in ("valid_from", "valid_to"):
        none = "not known" if name == "valid_from" else "still true"
        return _OPEN.sub(none, _INSTANT.sub(lambda at: _day(at.group()), said))
    words = _WORDS.get(name)
    return said if words is None else _CHANGED.sub(lambda one: one[1] + words.get(one[2], one[2]) + one[3], said)


def _day(instant: str) -> str:
    return datetime.fromisoformat(instant).astimezone().date().isoformat()
