"""Reads the rules that the engine left for the hook, each pattern made ready when it is first asked for.

`hook_rules` writes the file. The patterns come as Python's `re` compiled them, because the hook has no time to; another
Python than the engine's compiles for itself. Without the file a few wide rules are used instead. Source: QUALITY S6, P4.
"""

import marshal
import sys

from .detector import Detector, Helpers, Index, Rule, make_index

TYPE_CHECKING = False  # `typing` takes longer to import than the hook may
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .line_words import Lexicon
    from .value_checks import Check, ValueCheck

    Take = Callable[[int, int], bytes]  # of a file: what lies from there to there
    Source = tuple[
        int, int, int
    ]  # in the rule file, behind the head: where a pattern begins, what `re` made of it, and its end

HEAD_BYTES, HEAD_BYTES_MAX = 8, 8 * 1024 * 1024
WIDE_ASSIGNMENT = (
    rb"(?i)(?:pass\s?(?:phrase|code)?|passw\w*|pwd?|secret|token|key|credentials?|contrase\S+|kennwort"
    rb"|mot de passe|mdp|clave)[\w-]*[\"']?\s*(?:[:=]|\b(?:is|ist|lautet|est|es)\b)\s*[\"']?([^\s\"']{4,})"
)
WIDE_RULES = (  # better a word too many taken out than a secret kept; each is (keywords, pattern, group, mark)
    ((b"private key",), rb"-----BEGIN[A-Z ]* PRIVATE KEY[\s\S]*?(?:-----END[A-Z ]*-----|\Z)", 0, b"private key"),
    ((b"ghp_", b"gho_", b"ghs_", b"ghu_", b"github_pat_"), rb"(?:gh[a-z]|github_pat)_[A-Za-z0-9_]{20,}", 0, b"token"),
    ((b"akia", b"asia"), rb"\bA[KS]IA[A-Z0-9]{12,}", 0, b"token"),
    ((b"sk-", b"sk_", b"rk_", b"pk_"), rb"\b[spr]k[-_][A-Za-z0-9_-]{16,}", 0, b"token"),
    ((b"xox", b"glpat-", b"npm_", b"hf_", b"aiza"), rb"\b(?:xox|glpat-|npm_|hf_|AIza)[A-Za-z0-9_-]{12,}", 0, b"token"),
    ((b"eyj",), rb"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}", 0, b"token"),
    ((b"bearer", b"basic"), rb"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,})", 1, b"token"),
    ((b"://",), rb"://[^\s:/@\"']*:([^\s/@\"']+)@", 1, b"password"),
    (
        (b"pass", b"pw", b"secret", b"token", b"key", b"credential", b"contrase", b"kennwort", b"mdp", b"clave"),
        WIDE_ASSIGNMENT,
        1,
        b"password",
    ),
)


def read_detector(take: "Take | None") -> Detector:
    """The detector of the rule file, of which only what is needed is taken; the wide one where there is none.

    First lies how long the head is, then the head, then patterns and words.
    """
    if take is None:
        return wide_detector()
    try:
        size = HEAD_BYTES + min(int.from_bytes(take(0, HEAD_BYTES), "little"), HEAD_BYTES_MAX)
        tag, index, rules, checks, plain_words, _, helpers, words = marshal.loads(take(HEAD_BYTES, size))  # noqa: S302 (ours: owner and mode are checked)
    except (ValueError, EOFError, TypeError):
        return wide_detector()

    def stored(start: int, end: int) -> bytes:
        return take(size + start, size + end)

    of = make_compiler(tag, stored)

    def judge() -> "ValueCheck":
        from .value_checks import ValueCheck

        return ValueCheck(StoredChecks(checks, of), plain_words)

    def lexicon() -> "Lexicon | None":
        from .line_words import Lexicon

        return Lexicon(marshal.loads(stored(*words)), plain_words) if words else None  # noqa: S302 (ours, as above)

    def read_helpers() -> Helpers:
        sign, rest, *dense = map(of, helpers)
        return Helpers(sign, rest, dense)

    return Detector(StoredRules(rules, of), Index(*index), once(judge), once(read_helpers), once(lexicon))


class StoredRules(list):  # type: ignore[type-arg]  # of rules, or of what one is made of as long as nobody asked
    """The rules, each made when it is first asked for: an event needs few of them."""

    def __init__(self, rules: "list[tuple[Any, ...]]", of: "Callable[[Source], Callable[[], Any]]") -> None:
        super().__init__(rules)
        self.of = of

    def __getitem__(self, number: "Any") -> "Any":
        rule = super().__getitem__(number)
        if type(rule) is tuple:
            group, source, part, mark, check, entropy, is_long, around, is_told = rule
            near = None
            if around is not None:
                from .nearby_values import NearbyPattern

                near = NearbyPattern(self.of(source), self.of(around[0]), around[1], around[2])
            pattern = self.of(source)
            rule = self[number] = Rule(
                group, pattern, part, mark, check, entropy, near, is_long=is_long, is_told=is_told
            )  # fmt: skip
        return rule


class StoredChecks(dict):  # type: ignore[type-arg]  # of checks by name, each made when it is first asked for
    def __init__(self, checks: "dict[str, Any]", of: "Callable[[Source], Callable[[], Any]]") -> None:
        super().__init__()
        self.stored, self.of = checks, of

    def __missing__(self, name: str) -> "Check":
        from .value_checks import Check

        check = self.stored[name]
        made = self[name] = Check(*check[:3], *map(self.of, check[3:]))
        return made


def once(make: "Callable[[], Any]") -> "Callable[[], Any]":
    made: list[Any] = []

    def get() -> "Any":
        if not made:
            made.append(make())
        return made[0]

    return get


def make_compiler(tag: str, stored: "Take") -> "Callable[[Source], Callable[[], Any]]":
    """What makes a pattern of a source when asked: at once where the engine's Python is this one, else by way of `re`."""
    is_same = tag == f"{sys.implementation.cache_tag}-{sys.hexversion:x}"

    def of(source: "Source") -> "Callable[[], Any]":
        def compiled() -> "Any":
            first, code, end = source
            if is_same and code < end:
                import _sre  # type: ignore[import-not-found]

                both = stored(first, end)
                flags, words, *others = marshal.loads(both[code - first :])  # noqa: S302 (ours, as above)
                return _sre.compile(both[: code - first], flags, memoryview(words).cast("I").tolist(), *others)
            return compile_now(stored(first, code))

        return once(compiled)

    return of


def compile_now(pattern: bytes) -> "Any":
    import re  # slow to import

    return re.compile(pattern)


def wide_detector() -> Detector:
    """Where the engine left no rules."""

    def of(pattern: bytes) -> "Callable[[], Any]":
        return once(lambda: compile_now(pattern))

    from .dense_text_secrets import CUE, RUN, URL
    from .nearby_values import REST, SIGN
    from .value_checks import Check, ValueCheck

    anything = of(b"")
    judge = ValueCheck({"": Check(b"", 1, 4, of(rb"(?!)"), anything, anything)}, frozenset())
    rules = [
        Rule(
            at, of(pattern), group, b"[secret: %s]" % name, "", 0.0, None, is_long=name == b"private key", is_told=False
        )
        for at, (_, pattern, group, name) in enumerate(WIDE_RULES)
    ]
    helpers = Helpers(of(SIGN), of(REST), [of(CUE), of(URL), of(RUN)])
    index = make_index(rules, [rule[0] for rule in WIDE_RULES])
    return Detector(rules, index, lambda: judge, lambda: helpers, lambda: None)
