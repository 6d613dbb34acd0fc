"""How well references and entities are found: dialogues written for this test, and the labelled sets when they are at hand.

Thresholds are the goals of QUALITY A2 and A3. Figures: `pytest -s`. With REMANENCE_EVAL_DIR set the labelled sets are measured too.
"""

import json
import os
from pathlib import Path

import pytest

from app.evaluation.tasks import entities, references
from app.evaluation.tasks.values import Evaluation

EVAL_DIR = os.environ.get("REMANENCE_EVAL_DIR", "")

# (what was said before, the message, the mention, what it stands for)
DIALOGUES = (
    (["Add a tooltip to the save icon"], "make it appear faster", "it", ["tooltip"]),
    (["The nightly job fails since Tuesday"], "can you restart it?", "it", ["nightly job"]),
    (["Create a settings page", "it needs a language menu"], "sort it alphabetically", "it", ["language menu"]),
    (
        ["We have two parsers, one for YAML and one for TOML"],
        "merge them into one module",
        "them",
        ["two parsers", "parsers"],
    ),
    (["rename UserStore to AccountStore"], "also update its tests", "its", ["AccountStore", "UserStore"]),
    (["add a retry to fetch_rates"], "log every attempt it makes", "it", ["fetch_rates", "retry"]),
    (["The upload dialog closes too early"], "keep it open until the server answers", "it", ["upload dialog"]),
    (["Move the date picker into the sidebar"], "now make it smaller", "it", ["date picker"]),
    (["Write a migration for the orders table"], "run it on staging", "it", ["migration"]),
    (["Build the docker image for the worker"], "then push it to the registry", "it", ["docker image"]),
)


def rows() -> list[dict[str, object]]:
    return [
        {
            "id": f"own-{number}",
            "history": [{"speaker": "user", "text": text} for text in before],
            "message": message,
            "mention": mention,
            "start": message.index(mention),
            "gold": gold,
            "where": "earlier",
        }
        for number, (before, message, mention, gold) in enumerate(DIALOGUES)
    ]


def tell(name: str, result: Evaluation) -> Evaluation:
    print(f"{name}: n={result.n}", ", ".join(f"{key} {value:.3f}" for key, value in result.metrics.items()))
    return result


def test_dialogues_written_for_this_test() -> None:
    metrics = tell("own dialogues", references.evaluate(rows())).metrics
    assert metrics["loose"] >= 0.55
    assert metrics["right_of_answered"] >= 0.8


def test_a_resolver_that_always_takes_the_last_word_would_fail() -> None:
    """The control: the newest noun is the answer in less than half of the dialogues."""
    last_words = [before[-1].rstrip("?.").split()[-1].casefold() for before, *_ in DIALOGUES]
    right = sum(
        word in " ".join(gold).casefold().split() for word, (*_, gold) in zip(last_words, DIALOGUES, strict=True)
    )
    assert right <= len(DIALOGUES) // 2


if EVAL_DIR:

    @pytest.mark.parametrize(
        ("name", "exact", "loose"),
        [("mudoco-refs.dev.jsonl", 0.45, 0.57)],
    )
    def test_labelled_references_reach_their_goals(name: str, exact: float, loose: float) -> None:
        metrics = tell(name, references.evaluate(load(name))).metrics
        assert metrics["exact"] >= exact
        assert metrics["loose"] >= loose

    def test_labelled_entities_reach_their_goal() -> None:
        name = "dev-domain/messages.jsonl"
        metrics = tell(name, entities.evaluate(load(name))).metrics
        assert metrics["recall"] >= 0.78
        assert metrics["precision"] >= 0.60


def load(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (Path(EVAL_DIR) / name).read_text(encoding="utf-8").splitlines()]
