"""Amounts as people write them: 14,400 seconds are "4 h", 10,000,000 bytes "10 MB", 0.56 of a whole "56 %"; read back the same way. Pure.

Knows no setting. What is shown is exact: read back, it is the same number.
"""

import re
from dataclasses import dataclass

_S, _BYTES = "s", "bytes"
_SCALES: dict[str, tuple[tuple[str, int], ...]] = {  # largest first; the last one is the unit that is stored
    _S: (("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1)),
    _BYTES: (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("bytes", 1)),
    "h": (("days", 24), ("h", 1)),
    "days": (("years", 365), ("days", 1)),
}
_NAMES = {  # other ways to write a unit, in small letters
    "d": "days", "day": "days", "w": "weeks", "week": "weeks", "y": "years", "year": "years",
    "hour": "h", "hours": "h", "hr": "h", "hrs": "h", "m": "min", "mins": "min", "minute": "min", "minutes": "min",
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "b": "bytes", "byte": "bytes", "k": "kb",
}  # fmt: skip
_PART = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*[.,]\d+|\d*)\s*([^\d\s.,]*)\s*")
_SINGULARS = {"memories": "memory"}
RATIO = "ratio"


class AmountError(ValueError):
    """What was typed is no amount of this kind; the text says what would be."""


@dataclass(frozen=True, slots=True)
class Amount:
    """`number` in `unit`, such as 4 and "h"."""

    number: float
    unit: str

    def __str__(self) -> str:
        number = f"{self.number:,.6f}".rstrip("0").rstrip(".")
        if not self.unit:
            return number.replace(",", "")  # a port
        if self.number == 1 and len(self.unit) > 1:
            return f"{number} {_SINGULARS.get(self.unit, self.unit.removesuffix('s'))}"
        return f"{number} {self.unit}"


def to_amount(value: float, unit: str) -> Amount:
    """The value in the largest unit that says it with two decimals at most. `unit`: as stored; "ratio" is 0..1.

    >>> [str(to_amount(*one)) for one in ((14_400, "s"), (5_400, "s"), (86_400, "s"), (10_000_000, "bytes"), (0.56, "ratio"))]
    ['4 h', '1.5 h', '1 day', '10 MB', '56 %']
    >>> str(to_amount(8_000, "tokens")), str(to_amount(90, "days")), str(to_amount(3, ""))
    ('8,000 tokens', '90 days', '3')
    """
    if unit == RATIO:
        return Amount(round(value * 100, 6), "%")
    for name, size in _SCALES.get(unit, ((unit, 1),)):
        number = value / size
        if number >= 1 and round(number, 2) == number:
            return Amount(number, name)
    return Amount(value, unit)


def read_amount(text: str, unit: str, shown: str = "") -> float:
    """What a person typed, in the unit that is stored. `shown`: the unit of a number without one. Raises AmountError.

    >>> [read_amount(typed, "s", "h") for typed in ("4 h", "4", "240 min", "1 h 30 min", "0.5 hours", "2 days")]
    [14400, 14400, 14400, 5400, 1800, 172800]
    >>> [read_amount("10 MB", "bytes"), read_amount("8k", "tokens"), read_amount("56 %", "ratio"), read_amount("0.56", "ratio")]
    [10000000, 8000, 0.56, 0.56]
    """
    typed = text.strip().replace("\u00a0", " ")
    total, end = 0.0, 0
    while end < len(typed) or not typed:
        part = _PART.match(typed, end)
        if part is None or not part[1]:
            raise AmountError(_say(unit))
        if not part[2] and part[0] != typed:
            raise AmountError(_say(unit))  # "1 h 30": thirty of what?
        number = _number(part[1])
        total += number * _size(part[2].lower(), unit, shown, number)
        end = part.end()
    value = round(total, 6)
    return value if unit == RATIO or value != int(value) else int(value)


def _number(digits: str) -> float:
    is_grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits) is not None
    return float(digits.replace(",", "" if is_grouped else "."))


def _size(word: str, unit: str, shown: str, number: float) -> float:
    """What one of these is in the unit that is stored. `word`: the unit as typed, in small letters."""
    if unit == RATIO:
        sizes = {"%": 0.01, "": 1.0 if number <= 1 else 0.01}
    elif unit in _SCALES:
        sizes = {name.lower(): float(size) for name, size in _SCALES[unit]}
        sizes[""] = sizes[(shown or unit).lower()]
        sizes |= {"weeks": 7 * sizes["days"]} if "days" in sizes else {}
        word = _NAMES.get(word, word)
    else:
        sizes = {"": 1, "k": 1_000, "m": 1_000_000, unit.lower(): 1, unit.lower().removesuffix("s"): 1}
    if word not in sizes:
        raise AmountError(_say(unit))
    return sizes[word]


def _say(unit: str) -> str:
    examples = {
        _S: "a time, such as 30 s, 15 min, 4 h or 2 days",
        _BYTES: "a size, such as 500 kB or 10 MB",
        "h": "a time, such as 12 h or 2 days",
        "days": "a time, such as 30 days or 1 year",
        RATIO: "a share, such as 70 %",
        "%": "a share, such as 70 %",
    }
    return f"Type {examples.get(unit, f'a number of {unit}' if unit else 'a number')}."
