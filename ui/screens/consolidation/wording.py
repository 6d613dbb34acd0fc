"""How runs, reports and changes are told. Values in, words out; no widget."""

from datetime import datetime

from app.values.consolidation import (
    ActionCard,
    ActionState,
    ConsolidationState,
    Habit,
    HabitCard,
    RunCard,
    RunReport,
    RunState,
    RunTrigger,
    StepCount,
)
from ui.wording.figures import counted, describe_moment

_COUNTS = (  # field, what is counted where it must be named, what becomes of it
    ("deduped", "", "merged"), ("compressed", "", "shortened"), ("forgotten", "", "archived"), ("linked", "", "linked"),
    ("promoted", "", "promoted"), ("demoted", "", "demoted"), ("contradictions_found", "contradiction", "found"),
    ("episodes_merged", "group", "of episodes combined"), ("notes_compacted", "note", "compacted"),
    ("patterns_added", "rule", "added"), ("patterns_reinforced", "rule", "reinforced"), ("patterns_pruned", "rule", "pruned"),
)  # fmt: skip
_TRIGGERS = {
    RunTrigger.BUTTON: "you asked",
    RunTrigger.EVENTS: "after many events",
    RunTrigger.HOURS: "a day went by",
    RunTrigger.NIGHT: "at night",
    RunTrigger.API: "a program asked",
    RunTrigger.PREVIEW: "a preview",
}
_STATES = {
    ActionState.PROPOSED: "proposed",
    ActionState.APPLIED: "done",
    ActionState.REJECTED: "left out",
    ActionState.UNDONE: "undone",
}
TIDY = "Everything is tidy."


def report_line(report: RunReport) -> str:
    """The numbers that are not nothing.

    >>> report_line(RunReport(deduped=12, forgotten=7, tokens_reclaimed=1_310))
    '12 merged · 7 archived · 1,310 tokens less'
    >>> report_line(RunReport(contradictions_found=1, patterns_added=2))
    '1 contradiction found · 2 rules added'
    >>> report_line(RunReport())
    ''
    """
    parts = []
    for name, noun, verb in _COUNTS:
        count = getattr(report, name)
        if count:
            parts.append(f"{counted(count, noun) if noun else f'{count:,}'} {verb}")
    if report.tokens_reclaimed:
        parts.append(f"{counted(report.tokens_reclaimed, 'token')} less")
    return " · ".join(parts)


def count_line(one: StepCount) -> str:
    """How many changes of a kind there are, as the report counts them; beside it those that came to nothing.

    >>> count_line(StepCount("links", "Looking for links", "link", "linked", applied=19, rejected=1))
    '19 linked, 1 left out'
    >>> count_line(StepCount("links", "Looking for links", "link", "linked", proposed=20))
    '20 linked'
    """
    said = [f"{one.proposed + one.applied:,} {one.label}"] if one.proposed + one.applied else []
    said += [f"{one.rejected:,} {_STATES[ActionState.REJECTED]}"] if one.rejected else []
    said += [f"{one.undone:,} {_STATES[ActionState.UNDONE]}"] if one.undone else []
    return ", ".join(said)


def would_line(card: RunCard | None) -> str:
    """What the next run would do; None: nobody has worked it out yet."""
    if card is None:
        return "Working out what the next run would do…"
    said = report_line(card.report)
    waits = waiting_line(card.waiting_count, would=True)
    if not said:
        return (
            f"The next run would change nothing without your yes. {waits}"
            if waits
            else f"{TIDY} The next run would change nothing."
        )
    return " ".join(part for part in (f"The next run would come to: {said}.", waits) if part)


