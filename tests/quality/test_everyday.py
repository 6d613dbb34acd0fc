"""What a newcomer without a judge types: lasting rules of ten invented people, what must teach nothing, and changes of mind.

Written before the rules were read, by the hand that then changed them: the people of the half "fit" were looked at while forms were added,
of the others only totals, once. `want`: active where the words say that they shall last, kept where a proposal does as well, nothing.
Of the 30 lasting sentences of the unseen half 4 were active and 9 dropped before, 10 and 4 after.
"""

import json
from functools import cache
from pathlib import Path

from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.memory.rules import load_memory_rules
from app.memories.learn import Learner
from app.resources import load_rules
from app.settings import Settings
from tests.table import table

FOLDER = Path(__file__).parent


def load(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@cache
def entity_rules() -> EntityRules:
    return EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))


def state_of(text: str) -> str:
    settings = Settings()
    learner = Learner(load_memory_rules, lambda: settings)
    found = learner.read_alone(text, tuple(extract_entities(text, entity_rules())))
    if any(one.is_instruction_like for one in found):
        return "quarantined"
    if any(one.confidence >= settings.promote_at and not one.is_quoted for one in found):
        return "active"
    return "proposed" if found else "dropped"


@table(
    ("half", "least_active", "least_kept", "most_false"),
    [("fit", 13, 30, 0), ("unseen", 8, 26, 1)],
)
def test_what_shall_last_is_remembered_and_the_rest_teaches_nothing(
    half: str, least_active: int, least_kept: int, most_false: int
) -> None:
    rows = [(row["want"], state_of(row["text"])) for row in load("everyday.jsonl") if row["half"] == half]
    lasting = [(want, state) for want, state in rows if want != "nothing"]
    active = sum(want == state == "active" for want, state in lasting)
    kept = sum(state in {"active", "proposed"} for _, state in lasting)
    false = [state for want, state in rows if want == "nothing" and state != "dropped"]
    print(f"{half}: {active} of those that say so active, {kept} of {len(lasting)} kept, {len(false)} false")
    assert "active" not in false
    assert (active >= least_active, kept >= least_kept, len(false) <= most_false) == (True, True, True)


KEPT_AT_ONCE = (
    "Never use emojis in your answers",
    "From now on, keep your answers short",
    "Don't touch the migrations folder",
    "You must ask me before you change the database",
    "Please always answer in short sentences",
    "Do not ever push without asking me",
    "Never push without asking me",
    "In this project we use tabs",
    "A few things: never use tabs, always end files with a newline.",
    "Hi! I'm new to programming. Please always explain the commands you run.",
)
PROPOSED = (
    "Let's not use Redux here, it is too much for us",
    "Make sure every PR has a test",
    "No default exports please",
    "use uv instead of pip",
    "run the tests before every commit",
    "stop apologising",
    "Answer me in Spanish please",
    "Use tabs for indentation",
)
NOTHING = (
    "don't add the button yet",
    "no emojis showed up in the list",
    "make sure the test passes",
    "Ask me before continuing",
    "Never touch the seeds folder today.",
    "I want your opinion on the layout?",
    "the map never loads",
)


@table(
    ("text", "state"),
    [
        *((text, "active") for text in KEPT_AT_ONCE),
        *((text, "proposed") for text in PROPOSED),
        *((text, "dropped") for text in NOTHING),
    ],
)
def test_form_addressee_and_place_decide(text: str, state: str) -> None:
    assert state_of(text) == state


def test_beside_a_piece_of_work_a_ban_waits() -> None:
    assert state_of("Never store the password in plain text.") == "active"
    assert state_of("Add a login page. Never store the password in plain text.") == "proposed"
