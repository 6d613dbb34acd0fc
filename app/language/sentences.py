"""A message cut into the sentences that the person typed, with what is code, log output or quotation left out.

Offsets are code points of the original text. Reads the beginning of a long message only. Knows nothing of meaning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_READ_CHARS = 20_000
MAX_SENTENCE_CHARS = 600

_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")
_QUOTED_LINE = re.compile(r"^\s{0,3}>|^\s*[\"“][^\"”]{40,}[\"”][.,]?\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.):])\s+(?:\[[ xX]\]\s+)?")
_NOT_PROSE = re.compile(
    r"^\s*(?:#{1,6}\s|\||\$\s|%\s|>>>|\.\.\.|at \S+\s?\(|--?[a-z][\w-]*\s{2,}|File \"|Traceback|[⏺⎿✓✗✘⚠❯└├│▶●◦→]|"
    r"\[?\d{1,4}[-/:]\d\d[-/:]\d\d|\[[^\]]{3,60}\]|[{}\[\]<]|from [\w.]+ import |import [\w.]+(?: as \w+)?;?\s*$|import [{*\"']|"
    r"(?:const|let|var|def|class|function|return|export|public|private|package|func|fn|async) .*(?:[;({]|\):)\s*$|"
    r"(?:[A-Z]\w*(?:Error|Exception|Warning))\b|(?i:error|warn(?:ing)?|info|debug|fatal|panic|notice|ERR!?)\s?[:\[!]|npm (?:WARN|ERR|notice|error|warn)\b|npm\s?[:\[!]|[+-]{3}\s|@@|diff --git|\S+:\d+:\d+)"
)
_PRINTED = re.compile(r"^\s*[^\w\s\"'“”‘’`()*+•@/~.#$<>|&!?:;,=…–—-]|\.{4,}\s*$|^\s*(?:\d\d:){2}\d\d\b")
_SHELL = re.compile(r"^\s*(?:\[?\d\d/\d\d/\d\d |❯ |➜ |>>> |[\w.-]+@[\w.-]+[: ]\S* ?[$#%] |~/\S* ?[$%#❯] )")
_INDENTED = re.compile(r"^(?:\s{2,}|\t)\S")
SENTENCE_END = re.compile(  # of plain text: white space after a full stop, or a line's end; "..." and "e.g." end none
    r"(?<=[.!?])(?<!\.\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\beg\.)(?<!\bie\.)(?<!\bvs\.)[\"'”)]?\s+|\n+"
)
_BREAK = re.compile(r"(?:[.!?…]+[\"'”’)\]]*|;)(?=\s|$)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|eg|ie|vs|etc|approx|resp|incl|excl|no|dep|diff|fig|mr|mrs|dr|prof|st|min|max|a\.k\.a)|^\s*\d{1,2})\.$",
    re.IGNORECASE,
)
_PASTE = re.compile(
    r"^(?:implement|execute|follow|review|here is|here's|this is)[^\n]{0,60}\b(?:plan|spec|doc|document|prompt|task|output|log|feedback)\b[^\n]{0,40}:?\s*$"
    r"|^(?:here'?s |here is |got |an?other |an? |the |from |this |one )*(?:code )?review(?:er)?(?:'s)? (?:comment|feedback|finding|note|said|says|wrote)s?\b[^\n]{0,60}:"
    r"|^(?:got |here'?s |here is )?(?:this|these|an?|the|an?other|some) (?:comment|feedback|finding|note|remark)s? (?:from|by|of) [^\n]{2,60}[:?]\s*$"
    r"|^(?:an?other |the |my |our )?(?:agent|reviewer|bot|model|copilot|codex|gemini|claude)\b[^\n]{0,30}\b(?:reviewed|said|says|wrote|found|commented|suggested)\b[^\n]{0,60}:\s*$"
    r"|^(?:ok,? |let's |please |now )*(?:address|fix|handle|resolve|look at|consider)\b[^\n]{0,24}\s\d{1,2}\. ",
    re.IGNORECASE,
)
_BULLETS = frozenset({"-", "*", "+", "•"})
_NO_LETTER = re.compile(r"(?:[^\w ]|[\d_])+")
_MIN_JOIN_CHARS = 60
_MIN_LETTER_SHARE = 0.55


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str  # as it is in the original
    start: int
    end: int
    is_quoted: bool = False  # pasted or quoted: somebody else's words


def cut_sentences(text: str) -> list[str]:
    """The sentences and lines of plain text, as they are; empty ones too. What is code or pasted is not told apart.

    >>> cut_sentences("Use tabs, e.g. in Make. Why?\\nok")
    ['Use tabs, e.g. in Make.', 'Why?', 'ok']
    """
    return SENTENCE_END.split(text)


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a message in order.

    >>> [one.text for one in split_sentences("Use tabs. Why?\\n```\\ncode\\n```\\nok")]
    ['Use tabs.', 'Why?', 'ok']
    """
    found: list[Sentence] = []
    for start, end, is_quoted in _paragraphs(text[:MAX_READ_CHARS]):
        found.extend(_cut(text, start, end, is_quoted))
    return found


