"""Which files, symbols and versions of a project a memory names. Pure; whether they are there is for others to see.

Only what is surely meant: a path with a known ending, a call with its brackets, an identifier in backticks. Source: issue 4
"Re-check against the code".
"""

import re
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
_MAY_NAME = re.compile(r"\.\w|\(\)|`|[A-Za-z][ @](?:version |v)?\d")  # what every name above holds
_CODE_LIKE = re.compile(r"_|[a-z][A-Z]|^[A-Z][a-z]+[A-Z]")


@dataclass(frozen=True, slots=True)
class NamedCode:
    files: tuple[str, ...]  # as written, "./" cut off
    symbols: tuple[str, ...]
    versions: tuple[tuple[str, int], ...] = ()  # what looks like a dependency, lower case, and its major


_NONE = NamedCode((), ())


@lru_cache(maxsize=8_192)
def find_named_code(text: str) -> NamedCode:
    """The files, symbols and versions of `text`, each once, in order; addresses of the web are none.

    >>> find_named_code("Retries live in src/net/backoff.py, see `retryLater` and open_socket(). Docs: https://x.io/a.md")
    NamedCode(files=('src/net/backoff.py',), symbols=('open_socket', 'retryLater'), versions=())
    >>> find_named_code("The shop uses React 17 and Next.js v13.4").versions
    (('react', 17), ('next', 13))
    """
    if _MAY_NAME.search(text) is None:  # most memories
        return _NONE
    plain = _URL.sub(" ", text)
    files = (found.removeprefix("./") for found in _PATH.findall(plain) if not _PRODUCT.fullmatch(found))
    symbols = [*_CALL.findall(plain), *(found for found in _QUOTED.findall(plain) if _CODE_LIKE.search(found))]
    versions = ((name.lower().replace("_", "-"), int(major)) for name, major in _VERSION.findall(plain))
    return NamedCode(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(symbols)), tuple(dict.fromkeys(versions)))
