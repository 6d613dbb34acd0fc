"""What a text or a path names that was made: commits, pull requests, decision records, files.

Only what bears its kind in the text: "commit 1a2b3c4", "PR #45", "ADR-012", a path. Pure. Source: S4 "Episode artifacts".
"""

import re

_ADR_PATH = re.compile(
    r"(?:^|/)(?:adrs?|decisions|decision-records|architecture-decisions)/(?P<name>[^/]+)\.(?:md|rst|adoc|txt)\Z",
    re.IGNORECASE,
)
_ADR_FILE = re.compile(r"(?:^|/)(?P<name>adr[-_ ]?\d{1,5}[^/]*)\.(?:md|rst|adoc|txt)\Z", re.IGNORECASE)
_NOT_A_RECORD = frozenset({"readme", "index", "template", "0000-template", "adr-template"})
_ADR = re.compile(r"\b(?:ADR|RFC)[- ]?(?P<number>\d{1,5})\b")
_PR = re.compile(
    r"(?:\b(?:PR|MR|pull request|merge request)s?\s*[#!]?\s?(?P<number>\d{1,6})\b)|/(?:pull|merge_requests)/(?P<linked>\d{1,6})\b",
    re.IGNORECASE,
)
_COMMIT = re.compile(
    r"\b(?:commit|revision|sha|cherry-pick(?:ed)?|revert(?:ed)?)\s+`?(?P<hash>(?=[0-9a-f]*\d)[0-9a-f]{7,40})\b",
    re.IGNORECASE,
)
_FILE = re.compile(r"(?<![\w/.:@-])(?P<path>(?:[\w.@-]+/)+[\w.-]+\.[A-Za-z][\w]{0,7})(?![\w/-])")
_MOST = 8


def find_artifacts(text: str) -> tuple[tuple[str, str], ...]:
    """Kind and reference of what the text names, each once, in order of kinds; at most eight.

    >>> find_artifacts("As ADR-012 says, PR #45 (commit 1a2b3c4) moved src/auth/login.ts to sessions.")
    (('commit', '1a2b3c4'), ('pr', '#45'), ('adr', 'ADR-012'), ('file', 'src/auth/login.ts'))
    """
    found = [("commit", one["hash"].lower()) for one in _COMMIT.finditer(text)]
    found += [("pr", f"#{one['number'] or one['linked']}") for one in _PR.finditer(text)]
    found += [("adr", one[0].upper().replace(" ", "-")) for one in _ADR.finditer(text)]
    for one in _FILE.finditer(text):
        record = adr_of(one["path"])
        found.append(("adr", record) if record else ("file", one["path"]))
    return tuple(dict.fromkeys(found))[:_MOST]


def adr_of(path: str) -> str:
    """The path of a decision record; "" where it is another file.

    >>> adr_of("docs/adr/0012-use-sessions.md"), adr_of("docs/decisions/README.md"), adr_of("src/a.py")
    ('docs/adr/0012-use-sessions.md', '', '')
    """
    match = _ADR_PATH.search(path) or _ADR_FILE.search(path)
    return path if match is not None and match["name"].lower() not in _NOT_A_RECORD else ""
