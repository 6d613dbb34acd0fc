"""What a person wants never captured: folders and words as patterns, and whether an event falls under one.

Pure: patterns in, the rule that holds out. `app/hook/remanence_spool.py` holds the same patterns against what it would spool, so they
use nothing but plain `re`. Knows neither store nor request. Source: UX 4.10 "exclusion rules: paths, words".
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_WILD = re.compile(r"\*\*|\*|\?")
_WILD_PATH = {"**": r".*", "*": r"[^/\\]*", "?": r"[^/\\]"}
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One rule. A folder is looked for where an event comes from and in what tools touched, words in everything."""

    id: int
    is_folder: bool
    pattern: str


def folder_pattern(folder: str) -> str:
    """A regular expression for a folder, what is in it, and nothing beside it. `*` and `**` stand for parts of a path.

    >>> at = re.compile(folder_pattern("/w/secret"))
    >>> [bool(at.search(path)) for path in ("/w/secret", "/w/secret/a.py", "cat /w/secret/a.py", "/w/secrets", "/x/w/secret")]
    [True, True, True, False, False]
    """
    plain = folder.replace("\\", "/").rstrip("/") or "/"
    parts, at = [], 0
    for wild in _WILD.finditer(plain):
        parts += [_literal(plain[at : wild.start()]), _WILD_PATH[wild.group()]]
        at = wild.end()
    parts.append(_literal(plain[at:]))
    is_open = plain.startswith(("*", "?"))  # it may begin anywhere in a path
    return ("" if is_open else r"(?<![\w./\\~-])") + "".join(parts) + r"(?![\w-]|\.\w)"


@lru_cache(maxsize=512)
def folder_patterns(folder: str) -> tuple[str, ...]:
    """The same, also for the place that the folder leads to."""
    real = folder if "*" in folder or "?" in folder else os.path.realpath(folder)
    return tuple(map(folder_pattern, dict.fromkeys((folder, real))))


def is_in_folder(path: str | None, folder: str) -> bool:
    """Whether a place is in a folder as a rule names it.

    >>> is_in_folder("/w/secret/app", "*/secret"), is_in_folder("/w/secrets", "/w/secret"), is_in_folder(None, "/w")
    (True, False, False)
    """
    place = _comparable(path or "")
    return bool(place) and any(re.search(pattern, place) for pattern in folder_patterns(folder))


def _literal(path: str) -> str:
    return re.escape(path).replace("/", r"[/\\]")


def words_pattern(words: str) -> str:
    """A regular expression for words that occur together, in whatever case; `*` stands for the rest of a word.

    >>> at = re.compile(words_pattern("project zeus*"))
    >>> [bool(at.search(text)) for text in ("In Project  Zeus-2 we", "project zeuses", "my project is Zeus")]
    [True, True, False]
    """
    plain = _comparable(" ".join(words.split()))
    body = r"\s+".join(re.escape(word).replace(r"\*", r"\w*") for word in plain.split(" "))
    before = r"(?<!\w)" if _WORD.match(plain[:1]) else ""
    return f"(?i){before}{body}" + (r"(?!\w)" if _WORD.match(plain[-1:]) else "")


def find_exclusion(rules: Sequence[Exclusion], places: Iterable[str], texts: Iterable[str]) -> Exclusion | None:
    """The first rule under which an event falls. `places`: folders, files, commands; `texts`: what was said.

    >>> rules = (Exclusion(1, True, folder_pattern("/w/secret")), Exclusion(2, False, words_pattern("zeus")))
    >>> [found and found.id for found in (
    ...     find_exclusion(rules, ["/w/secret/app"], ["hello"]), find_exclusion(rules, ["/w/app"], ["Zeus says"]),
    ...     find_exclusion(rules, ["/w/app"], ["what is in /w/secret?"]))]
    [1, 2, None]
    """
    if not rules:
        return None
    where = [_comparable(place) for place in places if place]
    compared = [_comparable(text) for text in texts if text]
    for rule in rules:
        search = re.compile(rule.pattern).search
        if any(map(search, where)) or (not rule.is_folder and any(map(search, compared))):
            return rule
    return None


def _comparable(text: str) -> str:
    """One spelling for letters that can be written in two ways."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
