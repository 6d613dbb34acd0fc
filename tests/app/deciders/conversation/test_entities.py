"""What a message names: kind, place, normal form; and what it does not name.

What of all that is named is kept: points of a mention, few things in few words, names said twice.
"""

from dataclasses import replace
from itertools import pairwise

import pytest

from app.deciders.conversation.entities.entities import (
    MAX_ENTITIES,
    EntityRules,
    WorthRules,
    choose_worthy,
    extract_entities,
    find_mentions,
    marks,
)
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.errors import InvalidError
from app.language.analysis_cache import read_message
from app.language.lexicon import Lexicon
from app.resources import load_rules
from app.values import Entity, EntityKind
from tests.table import table

RULES = EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))


def entities(text: str) -> dict[str, str]:
    return {entity.text: str(entity.kind) for entity in extract_entities(text, RULES)}


def only(text: str, name: str) -> Entity:
    return next(entity for entity in extract_entities(text, RULES) if entity.text == name)


@table(
    ("text", "name", "kind"),
    [
        ("I want to add a FAB button", "FAB button", "component"),
        ("I want to add dark mode", "dark mode", "feature"),
        ("Make it purple", "purple", "value"),
        ("open app/store/rows.py", "app/store/rows.py", "file"),
        ("ignore *.tmp files", "*.tmp", "file"),
        ("everything below docs/", "docs/", "path"),
        ("GET /v1/users/me is slow", "/v1/users/me", "path"),
        ("rename load_rows please", "load_rows", "symbol"),
        ("what does parseRow do", "parseRow", "symbol"),
        ("call flush() at the end", "flush()", "symbol"),
        ("fix `Cache.get`", "Cache.get", "symbol"),
        ("use postgres for this", "postgres", "technology"),
        ("raise the timeout to 30s", "30s", "value"),
        ("we are on version 2.4.1", "2.4.1", "value"),
        ("I get a 404", "404", "value"),
        ("make it #ff8800", "#ff8800", "value"),
        ("ask Maria for a review", "Maria", "person"),
        ("ping @tomek about the outage", "@tomek", "person"),
        ("ask Ngozi what she thinks", "Ngozi", "person"),
        ("thanks @tomek, now the outage", "@tomek", "person"),
        ("@uv (1005-1022) I get this error", "@uv", "thing"),
        ("@workspace why does the build fail?", "@workspace", "thing"),
        ("show @order.guest.name in the list", "@order.guest.name", "symbol"),
        ("copy @.env.example first", "@.env.example", "file"),
        ('call it "Quick Export"', "Quick Export", "quoted"),
        ("add a --dry-run flag", "--dry-run", "command"),
        ("then run npm test", "npm test", "command"),
        ("what does git rebase do", "git rebase", "command"),
        ("extend /undo to files", "/undo", "command"),
        ("the colour is lost in firefox too", "firefox", "technology"),
        ("merge PR #12 first", "PR #12", "thing"),
        ("then go on with phase 3", "phase 3", "thing"),
        ("close #7", "#7", "thing"),
        ("R14 is still open", "R14", "thing"),
        ("it retries on 4xx too", "4xx", "thing"),
        ("print an error message", "error message", "thing"),
        ("stash the uncommitted changes", "uncommitted changes", "thing"),
        ("it stays in the basket after the payment", "basket", "thing"),
        ("lead the visitors to a summary", "summary", "thing"),
        ("drop the Z axis", "Z axis", "thing"),
    ],
)
def test_kinds(text: str, name: str, kind: str) -> None:
    assert entities(text).get(name) == kind


@table(
    "text",
    [
        "the transcription in Hindi says it twice",
        "What are the Integration needs?",
        "OpenShift needs a restart",
        "see the @README",
    ],
)
def test_nobody_is_named(text: str) -> None:
    assert "person" not in entities(text).values()


@table("text", ["proceed", "yes please", "works now, thanks", "Test it", "what's up?", "make that change", ""])
def test_nothing_named(text: str) -> None:
    assert entities(text) == {}


@table(
    ("text", "absent"),
    [
        ("is there a better way to do this", "way"),
        ("it should work w/ both", "w/"),
        ("on 03/04/25 it broke", "03/04/25"),
        ("see line 120", "120"),
        ("use the next step", "step"),
        ("see [Image #3]", "#3"),
        ("key: 7f 22 e1 9a 4c", "7f 22 e1 9a 4c"),
        ("use httpx instead", "use httpx"),
        ("thats odd", "thats odd"),
        ("the lamp blinks on exit", "exit"),
        ("1. add tests", "1"),
        ("the mailer retries the job and logs it", "logs"),
        ("the parser stops and tests everything", "tests"),
    ],
)
def test_not_an_entity(text: str, absent: str) -> None:
    assert absent not in entities(text)


@table(
    ("text", "names"),
    [
        ("rate table throws an error", ["rate table", "error"]),
        ("search panel hangs after login", ["search panel", "login"]),
        ("basket sum loads slowly", ["basket sum"]),
        ("address form shows nothing", ["address form"]),
        ("release page breaks when the list is empty", ["release page", "list"]),
        ("the env variable overrides the config", ["env variable", "config"]),
        ("show the rate table rows", ["rate table rows"]),
    ],
)
def test_what_a_thing_does_ends_its_name(text: str, names: list[str]) -> None:
    assert list(entities(text)) == names


def test_a_general_word_behind_a_name_belongs_to_it() -> None:
    assert list(entities("mock the httpx library")) == ["httpx"]
    assert list(entities("add a read_only param")) == ["read_only"]


def test_a_names_own_noun_stays_with_it() -> None:
    assert "nginx config" in entities("show me the nginx config")


