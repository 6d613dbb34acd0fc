"""The hook's other half, loaded only when the engine did not take an event: takes secrets out and spools it.

Imports nothing of ours; `remanence_hook.py` hands itself in. `app/services/spool.py` reads the lines written here and
`app/services/hook_files.py` writes the rules read here; `app/conversation/redaction.py` and `secret_values.py` are the
full version of the same judgement. Source: QUALITY R13, S4, S6.
"""

import marshal
import sys
import time
from binascii import b2a_base64, crc32

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Pattern
    from types import ModuleType

    from app.hook.remanence_hook import Event

    Source = tuple[bytes, bytes]  # a pattern, and what `re` made of it
    NearTuple = tuple[Source, int, int]  # what speaks against it, bytes before and after
    Rule = tuple[list[bytes], Source, int, bytes, str, float, bool, NearTuple | None]
    CheckTuple = tuple[bytes, int, int, Source, Source, Source]
    Span = tuple[int, int, int, bytes]

LOCK_BUDGET_S = 0.15
RULES_BYTES_MAX = 8 * 1024 * 1024
SPOOL_BYTES_MAX = 1024 * 1024 * 1024
SPOOL_TOOL_BYTES_MAX = 64 * 1024 * 1024  # tool events are worth less than prompts when nobody takes them
NO_CHECK = (b"", 1, 4, (b"(?!)", b""), (b"", b""), (b"", b""))
MARK_BYTES_MAX = 80
JUDGED_BYTES = 512
BEFORE_BYTES = 192
AFTER_BYTES = 512
WORD_BYTES_MAX = 64
VALUE_BYTES_MAX = 256
STRINGS_DEPTH_MAX = 12
SAID = ("prompt", "text", "message", "last_assistant_message")  # a folder that is only spoken of keeps nothing out
BOUNDS = b" \t\r\n\"'`<>()[]{}=:|,;\\"
SIGNS = frozenset(b"0123456789!#$%^&~@*?")
NAME_GOES_ON = frozenset((b"(", b"[", b"{", b"=", b":", b"<", b"\\"))
O_NOFOLLOW: int = getattr(system, "O_NOFOLLOW", 0)
O_BINARY: int = getattr(system, "O_BINARY", 0)

