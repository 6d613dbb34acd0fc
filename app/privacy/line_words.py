"""A line of text in words: where each stands, what is around it, and how little it looks like a word.

Owns the cutting and the shapes; `told` weighs what the words say. Their words are data (`told:` in
`resources/rules/privacy/secrets.yaml`). Shared with the hook. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Span = tuple[int, int]
    from .detector import Work

    Judged = Callable[[int, int], bool]  # may the bytes between be a value at all?

ASK_UNITS, CUT_UNITS_PER_BYTE = 5, 0.4
WORD = 0  # the shape of a plain word: only what is around it can tell
NEVER = -1
VALUE_BYTES_MAX = 256
LINE_BYTES_MAX = 4096  # a longer line is read in pieces
OPENING = b"\"'`(<[{*"
CLOSING = b".,;:?)]}>\"'`*"
QUOTES = frozenset(b"\"'`")
DIGITS = frozenset(b"0123456789")
NUMBER = frozenset(b"0123456789-*#")
CODE = (b"();", b"{", b"=>", b"</", b"::", b"==", b"&&", b"||", b"()", b"def ", b"const ", b"return ", b"import ")
SAME_LENGTH = (  # quotes and dashes of print, byte for byte as long
    (b"\xe2\x80\x9c", b'  "'),
    (b"\xe2\x80\x9d", b'"  '),
    (b"\xe2\x80\x9e", b'  "'),
    (b"\xe2\x80\x98", b"  '"),
    (b"\xe2\x80\x99", b"'  "),
    (b"\xc2\xab", b' "'),
    (b"\xc2\xbb", b'" '),
    (b"\xe2\x80\x93", b" - "),
    (b"\xe2\x80\x94", b" - "),
    (b"\xe2\x86\x92", b"-> "),
)
QUALITIES = (
    *(b"ed", b"ing", b"able", b"ible", b"ly", b"less", b"ful", b"ive", b"ous", b"ent", b"wise", b"lich", b"iert"),
    *(b"ado", b"ada", b"ido", b"ida"),
)
NO_VALUES = ("compound", "user_word", "phrase_head", "when_given")
NOUNS = (  # what words for things and doings end with; a password of one word seldom does
    *(b"tion", b"sion", b"ment", b"ness", b"ity", b"ance", b"ence", b"ship", b"ism", b"ure"),
    *(b"ung", b"heit", b"keit"),
)
LOWER, UPPER, DIGIT, JOINT, SIGN = b"aA9-!"


def kind_of_byte(at: int) -> int:
    if at in NUMBER and at >= 0x30:
        return DIGIT
    if 0x41 <= at <= 0x5A:
        return UPPER
    if 0x61 <= at <= 0x7A or at >= 0x80:
        return LOWER
    return JOINT if at in b"-_.'" else SIGN


KINDS = bytes(map(kind_of_byte, range(256)))
LETTERS = b"abcdefghijklmnopqrstuvwxyz" + bytes(range(0x80, 0x100))
SIGNS = b"0123456789!#$%^&*+=~@?-_"
SPACED = bytes(at if kind_of_byte(at) in b"aA9" or at in b"-_" else 0x20 for at in range(256)).replace(b".", b" ")
SECRET_NAMES = (
    b"password",
    b"passwd",
    b"passphrase",
    b"_pass",
    b"_pw",
    b"-pass",
    b"_key",
    b"_secret",
    b"_token",
    b"apikey",
    b"p/w",
    b"passwort",
    b"kennwort",
    b"wachtwoord",
)


def shape(value: bytes) -> int:
    """How little the value looks like a word or a name: 0 a word, 1 joined words, 2 a word and a number, 3 and 4 neither.

    >>> [shape(value) for value in (b"kiwi", b"tin-roof", b"banana6", b"tulip+Onion", b"Foo-12!")]
    [0, 1, 2, 3, 4]
    """
    mask = bytearray()
    for kind in value[:256].translate(KINDS):
        if not mask or mask[-1] != kind:
            mask.append(kind)
    has = frozenset(mask)
    if LOWER not in has and UPPER not in has:
        return NEVER
    is_signed = SIGN in has and (mask.index(SIGN) < len(mask) - 1 or DIGIT in has)
    if DIGIT in has:
        return 4 if is_signed else shape_of_digits(value, bytes(mask), has)
    if is_signed or (len(mask) * 2 > len(value) > 11 and UPPER in mask[1:]):  # a name has longer words
        return 3
    if mask[-1] == SIGN and UPPER in mask[1:]:
        return 2
    return 1 if len(mask.rstrip(b"!-")) > 2 or mask[:2] == b"a-" else WORD


def shape_of_digits(value: bytes, mask: bytes, has: frozenset[int]) -> int:
    if LOWER not in has:
        return 2 if len(mask) > 4 else 1
    if UPPER in has:
        return 2 if mask in {b"Aa9", b"A9a"} else 3
    if not value.strip(b"0123456789abcdef") or len(value) < 5:
        return 1
    return 3 if len(mask) > 4 and JOINT in has else 2


class Lexicon:
    """The words of `told:` by the names of their lists, and those that are never a password."""

    def __init__(self, lists: "Mapping[str, frozenset[bytes]]", plain: frozenset[bytes]) -> None:
        self.lists = lists
        self.plain = plain | lists["plain"]
        self.common = lists["common"]
        self.kinds = {
            word: kind
            for kind in ("password", "key", "number", "login", "unlock", "name", "wants", "asks", "place")
            for word in lists[kind]
        }
        self.stems = tuple(sorted(word for word in lists["password"] if word[0] >= 0xC0))  # they take endings
        self.alone = lists["password"] | lists["alone"]
        self.alone_signed = frozenset(word for word, kind in self.kinds.items() if kind not in {"key", "unlock"})
        self.alone_signed |= lists["key_alone"]
        self.together = self.both(
            ("key", "key_of_words"),
            ("key", "network"),
            ("phrase_head", "phrase_before"),
            ("phrase_head", "phrase_behind"),
            ("answer", "answer_beside"),
            ("asks", "asks_beside"),
            ("auth", "auth_before"),
            ("key", "key_before"),
            ("key", "closed"),
            ("opened", "with"),
            ("wants", "user_name"),
            ("asks", "reply"),
            ("unlock", "reply"),
            ("login_word", "reply"),
            ("joins", "as"),
            ("service", "user_name"),
        )
        self.together_signed = self.both(
            ("code_head", "code_beside"),
            ("code_head", "network"),
            ("unlock", "with"),
            ("unlock", "pointer"),
            ("service", "with"),
            ("login_head", "login_behind"),
            ("user", "for"),
        )
        self.listed = lists["login_colon"] | lists["user_name"] | lists["service"]
        self.paired = lists["login"] | self.listed

    def both(self, *names: "tuple[str, str]") -> "tuple[tuple[frozenset[bytes], frozenset[bytes]], ...]":
        return tuple((self.lists[head], self.lists[beside]) for head, beside in names)

    def is_spoken(self, text: bytes) -> bool:
        """Whether the line may tell a secret: asked of each line before it is cut into words.

        Most words for a secret tell only values with a digit or a sign.
        """
        lowered = text.lower()
        words = frozenset(lowered.translate(SPACED).split())
        if not self.alone.isdisjoint(words) or are_both_in(words, self.together):
            return True
        if any(name in lowered for name in SECRET_NAMES):
            return True
        if not text.isascii() and any(stem in lowered for stem in self.stems):
            return True
        if b":" in text and not self.listed.isdisjoint(words) and any(map(begins_word, text.split(b":")[1:])):
            return True
        if (b" / " in text or b"\xe2\x86\x92" in text or b"->" in text) and not self.paired.isdisjoint(words):
            return True
        if text.translate(None, SIGNS) == text:
            return False
        is_list = b":" in text and not self.lists["login_colon"].isdisjoint(words)
        return is_list or not self.alone_signed.isdisjoint(words) or are_both_in(words, self.together_signed)


def begins_word(part: bytes) -> bool:
    return part[:1].isalnum() or part[:1] >= b"\x80"


def are_both_in(words: frozenset[bytes], pairs: "tuple[tuple[frozenset[bytes], frozenset[bytes]], ...]") -> bool:
    return any(not (head.isdisjoint(words) or beside.isdisjoint(words)) for head, beside in pairs)


class Line:
    """One line in tokens: where each is, its lower-case word, and the marks before and behind it."""

    def __init__(self, text: bytes, span: "Span", lexicon: Lexicon, judged: "Judged") -> None:
        self.text, self.start, self.lexicon, self.judged = text, span[0], lexicon, judged
        self.spans: list[Span] = []
        self.words: list[bytes] = []
        self.leads: list[bytes] = []
        self.trails: list[bytes] = []
        self.shapes: dict[int, int] = {}
        self.is_whole = text[span[1] : span[1] + 1] in {b"", b"\n", b'"'}  # not cut off by the window
        line_text = text[span[0] : span[1]]
        for print_mark, plain in SAME_LENGTH:
            if print_mark in line_text:
                line_text = line_text.replace(print_mark, plain)
        self.is_code = any(sign in line_text for sign in CODE)
        at = 0
        for chunk in line_text.split():
            at = line_text.index(chunk, at)
            self.add(chunk, at + span[0])
            at += len(chunk)
        self.count = len(self.words)
        self.said = frozenset(self.words)

    def add(self, chunk: bytes, at: int) -> None:
        """Takes the chunk as one token, or as two where a name and its value stand together."""
        core = chunk.lstrip(OPENING)
        lead = chunk[: len(chunk) - len(core)]
        core = core.rstrip(CLOSING)
        trail = chunk[len(lead) + len(core) :]
        at += len(lead)
        if not core and self.trails and not trail.strip(b",.;:!?"):  # "banana , and", "mot de passe : banane"
            self.trails[-1] += trail
            return
        for sign in (b"=", b":", b"/"):
            name, found, value = core.partition(sign)
            if found and name and value and is_name(name) and value[:1] not in b"/=:>(\\" and len(core) < 300:
                self.put(name, at, lead, sign)
                inner = value.lstrip(OPENING)
                gap = len(value) - len(inner)
                self.put(inner.rstrip(CLOSING), at + len(name) + 1 + gap, value[:gap], trail)
                return
        self.put(core, at, lead, trail)

    def put(self, core: bytes, at: int, lead: bytes, trail: bytes) -> None:
        self.spans.append((at, at + len(core)))
        self.words.append(core.lower())
        self.leads.append(lead)
        self.trails.append(trail)

    def value(self, at: int) -> bytes:
        return self.text[self.spans[at][0] : self.spans[at][1]]

    def shape(self, at: int) -> int:
        """The shape of the token, `NEVER` where it is an address, a path, a version, a name in code or a word of talk."""
        if not 0 <= at < self.count:
            return NEVER
        if at not in self.shapes:
            value = self.value(at)
            is_one = (
                2 < len(value) <= VALUE_BYTES_MAX and self.judged(*self.spans[at]) and not self.is_sentence_word(at)
            )
            self.shapes[at] = shape(value) if is_one else NEVER
        return self.shapes[at]

    def is_joined(self, at: int) -> bool:
        """Whether the mark behind the token joins it with the next one: "name=…", "name:…"."""
        return at + 1 < self.count and self.spans[at][1] + 1 == self.spans[at + 1][0] and bool(self.trails[at])

    def is_sentence_word(self, at: int) -> bool:
        """Whether the word, or what joined words begin or end with, is one that sentences are made of."""
        word, plain = self.words[at].rstrip(b"!"), self.lexicon.plain
        if word in plain or self.is_quoted(at):
            return word in plain
        parts = word.replace(b"_", b"-").split(b"-")
        ends = (parts[0] in plain) + (parts[-1] in plain)
        is_free = len(parts) > 3 or (len(parts) > 2 and parts[1] not in plain)
        return len(parts) > 1 and ends > (is_free and DIGITS.isdisjoint(word))

    def is_quoted(self, at: int) -> bool:
        """Whether quotes are around this very word."""
        return self.leads[at][-1:] in {b"'", b'"', b"`"} and self.trails[at][:1] == self.leads[at][-1:]

    def is_number(self, at: int) -> bool:
        word = self.words[at]
        return bool(word) and NUMBER.issuperset(word) and word[0] not in b"-*#"

    def is_in(self, at: int, name: str) -> bool:
        return 0 <= at < self.count and self.words[at] in self.lexicon.lists[name]

    def is_strange(self, at: int) -> bool:
        """Whether the word is none of every day; no word is none."""
        if not 0 <= at < self.count:
            return False
        word, common, plain = self.words[at], self.lexicon.common, self.lexicon.plain
        if self.shape(at) == 1:
            parts = word.replace(b"_", b"-").replace(b".", b"-").split(b"-")
            return sum(part in common or part in plain for part in parts) * 2 < len(parts)
        word = word.rstrip(b"!?")
        is_known = word in common or word in plain or word.rstrip(b"s") in common
        return self.shape(at) > 0 or (self.shape(at) == 0 and not is_known)

    def may_be(self, at: int) -> bool:
        """Whether the token may be a secret, though it is a plain word."""
        if not 0 <= at < self.count or self.shape(at) < 0 or len(self.words[at]) < 4 or self.is_number(at):
            return False
        word = self.words[at]
        if word in self.lexicon.kinds or any(self.is_in(at, name) for name in NO_VALUES):
            return False
        return self.value(at)[:1].isupper() or not self.is_derived(at)

    def closes(self, at: int) -> bool:
        """Whether what is told ends behind the token."""
        behind = ("follow", "user_word", "polite", "given")
        return self.ends(at) or any(self.is_in(at + 1, name) for name in behind)

    def has(self, first: int, last: int, name: str) -> bool:
        """Whether a word of the list stands from first up to last."""
        return any(self.is_in(near, name) for near in range(max(0, first), last))

    def says(self, *names: str) -> bool:
        """Whether any word of each of the lists is in the line: asked before the tokens are gone through."""
        return not any(self.said.isdisjoint(self.lexicon.lists[name]) for name in names)

    def ends(self, at: int) -> bool:
        """Whether a clause ends behind the token."""
        return at + 1 >= self.count or any(mark in b".,;:!?)" for mark in self.trails[at]) or self.words[at + 1] == b"-"

    def stops(self, at: int) -> bool:
        """Whether the sentence ends behind the token."""
        return at + 1 >= self.count or any(mark in b".;?" for mark in self.trails[at])

    def is_quality(self, at: int) -> bool:
        """Whether the word says how something is: "stored", "server-generated"."""
        return self.words[at].rstrip(b"!").endswith(QUALITIES)

    def is_derived(self, at: int) -> bool:
        """Whether the word's ending makes it one for a thing, a doing or how something is."""
        return self.is_quality(at) or self.words[at].endswith(NOUNS)

    def is_run(self, first: int, last: int, *, is_phrase: bool) -> bool:
        """Whether the tokens can be a password of one word or a passphrase of several."""
        words = self.words[first : last + 1]
        words[-1] = words[-1].rstrip(b"!?$")  # a password of one word often ends so
        is_quality = self.is_quality(first) and not self.is_quoted(first)
        if self.is_sentence_word(first) or is_quality or not all(map(is_word, words)):
            return False
        if len(words) == 1:
            return len(words[0]) > 2 and self.shape(first) >= (words[0].translate(None, LETTERS) != b"")
        talk = sum(self.is_sentence_word(at) for at in range(first, last + 1))
        return talk * 2 <= len(words) and (is_phrase or len(words) < 7) and not self.is_in(first + 1, "teller")


