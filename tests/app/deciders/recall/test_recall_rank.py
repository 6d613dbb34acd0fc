"""Order, silence and reasons: by small made-up memories."""

from datetime import UTC, datetime

import pytest

from app.deciders.recall.ranking.abstention import find_abstention_reason
from app.deciders.recall.ranking.conflicting_hits import move_newer_above
from app.deciders.recall.ranking.explain import list_signals, mark_words
from app.deciders.recall.ranking.query import QueryTerm, make_query_terms, parse_query
from app.deciders.recall.ranking.rank import Candidate, RankedCandidate, TimeRange, rank_candidates
from app.deciders.recall.ranking.recipes import choose_recipe, load_recipes, parse_recipes
from app.deciders.recall.rules import load_recall_rules
from app.errors import InvalidError
from app.language.search_words import split_stems
from tests.table import table

NOW = datetime(2026, 3, 11, 15, 0, tzinfo=UTC)
RULES = load_recall_rules()
RECIPES = load_recipes()
GATED = RECIPES["gated"]


def look_for(text: str, *memories: str, total: int = 1_000) -> tuple[QueryTerm, ...]:
    """What a query looks for in a store of `total`, where only `memories` hold any of it."""
    query = parse_query(text, NOW, RULES)
    cuts = [set(split_stems(memory)) for memory in memories]
    known = set().union(*cuts) if cuts else set()
    counts = {stem: sum(stem in cut for cut in cuts) for stem in known}
    return make_query_terms(query, counts, total, RULES, lambda _word: ())


def memory(number: int, text: str, **more: object) -> Candidate:
    label = text.partition(":")[0].lower() if ":" in text else ""
    return Candidate(number, split_stems(text), number * 1_000_000, label=label, text=text, **more)  # type: ignore[arg-type]


def ask(text: str, *memories: Candidate | str, recipe: str = "gated") -> list[RankedCandidate]:
    listed = [one if isinstance(one, Candidate) else memory(at, one) for at, one in enumerate(memories, 1)]
    texts = [" ".join(one.stems) for one in listed]
    return rank_candidates(listed, look_for(text, *texts), RECIPES[recipe])


def ids(ranked: list[RankedCandidate]) -> list[int]:
    return [one.candidate.id for one in ranked]


@pytest.mark.seed("S3", "tfidf")
def test_the_memory_with_the_rarer_words_comes_first_and_the_unrelated_not_at_all() -> None:
    assert ids(
        ask("staging port of gateway", "The gateway listens on port 9000", "Port the tests", "Tea is at four")
    ) == [1, 2]


def test_importance_never_brings_in_what_is_not_related() -> None:
    loud = memory(2, "Never push to main", importance=1.0, access=1.0, recency=1.0, is_pinned=True)
    assert ids(ask("colour of the button", "The button colour is teal", loud)) == [1]


def test_importance_decides_between_equals() -> None:
    low, high = memory(9, "The button is teal", importance=0.1), memory(3, "The button is teal", importance=0.9)
    assert ids(ask("button", low, high)) == [3, 9]


def test_a_memory_said_right_beside_one_that_fits_is_in_the_answer() -> None:
    question = memory(1, "Where did the trip to Lisbon end?", conversation_id=5, message_id=10)
    answer = memory(2, "At the sea, with cake.", conversation_id=5, message_id=11)
    far = memory(3, "At the lake, with tea.", conversation_id=6, message_id=11)
    ranked = ask("trip to Lisbon", question, answer, far)
    assert ids(ranked) == [1, 2]
    assert ranked[1].lent > 0


def test_a_quoted_phrase_must_stand_side_by_side() -> None:
    query = parse_query('"release notes"', NOW, RULES)
    listed = [memory(1, "Release the notes"), memory(2, "Write release notes on Friday")]
    ranked = rank_candidates(listed, look_for("release notes", "Release the notes"), GATED, phrases=query.phrases)
    assert ids(ranked) == [2]


def test_the_time_asked_about_lifts() -> None:
    listed = [memory(1, "We chose ports"), memory(2, "We chose ports")]
    ranked = rank_candidates(listed, look_for("ports", "We chose ports"), GATED, span=TimeRange(0, 1_500_000))
    assert ids(ranked)[0] in {1, 2}
    assert ranked[0].score >= ranked[1].score


@table(
    ("older", "newer", "question"),
    [
        (
            "The nightly build runs on Jenkins.",
            "The nightly build was moved to Buildkite.",
            "where does the nightly build run",
        ),
        ("The upload limit is 20 MB.", "The upload limit is 50 MB.", "what is the upload limit"),
        (
            "Write German comments in the parser.",
            "No German comments in the parser, English only.",
            "language of parser comments",
        ),
        ("The wiki is Confluence.", "Our wiki moved into Outline.", "which wiki"),
        ("The chat bot answers in Slack.", "Nowadays the chat bot answers in Zulip.", "where does the chat bot answer"),
        ("The importer may overwrite rows.", "Nobody lets the importer overwrite rows.", "does the importer overwrite"),
        ("Search results are sorted by date.", "Search sorts by rating.", "order of the search results"),
        ("Map tiles come from Google.", "The map tiles are served by us.", "map tiles"),
        ("Rows are locked without a timeout.", "Rows are locked for a timeout.", "timeout of locked rows"),
    ],
)
def test_what_replaced_stands_above_what_it_replaced(older: str, newer: str, question: str) -> None:
    ranked = move_newer_above(ask(question, older, newer), RULES)
    assert ids(ranked) == [2, 1]


