"""`remanence eval TASK FILE`: measures the engine on labelled data. Opens no store. Source: eval/README."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.output import print_json, print_line, print_table

if TYPE_CHECKING:
    from app.api.evaluation import Evaluation


def evaluate(
    task: Annotated[
        str,
        typer.Argument(
            help="One of: intent, entities, references, boundary, facts, decisions, duplicates, compression, retrieval, context, abstention."
        ),
    ],
    file: Annotated[Path, typer.Argument(help="Labelled data, one JSON object per line.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object with the metrics.")] = False,
) -> None:
    """Measure the engine on labelled data."""
    from app.api.evaluation import run_evaluation

    result = run_evaluation(task, file)
    if as_json:
        print_json({"task": result.task, "file": str(file), "n": result.n, **result.metrics})
    else:
        _print_readable(result, file)


def _print_readable(result: "Evaluation", file: Path) -> None:
    print_line(f"{result.task} on {file.name}, {result.n} judged")
    print_line()
    print_table(("metric", "value"), ((name, f"{value:.3f}") for name, value in result.metrics.items()))
    if result.errors:
        print_line()
        print_line("Telling errors")
        rows = ((error.expected, error.got, error.note, error.text) for error in result.errors[:10])
        print_table(("expected", "got", "note", "text"), rows)
