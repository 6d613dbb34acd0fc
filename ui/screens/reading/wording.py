"""How reading along is said to people: the question, the states, the line of the meter, a reading in one sentence.

Knows values, no widget and no engine. Source: UX 4.8b.
"""

from datetime import datetime

from app.values.judge import (
    JudgeChoice,
    JudgePastCount,
    JudgeQuestion,
    JudgeReading,
    JudgeState,
    JudgeTotals,
    Payer,
    ReadingState,
)
from ui.wording.figures import counted
from ui.wording.values import joined, moment

TOKENS_A_PROMPT = 140  # as measured, JUDGE
DROP_WORDS = {
    "words that the person did not say": "its quote was not yours",
    "a name that nobody said": "it brought a name that was never said",
    "a number that nobody said": "it brought a number that was never said",
    "a negation that nobody said": "it brought a “not” that was never said",
    "a message that was not in the request": "it spoke of a message that it was not sent",
    "what you never want learned": "you never want that learned",
    "what was archived before": "you archived that before",
    "what was put away before": "you archived that before",
    "what you confirmed already": "you confirmed it already",
    "a replacement of something else": "what it would replace is something else",
    "a change of nothing that is remembered": "what it would end is not remembered",
    "a change that only you can decide": "only you can decide that",
    "a change in an imported history": "an imported history cannot end a memory",
    "an entry that is none": "it could not be read",
    "a topic of no message": "its topic belongs to no message",
}
PAYER_WORDS = {
    Payer.PLAN: "paid by your plan",
    Payer.KEY: "the account of the key pays",
    Payer.NOBODY: "ran on this computer",
    Payer.UNKNOWN: "",
}
WHAT_WORDS = {"remembered": "Remembered", "closed": "Closed", "put_away": "Guess archived"}
OFF_TEXT = (
    "A model that you already have can read what you typed when a conversation ends, and say what is worth remembering. "
    "It finds far more than the rules do. Without it everything works, only quieter."
)


def question_title(choice: JudgeChoice) -> str:
    """The question itself."""
    return f"May {choice.title} read along?"


def question_text(choice: JudgeChoice) -> str:
    """What it does, what is sent, to whom."""
    who, is_many = choice.title, " and " in choice.title
    if choice.judge == "same" and is_many:
        does = "When a conversation ends, the assistant that had it reads what you typed in it and says what is worth remembering."
        return f"{does} Each sees what it has seen before: your prompts, secrets removed, and the ends of its answers."
    does = f"When a conversation ends, {who} reads what you typed in it and says what is worth remembering."
    if choice.is_local:
        return (
            f"{does} It gets your prompts, secrets removed, and the ends of the answers. Nothing leaves this computer."
        )
    if choice.judge == "same":
        return f"{does} It sees what it has seen before: your prompts, secrets removed, and the ends of its answers."
    return (
        f"{does} It gets your prompts, secrets removed, and the ends of the answers, "
        "also of conversations that you had with other assistants."
    )


def cost_text(question: JudgeQuestion, choice: JudgeChoice) -> str:
    """What days like the last seven come to, and the cap."""
    of_whom = "" if choice.is_local else " of your plan"
    cap = f"never more than {question.daily_cap:,} a day" if question.daily_cap else "no cap is set"
    if not question.tokens_a_day:
        return f"{cap[:1].upper()}{cap[1:]}{' tokens' if not question.daily_cap else ''}.".replace(
            " a day", " tokens a day"
        )
    return f"On days like your last seven about {question.tokens_a_day:,} tokens{of_whom}; {cap}."


def who_reads(state: JudgeState) -> str:
    """Who reads along, by name."""
    return joined(list(state.readers)) if state.readers else "Your assistants"


def verb(state: JudgeState, one: str, many: str) -> str:
    return many if len(state.readers) != 1 else one


def privacy_line(state: JudgeState | None) -> str:
    """What stands where "Local only" stands without a judge; "" without one."""
    if state is None or state.judge == "off":
        return ""
    return f"{who_reads(state)} {verb(state, 'reads', 'read')} along"


