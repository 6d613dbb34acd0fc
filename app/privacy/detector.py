"""Finds secrets in bytes and puts marks in their place: the one implementation that engine and hook run.

Owns how rules are run: keywords first, then each rule only near the keywords that it asks for, then once more around what
was marked; in blocks, within the work that a text may cost, so in time linear in the text. Patterns come from whoever made
the rules (`secret_rules`: re2, `stored_rules`: what the engine left for the hook). Knows nothing of JSON.

Work is counted, not timed, so that every machine and the hook come to the same result. A unit is about a microsecond. A
text has a start to spend and gains with each byte that is read; what it cannot pay is read by `dense`, which costs next to
nothing. Source: QUALITY S6, issue 15 "redaction stalls everybody".
"""

Place = tuple[int, int]
Span = tuple[int, int, int]  # from, to, the number of the rule that marked it

TYPE_CHECKING = False  # `typing` takes longer to import than the hook may
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .line_words import Lexicon
    from .nearby_values import NearbyPattern
    from .value_checks import ValueCheck

    Windows = dict[int, list[Place]]
    Ready = Callable[[], Any]

MARK_START = b"[secret: "
MARK_BYTES_MAX = 80
ROUNDS_MAX = 16  # each mark changes its neighbours; two rounds settle all but made-up text
NEAR_BYTES = 640  # how far from a mark the next round looks
CHUNK_BYTES = 1024  # keywords are looked for chunk by chunk, so that a rule runs only where it may match
BLOCK_BYTES = 2 * CHUNK_BYTES  # what is worked through before anything else is looked at
KEYWORD_BYTES_MAX = 40
BEFORE_BYTES = 192  # how far a match may begin before its keyword
AFTER_BYTES = 512  # how far behind the keyword a match's secret may begin; its end is not limited
WINDOW_BYTES_MAX = 4096
WHOLE_BYTES_MAX = 16 * 1024  # how far a match is followed that a window cut off; a value continues to its end
GOES_ON_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_.-"
GOES_ON = frozenset(GOES_ON_BYTES)
START_UNITS = 120_000
UNITS_PER_BYTE = 0.3
OVERDRAFT_UNITS = 10_000  # by so much a block may go on that has begun
SEARCH_UNITS, JUDGE_UNITS, KEYWORD_UNITS, MATCH_BYTES = 2, 5, 2, 10
JUDGED_BYTES, JUDGED_SQUARE = 512, 100  # the patterns of checks look for parts behind parts of a value
LONG_REFUSED_MAX = 16


class Work:
    """What is left to spend, and what was spent: `spent` is the figure that tests hold against the text's length."""

    __slots__ = ("left", "spent")

    def __init__(self, units: float = START_UNITS) -> None:
        self.left = units
        self.spent = 0.0

    def gain(self, byte_count: int) -> None:
        self.left += byte_count * UNITS_PER_BYTE

    def pay(self, units: float) -> None:
        self.left -= units
        self.spent += units

    @property
    def is_over(self) -> bool:
        return self.left < -OVERDRAFT_UNITS


class Rule:
    """One credential format, ready to run. `group` of the pattern is the secret, 0 the whole match."""

    __slots__ = ("check", "group", "is_long", "is_told", "keywords", "mark", "min_entropy", "near", "pattern")

    def __init__(
        self,
        keywords: int,
        pattern: "Ready",
        group: int,
        mark: bytes,
        check: str,
        min_entropy: float,
        near: "NearbyPattern | None",
        *,
        is_long: bool,
        is_told: bool,
    ) -> None:
        self.keywords = keywords  # which group of keywords
        self.pattern = pattern
        self.group = group
        self.mark = mark
        self.check = check
        self.min_entropy = min_entropy
        self.near = near
        self.is_long = is_long
        self.is_told = is_told


class Helpers:
    """The patterns that belong to no rule: what looks like a value, and the coarse reading."""

    __slots__ = ("dense", "rest", "sign")

    def __init__(self, sign: "Ready", rest: "Ready", dense: "Sequence[Ready]") -> None:
        self.sign, self.rest, self.dense = sign, rest, dense


