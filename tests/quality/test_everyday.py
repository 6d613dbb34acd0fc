"""What a newcomer without a judge types: lasting rules of ten invented people, what must teach nothing, and changes of mind.

Written before the rules were read, by the hand that then changed them: the people of the half "fit" were looked at while forms were added,
of the others only totals, once. `want`: active where the words say that they shall last, kept where a proposal does as well, nothing.
Of the 30 lasting sentences of the unseen half 4 were active and 9 dropped before, 10 and 4 after; of its 10 changes of mind 6 were heard and
1 closed, then 8 and 2. Since whatever is likely a statement is proposed, 1 of those 30 is dropped, and 2 of the other 30 are proposed.
"""

import json
from functools import cache
from pathlib import Path

from app.api import Engine
from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.memory.rules import load_memory_rules
from app.memories.learn import Learner
from app.resources import load_rules
from app.settings import Settings
from tests.conftest import Say
from tests.patience import PATIENCE_S
from tests.table import table

FOLDER = Path(__file__).parent / "labels"


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
    [("fit", 13, 30, 0), ("unseen", 8, 29, 2)],
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
    "Don't number your answers",
    "Put the ticket number in your commits",
    "In this project we use tabs",
    "Whenever you open a pull request, add a line to the changelog",
    "A few things: never use tabs, always end files with a newline.",
    "Hi! I'm new to programming. Please always explain the commands you run.",
    "Use pnpm instead of npm.",
    "Never add tests",
    "Don't add any tests",
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
    "Update the docs to say pnpm instead of npm.",
    "don't add tests",
    "Ok go, but don't write docs.",
)
NOTHING = (
    "don't add the button yet",
    "no emojis showed up in the list",
    "make sure the test passes",
    "Ask me before continuing",
    "Never touch the seeds folder today.",
    "I want your opinion on the layout?",
    "the map never loads",
    "whenever you open the page, load all the entries",
    "whenever you press enter, send the form",
    "push your commits",
    "squash your commits",
    "delete your comments",
    "Read your comments and fix them",
    "Fix the typo in your comments",
    "Show me the difference between your commits",
    "I lost your messages",
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


def play_changes(engine: Engine, say: Say, rows: list[dict[str, str]]) -> list[str]:
    """What became of the first statement of each pair when the later one was said weeks afterwards: replaced, asked, both."""
    first = [_taught(engine, say, row["first"], number) for number, row in enumerate(rows)]
    say("hello", session="between", cwd="/w/between", minutes=60 * 24 * 21)
    for number, row in enumerate(rows):
        _taught(engine, say, row["later"], number)
    assert engine._core.scanner.wait_idle(PATIENCE_S)
    return [_fate(engine, number) for number in first]


def _taught(engine: Engine, say: Say, text: str, number: int) -> int | None:
    before = set(engine.memories.ids())
    say(text, session=f"{number}-{len(text)}", cwd=f"/w/p{number}")
    return max(set(engine.memories.ids()) - before, default=None)


def _fate(engine: Engine, memory_id: int | None) -> str:
    if memory_id is None:
        return "both"
    detail = engine.memories.get(memory_id)
    return "replaced" if detail.memory.valid_to is not None else "asked" if detail.contradiction_ids else "both"


@table(
    ("half", "least_heard", "least_replaced", "most_false"),
    [("fit", 10, 5, 0), ("unseen", 8, 2, 0)],
)
def test_changes_of_mind_are_heard(
    engine: Engine, say: Say, half: str, least_heard: int, least_replaced: int, most_false: int
) -> None:
    """The newer wins where it says so (`want` replaced), else a person is asked (heard); what goes together stays (both)."""
    rows = [row for row in load("everyday_changes.jsonl") if row["half"] == half]
    fates = list(zip(rows, play_changes(engine, say, rows), strict=True))
    heard = sum(fate != "both" for row, fate in fates if row["want"] != "both")
    replaced = sum(row["want"] == fate == "replaced" for row, fate in fates)
    false = sum(row["want"] == "both" and fate != "both" for row, fate in fates)
    print(f"{half}: {heard} of 10 heard, {replaced} replaced, {false} false")
    assert (heard >= least_heard, replaced >= least_replaced, false <= most_false) == (True, True, True)
