"""A router before your own agents, in Python: S2's conversation, line for line, over `Engine`.

    python -m resources.examples.intent_router [FOLDER]            (in a checkout)
    python -m app._resources.examples.intent_router [FOLDER]       (installed)

One call logs a message and hands it over: as it was typed, as it is meant, what it wants, and what it goes on from. Which agent
gets it is yours to say. Everything lies in FOLDER; no window, no socket and no network are involved.
"""

import sys
import tempfile
from pathlib import Path

from app.api import Engine, HandOver, Intent, Places

AGENTS = {Intent.PLAN: "planner", Intent.TEST: "tester", Intent.CORRECT: "planner"}


def choose_agent(message: HandOver) -> str:
    """Who carries it out: by the first intent that one of them is for."""
    return next((AGENTS[one.intent] for one in message.intents if one.intent in AGENTS), "executor")


def route(engine: Engine, text: str, session: str) -> HandOver:
    message = engine.window.hand_over(text, app="router", session=session)
    print(f"{choose_agent(message)} receives")
    print(f"  original: {message.original}")
    print(f"  expanded: {message.expanded}")
    print(f"  context:  {message.context}")
    print(f"  before:   {[one.text for one in message.recent]}")
    return message


def main(folder: Path) -> None:
    engine = Engine.open(Places.under(folder))
    try:
        for text in ("I want to add a FAB button", "Make it purple", "Add tests for that"):
            route(engine, text, "fab-button")
        print(f"cleared: {engine.window.clear(app='router')} messages")
    finally:
        engine.close()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory(prefix="remanence-example-") as made:
            main(Path(made))
