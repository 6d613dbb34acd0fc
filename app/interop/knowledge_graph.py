"""Writes and reads `knowledge-graph.yaml`: the learned rules in the shape that the seed prints.

The seed's sections come first and hold what they can; `remanence` behind them holds what they have no place for (dates, switches,
projects, sequences, fixes), so that write and read give the same rules. What a person changes in the seed's sections counts: a
confidence, a line taken out, a line added. Files with only the seed's sections are read too. Source: S1 Tier 2.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.errors import InvalidError
from app.interop.prompts import parse_instant
from app.values.rules import LearnedRule, RuleKind
from app.values.understanding import Intent

KNOWLEDGE_NAME = "knowledge-graph.yaml"
MOST_BYTES = 200_000  # S1: "< 200 KB"
EXTRA = "remanence"
_MARKER_CONFIDENCE, _SIGN_CONFIDENCE = 0.95, 0.8  # the seed prints none for these
_SEEN_OF_FILE = 3  # a rule that somebody wrote down counts as seen so often
_READ_BYTES = 5_000_000
_RULE_BYTES = 235  # of one rule beside its words
_SEED_KINDS = frozenset(
    {RuleKind.PHRASE, RuleKind.PRONOUN, RuleKind.DEMONSTRATIVE, RuleKind.FILES, RuleKind.MARKER, RuleKind.SIGN}
)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Key:
    kind: RuleKind
    pattern: str
    identity: str


def write_knowledge(rules: Sequence[LearnedRule]) -> bytes:
    """The file; above 200 KB the weakest rules stay out."""
    import yaml  # late: read by the few who ask for it

    kept = _fitting(rules)
    document: Row = {
        "conversation_patterns": [_phrase_row(one) for one in kept if one.kind is RuleKind.PHRASE],
        "entity_resolution": {
            "pronouns": _by_word(one for one in kept if one.kind is RuleKind.PRONOUN),
            "demonstratives": _by_word(one for one in kept if one.kind is RuleKind.DEMONSTRATIVE),
        },
        "file_relationships": {"co_modified": [_files_row(one) for one in kept if one.kind is RuleKind.FILES]},
        "conversation_boundaries": {
            "explicit_markers": [one.pattern for one in kept if one.kind is RuleKind.MARKER],
            "implicit_markers": [
                {one.pattern: one.details.get("value", True)} for one in kept if one.kind is RuleKind.SIGN
            ],
        },
        EXTRA: {"rules": [_extra_row(one) for one in kept]},
    }
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    written: str = yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True, width=120)
    return written.encode("utf-8")


def estimate_bytes(rules: Iterable[LearnedRule]) -> int:
    """About how many bytes the rules take in the file."""
    return sum(_RULE_BYTES + 2 * len(one.pattern) + len(json.dumps(dict(one.details))) for one in rules)


def _fitting(rules: Sequence[LearnedRule]) -> list[LearnedRule]:
    size = estimate_bytes(rules)
    dropped: set[int] = set()
    for place in sorted(
        range(len(rules)), key=lambda at: (rules[at].is_edited, rules[at].confidence, rules[at].seen_count)
    ):
        if size <= MOST_BYTES:
            break
        size -= estimate_bytes([rules[place]])
        dropped.add(place)
    return [one for place, one in enumerate(rules) if place not in dropped]


def _phrase_row(rule: LearnedRule) -> Row:
    row: Row = {"pattern": rule.pattern}
    if rule.details.get("context_required"):
        row["context_required"] = list(rule.details["context_required"])
    intents = list(rule.details.get("intents", ()))
    row |= {"intent": intents[0]} if len(intents) == 1 else {"multi_intent": intents}
    return row | {"confidence": rule.confidence, "learned_from": rule.seen_count}


def _by_word(rules: Iterable[LearnedRule]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for one in rules:
        found.setdefault(one.pattern, []).append({**one.details, "confidence": one.confidence})
    return found


def _files_row(rule: LearnedRule) -> Row:
    row: Row = {"files": list(rule.details.get("files", ())), "frequency": rule.seen_count}
    return row | ({"pattern": rule.details["pattern"]} if rule.details.get("pattern") else {})


def _extra_row(rule: LearnedRule) -> Row:
    """What the seed's section does not say of it; all of a rule of a kind that the seed does not have."""
    row: Row = {"kind": rule.kind.value, "pattern": rule.pattern}
    if rule.candidate.identity:
        row["wants"] = rule.candidate.identity
    if rule.kind not in _SEED_KINDS:
        row["details"] = dict(rule.details)
    if rule.kind is not RuleKind.PHRASE:
        row |= {"confidence": rule.confidence, "learned_from": rule.seen_count}
    row |= {"first_seen": _iso(rule.first_seen_at), "last_seen": _iso(rule.last_seen_at)}
    is_corrected = rule.kind is RuleKind.PHRASE and bool(rule.details.get("corrected"))
    flags = (("off", not rule.is_on), ("edited", rule.is_edited), ("corrected", is_corrected))
    row |= {name: value for name, value in flags if value}
    return row | ({"project": rule.project} if rule.project else {})


