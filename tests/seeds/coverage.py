"""Writes `resources/seeds-coverage.md`: every line of the five specifications, in our own words, with what shows it.

    python -m tests.seeds.coverage            writes the file
    python -m tests.seeds.coverage --check    says what is wrong with it, and fails

The lines stand in `lines/S1.yaml` … `S5.yaml`. What shows one is a mark on the test itself, `@pytest.mark.seed("S1", "queue.twenty")`, so
that a test which goes takes its line with it; or a command of ours that prints a figure; or the decision why it is otherwise. What is
really missing names the work that will bring it. Reads source text only: no test is run or imported. Source: issue 17.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
LINES = Path(__file__).with_name("lines")
PAGE = ROOT / "resources" / "seeds-coverage.md"
SEEDS: Mapping[str, str] = {
    "S1": "Conversation memory: a queue of whole conversations, boundaries, references, learned rules",
    "S2": "Conversation context manager: the window that references look into",
    "S3": "Multi-tier memory: working, short-term, long-term, episodic; one window with a budget",
    "S4": "Living memory: four sizes, four tiers, prediction, consolidation, contradictions",
    "S5": "App memory: ten notes an app, made and compacted behind the end of a conversation",
}
NEXT_WORK: Mapping[str, str] = {  # what a line may wait for; nothing else may
    "graph": "the graph and its screen (next issue)",
    "code patterns": "code patterns read from syntax trees (next issue)",
    "workflows": "workflows, recorded and given as hints (next issue)",
    "team": "memories shared by a team (DESIGN 4)",
    "this issue": "being built in the current issue, not landed yet",
}
_FIELDS = frozenset({"is", "decision", "command", "missing"})


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a specification. `key` is what marks name."""

    seed: str
    key: str
    section: str
    text: str
    decision: str = ""
    command: str = ""
    missing: str = ""


@dataclass(slots=True)
class Marks:
    """Where tests say that they show a line: by (seed, key)."""

    tests: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    problems: list[str] = field(default_factory=list)


def load_lines(folder: Path = LINES) -> list[Line]:
    """All lines, in the order of the specifications. Raises ValueError naming what does not fit."""
    return [line for seed in SEEDS for line in _of_seed(seed, folder / f"{seed}.yaml")]


def _of_seed(seed: str, path: Path) -> Iterator[Line]:
    sections: Mapping[str, Mapping[str, Any]] = yaml.safe_load(path.read_text("utf-8"))
    for section, lines in sections.items():
        for key, said in lines.items():
            fields = {"is": said} if isinstance(said, str) else said
            unknown = fields.keys() - _FIELDS
            if unknown or "is" not in fields:
                raise ValueError(f"{path.name}, {key}: needs 'is', knows not {sorted(unknown)}")
            yield Line(
                seed,
                key,
                section,
                fields["is"],
                *(" ".join(str(fields.get(name, "")).split()) for name in ("decision", "command", "missing")),
            )


def find_marks(folder: Path = ROOT / "tests") -> Marks:
    """The marks of all tests, by reading their source."""
    marks = Marks()
    for path in sorted(folder.rglob("test_*.py")):
        source = path.read_text("utf-8")
        if "mark.seed(" in source:
            _of_file(ast.parse(source), path.relative_to(folder.parent).as_posix(), marks)
    return marks


def _of_file(module: ast.Module, name: str, marks: Marks) -> None:
    for node in ast.walk(module):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        called = [_mark_of(one) for one in node.decorator_list]
        is_idle = any(mark in {"skip", "xfail"} for mark, _ in called)
        for mark, arguments in called:
            if mark != "seed":
                continue
            where = f"{name}::{node.name}"
            if len(arguments) < 2 or not node.name.startswith("test_"):
                marks.problems.append(f"{where} has a mark that names no line")
            elif is_idle:
                marks.problems.append(f"{where} is not run and shows nothing")
            for key in arguments[1:]:
                marks.tests[arguments[0], key].append(where)


def _mark_of(decorator: ast.expr) -> tuple[str, list[str]]:
    """The name of a pytest mark and its words; ("", []) for another decorator."""
    call = decorator if isinstance(decorator, ast.Call) else None
    target = call.func if call is not None else decorator
    if not (isinstance(target, ast.Attribute) and ast.unparse(target.value).endswith("mark")):
        return "", []
    words = [one.value for one in call.args if isinstance(one, ast.Constant)] if call is not None else []
    return target.attr, [str(word) for word in words]


