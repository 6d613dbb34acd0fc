"""Everything the Context screen shows, read on the read worker: one value per question.

Owns what a preview is compared with and which signals are a fair sample. Knows the engine's door, no widget.

What changed from one context to the next, line by line: gone, come, and what is in another tier now. Pure.

Source: UX 4.6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from app.values import (
    AskingCost,
    Context,
    ContextFigures,
    ContextRequest,
    ContextSignals,
    DataKind,
    Placement,
    Receipt,
    Tier,
    WindowPlan,
    WindowRequest,
)
from ui.screens.context.signals import WhatIf
from ui.screens.now.reading import read_connected
from ui.widgets.memories.used_card import act_words
from ui.wording.memories import TIER_WORDS
from ui.wording.values import ago, app_title, counted

if TYPE_CHECKING:
    from app.api import Engine


def compare_contexts(older: Context, newer: Context) -> tuple[str, int, int, int]:
    """The difference as lines with - and + in front, then how many lines came, went and moved.

    A memory told in other words stands as both. What only moved between tiers is one line without a sign.
    """
    was = {item.text: item.tier for item in older.items}
    now = {item.text: item.tier for item in newer.items}
    by_memory = {item.memory_id: item.text for item in older.items if item.memory_id}
    gone = [text for text in was if text not in now]
    lines: list[str] = []
    came_count = 0
    for item in newer.items:
        if item.text in was:
            continue
        former = by_memory.get(item.memory_id) if item.memory_id else None
        if former in gone:
            gone.remove(former)
            lines.append(_signed("-", former))
        lines.append(_signed("+", item.text))
        came_count += 1
    lines = [_signed("-", text) for text in gone] + lines
    gone_count = sum(line.startswith("-") for line in lines)
    moved = [(text, was[text], tier) for text, tier in now.items() if text in was and was[text] is not tier]
    lines += [_moved(text, before, after) for text, before, after in moved]
    return "\n".join(lines), came_count, gone_count, len(moved)


def _signed(sign: str, line: str) -> str:
    """Without the dash that begins each line of a context: it would read as a sign."""
    return f"{sign} {line.removeprefix('- ')}"


def _moved(text: str, before: Tier, after: Tier) -> str:
    return f"{_signed(' ', text)} ({TIER_WORDS[after]}, was {TIER_WORDS[before]})"


CONCERNS = frozenset(
    {DataKind.RECEIPTS, DataKind.MEMORIES, DataKind.CONTRADICTIONS, DataKind.RULES, DataKind.SETTINGS, DataKind.APPS}
)
HISTORY_LIMIT = 100
FIGURE_DAYS = 14
HOOK_CHARS = 10_000  # longer values a host puts into a file


@dataclass(frozen=True, slots=True)
class Ground:
    """What is around a context: history, figures, what can be chosen."""

    receipts: tuple[Receipt, ...]
    projects: tuple[tuple[str, str], ...]
    figures: ContextFigures
    hook_tokens: int
    start_tokens: int
    context_tokens: int
    sample: ContextSignals
    is_giving: bool
    now: datetime
    connected: tuple[str, ...] = ()  # titles of the assistants that may talk to us
    has_memories: bool = True
    has_own_shares: bool = False  # of the tiers: the person has moved a border
    asking: AskingCost = field(default_factory=lambda: AskingCost(0, 0, 0))
    is_asking: bool = True  # in the instructions and at a session start
    is_asking_with_prompts: bool = True


@dataclass(frozen=True, slots=True)
class Shown:
    """One context with what belongs to it; `receipt` is None for what would be given now."""

    context: Context
    receipt: Receipt | None
    usage: Mapping[int, str] = field(default_factory=dict)
    printed: bytes = b""
    event: str = "prompt"  # of the hook that prints it, "" where no hook does
    difference: str = ""
    difference_line: str = ""
    placements: Mapping[int, Placement] = field(default_factory=dict)  # as they are now, also for a moment of the past
    acts: Mapping[int, str] = field(default_factory=dict)  # by memory: what took it up, in words


def read_ground(engine: "Engine", *, app: str, project: str) -> Ground:
    settings = engine.settings.current
    return Ground(
        receipts=engine.context.receipts(app=app, project=project, limit=HISTORY_LIMIT),
        projects=engine.context.projects(),
        figures=engine.context.figures(days=FIGURE_DAYS, app=app, project=project),
        hook_tokens=settings.hook_tokens,
        start_tokens=settings.start_tokens,
        context_tokens=settings.context_tokens,
        sample=sample_signals(engine, app, project),
        is_giving=settings.is_giving_context,
        now=engine.clock.now(),
        connected=read_connected(engine),
        has_memories=engine.memories.count() > 0,
        has_own_shares=bool(settings.tier_shares),
        asking=engine.context.asking_cost(),
        is_asking=settings.is_asking_to_remember,
        is_asking_with_prompts=settings.is_asking_with_prompts,
    )


def status_line(ground: Ground, now: datetime) -> str:
    """What was told last, or why nothing is."""
    if not ground.is_giving:
        return "Giving is switched off in Settings: assistants are given nothing"
    if not ground.receipts:
        return "Nothing was given yet"
    last = ground.receipts[0]
    who = f"Last: {app_title(last.app)}" if last.app else "Last"
    return f"{who} · given {ago(last.at, now)}"


def why_no_lines(ground: Ground | None, *, query: str, tier: Tier | None) -> str:
    """Why no line is shown, and what to do where that is known; `tier` is the one that is shown alone, if others have lines."""
    if query.strip():
        return "No line of this context says that. What comes nearest, and why it was left out:"
    if tier is not None:
        rest = (
            "it is the last one, so its share stays unused" if tier is Tier.INDEX else "its share goes to the next tier"
        )
        return f"Nothing is in the tier {TIER_WORDS[tier]}; {rest}. Press A to see all tiers."
    if ground is not None and not ground.has_memories:
        return "Nothing is remembered yet, so nothing would be sent. Ctrl+N writes a memory down."
    return "Nothing fits, so nothing would be sent. Try another prompt or file, or search above for what you expected: it says why it is missing."


def sample_signals(engine: "Engine", app: str, project: str) -> ContextSignals:
    """The moment of the newest conversation: its project, its first file, its title as the prompt."""
    found = engine.conversations.list(app=app or None, project=project or None)
    if not found:
        places = dict(engine.context.projects())
        path = places.get(project, "") if project else next(iter(places.values()), "")
        return ContextSignals(project_path=path, app=app or "claude-code")
    newest = found[0]
    return ContextSignals(
        project_path=newest.project_path,
        app=newest.app,
        prompt=newest.title,
        current_file=newest.files[0] if newest.files else "",
    )


def find_before(
    receipts: Sequence[Receipt], *, shown_id: int, signals: ContextSignals, replayed: Receipt | None
) -> Receipt | None:
    """What a context is compared with: the one told before it in its project; what would be given now (`shown_id` 0) with
    the moment that is asked again, else with the newest there."""
    if not shown_id:
        path = signals.project_path
        same = [one for one in (replayed, *receipts) if one is not None and one.signals.project_path == path]
        return same[0] if same else None
    row = next((n for n, one in enumerate(receipts) if one.id == shown_id), len(receipts))
    path = receipts[row].signals.project_path if row < len(receipts) else ""
    return next((one for one in receipts[row + 1 :] if one.signals.project_path == path), None)


def request_of(what_if: WhatIf, shares: Mapping[Tier, float]) -> ContextRequest:
    """What would be told now. Nothing is kept or counted."""
    return ContextRequest(
        what_if.signals,
        budget_tokens=what_if.budget_tokens,
        shares=dict(shares),
        delivery=what_if.delivery,
        is_kept=False,
        max_chars=HOOK_CHARS if what_if.delivery.startswith("hook") else None,
    )


def read_live(
    engine: "Engine", what_if: WhatIf, shares: Mapping[Tier, float], host: str, before: Receipt | None
) -> Shown:
    """What would be told now."""
    context = engine.context.assemble(request_of(what_if, shares))
    event = _event_of(what_if.delivery)
    line, difference = _compare(engine, context, before)
    printed = engine.context.as_printed(context.text, app=host, event=event or "prompt")
    return Shown(context, None, {}, printed, event, difference, line, _read_placements(engine))


def read_window(engine: "Engine", what_if: WhatIf, system_prompt: str) -> WindowPlan:
    """A model's whole window now, for the same moment. Nothing is kept or counted."""
    moment = ContextRequest(what_if.signals, delivery="preview", is_kept=False, is_repeating=True)
    return engine.context.window(WindowRequest(moment, system_prompt=system_prompt))