def _iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


# reading ---------------------------------------------------------------------------------------------


def read_knowledge(raw: bytes, now: datetime) -> tuple[LearnedRule, ...]:
    """The rules of a file, in its order; numbers are 0. Raises InvalidError, naming the place, for one that is none."""
    document = _load(raw)
    extra = {_key_of(row): row for row in _rows(_mapping(document.get(EXTRA)).get("rules"), f"{EXTRA}.rules")}
    found = [_with_extra(one, extra) for one in _seed_rules(document, now)]
    own = [row for key, row in extra.items() if key.kind not in _SEED_KINDS]
    return (*found, *(_own_rule(row, now) for row in own))


def _load(raw: bytes) -> Row:
    import yaml

    if len(raw) > _READ_BYTES:
        raise InvalidError(f"{KNOWLEDGE_NAME} is larger than 5 MB.", hint="The app writes at most 200 KB.")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if "&" in (text := raw.decode("utf-8-sig")) and any(
            isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=loader)
        ):
            raise InvalidError(f"{KNOWLEDGE_NAME} refers to itself.", hint="Write each rule out.")
        document = yaml.load(text, Loader=loader)  # noqa: S506 (a safe loader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InvalidError(f"{KNOWLEDGE_NAME} cannot be read: {error}", hint="It must be YAML in UTF-8.") from error
    if not isinstance(document, dict):
        raise InvalidError(f"{KNOWLEDGE_NAME} must hold a mapping.", hint="Compare it with one that the app wrote.")
    return document


def _seed_rules(document: Row, now: datetime) -> Iterator[LearnedRule]:
    for row in _rows(document.get("conversation_patterns"), "conversation_patterns"):
        yield _phrase(row, now)
    resolution = _mapping(document.get("entity_resolution"))
    for section, kind in (("pronouns", RuleKind.PRONOUN), ("demonstratives", RuleKind.DEMONSTRATIVE)):
        for word, rows in _mapping(resolution.get(section)).items():
            for row in _rows(rows, f"entity_resolution.{section}.{word}"):
                details = {name: value for name, value in row.items() if name != "confidence"}
                yield _rule(kind, str(word), details, _ratio(row.get("confidence"), 0.6), _SEEN_OF_FILE, now)
    for row in _rows(_mapping(document.get("file_relationships")).get("co_modified"), "file_relationships.co_modified"):
        files = [str(one) for one in row.get("files") or ()]
        if len(files) < 2:
            raise InvalidError("A pair in file_relationships.co_modified names no two files.", hint="Take it out.")
        details = {"files": files} | ({"pattern": str(row["pattern"])} if row.get("pattern") else {})
        count = _count(row.get("frequency"))
        yield _rule(
            RuleKind.FILES, " + ".join(files), details, _ratio(None, min(0.99, 0.55 + 0.05 * count)), count, now
        )
    boundaries = _mapping(document.get("conversation_boundaries"))
    for phrase in boundaries.get("explicit_markers") or ():
        yield _rule(RuleKind.MARKER, str(phrase), {}, _MARKER_CONFIDENCE, _SEEN_OF_FILE, now)
    for row in _rows(boundaries.get("implicit_markers"), "conversation_boundaries.implicit_markers"):
        for name, value in row.items():
            yield _rule(RuleKind.SIGN, str(name), {"value": value}, _SIGN_CONFIDENCE, _SEEN_OF_FILE, now)


