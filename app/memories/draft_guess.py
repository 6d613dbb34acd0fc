"""What a text would become as a memory, without writing: type, slot, value, title and the four levels.

Owns how an empty field of a draft is filled. Knows no store. Source: UX 4.4 "create by hand", S3 "Fact Lifecycle: Manual".
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.deciders.memory.levels.compress import compress
from app.deciders.memory.levels.memory_titles import make_memory_title
from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.matching import is_surely_suspicious, is_suspicious
from app.deciders.memory.statements.statements import guess_statement
from app.language.sentences import split_sentences
from app.memories.new_memory import default_importance, slot_columns, slot_key
from app.understanding.message_rows import AnyRow
from app.values import (
    FactCandidate,
    FactType,
    Level,
    Levels,
    MemoryDraft,
    MemoryKind,
    MemoryStatus,
    Origin,
    Slot,
    Trust,
)

_SENTENCES_READ = 20
HELD: dict[str, object] = {
    "status": MemoryStatus.QUARANTINED.value,
    "trust": int(Trust.SPOKEN),
}  # until the person allows it


@dataclass(frozen=True, slots=True)
class Filled:
    """The guessed parts of a draft; what the draft says itself stands."""

    type: FactType | None
    slot: Slot | None
    value: str
    is_negated: bool
    tags: tuple[str, ...]
    texts: Mapping[Level, str]  # of the levels as they would be made
    statement: FactCandidate | None = None  # of a fact: to be held against what is known


def fill_draft(draft: MemoryDraft) -> Filled:
    """What the draft leaves open, guessed from its text."""
    text = draft.text.strip()
    if draft.kind is not MemoryKind.FACT:
        made = measure(text, kind=draft.kind, details=draft.details, slot=draft.slot, value=draft.value)
        return Filled(None, draft.slot, draft.value, False, (), _texts(made))
    guessed = guess_statement(text)
    fact_type = draft.type or guessed.type
    slot = draft.slot or guessed.slot
    is_same_slot = draft.slot is None or draft.slot == guessed.slot
    value = draft.value or (guessed.value if is_same_slot else "")
    made = measure(text, type=fact_type, slot=slot, value=value, is_negated=guessed.is_negated)
    stated = replace(guessed, type=fact_type, slot=slot, value=value)
    return Filled(fact_type, slot, value, guessed.is_negated, guessed.tags, _texts(made), stated)


def would_steer(draft: MemoryDraft) -> bool:
    """Whether any part of the draft would turn an assistant against its person: such a one waits in quarantine (S7)."""
    parts = (draft.text, draft.title, draft.value, draft.summary, draft.compressed, draft.index, *draft.tags)
    return would_steer_in([*parts, draft.details])


def would_steer_in(told: object) -> bool:
    """The same of any texts, however deep they stand."""
    return bool(danger_in(told))


def would_surely_steer(text: str) -> bool:
    """The same by expressions alone, for a piece of a sentence."""
    return is_surely_suspicious(text, load_memory_rules()) is not None


def danger_in(told: object) -> str:
    """Why any of the texts would: for people; "" when none does."""
    rules = load_memory_rules()
    return next((why for part in _strings(told) if part.strip() and (why := is_suspicious(part, rules))), "")


def trust_after_edit(origin: Origin, row: AnyRow, values: Mapping[str, object]) -> dict[str, object]:
    """Trust and status after an edit: a person vouches for the whole, what an assistant wrote waits for a person (S7).

    A dangerous order waits for the person's click even when they wrote it: it may be somebody else's words that they pasted.
    """
    if origin is Origin.PERSON:
        is_held = row.status == MemoryStatus.ACTIVE and would_steer_in(values)
        return HELD if is_held else {"trust": int(Trust.CONFIRMED)}
    if origin is not Origin.API:
        return {}
    is_hostile = row.status == MemoryStatus.QUARANTINED or would_steer_in(values)
    waiting = MemoryStatus.QUARANTINED if is_hostile else MemoryStatus.PROPOSED
    is_away = row.status == MemoryStatus.ARCHIVED
    return {"trust": int(Trust.AGENT)} | ({} if is_away else {"status": waiting.value})


def _strings(node: object) -> list[str]:
    if isinstance(node, str):
        return [node]
    if isinstance(node, Mapping):
        return [text for key, value in node.items() for text in (str(key), *_strings(value))]
    if isinstance(node, list | tuple):
        return [text for value in node for text in _strings(value)]
    return []


def reread(old: AnyRow, full: str) -> dict[str, object]:
    """The columns of type, slot and value that follow a new text, where they followed the old one.

    A sentence that is still about the same speaks for the whole: what was added to it is a remark.
    """
    before, after = guess_statement(old.full), _guess_about(full, old.slot_key)
    values: dict[str, object] = {"is_negated": after.is_negated}
    if old.type == before.type.value:
        values["type"] = after.type.value
    if old.slot_key == slot_key(before.slot) and old.value == before.value:
        values |= slot_columns(after.slot) | {"value": after.value}
    elif after.slot is not None and old.slot_key == slot_key(after.slot):
        values["value"] = after.value
    return values


def _guess_about(text: str, wanted_key: str) -> FactCandidate:
    whole = guess_statement(text)
    if not wanted_key or slot_key(whole.slot) == wanted_key:
        return whole
    parts = (guess_statement(sentence.text) for sentence in split_sentences(text)[:_SENTENCES_READ])
    return next((part for part in parts if slot_key(part.slot) == wanted_key), whole)


def guess_draft(text: str) -> MemoryDraft:
    """A draft with everything filled that can be told from the text."""
    clean = text.strip()
    filled = fill_draft(MemoryDraft(clean))
    return MemoryDraft(
        text=clean,
        type=filled.type,
        title=make_memory_title(clean, filled.slot, filled.value, filled.type),
        slot=filled.slot,
        value=filled.value,
        tags=filled.tags,
        importance=default_importance(filled.type),
        confidence=1.0,
        summary=filled.texts[Level.SUMMARY],
        compressed=filled.texts[Level.COMPRESSED],
        index=filled.texts[Level.INDEX],
    )


def measure(
    text: str,
    *,
    kind: MemoryKind = MemoryKind.FACT,
    type: FactType | None = None,  # noqa: A002 (the word of DESIGN)
    slot: Slot | None = None,
    value: str = "",
    is_negated: bool = False,
    details: Mapping[str, object] | None = None,
) -> Levels:
    """The four levels of a text with their token counts."""
    title = make_memory_title(text, slot, value, type)
    return compress(
        text, kind=kind, type=type, slot=slot, value=value, is_negated=is_negated, title=title, details=details
    )


def _texts(levels: Levels) -> dict[Level, str]:
    return {level: levels.at(level).text for level in Level}
