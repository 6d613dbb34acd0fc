"""How episodes, code patterns and workflows are written at each level.

Owns "auth_fix: timezone not UTC" and "deploy: test→build→prod"; facts are in `app.deciders.memory.levels.level_forms`.
Source: S4, "Episode Compression", "Pattern Compression", "Workflows".
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from app.deciders.memory.levels.level_forms import Forms, abbreviate, index_drafts, main_negation
from app.deciders.memory.levels.shorten import Plan, choose_words
from app.deciders.memory.levels.summarise import summarise_messages
from app.deciders.memory.levels.word_weights import cut_middle, read_words
from app.language.abbreviations import load_abbreviations, split_words
from app.language.sentences import cut_sentences
from app.language.token_counts import count_tokens

EPISODE_SUMMARY_TOKENS = 60
EPISODE_COMPRESSED_TOKENS = 12
STEP_TOKENS = 4
_PART = re.compile(r"^\s*[-*]?\s*([\w -]{1,40}):\s*(.+)$", re.MULTILINE)


def episode_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms:
    """The levels of a story: its weightiest sentences and what came out; then its name with a few words."""
    narrative = cut_middle(str(details.get("narrative") or text))
    outcome = str(details.get("outcome") or "").strip()
    summary, topics = summarise_messages(cut_sentences(narrative), max_tokens=EPISODE_SUMMARY_TOKENS)
    with_outcome = f"{summary}; {outcome}" if outcome and outcome.lower() not in summary.lower() else summary
    words = read_words(f"{narrative}\n{outcome}")
    few = choose_words(words, EPISODE_COMPRESSED_TOKENS, Plan(always=main_negation(words)))
    head = _head(title or " ".join(topics[:2]))
    line = abbreviate(words, few)
    summaries = (*_whole_sentences(details), with_outcome, summary)
    return Forms(summaries, (f"{head}: {line}" if head else line, line), chain((head,), index_drafts(words)))


def _whole_sentences(details: Mapping[str, Any]) -> Sequence[str]:
    """What was done, what works and what is next, as it is told, where that is short enough: words left out cost meaning."""
    told = [
        str(one) for name in ("done", "works") for one in details.get(name) or () if isinstance(details[name], list)
    ]
    left = str(details.get("next") or "")
    sentences = " ".join([*told, *([f"Next: {left}"] if left else [])])
    return (sentences,) if told and count_tokens(sentences) <= EPISODE_SUMMARY_TOKENS else ()


def pattern_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms | None:
    """The levels of a code pattern: its template, then the template's parts as a line; None without a template."""
    template = details.get("template")
    parts = template if isinstance(template, Mapping) else dict(_PART.findall(str(template or "")))
    if not parts:
        return None
    name = title or str(details.get("trigger") or "")
    return _chain(
        name or text,
        [str(part) for part in parts],
        ("\n".join(f"{part}: {content}" for part, content in parts.items()),),
        hint=str(details.get("hint") or ""),
    )


def workflow_forms(text: str, title: str, details: Mapping[str, Any]) -> Forms | None:
    """The levels of a workflow: its steps with their commands, then the steps as a line; None without steps."""
    steps = details.get("steps")
    if not isinstance(steps, Sequence) or isinstance(steps, str) or not steps:
        return None
    named = [str(step) for step in steps]
    commands = details.get("details")
    known = commands if isinstance(commands, Mapping) else {}
    name = title or str(details.get("trigger") or "")
    told = "→".join(f"{step} ({known[step]})" if step in known else step for step in named)
    line = "→".join(named)
    return _chain(
        name or text, named, tuple(f"{name}: {steps_told}" if name else steps_told for steps_told in (told, line))
    )


def _chain(name: str, parts: Sequence[str], summaries: tuple[str, ...], *, hint: str = "") -> Forms:
    """`hint`: the line where whoever found it knows a better one, as in "endpoint: route→zod→result→json"."""
    head = _head(name)
    line = "→".join(_short_step(part) for part in parts)
    told = (f"{head}: {line}" if head else line, line)
    return Forms(
        summaries,
        (hint, *told) if hint else told,
        chain((head,), index_drafts(read_words(name))),
    )


def _short_step(step: str) -> str:
    """A step in few words; its "not" stays."""
    words = read_words(step)
    kept = choose_words(words, STEP_TOKENS, Plan(always=main_negation(words)))
    return abbreviate(words, kept) or step


def _head(name: str) -> str:
    """A name as an identifier, at most three telling words: "Auth refactor of the API" is "auth_refactor_api"."""
    words = read_words(name)
    kept = choose_words(words, EPISODE_COMPRESSED_TOKENS, Plan(always=main_negation(words), limit=3))
    telling = [words[place].lower for place in kept] or split_words(name.lower())[:3]
    return "_".join("_".join(load_abbreviations().shorten(telling, includes_names=True)).split())