class Index:
    """Which rules a keyword calls. Worked out once by the engine; the hook reads it with the rules."""

    __slots__ = ("dense_number", "groups", "groups_of", "keywords", "long_numbers", "marks", "numbers_of")

    def __init__(self, *parts: "Any") -> None:
        (
            self.groups,  # keywords that rules have in common
            self.numbers_of,  # by group: its rules, which share their windows
            self.keywords,
            self.groups_of,  # by keyword
            self.marks,
            self.long_numbers,
            self.dense_number,  # the rule that names what the coarse reading finds
        ) = parts

    def parts(self) -> "tuple[Any, ...]":
        return tuple(getattr(self, name) for name in INDEX_PARTS)


INDEX_PARTS = ("groups", "numbers_of", "keywords", "groups_of", "marks", "long_numbers", "dense_number")


def make_index(rules: "Sequence[Rule]", groups: "Sequence[tuple[bytes, ...]]") -> Index:
    numbers_of: list[list[int]] = [[] for _ in groups]
    for number, rule in enumerate(rules):
        numbers_of[rule.keywords].append(number)
    groups_of: dict[bytes, list[int]] = {}
    for at, group in enumerate(groups):
        for keyword in group:
            groups_of.setdefault(keyword, []).append(at)
    marks = frozenset(rule.mark for rule in rules)
    long_numbers = [number for number, rule in enumerate(rules) if rule.is_long]
    dense_number = next((number for number, rule in enumerate(rules) if rule.is_told), len(rules) - 1)
    parts = (list(groups), numbers_of, list(groups_of), list(groups_of.values()), marks, long_numbers, dense_number)
    return Index(*parts)


