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
    from collections.abc import Callable
    from re import Pattern
    from types import ModuleType

    from app.hook.remanence_hook import Event

    Source = tuple[int, int, int]  # in the rule file: where a pattern begins, what `re` made of it, and its end
    NearTuple = tuple[Source, int, int]  # what speaks against it, bytes before and after
    Rule = tuple[int, Source, int, bytes, str, float, bool, NearTuple | None, bytes]
    CheckTuple = tuple[bytes, int, int, Source, Source, Source]
    Span = tuple[int, int, int, bytes]
    Finder = Callable[[bytes, Rule, list[tuple[int, int]], "Judges"], list[tuple[int, int]]]

LOCK_BUDGET_S = 0.15
RULES_BYTES_MAX = 8 * 1024 * 1024
SPOOL_BYTES_MAX = 1024 * 1024 * 1024
SPOOL_TOOL_BYTES_MAX = 64 * 1024 * 1024  # tool events are worth less than prompts when nobody takes them
NO_CHECK = (b"", 1, 4, (0, 0, 0), (0, 0, 0), (0, 0, 0))  # the empty pattern: it refuses nothing and is in everything
MARK_BYTES_MAX = 80
JUDGED_BYTES = 512
BEFORE_BYTES = 192
AFTER_BYTES = 512
ENVELOPE = (  # of what assistants send: their own words are no keywords
    b'"session_id"',
    b'"hook_event_name"',
    b'"userpromptsubmit"',
    b'"posttooluse"',
    b'"tool_name"',
    b'"transcript_path"',
    b'"prompt"',
    b'"permission_mode"',
)
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"/": b"/"}
O_NOFOLLOW: int = getattr(system, "O_NOFOLLOW", 0)
O_BINARY: int = getattr(system, "O_BINARY", 0)


def spool(event: "Event", state: str, hook: "ModuleType") -> None:
    """Appends the event durably, or keeps it in a file of its own where the lock cannot be had."""
    kept_out = hook.read_own(state + "/hook/exclude.marshal", RULES_BYTES_MAX)
    if kept_out and beside("remanence_exclude").is_excluded(event, kept_out):
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
        sync_folder(folder)


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
            if append_line(handle, line, name):
                sync_folder(path.rpartition("/")[0])  # a new name
            return True
        except (BlockingIOError, FileNotFoundError):
            time.sleep(0.005)
        finally:
            system.close(handle)
    return False


def sync_folder(folder: str) -> None:
    """A name that is new in it outlives a power cut. Not where folders cannot be opened (Windows)."""
    try:
        handle = system.open(folder, system.O_RDONLY)
    except OSError:
        return
    try:
        system.fsync(handle)
    finally:
        system.close(handle)


def append_line(handle: int, line: bytes, name: str) -> bool:
    """Whether the file had nothing in it before."""
    size = system.fstat(handle).st_size
    if size > (SPOOL_TOOL_BYTES_MAX if name == "tool" else SPOOL_BYTES_MAX):
        return False
    if size and system.pread(handle, 1, size - 1) != b"\n":
        line = b"\n" + line  # a torn line must not take this one with it
    try:
        write_whole(handle, line)
    except OSError:
        system.ftruncate(handle, size)
        raise
    return not size


def write_whole(handle: int, line: bytes) -> None:
    if system.write(handle, line) != len(line):
        raise OSError
    system.fsync(handle)


