"""`remanence workflows`: listed, shown, edited, switched, put away; the empty list says where they come from."""

import json

from app.api import Engine, MemoryDraft, MemoryKind
from app.places import Places
from tests.app.cli.conftest import Remanence, remanence

__all__ = ["remanence"]  # the fixture


def test_the_empty_list_says_where_they_come_from(remanence: Remanence) -> None:
    assert "remanence consolidate" in remanence("workflows").out
    assert "No patterns yet" in remanence("patterns", "list").out


def test_shown_edited_switched_and_put_away(remanence: Remanence, places: Places) -> None:
    details = {"trigger": "deploy_request", "steps": ["test", "prod"], "details": {"test": "pnpm test"}}
    engine = Engine.open(places)
    number = str(
        engine.memories.create(
            MemoryDraft("For a deploy: test, prod.", kind=MemoryKind.WORKFLOW, title="Deploy", details=details)
        )
    )
    engine.close()
    assert "deploy: test→prod" in remanence("workflows").out
    assert "pnpm test" in remanence("workflows", "show", number).out
    remanence("workflows", "edit", number, "--step", "test: make test", "--step", "ship")
    remanence("workflows", "off", number)
    (one,) = json.loads(remanence("workflows", "list", "--json").out)
    assert (one["hint"], one["is_on"]) == ("deploy: test→ship", False)
    remanence("workflows", "purge", number)
    assert json.loads(remanence("workflows", "list", "--json").out) == []
