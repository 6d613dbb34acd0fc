"""What a typed query means: phrases, names, beginnings, times; and the search grammar of the Memories screen."""

from datetime import UTC, datetime

from app.deciders.recall.ranking.grammar import parse_search, query_parts
from app.deciders.recall.ranking.query import choose_alike, choose_terms, parse_query
from app.deciders.recall.ranking.times import find_time
from app.values import FactType, MemoryStatus, Tier
from tests.table import table

NOW = datetime(2026, 3, 11, 15, 0, tzinfo=UTC)  # a Wednesday


@table(
    ("text", "first", "last"),
    [
        ("what changed yesterday", "2026-03-10", "2026-03-11"),
        ("decisions of last week", "2026-03-02", "2026-03-09"),
        ("notes of this month", "2026-03-01", "2026-03-12"),
        ("what was said last month", "2026-02-01", "2026-03-01"),
        ("on 3 July 2025 we met", "2025-07-03", "2025-07-04"),
        ("the outage of July 3rd, 2025", "2025-07-03", "2025-07-04"),
        ("plans made in November", "2025-11-01", "2025-12-01"),
        ("the release in 2024", "2024-01-01", "2025-01-01"),
        ("2026-02-14 standup", "2026-02-14", "2026-02-15"),
        ("last Monday", "2026-03-09", "2026-03-10"),
    ],
)
def test_times_are_read_from_now(text: str, first: str, last: str) -> None:
    span = find_time(text, NOW)
    assert parse_query(text, NOW).span == span
    assert span is not None
    assert span.from_at is not None
    assert span.to_at is not None
    assert (span.from_at.date().isoformat(), span.to_at.date().isoformat()) == (first, last)


def test_since_and_before_are_open_on_one_side() -> None:
    since, before = find_time("all since 1 March 2026", NOW), find_time("what we had before 2025-01-01", NOW)
    assert since is not None
    assert before is not None
    assert since.to_at is None
    assert before.from_at is None


@table(
    "text",
    [
        "may we deploy",
        "31 June 2025",
        "the second port",
        "use 3 workers",
        "",
        "9999-12-31",
        "in March 0000",
        "in Dec 9999",
    ],
)
def test_what_is_no_time_is_left_alone(text: str) -> None:
    assert find_time(text, NOW) is None


def test_every_word_of_time_is_worth_a_look() -> None:
    """A query is read for times only when it holds a number or one of their words."""
    said = [
        "three weeks ago",
        "last quarter",
        "this morning",
        "lately",
        "recently",
        "just now",
        "On Friday",
        "since MAY",
    ]
    assert [parse_query(text, NOW).span for text in said] == [find_time(text, NOW) for text in said]
    assert None not in [find_time(text, NOW) for text in said]


def test_time_words_are_not_looked_for() -> None:
    query = parse_query("ports chosen last week", NOW)
    assert query.stems == ("port", "choos")


def test_a_name_is_a_capital_inside_the_sentence_and_no_acronym_or_month() -> None:
    query = parse_query("Did Ana's team use CI in March or parseHeader with Kubernetes", NOW)
    assert [word.text for word in query.words if word.is_name] == ["Ana's", "Kubernetes"]


def test_words_that_belong_together_are_looked_for_as_one_where_they_stand() -> None:
    query = parse_query("who is Logged in on the kiosk", NOW)
    assert query.stems == ("login", "kiosk")
    assert query.text[query.content[-1].start :] == "kiosk"
    assert parse_query("the logged inputs", NOW).stems == ("log", "input")


def test_words_that_are_looked_for_as_one_stand_as_they_were_typed() -> None:
    query = parse_query("who is Logged in on the kiosk", NOW)
    assert [(word.text, word.stems, word.is_name) for word in query.content] == [
        ("Logged in", ("login",), False),
        ("kiosk", ("kiosk",), False),
    ]
    assert [word.text for word in parse_query("try to re-log in", NOW).content][-1] == "re-log in"


def test_may_is_a_month_when_it_is_written_so() -> None:
    assert "may" not in parse_query("may I restart the kiosk", NOW).stems
    assert "may" in parse_query("the kiosk in the May sale", NOW).stems


def test_stop_words_are_looked_for_when_there_is_nothing_else() -> None:
    assert parse_query("what is it", NOW).stems


def test_a_prompt_is_cut_to_its_rarest_words() -> None:
    stems = [f"w{number}" for number in range(100)]
    chosen = choose_terms(stems, [number * 100 + 1 for number in range(100)], 50_000)
    assert len(chosen) == 12
    assert chosen[0] == "w0"


@table(
    ("typed", "known", "meant"),
    [
        ("databse", "database", True),
        ("kub", "kubernetes", True),
        ("port", "part", True),
        ("cat", "car", False),
        ("user", "use", False),
        ("user", "uses", False),
        ("user", "users", True),
        ("rdis", "redis", True),
    ],
)
def test_slips_of_the_fingers(typed: str, known: str, meant: bool) -> None:
    assert (known in choose_alike(typed, [known, "zebra"])) is meant


def test_the_grammar_takes_its_parts_out_of_the_words() -> None:
    words, found = parse_search(
        'token type:decision is:pinned since:7d project:"my app" from:codex conf:<0.6 used:0 #auth file:login.ts', NOW
    )
    assert words == "token"
    assert found.types == (FactType.DECISION,)
    assert found.is_pinned is True
    assert found.from_at == datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
    assert found.projects == ("my app",)
    assert found.apps == ("codex",)
    assert found.max_confidence == 0.6
    assert found.is_used is False
    assert found.tags == ("auth",)
    assert found.file == "login.ts"


def test_tiers_are_typed_by_name_or_number_and_parts_say_where_they_stand() -> None:
    text = 'ports tier:2 tier:index tier:nine project:"my app"'
    words, found = parse_search(text, NOW)
    assert words == "ports tier:nine"
    assert found.tiers == (Tier.RELEVANT, Tier.INDEX)
    parts = query_parts(text, NOW)
    assert [(part.key, part.value) for part in parts] == [("tier", "2"), ("tier", "index"), ("project", "my app")]
    assert all(text[part.start :].startswith(part.text) for part in parts)


def test_trash_is_the_archived_and_superseded_no_longer_holds() -> None:
    assert parse_search("is:trash", NOW)[1].statuses == (MemoryStatus.ARCHIVED,)
    assert parse_search("is:superseded", NOW)[1].is_live is False


@table("text", ["http://host:80/x", "type:nonsense", "since:soon", "TODO: later", "std::vector", "conf:high"])
def test_what_the_grammar_does_not_know_stays_words(text: str) -> None:
    words, found = parse_search(text, NOW)
    assert words == text
    assert found == parse_search("", NOW)[1]