def redact(body: bytes, marshalled: bytes) -> bytes:
    """The body without secrets. Without the engine's rules a small built-in list stands in."""
    rules: list[Rule]
    checks: dict[str, CheckTuple]
    keywords: list[tuple[bytes, ...]]
    try:
        tag, keywords, rules, checks, words, _ = marshal.loads(marshalled)  # noqa: S302 (ours: owner and mode are checked)
    except (ValueError, EOFError, TypeError):
        wide = beside("remanence_wide")
        marshalled, tag, keywords, rules = wide.pack()
        checks, words = {}, []
    compile_source = make_compiler(tag, marshalled)
    judges = Judges(checks, frozenset(words), compile_source, frozenset(rule[3] for rule in rules))
    every = {keyword for some in keywords for keyword in some}
    for _ in range(2):  # a mark can be the end of what stands beside it
        text, gaps = unescaped(body)
        lowered = without_envelope(text.lower())
        said = {keyword for keyword in every if keyword in lowered}
        there = [not said.isdisjoint(some) for some in keywords]
        spans = [
            (start, end, number, rule[3])
            for number, rule in enumerate(rules)
            if there[rule[0]] and (windows := find_windows(lowered, keywords[rule[0]], is_long=rule[6]))
            for start, end in finder(rule)(text, rule, windows, judges)
        ]
        if not spans:
            break
        body = with_marks(body, in_body(spans, gaps))
    return body


def beside(name: str) -> "ModuleType":
    """The file of that name beside this one; the folder is on the path since this one was found there."""
    return __import__(name)


def without_envelope(lowered: bytes) -> bytes:
    """The text, byte for byte as long, without the names that stand in every event."""
    for name in ENVELOPE:
        lowered = lowered.replace(name, b" " * len(name))
    return lowered


def finder(rule: "Rule") -> "Finder":
    if rule[8]:
        return find_told
    if rule[7] is None:
        return find_spans
    find_near: Finder = beside("remanence_near").find_near
    return find_near


def find_told(text: bytes, rule: "Rule", windows: list[tuple[int, int]], judges: "Judges") -> list[tuple[int, int]]:
    """What a sentence tells; `rule[8]` holds the words for it, marshalled apart because few events need them."""
    cut = beside("remanence_line")
    lexicon = cut.Lexicon(marshal.loads(rule[8]), judges.plain_words)  # noqa: S302 (ours, as above)
    judge = judges.get(rule[4])

    def judged(start: int, end: int) -> bool:
        return judge.is_secret(text, start, end, rule[5])

    lines = list(cut.spoken_lines(text, windows, lexicon, judged))
    if not lines:
        return []
    plainly, of_logins = beside("remanence_plain").plainly, beside("remanence_logins").of_logins
    spans = beside("remanence_told").find_told(lines, plainly, of_logins, beside("remanence_pairs").around)
    return [(start, end) for start, end in spans if not judges.touches_mark(text, start, end)]


