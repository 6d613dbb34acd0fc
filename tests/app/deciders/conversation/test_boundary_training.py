"""The fit of the boundary weights: what its file says, and that it stays near what it began with."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.deciders.conversation.boundary.boundary import BoundaryRules
from app.evaluation.training.boundary import (
    Observed,
    Prior,
    fit_weights,
    load_streams,
    observe_streams,
    read_public,
    summarise_streams,
)
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


def test_without_examples_the_weights_stay() -> None:
    prior = Prior(("bias", "opener"), (-1.0, 2.0), ((4.0, 1.0), (1.0, 3.0)), {"opener": 1})
    fitted = fit_weights([Observed({}, is_start=False)], prior, strength=1e6)
    assert fitted == pytest.approx({"bias": -1.0, "opener": 2.0}, abs=1e-3)


def test_examples_move_a_weight_but_never_over_zero() -> None:
    prior = Prior(("bias", "opener"), (0.0, 2.0), ((100.0, 0.0), (0.0, 9.0)), {"opener": 1})
    wrong_way = [Observed({"opener": 1.0}, is_start=False)]
    assert 0 < fit_weights(wrong_way, prior)["opener"] < 2
    assert fit_weights(wrong_way * 300, prior)["opener"] == 0.0


def test_what_public_streams_are_surer_of_moves_less() -> None:
    names, weights = ("bias", "seldom", "often"), (0.0, 1.0, 1.0)
    prior = Prior(names, weights, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 40.0)), {})
    fitted = fit_weights([Observed({"seldom": 1.0, "often": 1.0}, is_start=False)] * 20, prior)
    assert fitted["seldom"] < 0 < fitted["often"] < 1


def test_a_message_that_counts_less_moves_less() -> None:
    prior = Prior.flat(["opener"], {})
    full = fit_weights([Observed({"opener": 1.0}, is_start=True)] * 5, prior)
    half = fit_weights([Observed({"opener": 1.0}, is_start=True, weight=0.5)] * 5, prior)
    assert 0 < half["opener"] < full["opener"]


def test_the_summary_of_public_streams_stands_for_them() -> None:
    flat = Prior.flat(["opener", "pause"], {"opener": 1})
    public = [Observed({"opener": number % 2, "pause": number % 3}, is_start=number % 4 == 1) for number in range(60)]
    own = [Observed({"opener": number % 2}, is_start=number % 2 == 1) for number in range(20)]
    together = fit_weights([*public, *own], flat)
    after = fit_weights(own, summarise_streams(public, own, flat))
    assert after == pytest.approx(together, abs=1e-3)


def test_the_prior_reads_back_what_it_wrote(tmp_path: Path, prior: Prior) -> None:
    path = tmp_path / "public.json"
    path.write_text(prior.dump(), encoding="utf-8")
    assert Prior.load(path) == prior


def test_public_streams_are_read_with_their_times(tmp_path: Path) -> None:
    path = tmp_path / "public.jsonl"
    entry = {"when": "2026-01-05T09:00:00Z", "text": "add a logo", "boundary": 1}
    path.write_text(json.dumps({"id": "a", "messages": [entry, entry | {"boundary": 0}]}) + "\n", encoding="utf-8")
    (stream,) = read_public(path)
    assert (stream.name, stream.is_start) == ("a", (True, False))
    assert stream.messages[0].at == datetime(2026, 1, 5, 9, tzinfo=UTC)


def test_a_stream_is_observed_with_its_true_conversation(tmp_path: Path) -> None:
    path = tmp_path / "streams.txt"
    path.write_text(
        "== one\n> 0 add a logo to the invoice\n. 4 make it smaller\n> 300 the login fails\n", encoding="utf-8"
    )
    (observed,) = observe_streams(load_streams(path), BoundaryRules.parse(load_rules("boundary")))
    assert [one.is_start for one in observed] == [False, True]
    assert observed[1].values["pause_300"] == 1.0
    assert 0 < observed[0].values["pause_10"] + observed[0].values["pause_4"] < 2
