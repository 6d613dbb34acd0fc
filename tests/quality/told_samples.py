"""The tellings and the talk written for these tests; `{a|b}` in a telling is the secret `ab`, so no file of ours holds one."""

import re
from pathlib import Path

_MARKED = re.compile(r"\{([^{}|]*)\|([^{}]*)\}")
_HERE = Path(__file__).parent / "labels"


def load_tellings() -> list[tuple[str, list[str]]]:
    """Each telling with the secrets in it."""
    lines = (_HERE / "told_secrets.txt").read_text(encoding="utf-8").splitlines()
    return [(_MARKED.sub(r"\1\2", line), [head + tail for head, tail in _MARKED.findall(line)]) for line in lines]


def load_talk() -> list[str]:
    """What speaks of secrets and tells none; much of it stands close to a telling on purpose."""
    return (_HERE / "told_talk.txt").read_text(encoding="utf-8").splitlines()