def is_word(word: bytes) -> bool:
    return not word.translate(None, LETTERS + b"0123456789") or not word.translate(None, LETTERS + b"-_'")


def is_name(name: bytes) -> bool:
    return (
        name[0] not in b"0123456789-"
        and not name.translate(None, b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-")
        and len(name) <= 48
    ) or name[0] >= 0x80


def lines_of(text: bytes, first: int, last: int) -> "Iterator[Span]":
    """The lines of the window in whole words; a string of a JSON object is a line, too."""
    while 0 < first < last and not text[first - 1 : first].isspace():
        first += 1
    reach = min(len(text), last + VALUE_BYTES_MAX)
    while last < reach and not text[last : last + 1].isspace():
        last += 1
    at = first
    for part in (
        text[first:last]
        .replace(b'": "', b"\n\n\n\n")
        .replace(b'":"', b"\n\n\n")
        .replace(b'","', b"\n\n\n")
        .split(b"\n")
    ):
        for start in range(0, len(part), LINE_BYTES_MAX):
            yield at + start, at + min(start + LINE_BYTES_MAX, len(part))
        at += len(part) + 1


def sentence_lines(
    text: bytes, windows: "Iterable[Span]", lexicon: Lexicon, judged: "Judged", work: "Work"
) -> "Iterator[Line]":
    """The lines within the windows that may hold a word for a secret, as long as there is work to spend."""
    for first, last in windows:
        for span in lines_of(text, first, last):
            work.pay(ASK_UNITS)
            if work.is_over:
                return
            if lexicon.is_spoken(text[span[0] : span[1]]):
                work.pay((span[1] - span[0]) * CUT_UNITS_PER_BYTE)
                yield Line(text, span, lexicon, judged)