def due_line(state: ConsolidationState, now: datetime) -> str:
    """When the next run comes by itself."""
    if state.is_running:
        return "A run is in progress."
    if state.paused is not None:
        return "A run is paused; no other run starts until you continue or stop it."
    if state.deferred:
        return f"A run is due and waits: {state.deferred[0].lower()}{state.deferred[1:]}"
    if state.next_at is None:
        return "It runs only when you ask."
    left = state.events_due - state.events_since
    if left <= 0:
        return "A run is due: it begins within a minute."
    day = "as soon as anything happens" if state.next_at <= now else f"by {describe_moment(state.next_at)}"
    return f"The next run starts automatically after {counted(left, 'more event')}, or {day}."


def ending_line(state: ConsolidationState) -> str:
    """That a run is about to be broken off, "" where it is not."""
    if state.is_stopping:
        return "stopping after this change"
    return "pausing after this change" if state.is_pausing else ""


def run_title(run: RunCard) -> str:
    return f"{describe_moment(run.started_at)}, {_TRIGGERS[run.trigger]}"


def run_outcome(run: RunCard) -> str:
    """What came of a run, in a line."""
    said = report_line(run.report)
    match run.state:
        case RunState.FAILED:
            left = "What was applied until then can be undone" if run.is_undoable else "Nothing was changed"
            return f"Failed: {run.problem or 'the log says why'}. {left}; “Consolidate now” tries again."
        case RunState.PLANNED:
            return f"Would come to: {said}." if said else TIDY
        case RunState.PAUSED:
            return f"Paused. Until now: {said}." if said else "Paused before anything was changed."
        case RunState.STOPPED:
            return f"Stopped. Until then: {said}." if said else "Stopped before anything was changed."
        case RunState.DONE if not said and (undone := sum(one.undone for one in run.counts)):
            return f"Undone: {counted(undone, 'change')}."
        case RunState.DONE:
            seconds = f" In {run.seconds:.0f} s." if run.seconds >= 1 else ""
            return f"{said}.{seconds}" if said else TIDY
        case _:
            return "In progress."


def waiting_line(count: int, *, would: bool = False) -> str:
    """What waits for the person, "" for nothing.

    >>> waiting_line(1), waiting_line(2, would=True)
    ('1 change waits for your yes.', '2 changes would wait for your yes.')
    """
    verb = "would wait" if would else "waits" if count == 1 else "wait"
    return f"{counted(count, 'change')} {verb} for your yes." if count else ""


def effect_line(before: RunCard, after: RunCard) -> str:
    """What a changed threshold changes of the next run."""
    if (before.report, before.waiting_count) == (after.report, after.waiting_count):
        return f"The next run would do the same as before: {_would(after)}"
    return f"With this: {_would(after)} Before: {_would(before)}"


def _would(card: RunCard) -> str:
    waits = f" {waiting_line(card.waiting_count, would=True)}" if card.waiting_count else ""
    return f"{report_line(card.report) or 'nothing to do'}.{waits}"


def habit_line(card: HabitCard) -> str:
    """One thing that was said for good."""
    word = {Habit.ALWAYS: "Always", Habit.NEVER: "Never", Habit.ASK: "As usual"}[card.habit]
    return f"{word}: {card.label} ({card.step_title}). You said so {describe_moment(card.since)}."


def state_word(action: ActionCard) -> str:
    word = _STATES[action.state]
    if action.state is ActionState.REJECTED and action.note:
        return f"{word}: {action.note[0].lower()}{action.note[1:]}"
    return word


def habit_words(habit: Habit) -> str:
    return {Habit.ASK: "", Habit.ALWAYS: "always do this", Habit.NEVER: "never do this"}[habit]


def apply_words(chosen: int, total: int) -> str:
    """The button's text.

    >>> apply_words(23, 31)
    'Apply 23 of 31'
    """
    return f"Apply {chosen:,} of {total:,}"


def action_name(action: ActionCard) -> str:
    """For people who hear it: what, why, before and after."""
    before = "; ".join(action.before) or "a memory that is gone"
    after = "; ".join(action.after) or "archived, can be brought back"
    return f"{action.label}: {action.why}. Before: {before}. After: {after}. {state_word(action)}"
