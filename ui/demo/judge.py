"""Who reads along in the example: a program with invented answers, so that there are readings to look at and nothing is sent to anybody.

Run by `python -m ui.demo.judge` where Claude Code would be run: the request is in the prompt on stdin, the answer goes to stdout in
Claude Code's own JSON. Knows the invented prompts only; to all others it has nothing to say. Source: JUDGE "Adapters", Claude Code.
"""

import json
import sys
from typing import Any

_CHARS_PER_TOKEN = 4
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
    ("I prefer dataclasses over dictionaries for values", "Preferred: dataclasses over dictionaries for values.", "preference", "person", 2),
    ("sessions of the shop expire after 30 minutes", "Sessions of the shop expire after 30 minutes.", "decision", "project", 2),
)  # fmt: skip
# words of a first prompt, title, outcome, summary
_TOPICS: tuple[tuple[str, str, str, str], ...] = (
    ("rounding of invoices", "Rounding of invoices", "tested",
     "Prices were changed to cents, and the rounding of exact halves was tested. The sums of old invoices stay. Those of last year are to be checked once."),
    ("shop with sessions", "Sessions of the shop", "implemented", "Sessions expire after 30 minutes, with a warning two minutes before."),
    ("Number the invoices", "Invoice numbers without gaps", "tested", "Numbers come from a counter row that each worker locks."),
    ("labels of a pallet", "Where labels are kept", "completed", "They are in the table pallet_labels, one row a print."),
    ("labels to the printer", "Which worker prints labels", "completed", "The README of the label service says which worker sends labels."),
    ("cart forgets its items", "Cart kept at login", "implemented", "Both carts are merged at the login; a test for sold out items is next."),
    ("import of delivery notes", "Import of delivery notes", "implemented", "The parser for CSV was written and tested; XML waits."),
    ("nightly job", "Slow nightly job", "completed", "The second query had no index; with one the job takes ten minutes."),
    ("language switch", "Language switch on the settings page", "implemented", "A switch below the theme picker that remembers the choice."),
    ("login form shows", "Login error shown twice", "tested", "The doubled error is fixed, with a regression test."),
    ("Rename the table deliveries", "Rename deliveries to shipments", "completed", "The table was renamed with a migration that can be rolled back."),
    ("Update the dependencies", "Dependency update", "abandoned", "The router broke and stays at 6.28 for now."),
    ("export button purple", "Colour and place of the export button", "implemented", "The button has the brand colour, to the right of the search field."),
    ("Ruff for linting", "Rules for the warehouse service", "planned", "Ruff for linting, dataclasses for values, no PDF to customers."),
    ("shipment API", "README of the shipment API", "completed", "The README has an example for the webhook."),
)  # fmt: skip
# a word of the one, a word of the other, why they cannot both hold
_AGAINST: tuple[tuple[str, str, str], ...] = (
    ("30 minutes", "2 hours", "One says 30 minutes, the other 2 hours."),
    ("Postmark", "Mailgun", "One says Postmark, the other Mailgun."),
    ("Docker Compose", "Kubernetes", "The newer one says Kubernetes instead of Docker Compose."),
    ("go out on Mondays", "never go out on Mondays", "One says on Mondays, the other never on Mondays."),
    ("as PDF", "never be sent", "One says as PDF, the other never."),
)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the model of the example says to a request of any kind."""
    match request.get("task"):
        case "note":
            return {"text": ""}
        case "contradictions":
            return {"verdicts": [_verdict(one) for one in request.get("pairs") or []]}
        case "references":
            return {"references": []}
        case _:
            return _remember(request.get("messages") or [])


def _verdict(pair: dict[str, str]) -> dict[str, str]:
    older, newer = pair["a"], pair["b"]
    for one, other, why in _AGAINST:
        if (one in older and other in newer and other not in older) or (
            other in older and one in newer and other not in newer
        ):
            return {"id": pair["id"], "verdict": "contradict", "why": why, "holds": "b", "merged": ""}
    return {"id": pair["id"], "verdict": "compatible", "why": "", "holds": "both", "merged": ""}


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
    """Answers the request in the prompt on stdin."""
    prompt = sys.stdin.read()
    request = next(line for line in prompt.splitlines() if line.startswith("{"))
    made = answer(json.loads(request))
    sent = (len(prompt) + sum(map(len, sys.argv))) // _CHARS_PER_TOKEN
    usage = {"input_tokens": sent, "output_tokens": len(json.dumps(made)) // _CHARS_PER_TOKEN}
    json.dump({"type": "result", "result": "", "structured_output": made, "usage": usage}, sys.stdout)


if __name__ == "__main__":
    main()
