"""How contexts are said to people: words of tiers, activities, deliveries, uses; lines of receipts.

One place, so that a bar, a list, its accessible names and the strip on Now say the same. Knows no widget and no engine.
Source: UX 2.7, 4.6.
"""

from collections.abc import Mapping
from datetime import datetime

from app.values import (
    Activity,
    AskingCost,
    Context,
    ContextItem,
    FactType,
    LeftOut,
    Level,
    Levels,
    MemoryKind,
    Receipt,
    Tier,
)
from ui.notices import Notice, NoticeKind
from ui.wording.figures import short_path as short_path  # noqa: PLC0414
from ui.wording.memories import KIND_WORDS, LEVEL_WORDS, TIER_WORDS, TYPE_WORDS
from ui.wording.values import ago, app_title, counted, percent

TIER_NOTES = {  # below the name
    Tier.CRITICAL: "needed for this task",
    Tier.RELEVANT: "related to the task",
    Tier.BACKGROUND: "always good to know",
    Tier.INDEX: "if asked",
}
TIER_HELP = {
    Tier.CRITICAL: "decisions and constraints that hold for this task, open questions, recent failures",
    Tier.RELEVANT: "what fits the task or is linked with it",
    Tier.BACKGROUND: "conventions and history of the project",
    Tier.INDEX: "what the assistant can ask for by number",
}
ACTIVITY_WORDS = {
    Activity.GENERAL: "Nothing special",
    Activity.FEATURE: "New feature",
    Activity.DEBUGGING: "Debugging",
    Activity.REVIEWING: "Review",
    Activity.TESTING: "Testing",
}
DELIVERY_WORDS = {
    "hook:prompt": "with a prompt",
    "hook:start": "at session start",
    "hook:compaction": "after a compaction",
    "turn": "with a turn",
    "mcp": "asked over MCP",
    "api": "asked over the API",
    "preview": "preview",
}
AUTOMATIC = "Automatic"
USAGE_WORDS = {"retrieved": "use not known yet", "cited": "used", "ignored": "not used"}
NO_KIND = "topics and questions"


def delivery_words(delivery: str) -> str:
    """How it was given.

    >>> delivery_words("hook:prompt"), delivery_words("mcp:context"), delivery_words("")
    ('with a prompt', 'asked over MCP', 'asked over the API')
    """
    return DELIVERY_WORDS.get(delivery) or DELIVERY_WORDS.get(delivery.split(":", maxsplit=1)[0], "asked over the API")


def kind_words(kind: str) -> str:
    """A fact type or memory kind in words.

    >>> kind_words("decision"), kind_words("episode"), kind_words("")
    ('decision', 'episode', 'topics and questions')
    """
    names: Mapping[str, str] = {
        **{one.value: word for one, word in KIND_WORDS.items() if one is not MemoryKind.FACT},
        **{one.value: word for one, word in TYPE_WORDS.items() if isinstance(one, FactType)},
    }
    return names.get(kind, kind.replace("_", " ") or NO_KIND)


def asked_words(count: int, token_count: int) -> str:
    """How often assistants were asked to remember what you say.

    >>> asked_words(0, 0), asked_words(2, 36)
    ('Not asked in these days.', 'Asked 2 times, 36 tokens.')
    """
    return f"Asked {counted(count, 'time')}, {counted(token_count, 'token')}." if count else "Not asked in these days."


def asking_words(cost: AskingCost, *, is_asking: bool, is_with_prompts: bool) -> str:
    """What each time costs, or that nobody is asked.

    >>> asking_words(AskingCost(45, 19, 18), is_asking=True, is_with_prompts=False)
    'Tokens each time: instructions of the tools 45, session start 19. Prompts: off in Settings.'
    >>> asking_words(AskingCost(45, 19, 18), is_asking=False, is_with_prompts=False)
    'Assistants are not asked: off in Settings.'
    """
    if not is_asking and not is_with_prompts:
        return "Assistants are not asked: off in Settings."
    starts = [f"instructions of the tools {cost.instruction_tokens}", f"session start {cost.start_tokens}"]
    prompt = f"a prompt that sounds lasting {cost.prompt_tokens}, at most one in four"
    said = ", ".join([*(starts if is_asking else ()), *([prompt] if is_with_prompts else ())])
    off = "" if is_asking and is_with_prompts else f" {'Prompts' if is_asking else 'The rest'}: off in Settings."
    return f"Tokens each time: {said}.{off}"


def budget_words(token_count: int, budget_tokens: int) -> str:
    """What is used of a budget.

    >>> budget_words(1980, 8000)
    '1,980 of 8,000 tokens'
    """
    return f"{token_count:,} of {budget_tokens:,} tokens"


def given_line(receipt: Receipt, now: datetime, heading_tokens: int = 0) -> str:
    """A receipt in one line: tokens, those of headings, app, project, time."""
    where = receipt.project or short_path(receipt.signals.project_path)
    parts = (
        budget_words(receipt.token_count, receipt.budget_tokens),
        f"{heading_tokens:,} for headings" if heading_tokens else "",
        app_title(receipt.app) if receipt.app else "",
        where,
        f"given {ago(receipt.at, now)}",
    )
    return " · ".join(filter(None, parts))


