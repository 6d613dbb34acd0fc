"""Whether a prompt or a file shows the trigger of a workflow or of a code pattern.

Pure. A trigger is written as the seed writes it ("deploy_request", "new_endpoint") or in a person's own words; what was turned down
("don't commit yet") shows none. Source: S4 "Code Patterns", "Workflows".
"""

import re
from collections.abc import Iterable, Mapping, Sequence

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_READ_CHARS = 2_000
_NOT_BEFORE = 4  # words
_NOT = frozenset(
    {"don't", "dont", "not", "never", "without", "no", "instead", "avoid", "stop", "why", "didn't", "isn't"}
)
_MAKING = frozenset({"add", "create", "make", "write", "implement", "build", "new", "need", "introduce", "generate", "scaffold", "another"})  # fmt: skip
_NEAR = 6  # words between "add" and what is to be added


def asks_for(prompt: str, trigger: str, asked_by: Mapping[str, Sequence[str]]) -> bool:
    """Whether the prompt asks for what the trigger names.

    >>> asks_for("Deploy it please", "deploy_request", {"deploy": ["ship"]}), asks_for("ship it", "deploy_request", {"deploy": ["ship"]})
    (True, True)
    >>> asks_for("don't deploy yet", "deploy_request", {}), asks_for("Add an endpoint for orders", "new_endpoint", {})
    (False, True)
    """
    words = _words(prompt)
    named = _words(trigger.replace("_", " "))
    if named[:1] == ["new"] and len(named) > 1:
        name = " ".join(named[1:])
        others = [_words(one) for one in asked_by.get(name, ())]
        return any(_asks_to_make(words, one) or (len(one) > 1 and _says(words, one)) for one in (named[1:], *others))
    if named[-1:] == ["request"]:
        named = named[:-1]
    name = " ".join(named)
    return any(_says(words, _words(one)) for one in (name, *asked_by.get(name, ())) if one)


def _words(text: str) -> list[str]:
    return _WORD.findall(text[:_READ_CHARS].lower().replace("’", "'"))


def _places(words: Sequence[str], said: Sequence[str]) -> Iterable[int]:
    size = len(said)
    return (place for place in range(len(words) - size + 1) if _are_same(words[place : place + size], said))


def _are_same(words: Sequence[str], said: Sequence[str]) -> bool:
    return all(one in (other, f"{other}s") for one, other in zip(words, said, strict=True))


def _says(words: Sequence[str], said: Sequence[str]) -> bool:
    return bool(said) and any(
        not _NOT & set(words[max(0, place - _NOT_BEFORE) : place]) for place in _places(words, said)
    )


def _asks_to_make(words: Sequence[str], said: Sequence[str]) -> bool:
    """The thing is named, and shortly before it that one is to be made."""
    for place in _places(words, said):
        before = set(words[max(0, place - _NEAR) : place])
        if before & _MAKING and not before & _NOT:
            return True
    return False
