"""Which files are records of a decision: by their folder or their name. Pure. Source: S4 "Episode artifacts"."""

import re

_ADR_PATH = re.compile(
    r"(?:^|/)(?:adrs?|decisions|decision-records|architecture-decisions)/(?P<name>[^/]+)\.(?:md|rst|adoc|txt)\Z",
    re.IGNORECASE,
)
_ADR_FILE = re.compile(r"(?:^|/)(?P<name>adr[-_ ]?\d{1,5}[^/]*)\.(?:md|rst|adoc|txt)\Z", re.IGNORECASE)
_NOT_A_RECORD = frozenset({"readme", "index", "template", "0000-template", "adr-template"})


def adr_of(path: str) -> str:
    """The path of a decision record; "" where it is another file.

    >>> adr_of("docs/adr/0012-use-sessions.md"), adr_of("docs/decisions/README.md"), adr_of("src/a.py")
    ('docs/adr/0012-use-sessions.md', '', '')
    """
    match = _ADR_PATH.search(path) or _ADR_FILE.search(path)
    return path if match is not None and match["name"].lower() not in _NOT_A_RECORD else ""