def meter_line(state: JudgeState) -> str:
    """The line in the frame of the window, "" when nobody reads along."""
    who = who_reads(state)
    if state.state is ReadingState.OFF:
        return ""
    if state.state is ReadingState.READING:
        return f"{who} {verb(state, 'is', 'are')} reading…"
    if state.state is ReadingState.FAILED:
        return f"{who} did not answer"
    today = state.today
    if today.conversation_count or today.token_count:
        tail = {ReadingState.CAPPED: " · at the cap", ReadingState.PAUSED: " · paused"}.get(state.state, "")
        count = today.conversation_count
        read = f"{who} read {counted(count, 'conversation')}" if count else privacy_line(state)
        other = today.other_token_count
        compared = f" ({other:,} to compare memories)" if other else ""
        return f"{read}, {today.token_count:,} tokens today{compared}{tail}"
    if state.state is ReadingState.PAUSED:
        return "Reading along is paused"
    return privacy_line(state)


def state_title(state: JudgeState) -> str:
    """The heading of the page."""
    who = who_reads(state)
    match state.state:
        case ReadingState.OFF:
            return "No model reads along"
        case ReadingState.READING:
            count = f" {counted(state.reading_count, 'prompt')}" if state.reading_count else ""
            return f"{who} {verb(state, 'is', 'are')} reading{count}"
        case ReadingState.CAPPED:
            return "At the cap until tomorrow" if state.until else "At the cap"
        case ReadingState.PUT_OFF:
            return "Put off"
        case ReadingState.PAUSED:
            return "Reading along is paused"
        case ReadingState.FAILED:
            return state.problem
        case _:
            return privacy_line(state)


def state_text(state: JudgeState, now: datetime) -> str:
    """What that means, and what to do."""
    waiting = f"{counted(state.unread_count, 'prompt')} {'waits' if state.unread_count == 1 else 'wait'}."
    match state.state:
        case ReadingState.OFF:
            return f"{state.problem} {state.hint}".strip() or OFF_TEXT
        case ReadingState.READING:
            more = state.pending_count - 1
            behind = f" {counted(more, 'more request')} behind it." if more > 0 else ""
            return f"It can be stopped at any time; its prompts then stay unread.{behind}"
        case ReadingState.CAPPED:
            used = (
                f"{state.today.token_count:,} of {state.daily_cap:,} tokens are used today" if state.daily_cap else ""
            )
            month = f"{state.month_token_count:,} of {state.monthly_cap:,} tokens are used in 30 days"
            return (
                f"{used or month}, and the next request would go beyond. {waiting if state.unread_count else 'Older prompts wait.'} "
                "You can raise the cap in Settings."
            )
        case ReadingState.PUT_OFF:
            return f"{state.problem} {waiting}"
        case ReadingState.PAUSED:
            return f"Nothing is read automatically until you resume. {waiting if state.unread_count else ''}".strip()
        case ReadingState.FAILED:
            until = f" The next automatic try: {moment(state.until, now)}." if state.until else ""
            return f"{state.hint}{until} Everything else in Remanence works as before."
        case _:
            if state.unread_count:
                return f"{waiting} They are read when their conversation ends, is idle for two hours, or is about to leave the queue."
            return "All that was typed has been read."


def totals_line(totals: JudgeTotals, cap: int = 0) -> str:
    """What today came to.

    >>> totals_line(JudgeTotals(1, 1, 3, 2_100, None, 2, 0, 1), 30_000)
    'Today: 1 conversation, 3 prompts · 2,100 of 30,000 tokens · remembered 2 · dropped 1'
    >>> totals_line(JudgeTotals(1, 1, 3, 2_100, None, 2, 0, 0, 1_500))
    'Today: 1 conversation, 3 prompts · 2,100 tokens, 1,500 of them to look for contradictions and shorten texts · remembered 2'
    """
    if not totals.token_count and not totals.reading_count:
        return f"Today: nothing was read yet · at most {cap:,} tokens a day" if cap else "Today: nothing was read yet"
    tokens = f"{totals.token_count:,} of {cap:,} tokens" if cap else f"{totals.token_count:,} tokens"
    if totals.other_token_count:
        tokens += f", {totals.other_token_count:,} of them to look for contradictions and shorten texts"
    money = [f"${totals.money_usd:.2f}"] if totals.money_usd else []
    what = f"{counted(totals.conversation_count, 'conversation')}, {counted(totals.prompt_count, 'prompt')}"
    return " · ".join(
        [
            f"Today: {what}",
            tokens,
            *money,
            *_counts(totals.remembered_count, totals.closed_count, 0, totals.dropped_count),
        ]
    )


