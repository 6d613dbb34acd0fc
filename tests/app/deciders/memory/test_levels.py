"""The four levels of a memory: what they look like, what they never lose, and what holds for any text at all."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.deciders.memory.levels.compress import compress, make_memory_title
from app.language.token_counts import count_tokens
from app.values.memory import FactType, Level, Levels, MemoryKind, Slot
from tests.table import table

NEGATION = re.compile(
    r"(?<![A-Za-z])(?:not|no|never|without|cannot|none|neither|nor|avoid|non)(?![A-Za-z])|n['’]t\b", re.IGNORECASE
)
SHORTENED = (Level.SUMMARY, Level.COMPRESSED, Level.INDEX)
VENDOR_TEXT = "The team picked PostgreSQL as the main database because it handles JSON queries well and everybody already knows it."


def fact(text: str) -> Levels:
    return compress(text, kind=MemoryKind.FACT)


def check_sizes(levels: Levels, text: str) -> None:
    counts = [levels.at(level).token_count for level in Level]
    assert counts == sorted(counts, reverse=True)
    assert levels.full.text == text
    assert len(levels.index.text) <= 50
    for level in Level:
        assert levels.at(level).token_count == count_tokens(levels.at(level).text)


@pytest.mark.seed("S4", "fact.kv")
def test_a_fact_with_a_slot_reads_as_the_slot() -> None:
    levels = compress(VENDOR_TEXT, kind=MemoryKind.FACT, slot=Slot("", "database"), value="postgresql")
    assert levels.summary.text == "Database: PostgreSQL (JSON queries)"
    assert levels.compressed.text == "db:PostgreSQL(JSON)"
    assert levels.index.text == "db:pg"


def test_subject_and_scope_of_the_slot_are_told() -> None:
    text = "For the staging cluster of the shop we decided that the session timeout of the gateway is 45 minutes from now on."
    slot = Slot("gateway", "session timeout", "staging")
    levels = compress(text, kind=MemoryKind.FACT, slot=slot, value="45 minutes")
    assert levels.summary.text.startswith("Gateway session timeout (staging): 45 minutes")
    assert "45" in levels.index.text


def test_a_forbidden_value_is_told_as_forbidden_at_every_level() -> None:
    text = "Please never ever use MongoDB for anything that has to do with billing or with the accounts of customers."
    levels = compress(text, kind=MemoryKind.FACT, slot=Slot("billing", "database"), value="mongodb", is_negated=True)
    assert levels.summary.text.startswith("Billing database: not MongoDB")
    for level in SHORTENED:
        assert NEGATION.search(levels.at(level).text)


def test_a_slot_that_hides_a_not_is_not_believed() -> None:
    text = "Do not keep the sessions in Redis."
    levels = compress(text, kind=MemoryKind.FACT, slot=Slot("sessions", "store"), value="redis", is_negated=False)
    for level in SHORTENED:
        assert NEGATION.search(levels.at(level).text)


def test_what_was_rejected_stays_beside_what_was_chosen() -> None:
    levels = compress(
        "Use pnpm, not npm, in this repository.", kind=MemoryKind.FACT, slot=Slot("", "package manager"), value="pnpm"
    )
    assert "not npm" in levels.summary.text


@table(
    ("text", "kept"),
    [
        pytest.param("We moved from Jest to Vitest last week.", "Jest → Vitest", id="from to"),
        pytest.param("Replace the moment library with dayjs everywhere.", "→ dayjs", id="replace with"),
        pytest.param("I prefer tabs over spaces", "tabs over spaces", id="over"),
        pytest.param("Uploads must be at most 25 MB.", "≤ 25 MB", id="at most"),
        pytest.param("Keep logs for at least 14 days.", "≥ 14 days", id="at least"),
        pytest.param("Could you please use single sign-on for the admin pages?", "SSO", id="acronym"),
        pytest.param("Use the v2 client instead of axios in the web app.", "not axios", id="instead of"),
        pytest.param("Wir nutzen nicht MySQL, sondern SQLite.", "nicht MySQL", id="another language"),
        pytest.param("The shop is deployed with Docker Compose.", "with Docker Compose", id="a preposition"),
        pytest.param("No, call the archive endpoint of the ledger.", "archive", id="a no that only corrects"),
        pytest.param("Perhaps we should cache the totals.", "Perhaps", id="hedge"),
        pytest.param("Why did the nightly import of Berlin fail?", "?", id="question"),
    ],
)
def test_a_summary_keeps(text: str, kept: str) -> None:
    assert kept in fact(text).summary.text


def test_a_summary_drops_politeness_and_reasons_before_the_statement() -> None:
    text = (
        "Hi, I think it would be nice if you could please switch the thumbnails to WebP, because the pages of the "
        "catalogue would then be a bit smaller and people on trains would wait less for them."
    )
    levels = fact(text)
    assert "thumbnails" in levels.summary.text
    assert "WebP" in levels.compressed.text
    for word in ("please", "nice", "trains"):
        assert word not in levels.compressed.text
    assert levels.summary.token_count <= 0.4 * levels.full.token_count
    assert levels.compressed.token_count <= 0.15 * levels.full.token_count


@pytest.mark.seed("S4", "episode.levels", "compress.episode")
def test_an_episode_is_told_by_its_turning_points() -> None:
    story = (
        "We looked at the nightly report for an hour.\n"
        "The cause was that the scheduler read the holidays of 2024 from a stale cache.\n"
        "We fixed it by clearing the cache at midnight.\n"
        "A regression test now covers tests/test_holidays.py.\n"
        "Lunch was good."
    )
    levels = compress(story, kind=MemoryKind.EPISODE, title="Holiday cache fix", details={"outcome": "tested"})
    check_sizes(levels, story)
    assert "cause" in levels.summary.text
    assert "tests/test_holidays.py" in levels.summary.text
    assert levels.compressed.text.startswith("holiday_cache_fix: ")
    assert levels.index.text == "holiday_cache_fix"


def test_a_long_episode_gets_a_short_summary() -> None:
    story = "\n".join(f"Step {number}: the migration of table {number} was checked by Anna." for number in range(200))
    levels = compress(story, kind=MemoryKind.EPISODE, title="Migration")
    assert levels.summary.token_count <= 60
    assert levels.compressed.token_count <= 24


@pytest.mark.seed("S4", "pattern.template", "compress.pattern")
def test_a_pattern_becomes_the_chain_of_its_parts() -> None:
    text = (
        "Every new command gets a parser with typed options, a handler that returns a value, an error mapper that knows "
        "our exit codes and a renderer which prints either a table or JSON, so that all of them behave the same."
    )
    details = {
        "trigger": "new_command",
        "template": {
            "parser": "typed options",
            "handler": "value",
            "errors": "exit codes",
            "renderer": "table or JSON",
        },
    }
    levels = compress(text, kind=MemoryKind.PATTERN, title="command", details=details)
    check_sizes(levels, text)
    assert "errors: exit codes" in levels.summary.text
    assert levels.compressed.text == "cmd: parser→handler→errors→renderer"
    assert levels.index.text == "cmd"


def test_a_template_of_lines_is_read_as_parts() -> None:
    text = "Our repositories have a query object, a mapper and a cache in front of both of them, always in this order, please."
    details = {"template": "query: select by key\nmapper: row to value\ncache: 60 s"}
    assert (
        compress(text, kind=MemoryKind.PATTERN, title="repo", details=details).compressed.text
        == "repo: query→mapper→cache"
    )


@pytest.mark.seed("S4", "workflow.steps")
def test_a_workflow_becomes_the_chain_of_its_steps() -> None:
    text = (
        "To release we bump the version, write the changelog, tag the commit, then wait for the build and never publish "
        "on a Friday; after that the site is updated and the announcement goes out to the list."
    )
    details = {
        "steps": ["bump", "changelog", "tag", "do not publish on Friday", "announce"],
        "details": {"tag": "git tag"},
    }
    levels = compress(text, kind=MemoryKind.WORKFLOW, title="release", details=details)
    check_sizes(levels, text)
    assert "tag (git tag)" in levels.summary.text
    assert levels.compressed.text == "release: bump→changelog→tag→not publish Friday→announce"
    assert levels.index.text == "release"


@table("kind", MemoryKind)
@table("text", ["", "ok", "it is what it is", "=" * 500, "我们决定使用SQLite作为主数据库。", "\n\n", "?"])
def test_texts_without_anything_to_drop_stay_sensible(kind: MemoryKind, text: str) -> None:
    levels = compress(text, kind=kind)
    check_sizes(levels, text)
    assert bool(levels.index.text) == bool(text.strip())


@table(
    ("text", "slot", "value", "title"),
    [
        pytest.param(VENDOR_TEXT, Slot("", "database"), "PostgreSQL", "Database: PostgreSQL", id="slot"),
        pytest.param("Port 80 on staging.", Slot("web", "port", "staging"), "80", "Web port (staging): 80", id="scope"),
        pytest.param("do not deploy on Fridays.", Slot("", "deploy"), "Friday", "Do not deploy on Fridays", id="not"),
        pytest.param("ok", None, "", "Ok", id="one word"),
        pytest.param("  ", None, "", "Goal", id="no word"),
    ],
)
def test_titles(text: str, slot: Slot | None, value: str, title: str) -> None:
    assert make_memory_title(text, slot, value, FactType.GOAL) == title


def test_a_title_of_a_long_text_is_short_and_keeps_its_not() -> None:
    text = f"For the archive of old invoices we do not accept uploads of archives {'that are nested ' * 20}."
    title = make_memory_title(text, None, "", FactType.CONSTRAINT)
    assert len(title) <= 60
    assert "not" in title


SUBJECTS = st.sampled_from(["we", "the importer", "the billing service", "clients of the API", "you", "Anna"])
DENIALS = st.sampled_from(
    [
        "must not",
        "never",
        "do not",
        "don't",
        "cannot",
        "can't",
        "should not",
        "shouldn't",
        "must never",
        "won't",
        "is not allowed to",
    ]
)
ACTIONS = st.sampled_from(["use", "write to", "call", "retry", "delete", "rename", "share"])
OBJECTS = st.sampled_from(
    [
        "the ledger",
        "`drop_rows`",
        "src/core/io.py",
        "Redis",
        "more than 5 files",
        "customer names",
        "the old parser",
        "GPL code",
    ]
)
TAILS = st.sampled_from(
    [
        "",
        " in production",
        " because the auditors of Contoso asked for it in March 2025",
        ", although PostgreSQL and Kafka would support that quite easily",
        " when the flag NIGHTLY_SYNC is set to 1",
    ]
)


@given(SUBJECTS, DENIALS, ACTIONS, OBJECTS, TAILS)
@settings(max_examples=120, deadline=None)
def test_no_level_loses_the_not_of_a_statement(subject: str, denial: str, action: str, thing: str, tail: str) -> None:
    text = f"{subject} {denial} {action} {thing}{tail}."
    levels = fact(text)
    check_sizes(levels, text)
    for level in SHORTENED:
        assert NEGATION.search(levels.at(level).text), levels.at(level)


NAMES = ["Falcon", "Heron", "Osprey", "Kestrel", "Merlin", "Condor"]
CLAUSES = st.lists(
    st.tuples(
        st.sampled_from(["use", "enable", "deploy", "document"]),
        st.booleans(),
        st.sampled_from(["", " for the whole shop", " because the tests need it", " and tell the others about it"]),
    ),
    min_size=2,
    max_size=len(NAMES),
)


@given(CLAUSES, st.sampled_from([". ", "; ", "\n", ", "]))
@settings(max_examples=120, deadline=None)
def test_a_denied_name_is_never_told_without_its_not(clauses: list[tuple[str, bool, str]], between: str) -> None:
    said = [
        f"{'do not ' if is_denied else ''}{action} {name}{tail}"
        for (action, is_denied, tail), name in zip(clauses, NAMES, strict=False)
    ]
    levels = fact(between.join(said))
    for level in SHORTENED:
        text = levels.at(level).text.lower()
        for (_, is_denied, _), name in zip(clauses, map(str.lower, NAMES), strict=False):
            if name in text:
                clause = re.split(r"[;,?\n]", text[: text.index(name)])[-1]
                before = [word for word in map(str.lower, NAMES) if word in clause]
                near = clause.rsplit(before[-1], 1)[-1] if before else clause
                assert bool(NEGATION.search(near)) == is_denied, (text, name)


@given(st.text(max_size=400), st.sampled_from(MemoryKind))
@settings(max_examples=120, deadline=None)
def test_any_text_has_four_levels_that_only_shrink(text: str, kind: MemoryKind) -> None:
    levels = compress(text, kind=kind)
    check_sizes(levels, text)
    assert compress(text, kind=kind) == levels


@given(st.text(max_size=120), st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30), st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_slot_is_taken(text: str, attribute: str, value: str, is_negated: bool) -> None:
    levels = compress(
        text, kind=MemoryKind.FACT, slot=Slot("it", attribute, "here"), value=value, is_negated=is_negated
    )
    check_sizes(levels, text)


def test_a_text_of_two_megabytes_is_read_in_part() -> None:
    text = "The exporter writes one file per month. " * 50_000
    levels = fact(text)
    assert len(levels.full.text) == len(text)
    assert levels.summary.token_count < 10_000