def is_listed(text: str, start: int) -> bool:
    """Whether the sentence at `start` is an item of a list: in a longer message part of what the line above it orders."""
    return text[text.rfind("\n", 0, start) + 1 : start].strip() in _BULLETS


def _paragraphs(text: str) -> Iterator[tuple[int, int, bool]]:
    """Runs of prose lines that belong together: [start, end) and whether they are quoted."""
    is_fenced = is_pasted = is_printed = is_shell = False
    open_start = open_end = -1
    position = 0
    for line in text.split("\n"):
        start, position = position, position + len(line) + 1
        if _FENCE.match(line):
            is_fenced = not is_fenced
        is_typed = not (is_printed and _INDENTED.match(line)) and not (is_shell and line.strip())
        is_prose = not is_fenced and _is_prose(line) and is_typed
        is_shell = bool(line.strip()) and (is_shell or _SHELL.match(line) is not None)
        is_printed = not is_prose and not is_fenced if line.strip() else is_printed
        is_pasted = is_pasted or _PASTE.match(line) is not None or (line.startswith(("# ", "## ")) and not is_fenced)
        item = _ITEM.match(line)
        joins = open_end >= 0 and is_prose and item is None and line[:1].islower() and text[open_end - 1] not in ".!?:;"
        if joins and open_end - open_start >= _MIN_JOIN_CHARS:
            open_end = start + len(line)
            continue
        if open_end >= 0:
            yield open_start, open_end, is_pasted
            open_end = -1
        if is_prose and _QUOTED_LINE.match(line):
            yield start + len(line) - len(line.lstrip(" >")), start + len(line), True
        elif is_prose:
            open_start, open_end = start + (item.end() if item else 0), start + len(line)
    if open_end >= 0:
        yield open_start, open_end, is_pasted


def _is_prose(line: str) -> bool:
    if not line.strip() or _FENCE.match(line) or _NOT_PROSE.match(line) or _PRINTED.search(line) or _SHELL.match(line):
        return False
    head = line[:300]
    return len(_NO_LETTER.sub("", head)) >= _MIN_LETTER_SHARE * len(head)


def _cut(text: str, start: int, end: int, is_quoted: bool) -> Iterator[Sentence]:
    begin = start
    for found in _BREAK.finditer(text, start, end):
        if found[0] == "." and _ABBREVIATED.search(text, max(begin, found.end() - 12), found.end()):
            continue
        yield from _trimmed(text, begin, found.end(), is_quoted)
        begin = found.end()
    yield from _trimmed(text, begin, end, is_quoted)


def _trimmed(text: str, start: int, end: int, is_quoted: bool) -> Iterator[Sentence]:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip(" \t*_"))
    stop = end - (len(piece) - len(piece.rstrip()))
    if begin < stop:
        stop = min(stop, begin + MAX_SENTENCE_CHARS)
        yield Sentence(text[begin:stop], begin, stop, is_quoted)
