"""Which files, symbols and versions of a project a memory names. Pure; whether they are there is for others to see.

Only what is surely meant: a path with a known ending, a call with its brackets, an identifier in backticks. Source: issue 4
"Re-check against the code".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_ENDINGS = (
    "py|pyi|js|jsx|mjs|cjs|ts|tsx|vue|svelte|rs|go|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|rb|php|scala|clj|ex|exs|sql|sh|bash|"
    "html|css|scss|less|json|yaml|yml|toml|ini|cfg|md|rst|txt|proto|graphql|tf|gradle|lock|env"
)
_PATH = re.compile(rf"(?<![\w/:@.-])((?:\.{{0,2}}/)?(?:[\w.@-]+/)*[\w@-][\w.@-]*\.(?:{_ENDINGS}))(?![\w/(-])")
_PRODUCT = re.compile(r"[A-Z]\w*\.(?:js|ts|io|net)")  # Next.js, Node.js: a library more often than a file
_URL = re.compile(r"\b\w+://\S+")
_CALL = re.compile(r"(?<![\w./])([A-Za-z_]\w{3,})\(\)")
_QUOTED = re.compile(r"`([A-Za-z_]\w{3,})`")
_VERSION = re.compile(
    r"(?<![\w./@-])([A-Za-z][\w-]*?)(?:\.js|JS)?[ @](?:version |v)?(\d{1,4})(?:\.[\dx]+)*(?![\w+%-]|\.\w| or (?:newer|later|higher|above))"
)
_HAS_ENDING = re.compile(rf"\.(?:{_ENDINGS})(?![\w/(-])")  # what every path holds
_HAS_MAJOR = re.compile(r"[ @](?=(?:version |v)?\d)")  # and every version
_CODE_LIKE = re.compile(r"_|[a-z][A-Z]|^[A-Z][a-z]+[A-Z]")


@dataclass(frozen=True, slots=True)
class NamedCode:
    files: tuple[str, ...]  # as written, "./" cut off
    symbols: tuple[str, ...]
    versions: tuple[tuple[str, int], ...] = ()  # what looks like a dependency, lower case, and its major


_NONE = NamedCode((), ())


@lru_cache(maxsize=2_048)
def find_named_code(text: str) -> NamedCode:
    """The files, symbols and versions of `text`, each once, in order; addresses of the web are none.

    >>> find_named_code("Retries live in src/net/backoff.py, see `retryLater` and open_socket(). Docs: https://x.io/a.md")
    NamedCode(files=('src/net/backoff.py',), symbols=('open_socket', 'retryLater'), versions=())
    >>> find_named_code("The shop uses React 17 and Next.js v13.4").versions
    (('react', 17), ('next', 13))
    """
    plain = _URL.sub(" ", text) if "://" in text else text
    has_path, has_major = "." in plain and _HAS_ENDING.search(plain), _HAS_MAJOR.search(plain)
    if not (has_path or has_major or "()" in plain or "`" in plain):  # most memories
        return _NONE
    files = (found.removeprefix("./") for found in _find_paths(plain)) if has_path else ()
    symbols = _CALL.findall(plain) if "()" in plain else []
    if "`" in plain:
        symbols += [found for found in _QUOTED.findall(plain) if _CODE_LIKE.search(found)]
    versions = _find_versions(plain) if has_major else ()
    return NamedCode(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(symbols)), tuple(dict.fromkeys(versions)))


def _find_paths(plain: str) -> Iterator[str]:
    """All that `_PATH` matches, looked for only where an ending stands: a path begins where its run of characters does."""
    reached = 0
    for ending in _HAS_ENDING.finditer(plain):
        if ending.start() < reached:
            continue
        found = _PATH.match(plain, _run_start(plain, ending.start()))
        if found is not None:
            reached = found.end()
            if not _PRODUCT.fullmatch(found[1]):
                yield found[1]


def _find_versions(plain: str) -> Iterator[tuple[str, int]]:
    """All that `_VERSION` matches, looked for only where a major stands: the name is the run of characters before it."""
    reached = 0
    for major in _HAS_MAJOR.finditer(plain):
        start = _run_start(plain, major.start())
        found = _VERSION.match(plain, start) if start >= reached else None
        if found is not None:
            reached = found.end()
            yield found[1].lower().replace("_", "-"), int(found[2])


def _run_start(text: str, at: int) -> int:
    """Where the run of word characters, points, slashes, dashes and "@" that ends at `at` begins."""
    while at and (text[at - 1].isalnum() or text[at - 1] in "_./@-"):
        at -= 1
    return at