def reading_title(reading: JudgeReading) -> str:
    """Whose conversations it was about."""
    titles = [one.title for one in reading.conversations]
    shown = titles[:2]
    if not shown:
        return f"{counted(reading.prompt_count, 'prompt')} of a conversation that is no longer kept"
    more = len(titles) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def reading_meta(reading: JudgeReading, now: datetime) -> str:
    """When, who, what it cost and who pays."""
    model = f"{reading.reader} ({reading.model})" if reading.model else reading.reader
    money = f"${reading.money_usd:.4f}" if reading.money_usd else ""
    parts = [
        moment(reading.at, now),
        model,
        reading.project,
        counted(reading.prompt_count, "prompt"),
        counted(reading.token_count, "token"),
        f"{reading.seconds:.1f} s",
        money,
        PAYER_WORDS[reading.payer],
    ]
    return " · ".join(part for part in parts if part)


def reading_outcome(reading: JudgeReading) -> str:
    """What came of it, in one line; why it failed."""
    if reading.state == "refused":
        return f"Refused: {reading.error}"
    if reading.state != "done":
        return f"Failed: {reading.error}"
    counts = _counts(reading.remembered_count, reading.closed_count, reading.put_away_count, 0)
    if reading.dropped_count:
        why = drop_words(reading.drop_reasons[0][0]) if len(reading.drop_reasons) == 1 else ""
        counts.append(f"dropped {reading.dropped_count}" + (f" because {why}" if why else ""))
    said = " · ".join(counts) or "nothing to remember"
    said = said[:1].upper() + said[1:]
    return f"Undone. It was: {said[:1].lower()}{said[1:]}" if reading.is_undone else said


def drop_words(reason: str) -> str:
    """Why something was dropped, for people; an unknown reason as it is."""
    return DROP_WORDS.get(reason, reason)


def drop_lines(reading: JudgeReading) -> list[str]:
    return [f"{count}× {drop_words(reason)}" for reason, count in reading.drop_reasons]


def past_line(state: JudgeState, tokens: int, past: JudgePastCount | None = None) -> str:
    """What has not been read: in the queue, of what has left it, and what is kept nowhere; "" when all has."""
    past = past or JudgePastCount()
    lines = []
    if state.unread_count:
        lines.append(f"Not read yet: {_cost_words(state.unread_count, tokens, state.daily_cap)}.")
    if past.prompt_count:
        lines.append(f"Read the past: {_cost_words(past.prompt_count, past.token_count, state.daily_cap)}.")
    if past.gone_count:
        lines.append(f"No longer kept: {counted(past.gone_count, 'prompt')}.")
    return " ".join(lines)


def _cost_words(prompts: int, tokens: int, cap: int) -> str:
    days = -(-tokens // cap) if cap else 1
    over = f", over {counted(days, 'day')} with your cap" if days > 1 else ""
    return f"{counted(prompts, 'prompt')}, about {tokens:,} tokens{over}"


def cap_words(tokens: int) -> str:
    """A cap in units people know.

    >>> cap_words(30_000), cap_words(0)
    ('About 210 prompts.', 'No limit.')
    """
    if not tokens:
        return "No limit."
    prompts = tokens // TOKENS_A_PROMPT
    return f"About {round(prompts, -1) if prompts > 100 else prompts:,} prompts."


def _counts(remembered: int, closed: int, put_away: int, dropped: int) -> list[str]:
    listed = (("remembered", remembered), ("changed", closed), ("guesses archived", put_away), ("dropped", dropped))
    return [f"{word} {count}" for word, count in listed if count]
