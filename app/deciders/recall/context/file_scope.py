"""Whether a decision or constraint concerns the open file: it names the file's language, or a folder that the file lies in.

Which words name a language is data. Knows no store. Source: issue 4 "active decisions and constraints for the file or task".
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import PurePosixPath

from app.resources import load_rules

_MOST_KNOWN = 4_096
_NAME = re.compile(  # send_mail.py, order_id, KeyError
    r"(?<![\w./])/?(?:[\w.-]{1,80}/)*(?:\w+(?:\.\w+)+|\w*[^\W_]_[^\W_]\w*|[A-Za-z]*[a-z\d][A-Z]\w*)"
)
_NAMES_READ_CHARS = 4_000  # of an error: the files of its trace
_ERROR_PART_CHARS, _LEAST_PART_CHARS = 120, 60  # a shorter part without a name is said of many errors
_NO_NUMBER = re.compile(r"[^\d\n]{8,}")
_AFTER_CLASS = re.compile(r"\b\w*(?:Error|Exception): ")
_ERROR_CLASS = ("error", "exception", "warning")
_LEAST_FOLDER_CHARS = 3
_ROOTS = frozenset(
    {"src", "lib", "app", "apps", "docs", "test", "tests", "packages", "source"}
)  # half of a project lies there


@cache
def load_languages() -> Mapping[str, tuple[str, ...]]:
    """The words for the language of a file by its ending, as `languages.yaml` has them."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in load_rules("languages")["languages"]:
        words = tuple(str(word).lower() for word in entry["words"])
        for ending in entry["endings"]:
            found[str(ending)] = words
    return found


def concerns_file(text: str, file: str) -> bool:
    """Whether a text names the language of the file, or a folder of it. `file`: as seen from its project; "" is none.

    >>> concerns_file("Always use type hints in Python code", "src/login.py")
    True
    >>> concerns_file("Nothing in billing/ talks to the network", "src/billing/tax.ts")
    True
    >>> concerns_file("We deploy on Fridays", "src/login.py")
    False
    """
    found = _pattern_of(file.replace("\\", "/")) if file else None
    if found is None:
        return False
    pattern, words = found
    if (
        words and text.isascii()
    ):  # a tenth of the time: hundreds of texts are asked about one file, and most hold no such word
        lowered = text.lower()
        if not any([word in lowered for word in words]):  # noqa: C419 (few; a generator costs more than they do)
            return False
    return pattern.search(text) is not None


def names_file(text: str, file: str) -> bool:
    """Whether a text names the file, with its ending, or a folder of its own that it lies in; not its language.

    >>> names_file("Jobs live in src/jobs.py.", "src/jobs.py"), names_file("QR codes are made in Elixir", "lib/qr.ex")
    (True, False)
    """
    pattern = _place_pattern_of(file.replace("\\", "/")) if file else None
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=_MOST_KNOWN)
def _place_pattern_of(file: str) -> re.Pattern[str] | None:
    path = PurePosixPath(file)
    words = [rf"(?<![\w.-]){re.escape(path.name)}(?![\w-])"] if path.suffix else []
    words += _folder_words([one for one in path.parent.parts if one.lower() not in _ROOTS])
    return re.compile("|".join(words), re.IGNORECASE) if words else None


def _long_enough(parts: Iterable[str]) -> list[str]:
    return [one for one in parts if len(one) >= _LEAST_FOLDER_CHARS and one != "/"]


def _folder_words(parts: Iterable[str]) -> list[str]:
    folders = _long_enough(parts)
    words = [rf"(?<![\w.-]){re.escape(one)}/" for one in folders]
    return words + [rf"(?<![\w-]){re.escape(one)} (?:folder|directory|package|module)\b" for one in folders]


@lru_cache(maxsize=_MOST_KNOWN)
def _pattern_of(file: str) -> tuple[re.Pattern[str], tuple[str, ...]] | None:
    """What finds the words, and the words of which a text of ASCII alone holds one wherever it finds any; () where that is not sure."""
    path = PurePosixPath(file)
    languages = load_languages().get(path.suffix[1:].lower(), ())
    words = [rf"(?<![\w.+#-]){re.escape(word)}(?![\w+#])" for word in languages]
    words += _folder_words(path.parent.parts)
    if not words:
        return None
    plain = (*languages, *(one.lower() for one in _long_enough(path.parent.parts)))
    return re.compile("|".join(words), re.IGNORECASE), plain if all(map(str.isascii, plain)) else ()


def names_of(text: str) -> frozenset[str]:
    """Identifiers and the names of files that stand in a text, in lower case: what an error and a memory about it share.

    >>> sorted(names_of("KeyError: 'order_id' in src/mail/send_mail.py, line 4, after a retry"))
    ['keyerror', 'order_id', 'send_mail.py']
    """
    return frozenset(found.rsplit("/", 1)[-1].lower() for found in _NAME.findall(text[:_NAMES_READ_CHARS]))


def distinct_names_of(error: str) -> frozenset[str]:
    """As `names_of`, without what an error's class is called: half of all errors bear it.

    >>> sorted(distinct_names_of("TypeError: cart.total_price is no function"))
    ['cart.total_price']
    """
    return frozenset(name for name in names_of(error) if not name.endswith(_ERROR_CLASS))


def recognisable_part(error: str) -> str:
    """The part of an error's first line by which it is known again: what follows its class, without numbers, and with a name or long
    enough; else "".

    >>> recognisable_part("shop.js:90 KeyError: no such key: 'order_id'"), recognisable_part("exit status 1")
    ("no such key: 'order_id'", '')
    """
    line = error.strip().split("\n", 1)[0]
    said = _AFTER_CLASS.split(line)[-1]
    part = max(_NO_NUMBER.findall(said), key=len, default="").strip(" :,;.-")[:_ERROR_PART_CHARS]
    return part if distinct_names_of(part) or len(part) >= _LEAST_PART_CHARS else ""
