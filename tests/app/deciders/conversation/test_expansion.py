"""The expanded message: articles, possessives, capitals; nothing else is changed."""

import pytest

from app.deciders.conversation.references.expansion import expand_text
from app.values import Reference, ReferenceKind, ReferenceState
from tests.table import table


def reference(
    text: str,
    mention: str,
    antecedent: str | None,
    *,
    state: ReferenceState = ReferenceState.RESOLVED,
    kind: ReferenceKind = ReferenceKind.PRONOUN,
    after: str = "",
) -> Reference:
    start = text.index(after) + len(after) if after else text.index(mention)
    return Reference(mention, start, start + len(mention), kind, state, antecedent, 0.9, "")


@table(
    ("text", "mention", "antecedent", "expanded"),
    [
        ("Make it purple", "it", "FAB button", "Make the FAB button purple"),
        ("It is slow", "It", "export feature", "The export feature is slow"),
        ("its color is off", "its", "FAB button", "the FAB button's color is off"),
        ("their color is off", "their", "buttons", "the buttons' color is off"),
        ("move it", "it", "load_rows", "move load_rows"),
        ("move it", "it", "src/app.py", "move src/app.py"),
        ("ask her", "her", "Maria Silva", "ask Maria Silva"),
        ("add one", "one", "close button", "add close button"),
        ("put it there", "there", "header", "put it in the header"),
        ("take the second one", "the second one", "drawer", "take the drawer"),
    ],
)
def test_put_in(text: str, mention: str, antecedent: str, expanded: str) -> None:
    assert expand_text(text, [reference(text, mention, antecedent)]) == expanded


@pytest.mark.seed("S2", "ref.implicit")
@table(
    ("text", "after", "antecedent", "expanded"),
    [
        ("Use toggle switch, not button", "switch", "dark mode", "Use toggle switch for dark mode, not button"),
        ("Change the color", "color", "FAB button", "Change the color of the FAB button"),
        ("deploy again", "deploy", "importer", "deploy the importer again"),
    ],
)
def test_left_out_objects(text: str, after: str, antecedent: str, expanded: str) -> None:
    missing = reference(text, "", antecedent, kind=ReferenceKind.IMPLICIT, after=after)
    assert expand_text(text, [missing]) == expanded


def test_an_act_is_put_behind_the_word() -> None:
    text = "revert that please"
    act = reference(text, "that", "add retries to the client")
    assert expand_text(text, [act]) == "revert that (add retries to the client) please"


@table("state", [ReferenceState.AMBIGUOUS, ReferenceState.UNRESOLVED, ReferenceState.DISMISSED])
def test_what_is_not_settled_stays(state: ReferenceState) -> None:
    text = "Make it purple"
    assert expand_text(text, [reference(text, "it", "FAB button", state=state)]) == text


def test_a_correction_is_put_in() -> None:
    text = "Make it purple"
    corrected = reference(text, "it", "header", state=ReferenceState.CORRECTED)
    assert expand_text(text, [corrected]) == "Make the header purple"


def test_several_in_any_order() -> None:
    text = "test it and ship them"
    found = [reference(text, "them", "packages"), reference(text, "it", "parser")]
    assert expand_text(text, found) == "test the parser and ship the packages"


def test_without_references_the_text_is_the_same_object() -> None:
    text = "  odd \r\n spacing\t stays "
    assert expand_text(text, []) is text


@table("text", ["run `make it` now", "```\nit\n```", "```\nit"])
def test_code_is_never_touched(text: str) -> None:
    assert expand_text(text, [reference(text, "it", "FAB button")]) == text


def test_places_outside_the_text_are_ignored() -> None:
    stray = Reference("it", 90, 92, ReferenceKind.PRONOUN, ReferenceState.RESOLVED, "header", 0.9, "")
    assert expand_text("short", [stray]) == "short"
