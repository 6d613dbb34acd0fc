"""Writes the small files that a running engine leaves for the hook: rules, endpoint, token.

Owns their format; `app/hook/remanence_hook.py` reads them. All are private (0600 in a folder 0700) and replaced in one
step. Knows nothing of who calls. Source: QUALITY S4, S5, S6.
"""

import hmac
import marshal
import sys
from array import array
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]  # not in the typeshed

from app.conversation.redaction import SecretRules
from app.conversation.secret_near import Near
from app.places import make_private_dir, write_private

_FORMAT = 4  # of the rule file; count up when it changes
RULES_NAME = "rules.marshal"
ENDPOINT_NAME = "endpoint"
_made: dict[str, bytes] = {}  # of this process, by digest: the one that was written last


def write_hook_rules(path: Path, rules: SecretRules) -> None:
    """Writes the rules as the hook reads them: (tag, keywords, rules, checks, plain words, digest), in
    `marshal` format.

    The patterns lie behind it. Each comes with what Python's `re` makes of it, because the hook has no time to compile; `tag` names the
    Python that may use that, another one compiles for itself. Half a second of work, so a file of the same rules stays.
    """
    digest = _digest(rules)
    if _digest_of_file(path) == digest:
        return
    if digest not in _made:
        _made.clear()
        _made[digest] = _compile_all(rules, digest)
    make_private_dir(path.parent)
    write_private(path, _made[digest])


def _compile_all(rules: SecretRules, digest: str) -> bytes:
    stored = _Stored()
    keywords = list(dict.fromkeys(rule.keywords for rule in rules.rules))  # many rules ask for the same
    at_of = {some: at for at, some in enumerate(keywords)}
    listed = [
        (
            at_of[rule.keywords],
            stored.add(rule.pattern.encode("utf-8")),
            rule.group,
            rule.mark.encode("utf-8"),
            rule.check,
            rule.min_entropy,
            rule.is_long,
            _near(rule.near, stored),
            _words(rules) if rule.is_told else b"",
        )
        for rule in rules.rules
    ]
    checks = {
        name: (
            check.trim,
            check.min_bytes,
            check.min_distinct,
            *(stored.add(pattern.pattern) for pattern in (check.refuse, check.strong, check.follow)),
        )
        for name, check in rules.judge.checks.items()
    }
    encoded = [tuple(keyword.encode("utf-8") for keyword in some) for some in keywords]
    head = marshal.dumps((python_tag(), encoded, listed, checks, sorted(rules.judge.plain_words), digest), 2)
    return head + stored.to_bytes()


class _Stored:
    """Patterns behind each other, as the hook takes them out: only those that it needs."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, pattern: bytes) -> tuple[int, int, int]:
        """Where the pattern begins, what `re` made of it, and where that ends."""
        code = _compiled(pattern)
        first = self._size
        self._parts += (pattern, code)
        self._size += len(pattern) + len(code)
        return first, first + len(pattern), self._size

    def to_bytes(self) -> bytes:
        """All of them, and last how many bytes this is."""
        return b"".join(self._parts) + (self._size + 8).to_bytes(8, "little")


def _near(near: Near | None, stored: _Stored) -> tuple[tuple[int, int, int], int, int] | None:
    return None if near is None else (stored.add(near.unless.encode("utf-8")), near.before_bytes, near.after_bytes)


def _words(rules: SecretRules) -> bytes:
    return marshal.dumps(dict(rules.lexicon.lists), 2) if rules.lexicon is not None else b""


def python_tag() -> str:
    """Names this very Python: its compiled patterns are good for no other."""
    return f"{sys.implementation.cache_tag}-{sys.hexversion:x}"


def _digest(rules: SecretRules) -> str:
    parts = [(r.keywords, r.pattern, r.group, r.mark, r.check, r.min_entropy, r.is_long, r.near) for r in rules.rules]
    checks = sorted(rules.judge.checks.items())
    told = sorted((name, sorted(words)) for name, words in rules.lexicon.lists.items()) if rules.lexicon else []
    said = repr((_FORMAT, python_tag(), parts, checks, sorted(rules.judge.plain_words), told))
    return sha256(said.encode("utf-8")).hexdigest()


def _digest_of_file(path: Path) -> str:
    try:
        return str(marshal.loads(path.read_bytes())[5])  # noqa: S302 (our own file in our own folder)
    except (OSError, ValueError, EOFError, TypeError, IndexError):
        return ""


def _compiled(pattern: bytes) -> bytes:
    """The arguments of `_sre.compile` for the pattern, marshalled on their own: few are ever needed."""
    parsed = _parser.parse(pattern, 0)
    names = parsed.state.groupdict
    index: list[str | None] = [None] * parsed.state.groups
    for name, number in names.items():
        index[number] = name
    code = [int(word) for word in _compiler._code(parsed, 0)]  # noqa: SLF001 (there is no public way to keep a compiled pattern)
    arguments = (int(parsed.state.flags), array("I", code).tobytes(), parsed.state.groups - 1, names, tuple(index))
    return marshal.dumps(arguments, 2)


def write_endpoint(state_dir: Path, *, socket: Path | None, port: int | None, secret: str, pid: int) -> None:
    """Says where the engine listens. Removed by `remove_endpoint` at stop."""
    lines = [f"secret {secret}", f"pid {pid}"]
    if socket is not None:
        lines.append(f"socket {socket}")
    if port is not None:
        lines.append(f"port {port}")
    make_private_dir(state_dir)
    write_private(state_dir / ENDPOINT_NAME, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))


def remove_endpoint(state_dir: Path) -> None:
    (state_dir / ENDPOINT_NAME).unlink(missing_ok=True)


def write_hook_conf(state_dir: Path, app: str, values: Mapping[str, str]) -> None:
    """Writes `hook/<app>.conf`: one `key value` line per entry; the hook reads `token`."""
    lines = "".join(f"{key} {value}\n" for key, value in values.items())
    make_private_dir(state_dir / "hook")
    write_private(state_dir / "hook" / f"{app}.conf", lines.encode("utf-8"))


def hello_proof(secret: str, nonce: str) -> str:
    """What `GET /v1/hello?nonce=` answers behind `proof `: HMAC-SHA256 over the nonce's characters, in hex.

    >>> hello_proof("00" * 32, "ab")[:8]
    'd6b79ceb'
    """
    return hmac.new(bytes.fromhex(secret), nonce.encode("ascii"), sha256).hexdigest()
