"""Issue 4: what holds for the open file is critical, whatever words it has in common with it."""

import pytest

from app.api import Engine, FactType, MemoryDraft
from app.values import ContextRequest, ContextSignals, MemoryFilter, Tier
from tests.crowd import remember_all

SHOP = "/w/shop"
HINTS = "Always use type hints in Python code."


def tier_of(engine: Engine, text: str, file: str, fact_type: FactType = FactType.CONSTRAINT) -> Tier:
    memory_id = engine.memories.create(MemoryDraft(text, type=fact_type, project_path=SHOP))
    signals = ContextSignals(SHOP, prompt="add a second button", current_file=file)
    made = engine.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))
    return next(item.tier for item in made.items if item.memory_id == memory_id)


@pytest.mark.seed("S4", "tier1.decisions")
@pytest.mark.parametrize(
    ("text", "file", "is_critical"),
    [
        (HINTS, "src/login.py", True),
        (HINTS, f"{SHOP}/src/login.py", True),
        (HINTS, "src/login.ts", False),
        ("TypeScript files never use any.", "src/login.tsx", True),
        ("No floats anywhere in billing/.", "src/billing/tax.rb", True),
        ("The billing folder has no floats.", "src/billing/tax.rb", True),
        ("Never go live on Fridays.", "cmd/main.go", False),
    ],
)
def test_a_constraint_that_names_the_language_or_the_folder_is_critical(
    engine: Engine, text: str, file: str, *, is_critical: bool
) -> None:
    assert (tier_of(engine, text, file) is Tier.CRITICAL) is is_critical


def test_a_plain_fact_is_not(engine: Engine) -> None:
    assert tier_of(engine, "The Python version is 3.11.", "src/login.py", FactType.FACT) is not Tier.CRITICAL


def test_a_line_to_ask_by_comes_once_in_a_session(engine: Engine) -> None:
    text = "The warehouse shelf {} holds parts of kind {} behind a door with lock {}."
    shelves = (text.format(number, number * 7, number * 3) for number in range(90))
    others = (f"Van {number} leaves at {number} past noon." for number in range(200))
    remember_all(engine, [MemoryDraft(one, type=FactType.FACT, project_path=SHOP) for one in [*shelves, *others]])

    def give(prompt: str, session: str = "s1") -> list[str]:
        signals = ContextSignals(SHOP, app="codex", session=session, prompt=prompt)
        request = ContextRequest(signals, budget_tokens=1_200, delivery="mcp")
        return [item.text for item in engine.context.assemble(request).items if item.tier is Tier.INDEX]

    asked = "I look for the warehouse door. Where is it?"
    first, second = give(asked), give("I look for the warehouse lock. Where is it?")
    assert first, "the control: there are lines to ask by"
    assert not set(first) & set(second)
    assert set(first) & set(give(asked, session="s2"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The login form has two fields.", "named by the file: says “login”"),
        ("Every session lasts a week.", "close to the file's name: says “session”"),
    ],
)
def test_what_only_means_the_same_is_not_named_by_the_file(engine: Engine, text: str, reason: str) -> None:
    memory_id = engine.memories.create(MemoryDraft(text, type=FactType.FACT, project_path=SHOP))
    request = ContextRequest(ContextSignals(SHOP, current_file="src/login.py"), delivery="mcp", is_kept=False)
    made = engine.context.assemble(request)
    assert next(item.reason for item in made.items if item.memory_id == memory_id).startswith(reason)


def test_the_brief_reason_names_only_words_that_the_memory_says(engine: Engine) -> None:
    said = engine.memories.create(MemoryDraft("The login form has two fields.", project_path=SHOP))
    meant = engine.memories.create(MemoryDraft("Every session lasts a week.", project_path=SHOP))
    with engine._core.store.read() as connection:
        found = engine._core.recall.retrieve(connection, "login", MemoryFilter(), 5, is_literal=True)
    assert (found.name_words(said), found.name_words(meant)) == ("says “login”", "says “session”")
    assert (found.says_itself(said), found.says_itself(meant)) == (True, False)


def test_what_is_found_for_several_reasons_stands_first_and_says_them(engine: Engine) -> None:
    def add(text: str) -> int:
        return engine.memories.create(MemoryDraft(text, type=FactType.FACT, project_path=SHOP))

    both, file_only, asked_only = (
        add("Vouchers in the basket are rounded down."), add("The basket is emptied at night."), add("Vouchers are blue.")
    )  # fmt: skip
    signals = ContextSignals(
        SHOP, prompt="the sum is off by a cent as soon as somebody has vouchers", current_file="src/shop/basket.py"
    )
    made = engine.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))
    given = {item.memory_id: item for item in made.items}
    assert given[both].score > max(given[file_only].score, given[asked_only].score)
    assert "also " in given[both].reason
    assert "also " not in given[file_only].reason


def test_an_error_brings_what_names_the_same_thing_and_not_what_shares_words(engine: Engine) -> None:
    shelves = (f"Shelf {number} holds parts of kind {number * 7}." for number in range(24))
    remember_all(engine, [MemoryDraft(one, project_path=SHOP) for one in shelves])
    named = engine.memories.create(MemoryDraft("The invoice_total is kept in cents.", project_path=SHOP))
    worded = engine.memories.create(MemoryDraft("A failed invoice job is queued again.", project_path=SHOP))
    signals = ContextSignals(SHOP, recent_errors=("KeyError: 'invoice_total' when the invoice job failed",))

    made = engine.context.assemble(ContextRequest(signals, delivery="mcp", is_kept=False))

    assert named in {item.memory_id for item in made.items}
    assert worded not in {item.memory_id for item in made.items}


@pytest.mark.parametrize("file", ["src/shop/labels.py", "/elsewhere/main/checkout/shop/labels.py"])
def test_what_a_sentence_is_about_is_given_for_the_file_of_that_name(engine: Engine, file: str) -> None:
    fillers = (f"Shelf {number} of the main shop holds parts of kind {number * 7}." for number in range(24))
    remember_all(engine, [MemoryDraft(one, project_path=SHOP) for one in fillers])
    text = "The two labels are printed at once, and the second one goes to the driver who signs for it."
    subject = engine.memories.create(MemoryDraft(text, project_path=SHOP))
    text = "The driver of the night tour signs twice, because he also takes the labels of a parcel."
    aside = engine.memories.create(MemoryDraft(text, project_path=SHOP))

    request = ContextRequest(ContextSignals(SHOP, current_file=file), delivery="mcp", is_kept=False)
    given = {item.memory_id for item in engine.context.assemble(request).items}

    assert subject in given
    assert aside not in given


def test_a_question_is_given_what_shares_its_rare_words_and_no_more(engine: Engine) -> None:
    """Every memory here is about the barge: that word tells none from another."""
    fillers = (f"The barge carries crate {number} on deck {number * 7}." for number in range(24))
    remember_all(engine, [MemoryDraft(one, project_path=SHOP) for one in fillers])
    answer = engine.memories.create(MemoryDraft("The barge is painted blue below the water.", project_path=SHOP))
    engine.memories.create(MemoryDraft("The barge is moored at the water gate.", project_path=SHOP))

    def give(prompt: str) -> set[int | None]:
        request = ContextRequest(ContextSignals(SHOP, prompt=prompt), delivery="mcp", is_kept=False)
        return {item.memory_id for item in engine.context.assemble(request).items}

    assert give("In what colour is the barge painted below the water?") == {answer}
    assert give("Who is the captain of the barge?") == set()
