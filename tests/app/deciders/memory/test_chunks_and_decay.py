"""When messages become chunks, how chunks merge, and how a memory's weight falls with time and rises with use."""

from datetime import UTC, datetime, timedelta

import pytest

from app.deciders.memory.decay import decay
from app.deciders.memory.levels.summarise import (
    MERGED_TOKENS,
    merge_chunk_summaries,
    merge_topics,
    plan_chunks,
    plan_merges,
    summarise_messages,
)
from app.language.token_counts import count_tokens
from tests.table import table

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@table(("said", "sizes"), [(0, []), (20, []), (21, [10]), (30, [10]), (31, [10, 10]), (250, [10] * 23)])
def test_beyond_twenty_messages_the_oldest_ten_become_a_chunk(said: int, sizes: list[int]) -> None:
    chunks = plan_chunks(range(said))
    assert [len(chunk) for chunk in chunks] == sizes
    assert [message for chunk in chunks for message in chunk] == list(range(sum(sizes)))


def test_one_by_one_gives_the_same_chunks_as_all_at_once() -> None:
    recent: list[int] = []
    chunks: list[tuple[int, ...]] = []
    for message in range(250):
        recent.append(message)
        made = plan_chunks(recent)
        chunks += made
        recent = recent[sum(map(len, made)) :]
    assert tuple(chunks) == plan_chunks(range(250))
    assert len(recent) == 20


def test_a_chunk_larger_than_the_recent_part_leaves_the_newest_message_out() -> None:
    assert plan_chunks(range(6), max_recent=5, chunk_size=100) == ((0, 1, 2, 3, 4),)


def test_the_oldest_chunks_merge_until_the_limit_holds() -> None:
    assert plan_merges(["a", "b", "c"], max_chunks=3) == ()
    assert plan_merges(["a", "b", "c", "d", "e"], max_chunks=3) == ("a", "b", "c")


@table("wrong", [lambda: plan_chunks([1], chunk_size=0), lambda: plan_merges([1], max_chunks=0)])
def test_limits_below_one_are_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="at least one"):
        wrong()  # type: ignore[operator]


def test_topics_are_told_once_in_the_order_of_first_mention() -> None:
    assert merge_topics(("Upload", "retry "), ("upload", "", "CSV"), limit=3) == ("Upload", "retry", "CSV")
    assert merge_topics(("a", "b"), ("c",), limit=2) == ("a", "b")


def test_merged_summaries_say_what_was_earlier() -> None:
    assert merge_chunk_summaries("import page", "export page") == "Earlier: import page\n\nThen: export page"


def test_merging_again_and_again_stays_within_the_budget_and_keeps_the_newest() -> None:
    merged = "nothing yet"
    for round_number in range(40):
        newer = (
            f"round {round_number}: the importer of table {round_number} must not read more than {round_number} rows"
        )
        merged = merge_chunk_summaries(merged, newer)
        assert count_tokens(merged) <= MERGED_TOKENS
        assert merged.count("Earlier: ") == 1
        assert merged.count("\n\nThen: ") == 1
        assert merged.endswith(newer)
    assert "table 38" in merged


def test_a_summary_keeps_orders_names_and_nots_and_drops_thanks() -> None:
    texts = [
        "Please add an undo button to the invoice editor, thank you!",
        "ok great",
        "The undo history must not be larger than 50 steps.",
        "why is test_undo.py red on Windows?",
    ]
    summary, topics = summarise_messages(texts)
    for word in ("undo", "invoice", "not", "50 steps", "test_undo.py", "Windows?"):
        assert word in summary
    assert "thank" not in summary
    assert "great" not in summary
    assert any("undo" in topic for topic in topics)
    assert summarise_messages(texts) == (summary, topics)


@table("max_tokens", [10, 40, 150])
def test_a_summary_stays_within_its_tokens(max_tokens: int) -> None:
    texts = [
        f"Message {number} asks that the parser of file_{number}.csv skips line {number * 7}." for number in range(60)
    ]
    summary, topics = summarise_messages(texts, max_tokens=max_tokens)
    assert 0 < count_tokens(summary) <= max_tokens
    assert 0 < len(topics) <= 6


def test_nothing_said_is_nothing_summed_up() -> None:
    assert summarise_messages([]) == ("", ())
    assert summarise_messages(["", "  \n"]) == ("", ())


@table(
    ("idle_days", "accesses", "expected"),
    [
        pytest.param(0, 0, 1.0, id="just used"),
        pytest.param(30, 0, 0.5, id="one half-life"),
        pytest.param(90, 0, 0.125, id="three half-lives"),
        pytest.param(90, 3, 0.425, id="three accesses lift by 0.3"),
        pytest.param(90, 99, 0.625, id="the boost ends at 0.5"),
        pytest.param(1, 5, 1.0, id="never above one"),
        pytest.param(-400, 0, 1.0, id="an access in the future counts as now"),
        pytest.param(100_000, 0, 0.0, id="ages ago"),
    ],
)
def test_decay(idle_days: int, accesses: int, expected: float) -> None:
    assert decay(NOW - timedelta(days=idle_days), accesses, NOW) == pytest.approx(expected, abs=1e-9)


def test_a_half_life_can_be_set_but_not_be_nothing() -> None:
    assert decay(NOW - timedelta(days=7), 0, NOW, half_life_days=7) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="half-life"):
        decay(NOW, 0, NOW, half_life_days=0)
