"""Command lines and orders read as steps: what each part does in one word, and how a command is written without what changes.

Pure. Chains, pipes, here-documents and quoted texts are told apart as a shell does, so that no word of a commit message becomes a
command. Words are those of `rules/learning/commands.yaml`. Source: S4 "Workflows", issue 18.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.resources import load_rules, misfit

_CHARS_READ = 4_000
_FORM_CHARS = 120
_ORDER_CHARS, _CLAUSE_WORDS = 240, 9  # of an order in words
_SENTENCE_ENDS, _CLAUSE_ENDS = re.compile(r"(?<=[.!?])\s+|\n+|;"), re.compile(r"[.,:!?]+|\band\b|\bthen\b|&")
_SPOKEN_WORD = re.compile(r"[a-z][\w'-]*")
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?(?:\n\s*\2\b|\Z)", re.DOTALL)
_TOKEN = re.compile(
    r"""\s+|&&|\|\||[;\n|&]|\d?>>?&?\s*\S+|<\s*\S+|(?:\$\((?:[^()]|\([^()]*\))*\)|"(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|\\.|[^\s;|&"'`\\<>])+|["'`<>\\]""",
)
_BREAKS = frozenset({"&&", "||", ";", "\n", "&"})
_BEGINS = re.compile(
    r"(?:[a-z./~$({\[!_\"']|[A-Z_][A-Z0-9_]*=)[^:]*(?::[^:]+)*\Z", re.DOTALL
)  # as commands do, and printed lines seldom
_REDIRECTED = re.compile(r"\d?[<>]")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_PROGRAM = re.compile(r"[a-z][\w.+:@-]*\Z")
_ASKED = re.compile(r":?[A-Za-z][\w:.-]*\Z")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTS = re.compile(r"[^a-zA-Z0-9]+")
_FILE = re.compile(r"[\w-]+\.[a-z]\w{0,4}\Z")
_ELSEWHERE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]|\$")
_OPEN = re.compile(r"[\"'`]|\$\(|^(?:[/~\\]|[A-Za-z]:[\\/])|://|@[\w.-]+:")
_SILENT_WRAPPERS = frozenset(
    {"sudo", "env", "time", "nice", "nohup", "timeout", "command", "exec"}
)  # say nothing of how it is done
_SHORT_FLAG = re.compile(r"-[A-Za-z]\Z")
_NAMING_FLAG = re.compile(
    r"-(?:[CdfhHnpuUw]|scheme|project|workspace|destination|configuration|sdk)\Z"
)  # of most programs followed by a folder, a file, a base, a person
_TRYING = frozenset({"--dry-run", "--dryrun"})  # does nothing yet
_RUN = "run"
_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun", "deno", "composer"})  # "pnpm vitest"
_SCRIPTS = frozenset({".sh", ".bash", ".ps1", ".bat", ".cmd"})
_INTERPRETERS = frozenset({"bash", "sh", "zsh", "python", "python3", "node", "pwsh", "ruby"})


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a command line."""

    label: str  # what it does: "test"; its own name where no activity fits
    name: str  # the program and what it is asked for: "npm run lint"
    form: str  # as it is written, with "…" for what was quoted


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    name: str
    programs: frozenset[str]
    words: frozenset[str]
    only: frozenset[str]  # programs of which the words are said; empty: of all
    is_place: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """How a step is ordered in words."""

    name: str
    verbs: frozenset[str]
    then: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CommandRules:
    """`rules/learning/commands.yaml`."""

    wrappers: Mapping[str, int]
    wrapper_pairs: frozenset[str]
    silent: frozenset[str]
    activities: tuple[Activity, ...]
    placing: frozenset[str]
    goals: tuple[str, ...]
    goal_names: Mapping[str, str]
    asked_by: Mapping[str, tuple[str, ...]]
    leading: frozenset[str]
    forbidding: frozenset[str]
    asking: frozenset[str]
    following: frozenset[str]
    ordered: tuple[Ordered, ...]

    @property
    def activity_names(self) -> frozenset[str]:
        return frozenset([*(one.name for one in self.activities), *(one.name for one in self.ordered)])

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "CommandRules":
        """Raises InvalidError when the mapping does not fit."""
        try:
            return cls(
                wrappers={_plain(name): int(count) for name, count in rules["wrappers"].items()},
                wrapper_pairs=frozenset(map(_plain, rules["wrapper_pairs"])),
                silent=frozenset(map(_plain, rules["silent"])),
                activities=tuple(
                    Activity(
                        str(one["name"]),
                        frozenset(map(_plain, one.get("programs", ()))),
                        frozenset(map(_plain, one.get("words", ()))),
                        frozenset(map(_plain, one.get("only", ()))),
                        bool(one.get("is_place")),
                    )
                    for one in rules["activities"]
                ),
                placing=frozenset(map(_plain, rules["placing"])),
                goals=tuple(map(_plain, rules["goals"])),
                goal_names={_plain(name): _plain(goal) for name, goal in rules["goal_names"].items()},
                asked_by={_plain(goal): tuple(map(_plain, words)) for goal, words in rules["asked_by"].items()},
                leading=frozenset(map(_plain, rules["leading"])),
                forbidding=frozenset(map(_plain, rules["forbidding"])),
                asking=frozenset(map(_plain, rules["asking"])),
                following=frozenset({"", *map(_plain, rules["following"])}),
                ordered=tuple(
                    Ordered(
                        str(one["name"]),
                        frozenset(map(_plain, one["verbs"])),
                        tuple(map(_plain, one.get("then", ()))),
                        tuple(map(_plain, one.get("words", ()))),
                    )
                    for one in rules["ordered"]
                ),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise misfit("commands", error) from error


def _plain(entry: object) -> str:
    if isinstance(entry, bool):  # YAML reads a bare true as a truth value
        return "true" if entry else "false"
    return str(entry).lower()


@cache
def load_command_rules() -> CommandRules:
    return CommandRules.parse(load_rules("commands"))


def read_steps(command: str, rules: CommandRules | None = None) -> tuple[Step, ...]:
    """What a command line does, part by part, in order; what only looks is left out.

    >>> [(one.label, one.form) for one in read_steps("cd web && npm run test:unit -- --ci | tail -3 && git commit -m 'Mend; push'")]
    [('test', 'npm run test:unit -- --ci'), ('commit', 'git commit -m …')]
    >>> read_steps("git status && ls -la && cargo publish --dry-run")
    ()
    """
    rules = rules or load_command_rules()
    return tuple(step for words in _parts(command) if (step := _step(words, rules)) is not None)


def read_ordered(text: str, rules: CommandRules | None = None) -> tuple[Step, ...]:
    """The steps that a short order names in words, in their order; they have no written form.

    >>> [one.label for one in read_ordered("Run the tests, install it, grab a screenshot and suggest a commit message")]
    ['test', 'install', 'screenshot', 'commit message']
    >>> read_ordered("Did you install it? Don't push yet."), read_ordered("Write a test for the screenshot button")
    ((), ())
    >>> read_ordered("Commit with no message")
    ()
    """
    rules = rules or load_command_rules()
    if len(text) > _ORDER_CHARS:
        return ()
    sentences = _SENTENCE_ENDS.split(text.lower().replace("’", "'"))
    orders = (one for one in sentences if (_SPOKEN_WORD.findall(one) or [""])[0] not in rules.asking)
    labels = (_order_of(clause, rules) for one in orders for clause in _CLAUSE_ENDS.split(one))
    return tuple(Step(label, label, "") for label in dict.fromkeys(labels) if label)


def _order_of(clause: str, rules: CommandRules) -> str:
    words = _SPOKEN_WORD.findall(clause)
    if not rules.forbidding.isdisjoint(words):
        return ""
    while words and words[0] in rules.leading:
        words = words[1:]
    if not words or len(words) > _CLAUSE_WORDS:
        return ""
    rest = " ".join(words[1:])
    return next((one.name for one in rules.ordered if words[0] in one.verbs and _goes_on(rest, one, rules)), "")


def _goes_on(rest: str, ordered: Ordered, rules: CommandRules) -> bool:
    after = [f" {rest} ".partition(f" {one} ") for one in ordered.words]
    is_named = any(found and end.split(" ", 1)[0] in rules.following for _, found, end in after)
    return is_named or any(rest == one if not one else f"{rest} ".startswith(f"{one} ") for one in ordered.then)


def _parts(command: str) -> Iterator[list[str]]:
    """The words of each command of the line; of a pipe only the first. What a program printed below them ends the reading."""
    text = _HEREDOC.sub(" ", command[:_CHARS_READ].replace("\\\n", " "))
    words: list[str] = []
    is_piped = is_first_of_line = False
    for piece in _TOKEN.findall(text):
        is_line_end = "\n" in piece and piece.isspace()
        if piece in _BREAKS or piece == "|" or is_line_end:
            if words and not is_piped:
                yield words
            words, is_piped = [], piece == "|"
            is_first_of_line = is_line_end or piece == "\n"
        elif not piece.isspace():
            if not words and (is_first_of_line or piece[0].isupper()) and not _BEGINS.match(piece):
                return
            if not words and piece[0] == ">":  # "> Configure project": printed, no command begins so
                return
            is_first_of_line = False
            if not _REDIRECTED.match(piece):
                words.append(piece)
    if words and not is_piped:
        yield words


def _step(words: Sequence[str], rules: CommandRules) -> Step | None:
    whole = [word.strip("()") or word for word in words]
    own = _unwrapped(whole, rules)
    if not own or any(word.split("=", 1)[0] in _TRYING for word in own):
        return None
    before = [word for word in whole[: len(whole) - len(own)] if not _ASSIGNED.match(word)]
    if before[:1] and before[0] in _SILENT_WRAPPERS:
        before = []
    program = own[0].replace("\\", "/").rsplit("/", 1)[-1].lower()
    if (
        program in _INTERPRETERS
        and len(own) > 1
        and any(own[1].endswith(end) for end in (*_SCRIPTS, ".py", ".js", ".mjs", ".rb"))
    ):
        before, own = [*before, own[0]], own[1:]
        program = own[0].replace("\\", "/").rsplit("/", 1)[-1].lower()
    if not _PROGRAM.match(program) or program in rules.silent:
        return None
    asked = _asked(own[1:])
    name = " ".join((program, *asked))
    if name in rules.silent or " ".join((program, *asked[:1])) in rules.silent:
        return None
    return Step(_label(program, asked, own[1:], rules) or name, name, _form([*before, *own]))


def _unwrapped(words: list[str], rules: CommandRules) -> list[str]:
    """Without what is assigned before, and without programs that only run another."""
    while words:
        if _ASSIGNED.match(words[0]):
            words = words[1:]
            continue
        program = words[0].lower()
        if " ".join((program, *(word.lower() for word in words[1:2]))) in rules.wrapper_pairs:
            words = _past_flags(words[2:], 0)
        elif program in rules.wrappers:
            words = _past_flags(words[1:], rules.wrappers[program])
        else:
            return words
    return words


def _past_flags(words: list[str], count: int) -> list[str]:
    while words and (words[0].startswith("-") or count > 0):
        count -= not words[0].startswith("-")
        words = words[1:]
    return words


def _asked(words: Sequence[str]) -> tuple[str, ...]:
    """What the program is asked for: plain words before the first that is an argument."""
    asked: list[str] = []
    is_given = False
    for word in words:
        if not asked and (is_given or word.startswith("-")):
            is_given = not is_given and bool(_NAMING_FLAG.match(word))
            continue  # git -C folder, gradle --info
        if not _ASKED.match(word) or (_FILE.match(word) and ":" not in word and not _is_task(word)) or len(asked) >= 2:
            break
        asked.append(word)
        if asked != ["run"]:
            break
    return tuple(asked)


def _is_task(word: str) -> bool:
    """`ecto.migrate` is a task, `test.py` a file."""
    return len(word.rsplit(".", 1)[-1]) > 3


def _label(program: str, asked: Sequence[str], rest: Sequence[str], rules: CommandRules) -> str:
    """The activity that fits what is asked for, else the program itself, else a word further on; "" where none does."""
    script = program.rsplit(".", 1)[0] if any(program.endswith(end) for end in _SCRIPTS) else ""
    told = {part for word in asked for part in _words_of(word)} | set(_words_of(script))
    further = {part for word in rest[:6] if _ASKED.match(word) for part in _words_of(word)}
    named = {part for word in _without_values(rest[:6]) for part in _words_of(word)}
    acts = [one for one in rules.activities if not one.is_place]
    run = {program, *asked} if program in _RUNNERS else {program}
    label = next((one.name for one in acts if _is_said(one, told, program) or not run.isdisjoint(one.programs)), "")
    if tuple(asked) == (_RUN,):  # what is run says more: "mix run priv/repo/seeds.exs"
        label = next((one.name for one in acts if _is_said(one, named - {_RUN}, program)), label)
    if not label or label in rules.placing:
        places = [one.name for one in rules.activities if one.is_place and _is_said(one, told | further, program)]
        label = next(iter(places), label)
    return label or next((one.name for one in acts if _is_said(one, named, program)), "")


def _without_values(words: Sequence[str]) -> Iterator[str]:
    """The plain words that are not what a short flag is given: "up" of "-f web.yaml up", not "shop_dev" of "-d shop_dev"."""
    is_given = False
    for word in words:
        if not is_given and not word.startswith("-") and (_ASKED.match(word) or "/" in word):
            yield word
        is_given = bool(_SHORT_FLAG.match(word))


def _is_said(activity: Activity, words: AbstractSet[str], program: str) -> bool:
    return bool(activity.words & words) and (not activity.only or program in activity.only)


def _words_of(word: str) -> list[str]:
    parts = [part.lower() for piece in _PARTS.split(word) for part in _CAMEL.split(piece) if part]
    return [*parts, word.lower()]


def _form(words: Sequence[str]) -> str:
    """As it is written; what is quoted, worked out, or a place on this machine or elsewhere is left open."""
    program = words[0].rsplit("/", 1)[-1] if _ELSEWHERE.match(words[0]) else words[0]
    return " ".join([program, *("…" if _OPEN.search(word) else word for word in words[1:])])[:_FORM_CHARS]
