"""How runs, reports and changes are told. Values in, words out; no widget."""

import re
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
    label_line,
)
from ui.wording.figures import counted, describe_moment

_COUNTS = (  # field, what a run does and did, with what in between
    ("deduped", "merge {}", "merged {}", "duplicate", "duplicates"),
    ("episodes_merged", "combine {}", "combined {}", "group of episodes", "groups of episodes"),
    ("compressed", "shorten {}", "shortened {}", "memory", "memories"),
    ("promoted", "rank {} higher", "ranked {} higher", "memory", "memories"),
    ("demoted", "rank {} lower", "ranked {} lower", "memory", "memories"),
    ("contradictions_found", "ask about {}", "found {}", "contradiction", "contradictions"),
    ("forgotten", "archive {}", "archived {}", "memory", "memories"),
    ("linked", "link {}", "linked {}", "pair of memories", "pairs of memories"),
    ("patterns_added", "learn {}", "learned {}", "rule", "rules"),
    ("patterns_reinforced", "confirm {}", "confirmed {}", "rule", "rules"),
    ("patterns_pruned", "drop {}", "dropped {}", "rule", "rules"),
    ("notes_compacted", "tidy {}", "tidied {}", "note", "notes"),
    ("tokens_reclaimed", "save {}", "saved {}", "token", "tokens"),
)  # fmt: skip
_TRIGGERS = {
    RunTrigger.BUTTON: "you asked",
    RunTrigger.EVENTS: "after many events",
    RunTrigger.HOURS: "once a day",
    RunTrigger.NIGHT: "at night",
    RunTrigger.API: "a program asked",
    RunTrigger.PREVIEW: "from a preview",
}
_STATES = {
    ActionState.PROPOSED: "proposed",
    ActionState.APPLIED: "done",
    ActionState.REJECTED: "left out",
    ActionState.UNDONE: "undone",
}
TIDY = "Everything is tidy."
_BEFORE_APPLY = "Nothing is changed before you press Apply."
_EVENTS = "a prompt, an answer or a tool call is one"
_PARTICIPLE = re.compile(
    r"\b(?=(?:archived|combined|compressed|confirmed|corrected|dropped|learned|linked|merged|ranked|shortened)\b)"
)


def report_line(report: RunReport, *, would: bool = False) -> str:
    """What a run did, or would do, in words; "" for nothing.

    >>> report_line(RunReport(deduped=12, forgotten=7, tokens_reclaimed=1_310))
    'merged 12 duplicates, archived 7 memories and saved 1,310 tokens'
    >>> report_line(RunReport(promoted=1), would=True), report_line(RunReport())
    ('rank 1 memory higher', '')
    """
    parts = [
        (verb if would else past).format(counted(count, noun, nouns))
        for name, verb, past, noun, nouns in _COUNTS
        if (count := getattr(report, name))
    ]
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def count_line(one: StepCount, *, is_over: bool = False) -> str:
    """How many changes of a kind there are, beside it those that came to nothing. `is_over`: without those that wait for a yes.

    >>> count_line(StepCount("links", "Looking for links", "link", "linked", applied=19, rejected=1))
    '19 linked, 1 left out'
    >>> count_line(StepCount("links", "Looking for links", "link", "linked", proposed=20))
    '20 linked'
    >>> count_line(StepCount("links", "Looking for links", "link", "linked", undone=1))
    '1 linked, undone'
    """
    count = one.applied if is_over else one.proposed + one.applied
    said = [label_line(count, one.label)] if count else []
    for number, state in ((one.rejected, ActionState.REJECTED), (one.undone, ActionState.UNDONE)):
        if number and said:
            said.append(f"{number:,} {_STATES[state]}")
        elif number:  # what it was is said once
            said.append(f"{label_line(number, one.label)}, {_STATES[state]}")
    return ", ".join(said)


def would_be(label: str) -> str:
    """What a change of this kind would do, from what it did.

    >>> would_be("merged though only alike"), would_be("rules learned")
    ('to be merged though only alike', 'rules to be learned')
    """
    return _PARTICIPLE.sub("to be ", label, count=1)


def changes_title(run: RunCard) -> str:
    """The heading above a run's changes."""
    if run.state is RunState.PLANNED:
        return "What would be changed"
    if not run.waiting_count + run.chosen_count:
        return "What was changed"
    return "What was changed, and what waits for your yes" if run.is_undoable else "What waits for your yes"