def copied_notice(context: Context) -> Notice:
    """That what an assistant reads is on the clipboard.

    >>> from tests.ui.made_contexts import context, item
    >>> copied_notice(context([item(1, "DB: Postgres")])).text
    'Copied the context: 50 tokens'
    """
    return Notice(f"Copied the context: {counted(context.token_count, 'token')}", NoticeKind.GOOD)


def receipt_title(receipt: Receipt) -> str:
    return " · ".join(filter(None, (app_title(receipt.app), receipt.project)))


def receipt_uses(receipt: Receipt) -> str:
    """What came of what was told.

    >>> from tests.ui.made_contexts import receipt
    >>> receipt_uses(receipt(1, item_count=15, cited_count=3, ignored_count=2))
    '15 items · 3 used · 2 passed over'
    """
    if not receipt.is_delivered:
        return f"{counted(receipt.item_count, 'item')} · not delivered"
    parts = [counted(receipt.item_count, "item")]
    parts += [f"{receipt.cited_count:,} used"] if receipt.cited_count else []
    parts += [f"{receipt.ignored_count:,} passed over"] if receipt.ignored_count else []
    return " · ".join(parts)


def spoken_receipt(receipt: Receipt, now: datetime) -> str:
    """One receipt as a sentence for a screen reader."""
    said = (
        given_line(receipt, now),
        delivery_words(receipt.delivery),
        receipt_uses(receipt),
        receipt.signals.prompt[:120],
    )
    return ", ".join(filter(None, said))


def spoken_tier(tier: Tier, used_tokens: int, room_tokens: int, item_count: int) -> str:
    """A tier for a screen reader.

    >>> spoken_tier(Tier.CRITICAL, 1820, 2000, 9)
    'Critical, 1,820 of 2,000 tokens, 9 memories'
    """
    count = counted(item_count, "memory", "memories")
    return f"{TIER_WORDS[tier]}, {used_tokens:,} of {room_tokens:,} tokens, {count}"


def item_figures(item: ContextItem) -> str:
    """Length, level and score of an item in one line."""
    return f"{counted(item.token_count, 'token')} · {LEVEL_WORDS[item.level].lower()} · fits {percent(item.score)}"


def levels_line(levels: Levels, item: ContextItem | None) -> str:
    """How long each level of a memory is, and what its line costs beside that; not of a text that changed since it was told.

    >>> from app.values import LevelText
    >>> from tests.ui.made_contexts import item
    >>> texts = Levels(LevelText("DB: Postgres", 4), LevelText("Postgres", 2), LevelText("", 0), LevelText("db", 1))
    >>> levels_line(texts, item(7, "DB: Postgres", token_count=8))
    'Tokens by size: Full 4 · Summary 2 · Short 0 · Index 1. This line: 4 + 4 for the dash and number before it'
    """
    said = f"Tokens by size: {' · '.join(f'{LEVEL_WORDS[one]} {levels.at(one).token_count:,}' for one in Level)}"
    if item is None or item.text != f"- [{item.memory_id}] {levels.at(item.level).text}":
        return said
    own = levels.at(item.level).token_count
    return f"{said}. This line: {own:,} + {item.token_count - own:,} for the dash and number before it"


def short_figures(item: ContextItem) -> str:
    """Length and how well it fits, where the level is beside them; a topic has no score, and of what is pinned it decides nothing."""
    fits = [f"fits {percent(item.score)}"] if item.score and not item.is_pinned else []
    return " · ".join((counted(item.token_count, "token"), *fits))


def spoken_item(item: ContextItem, text: str, usage: str) -> str:
    parts = [text.rstrip("."), TIER_WORDS[item.tier], item_figures(item), f"given because {item.reason}"]
    parts += ["pinned"] if item.is_pinned else []
    parts += ["may be outdated"] if item.is_stale else []
    parts += [USAGE_WORDS.get(usage, usage)] if usage else []
    return ", ".join(parts)


def spoken_left_out(one: LeftOut, text: str) -> str:
    rank = f", rank {one.rank} of what was left out" if one.rank else ""
    return f"{text.rstrip('.')}, not given: {one.reason}{rank}"


def out_figures(one: LeftOut) -> str:
    """Rank, score and length of what was left out, as far as they are known."""
    parts = [f"rank {one.rank}", f"score {percent(one.score)}"] if one.rank else []
    parts += [counted(one.token_count, "token")] if one.token_count else []
    return " · ".join(parts)


_SEEMS = {
    Activity.FEATURE: "build something new",
    Activity.DEBUGGING: "look for an error",
    Activity.REVIEWING: "review",
    Activity.TESTING: "test",
}
_WORTH_SAYING = 0.25  # how likely an expectation is before it is said


def activity_line(context: Context) -> str:
    """What the person is, or seems to be, about; empty when nothing points to it."""
    said = _SEEMS.get(context.activity, "")
    is_chosen = f"{context.activity.value}: as asked for" in context.warnings
    return f"you {said}" if said and is_chosen else f"you seem to {said}" if said else ""


def notes_of(context: Context) -> tuple[str, ...]:
    """What else the engine says of a context: its warnings, and what it expects to be needed."""
    prefix = f"{context.activity.value}: "
    notes = [one for one in context.warnings if not one.startswith(prefix)]
    prediction = context.prediction
    if prediction is not None and prediction.reasons and prediction.confidence >= _WORTH_SAYING:
        notes.append(f"expected next: {prediction.reasons[0]} ({percent(prediction.confidence)})")
    return tuple(notes)
