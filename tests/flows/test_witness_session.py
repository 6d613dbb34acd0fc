"""What must hold of a session in which an assistant reports what the person said."""

import json
from typing import Any

import pytest

from app.assistant_instructions import INSTRUCTION, PROMPT_LINE, START_LINE
from tests.flows.witness_session import STEPS, Played, play, tell


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """On a busy machine an answer may come after the hook gave up waiting: then the session is played again."""
    for _ in range(5):
        played = play(tmp_path_factory.mktemp("witness"))
        if len(asked_in_receipts(played)) == len(asked(played)):
            break
    return played


def asked(played: Played) -> list[str]:
    """What the assistant read that asks it to remember."""
    return [step.said for step in played.steps if START_LINE in step.said or PROMPT_LINE in step.said]


def asked_in_receipts(played: Played) -> list[dict[str, Any]]:
    return [item for one in played.receipts for item in one["context"]["items"] if item["title"] == "asks to remember"]


def statuses(played: Played) -> dict[str, tuple[str, int]]:
    """Of what the assistant reported, by its words."""
    found = (one["memory"] for one in played.memories if "says" not in one["memory"]["reason"][:4])
    return {one["levels"]["full"]["text"]: (one["status"], one["trust"]) for one in found}


def test_assistants_are_asked_where_they_look(played: Played) -> None:
    assert INSTRUCTION in played.instructions
    assert played.said("a session starts") == START_LINE
    assert played.said("a prompt that sounds lasting, and nothing else to give") == PROMPT_LINE
    assert PROMPT_LINE not in played.said("the next prompt asks nothing")
    tools = json.loads(played.hello[1][1])["result"]["tools"]
    (schema,) = [tool["inputSchema"] for tool in tools if tool["name"] == "remember"]
    assert schema["required"] == ["quote", "statement"]
    assert set(schema["properties"]) == {"quote", "statement", "type", "scope", "replaces"}


def test_only_what_the_person_said_is_in_use(played: Played) -> None:
    found = statuses(played)
    assert found["The ferry never carries more than the ramp can hold."] == ("active", 2)
    assert {text for text, standing in found.items() if standing == ("proposed", 0)} == {
        "Tickets are sold at the pier.",
        "Berths are given out by the night watch.",
        "Tickets are printed in Danish and German.",
        "The ferry leaves at noon.",
        "The mill is closed in winter.",
    }
    assert not [text for text, (status, _) in found.items() if status == "active" and "permission" in text]
    assert played.said("its true quote").startswith("Blocked as ")


def test_the_quote_is_one_click_away_and_what_it_replaces_is_over(played: Played) -> None:
    (new,) = [one for one in played.memories if one["memory"]["levels"]["full"]["text"].endswith("ramp can hold.")]
    assert new["memory"]["worded_by"] == "claude-code"
    assert [source["quote"] for source in new["sources"]] == ["the ferry must not carry more than the ramp can hold"]
    assert "It replaces " in played.said("a true quote that replaces")
    given = played.said("what is told of it now")
    assert "ramp" in given
    assert "crane" not in given


def test_the_same_again_adds_nothing(played: Played) -> None:
    assert "Known already" in played.said("the same again")


def test_every_line_that_asks_stands_in_a_receipt(played: Played) -> None:
    items = asked_in_receipts(played)
    assert len(items) == len(asked(played)) >= 2
    assert all(item["token_count"] > 0 for item in items)


def test_it_can_be_printed(played: Played) -> None:
    text = "\n".join(tell(played))
    assert all(f"=== {shows} ({done})" in text for shows, done, _ in STEPS)
