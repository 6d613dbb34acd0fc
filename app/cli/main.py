"""Entry points `remanence` and `remanence-gui`: which command, with which exit code.

Owns presenting errors in the terminal: one sentence and a hint, never a traceback. Libraries and commands are
imported late, so that `--version` and `hook` answer at once. Source: STYLE errors, QUALITY E7.
"""

import os
import re
import sys
from collections.abc import Callable, Sequence

from app.errors import EnvironmentProblem, RemanenceError, UserError

EXIT_BUG = 1
EXIT_USER = 2
EXIT_ENVIRONMENT = 3
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> None:
    """Runs one command and ends the process with its exit code."""
    os.umask(0o077)  # what we write is the person's alone, also what libraries create for us
    arguments = list(sys.argv[1:] if argv is None else argv)
    sys.exit(run(arguments))


def gui_main() -> None:
    """Opens the window; what the desktop entry starts."""
    main(["gui"])


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command."""
    if list(arguments) in (["--version"], ["-V"]):
        from app import __version__

        sys.stdout.write(f"remanence {__version__}\n")
        return 0
    if arguments[:1] == ["hook"]:
        from app.cli.hook import run_hook

        return run_hook(arguments[1:])
    if arguments[:1] == ["mcp"] and not {"-h", "--help"} & set(arguments):
        from app.cli.mcp import run_mcp

        return _guarded(lambda: run_mcp(arguments[1:]))
    if _asks_for_window(arguments):
        from app.cli.window import run_window

        return _guarded(lambda: run_window(arguments[1:]))
    return _run_command(arguments)


def _asks_for_window(arguments: Sequence[str]) -> bool:
    """Whether it is `remanence` or `remanence gui [LINK]`: without an option nobody needs to parse it.

    >>> [_asks_for_window(words) for words in ([], ["gui", "remanence://memory/7"], ["gui", "--demo"], ["info"])]
    [True, True, False, False]
    """
    is_known = list(arguments[:1]) in ([], ["gui"])
    return is_known and len(arguments) <= len(["gui", "LINK"]) and not "".join(arguments[1:]).startswith("-")


def _run_command(arguments: Sequence[str]) -> int:
    from typer import Abort
    from typer.exceptions import TyperException

    from app.cli.commands import build_commands

    commands = build_commands()

    def work() -> int:
        try:
            code = commands(args=list(arguments), prog_name="remanence", standalone_mode=False)
        except TyperException as error:
            message = error.format_message()
            if message.startswith("Usage:"):  # a noun alone: the parser answers with its help
                sys.stderr.write(f"{message}\n")
            else:
                sys.stderr.write(f"{plain_message(message)}\n{_hint_of(getattr(error, 'ctx', None))}\n")
            return EXIT_USER
        except Abort:
            return EXIT_INTERRUPTED
        return code if isinstance(code, int) else 0

    return _guarded(work)


_PARSER_WORDS = (
    (re.compile(r"Invalid value for '([^']+)': Value error, '(.*)' is not one of (.*?)\.?$", re.DOTALL), r"\1 cannot be “\2”. Choose one of: \3"),
    (re.compile(r"Invalid value for '([^']+)': Input should be less than or equal to (\S+?)\.?$"), r"\1 can be \2 at most"),
    (re.compile(r"Invalid value for '([^']+)': Input should be greater than or equal to (\S+?)\.?$"), r"\1 must be \2 at least"),
    (re.compile(r"Invalid value for '([^']+)': Input should be a valid (?:integer|number).*", re.DOTALL), r"\1 must be a number"),
    (re.compile(r"Invalid value for '([^']+)': Input should be a valid (?:date|datetime).*", re.DOTALL), r"\1 must be a day, as in 2026-03-03"),
    (re.compile(r"Missing (?:argument|option) '([^']+)'.*", re.DOTALL), r"\1 is missing"),
    (re.compile(r"Option '([^']+)' requires an argument"), r"\1 needs a value after it"),
    (re.compile(r"Got unexpected extra arguments? \((.*)\)"), r"This is one word too many: \1. Put quotes around a text with spaces"),
    (re.compile(r"No such command '([^']*)'"), r"There is no command “\1”"),
    (re.compile(r"No such option:? '?([^\s']+)'?"), r"There is no option \1"),
    (re.compile(r" \(Possible options: (.*)\)"), r". Did you mean \1?"),
    (re.compile(r"Invalid value: "), ""),
)  # fmt: skip


def plain_message(message: str) -> str:
    """The parser's own words for wrong input, in ours.

    >>> plain_message("Invalid value for '--limit': Input should be less than or equal to 200")
    '--limit can be 200 at most.'
    >>> plain_message("Invalid value for '--sort': Value error, 'size' is not one of 'oldest', 'updated'.")
    '--sort cannot be “size”. Choose one of: oldest, updated.'
    >>> plain_message("Missing argument 'memory_id'."), plain_message("No such option: --limt (Possible options: --limit)")
    ('MEMORY_ID is missing.', 'There is no option --limt. Did you mean --limit?')
    """
    said = message
    for pattern, put in _PARSER_WORDS:
        said = pattern.sub(put, said)
    if said != message:
        said = re.sub(r"(?<=: )'.*", lambda found: found[0].replace("'", ""), said, flags=re.DOTALL)
        said = re.sub(r"^[a-z_]+(?= (?:is missing|must be|can be|cannot be))", lambda found: found[0].upper(), said)
    return said if said.endswith((".", "?", "!")) else f"{said}."


def _hint_of(context: object) -> str:
    """Where a command says what it takes; a group of commands lists them."""
    path = getattr(context, "command_path", "") or "remanence"
    if path == "remanence":
        return "remanence --help lists the commands; after a command, --help shows how to use it."
    return f"{path} --help shows how to use it."


def _guarded(work: Callable[[], int]) -> int:
    """The exit code of `work`, or the one of its failure, which is printed as a sentence."""
    try:
        return work()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return _end_of_pipe()
    except RemanenceError as error:
        return _present(error)
    except Exception as error:  # noqa: BLE001  the last presenter: a person never meets a traceback
        return _present_bug(error)


def _present(error: RemanenceError) -> int:
    sys.stderr.write(f"{error}\n")
    if error.hint:
        sys.stderr.write(f"{error.hint}\n")
    if isinstance(error, UserError):
        return EXIT_USER
    return EXIT_ENVIRONMENT if isinstance(error, EnvironmentProblem) else EXIT_BUG


def _present_bug(error: Exception) -> int:
    import logging

    from app.cli.process import start_log, stop_log
    from app.places import Places
    from app.settings import Settings

    places = Places.find()
    try:
        handler = start_log(places, Settings().log_bytes)
    except (OSError, EnvironmentProblem):
        place = "the log cannot be written"
    else:
        logging.getLogger(__name__).error("Unexpected error", exc_info=error)
        stop_log(handler)
        place = f"details are in {places.log_path}"
    sys.stderr.write(f"Something went wrong inside Remanence ({type(error).__name__}); {place}.\n")
    return EXIT_BUG


def _end_of_pipe() -> int:
    """The reader of our output went away: nothing is wrong, and Python must not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
