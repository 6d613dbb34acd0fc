"""How each kind of memory is written at each level, before the guarantees of `app.memory.compress`.

Owns the forms: "Database: PostgreSQL (JSON support)", "db:pg", "deploy: test→build→prod". Source: S4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.memory.abbreviations import load_abbreviations, split_words
from app.memory.shorten import choose_words, join_words, places_of, with_needs
from app.memory.summarise import summarise_messages
from app.memory.tokens import count_tokens
from app.memory.wording import CARRYING, Kind, Word, read_words
from app.values.memory import Slot

SUMMARY_RATIO = 0.40
COMPRESSED_RATIO = 0.15
MIN_SUMMARY_TOKENS = 4
MIN_COMPRESSED_TOKENS = 3
EPISODE_SUMMARY_TOKENS = 60
EPISODE_COMPRESSED_TOKENS = 12
MAX_INDEX_CHARS = 50
_INDEX_WORDS = 3


@dataclass(frozen=True, slots=True)
class Forms:
    """What each level should be; `indexes` are drafts, the best first."""

    summary: str
    compressed: str
    indexes: tuple[str, ...]


def text_forms(words: Sequence[Word], full_tokens: int) -> Forms:
    """The levels of a statement as it was said."""
    summary_budget = max(MIN_SUMMARY_TOKENS, int(full_tokens * SUMMARY_RATIO))
    compressed_budget = max(MIN_COMPRESSED_TOKENS, int(full_tokens * COMPRESSED_RATIO))
    summary = choose_words(words, summary_budget, always=places_of(CARRYING, words))
    compressed = choose_words(words, compressed_budget, always=_main_negation(words))
    return Forms(join_words(words, summary), _abbreviate(words, compressed), _indexes(words))


def slot_forms(words: Sequence[Word], full_tokens: int, slot: Slot, value: str, *, is_negated: bool) -> Forms | None:
    """The levels of a statement about a slot; None when its "not" would not be told so."""
    said = {
        part.lower()
        for part in (
            *split_words(slot.attribute),
            *split_words(slot.subject),
            *split_words(slot.scope),
            *split_words(value),
        )
    }
    covered = {place for place, word in enumerate(words) if word.lower in said or word.lower == value.lower()}
    denying = {need for place in covered for need in words[place].needs if words[need].kind is Kind.NEGATION}
    if denying and not is_negated:
        return None
    skipped = covered | (denying if is_negated else set())
    no = "not " if is_negated else ""
    where = f" ({slot.scope})" if slot.scope else ""
    head = f"{slot.subject} {slot.attribute}".strip()
    summary = f"{head[:1].upper()}{head[1:]}{where}: {no}{value}"
    room = max(0, int(full_tokens * SUMMARY_RATIO) - count_tokens(summary) - 2)
    extras = join_words(words, choose_words(words, room, always=places_of(CARRYING, words) - skipped, skipped=skipped))
    shorter = load_abbreviations()
    short_head = "-".join(shorter.shorten(head.lower().split()))
    short_where = f"@{'-'.join(shorter.shorten(slot.scope.split()))}" if slot.scope else ""
    compressed = f"{short_head}{short_where}:{no}{' '.join(shorter.shorten(value.split()))}"
    few = choose_words(
        words, max(0, int(full_tokens * COMPRESSED_RATIO) - count_tokens(compressed) - 2), skipped=skipped
    )
    few_text = ",".join(shorter.shorten([words[place].text for place in few]))
    index_value = "-".join(shorter.shorten((no + value).lower().split(), includes_names=True))
    return Forms(
        f"{summary} ({extras})" if extras else summary,
        f"{compressed}({few_text})" if few_text else compressed,
        (f"{short_head}{short_where}:{index_value}", f"{short_head}:{index_value}", index_value),
    )


def episode_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms:
    """The levels of a story: its weightiest sentences, then who and what came out."""
    narrative = str(details.get("narrative") or text)
    outcome = str(details.get("outcome") or "")
    summary, topics = summarise_messages(narrative.splitlines() or [narrative], max_tokens=EPISODE_SUMMARY_TOKENS)
    if outcome and outcome.lower() not in summary.lower():
        summary = f"{summary}; {outcome}" if summary else outcome
    name = title or " ".join(topics[:2])
    words = read_words(f"{narrative}\n{outcome}")
    few = choose_words(words, EPISODE_COMPRESSED_TOKENS, always=_main_negation(words))
    head = "_".join(load_abbreviations().shorten(split_words(name.lower())))
    return Forms(summary, f"{head}: {_abbreviate(words, few)}", (head, *_indexes(read_words(name))))


def pattern_forms(title: str, details: Mapping[str, Any]) -> Forms | None:
    """The levels of a code pattern: its template, then the template's parts as a line; None without a template."""
    template = details.get("template")
    if not template:
        return None
    trigger = str(details.get("trigger") or title)
    if not isinstance(template, Mapping):
        return None
    summary = "\n".join(f"{part}: {content}" for part, content in template.items())
    return _chain(title or trigger, [str(part) for part in template], f"{trigger}\n{summary}")


def workflow_forms(title: str, details: Mapping[str, Any]) -> Forms | None:
    """The levels of a workflow: its steps with their commands, then the steps as a line; None without steps."""
    steps = details.get("steps")
    if not isinstance(steps, Sequence) or isinstance(steps, str) or not steps:
        return None
    name = title or str(details.get("trigger") or "")
    line = "→".join(str(step) for step in steps)
    return _chain(name, [str(step) for step in steps], f"{name}: {line}" if name else line)


def _chain(name: str, parts: Sequence[str], summary: str) -> Forms:
    shorter = load_abbreviations()
    head = "_".join(shorter.shorten(split_words(name.lower())))
    short = "→".join(" ".join(shorter.shorten(part.split())) for part in parts)
    return Forms(summary, f"{head}: {short}" if head else short, (head, *_indexes(read_words(name))))


def _main_negation(words: Sequence[Word]) -> set[int]:
    """The first negation of the weightiest clause that has one."""
    places = [place for place, word in enumerate(words) if word.kind is Kind.NEGATION]
    if not places:
        return set()
    return {max(places, key=lambda place: (sum(words[k].weight for k in words[place].needs), -place))}


def _abbreviate(words: Sequence[Word], kept: Sequence[int]) -> str:
    return " ".join(load_abbreviations().shorten([words[place].text for place in kept]))


def _indexes(words: Sequence[Word]) -> tuple[str, ...]:
    """Drafts of an index: the weightiest words joined, from three down to one."""
    drafts: list[str] = []
    negation = _main_negation(words)
    for count in range(_INDEX_WORDS, 0, -1):
        kept = choose_words(words, MAX_INDEX_CHARS, always=negation, limit=count)
        short = load_abbreviations().shorten([words[place].lower for place in kept], includes_names=True)
        drafts += ["_".join(short), " ".join(short)]
    if negation:
        kept = sorted(with_needs(min(negation), words))
        drafts.append(" ".join(words[place].lower for place in kept))
    return tuple(dict.fromkeys(drafts))
