"""The secret rules of `secrets.yaml`, ready to run in the engine: patterns by re2, keywords in one pass.

Owns the rules' shape and its faults. What a credential looks like is data (`resources/rules/privacy/secrets.yaml`), how rules
are run is in `detector`, which the hook shares.

Source: QUALITY S6, STACK "secrets".
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from re import _parser  # type: ignore[attr-defined]  # not in the typeshed
from typing import Any

import re2

from app.errors import InvalidError
from app.privacy.dense_text_secrets import CUE, RUN, URL
from app.privacy.detector import KEYWORD_BYTES_MAX, Detector, Helpers, Place, Rule, make_index
from app.privacy.detector import MARK_START as _MARK_START
from app.privacy.line_words import Lexicon
from app.privacy.nearby_values import REST, SIGN, NearbyPattern
from app.privacy.value_checks import Check, ValueCheck

MARK_START = _MARK_START.decode()
_HINT = "Correct it in your own secrets.yaml, or move the file away, then start again."
_TITLE = re2.compile(r"[A-Za-z0-9 .&_-]{1,40}")  # is inside JSON strings and marks
_ANY_PATTERN_BYTES_MAX = 64 * 1024 * 1024  # re2's limit for the automaton of a joined pattern; used as needed
_MIN_DISTINCT = 4
_NEVER = r"[^\s\S]"
_TELLING = b"the password is tulip-Onion7"


class LazyPattern:
    """A pattern compiled at its first use: all of them take a tenth of a second, a text needs a handful."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._compiled: Any = None  # re2 ships no types

    def ready(self) -> Any:
        if self._compiled is None:
            self._compiled = compile_bytes(self._text)
        return self._compiled


