"""Word classes in context and the phrases built of them."""

from app.language.lexicon import Lexicon, Tag
from app.language.phrases import PhraseReader, Role
from app.language.tagging import Tagger
from app.language.tokens import split_tokens
from tests.table import table

LEXICON = Lexicon.shipped()
TAGGER = Tagger(LEXICON)
READER = PhraseReader(LEXICON)


def tag_of(text: str, word: str) -> Tag:
    tokens = split_tokens(text)
    return TAGGER.tags(tokens)[next(i for i, token in enumerate(tokens) if token.text == word)]


@table(
    ("text", "word", "tag"),
    [
        ("test the login", "test", Tag.VERB),
        ("the test is slow", "test", Tag.NOUN),
        ("does the build pass", "pass", Tag.VERB),
        ("the providers use polling", "use", Tag.VERB),
        ("make sure that the file exists", "that", Tag.SUB),
        ("check that again", "that", Tag.PRON),
        ("rename that function", "that", Tag.DET),
        ("does that break anything", "that", Tag.PRON),
        ("a file that matters", "that", Tag.SUB),
        ("I want to add it", "to", Tag.TO),
        ("move it to main", "to", Tag.PREP),
        ("set up a reminder", "up", Tag.ADV),
        ("call Will tomorrow", "Will", Tag.NAME),
        ("re-use the cache", "re-use", Tag.VERB),
        ("this is trickier", "trickier", Tag.ADJ),
        ("do NOT commit", "NOT", Tag.ADV),
        ("no, stop", "no", Tag.INTJ),
        ("there is no schema", "no", Tag.DET),
        ("the user's avatar", "'s", Tag.POSS),
        ("it's broken", "'s", Tag.AUX),
        ("the rate table throws an error", "throws", Tag.VERB),
        ("the rate table throws an error", "table", Tag.NOUN),
        ("the rate table rows", "rows", Tag.NOUN),
        ("the env variable overrides the default", "overrides", Tag.VERB),
        ("basket sum loads slowly", "loads", Tag.VERB),
        ("the socket drops after a minute", "drops", Tag.VERB),
        ("a naval officer stands near the door", "stands", Tag.VERB),
        ("all notable changes to the api", "changes", Tag.NOUN),
        ("search panel returns nothing", "search", Tag.NOUN),
        ("search panels for errors", "search", Tag.VERB),
        ("load balancer drops connections", "load", Tag.NOUN),
        ("fix login fails on mobile", "fix", Tag.VERB),
        ("check the search panel returns nothing", "check", Tag.VERB),
    ],
)
def test_class_in_context(text: str, word: str, tag: Tag) -> None:
    assert tag_of(text, word) is tag


@table(
    ("text", "phrases"),
    [
        ("Add a FAB button to the header", ["FAB button", "header"]),
        ("Maria's branch is stale", ["Maria", "branch"]),
        ("play Lord of the Rings", ["Lord of the Rings"]),
        ("the error on line 42", ["error", "line 42"]),
        ("delete the branch feature/login", ["feature/login"]),
        ("remind Bob Friday", ["Bob"]),
        ("hash the token ID", ["token ID"]),
        ("list the read only files", ["read only files"]),
        ("don't mock completion", ["completion"]),
    ],
)
def test_noun_phrases(text: str, phrases: list[str]) -> None:
    assert [phrase.text for phrase in READER.read(text).phrases][: len(phrases)] == phrases


def test_roles_and_embedding() -> None:
    header, button = READER.read("write a test which covers `save_all`").phrases
    assert (header.role, header.verb, header.is_embedded) == (Role.OBJECT, "write", False)
    assert (button.role, button.is_embedded) == (Role.OBJECT, True)


def test_alternatives_share_a_group() -> None:
    left, right = READER.read("should it be Redis or Memcached?").phrases
    assert left.group == right.group >= 0
    assert right.joined_by == "or"


def test_look_at_takes_an_object() -> None:
    (phrase,) = READER.read("look at the workflow").phrases
    assert phrase.role is Role.OBJECT


@table(
    ("form", "base"),
    [("added", "add"), ("dropping", "drop"), ("ran", "run"), ("tries", "try"), ("built", "build"), ("table", "table")],
)
def test_base_forms(form: str, base: str) -> None:
    assert LEXICON.base_of(form) == base


@table(("noun", "singular"), [("queries", "query"), ("classes", "class"), ("css", "css"), ("tests", "test")])
def test_singular(noun: str, singular: str) -> None:
    assert LEXICON.singular(noun) == singular


def test_endless_determiners_stay_linear() -> None:
    reading = READER.read("the " * 900 + "button")
    assert [phrase.text for phrase in reading.phrases] == ["button"]
