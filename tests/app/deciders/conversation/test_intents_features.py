"""From text to clauses and marks: what was pasted is told from the person's own words, names become place-holders."""

from app.deciders.conversation.authorship import wanted_words
from app.deciders.conversation.intents.features import MAX_CLAUSES, shape_message
from tests.table import table


@table(
    ("text", "clauses"),
    [
        ("Stop. Go!", (("stop",), ("go",))),
        ("no, the other one", (("no",), ("the", "other", "one"))),
        ("the list is... it looks odd", (("the", "list", "is"), ("it", "looks", "odd"))),
        ('from "on" to "off" now', (("from", "on", "to", "off", "now"),)),
        ("[10:20 ~/w] make\n  12 steps done\n\nwhy?", (("why", "?"),)),
        ("✓ built\nship it", (("ship", "it"),)),
        ("red, green and blue", (("red",), ("green", "and", "blue"))),
        ("add a tab and test it", (("add", "a", "tab"), ("and", "test", "it"))),
        ("does it run?", (("does", "it", "run", "?"),)),
        ("don’t", (("don't",),)),
        ("open src/app/main.ts", (("open", "<file>"),)),
        ("open @lib/a.dart", (("open", "<file>"),)),
        ("see https://example.org/x?y=1.", (("see", "<url>"),)),
        ("call `do it now` twice", (("call", "<sym>", "twice"),)),
        ("rename getUser and user_id", (("rename", "<sym>", "and", "<sym>"),)),
        ("call save(x)", (("call", "<sym>"),)),
        ("set it to 3.5%", (("set", "it", "to", "<num>"),)),
        ("pass --force -v", (("pass", "<flag>", "<flag>"),)),
        ("/clear", (("<cmd>",),)),
        ("update README.md", (("update", "<doc>"),)),
        ("fix tests/test_cart.py", (("fix", "<test>"),)),
        ("tail app.log", (("tail", "<log>"),)),
        ("tabs vs. spaces e.g. here", (("tabs", "vs", "spaces", "eg", "here"),)),
        ("go w/ it", (("go", "w", "it"),)),
    ],
)
def test_clauses(text: str, clauses: tuple[tuple[str, ...], ...]) -> None:
    assert shape_message(wanted_words(text)).clauses == clauses


@table(
    ("text", "mark"),
    [
        ("TypeError: x is not a function", "error"),
        ("help\n```\nTraceback (most recent call last):\n```", "error"),
        ("so\n2031-01-01 10:00:00 ERROR worker died", "error"),
        ("zsh: command not found: cargo", "error"),
        ("look\n```js\nlet a = 1\n```", "code"),
        ("they said\n> use a map here", "pasted"),
        ("[Image #4] here", "image"),
        ("do\n- one\n- two", "list"),
        ('call it "the other colour scheme"', "quote"),
        ("really?", "question"),
        ("wow!", "exclaim"),
        ("STILL NOT WORKING", "shout"),
        ("", "empty"),
        ("src/app/main.ts", "bare"),
    ],
)
def test_marks(text: str, mark: str) -> None:
    assert mark in shape_message(wanted_words(text)).marks


def test_plain_words_carry_no_mark() -> None:
    assert shape_message("make the title green").marks == frozenset()


def test_pasted_lines_are_not_the_persons_words() -> None:
    text = 'what is this\n\n```\n  File "a.py", line 3\n    at main (x.js:1:2)\n```'
    shape = shape_message(wanted_words(text))
    assert shape.clauses == (("what", "is", "this"),)


def test_shouting_is_read_like_speaking() -> None:
    assert shape_message("RUN THE TESTS").clauses == shape_message("run the tests").clauses


def test_clauses_are_bounded() -> None:
    assert len(shape_message("a b. " * 200).clauses) == MAX_CLAUSES