@dataclass(frozen=True, slots=True)
class NearWords:
    """How a rule looks around words for a secret, as the file says it."""

    unless: str
    before_bytes: int
    after_bytes: int


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One credential format. `pattern` is common to re2 and `re`, over UTF-8 bytes; `group` is the secret.

    `is_long`: a match may go on for any length behind its keyword before it is complete (key blocks).
    """

    id: str
    title: str
    keywords: tuple[str, ...]
    pattern: str
    group: int
    min_entropy: float
    check: str
    is_long: bool
    compiled: LazyPattern
    near: NearWords | None
    is_told: bool

    @property
    def mark(self) -> str:
        return f"{MARK_START}{self.title}]"


@dataclass(frozen=True, slots=True)
class CheckSource:
    """What a kind of value must be, as the file says it; `values.Check` is the same, ready to run."""

    trim: bytes
    min_bytes: int
    min_distinct: int
    refuse: bytes
    strong: bytes
    follow: bytes


class SecretRules(Detector):
    """Rules ready to run. Built once by `parse`; safe to share between threads."""

    def __init__(
        self, rules: Sequence[SecretRule], checks: Mapping[str, CheckSource], plain_words: frozenset[bytes],
        lexicon: Lexicon | None = None,
    ) -> None:  # fmt: skip
        self.rules = tuple(rules)
        self.checks = dict(checks)
        self.lexicon = lexicon
        groups = list(dict.fromkeys(rule.keywords for rule in self.rules))
        at_of = {group: at for at, group in enumerate(groups)}
        ready = [_ready(rule, at_of[rule.keywords]) for rule in self.rules]
        index = make_index(ready, [tuple(keyword.encode("utf-8") for keyword in group) for group in groups])
        self.judge = ValueCheck({name: _ready_check(check) for name, check in checks.items()}, plain_words)
        helpers = Helpers(_lazy(SIGN), _lazy(REST), [_lazy(CUE), _lazy(URL), _lazy(RUN)])
        super().__init__(ready, index, lambda: self.judge, lambda: helpers, lambda: lexicon)
        self._any_of: dict[int, Any] = {}
        self._keyword_set = _keyword_set(self.keywords)

    @classmethod
    def parse(cls, rules: Mapping[str, Any], *, is_proven: bool = False) -> "SecretRules":
        """Rules ready to run, from the mapping of `secrets.yaml`. `is_proven`: the shipped ones alone, known to compile: their
        patterns are compiled when a text first needs them.

        Raises InvalidError naming the rule that cannot be used.
        """
        checks = _parse_checks(rules)
        plain_words = frozenset(str(word).lower().encode("utf-8") for word in rules.get("plain_words", ()))
        macros = _macros(rules.get("macros", {}))
        parsed = [_parse_rule(entry, macros) for entry in rules.get("rules", ())]
        if not is_proven:
            _compile_all(checks)
            for rule in parsed:
                _check_rule(rule, checks)
        for first, second in pairwise(sorted(rule.id for rule in parsed)):
            if first == second:
                raise InvalidError(f"The secret rule {first!r} is defined twice.", hint=_HINT)
        if not parsed:
            raise InvalidError("There are no secret rules: `rules` is empty.", hint=_HINT)
        return cls(parsed, checks, plain_words, _parse_lexicon(rules, plain_words))

    def prepare(self) -> None:
        """Compiles what the first texts would have to wait for."""
        for rule in self.rules:
            rule.compiled.ready()
        for group in range(len(self.index.groups)):
            self._one_of(group)
        self.redact(_TELLING)  # reads the modules that only a sentence which tells a secret needs

    def keywords_in(self, lowered: bytes) -> Sequence[int]:
        return self._keyword_set.Match(lowered) or ()

    def may_match(self, group: int, data: bytes, window: Place) -> bool:
        """One search instead of one for each rule of the group."""
        one_of = self._one_of(group)
        return one_of is None or one_of.search(data, *window) is not None

    def _one_of(self, group: int) -> Any:
        if group not in self._any_of:
            self._any_of[group] = _any_pattern([self.rules[number] for number in self.index.numbers_of[group]])
        return self._any_of[group]


def compile_bytes(pattern: str) -> Any:
    """The pattern over bytes: spans are byte offsets, and no text is converted."""
    return re2.compile(pattern.encode("utf-8"), _bytes_options())


def _bytes_options() -> Any:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)


def _lazy(pattern: bytes) -> Callable[[], re.Pattern[bytes]]:
    return partial(_compiled, pattern)


def _ready(rule: SecretRule, group: int) -> Rule:
    near = None
    if rule.near is not None:
        words, unless = rule.pattern.encode("utf-8"), rule.near.unless.encode("utf-8")
        near = NearbyPattern(_lazy(words), _lazy(unless), rule.near.before_bytes, rule.near.after_bytes)
    return Rule(
        group, rule.compiled.ready, rule.group, rule.mark.encode("utf-8"), rule.check, rule.min_entropy, near,
        is_long=rule.is_long, is_told=rule.is_told,
    )  # fmt: skip


def _ready_check(check: CheckSource) -> Check:
    patterns = (_lazy(pattern) for pattern in (check.refuse, check.strong, check.follow))
    return Check(check.trim, check.min_bytes, check.min_distinct, *patterns)


def _any_pattern(rules: Sequence[SecretRule]) -> Any:
    """One pattern for all rules of a group; None where it saves nothing or a window is not enough to tell."""
    if len(rules) < 3 or any(rule.is_long or rule.is_told or rule.near is not None for rule in rules):
        return None
    options = _bytes_options()
    options.never_capture = True
    options.max_mem = _ANY_PATTERN_BYTES_MAX
    return re2.compile("|".join(f"(?:{rule.pattern})" for rule in rules).encode("utf-8"), options)


def _keyword_set(keywords: Sequence[bytes]) -> Any:
    found = re2.Set.SearchSet(_bytes_options())
    for keyword in keywords:
        found.Add(re2.escape(keyword))
    found.Compile()
    return found


def _macros(texts: Mapping[str, object]) -> dict[str, str]:
    """The macros by how patterns name them; each may use those that are before it."""
    macros: dict[str, str] = {}
    for name, text in texts.items():
        macros[f"<<{name}>>"] = _expanded(str(text), macros)
    return macros


def _expanded(pattern: str, macros: Mapping[str, str]) -> str:
    for name, text in macros.items():
        pattern = pattern.replace(name, text)
    return pattern


def _parse_rule(entry: Mapping[str, Any], macros: Mapping[str, str]) -> SecretRule:
    try:
        pattern = _expanded(str(entry["pattern"]), macros)
        return SecretRule(
            id=str(entry["id"]),
            title=str(entry["title"]),
            keywords=tuple(str(keyword) for keyword in entry["keywords"]),
            pattern=pattern,
            group=int(entry.get("group", 0)),
            min_entropy=float(entry.get("min_entropy", 0.0)),
            check=str(entry.get("check", "token")),
            is_long=bool(entry.get("is_long", False)),
            compiled=LazyPattern(pattern),
            near=_parse_near({key: _expanded(str(text), macros) for key, text in entry.items()}),
            is_told=bool(entry.get("is_told", False)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidError(f"The secret rule {entry!r} cannot be used: {error}.", hint=_HINT) from error


def _parse_near(entry: Mapping[str, str]) -> NearWords | None:
    """What the entry of a rule says about looking around; None for a rule that matches the secret itself."""
    if "after" not in entry:
        return None
    return NearWords(entry.get("unless", "") or _NEVER, int(entry.get("before", 0)), int(entry["after"]))


def _parse_checks(rules: Mapping[str, Any]) -> dict[str, CheckSource]:
    """The checks of `secrets.yaml`."""
    placeholders = [str(pattern) for pattern in rules.get("placeholders", ())]
    entries = {"token": {}, **rules.get("checks", {})}
    return {str(name): _parse_check(entry, placeholders) for name, entry in entries.items()}


def _parse_check(entry: Mapping[str, Any], placeholders: Sequence[str]) -> CheckSource:
    try:
        return CheckSource(
            trim=str(entry.get("trim", "")).encode("utf-8"),
            min_bytes=int(entry.get("min_bytes", 1)),
            min_distinct=int(entry.get("min_distinct", _MIN_DISTINCT)),
            refuse=_pattern("|".join([*placeholders, str(entry.get("refuse", "(?!)"))])),
            strong=_pattern(entry.get("strong", "")),
            follow=_pattern(entry.get("follow", "")),
        )
    except (TypeError, ValueError) as error:
        raise InvalidError(f"The check {entry!r} of the secret rules cannot be used: {error}.", hint=_HINT) from error


def _pattern(pattern: str) -> bytes:
    return f"(?i){pattern}".encode()  # the flag is in the pattern, for the hook


def _compile_all(checks: Mapping[str, CheckSource]) -> None:
    """Raises InvalidError for a pattern that does not compile."""
    for name, check in checks.items():
        try:
            for pattern in (check.refuse, check.strong, check.follow):
                _compiled(pattern)
        except re.error as error:
            raise InvalidError(
                f"The check {name!r} of the secret rules cannot be used: {error}.", hint=_HINT
            ) from error


def _parse_lexicon(rules: Mapping[str, Any], plain: frozenset[bytes]) -> Lexicon | None:
    """The words of `told:`; None where the file has none."""
    lists = rules.get("told")
    if not lists:
        return None
    return Lexicon({str(name): _words(words) for name, words in lists.items()}, plain)


def _words(words: Sequence[object] | str) -> frozenset[bytes]:
    """The words of a list; a long one stands as a text, which YAML reads faster."""
    each = words.split() if isinstance(words, str) else words
    return frozenset(str(word).lower().encode("utf-8") for word in each)


def _check_rule(rule: SecretRule, checks: Mapping[str, CheckSource]) -> None:
    try:
        group_count = rule.compiled.ready().groups
        _parser.parse(rule.pattern.encode("utf-8"), 0)  # what the hook reads it with
        if rule.near is not None:
            _compiled(rule.near.unless.encode("utf-8"))
    except (re2.error, re.error) as error:
        raise InvalidError(f"The secret rule {rule.id!r} cannot be used: {error}.", hint=_HINT) from error
    if not rule.keywords or any(k != k.lower() or not 0 < len(k) < KEYWORD_BYTES_MAX for k in rule.keywords):
        raise InvalidError(f"The secret rule {rule.id!r} needs short keywords in lower case.", hint=_HINT)
    if not 0 <= rule.group <= group_count:
        raise InvalidError(f"The secret rule {rule.id!r} has no group {rule.group}.", hint=_HINT)
    if not _TITLE.fullmatch(rule.title):
        raise InvalidError(
            f"The title of the secret rule {rule.id!r} may hold letters, digits and spaces only.", hint=_HINT
        )
    if rule.check not in checks:
        raise InvalidError(f"The secret rule {rule.id!r} names an unknown check {rule.check!r}.", hint=_HINT)
