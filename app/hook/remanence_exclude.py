"""Events that a rule of the person's keeps out: loaded by `remanence_spool.py` only where there are such rules.

The same patterns as `app/privacy/exclusion.py`, as the engine wrote them; nothing of ours is imported.
"""

import json
import marshal
import re
import unicodedata

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.hook.remanence_hook import Event

STRINGS_DEPTH_MAX = 12
SAID = ("prompt", "text", "message", "last_assistant_message")  # a folder that is only spoken of keeps nothing out


def is_excluded(event: "Event", rules: bytes) -> bool:
    """Whether a rule of the person's keeps the event out: the patterns of `app/privacy/exclusion.py`."""
    try:
        body = json.loads(event.body)
    except ValueError:
        body = event.body.decode("utf-8", "replace")
    strings = [("cwd", event.cwd.decode("utf-8", "replace")), *strings_in(body, "", 0)]
    for is_folder, pattern in marshal.loads(rules):  # noqa: S302 (our own file in our own folder)
        search = re.compile(pattern).search
        for name, text in strings:
            if not (is_folder and name in SAID) and search(unicodedata.normalize("NFC", text)):
                return True
    return False


def strings_in(value: object, name: str, depth: int) -> "Iterator[tuple[str, str]]":
    if isinstance(value, str):
        yield name, value
    elif depth < STRINGS_DEPTH_MAX and isinstance(value, dict):
        for key, one in value.items():
            yield from strings_in(one, key, depth + 1)
    elif depth < STRINGS_DEPTH_MAX and isinstance(value, list):
        for one in value:
            yield from strings_in(one, name, depth + 1)
