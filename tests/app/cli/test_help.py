"""What a stranger reads first: every command has one whole sentence at 80 columns, under one heading, in plain words."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.cli.commands import COMMANDS, GROUPS, SECTIONS, build_commands
from app.cli.output import print_table
from tests.app.cli.conftest import Remanence

_INNER = ("<str>", "<int", "list[", "{", "<=x<=")  # the parser's own notation


def _helps() -> Iterator[tuple[str, str]]:
    """Each command's path and help at 80 columns."""
    waiting: list[tuple[str, Any, Any]] = [("remanence", build_commands(), None)]
    while waiting:
        path, command, above = waiting.pop()
        context = command.context_class(command, info_name=path.split()[-1], parent=above, terminal_width=80)
        yield path, command.get_help(context)
        if hasattr(command, "list_commands"):
            names = command.list_commands(context)
            waiting += [(f"{path} {name}", command.get_command(context, name), context) for name in names]


def test_no_help_is_cut_at_80_columns_or_shows_the_parsers_notation() -> None:
    helps = dict(_helps())
    assert len(helps) > len(COMMANDS) + len(GROUPS)
    for path, text in helps.items():
        lines = text.split("Commands:")[-1] if path != "remanence" else text.partition("Start:")[2]
        is_group = path == "remanence" or "Commands:" in text
        assert not is_group or not any(line.endswith("...") for line in lines.splitlines()), path
        assert not any(mark in text for mark in _INNER), path


def test_every_command_is_listed_under_one_heading() -> None:
    listed = [name for _, names in SECTIONS for name in names]
    assert len(listed) == len(set(listed))
    assert set(listed) == {name for name, _ in COMMANDS} | {noun for noun, _, _ in GROUPS} | {"hook", "mcp"}


def test_help_of_a_noun_alone_comes_without_a_hint(remanence: Remanence) -> None:
    shown = remanence("memories")
    assert shown.err.startswith("Usage: remanence memories")
    assert "shows how to use it" not in shown.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("frobnicate",), "There is no command “frobnicate”."),
        (("search",), "QUERY is missing."),
        (("search", "x", "--limit", "many"), "--limit must be a number."),
        (("search", "x", "--limit", "9999"), "--limit can be 200 at most."),
        (("memories", "list", "--sort", "size"), "--sort cannot be “size”. Choose one of: relevance, "),
        (("contradictions", "list", "--status", "old"), "--status cannot be “old”.\nChoose one of: open, "),
        (("export", "poem", "/x"), "The kind of an export cannot be “poem”.\nChoose one of: history, "),
        (("eval", "poem", "x"), "The task cannot be “poem”.\nChoose one of: sessions, "),
    ],
)
def test_wrong_input_is_answered_in_words(remanence: Remanence, words: tuple[str, ...], told: str) -> None:
    shown = remanence(*words)
    assert shown.code == 2
    assert shown.err.startswith(told)


def test_a_table_is_wrapped_to_the_terminal_and_whole_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ("7", "fact", "The staging server of the warehouse listens on port 8080 and is restarted each night at two.")
    print_table(("id", "type", "title"), [row])
    assert row[2] in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for columns in (40, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        print_table(("id", "type", "title"), [row])
        lines = capsys.readouterr().out.splitlines()
        assert max(map(len, lines)) <= columns
        assert " ".join(" ".join(line[10:] for line in lines[1:]).split()) == row[2]
