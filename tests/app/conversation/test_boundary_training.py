"""The fit of the boundary weights: what its file says, and that it stays near what it began with."""

from pathlib import Path

import pytest

from app.conversation.boundary import BoundaryRules
from app.conversation.boundary_training import Observed, Prior, fit_weights, load_streams, observe_streams
from app.resources import load_rules, resource_path


@pytest.fixture(scope="module")
def prior() -> Prior:
    return Prior.load(resource_path("conversations") / "public.json")


def test_streams_are_read_with_their_pauses_and_starts(tmp_path: Path) -> None:
    path = tmp_path / "streams.txt"
    path.write_text(
        "## a comment\n== one\n> 0 add a logo\n. 4 says:\\n\\nno\n> 90 how\n== two\n> 0 hi\n", encoding="utf-8"
    )
    one, two = load_streams(path)
    assert one.name == "one"
    assert one.is_start == (True, False, True)
    assert [message.text for message in one.messages] == ["add a logo", "says:\n\nno", "how"]
    first, second = one.messages[0].at, one.messages[2].at
    assert first is not None
    assert second is not None
    assert (second - first).total_seconds() == 94 * 60
    assert len(two.messages) == 1


def test_every_line_of_the_shipped_streams_is_read() -> None:
    path = resource_path("conversations") / "streams.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[:2] not in {"##", "=="}]
    streams = load_streams(path)
    assert len(streams) >= 40
    assert sum(len(stream.messages) for stream in streams) == len(lines)
    assert all(stream.is_start[0] for stream in streams)


def test_without_examples_the_weights_stay(prior: Prior) -> None:
    assert fit_weights([Observed({}, is_start=False)], prior, strength=1e6)["opener"] == pytest.approx(
        prior.weights["opener"], abs=1e-3
    )


def test_examples_move_a_weight_but_never_over_zero(prior: Prior) -> None:
    wrong_way = [Observed({"opener": 1.0}, is_start=False)] * 300
    assert fit_weights(wrong_way, prior, strength=0.1)["opener"] == 0.0
    assert fit_weights(wrong_way, prior)["opener"] < prior.weights["opener"]


def test_what_hand_written_streams_do_not_show_is_held(prior: Prior) -> None:
    fitted = fit_weights([Observed({"heading": 1.0}, is_start=False)] * 50, prior)
    assert fitted["heading"] == prior.weights["heading"]


def test_a_stream_is_observed_with_its_true_conversation(tmp_path: Path) -> None:
    path = tmp_path / "streams.txt"
    path.write_text(
        "== one\n> 0 add a logo to the invoice\n. 4 make it smaller\n> 300 the login fails\n", encoding="utf-8"
    )
    (observed,) = observe_streams(load_streams(path), BoundaryRules.parse(load_rules("boundary")))
    assert [one.is_start for one in observed] == [False, True]
    assert observed[1].values["gap_long"] == 1.0
