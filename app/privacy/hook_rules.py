"""Writes the secret rules as the hook reads them: what Python's `re` makes of each pattern is beside it.

Owns the file's format; `stored_rules` reads it. The file is private (0600) and replaced in one step. Source: QUALITY S6, P4.
"""

import marshal
import sys
from array import array
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]  # not in the typeshed

from app.places import make_private_dir, write_private
from app.privacy.dense_text_secrets import CUE, RUN, URL
from app.privacy.nearby_values import REST, SIGN
from app.privacy.secret_rules import NearWords, SecretRules
from app.privacy.stored_rules import HEAD_BYTES

_FORMAT = 7  # of the rule file; count up when it changes
RULES_NAME = "rules.marshal"
_BLANKS = r" \t\n\r\f"
_HELPERS = (SIGN, REST, CUE, URL, RUN)
_made: dict[str, bytes] = {}  # of this process, by digest: the one that was written last


def write_hook_rules(path: Path, rules: SecretRules) -> None:
    """Writes the rules as the hook reads them: (tag, index, rules, checks, plain words, digest, helpers, words), in
    `marshal` format.

    The patterns are behind it. Each comes with what Python's `re` makes of it, because the hook has no time to compile; `tag` names the
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
    listed = [
        (
            ready.keywords,
            stored.add(as_in_re2(rule.pattern) if rule.near is None else rule.pattern.encode("utf-8")),
            rule.group,
            rule.mark.encode("utf-8"),
            rule.check,
            rule.min_entropy,
            rule.is_long,
            _near(rule.near, stored),
            rule.is_told,
        )
        for rule, ready in zip(rules.rules, rules.ready, strict=True)
    ]
    checks = {
        name: (
            check.trim,
            check.min_bytes,
            check.min_distinct,
            *(stored.add(pattern) for pattern in (check.refuse, check.strong, check.follow)),
        )
        for name, check in rules.checks.items()
    }
    helpers = [stored.add(pattern) for pattern in _HELPERS]
    plain = rules.judge.plain_words
    words = stored.add_bytes(_words(rules)) if rules.lexicon is not None else None
    head = marshal.dumps((python_tag(), rules.index.parts(), listed, checks, plain, digest, helpers, words), 2)
    return len(head).to_bytes(HEAD_BYTES, "little") + head + stored.to_bytes()


class _Stored:
    """Patterns behind each other, as the hook takes them out: only those that it needs."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, pattern: bytes) -> tuple[int, int, int]:
        """Where the pattern begins, what `re` made of it, and where that ends."""
        first, code = self.add_bytes(pattern)
        return first, code, self.add_bytes(_compiled(pattern))[1]

    def add_bytes(self, part: bytes) -> tuple[int, int]:
        first = self._size
        self._parts.append(part)
        self._size += len(part)
        return first, self._size

    def to_bytes(self) -> bytes:
        return b"".join(self._parts)


def _near(near: NearWords | None, stored: _Stored) -> tuple[tuple[int, int, int], int, int] | None:
    return None if near is None else (stored.add(near.unless.encode("utf-8")), near.before_bytes, near.after_bytes)


def _words(rules: SecretRules) -> bytes:
    """The words for what sentences tell, marshalled apart because few events need them."""
    return marshal.dumps(dict(rules.lexicon.lists) if rules.lexicon is not None else {}, 2)


def python_tag() -> str:
    """Names this very Python: its compiled patterns are good for no other."""
    return f"{sys.implementation.cache_tag}-{sys.hexversion:x}"


def as_in_re2(pattern: str) -> bytes:
    r"""The pattern as `re` has to be told it, to find what re2 finds: `\s` without the vertical tab, `$` at the very end.

    >>> as_in_re2(r"a\s[^\s$]\$(?:\S|$)")
    b'a[ \\t\\n\\r\\f][^ \\t\\n\\r\\f$]\\$(?:[^ \\t\\n\\r\\f]|\\Z)'
    """
    parts: list[str] = []
    is_by_line = "(?m" in pattern or "(?im" in pattern
    is_class, at = False, 0
    while at < len(pattern):
        part = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        at += len(part)
        if part == "\\s":
            part = _BLANKS if is_class else f"[{_BLANKS}]"
        elif part == "\\S" and not is_class:
            part = f"[^{_BLANKS}]"
        elif part == "$" and not is_class and not is_by_line:
            part = r"\Z"
        elif part == "[" and not is_class:
            is_class = True
            closes = at + pattern.startswith("^", at)
            if pattern.startswith("]", closes):  # as the first one it is a character
                part, at = pattern[at - 1 : closes + 1], closes + 1
        elif part == "]":
            is_class = False
        parts.append(part)
    return "".join(parts).encode("utf-8")


@lru_cache(maxsize=1)
def _digest(rules: SecretRules) -> str:
    parts = [
        (r.keywords, r.pattern, r.group, r.mark, r.check, r.min_entropy, r.is_long, r.near, r.is_told)
        for r in rules.rules
    ]
    checks = sorted((name, repr(check)) for name, check in rules.checks.items())
    told = sorted((name, sorted(words)) for name, words in rules.lexicon.lists.items()) if rules.lexicon else []
    content = repr((_FORMAT, python_tag(), parts, checks, sorted(rules.judge.plain_words), told, _HELPERS))
    return sha256(content.encode("utf-8")).hexdigest()


def _digest_of_file(path: Path) -> str:
    try:
        return str(marshal.loads(path.read_bytes()[HEAD_BYTES:])[5])  # noqa: S302 (our own file in our own folder)
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
