"""Places and links: back and forward like a browser, links that survive a round trip and refuse everything foreign."""

import pytest

from ui.navigation import Navigator, Place, parse_link


@pytest.mark.parametrize(
    "place",
    [
        Place("now"),
        Place("settings", query="text size & more"),
        Place("conversations", "conversation", 12),
        Place("conversations", "message", 4_000_000_000, "word"),
        Place("activity", "operation", 3),
    ],
    ids=lambda place: place.link,
)
def test_a_link_leads_back_to_its_place(place: Place) -> None:
    assert parse_link(place.link) == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        "https://example.org/message/1",
        "file:///etc/passwd",
        "remanence://message/abc",
        "remanence://message/-1",
        "remanence://message/99999999999999999999",
        "remanence://message/١٢",
        "remanence://now/3",
        "remanence:now",
    ],
)
def test_anything_else_is_no_place(text: str) -> None:
    assert parse_link(text) is None


def test_back_and_forward() -> None:
    navigator = Navigator()
    for name in ("now", "apps", "settings"):
        navigator.go(Place(name))
    navigator.go_back()
    navigator.go_back()
    assert navigator.place == Place("now")
    assert not navigator.can_go_back
    navigator.go_forward()
    assert navigator.place == Place("apps")
    navigator.go(Place("help"))
    assert not navigator.can_go_forward
    assert navigator.recent == (Place("apps"), Place("now"))


def test_what_is_selected_belongs_to_the_place() -> None:
    navigator = Navigator()
    navigator.go(Place("conversations"))
    navigator.note(Place("conversations", "conversation", 7))
    navigator.note(Place("now"))  # of a screen that is not shown: not heard
    navigator.go(Place("apps"))
    navigator.go_back()
    assert navigator.place == Place("conversations", "conversation", 7)


def test_going_where_one_is_leaves_no_trace() -> None:
    navigator = Navigator()
    navigator.go(Place("now"))
    navigator.go(Place("now"))
    assert not navigator.can_go_back
