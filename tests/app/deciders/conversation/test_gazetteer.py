"""Known technologies: aliases, everyday words, size of the shipped list."""

from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.language.tokens import split_tokens
from app.resources import load_rules
from tests.table import table

SHIPPED = Gazetteer.parse(load_rules("gazetteer"))


def names(text: str) -> list[str]:
    tokens = split_tokens(text)
    matches = (SHIPPED.find(tokens, index) for index in range(len(tokens)) if tokens[index].is_word)
    return [match.technology.name for match in matches if match is not None]


@table(
    ("text", "found"),
    [
        ("move it to postgres", ["PostgreSQL"]),
        ("a k8s cluster", ["Kubernetes"]),
        ("use prompt-toolkit here", ["prompt-toolkit"]),
        ("use prompt toolkit here", ["prompt-toolkit"]),
        ("deploy with GitHub Actions", ["GitHub Actions"]),
        ("rewrite it in Go", ["Go"]),
        ("bump the go version", ["Go"]),
        ("written in C#", ["C#"]),
    ],
)
def test_aliases(text: str, found: list[str]) -> None:
    assert names(text) == found


@table("text", ["let's go on to the next step", "it should spring back", "express yourself", "a rest day"])
def test_everyday_words_are_no_technology(text: str) -> None:
    assert names(text) == []


def test_shipped_size_and_no_alias_twice() -> None:
    rules = load_rules("gazetteer")
    entries = {name for category in rules.values() if isinstance(category, dict) for name in category}
    assert len(entries) >= 800
    assert len({technology.name for technology in SHIPPED.names.values()}) >= 800


def test_the_longest_name_wins() -> None:
    known = Gazetteer.parse({"x": {"React": [], "React Native": []}})
    match = known.find(split_tokens("use React Native"), 1)
    assert match is not None
    assert (match.technology.name, match.length) == ("React Native", 2)


def test_a_persons_own_entry_is_understood() -> None:
    own = Gazetteer.parse({"ours": {"Frobnicator": ["frob"]}})
    assert own.of("frob") is not None
    assert own.of("unknown") is None