@table(
    ("older", "newer", "question"),
    [
        ("The billing team uses Linear.", "The hardware team uses Shortcut.", "what does the billing team use"),
        ("Photos are kept for ever.", "Photos in the shop are square.", "how long are photos kept"),
        ("Ana: I live in Oslo.", "Ben: I live in Bergen.", "who lives in what town"),  # talk
    ],
)
def test_another_name_replaces_only_what_answers_the_same_question(older: str, newer: str, question: str) -> None:
    ranked = ask(question, older, newer)
    assert ids(move_newer_above(ranked, RULES)) == ids(ranked)


def test_two_statements_that_merely_share_a_word_are_no_rivals() -> None:
    ranked = ask("upload limit", "The upload limit is 20 MB.", "Uploads are scanned by clamav before they are stored.")
    assert ids(move_newer_above(ranked, RULES)) == [1, 2]


def test_what_was_asked_for_by_name_stands_above_newer_statements_of_the_same_form() -> None:
    """A log of failures, each with its own numbers: the newer ones say nothing about the one that is asked for."""
    listed = [
        f"loadPage{number} in src/web/load_page{number}.py fails when the page is empty." for number in range(11, 17)
    ]
    query = "loadPage11 in src/web/load_page11.py"
    assert ids(move_newer_above(ask(query, *listed), RULES, look_for(query, *listed)))[0] == 1


@table(
    "newer",
    [
        "The release job builds with --no-color.",
        "The release job builds with systemctl enable --now.",
        "The release job builds while NO_PROXY is set.",
    ],
)
def test_a_word_inside_an_option_or_a_name_denies_nothing(newer: str) -> None:
    newer, older = (
        f"Ada: {newer}",
        "Ada: The release job builds the wheels.",
    )  # of statements the later one comes first anyway
    ranked = ask("what does the release job build", memory(1, older), memory(2, newer))
    assert ids(move_newer_above(ranked, RULES)) == ids(ranked)
    said = newer.replace("--no-color", "no wheels").replace("--now", "now").replace("NO_PROXY is set", "no wheels are")
    denied = ask("what does the release job build", memory(1, older), memory(2, said))
    assert ids(move_newer_above(denied, RULES)) == [2, 1]


def test_the_store_knows_best_what_supersedes_what() -> None:
    old, new = memory(1, "Deploys go to Heroku"), memory(2, "Deploys: Fly", supersedes_id=1)
    assert ids(move_newer_above(ask("where do deploys go", old, new), RULES)) == [2, 1]


def test_a_closed_memory_scores_less() -> None:
    closed, live = memory(2, "The cache is Redis", is_live=False), memory(1, "The cache is Redis")
    assert ids(ask("cache", closed, live)) == [1, 2]


@table("name", ["gated", "seed_weights", "seed_config"])
def test_shares_of_signals_sum_to_one(name: str) -> None:
    found = memory(1, "The gateway listens on port 9000", recency=0.5, access=0.4)
    ranked = ask("gateway port", found, "Port the tests", recipe=name)
    signals = list_signals(ranked[0].parts, ranked[0].values)
    assert sum(signal.share for signal in signals) == pytest.approx(1.0)
    assert all(0 <= signal.value <= 1 for signal in signals)
    assert all(0 < one.score <= 1 for one in ranked)


def test_matched_words_are_marked_as_they_stand() -> None:
    text = "Tests of fetchUserById run nightly"
    marks = mark_words(text, look_for("test fetch", text))
    assert marks.words == ("Tests", "fetchUserById")
    assert [text[start:end] for start, end in marks.spans] == list(marks.words)


@table(
    ("question", "memories", "is_silent"),
    [
        ("which database do we use", ("We use MariaDB as database.",), False),
        ("when does Otto's train to Vienna leave", ("Mia: The train was late again.", "Ben: I like tea."), True),
        ("when does Mia leave for Vienna", ("Mia: My train to Vienna leaves at nine.", "Ben: I like tea."), False),
        (
            "what instrument did Mia learn",
            ("Mia: Spring is here.", "Ben: I learn the cello, an instrument."),
            True,
        ),
        ("how are quarterly tax forecasts for subsidiaries in Peru computed", ("Forecasts are cached.",), True),
        ("cached", ("Forecasts are cached.",), False),
    ],
)
def test_silence(question: str, memories: tuple[str, ...], is_silent: bool) -> None:
    ranked = ask(question, *memories)
    assert bool(find_abstention_reason(ranked, look_for(question, *memories))) is is_silent


def test_a_recipe_that_weighs_the_unknown_is_refused() -> None:
    with pytest.raises(InvalidError, match="taste"):
        parse_recipes({"recipes": {"mine": {"kind": "weighted", "weights": {"taste": 1}}}})
    with pytest.raises(InvalidError, match="nonsense"):
        choose_recipe(RECIPES, "nonsense")
