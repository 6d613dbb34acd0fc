"""Values as slots keep them: "200ms" and "200 ms" are one, so are "95%" and "95 percent".

Reads the value of one attribute beside the place where it is named. Knows nothing of statements.
"""

import re
from collections.abc import Iterator

from app.deciders.memory.levels.word_weight_rules import load_wording_rules
from app.deciders.memory.slots.rules import Attribute

_NUMBER = re.compile(r"(?<![\w.-])\d[\d,._]*\d?k?\b(?!\s?%)")
_DURATION = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s?-?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s?(?:%|per ?cent\b)", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){0,3}(?:-[\w.]+)?)\b(?!\s?%)", re.IGNORECASE)
_VERSION_SAID = re.compile(r"v?(\d{1,4}(?:\.\d+){0,3}(?:\.x|\+)?)(?=$|[ ,;])", re.IGNORECASE)
_VERSION_AFTER = re.compile(
    r"(?: ?v| v?|[:@-]v?| version )(\d{1,4}(?:\.\d+){0,3}(?:\.x|\+)?)(?=$|[ ,;)](?!(?:%|[\w-]{3,}(?<!s)s\b)))",
    re.IGNORECASE,
)
_PORT = re.compile(r"(?<![\w.])(\d{2,5})\b(?![.%])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s?(bytes|[kmgt]i?b|[kmg])\b", re.IGNORECASE)
_PATH = re.compile(r"[~.\w@-]*/[\w./~@*<>{}$-]*[\w*/]|(?<=`)[^`]+(?=`)|\b[\w-]+\.(?!$)[a-z]{1,6}\b")
_NAME = re.compile(
    r"(?:\b(?:is|are|called|named|to|be|=|:|use|on|at)|^) (?:called |named |set to |now |the )*"
    r"(`[^`]+`|\"[^\"]+\"|(?-i:[A-Z][\w./@:+#-]*)|\w*[\d./@:_+#-][\w./@:+#-]*\w)",
    re.IGNORECASE,
)
_TEXT = re.compile(r"(?:\b(?:is|are|be|to|in|with|a|use|uses)|:) (.{2,60}?)(?=$|[,;.]| because )", re.IGNORECASE)
_PERSON = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)?\b")
_COLOUR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:dark |light |deep |bright )?(?:red|green|blue|purple|violet|orange|yellow|pink|teal|cyan|magenta|black|white|gr[ae]y|brown|indigo|turquoise|navy|maroon|gold|silver|amber|crimson)\b",
    re.IGNORECASE,
)
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:(?:{_DAY},? )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?:\.? \d{1,2}(?:st|nd|rd|th)?)?\b|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|\d{4}-\d\d-\d\d|q[1-4]\b|(?:the )?end of (?:the )?(?:week|month|quarter|year|sprint|q[1-4])|the \d{1,2}(?:st|nd|rd|th)|next (?:week|month|sprint|quarter))",
    re.IGNORECASE,
)
_UNITS = {
    "milliseconds": "ms",
    "millisecond": "ms",
    "ms": "ms",
    "w": "weeks",
    "d": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
}


def read_value(attribute: Attribute, text: str, start: int, end: int) -> str:
    """The canonical value of `attribute` in `text`, named at [start, end); empty when there is none.

    >>> read_value(Attribute("timeout", "duration", (), False), "the timeout is 30s", 4, 11)
    '30 seconds'
    """
    after, before = text[end:], text[:start]
    low = f" {text.lower()} "
    found = [(place, -len(choice), choice) for choice in attribute.choices if (place := _find_word(choice, low)) >= 0]
    if found:
        return min(found)[2]
    if attribute.kind == "person":
        return next(_people(after), "") or next(reversed([*_people(before)]), "")
    return _read(attribute.kind, after) or (
        _read(attribute.kind, before) if attribute.kind not in {"name", "text"} else ""
    )


def read_version(text: str) -> str:
    """The version that the text begins with: "5.0"; empty when it begins with none."""
    found = _VERSION_SAID.match(text)
    return found[1] if found is not None else ""


def read_version_after(text: str, end: int) -> str:
    """The version said with the name that ends at `end`: "16" of "Postgres 16 in staging"; empty for "Redis 3 times"."""
    found = _VERSION_AFTER.match(text, end)
    return found[1] if found is not None else ""


def _people(text: str) -> Iterator[str]:
    """What may be names of people, in order; a sentence may begin with "The" or "You"."""
    known = load_wording_rules().function_words
    return (found[0] for found in _PERSON.finditer(text) if known.isdisjoint(found[0].lower().split()))


def _find_word(choice: str, text: str) -> int:
    found = re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-])", text)
    return found.start() if found is not None else -1


def _read(kind: str, text: str) -> str:  # one branch per kind of value
    if kind == "duration":
        return _duration(text)
    if kind == "size":
        found = _SIZE.search(text)
        return f"{found[1]} {found[2].upper()}" if found else ""
    expression = _SIMPLE.get(kind)
    found = expression.search(text) if expression is not None else None
    if found is None:
        return ""
    value = found[found.lastindex or 0].strip("`\"' ")
    if kind == "percent":
        return f"{value} %"
    if kind == "number":
        return value.replace(",", "").replace("_", "").rstrip(".")
    return value if kind in {"path", "name"} else value.lower()


_SIMPLE = {
    "number": _NUMBER, "percent": _PERCENT, "version": _VERSION, "port": _PORT, "path": _PATH, "name": _NAME,
    "text": _TEXT, "colour": _COLOUR, "date": _DATE,
}  # fmt: skip


def _duration(text: str) -> str:
    found = _DURATION.search(text)
    if found is None:
        return ""
    unit = found[2].lower()
    if unit not in _UNITS:
        long = next(
            (
                name
                for short, name in (("sec", "seconds"), ("min", "minutes"), ("hr", "hours"), ("hour", "hours"))
                if unit.startswith(short)
            ),
            unit,
        )
        unit = long if long.endswith("s") else f"{long}s"
    unit_name = _UNITS.get(unit, unit)
    return f"{found[1]} {unit_name.removesuffix('s') if found[1] == '1' and unit_name != 'ms' else unit_name}"
