"""Writes the small files that a running engine leaves for the hook: rules, endpoint, token.

Owns their format; `app/hook/remanence_hook.py` reads them. All are private (0600 in a folder 0700) and replaced in one
step. Knows nothing of who calls. Source: QUALITY S4, S5, S6.
"""

import hmac
import marshal
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]  # not in the typeshed

from app.conversation.redaction import SecretRules
from app.conversation.secret_near import Near
from app.places import make_private_dir, write_private

_FORMAT = 2  # of the rule file; count up when it changes
RULES_NAME = "rules.marshal"
ENDPOINT_NAME = "endpoint"
_made: dict[str, bytes] = {}  # of this process, by digest: the one that was written last


def write_hook_rules(path: Path, rules: SecretRules) -> None:
    """Writes the rules as the hook reads them: (tag, rules, checks, plain words, digest), in `marshal` format.

    Each pattern comes with what Python's `re` makes of it, because the hook has no time to compile; `tag` names the
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
    listed = [
        (
            [keyword.encode("utf-8") for keyword in rule.keywords],
            _compiled(rule.pattern.encode("utf-8")),
            rule.group,
            rule.mark.encode("utf-8"),
            rule.check,
            rule.min_entropy,
            rule.is_long,
            _near(rule.near),
        )
        for rule in rules.rules
    ]
    checks = {
        name: (
            check.trim,
            check.min_bytes,
            check.min_distinct,
            *(_compiled(pattern.pattern) for pattern in (check.refuse, check.strong, check.follow)),
        )
        for name, check in rules.judge.checks.items()
    }
    return marshal.dumps((python_tag(), listed, checks, sorted(rules.judge.plain_words), digest), 2)


def _near(near: Near | None) -> tuple[tuple[bytes, bytes], int, int] | None:
    return None if near is None else (_compiled(near.unless.encode("utf-8")), near.before_bytes, near.after_bytes)


def python_tag() -> str:
    """Names this very Python: its compiled patterns are good for no other."""
    return f"{sys.implementation.cache_tag}-{sys.hexversion:x}"


def _digest(rules: SecretRules) -> str:
    parts = [(r.keywords, r.pattern, r.group, r.mark, r.check, r.min_entropy, r.is_long, r.near) for r in rules.rules]
    checks = sorted(rules.judge.checks.items())
    said = repr((_FORMAT, python_tag(), parts, checks, sorted(rules.judge.plain_words)))
    return sha256(said.encode("utf-8")).hexdigest()


def _digest_of_file(path: Path) -> str:
    try:
        return str(marshal.loads(path.read_bytes())[4])  # noqa: S302 (our own file in our own folder)
    except (OSError, ValueError, EOFError, TypeError, IndexError):
        return ""


def _compiled(pattern: bytes) -> tuple[bytes, bytes]:
    """The pattern, and the arguments of `_sre.compile` for it (marshalled on their own: few are ever needed)."""
    parsed = _parser.parse(pattern, 0)
    names = parsed.state.groupdict
    index: list[str | None] = [None] * parsed.state.groups
    for name, number in names.items():
        index[number] = name
    code = [int(word) for word in _compiler._code(parsed, 0)]  # noqa: SLF001 (there is no public way to keep a compiled pattern)
    arguments = (int(parsed.state.flags), code, parsed.state.groups - 1, names, tuple(index))
    return pattern, marshal.dumps(arguments, 2)


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