WIDE_ASSIGNMENT = (
    rb"(?i)(?:pass\s?(?:phrase|code)?|passw\w*|pwd?|secret|token|key|credentials?|contrase\S+|kennwort"
    rb"|mot de passe|mdp|clave)[\w-]*[\"']?\s*(?:[:=]|\b(?:is|ist|lautet|est|es)\b)\s*[\"']?([^\s\"']{4,})"
)
# Where the engine's rule file is missing: (keywords, pattern, group, mark). Wide on purpose.
BUILT_IN_RULES = (
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


def spool(event: "Event", state: str, hook: "ModuleType") -> None:
    """Appends the event durably, or keeps it in a file of its own where the lock cannot be had."""
    if is_excluded(event, hook.read_own(state + "/hook/exclude.marshal", RULES_BYTES_MAX)):
        return
    folder = state + "/spool"
    make_private(folder, hook)
    rules = hook.read_own(state + "/hook/rules.marshal", RULES_BYTES_MAX)
    event.cwd = redact(event.cwd, rules)
    line = spool_line(event, redact(event.body, rules))
    if not append_locked(folder + "/events.jsonl", line, event.name):
        path = f"{folder}/late-{event.time_ns:020d}-{event.key}.jsonl"
        handle = system.open(path, system.O_RDWR | system.O_CREAT | system.O_EXCL | O_NOFOLLOW | O_BINARY, 0o600)
        write_whole(handle, line)
        system.close(handle)


def is_excluded(event: "Event", rules: bytes) -> bool:
    """Whether a rule of the person's keeps the event out: the patterns of `app/conversation/exclusion.py`. Most people have none."""
    if not rules:
        return False
    import json
    import re
    import unicodedata

    try:
        body = json.loads(event.body)
    except ValueError:
        body = event.body.decode("utf-8", "replace")
    strings = [("cwd", event.cwd.decode("utf-8", "replace")), *strings_in(body, "", 0)]
    for is_folder, pattern in marshal.loads(rules):  # noqa: S302 (our own file in our own folder)
        search = re.compile(pattern).search
        for name, text in strings:
            if not (is_folder and name in SAID) and search(unicodedata.normalize("NFC", text)):
                return True
    return False


def strings_in(value: object, name: str, depth: int) -> "Iterator[tuple[str, str]]":
    if isinstance(value, str):
        yield name, value
    elif depth < STRINGS_DEPTH_MAX and isinstance(value, dict):
        for key, one in value.items():
            yield from strings_in(one, key, depth + 1)
    elif depth < STRINGS_DEPTH_MAX and isinstance(value, list):
        for one in value:
            yield from strings_in(one, name, depth + 1)


def make_private(folder: str, hook: "ModuleType") -> None:
    """Makes the folder and those above it, for us alone. Raises OSError when it is another's or a link."""
    make_folder(folder)
    status = system.lstat(folder)
    if status.st_mode & 0o170000 != 0o040000 or not hook.is_ours(status):
        raise OSError


def make_folder(folder: str) -> None:
    try:
        system.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        parent = folder.replace("\\", "/").rpartition("/")[0]
        if not parent:
            raise
        make_folder(parent)
        system.mkdir(folder, 0o700)


def spool_line(event: "Event", body: bytes) -> bytes:
    """One line of JSON; all that could hold anything is base64, so a torn line is seen and nothing needs escaping."""
    fields = b'{"v":1,"key":"%s","app":"%s","event":"%s","time_ns":%d,"cwd":"%s","body":"%s"' % (
        event.key.encode(),
        event.app.encode(),
        event.name.encode(),
        event.time_ns,
        b2a_base64(event.cwd, newline=False),
        b2a_base64(body, newline=False),
    )
    return fields + b',"crc":"%08x"}\n' % crc32(fields)


def append_locked(path: str, line: bytes, name: str) -> bool:
    """Whether the line stands in the file, synced. False without a lock (Windows, or a lock held too long)."""
    try:
        import fcntl
    except ImportError:
        return False
    until_s = time.monotonic() + LOCK_BUDGET_S
    while time.monotonic() < until_s:
        handle = system.open(path, system.O_RDWR | system.O_APPEND | system.O_CREAT | O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if system.fstat(handle).st_ino != system.stat(path).st_ino:
                continue  # the engine took the file away between open and lock
            append_line(handle, line, name)
            return True
        except (BlockingIOError, FileNotFoundError):
            time.sleep(0.005)
        finally:
            system.close(handle)
    return False


def append_line(handle: int, line: bytes, name: str) -> None:
    size = system.fstat(handle).st_size
    if size > (SPOOL_TOOL_BYTES_MAX if name == "tool" else SPOOL_BYTES_MAX):
        return
    if size and system.pread(handle, 1, size - 1) != b"\n":
        line = b"\n" + line  # a torn line must not take this one with it
    try:
        write_whole(handle, line)
    except OSError:
        system.ftruncate(handle, size)
        raise


def write_whole(handle: int, line: bytes) -> None:
    if system.write(handle, line) != len(line):
        raise OSError
    system.fsync(handle)


def redact(body: bytes, marshalled: bytes) -> bytes:
    """The body without secrets. Without the engine's rules a small built-in list stands in."""
    rules: list[Rule]
    checks: dict[str, CheckTuple]
    try:
        tag, rules, checks, words, _ = marshal.loads(marshalled)  # noqa: S302 (ours: owner and mode are checked)
    except (ValueError, EOFError, TypeError):
        tag = ""
        rules = [
            (list(rule[0]), (rule[1], b""), rule[2], b"[secret: %s]" % rule[3], "", 0.0, True, None)
            for rule in BUILT_IN_RULES
        ]
        checks, words = {}, []
    compile_source = make_compiler(tag)
    judges = Judges(checks, frozenset(words), compile_source)
    marks = frozenset(rule[3] for rule in rules)
    for _ in range(2):  # a mark can be the end of what stands beside it
        text = unescaped(body)
        lowered = text.lower()
        spans = [
            (start, end, number, rule[3])
            for number, rule in enumerate(rules)
            if (windows := find_windows(lowered, rule))
            for start, end in (find_spans if rule[7] is None else find_near)(text, rule, windows, judges, marks)
        ]
        if not spans:
            break
        body = with_marks(body, sorted(spans))
    return body


def find_windows(lowered: bytes, rule: "Rule") -> list[tuple[int, int]]:
    """Where the rule is to look: around its keywords, sorted, overlapping ones joined."""
    windows: list[tuple[int, int]] = []
    for keyword in rule[0]:
        at = lowered.find(keyword)
        while at >= 0:
            end = at + AFTER_BYTES
            windows.append((max(0, at - BEFORE_BYTES), len(lowered) if rule[6] else min(end, len(lowered))))
            at = lowered.find(keyword, end - AFTER_BYTES // 2)
    windows.sort()
    joined: list[tuple[int, int]] = []
    for start, end in windows:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def unescaped(body: bytes) -> bytes:
    """The JSON text with its escapes as white space and quotes, byte for byte as long as before.

    So the rules see what the person typed, and a span found here is a span of the original.
    """
    if b"\\" not in body:
        return body
    body = body.replace(b"\\\\", b"\0\0")
    for letter in (b"n", b"r", b"t"):
        body = body.replace(b"\\" + letter, b" \n")
    return body.replace(b'\\"', b' "').replace(b"\0\0", b"\\\\")


def make_compiler(tag: str) -> "Callable[[Source], Pattern[bytes]]":
    """What turns a source into a pattern: at once where the engine's Python is this one, else by way of `re`."""
    compiled: dict[bytes, Pattern[bytes]] = {}

    def compile_source(source: "Source") -> "Pattern[bytes]":
        pattern, arguments = source
        if pattern not in compiled:
            if tag == f"{sys.implementation.cache_tag}-{sys.hexversion:x}":
                import _sre  # type: ignore[import-not-found]

                compiled[pattern] = _sre.compile(pattern, *marshal.loads(arguments))  # noqa: S302 (ours, as above)
            else:
                import re

                compiled[pattern] = re.compile(pattern)
        return compiled[pattern]

    return compile_source


def find_spans(
    text: bytes, rule: "Rule", windows: list[tuple[int, int]], judges: "Judges", marks: frozenset[bytes]
) -> list[tuple[int, int]]:
    compiled, judge = judges.compile_source(rule[1]), judges.get(rule[4])
    group = rule[2]
    spans: list[tuple[int, int]] = []
    pos = 0
    for window_start, window_end in windows:
        pos = max(pos, window_start)
        while pos < window_end and (match := compiled.search(text, pos, window_end)) is not None:
            if match.end() == window_end:  # cut off by the window: the rest belongs to it
                match = compiled.match(text, match.start()) or match
            start, end = judge.trim(text, *match.span(group))
            pos = max(match.end(group), pos + 1)
            if touches_mark(text, match.start(), match.end(), marks):
                continue
            if judge.is_secret(text, start, end, rule[5]):
                spans.append((start, end))
            else:
                pos = max(match.start() + 1, match.start(group))
    return spans


def find_near(
    text: bytes, rule: "Rule", windows: list[tuple[int, int]], judges: "Judges", marks: frozenset[bytes]
) -> list[tuple[int, int]]:
    """What `app/conversation/secret_near.py` finds near a word that the rule's pattern matches."""
    assert rule[7] is not None
    judge = judges.get(rule[4])
    spans: list[tuple[int, int]] = []
    for window in windows:
        for value in values_in(text, *window):
            start, end = judge.trim(text, *value)
            is_one = judge.is_secret(text, start, end, rule[5]) and not touches_mark(text, start, end, marks)
            if is_one and is_near(text, rule, start, judges, marks):
                spans.append((start, end))
    return spans


def values_in(text: bytes, at: int, last: int) -> "Iterator[tuple[int, int]]":
    """The words that hold a digit or a sign; not the names of calls, parameters and fields."""
    while at < last:
        at += 3 if text.startswith(b"\xe2\x80", at) else 0  # a curly quote
        end = at
        while end < last and text[end] not in BOUNDS:
            end += 1
        while end < len(text) and text[end] not in BOUNDS and end - at < VALUE_BYTES_MAX:
            end += 1
        if text[end : end + 1] not in NAME_GOES_ON and not SIGNS.isdisjoint(text[at:end]):
            yield at, end
        at = max(end, at + 1)


def is_near(text: bytes, rule: "Rule", at: int, judges: "Judges", marks: frozenset[bytes]) -> bool:
    assert rule[7] is not None
    unless, before, after = judges.compile_source(rule[7][0]), *rule[7][1:]
    first = max(0, at - after - WORD_BYTES_MAX)
    for word in judges.compile_source(rule[1]).finditer(text, first, at + before + WORD_BYTES_MAX):
        pos, last = around(text, word.start() + 1, word.end() - 1, rule[7])
        is_within = pos <= at < last and not touches_mark(text, *word.span(), marks)
        if is_within and not unless.search(text, pos, last):
            return True
    return False


def around(text: bytes, start: int, end: int, near: "NearTuple") -> tuple[int, int]:
    """What lies within reach on the line and in the same JSON string: no field beside it is looked at."""
    first = max(text.rfind(b"\n", 0, start) + 1, text.rfind(b'":"', 0, start) + 3, start - near[1])
    while first < start and first > 0 and text[first - 1] not in b' \n"':
        first += 1
    reach = min(len(text), end + near[2])
    ends = [at for at in (text.find(b"\n", end, reach), text.find(b'","', end, reach)) if at >= 0]
    return first, min(ends, default=reach)


def touches_mark(text: bytes, start: int, end: int, marks: frozenset[bytes]) -> bool:
    """Whether a mark of an earlier run lies within or around the span."""
    at = text.rfind(b"[secret: ", max(0, start - MARK_BYTES_MAX), end + 8)
    close = text.find(b"]", at, at + MARK_BYTES_MAX)
    return at >= 0 and close >= start and text[at : close + 1] in marks


def with_marks(body: bytes, spans: "list[Span]") -> bytes:
    """The body with each span replaced; of overlapping ones the rule that stands first gives the name."""
    merged: list[Span] = []
    for span in spans:
        if merged and span[0] < merged[-1][1]:
            first = merged[-1]
            merged[-1] = (first[0], max(first[1], span[1]), *min(first[2:], span[2:]))
        else:
            merged.append(span)
    parts: list[bytes] = []
    at = 0
    for start, end, _, mark in merged:
        parts += [body[at:start], mark]
        at = end
    return b"".join([*parts, body[at:]])


class Judges:
    """Judges by the name of their check, made when first asked for: each compiles three patterns."""

    def __init__(
        self,
        checks: "dict[str, CheckTuple]",
        plain_words: frozenset[bytes],
        compile_source: "Callable[[Source], Pattern[bytes]]",
    ) -> None:
        self.checks = checks
        self.compile_source = compile_source
        self.plain_words = plain_words
        self.made: dict[str, Judge] = {}

    def get(self, name: str) -> "Judge":
        if name not in self.made:
            self.made[name] = Judge(self.checks.get(name, NO_CHECK), self.plain_words, self.compile_source)
        return self.made[name]


class Judge:
    """The same judgement as `app/conversation/secret_values.py`."""

    def __init__(
        self,
        check: "CheckTuple",
        plain_words: frozenset[bytes],
        compile_source: "Callable[[Source], Pattern[bytes]]",
    ) -> None:
        self.trimmed, self.bytes_min, self.distinct_min = check[:3]
        self.refuse, self.strong, self.follow = (compile_source(source) for source in check[3:])
        self.plain_words = plain_words

    def trim(self, text: bytes, start: int, end: int) -> tuple[int, int]:
        while end > start and text[end - 1] in self.trimmed:
            end -= 1
        return start, end

    def is_secret(self, text: bytes, start: int, end: int, min_entropy: float) -> bool:
        value = text[start : min(end, start + JUDGED_BYTES)]
        if start < 0 or len(value) < self.bytes_min or len(set(value)) < min(self.distinct_min, len(value)):
            return False
        if not value or (min_entropy and entropy_bits(value) < min_entropy):
            return False
        is_plain = value.lower().split(b" ", 1)[0] in self.plain_words or not self.follow.match(text, end)
        if is_plain and not self.strong.search(value):
            return False
        return not self.refuse.fullmatch(value)


def entropy_bits(value: bytes) -> float:
    from math import log2

    shares = [value.count(byte) / len(value) for byte in set(value)]
    return -sum(share * log2(share) for share in shares)