class Detector:
    """Rules ready to run. Safe to share between threads."""

    def __init__(
        self,
        rules: "Sequence[Rule]",
        index: Index,
        judge: "Callable[[], ValueCheck]",
        helpers: "Callable[[], Helpers]",
        lexicon: "Callable[[], Lexicon | None]",
    ) -> None:
        self.ready = rules
        self.index = index
        self.keywords: Sequence[bytes] = index.keywords
        self.candidates: Sequence[int] = range(len(index.keywords))
        self.get_judge, self.get_helpers, self.get_lexicon = judge, helpers, lexicon

    def keywords_in(self, lowered: bytes) -> "Sequence[int]":
        """The numbers of the keywords that are there."""
        keywords = self.keywords
        return [at for at in self.candidates if keywords[at] in lowered]

    def narrow(self, data: bytes) -> None:
        """From now on only texts will be asked for that are part of the data: few keywords are left to look for."""
        self.candidates = range(len(self.keywords))
        self.candidates = self.keywords_in(data.lower())

    def may_match(self, group: int, data: bytes, window: "Place") -> bool:  # noqa: ARG002 (for those who can tell faster)
        """Whether any rule of the group may match within the window."""
        return True

    def redact(
        self, original: bytes, pause: "Callable[[], object] | None" = None, work: "Work | None" = None
    ) -> "tuple[bytes, list[Span]]":
        """The bytes with a mark for each secret, and where the secrets stood, sorted and separate.

        Marks of an earlier run are left alone. `pause` is called often, so that a long text lets others by.
        """
        work = work or Work()
        data, found = original, list[Span]()
        regions = [(0, len(data))]
        for number in range(ROUNDS_MAX):
            spans = self.find_spans(data, regions, work, pause, is_first=number == 0)
            if not spans:
                break
            found = merge_spans([*found, *to_original(spans, found, self.ready)])
            data, regions = with_marks(original, found, self.ready)
            self.candidates = range(len(self.keywords))  # marks have words of their own
            work.pay(len(data) / 1000 + len(found) / 2)
            if work.is_over:
                break
        return data, found

    def find_spans(
        self,
        data: bytes,
        regions: "Sequence[Place]",
        work: "Work",
        pause: "Callable[[], object] | None" = None,
        *,
        is_first: bool = True,
    ) -> "list[Span]":
        """Spans of secrets that are in or near the regions, sorted, overlapping ones merged."""
        marks = self.marks_in(data)
        spans = list(self.long_spans(data, marks, work)) if is_first else []
        dense: list[Place] = []
        done = max((span[1] for span in spans), default=0)
        for start, end in blocks_of(regions):
            if is_first:
                work.gain(end - start)
            if end <= done:
                continue  # inside of what is one secret
            if work.left > 0:
                found, is_whole = self.block_spans(data, (start, end), marks, work)
                spans += found
                done = max(done, spans[-1][1]) if spans else done
            else:
                is_whole = False
            if not is_whole:
                dense.append((start, end))
            if pause is not None:
                pause()
        if is_first:
            spans += self.dense_spans(data, dense, marks, pause)
        return merge_spans(spans)

    def block_spans(
        self, data: bytes, block: "Place", marks: "Sequence[Place]", work: "Work"
    ) -> "tuple[list[Span], bool]":
        """What all rules find in the block, and whether there was work enough to run them."""
        spans: list[Span] = []
        for group, windows in self.windows(data, *block, work).items():
            for number in self.index.numbers_of[group]:
                spans += self.look(number, data, windows, marks, work)
                if work.is_over:
                    return spans, False
        return spans, True

    def marks_in(self, data: bytes) -> "list[Place]":
        """Where marks of an earlier run stand."""
        marks = []
        at = data.find(MARK_START)
        while at >= 0:
            end = data.find(b"]", at, at + MARK_BYTES_MAX) + 1
            if end > 0 and data[at:end] in self.index.marks:
                marks.append((at, end))
            at = data.find(MARK_START, at + 1)
        return marks

    def windows(self, data: bytes, begin: int, stop: int, work: "Work") -> "Windows":
        """Where the rules of each group are to look: around the first to the last keyword of each chunk."""
        windows: Windows = {}
        for start in range(begin, stop, CHUNK_BYTES):
            chunk = data[start : min(start + CHUNK_BYTES, stop) + KEYWORD_BYTES_MAX].lower()
            hits = self.keywords_in(chunk)
            for hit in hits:
                keyword = self.keywords[hit]
                first = max(0, start + chunk.find(keyword) - BEFORE_BYTES)
                last = min(len(data), start + chunk.rfind(keyword) + len(keyword) + AFTER_BYTES)
                for group in self.index.groups_of[hit]:
                    windows.setdefault(group, []).append((first, last))
            work.pay(KEYWORD_UNITS * len(hits))
        return {
            group: kept
            for group, found in windows.items()
            if (kept := [window for window in join(found) if self.may_match(group, data, window)])
        }

    def look(
        self, number: int, data: bytes, windows: "Sequence[Place]", marks: "Sequence[Place]", work: "Work"
    ) -> "Iterator[Span]":
        rule = self.ready[number]
        if rule.is_told:
            return self.find_in_sentences(number, data, windows, marks, work)
        if rule.near is not None:
            return self.look_near(number, data, windows, marks, work)
        return iter(()) if rule.is_long else self.run(number, data, windows, marks, work)

    def run(
        self, number: int, data: bytes, windows: "Sequence[Place]", marks: "Sequence[Place]", work: "Work"
    ) -> "Iterator[Span]":
        rule = self.ready[number]
        pattern = rule.pattern()
        pos = 0
        for window_start, limit in windows:
            pos = max(pos, window_start)
            work.pay(SEARCH_UNITS + (limit - pos) / 256)
            while pos < limit and not work.is_over:
                match = pattern.search(data, pos, limit)
                if match is None:
                    break
                begin, cut = match.span()
                if cut == limit < len(data):  # cut off by the window: the rest belongs to it
                    match = pattern.match(data, begin, min(len(data), begin + WHOLE_BYTES_MAX))
                    if match is None:
                        pos = begin + 1
                        continue
                    work.pay((match.end() - begin) / MATCH_BYTES)
                start, end = match.span(rule.group)
                work.pay(JUDGE_UNITS + (match.end() - begin) / MATCH_BYTES)
                pos = max(end, begin + 1)
                if start < 0 or overlaps(marks, begin, match.end()):
                    continue
                span = self.judged(rule, data, start, end, work)
                if span is None:
                    # a refused value may itself be the cue of the next one ("token: password: …")
                    pos = max(begin + 1, start)
                    continue
                if match.end() - begin >= WHOLE_BYTES_MAX and span[1] > match.end() - 4:
                    span = (span[0], end_of_value(data, span[1]))
                    pos = max(pos, span[1])
                yield (*whole_characters(data, *span), number)

    def long_spans(self, data: bytes, marks: "Sequence[Place]", work: "Work") -> "Iterator[Span]":
        """What may go on for any length before it is complete: key blocks. Each stretch is read once."""
        for number in self.index.long_numbers:
            rule = self.ready[number]
            pos = refused = 0
            for at in places_of(data, self.index.groups[rule.keywords]):
                if at < pos:
                    continue
                match = rule.pattern().search(data, max(pos, at - BEFORE_BYTES))
                if match is None or refused >= LONG_REFUSED_MAX:
                    break
                pos = match.end()
                start, end = match.span(rule.group)
                span = (
                    None if start < 0 or overlaps(marks, *match.span()) else self.judged(rule, data, start, end, work)
                )
                if span is not None:
                    yield (*whole_characters(data, *span), number)
                else:
                    refused += 1

    def look_near(
        self, number: int, data: bytes, windows: "Sequence[Place]", marks: "Sequence[Place]", work: "Work"
    ) -> "Iterator[Span]":
        rule = self.ready[number]
        near = rule.near
        if near is None:
            return
        from .nearby_values import values_in

        sign, rest = self.get_helpers().sign(), self.get_helpers().rest()
        for window in windows:
            for place in values_in(
                data, window, marks, sign, rest, work
            ):  # few look like a secret, many words name one
                work.pay(JUDGE_UNITS)
                if work.is_over:
                    return
                span = self.judged(rule, data, *place, work)
                if span is not None and near.applies_to(place, data, marks, work):
                    yield (*whole_characters(data, *span), number)

    def find_in_sentences(
        self, number: int, data: bytes, windows: "Sequence[Place]", marks: "Sequence[Place]", work: "Work"
    ) -> "Iterator[Span]":
        """Secrets that a sentence states."""
        lexicon = self.get_lexicon()
        if lexicon is None:
            return
        from . import paired_secrets, plain_word_secrets, sentence_secrets  # few texts have words for it
        from .line_words import sentence_lines

        rule = self.ready[number]

        judge = self.get_judge()

        def judged(start: int, end: int) -> bool:
            work.pay((end - start) ** 2 / JUDGED_SQUARE)
            return judge.is_secret(rule.check, data, start, end)

        lines = sentence_lines(data, windows, lexicon, judged, work)
        for start, end in sentence_secrets.find_stated_secrets(
            lines, work, plain_word_secrets.plain_word_values, paired_secrets.login_values, paired_secrets.paired_values
        ):
            if not overlaps(marks, start, end):
                yield (*whole_characters(data, start, end), number)

    def dense_spans(
        self,
        data: bytes,
        places: "Sequence[Place]",
        marks: "Sequence[Place]",
        pause: "Callable[[], object] | None",
    ) -> "Iterator[Span]":
        """The coarse reading of the blocks for which there was no more work to spend."""
        if not places:
            return
        from .dense_text_secrets import dense_values

        patterns, lexicon = [pattern() for pattern in self.get_helpers().dense], self.get_lexicon()
        plain = self.get_judge().plain_words
        for place in places:
            start, end = whole_words(data, place)
            for first, last in dense_values(data, (start, end), marks, patterns, plain, lexicon):
                yield (*whole_characters(data, first, last), self.index.dense_number)
            if pause is not None:
                pause()

    def judged(self, rule: Rule, data: bytes, start: int, end: int, work: "Work") -> "Place | None":
        """The span without what only closes the sentence; None when it is no secret."""
        work.pay(min(end - start, JUDGED_BYTES) ** 2 / JUDGED_SQUARE)
        judge = self.get_judge()
        start, end = judge.trim(rule.check, data, start, end)
        if end <= start or not judge.is_secret(rule.check, data, start, end):
            return None
        if rule.min_entropy > 0:
            from .value_checks import entropy_bits

            if entropy_bits(data[start : min(end, start + WINDOW_BYTES_MAX)]) < rule.min_entropy:
                return None
        return start, end


