"""Whose words a message is made of: stretches that the person typed, and stretches of others, each with its reason.

What others wrote is known by its form: Claude's mark of a paste, a fence, quoted lines, a head of a mail, names before turns,
times, what programs print, code, the headings of a decision record. What is somebody else's teaches nothing, whoever reads the
message. Where the form leaves it open between the two, it is theirs: what is lost can be said again. Knows the text alone.
Source: issue 15 "Nobody else's words", INTEROP "Seen in the real clients". Rules: `rules/conversation/authorship.yaml`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from app.resources import load_rules

MAX_TYPED_CHARS = 30_000  # nobody types more in one go; the readers stop before
_REMEMBERED = 64

_MARK = re.compile(r"<\s{0,3}(/?)\s{0,3}pasted[_ -]?content\b([^<>\n]{0,200})(>|$)", re.IGNORECASE | re.MULTILINE)
_MARK_ID = re.compile(r"id\s*=\s*[\"'“”]?\s*([0-9a-z-]{1,40})", re.IGNORECASE)
_BLOCK = re.compile(
    r"<(document|documents|file|attachment|e?mail|transcript|logs?|output|error|code|snippet|diff|patch|quote|ticket|issue|page|article"
    r"|source|paste|pasted|clipboard|selection|conversation|chat|thread|messages?|response|answer|review|comments?|stdout|stderr)"
    r"\b[^<>\n]{0,200}>(?=\s*\n|[^\n]{0,400}</\1>)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,}|\"{3}(?!.*\"{3})|'{3}(?!.*'{3}))")
_FENCED_INSIDE = re.compile(r"```[^`\n]{1,2000}```")
_QUOTED = re.compile(r"\s{0,6}>")
_IN_MARKS = re.compile(r"\s*[\"“„«][^\"”“»]{40,}[\"”“»][.,]?\s*$")
_SPOKEN_QUOTE = re.compile(
    r"\b(?:(?!i\b|we\b|you\b)\w+) (?:said|says|wrote|writes|told \w+|tells \w+|replied|answered|insists|claims|suggested|suggests)[,:]? ?"
    r"(?P<quote>[\"“][^\"”\n]{8,400}[\"”])|:\s(?P<below>[\"“](?=[^\"”\n]{20})(?:[^\s\"”]+ ){3}[^\"”\n]{0,400}[\"”])",
    re.IGNORECASE,
)
_LOGGED = re.compile(
    r"(?<=\S )\[(?:debug|info|error|warn|warning|notice|trace|fatal)\] [^\n]+|(?<=\S )(?:npm|pnpm|yarn|pip) (?:warn|err!) [^\n]+",
    re.IGNORECASE,
)
_NAME = r"(?:[@#]?[A-ZÀ-Ý][\w.'’-]{0,24}(?: [A-ZÀ-Ý][\w.'’-]{0,24}){0,3}|@?[a-z][\w.-]{1,24})"
_TIME = r"(?:(?:today|yesterday|gestern|heute),? (?:at |um )?|at )?\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?"
_TIMED_TURN = re.compile(
    rf"\s*(?:[\[(]?(?:\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}},?\s+)?{_TIME}[\])]?\s*(?:[-–—]\s*)?<?{_NAME}>?\s?:\s"
    rf"|<{_NAME}>\s|{_NAME}(?:\s{{2,}}|\s?[\[(—–-]\s?|\s+)(?:{_TIME})[\])]?\s*$|{_NAME}(?:\s{{1,3}}APP)?\s{{1,3}}{_TIME}\s*$"
    rf"|{_NAME} [\[(]{_TIME}[\])]:"
    rf"|{_NAME} (?:commented|replied|posted|answered|added a comment|left a comment|requested changes|opened this \w+)\b[^\n]{{0,20}}(?:\bon \w+ \d|\bago\b|yesterday|today)[^\n]{{0,20}}$"
    rf"|(?:u/)?{_NAME}\b[^\n]{{0,16}}\b\d+ ?(?:h|hrs?|hours?|m|mins?|minutes?|d|days?|w|weeks?|months?|y|years?) ago\b[^\n]{{0,30}}$|\d\d:\d\d:\d\d[,.]\d+ --> |[\w.-]+ left a comment\b"
    r"|(?:you|chatgpt|gemini|copilot) said:\s*$)",
    re.IGNORECASE,
)
_SHELL = re.compile(r"\s*(?:[$❯➜%]\s|[\w.-]{1,40}@[\w.-]{1,60}:[~/]\S{0,120}[$#%]|~/\S* [❯➜$%#]\s|PS [A-Z]:)")
_TIME_ALONE = re.compile(rf"\s+{_TIME}\s*$|{_TIME}\s*$", re.IGNORECASE)
_NAMED_TURN = re.compile(rf"({_NAME})\s?:\s+\S")
LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.):])\s+")
HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*\*\*[^*\n]{2,60}\*\*:?\s*$|[^\n]{2,40}:\s*$")
_FIELD = re.compile(r"\s*[A-ZÄÖÜ][\w /-]{1,30}:(?:\s|$)")
_KEY = re.compile(r"(\s*)(?:- )?[\"']?[\w.-]{1,40}[\"']?:(?:\s+[^\s]|\s*$)")
_RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$")
_NAME_ALONE = re.compile(r"\s*[A-ZÀ-Ý][\w.'’-]{1,24}(?: [A-ZÀ-Ý][\w.'’-]{0,24}){0,2}[.,]?\s*$")
_SECTIONS = re.compile(
    r"(?:#{1,6}\s*|\*\*)?(?:status|decisions?|consequences?|considered options|alternatives(?: considered)?|rationale|how to test|test plan|why|what|screenshots|breaking changes|deciders|supersedes|agenda"
    r"|action items|actions|next steps|attendees|installation|usage|license|contributing|changelog|unreleased|added|changed|removed|fixed|deprecated"
    r"|entscheidung(?:en)?|konsequenzen|beschlüsse|décision|conséquences)\b(?:\*\*)?\s*(?::|$)",
    re.IGNORECASE,
)
_DASH = re.compile(r"\s[—–]\s")
_DIFF = re.compile(
    r"^(?:diff --(?:git|cc|combined) .*|--- \S.*\n\+\+\+ .*|@@ -\d+.*)(?:\n(?:[+\-@ ].*|index .*|(?:new|deleted|old) (?:file )?mode .*"
    r"|similarity index .*|rename (?:from|to) .*|Binary files .*|diff --(?:git|cc|combined) .*|\\ No .*))*",
    re.MULTILINE,
)
_LOG_LINE = re.compile(
    r"^\s*(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|\[?(?:debug|info|error|warn(?:ing)?|notice|trace|fatal)\b|Traceback |at \S+ ?\(|npm |[$❯➜] )"
    r"|\b\w+(?:Error|Exception)\b:|\bexit (?:code|status)\b|^E\s{2,}",
    re.IGNORECASE | re.MULTILINE,
)
CODE, OUTPUT, SETTINGS = "code", "output or code", "settings of a file"
PRINTED = frozenset({CODE, OUTPUT, SETTINGS})  # by no person at all
_MIN_BLOCK_LINES, _LONG_QUOTE_CHARS = 2, 200
_MAX_SECTIONS, MAX_LINES = 60, 1_000
_MAX_TAIL_LINES, _MAX_SIGNED_LINES, _MAX_ABOVE_LINES = 3, 3, 2


@dataclass(frozen=True, slots=True)
class Stretch:
    """[start, end) in code points. `reason` says what shows that it is not the person's, for people; "" = their own."""

    start: int
    end: int
    reason: str = ""

    @property
    def is_own(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    is_blank: bool


class _Rules:
    """`rules/conversation/authorship.yaml`, compiled: each list one expression."""

    def __init__(self) -> None:
        lists = load_rules("authorship")
        joined = {name: "|".join(f"(?:{one})" for one in lists[name]) for name in lists}
        anywhere = {"introduces", "own_source"}
        self._compiled = {
            name: re.compile(text if name in anywhere else rf"\s*(?:{text})", re.IGNORECASE)
            for name, text in joined.items()
        }

    def fits(self, name: str, text: str) -> bool:
        pattern = self._compiled[name]
        return (pattern.search if name in {"introduces", "own_source"} else pattern.match)(text[:400]) is not None


@cache
def _rules() -> _Rules:
    return _Rules()


@lru_cache(maxsize=_REMEMBERED)
def split_authors(text: str) -> tuple[Stretch, ...]:
    """The whole message as stretches in order, one after another, own and foreign by turns.

    >>> [(one.is_own, one.reason) for one in split_authors("look:\\n> we use Mongo\\nwe do not")]
    [(True, ''), (False, 'quoted lines'), (True, '')]
    """
    return tuple(_join(text, _foreign(text)))


def own_words(text: str) -> str:
    """The message with what is not the person's own as spaces: lines and places stay, so that offsets hold.

    >>> own_words("why?\\n> we use Mongo")
    'why?\\n              '
    """
    stretches = split_authors(text)
    if all(one.is_own for one in stretches):
        return text
    return "".join(text[one.start : one.end] if one.is_own else _blank(text[one.start : one.end]) for one in stretches)


def condense_pastes(text: str) -> str:
    """The message with what was pasted named in its place: code, diffs and logs always, others' words from two lines on.

    >>> condense_pastes("why?\\n```\\na = 1\\nb = 2\\n```\\nshould be 3")
    'why?\\n[code, 4 lines]\\nshould be 3'
    """
    text = _DIFF.sub(lambda found: _named("diff", found[0]), text)
    stretches = split_authors(text)
    if all(one.is_own for one in stretches):
        return text
    return "".join(_condensed(text[one.start : one.end], one) for one in stretches).strip()


def _condensed(words: str, stretch: Stretch) -> str:
    inner = words.strip("\n")
    count = len(inner.strip().splitlines())
    if stretch.is_own or not count:
        return words
    is_printed = stretch.reason in PRINTED or inner.lstrip().startswith(("```", "~~~"))
    if count < _MIN_BLOCK_LINES and not (is_printed or len(inner) > _LONG_QUOTE_CHARS):
        return words
    if not is_printed:
        return _named("paste", words)
    return _named("log" if stretch.reason != CODE and _LOG_LINE.search(words) else "code", words)


def _named(name: str, words: str) -> str:
    """What stands for these lines; the empty lines around them stay."""
    before, after = words[: len(words) - len(words.lstrip("\n"))], words[len(words.rstrip("\n")) :]
    count = len(words.strip().splitlines())
    return f"{before}[{name}, {count} line{'s' if count > 1 else ''}]{after}"


def foreign_reasons(text: str) -> tuple[str, ...]:
    """What shows that parts of the message are not the person's own, each reason once."""
    return tuple(dict.fromkeys(one.reason for one in split_authors(text) if one.reason))


def wanted_words(text: str) -> str:
    """What the message wants, for the reader of intents: of others' words only their form is left, a log, code, a quote."""
    stretches = split_authors(text)
    if all(one.is_own for one in stretches):
        return text
    return "".join(text[one.start : one.end] if one.is_own else _trace(text[one.start : one.end]) for one in stretches)


def titling_words(text: str) -> str:
    """The words that a conversation may be called after: the person's, and others' only where there are none."""
    own = own_words(text)
    return own if own.strip() else text


_FAULT = re.compile(
    r"\b[A-Z]\w+(?:Error|Exception)\b|Traceback|\b(?:ERROR|FATAL)\b|\b(?:panic|fatal|error):|\bFAILED\b"
)


def _trace(text: str) -> str:
    if _FAULT.search(text):
        return "\nerror: \n"
    return "\n```\n```\n" if text.lstrip().startswith(("```", "~~~")) else "\n> \n"


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _join(text: str, found: Sequence[Stretch]) -> Iterator[Stretch]:
    """Foreign stretches in order, joined where they touch, with what is own between them."""
    place = 0
    waiting: Stretch | None = None
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if waiting is not None and (one.start <= waiting.end or not text[waiting.end : one.start].strip()):
            if one.end > waiting.end:
                waiting = Stretch(waiting.start, one.end, waiting.reason)
            continue
        if waiting is not None:
            yield from _between(place, waiting)
            place = waiting.end
        waiting = one
    if waiting is not None:
        yield from _between(place, waiting)
        place = waiting.end
    if place < len(text) or not text:
        yield Stretch(place, len(text))


def _between(place: int, foreign: Stretch) -> Iterator[Stretch]:
    if place < foreign.start:
        yield Stretch(place, foreign.start)
    yield foreign


def _foreign(text: str) -> list[Stretch]:
    found = [*_marked(text), *_in_blocks(text)]
    head = _typed_part(text)
    found += _fenced(head, found)
    lines = _lines(_without(head, found))
    found += _Reader(lines, [bool(line.text.strip()) for line in _lines(head)]).read()
    found += [
        Stretch(*(quote.span("quote") if quote["quote"] else quote.span("below")), "quoted words")
        for quote in _SPOKEN_QUOTE.finditer(head)
    ]
    found += [Stretch(*logged.span(), OUTPUT) for logged in _LOGGED.finditer(head)]
    if len(text) > len(head):
        found.append(Stretch(len(head), len(text), "longer than anybody types"))
    return found


def _typed_part(text: str) -> str:
    """So much of the message as a person may have typed."""
    head = text[:MAX_TYPED_CHARS]
    if head.count("\n") < MAX_LINES:
        return head
    place = 0
    for _ in range(MAX_LINES):
        place = head.index("\n", place) + 1
    return head[:place]


def _without(text: str, taken: Sequence[Stretch]) -> str:
    for one in taken:
        text = (
            text[: one.start] + _blank(text[one.start : one.end]) + text[one.end :] if one.start < len(text) else text
        )
    return text


# marks -------------------------------------------------------------------------------------------


def _marked(text: str) -> list[Stretch]:
    """What stands in the assistants' own mark of a paste; without an end it goes to the end of the message.

    A mark that carries a number is closed by that number alone: what was pasted cannot end itself.
    """
    marks = (
        [one for one in _MARK.finditer(text) if text[one.start() - 1 : one.start()] != "`"]
        if "aste" in text.lower()
        else []
    )
    found: list[Stretch] = []
    place = 0
    for number, mark in enumerate(marks):
        if mark.start() < place:
            continue
        if mark[1]:
            if not found:
                found.append(Stretch(0, mark.end(), "pasted"))  # its beginning was cut off
            place = mark.end()
            continue
        end = _end_of_mark(text, mark, marks[number + 1 :])
        if end:
            found.append(Stretch(mark.start(), end, "pasted"))
            place = end
    return found


def _end_of_mark(text: str, mark: re.Match[str], later: Sequence[re.Match[str]]) -> int:
    """Where the paste ends; 0 when it is only a word about such marks."""
    name = _id_of(mark)
    closing = [one for one in later if one[1]]
    if name:
        same = [one for one in closing if _id_of(one) == name]
        bare = [one for one in closing if not _id_of(one)]
        return (same[0] if same else bare[-1]).end() if same or bare else len(text)
    if closing:
        return closing[0].end()
    is_opened = not text[text.rfind("\n", 0, mark.start()) + 1 : mark.start()].strip()
    return len(text) if is_opened else 0


def _id_of(mark: re.Match[str]) -> str:
    found = _MARK_ID.search(mark[2])
    return found[1].casefold() if found is not None else ""


def _in_blocks(text: str) -> list[Stretch]:
    found: list[Stretch] = []
    low = text.lower() if "</" in text else ""
    place = 0
    for block in _BLOCK.finditer(text) if low else ():
        if block.start() < place or text[block.start() - 1 : block.start()] == "`":
            continue
        closing = f"</{block[1].lower()}>"
        end = low.find(closing, block.end())
        if end >= 0:
            place = end + len(closing)
            found.append(Stretch(block.start(), place, "text in marks"))
    return found


def _fenced(text: str, taken: Sequence[Stretch]) -> list[Stretch]:
    found = [Stretch(*one.span(), CODE) for one in _FENCED_INSIDE.finditer(text)]
    opened, fence = -1, ""
    for line in _lines(_without(text, taken)):
        mark = _FENCE.match(line.text)
        if mark is None or _FENCED_INSIDE.search(line.text):
            continue
        if opened < 0:
            opened, fence = line.start, mark[1][0]
        elif mark[1][0] == fence:
            found.append(Stretch(opened, line.end, CODE))
            opened = -1
    return [*found, Stretch(opened, len(text), CODE)] if opened >= 0 else found


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    place = 0
    for line in text.split("\n"):
        found.append(_Line(place, place + len(line), line, not line.strip()))
        place += len(line) + 1
    return found


# lines -------------------------------------------------------------------------------------------


class _Reader:
    """One reading of the lines of a message; `reasons` holds for each line whose it is, "" the person's."""

    def __init__(self, lines: Sequence[_Line], is_filled: Sequence[bool]) -> None:
        self.lines = lines  # what was known before is blank in them; `is_filled`: something stands there all the same
        self.is_filled = is_filled
        self.rules = _rules()
        self.sections = [number for number, line in enumerate(lines) if _SECTIONS.match(line.text)][:_MAX_SECTIONS]
        self.last = max((number for number, line in enumerate(lines) if not line.is_blank), default=-1)
        self.reasons = [""] * len(lines)

    def read(self) -> list[Stretch]:
        self._read_printed()
        self._read_settings()
        self._read_quoted()
        self._read_turns()
        self._read_opened()
        self._read_introduced()
        self._read_worked_on()
        return [
            Stretch(line.start, line.end, reason)
            for line, reason in zip(self.lines, self.reasons, strict=True)
            if reason and not line.is_blank
        ]

    def _mark(self, first: int, last: int, reason: str) -> None:
        """Lines [first, last) as somebody else's; what was known before stays."""
        for number in range(first, last):
            self.reasons[number] = self.reasons[number] or reason

    # what programs print, code

    def _read_printed(self) -> None:
        is_machine = [not line.is_blank and self.rules.fits("machine", line.text) for line in self.lines]
        if len(self.lines) == 1:
            if self.rules.fits("printed_alone", self.lines[0].text):
                self._mark(0, 1, OUTPUT)
            return  # a line of its own is typed: "error: nothing happens when I click"
        number = 0
        while number < len(self.lines):
            if not is_machine[number]:
                number += 1
                continue
            end = self._end_of_printed(number, is_machine)
            first = self._with_comments(number)
            self._mark(first, end, OUTPUT)
            number = end

    def _with_comments(self, first: int) -> int:
        while first and not self.lines[first - 1].is_blank and self.rules.fits("comment", self.lines[first - 1].text):
            first -= 1
        return first

    def _end_of_printed(self, first: int, is_machine: Sequence[bool]) -> int:
        """Past the last line that goes on with it: like it, set in, a comment; after a blank line only the like."""
        end = number = first + 1
        is_log = _SHELL.match(self.lines[first].text) is not None
        while number < len(self.lines):
            line = self.lines[number]
            if line.is_blank:
                number += 1
                continue
            is_torn = number > end
            goes_on = (
                is_machine[number]
                or line.text[:2].isspace()
                or line.text[:1] == "\t"
                or self.rules.fits("comment", line.text)
            )
            is_answer = is_log and not is_torn
            if not (goes_on and (not is_torn or is_machine[number] or line.text[:1].isspace())) and not is_answer:
                break
            end = number = number + 1
        return end

    def _read_settings(self) -> None:
        """Keys with values set in below one another, and what stands in braces."""
        for first, last in self._blocks():
            keys = [number for number in range(first, last) if _KEY.match(self.lines[number].text)]
            is_nested = any(self.lines[number].text[:1] in " \t" for number in keys)
            is_nested = is_nested or any(line.text[:1] == "\t" for line in self.lines[first:last])
            if len(keys) >= _MIN_BLOCK_LINES and is_nested:
                start = self._with_comments(keys[0])
                end = keys[-1] + 1
                while end < last and self.lines[end].text[:1] in " \t-":
                    end += 1
                self._mark(start, end, SETTINGS)
            opening = next(
                (
                    n
                    for n in range(first, last)
                    if self.lines[n].text.strip()[:1] in {"{", "["} and len(self.lines[n].text.strip()) <= 2
                ),
                -1,
            )
            closing = next(
                (n for n in range(last - 1, first, -1) if self.lines[n].text.strip() in {"}", "]", "},", "];", "};"}),
                -1,
            )
            if 0 <= opening < closing:
                self._mark(opening, closing + 1, SETTINGS)

    def _blocks(self) -> Iterator[tuple[int, int]]:
        first = 0
        for number, line in enumerate([*self.lines, _Line(0, 0, "", True)]):
            if line.is_blank:
                if number > first:
                    yield first, number
                first = number + 1

    # quotations and turns

    def _read_quoted(self) -> None:
        for number, line in enumerate(self.lines):
            if _QUOTED.match(line.text) or _IN_MARKS.match(line.text):
                self._mark(number, number + 1, "quoted lines")

    def _read_turns(self) -> None:
        turns = self._turns()
        if not turns:
            return
        first = turns[0]
        while first and self.lines[first - 1].text.strip() and self.rules.fits("chat_open", self.lines[first - 1].text):
            first -= 1
        self._mark(first, self._end(turns[-1] + 1, first, _is_turn_like), "somebody's chat")

    def _turns(self) -> list[int]:
        """The lines at which somebody begins to speak; none when it is no chat."""
        open_lines = [(number, line) for number, line in enumerate(self.lines) if not self.reasons[number]]
        timed = [
            number
            for number, line in open_lines
            if _TIMED_TURN.match(line.text)
            or (
                number + 1 < len(self.lines)
                and _TIME_ALONE.match(self.lines[number + 1].text)
                and _NAME_ALONE.match(line.text)
            )
        ]
        if timed:
            return timed
        roles = [number for number, line in open_lines if self.rules.fits("role", line.text)]
        names = {self.lines[one].text.split(":")[0].strip().casefold() for one in roles}
        is_spoken = any(self.rules.fits("speaker", self.lines[one].text) for one in roles)
        if is_spoken and len(names) > 1:
            return roles
        named = [(number, found[1]) for number, line in open_lines if (found := _NAMED_TURN.match(line.text))]
        if is_spoken and len(named) > len(roles):
            return [number for number, _ in named]
        said_by = [name for _, name in named]
        is_chat = len(said_by) > len(set(said_by)) or (
            bool(named) and named[0][0] > 0 and self.rules.fits("chat_open", self.lines[named[0][0] - 1].text)
        )
        return [number for number, _ in named] if is_chat else []

    # what is opened by its form

    def _read_opened(self) -> None:
        for number, line in enumerate(self.lines):
            if line.is_blank or self.reasons[number]:
                continue
            for opens in (self._mail, self._letter, self._document, self._answer):
                found = opens(number)
                if found is not None:
                    first, end, reason = found
                    self._mark(first, end, reason)
                    break
        self._read_closed_answer()

    def _mail(self, number: int) -> tuple[int, int, str] | None:
        line = self.lines[number].text
        has_head = self.rules.fits("mail_head", line) and any(
            self.rules.fits("mail_head", each.text) for each in self.lines[number + 1 : number + 3]
        )
        if not has_head and not self.rules.fits("mail_open", line):
            return None
        if not has_head and number + 1 < len(self.lines) and self.reasons[number + 1]:
            return number, number + 1, "mail"  # "… wrote:" above quoted lines
        return number, self._end_of_letter(number), "mail"

    def _letter(self, number: int) -> tuple[int, int, str] | None:
        if not self.rules.fits("salutation", self.lines[number].text) or number + 1 >= len(self.lines):
            return None
        signed = [
            each for each in range(number + 1, len(self.lines)) if self.rules.fits("sign_off", self.lines[each].text)
        ]
        is_formal = not re.match(r"\s*(?:hi|hello|hey|hallo|moin|hola|salut)\b", self.lines[number].text, re.IGNORECASE)
        return (number, self._end_of_letter(number), "letter") if signed or is_formal else None

    def _end_of_letter(self, first: int) -> int:
        """Past the name below a greeting; without one, where the person asks about it, or the end."""
        names = {
            word
            for line in self.lines[first : first + 6]
            if self.rules.fits("mail_head", line.text)
            for word in re.findall(r"[A-ZÀ-Ý]\w+", line.text)
        }
        for number in range(first + 1, len(self.lines)):
            line = self.lines[number]
            if self.rules.fits("sign_off", line.text):
                end = number + 1
                while end < min(len(self.lines), number + 1 + _MAX_SIGNED_LINES) and _NAME_ALONE.match(
                    self.lines[end].text
                ):
                    end += 1
                return end
            if number > first + 1 and _NAME_ALONE.match(line.text) and set(line.text.strip(" .,").split()) & names:
                return number + 1
        return self._end(first + 1, first, _is_never_formed)

    def _document(self, number: int) -> tuple[int, int, str] | None:
        line = self.lines[number].text
        if self.rules.fits("document_open", line):
            if re.match(r"\s*(?:q|question|frage)\s?\d*:", line, re.IGNORECASE) and not any(
                re.match(r"\s*(?:a|answer|antwort)\s?\d*:", each.text, re.IGNORECASE)
                for each in self.lines[number + 1 :]
            ):
                return None
            is_head = number + 1 < len(self.lines)
            return (number, self._end(number + 1, number, _is_formed), "document") if is_head else None
        if self.rules.fits("ticket_open", line) and self._is_ticket(number):
            return number, self._end(number + 1, number, _is_formed), "ticket"
        sections = [each for each in self.sections if each >= number] if number in self.sections else []
        if sections and len({self.lines[each].text.strip("#* :").casefold() for each in sections}) > 1:
            first = number
            while first and HEADING.match(self.lines[first - 1].text) and not self.reasons[first - 1]:
                first -= 1
            return first, self._end(sections[-1] + 1, first, _is_formed), "document"
        return None

    def _is_ticket(self, number: int) -> bool:
        """Whether the head of a ticket is followed by what such have: a number alone may be named by anybody."""
        below = [line.text for line in self.lines[number + 1 : number + 9] if line.text.strip()]
        fields = sum(
            self.rules.fits("ticket_open", text)
            or bool(
                re.match(
                    r"\s*(?:description|beschreibung|status|labels?|component|summary|type)\s*:", text, re.IGNORECASE
                )
            )
            for text in below
        )
        return fields >= 1

    def _answer(self, number: int) -> tuple[int, int, str] | None:
        if not self.rules.fits("assistant_open", self.lines[number].text):
            return None
        is_alone = all(line.is_blank for line in self.lines[number + 1 :])
        return (
            None
            if is_alone and number == 0
            else (number, self._end(number + 1, number, _is_formed), "another assistant's answer")
        )

    def _read_closed_answer(self) -> None:
        """An answer that shows by its end alone: "Let me know if you'd like me to proceed!"."""
        for number, line in enumerate(self.lines):
            if self.reasons[number] or not number or not self.rules.fits("assistant_close", line.text):
                continue
            breaks = [
                each + 1 for each in range(number) if self.lines[each].is_blank or _RULE.match(self.lines[each].text)
            ]
            first = breaks[0] if breaks and not self.rules.fits("assistant_open", self.lines[0].text) else 0
            if number - first >= 1:
                self._mark(first, number + 1, "another assistant's answer")

    # what the person introduces, and where they speak again

    def _read_introduced(self) -> None:
        """What stands below "what do you think of this?" or "Ann wrote:" is what that speaks of."""
        for number, line in enumerate(self.lines[:-1]):
            if line.is_blank or self.reasons[number]:
                continue
            below = next(
                (
                    each
                    for each in range(number + 1, len(self.lines))
                    if not self.lines[each].is_blank and not _RULE.match(self.lines[each].text)
                ),
                -1,
            )
            if below < 0 or self.reasons[below] or self.rules.fits("own_source", line.text):
                continue
            is_parted = below > number + 1
            if any(self.is_filled[each] and self.lines[each].is_blank for each in range(number + 1, below)):
                continue  # it speaks of that
            clause = _last_clause(line.text)
            is_early = sum(not each.is_blank for each in self.lines[:number]) < _MAX_ABOVE_LINES
            is_about = (
                is_early
                and self.rules.fits("works_on", clause)
                and (is_parted or clause.rstrip().endswith((":", "?")) or below > number + 1)
            )
            if is_about or self.rules.fits("introduces", clause):
                self._mark(below, self._end(below + 1, below, _is_formed), "introduced as somebody's")
                return

    def _read_worked_on(self) -> None:
        """What stands above "make a table out of it" is a text of somebody's, back to where the person spoke before it."""
        number = self.last
        if number < _MIN_BLOCK_LINES or self.reasons[number]:
            return
        pieces = [self.lines[number].text, *_DASH.split(self.lines[number].text)[1:]]
        if not any(self.rules.fits("works_above", part) for part in pieces):
            return
        first = number
        while first and not self.reasons[first - 1] and not _RULE.match(self.lines[first - 1].text):
            first -= 1
        filled = [each for each in range(first, number) if not self.lines[each].is_blank]
        if len(filled) >= _MIN_BLOCK_LINES and not any(map(self.reasons.__getitem__, range(number))):
            self._mark(first, number, "a text to be worked on")

    def _end(self, start: int, first: int, is_formed: Callable[[str], bool]) -> int:
        """Past the last line of what began at `first`: the person may have the last few lines."""
        last = self.last
        if last < start:
            return start
        tail = self._tail(start, last, is_formed)
        return tail if tail > first else start

    def _tail(self, start: int, last: int, is_formed: Callable[[str], bool]) -> int:
        """The line from which the person speaks again, past the end when they do not."""
        block = last
        while block > start and not self.lines[block - 1].is_blank:
            block -= 1
        is_parted = block > start and self.lines[block - 1].is_blank
        if (
            is_parted
            and last - block < _MAX_TAIL_LINES
            and not any(is_formed(line.text) for line in self.lines[block : last + 1])
        ):
            text = self.lines[block].text
            is_marked = any(is_formed(line.text) for line in self.lines[start:block])
            if self._is_addressed(text) or is_marked or self._is_lowered(start, block, text):
                return block
        text = self.lines[last].text
        if is_formed(text) or last <= start:
            return last + 1
        if self._is_addressed(text) and self._is_lowered(start, last, text):
            return last
        before = [line.text for line in self.lines[start:last] if not line.is_blank]
        if (
            before
            and all(is_formed(each) for each in before[-2:])
            and text[:1].islower()
            and is_formed is not _is_turn_like
        ):
            return last
        return last + 1

    def _is_addressed(self, text: str) -> bool:
        return any(self.rules.fits("asks_about", part) for part in (text, *_DASH.split(text)[1:]))

    def _is_lowered(self, start: int, number: int, text: str) -> bool:
        """Whether it begins small where what stands above begins with capitals."""
        above = [line.text.strip(" -*#>0123456789.)") for line in self.lines[start:number] if not line.is_blank]
        capitals = sum(each[:1].isupper() for each in above)
        return text.lstrip()[:1].islower() and capitals * 2 >= len(above)


def _last_clause(text: str) -> str:
    parts = re.split(r"(?<=[.!?])\s+|\s[—–]\s", text.strip())
    return parts[-1]


def _is_formed(text: str) -> bool:
    """Whether the line has the form of a document: an item, a heading, a field, a row, something set in."""
    return bool(
        LIST_ITEM.match(text) or HEADING.match(text) or _FIELD.match(text) or text[:1] in " \t|" or _RULE.match(text)
    )


def _is_turn_like(text: str) -> bool:
    return bool(
        _TIMED_TURN.match(text) or _NAMED_TURN.match(text) or _TIME_ALONE.match(text) or _rules().fits("role", text)
    )


def _is_never_formed(text: str) -> bool:
    del text
    return False