def read_receipt(engine: "Engine", receipt_id: int, host: str, before: Receipt | None) -> Shown:
    """What was told, to the byte. Raises NotFoundError."""
    detail = engine.context.receipt(receipt_id)
    event = _event_of(detail.receipt.delivery)
    line, difference = _compare(engine, detail.context, before)
    printed = engine.context.as_printed(detail.context.text, app=host, event=event or "prompt")
    placements = _read_placements(engine)
    acts = {one.memory_id: act_words(one) for one in detail.citations[::-1]}  # the newest of each
    return Shown(detail.context, detail.receipt, detail.usage, printed, event, difference, line, placements, acts)


def _event_of(delivery: str) -> str:
    """The event of the hook that hands it out, "" for what was asked for.

    >>> _event_of("hook:compaction"), _event_of("turn"), _event_of("mcp:context")
    ('start', 'prompt', '')
    """
    if delivery in ("hook:start", "hook:compaction"):
        return "start"
    return "prompt" if delivery.startswith("hook") or delivery == "turn" else ""


def _read_placements(engine: "Engine") -> dict[int, Placement]:
    return {one.memory_id: one for one in engine.context.placements()}


def _compare(engine: "Engine", context: Context, before: Receipt | None) -> tuple[str, str]:
    """What changed since the context before, as a sentence and as lines."""
    if before is None:
        return "This is the first context of its project: there is nothing to compare with.", ""
    older = engine.context.receipt(before.id).context
    difference, came, went, moved = compare_contexts(older, context)
    when = ago(before.at, engine.clock.now())
    if not difference:
        return f"The same lines as in the context given {when}.", ""
    tokens = context.token_count - older.token_count
    parts = [f"{counted(came, 'line')} more", f"{went:,} fewer"]
    parts += [f"{moved:,} in another tier"] if moved else []
    return f"Since the context given {when}: {', '.join(parts)}, {tokens:+,} tokens", difference