def overlaps(places: "Sequence[Place]", start: int, end: int) -> bool:
    """Whether one of the sorted, separate places has a byte in common with start to end.

    >>> overlaps([(0, 4), (8, 9)], 4, 8), overlaps([(0, 4), (8, 9)], 3, 5)
    (False, True)
    """
    if not places:
        return False
    from _bisect import bisect_left  # most texts hold no mark

    at = bisect_left(places, (end,))
    return at > 0 and places[at - 1][1] > start


def places_of(data: bytes, keywords: "Sequence[bytes]") -> "list[int]":
    """Where the keywords stand, in whatever case, sorted."""
    lowered = data.lower()
    places = []
    for keyword in keywords:
        at = lowered.find(keyword)
        while at >= 0:
            places.append(at)
            at = lowered.find(keyword, at + 1)
    return sorted(places)


def blocks_of(regions: "Sequence[Place]") -> "Iterator[Place]":
    for first, last in regions:
        for start in range(first, last, BLOCK_BYTES):
            yield start, min(start + BLOCK_BYTES, last)


def join(windows: "list[Place]") -> "list[Place]":
    """Sorted windows; overlapping ones joined up to a size that keeps a refused match cheap."""
    windows.sort()
    joined: list[Place] = []
    for start, end in windows:
        if joined and start <= joined[-1][1] and end - joined[-1][0] <= WINDOW_BYTES_MAX:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def merge_spans(spans: "Sequence[Span]") -> "list[Span]":
    """Sorted spans; overlapping ones become one, named by the rule that stands first in the file.

    >>> merge_spans([(5, 9, 2), (0, 6, 7)])
    [(0, 9, 2)]
    """
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: span[:2]):
        if merged and span[0] < merged[-1][1]:
            last = merged[-1]
            merged[-1] = (last[0], max(last[1], span[1]), min(last[2], span[2]))
        else:
            merged.append(span)
    return merged