def test_determiners_and_weak_adjectives_are_left_out() -> None:
    assert only("document the new endpoint", "endpoint").kind is EntityKind.COMPONENT


def test_canonical_forms() -> None:
    assert only("use postgres here", "postgres").canonical == "PostgreSQL"
    assert only("fix the Login Forms", "Login Forms").canonical == "login form"
    assert only("fix the Login Forms", "Login Forms").is_plural
    assert only("why is save() slow", "save()").canonical == "save"


def test_equal_canonical_means_same_entity() -> None:
    first, second = only("add a FAB button", "FAB button"), only("the FAB buttons overlap", "FAB buttons")
    assert first.canonical == second.canonical


def test_spans_are_exact_sorted_and_apart() -> None:
    text = 'Move `save_all` from app/io.py to the "Export" panel, use Redis and make the button red. Ask Maria.'
    found = extract_entities(text, RULES)
    assert len(found) >= 6
    assert all(text[entity.start : entity.end] == entity.text for entity in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


def test_a_pasted_log_does_not_flood() -> None:
    log = "\n".join(f"12:00:{i:02d} ERROR worker_{i} failed in module_{i}.run()" for i in range(5_000))
    assert len(extract_entities(f"why?\n{log}", RULES)) <= MAX_ENTITIES


def test_what_a_shell_printed_names_files_only() -> None:
    found = entities(
        "[10:14 main ~/work/shop] npm run build\n  Compiling product pages\n  wrote dist/app.js\n\nwhere is the map?"
    )
    assert "npm run build" in found
    assert "dist/app.js" in found
    assert "map" in found
    assert not {"product pages", "~/work/shop"} & set(found)


def test_columns_of_a_table_are_apart() -> None:
    assert {"order book", "price feed"} <= set(entities("check the order book      price feed      hourly"))


def test_a_long_message_names_what_it_is_about() -> None:
    story = (
        "The importer is slow. We looked at it when the customer who runs a bakery called, and her accountant, who had "
        "a train to catch, waited by the till with a coffee. The day was hot and the door stood open, so the noise of "
        "the street and of a mower came in, while the phone rang every minute and a child asked for cake. After the "
        "third try the importer had taken half of the invoices, and the rest came in the night, when nobody was there."
    )
    found = set(entities(story))
    assert "importer" in found
    assert not {"door", "noise", "cake", "night"} & found


@table(
    ("text", "name", "kind"),
    [
        ("use Map<K, V> there", "Map<K, V>", "symbol"),
        ("compile it with -O2", "-O2", "command"),
        ("the job starts at 18:30", "18:30", "value"),
        ("please read my pull request #12", "pull request #12", "thing"),
        ("the limit is 512Mi", "512Mi", "value"),
    ],
)
def test_shapes_that_people_type(text: str, name: str, kind: str) -> None:
    assert entities(text)[name] == kind


@table("text", ["works again", "looks good to me", "if a < b and c > d"])
def test_no_names_there(text: str) -> None:
    assert entities(text) == {}


def test_fenced_code_is_passed_over() -> None:
    found = entities("the parser fails\n```py\nsecret_name = compute_it()\n```\nfix the lexer")
    assert "secret_name" not in found
    assert {"parser", "lexer"} <= set(found)


@table("text", ["\x00\x01", "`", "```", '"""', "((((", "…" * 500, "🙂" * 300, "a" * 100_000, "/" * 5_000])
def test_odd_input_is_survived(text: str) -> None:
    for entity in extract_entities(text, RULES):
        assert text[entity.start : entity.end] == entity.text


SENTENCE = "the ferry app shows the timetable of the harbour next to a map with buoys"


def kept(text: str, rules: WorthRules) -> list[str]:
    analysis = read_message(text)
    return [span.text for span in choose_worthy(analysis, find_mentions(analysis, RULES), rules)]


def marks_of(text: str, name: str) -> set[str]:
    analysis = read_message(text)
    mention = next(m for m in find_mentions(analysis, RULES) if m.span.text == name)
    return set(marks(analysis, mention, 0, RULES.worth))


@table(
    ("text", "name", "expected"),
    [
        (
            "rename the tide table",
            "tide table",
            {"compound", "article the", "role object", "worked on", "brief message"},
        ),
        ("we moored at a quay", "quay", {"article a", "role oblique", "behind at", "short word"}),
        ("our pilot is late", "pilot", {"article own", "role subject", "first clause"}),
        ("the nginx logs are full", "nginx logs", {"has term"}),
        ("it broke when the lock opened", "lock", {"side clause", "verb as well"}),
    ],
)
def test_what_is_seen_of_a_mention(text: str, name: str, expected: set[str]) -> None:
    assert expected <= marks_of(text, name)


def test_few_words_are_about_few_things() -> None:
    lenient = replace(RULES.worth, crowd=0.0, least=-9.0)
    strict = replace(lenient, least=-1.0, crowd=3.0, free_count=0.0, words_per_mention=99.0)
    assert kept(SENTENCE, lenient) == ["ferry app", "timetable", "harbour", "map", "buoys"]
    assert kept(SENTENCE, strict) == ["ferry app"]


def test_a_name_said_twice_is_judged_once_by_its_best() -> None:
    rules = replace(
        RULES.worth, points={"worked on": 5.0}, least=1.0, crowd=9.0, free_count=1.0, words_per_mention=99.0
    )
    assert kept("rename the anchor, since near the anchor is the rope", rules) == ["anchor", "anchor"]


def test_nothing_reaches_a_bar_too_high() -> None:
    assert kept(SENTENCE, replace(RULES.worth, least=99.0)) == []


def test_a_file_without_the_table_is_refused() -> None:
    with pytest.raises(InvalidError, match="worth"):
        WorthRules.parse({"worth": {"least": 1}}, lexicon=Lexicon.shipped())
