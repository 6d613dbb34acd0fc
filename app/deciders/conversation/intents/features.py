"""Turns a message into normalised clauses, shape marks and hashed features for the intent model.

Takes out what was pasted (logs, tracebacks, code, quotes) so that the person's own words decide, and puts placeholders for names of
files, symbols, links and numbers. Of a long message only the first and last part are read. Hashing is crc32, the same on every
machine; changing anything here means raising FEATURE_VERSION.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from zlib import crc32

from app.language.lexicon import Lexicon, Tag
from app.language.tagging import Tagger
from app.language.tokens import split_tokens
from app.values import Intent

_MAX_CLASSES = 5
_MAX_WORDS = 12
_NAME = "a_name"  # what the tagger takes for a name of code
_NAMED_WORDS = frozenset(
    f"<{name}>" for name in ("file", "doc", "test", "log", "url", "sym", "quote", "cmd", "flag", "num")
)
_SPEAKERS = {
    **dict.fromkeys(("i", "we", "i'm", "we're", "i've", "we've"), "i"),
    **dict.fromkeys(("you", "you're", "you've"), "u"),
}
_LETTERS = {
    **dict.fromkeys((Tag.DET, Tag.ADJ, Tag.NUM, Tag.NOUN, Tag.NAME, Tag.TECH, Tag.POSS), "n"),
    Tag.PRON: "o",
    Tag.VERB: "v",
    Tag.GERUND: "g",
    Tag.PARTICIPLE: "e",
    Tag.AUX: "a",
    Tag.TO: "t",
    Tag.PREP: "p",
    Tag.SUB: "s",
    Tag.WH: "w",
}


@lru_cache(maxsize=1_024)
def outline_clause(clause: tuple[str, ...]) -> str:
    """The first word classes of a clause of lower-case words and place-holders; a noun phrase is one letter.

    >>> outline_clause(("move", "the", "old", "cards", "to", "<file>")), outline_clause(("the", "cards", "overlap", "it"))
    ('vnpn', 'nvo')
    """
    tokens = split_tokens(" ".join(_NAME if word in _NAMED_WORDS else word for word in clause[:_MAX_WORDS]))
    lexicon, found = Lexicon.shipped(), ""
    for token, tag in zip(tokens, _tagger().tags(tokens), strict=True):
        letter = _SPEAKERS.get(token.lower) or _LETTERS.get(tag, "")
        if letter == "v" and lexicon.verbs.get(token.lower, token.lower) != token.lower:
            letter = "e" if token.lower in lexicon.participles else "z"  # "moved", "moves": no order
        if letter and not (letter == "n" and found.endswith("n")):
            found += letter
        if len(found) == _MAX_CLASSES:
            break
    return found


@cache
def _tagger() -> Tagger:
    return Tagger(Lexicon.shipped())


FEATURE_VERSION = 4
BUCKET_COUNT = 1 << 18
HEAD_CHARS = 1400
TAIL_CHARS = 500
MAX_TOKENS = 60  # of each end of the message
MAX_CLAUSES = 12
SHORT_WORDS = 9  # only shorter messages lean on what went before

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_IMAGE = re.compile(r"\[image[^\]\n]{0,40}\]", re.IGNORECASE)
_ERROR_LINE = re.compile(  # what `authorship` leaves of others' words, and the one line that is all that was sent
    r"\W{0,6}(?:(?:fatal|panic|npm err!|[\w.]*(?:Error|Exception)|Traceback)\b[^:\n]{0,40}:|error\b[^\n]{0,20}:|FAILED\b|make(?:\[\d+\])?: \*\*\*"
    r"|\S+:\d+(?::\d+)?: (?:fatal )?error|(?:bash|zsh|sh): .{0,80}not found|\S{1,60}: command not found)",
    re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"\s*>\s")
_LIST_LINE = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+\S")
_QUOTE = re.compile(r"\"([^\"\n]*)\"|“([^”\n]*)”")
_LONG_QUOTE_CHARS = 12  # shorter ones are names
_BACKTICKS = re.compile(r"`[^`\n]{1,200}`")
_CHUNK = re.compile(r"([(\[{<\"'“]*)(.*?)([.,;:!?)\]}>\"'”…]*)", re.DOTALL)
_TEST_FILE = re.compile(r"(?:.*/)?(?:test_\w+\.|\w+_test\.|\w+\.(?:test|spec)\.|(?:.*/)?tests?/).*")
_DOC_FILE = re.compile(
    r".*(?:readme|changelog|contributing|openapi|swagger|\bdocs?/).*\.(?:md|rst|txt|adoc|ya?ml)|[a-z_-]+\.(?:md|rst|adoc)",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"@[\w./~*-]+|(?:~|\.{0,2})?(?:[\w.@*-]*/)+[\w.*@-]*|\.[a-z][\w-]+|[\w*-]*\.(?:[a-z]{1,4}\d?|json|yaml|toml|lock|swift|razor)"
)
_HOLDERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"https?://.*"), "<url>"),
    (re.compile(r"--?[a-zA-Z][\w-]*(?:=.*)?"), "<flag>"),
    (re.compile(r"/[a-z][\w-]*"), "<cmd>"),
    (re.compile(r"[\w.]+\(.*\)?"), "<sym>"),
    (re.compile(r"[#$~]?\d[\w.,:%/-]*"), "<num>"),
    (re.compile(r"\w+_\w+|[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}|\w+(?:\.\w+)+"), "<sym>"),
)
_DOUBLED = re.compile(r"(.)\1+")
_LONG_DRAWN = {
    "hm": "hmm",
    "um": "um",
    "uh": "uh",
    "mk": "ok",
    "ok": "ok",
    "k": "ok",
    "ah": "ah",
    "no": "no",
    "yes": "yes",
}
_SPLIT_WORDS = {
    "-": (" - ",),
    "–": (" - ",),
    "w/": ("w",),
    "vs.": ("vs",),
    "e.g.": ("eg",),
    "i.e.": ("ie",),
    "etc.": ("etc",),
    "<sym>": ("<sym>",),
    "<quote>": ("<quote>",),
}
_NAMES = frozenset({"<file>", "<doc>", "<test>", "<log>", "<url>", "<sym>", "<quote>"})
_TOKEN = re.compile(r"<[a-z]+>|[^\W_]+(?:'[^\W_]+)*|\?|!|\.{2,}|[.,;:]|—")
_LONGEST_CHUNK = 120
_ENDS = frozenset({".", "!", "?", ";", "\n", ":", "—", " - "})


@dataclass(frozen=True, slots=True)
class MessageShape:
    """A message ready for rules and model. `clauses` hold lower-case tokens; a question keeps its `?` as last token."""

    clauses: tuple[tuple[str, ...], ...]
    marks: frozenset[str]  # error, code, pasted, image, list, quote, question, exclaim, empty, bare, shout
    word_count: int


def shape_message(text: str) -> MessageShape:
    """The clauses of the person's own words and the marks of what surrounds them.

    >>> shape_message("Add a chart, then run the tests?").clauses
    (('add', 'a', 'chart'), ('then', 'run', 'the', 'tests', '?'))
    """
    own, marks = _take_out_pasted(_bounded(text))
    letters = [character for character in own if character.isalpha()]
    if len(letters) > 7 and sum(map(str.isupper, letters)) > 0.7 * len(letters):
        marks.add("shout")
        own = own.lower()
    tokens = _tokens(own)
    clauses = tuple(_clauses(tokens))[:MAX_CLAUSES] if tokens else ()
    word_count = sum(1 for token in tokens if token[0].isalnum() or token[0] == "<")
    if word_count == 0:
        marks.add("empty")
    if all(word in _NAMES or (not word[0].isalnum() and word[0] != "<") for word in tokens):
        marks.add("bare")
    if "?" in tokens:
        marks.add("question")
    if "!" in tokens:
        marks.add("exclaim")
    return MessageShape(clauses, frozenset(marks), word_count)


def feature_names(shape: MessageShape, previous: Sequence[Intent] = ()) -> Iterator[str]:
    """The features of a message by name; `hash_feature` makes them buckets."""
    clauses = shape.clauses
    words = [token for clause in clauses for token in clause]
    if len(words) > 2 * MAX_TOKENS:
        words = words[:MAX_TOKENS] + words[-MAX_TOKENS:]
    yield from _word_features(words)
    for index, clause in enumerate(clauses):
        yield from _clause_features(clause, index, is_last=index == len(clauses) - 1)
    yield from _shape_features(shape, previous, words)


def hash_feature(name: str) -> int:
    """The bucket of a feature, equal everywhere."""
    return crc32(name.encode("utf-8", "replace")) % BUCKET_COUNT


def _bounded(text: str) -> str:
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return f"{text[:HEAD_CHARS]}\n{text[-TAIL_CHARS:]}"


def _take_out_pasted(text: str) -> tuple[str, set[str]]:
    marks: set[str] = set()
    if "```" in text:
        marks.add("code")
        text = _FENCE.sub("\n", text)
    if "[" in text and _IMAGE.search(text):
        marks.add("image")
        text = _IMAGE.sub(" ", text)
    kept: list[str] = []
    for line in text.split("\n"):
        mark = _line_mark(line, has_more="\n" in text)
        if mark in {"error", "pasted"}:
            marks.add(mark)
            continue
        if mark:
            marks.add(mark)
        kept.append(line)
    own = "\n".join(kept)
    if '"' in own or "“" in own:
        shorter = _QUOTE.sub(_name_quote, own)
        if shorter != own:
            marks.add("quote")
        own = shorter
    return own, marks


def _name_quote(match: re.Match[str]) -> str:
    return match[0] if len(match[1] or match[2] or "") < _LONG_QUOTE_CHARS else " <quote> "


def _line_mark(line: str, *, has_more: bool) -> str:
    if _ERROR_LINE.match(line):
        return "error"
    if has_more and _QUOTED_LINE.match(line):
        return "pasted"
    return "list" if has_more and _LIST_LINE.match(line) else ""


def _tokens(own: str) -> list[str]:
    own = own.replace("’", "'").replace("can`t", "can't").replace("`s ", "'s ")
    if "`" in own:
        own = _BACKTICKS.sub(" <sym> ", own)
    found: list[str] = []
    for line in own.split("\n"):
        for chunk in line.split():
            if len(chunk) > 4 and chunk.islower() and chunk.isalpha():
                found.append(chunk)
            else:
                found.extend(_chunk_tokens(chunk) if len(chunk) <= _LONGEST_CHUNK else ("<sym>",))
        found.append("\n")
    return found


@lru_cache(maxsize=2_048)
def _chunk_tokens(chunk: str) -> tuple[str, ...]:
    """The tokens of what stands between two spaces: words, place-holders, punctuation."""
    if chunk in _SPLIT_WORDS:
        return _SPLIT_WORDS[chunk]
    match = _CHUNK.fullmatch(chunk)
    core, tail = (match[2], match[3]) if match is not None else (chunk, "")
    if "(" in core and ")" in tail:
        core, tail = core + ")", tail.replace(")", "", 1)
    holder = _holder(core) if core else ""
    words = (holder,) if holder else _TOKEN.findall(_LONG_DRAWN.get(_DOUBLED.sub(r"\1", core.lower()), core.lower()))
    return (*words, *_TOKEN.findall(tail.replace("…", "...")))


def _holder(core: str) -> str:
    if core.isalpha() and (core.islower() or core.istitle() or core.isupper()):
        return ""
    for pattern, holder in _HOLDERS[:3]:
        if pattern.fullmatch(core):
            return holder
    if _FILE.fullmatch(core):
        if core.endswith(".log"):
            return "<log>"
        if _TEST_FILE.fullmatch(core):
            return "<test>"
        return "<doc>" if _DOC_FILE.fullmatch(core) else "<file>"
    return next((holder for pattern, holder in _HOLDERS[3:] if pattern.fullmatch(core)), "")


def _clauses(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    clause: list[str] = []
    for index, word in enumerate(tokens):
        if word in _ENDS or word[0] in ".,":
            if clause:
                yield (*clause, "?") if word == "?" else tuple(clause)
            clause = []
            continue
        if word in {"and", "but", "then"} and len(clause) > 1 and _starts_order(tokens[index + 1 : index + 3]):
            yield tuple(clause)
            clause = []
        clause.append(word)
    if clause:
        yield tuple(clause)


_AFTER_ORDER = frozenset({"it", "that", "them", "the", "a", "an", "this", "all", "tests", "if"})


def _starts_order(following: Sequence[str]) -> bool:
    """Whether "and" is followed by something that may be an order of its own: "and test it"."""
    return len(following) == 2 and following[1] in _AFTER_ORDER


def _word_features(words: Sequence[str]) -> Iterator[str]:
    for word in set(words):
        yield f"w {word}"
    for first, second in set(pairwise(words)):
        yield f"b {first} {second}"
    for word in set(words[:10]):
        if word[0].isalpha() and len(word) > 3:
            padded = f"^{word}$"
            for start in range(min(len(padded) - 3, 8)):
                yield f"g {padded[start : start + 4]}"


def _clause_features(clause: Sequence[str], index: int, *, is_last: bool) -> Iterator[str]:
    where = "s" if index == 0 else "c"
    first = clause[0]
    yield f"{where}0 {first}"
    if len(clause) > 1:
        yield f"{where}1 {first} {clause[1]}"
    if len(clause) > 2:
        yield f"{where}2 {first} {clause[1]} {clause[2]}"
    for token in clause[1:4]:
        yield f"{where}n {token}"
    if is_last and index:
        yield f"l0 {first}"
    outline = outline_clause(tuple(clause))
    for size in range(1, len(outline) + 1):
        yield f"{where}t {outline[:size]}"
    if clause[-1] == "?":
        yield f"q {first}"
        yield f"q{where}"


def _shape_features(shape: MessageShape, previous: Sequence[Intent], words: Sequence[str]) -> Iterator[str]:
    for mark in shape.marks:
        yield f"m {mark}"
        if shape.word_count < 8:
            yield f"ms {mark}"
    size = 0 if shape.word_count < 3 else 1 if shape.word_count < 7 else 2 if shape.word_count < 20 else 3
    yield f"n {size}"
    yield f"k {min(len(shape.clauses), 4)}"
    if words:
        yield f"e {words[-1]}"
    for intent in previous[:1] if shape.word_count < SHORT_WORDS else ():
        if size == 0:
            yield f"p {intent}"
        if words:
            yield f"p0 {intent} {words[0]}"
