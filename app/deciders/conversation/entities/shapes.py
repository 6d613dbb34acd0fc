"""Entities that their shape or a word list gives away: code, files, paths, commands, values, known names.

Works on tokens, left to right, longest first. Knows nothing of noun phrases.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.language.lexicon import Tag
from app.language.phrases import Analysis
from app.language.tokens import Token, is_technical
from app.resources import words_of
from app.values import EntityKind


class EntitySpan(NamedTuple):
    text: str
    kind: EntityKind
    start: int
    end: int
    first: int
    last: int
    confidence: float
    canonical: str = ""
    head: str = ""


_STATUS_DIGITS = 3
_MAX_GENERIC_TOKENS = 12
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|(?<![\w'])'([^'\n]{1,60})'(?![\w'])")
_VERSION = re.compile(r"^v?\d+(\.\d+){1,3}([-+.]?(rc|beta|alpha|dev)\w*)?$|^v\d+$", re.IGNORECASE)
_QUANTITY = re.compile(r"^\d+([.,]\d+)?([a-z%]{0,6})$", re.IGNORECASE)
_CODE_NAME = re.compile(
    r"#\d{1,5}|[A-Z]{1,4}(?:-?[A-Z]{1,4})?\d{1,4}(?:/[A-Z]*\d{1,4})*|\d{1,3}xx|[a-z]{3,}\d{1,3}"
)  # #4, D22, Q-UX1, 5xx, utf8
_CLOCK = re.compile(r"^(?:[01]?\d|2[0-3]):[0-5]\d$")
_FLAG = re.compile(r"^-(?:[A-Za-z]\d?|[A-Z][\w-]*|[A-Za-z][\w-]*=\S+)$")  # -x, -O2, -Wall, -timeout=5m
_HEX = re.compile(r"^#[0-9a-fA-F]{3,8}$")
_DATE = re.compile(r"^[\d/.:-]+$|^\d{4}-\d\d-\d\dT|^(?:e\.g|i\.e|a\.k\.a|etc)$", re.IGNORECASE)
_PATH_SHAPE = re.compile(r"^https?://|^\.{1,2}/|^~/|/.*/|/$|\\")
_CALL = re.compile(r"^[\w.$:]+\(\)$")
_MIXED = re.compile(r"\w=\w|[a-z][A-Z]|[A-Za-z]_[A-Za-z]|^__?\w+|^\w+_$|\w::\w|\w\.\w")


@dataclass(frozen=True, slots=True)
class ShapeRules:
    gazetteer: Gazetteer
    colours: frozenset[str]
    units: frozenset[str]
    http_methods: frozenset[str]
    extensions: frozenset[str]
    file_names: frozenset[str]
    commands: Mapping[str, frozenset[str]]
    subcommands: frozenset[str]

    @staticmethod
    def parse(rules: Mapping[str, object], gazetteer: Gazetteer) -> "ShapeRules":
        """The shape part of `entities.yaml`."""
        commands = rules.get("commands")
        return ShapeRules(
            gazetteer=gazetteer,
            colours=frozenset(words_of(rules.get("colours"))),
            units=frozenset(words_of(rules.get("units"))),
            http_methods=frozenset(words_of(rules.get("http_methods"))),
            extensions=frozenset(words_of(rules.get("extensions"))),
            file_names=frozenset(words_of(rules.get("file_names"))),
            commands={str(k): frozenset(words_of(v)) for k, v in commands.items()}
            if isinstance(commands, Mapping)
            else {},
            subcommands=frozenset(words_of(rules.get("subcommands"))),
        )


def find_shapes(analysis: Analysis, rules: ShapeRules) -> list[EntitySpan]:
    """Spans by place, not overlapping."""
    tokens = analysis.tokens
    quoted = _quoted_spans(analysis)
    found: list[EntitySpan] = []
    index = 0
    while index < len(tokens):
        span = quoted.get(index) or _at(analysis, index, rules)
        if span is None:
            index += 1
            continue
        found.append(span)
        index = span.last
    return found


def _quoted_spans(analysis: Analysis) -> dict[int, EntitySpan]:
    text, spans = analysis.text, dict[int, EntitySpan]()
    if '"' not in text and "'" not in text and "“" not in text:
        return spans
    starts = {token.start: index for index, token in enumerate(analysis.tokens)}
    ends = {token.end: index + 1 for index, token in enumerate(analysis.tokens)}
    for match in _QUOTED.finditer(text):
        first, last = starts.get(match.start()), ends.get(match.end())
        inner = next(group for group in match.groups() if group is not None)
        if first is None or last is None or len(inner.split()) > 6 or not inner.strip():
            continue
        start = match.start() + 1 + len(inner) - len(inner.lstrip())
        name = inner.strip().rstrip(" .,!?;:") or inner.strip()
        spans[first] = EntitySpan(name, EntityKind.QUOTED, start, start + len(name), first, last, 0.85)
    return spans


def _at(analysis: Analysis, index: int, rules: ShapeRules) -> EntitySpan | None:
    token = analysis.tokens[index]
    if not token.is_word:
        return None
    if token.is_code:
        return _code(analysis, index, rules)
    known = _command(analysis, index, rules) or _generic(analysis, index)
    if known is not None:
        return known
    match = rules.gazetteer.find(analysis.tokens, index)
    if match is not None and (match.length > 1 or analysis.tags[index] is not Tag.VERB):
        last = index + match.length
        return _span(analysis, index, last, EntityKind.TECHNOLOGY, 0.9, canonical=match.technology.name)
    value = _value(analysis, index, rules)
    if value is not None:
        return value
    if token.text[0] == "#" and index and analysis.tokens[index - 1].lower == "image":
        return None
    if is_technical(token.text):
        kind = classify_term(token.text, rules)
        return _span(analysis, index, index + 1, kind, 0.85) if kind is not None else None
    if token.lower in rules.file_names and token.text != token.lower:
        return _span(analysis, index, index + 1, EntityKind.FILE, 0.8)
    return None


def _span(
    analysis: Analysis, first: int, last: int, kind: EntityKind, confidence: float, *, canonical: str = ""
) -> EntitySpan:
    start, end = analysis.tokens[first].start, analysis.tokens[last - 1].end
    return EntitySpan(analysis.text[start:end], kind, start, end, first, last, confidence, canonical)


def _code(analysis: Analysis, index: int, rules: ShapeRules) -> EntitySpan:
    token = analysis.tokens[index]
    inner = token.text[1:-1].strip()
    known = rules.gazetteer.of(inner)
    kind = classify_term(inner, rules) or EntityKind.QUOTED
    if " " in inner:
        kind = EntityKind.COMMAND if inner.split(" ", 1)[0] in rules.commands else EntityKind.QUOTED
    elif known is not None:
        kind = EntityKind.TECHNOLOGY
    start = token.start + 1 + (len(token.text[1:-1]) - len(token.text[1:-1].lstrip()))
    canonical = known.name if known is not None and kind is EntityKind.TECHNOLOGY else ""
    return EntitySpan(inner, kind, start, start + len(inner), index, index + 1, 0.95, canonical)


def classify_term(word: str, rules: ShapeRules) -> EntityKind | None:
    """The kind of a technical word; None when its shape says nothing ("10", "and/or").

    >>> classify_term("createHash", ShapeRules.parse({}, Gazetteer.parse({}))).value
    'symbol'
    """
    if _CODE_NAME.fullmatch(word):
        return EntityKind.THING
    if _VERSION.match(word) or _HEX.match(word) or _CLOCK.match(word):
        return EntityKind.VALUE
    if len(word.strip("/.")) < 2 or _DATE.match(word):
        return None
    if _CALL.match(word):
        return EntityKind.SYMBOL
    lower = word.lower()
    if lower.strip("./") in rules.file_names or (word[0] != "@" and _has_extension(lower, rules)):
        return EntityKind.FILE
    marked = _marked(word, rules)
    if marked is not None:
        return marked
    return EntityKind.SYMBOL if "/" not in word and _MIXED.search(word) else None


def _marked(word: str, rules: ShapeRules) -> EntityKind | None:
    """What a leading sign or a slash makes of a word."""
    if word.startswith("--") or _FLAG.match(word):
        return EntityKind.COMMAND
    if word[0] == "@":
        if "/" in word or word[1:2] == "." or _has_extension(word.lower(), rules):
            return EntityKind.FILE
        return EntityKind.SYMBOL if word.count(".") > 1 else EntityKind.PERSON  # @jane.doe, but @order.guest.name
    if _PATH_SHAPE.search(word):
        return EntityKind.PATH
    if word[0] == "/":
        return EntityKind.COMMAND
    if word[0] == "." or word.startswith("*."):
        return EntityKind.SYMBOL if word[1:2].isupper() else EntityKind.FILE
    is_path = "/" in word and any(_MIXED.search(part) for part in word.split("/"))
    return EntityKind.PATH if is_path else None


def _has_extension(lower: str, rules: ShapeRules) -> bool:
    stem, dot, extension = lower.rpartition(".")
    return bool(dot) and extension in rules.extensions and (bool(stem) or len(extension) > 2)


def _value(analysis: Analysis, index: int, rules: ShapeRules) -> EntitySpan | None:
    token = analysis.tokens[index]
    if token.lower in rules.colours and (token.text == token.lower or analysis.tags[index] is not Tag.NAME):
        return _span(analysis, index, index + 1, EntityKind.VALUE, 0.85, canonical=token.lower)
    quantity = _QUANTITY.match(token.lower)
    if quantity is None:
        if token.lower in rules.http_methods and (token.text.isupper() or _is_method(analysis, index, rules)):
            return _span(analysis, index, index + 1, EntityKind.VALUE, 0.8, canonical=token.text.upper())
        return None
    following = analysis.tokens[index + 1].lower if index + 1 < len(analysis.tokens) else ""
    if quantity.group(2):
        is_known = quantity.group(2) in rules.units
        return _span(analysis, index, index + 1, EntityKind.VALUE, 0.85) if is_known else None
    if following in rules.units and following != "x":
        return _span(analysis, index, index + 2, EntityKind.VALUE, 0.85)
    return _span(analysis, index, index + 1, EntityKind.VALUE, 0.6) if _stands_alone(analysis, index) else None


def _is_method(analysis: Analysis, index: int, rules: ShapeRules) -> bool:
    """ "get not post", "a post request": HTTP methods in lower case."""
    words = [token.lower for token in analysis.tokens[max(0, index - 2) : index + 3]]
    place = min(index, 2)
    left, right = words[:place], words[place + 1 :]
    is_set_against = (left[-1:] == ["not"] and left[0] in rules.http_methods) or (
        right[:1] == ["not"] and right[-1] in rules.http_methods
    )
    return is_set_against or right[:1] in (["request"], ["requests"], ["method"], ["endpoint"], ["handler"])


def _stands_alone(analysis: Analysis, index: int) -> bool:
    """ "raise it to 30", "a 502": a number that counts no noun."""
    tokens, tags = analysis.tokens, analysis.tags
    left = tags[index - 1] if index else Tag.PUNCT
    if left in (Tag.NOUN, Tag.NAME, Tag.NUM) or index == 0:
        return False  # "line 576", "option 2"
    right = tags[index + 1] if index + 1 < len(tags) else Tag.PUNCT
    if right in (Tag.NOUN, Tag.ADJ, Tag.NAME, Tag.TECH, Tag.GERUND, Tag.VERB):
        return False
    return len(tokens[index].text) == _STATUS_DIGITS or (
        left in (Tag.PREP, Tag.AUX) and not _is_list_mark(tokens, index)
    )


def _is_list_mark(tokens: tuple[Token, ...], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].text == "."


def _command(analysis: Analysis, index: int, rules: ShapeRules) -> EntitySpan | None:
    tokens = analysis.tokens
    allowed = rules.commands.get(tokens[index].text)
    is_noun = index > 0 and analysis.tags[index - 1] in (Tag.DET, Tag.ADJ)  # "the go version"
    if allowed is None or index + 1 >= len(tokens) or is_noun:
        return None
    following = tokens[index + 1].text
    if following not in allowed if allowed else not (following in rules.subcommands or following.startswith("-")):
        return None
    last = index + 2
    while last < len(tokens) and last < index + 6 and _continues_command(tokens, last, rules):
        last += 1
    return _span(analysis, index, last, EntityKind.COMMAND, 0.85)


def _generic(analysis: Analysis, index: int) -> EntitySpan | None:
    """ "Vec<String>", "Map<K, V>": a type with what it holds, written without gaps before its brackets."""
    tokens = analysis.tokens
    if index + 3 >= len(tokens) or tokens[index + 1].text != "<" or not tokens[index].text[0].isalpha():
        return None
    if tokens[index + 1].start != tokens[index].end or tokens[index + 2].start != tokens[index + 1].end:
        return None
    depth = 0
    for place in range(index + 1, min(len(tokens), index + _MAX_GENERIC_TOKENS)):
        text = tokens[place].text
        depth += (text == "<") - (text == ">")
        if depth == 0:
            return _span(analysis, index, place + 1, EntityKind.SYMBOL, 0.9)
        if not (tokens[place].is_word or text in "<>,&[]?"):
            return None
    return None


def _continues_command(tokens: tuple[Token, ...], index: int, rules: ShapeRules) -> bool:
    token = tokens[index]
    return (token.text.startswith("-") and len(token.text) > 1) or token.text in rules.subcommands