def find_problems(lines: Sequence[Line], marks: Marks, commands: Iterable[str]) -> list[str]:
    """What keeps the page from being true: a line that nothing shows, a mark of no line, a reason that is none."""
    known = set(commands)
    keys = [(line.seed, line.key) for line in lines]
    problems = [*marks.problems]
    problems += [f"{seed} {key} stands twice" for seed, key in sorted({one for one in keys if keys.count(one) > 1})]
    problems += [
        f"{seed} {key} is no line, but marked by {tests[0]}"
        for (seed, key), tests in marks.tests.items()
        if (seed, key) not in keys
    ]
    for line in lines:
        problems += [f"{line.seed} {line.key}: {why}" for why in _wrong_with(line, marks, known)]
    return problems


def _wrong_with(line: Line, marks: Marks, commands: set[str]) -> Iterator[str]:
    is_marked = (line.seed, line.key) in marks.tests
    if not (is_marked or line.decision or line.command or line.missing):
        yield "nothing shows it, and no decision says why"
    if line.missing and line.missing not in NEXT_WORK:
        yield f"may not wait for “{line.missing}”"
    if line.missing and (is_marked or line.command):
        yield "is said to be missing, but something shows it"
    words = line.command.split()
    asked = " ".join(words[1:3] if words[1:2] == ["eval"] else words[1:2])
    if words and (words[0] != "remanence" or asked not in commands):
        yield f"“{line.command}” is no command of ours"


def write_page(lines: Sequence[Line], marks: Marks) -> str:
    """The page, in Markdown."""
    missing = [line for line in lines if line.missing]
    shown = sum((line.seed, line.key) in marks.tests or bool(line.command) for line in lines)
    otherwise = sum(bool(line.decision) for line in lines)
    counts = (
        f"{len(lines)} lines: {shown} shown by a test or a command, {otherwise} otherwise by a decision (some of them shown, too), "
        f"{len(missing)} missing."
    )
    parts = [
        "# What the five specifications ask for, and what shows it",
        "",
        "Written by `python -m tests.seeds.coverage` from `tests/seeds/lines/` and the marks of the tests; do not edit. The words are ours.",
        "",
        counts,
        "",
        "## Missing",
        "",
        *_missing_rows(missing),
    ]
    for seed, title in SEEDS.items():
        parts += ["", f"## {seed} · {title}"]
        section = ""
        for line in (one for one in lines if one.seed == seed):
            if line.section != section:
                section = line.section
                parts += ["", f"### {section}", "", "| line | what shows it, or why it is otherwise |", "|---|---|"]
            parts.append(f"| {_cell(line.text)} | {_cell(_evidence(line, marks))} |")
    return "\n".join([*parts, ""])


def _missing_rows(missing: Sequence[Line]) -> list[str]:
    if not missing:
        return ["Nothing."]
    rows = [f"| {line.seed} | {_cell(line.text)} | {NEXT_WORK.get(line.missing, line.missing)} |" for line in missing]
    return ["| | line | what will bring it |", "|---|---|---|", *rows]


def _evidence(line: Line, marks: Marks) -> str:
    tests = marks.tests.get((line.seed, line.key), [])
    shown = [f"`{one}`" for one in dict.fromkeys(tests)] + ([f"`{line.command}`"] if line.command else [])
    said = [f"Otherwise: {line.decision}"] if line.decision else []
    said += [f"**Missing**: {NEXT_WORK.get(line.missing, line.missing)}"] if line.missing else []
    return "; ".join([*shown, *said])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def our_commands() -> set[str]:
    """First words of our command line, and what it measures."""
    from app.api.evaluation import TASKS
    from app.cli.commands import COMMANDS, GROUPS

    names = {name for name, _ in COMMANDS} | {name for name, _, _ in GROUPS}
    return names | {f"eval {task}" for task in (*TASKS, "sessions", "rules", "prediction")}


def main(arguments: Sequence[str]) -> int:
    lines, marks = load_lines(), find_marks()
    problems = find_problems(lines, marks, our_commands())
    page = write_page(lines, marks)
    if "--check" not in arguments:
        PAGE.write_text(page, "utf-8")
    elif not PAGE.is_file() or PAGE.read_text("utf-8") != page:
        problems.append(f"{PAGE.name} is out of date: python -m tests.seeds.coverage")
    sys.stdout.write("".join(f"{one}\n" for one in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