def ticked_line(run: RunCard) -> str:
    """How many changes are ticked or wait, and what becomes of them; "" for none.

    >>> from dataclasses import replace
    >>> run = RunCard(1, RunState.PLANNED, RunTrigger.PREVIEW, datetime(2026, 3, 1), None, chosen_count=3, waiting_count=2)
    >>> ticked_line(run)
    '3 of 5 changes are ticked. Nothing is changed before you press Apply.'
    >>> ticked_line(replace(run, state=RunState.DONE, chosen_count=1))
    '3 more changes wait for your yes; 1 is ticked. Nothing is changed before you press Apply.'
    >>> ticked_line(replace(run, state=RunState.DONE, chosen_count=0))
    '2 more changes wait for your yes.'
    """
    total = run.chosen_count + run.waiting_count
    ticked = f"{run.chosen_count:,} {'is' if run.chosen_count == 1 else 'are'} ticked. {_BEFORE_APPLY}"
    if run.state is RunState.PLANNED and total:
        return f"{run.chosen_count:,} of {counted(total, 'change')} {ticked.split(' ', 1)[1]}"
    return f"{waiting_line(total).rstrip('.')}; {ticked}" if run.chosen_count else waiting_line(total)


def would_line(card: RunCard | None) -> str:
    """What the next run would do; None: nobody has worked it out yet."""
    if card is None:
        return "Working out what the next run would do…"
    if not card.waiting_count and not report_line(card.report):
        return f"{TIDY} It would change nothing."
    would = report_line(card.report, would=True) or "change nothing without your yes"
    return f"It would {would}. {waiting_line(card.waiting_count, would=True)}".strip()


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
    return f"The next run starts automatically after {counted(left, 'more event')} ({_EVENTS}), or {day}."


def ending_line(state: ConsolidationState) -> str:
    """That a run is about to be broken off, "" where it is not."""
    if state.is_stopping:
        return "stopping after this change"
    return "pausing after this change" if state.is_pausing else ""


def run_title(run: RunCard) -> str:
    return f"{describe_moment(run.started_at)} ({_TRIGGERS[run.trigger]})"


def run_outcome(run: RunCard) -> str:
    """What came of a run, in a line."""
    said = report_line(run.report)
    done = f"{said[:1].upper()}{said[1:]}."
    match run.state:
        case RunState.FAILED:
            left = "What was applied until then can be undone" if run.is_undoable else "Nothing was changed"
            return f"Failed: {run.problem or 'the log says why'}. {left}; “Consolidate now” tries again."
        case RunState.PLANNED:
            return f"It would {report_line(run.report, would=True)}." if said else TIDY
        case RunState.PAUSED:
            return f"Paused. {done}" if said else "Paused before anything was changed."
        case RunState.STOPPED:
            return f"Stopped. {done}" if said else "Stopped before anything was changed."
        case RunState.DONE if not said and (undone := sum(one.undone for one in run.counts)):
            return f"Undone: {counted(undone, 'change')}."
        case RunState.DONE:
            return done if said else TIDY
        case _:
            return "In progress."


def waiting_line(count: int, *, would: bool = False) -> str:
    """What waits for the person, "" for nothing.

    >>> waiting_line(1), waiting_line(2, would=True)
    ('1 more change waits for your yes.', '2 more changes would wait for your yes.')
    """
    verb = "would wait" if would else "waits" if count == 1 else "wait"
    return f"{counted(count, 'more change')} {verb} for your yes." if count else ""


def effect_line(before: RunCard, after: RunCard) -> str:
    """What a changed threshold changes of the next run."""
    now = would_line(after)
    if (before.report, before.waiting_count) == (after.report, after.waiting_count):
        return f"This changes nothing for now. {now}"
    return f"With this, {now[0].lower()}{now[1:]} Before: {would_line(before)}"


def habit_line(card: HabitCard) -> str:
    """One thing that was said for good."""
    word = {Habit.ALWAYS: "Always", Habit.NEVER: "Never", Habit.ASK: "As usual"}[card.habit]
    return f"{word}: {card.label} ({card.step_title}). You said so {describe_moment(card.since)}."


def state_word(action: ActionCard) -> str:
    word = _STATES[action.state]
    if action.state is ActionState.REJECTED and action.note:
        return f"{word}: {action.note[0].lower()}{action.note[1:]}"
    return word


def apply_words(chosen: int, total: int) -> str:
    """The button's text.

    >>> apply_words(23, 31)
    'Apply 23 of 31'
    """
    return f"Apply {chosen:,} of {total:,}"


def action_name(action: ActionCard) -> str:
    """For people who hear it: what, why, before and after."""
    about = f"{'; '.join(action.about)}. " if action.about else ""
    before = f"Before: {'; '.join(action.before)}. " if action.before else ""
    after = "; ".join(action.after) or "archived, can be brought back"
    return f"{action.label}: {action.why}. {about}{before}After: {after}. {state_word(action)}"