def to_original(spans: "Sequence[Span]", found: "Sequence[Span]", rules: "Sequence[Rule]") -> "Iterator[Span]":
    """The spans in the original text; they are in the text in which `found` are already marks."""
    shift = 0
    earlier = iter(found)
    mark = next(earlier, None)
    for start, end, number in spans:
        while mark is not None and mark[0] + shift < start:
            shift += len(rules[mark[2]].mark) - (mark[1] - mark[0])
            mark = next(earlier, None)
        yield start - shift, end - shift, number


def with_marks(original: bytes, found: "Sequence[Span]", rules: "Sequence[Rule]") -> "tuple[bytes, list[Place]]":
    """The text with marks, and the regions around them, joined where they overlap."""
    parts: list[bytes] = []
    regions: list[Place] = []
    at = shift = 0
    for begin, end, number in found:
        mark = rules[number].mark
        parts += (original[at:begin], mark)
        start = begin + shift
        shift += len(mark) - (end - begin)
        at = end
        if regions and start - NEAR_BYTES <= regions[-1][1]:
            regions[-1] = (regions[-1][0], at + shift + NEAR_BYTES)
        else:
            regions.append((max(0, start - NEAR_BYTES), at + shift + NEAR_BYTES))
    parts.append(original[at:])
    return b"".join(parts), [(start, min(end, len(original) + shift)) for start, end in regions]


def whole_characters(data: bytes, start: int, end: int) -> "Place":
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return start, end


def whole_words(data: bytes, place: "Place") -> "Place":
    """The place with the words that its ends would cut."""
    start, end = place
    first, last = max(0, start - MARK_BYTES_MAX), min(len(data), end + WHOLE_BYTES_MAX)
    while start > first and data[start - 1] in GOES_ON:
        start -= 1
    while end < last and data[end] in GOES_ON:
        end += 1
    return start, end


def end_of_value(data: bytes, end: int) -> int:
    """Where a value ends that is longer than a match is followed."""
    while end < len(data):
        part = data[end : end + WHOLE_BYTES_MAX]
        rest = part.lstrip(GOES_ON_BYTES)
        end += len(part) - len(rest)
        if rest:
            break
    return end