def find_windows(lowered: bytes, keywords: tuple[bytes, ...], *, is_long: bool) -> list[tuple[int, int]]:
    """Where a rule is to look: around its keywords, sorted, overlapping ones joined."""
    windows: list[tuple[int, int]] = []
    for keyword in keywords:
        at = lowered.find(keyword)
        while at >= 0:
            end = at + AFTER_BYTES
            windows.append((max(0, at - BEFORE_BYTES), len(lowered) if is_long else min(end, len(lowered))))
            at = lowered.find(keyword, end - AFTER_BYTES // 2)
    windows.sort()
    joined: list[tuple[int, int]] = []
    for start, end in windows:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def unescaped(body: bytes) -> tuple[bytes, list[int]]:
    """The JSON text as the person typed it, and where in it a backslash of the body is left out.

    So the rules see what the engine's see: `^` is where the prompt begins, a quote is a quote.
    """
    body = body.replace(b'"prompt":"', b'"prompt":\n').replace(b'"prompt": "', b'"prompt": \n')
    if body.endswith(b'"}'):
        body = body[:-2] + b"\n}"  # a sentence ends with the last string
    pieces = iter(body.split(b"\\"))
    parts, gaps = [next(pieces)], []
    size = len(parts[0])
    for piece in pieces:
        rest = next(pieces, None) if not piece else piece[1:]
        plain = b"\\" if not piece else ESCAPES.get(piece[:1], b"\\" + piece[:1])  # one in digits stays as it is
        if len(plain) == 1 and rest is not None:
            gaps.append(size + 1)
        parts += (plain, rest or b"")
        size += len(plain) + len(parts[-1])
    return b"".join(parts), gaps


def in_body(spans: "list[Span]", gaps: list[int]) -> "list[Span]":
    """Where the spans of the unescaped text lie in the body, sorted."""
    moved: dict[int, int] = {}
    missing = 0
    for place in sorted({at for span in spans for at in span[:2]}):
        while missing < len(gaps) and gaps[missing] <= place:
            missing += 1
        moved[place] = place + missing
    return sorted((moved[start], moved[end], number, mark) for start, end, number, mark in spans)


def make_compiler(tag: str, stored: bytes) -> "Callable[[Source], Pattern[bytes]]":
    """What turns a source into a pattern: at once where the engine's Python is this one, else by way of `re`."""
    compiled: dict[Source, Pattern[bytes]] = {}
    head = len(stored) - int.from_bytes(stored[-8:], "little")  # sources count from there

    def compile_source(source: "Source") -> "Pattern[bytes]":
        if source not in compiled:
            first, code, end = (head + at for at in source)
            pattern = stored[first:code]
            if code < end and tag == f"{sys.implementation.cache_tag}-{sys.hexversion:x}":
                import _sre  # type: ignore[import-not-found]

                flags, words, *others = marshal.loads(stored[code:end])  # noqa: S302 (ours, as above)
                compiled[source] = _sre.compile(pattern, flags, memoryview(words).cast("I").tolist(), *others)
            else:
                import re

                compiled[source] = re.compile(pattern)
        return compiled[source]

    return compile_source


def find_spans(text: bytes, rule: "Rule", windows: list[tuple[int, int]], judges: "Judges") -> list[tuple[int, int]]:
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
            if judges.touches_mark(text, match.start(), match.end()):
                continue
            if judge.is_secret(text, start, end, rule[5]):
                spans.append((start, end))
            else:
                pos = max(match.start() + 1, match.start(group))
    return spans


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
    """Judges by the name of their check, made when first asked for."""

    def __init__(
        self,
        checks: "dict[str, CheckTuple]",
        plain_words: frozenset[bytes],
        compile_source: "Callable[[Source], Pattern[bytes]]",
        marks: frozenset[bytes],
    ) -> None:
        self.checks = checks
        self.marks = marks
        self.compile_source = compile_source
        self.plain_words = plain_words
        self.made: dict[str, Judge] = {}

    def get(self, name: str) -> "Judge":
        if name not in self.made:
            self.made[name] = Judge(self.checks.get(name, NO_CHECK), self.plain_words, self.compile_source)
        return self.made[name]

    def touches_mark(self, text: bytes, start: int, end: int) -> bool:
        """Whether a mark of an earlier run lies within or around the span."""
        at = text.rfind(b"[secret: ", max(0, start - MARK_BYTES_MAX), end + 8)
        close = text.find(b"]", at, at + MARK_BYTES_MAX)
        return at >= 0 and close >= start and text[at : close + 1] in self.marks


class Judge:
    """The same judgement as `app/conversation/secret_values.py`."""

    def __init__(
        self,
        check: "CheckTuple",
        plain_words: frozenset[bytes],
        compile_source: "Callable[[Source], Pattern[bytes]]",
    ) -> None:
        self.trimmed, self.bytes_min, self.distinct_min = check[:3]
        self.refuse, self.strong, self.follow = check[3:]  # compiled when asked for: the first is long
        self.compiled = compile_source
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
        is_plain = value.lower().split(b" ", 1)[0] in self.plain_words or not self.compiled(self.follow).match(
            text, end
        )
        if is_plain and not self.compiled(self.strong).search(value):
            return False
        return not self.compiled(self.refuse).fullmatch(value)


def entropy_bits(value: bytes) -> float:
    from math import log2

    shares = [value.count(byte) / len(value) for byte in set(value)]
    return -sum(share * log2(share) for share in shares)