def _phrase(row: Row, now: datetime) -> LearnedRule:
    named = row.get("multi_intent") or [row.get("intent")]
    intents = [str(one) for one in named if one in set(Intent)]
    pattern = str(row.get("pattern") or "").strip()
    if not pattern or len(intents) != len(named):
        raise InvalidError(
            f"A pattern in conversation_patterns is not right: {pattern or 'it has no pattern'}.",
            hint=f"An intent is one of {', '.join(Intent)}.",
        )
    details: Row = {"intents": intents}
    if row.get("context_required"):
        details["context_required"] = [str(one) for one in row["context_required"]]
    confidence = _ratio(row.get("confidence"), 0.6)
    return _rule(RuleKind.PHRASE, pattern, details, confidence, _count(row.get("learned_from")), now)


def _rule(kind: RuleKind, pattern: str, details: Row, confidence: float, seen_count: int, now: datetime) -> LearnedRule:
    return LearnedRule(0, kind, pattern[:300], details, confidence, seen_count, now, now, 0)


def _with_extra(rule: LearnedRule, extra: Mapping[_Key, Row]) -> LearnedRule:
    row = extra.get(_Key(rule.kind, rule.pattern, rule.candidate.identity))
    if row is None:
        return rule
    changed = _dated(rule, row)
    if rule.kind is RuleKind.PHRASE and row.get("corrected") is True:
        changed = replace(changed, details={**changed.details, "corrected": True})
    if rule.kind in {RuleKind.PRONOUN, RuleKind.DEMONSTRATIVE}:
        changed = replace(changed, seen_count=_count(row.get("learned_from")))
    elif rule.kind is not RuleKind.PHRASE:
        seen = rule.seen_count if rule.kind is RuleKind.FILES else _count(row.get("learned_from"))
        changed = replace(changed, confidence=_ratio(row.get("confidence"), rule.confidence), seen_count=seen)
    return changed


def _own_rule(row: Row, now: datetime) -> LearnedRule:
    confidence, count = _ratio(row.get("confidence"), 0.6), _count(row.get("learned_from"))
    rule = _rule(RuleKind(row["kind"]), str(row["pattern"]), _mapping(row.get("details")), confidence, count, now)
    return _dated(rule, row)


def _dated(rule: LearnedRule, row: Row) -> LearnedRule:
    return replace(
        rule,
        first_seen_at=parse_instant(row.get("first_seen")) or rule.first_seen_at,
        last_seen_at=parse_instant(row.get("last_seen")) or rule.last_seen_at,
        is_on=row.get("off") is not True,
        is_edited=row.get("edited") is True,
        project=str(row.get("project") or ""),
    )


def _key_of(row: Row) -> _Key:
    try:
        return _Key(RuleKind(str(row.get("kind"))), str(row.get("pattern") or ""), str(row.get("wants") or ""))
    except ValueError as error:
        raise InvalidError(f"A rule has no kind that is known: {row.get('kind')}.", hint="Take it out.") from error


def _rows(value: object, place: str) -> list[Row]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidError(f"{place} must be a list of rules.", hint="Compare it with a file that the app wrote.")
    return value


def _mapping(value: object) -> Row:
    return value if isinstance(value, dict) else {}


def _ratio(value: object, otherwise: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if is_number else otherwise  # type: ignore[arg-type]


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1_000_000 else 1
