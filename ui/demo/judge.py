"""Who reads along in the example: a program with invented answers, so that there are readings to look at and nothing is sent to anybody.

Run by `python -m ui.demo.judge`, as any command of a person's that reads along: the request on stdin, the answer on stdout. Knows the
invented prompts only; to all others it has nothing to say. Source: JUDGE "Adapters", command.
"""

import json
import sys
from typing import Any

# quote, statement, type, scope, worth
_KNOWN: tuple[tuple[str, str, str, str, int], ...] = (
    ("the XML one can wait", "The importer reads CSV first; XML comes later.", "decision", "project", 2),
    ("invoice numbers never have gaps", "Invoice numbers never have gaps.", "constraint", "project", 3),
    ("Prices are kept in cents", "Prices are kept in cents, never as floats.", "decision", "project", 3),
    ("It should remember the choice after a reload", "The language switch remembers the choice after a reload.", "goal", "project", 1),
    ("Write a migration for it that can be rolled back", "A migration can be rolled back.", "constraint", "project", 3),
    ("Pin the router to version 6.28 for now", "The router is pinned to version 6.28.", "decision", "project", 2),
    ("use the brand colour", "The export button has the brand colour.", "decision", "project", 1),
    ("We decided to use Ruff for linting in the warehouse service", "The warehouse service is linted with Ruff.", "decision", "project", 2),
    ("Never disable a rule without a comment that says why", "A lint rule is disabled only with a comment that says why.", "constraint",
     "project", 3),
    ("I prefer dataclasses over dictionaries for values", "You prefer dataclasses over dictionaries for values.", "preference", "person", 2),
    ("The retries must stop after five attempts", "Webhook retries stop after five attempts.", "constraint", "project", 2),
    ("sessions of the shop expire after 30 minutes", "Sessions of the shop expire after 30 minutes.", "decision", "project", 2),
)  # fmt: skip
# words of a first prompt, title, outcome, summary
_TOPICS: tuple[tuple[str, str, str, str], ...] = (
    ("import of delivery notes", "Import of delivery notes", "implemented",
     "The parser for the CSV format was written and tested; XML waits."),
    ("rounding of invoices", "Rounding of invoices", "implemented", "Prices went to cents, and rounding was tested at the half."),
    ("language switch", "Language switch on the settings page", "implemented", "A switch below the theme picker that remembers the choice."),
    ("Rename the table deliveries", "Rename deliveries to shipments", "implemented", "The table was renamed with a migration that rolls back."),
    ("nightly job", "Slow nightly job", "implemented", "The second query had no index; with one the job takes ten minutes."),
)  # fmt: skip


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the model of the example says to a request of any kind."""
    match request.get("task"):
        case "note":
            return {"text": ""}
        case "contradictions":
            return {"verdicts": [_nothing(one["id"]) for one in request.get("pairs") or []]}
        case "references":
            return {"references": []}
        case _:
            return _remember(request.get("messages") or [])


def _nothing(pair_id: str) -> dict[str, str]:
    return {"id": pair_id, "verdict": "compatible", "why": "", "holds": "both", "merged": ""}


def _remember(messages: list[dict[str, Any]]) -> dict[str, Any]:
    memories = [
        {
            "message": one["id"], "quote": quote, "statement": statement, "type": kind, "scope": scope, "worth": worth,
            "replaces": [],
        }
        for one in messages
        for quote, statement, kind, scope, worth in _KNOWN
        if quote in one["text"]
    ]  # fmt: skip
    topics = [
        {"starts": one["id"], "title": title, "outcome": outcome, "summary": summary}
        for one in messages
        for words, title, outcome, summary in _TOPICS
        if words in one["text"]
    ]
    return {"memories": memories, "changes": [], "topics": topics}


def main() -> None:
    """Answers the request on stdin."""
    json.dump(answer(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
