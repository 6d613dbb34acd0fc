"""Values that a sentence tells: "log in as deploy with …", "the passphrase, as always, is …".

Owns what the weighing needs of the rules' file and of the text around; the weighing itself is shared with the hook and
lies in `app/hook/remanence_told.py`. Source: QUALITY S6.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.hook.remanence_line import Lexicon, spoken_lines
from app.hook.remanence_logins import of_logins
from app.hook.remanence_pairs import around
from app.hook.remanence_plain import plainly
from app.hook.remanence_told import find_told

Place = tuple[int, int]


def parse_lexicon(rules: Mapping[str, Any], plain: frozenset[bytes]) -> Lexicon | None:
    """The words of `told:`; None where the file has none."""
    lists = rules.get("told")
    if not lists:
        return None
    return Lexicon({str(name): _words(words) for name, words in lists.items()}, plain)


def _words(words: Sequence[object] | str) -> frozenset[bytes]:
    """The words of a list; a long one stands as a text, which YAML reads faster."""
    each = words.split() if isinstance(words, str) else words
    return frozenset(str(word).lower().encode("utf-8") for word in each)


def told_in(data: bytes, windows: Sequence[Place], lexicon: Lexicon, judged: Callable[[int, int], bool]) -> list[Place]:
    """Where in the windows values are told."""
    return find_told(spoken_lines(data, windows, lexicon, judged), plainly, of_logins, around)
