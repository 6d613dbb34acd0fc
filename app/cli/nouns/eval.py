"""`remanence eval TASK FILE`: measures the engine on labelled data, never on the person's store. Source: eval/README."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.options import SetOption, check_choice, read_flags
from app.cli.output import print_json, print_line, print_table
from app.errors import InvalidError

if TYPE_CHECKING:
    from app.api.evaluation import Evaluation
    from app.clock import Clock
    from app.evaluation.sessions import Ask

_TASKS = (
    "sessions", "intent", "entities", "references", "boundary", "facts", "decisions", "duplicates", "compression",
    "retrieval", "context", "abstention", "contradictions", "forgetting", "rules", "prediction",
)  # fmt: skip
_SESSIONS, _FORGETTING, _RULES, _PREDICTION = "sessions", "forgetting", "rules", "prediction"
_BESIDE = ("starts", "questions")
# A prompt is understood before the next one comes, and no cap ends the reading: the stream is weeks in minutes.
_PLAYED_WITH: Mapping[str, object] = {"understand_wait_s": 10, "judge_daily_tokens": 0, "judge_monthly_tokens": 0}


def evaluate(
    task: Annotated[
        str,
        typer.Argument(help=f"One of: {', '.join(_TASKS)}."),
    ],
    file: Annotated[Path, typer.Argument(help="Labelled data, one JSON object per line.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object with the metrics.")] = False,
    set_: SetOption = None,
) -> None:
    """Measure how well it understands, on labelled data.

    For sessions, files called starts… and questions… beside the stream are read too, and --set judge=… lets a judge read along.
    """
    from app.api.evaluation import run_evaluation

    check_choice("The task", task, _TASKS)
    if task == _SESSIONS:
        result = _play_sessions(file, read_flags(set_))
    elif task == _FORGETTING and _is_stream(file):
        result = _play_forgetting(file, read_flags(set_))
    elif task == _RULES:
        result = _play_rules(file, read_flags(set_))
    elif task == _PREDICTION:
        result = _play_prediction(file, read_flags(set_))
    else:
        result = run_evaluation(task, file)
    if as_json:
        print_json({"task": result.task, "file": str(file), "n": result.n, **result.metrics})
    else:
        _print_readable(result, file)


def _play_sessions(file: Path, flags: Mapping[str, object]) -> "Evaluation":
    """Plays the stream through the app's own routes, over a store that is gone afterwards."""
    from app.api.evaluation import Evaluation, read_rows
    from app.evaluation.sessions import evaluate_sessions

    rows = read_rows(file)
    starts, questions = (_read_beside(file, name) for name in _BESIDE)
    with (
        _readable(file, "text; labelled ones have act, durable, changes, refs and starts_topic"),
        _playing(flags) as ask,
    ):
        count, metrics = evaluate_sessions(ask, rows, starts, questions)
    return Evaluation(_SESSIONS, count, metrics, ())


def _play_prediction(file: Path, flags: Mapping[str, object]) -> "Evaluation":
    """Plays the stream and asks at each prompt what is expected, over a store that is gone afterwards."""
    from app.api.evaluation import Evaluation, read_rows
    from app.evaluation.prediction import evaluate_prediction

    rows = read_rows(file)
    with _readable(file, "text, with tools"), _playing(flags) as ask:
        measured = evaluate_prediction(ask, rows)
    metrics = dict(measured.metrics)
    for switch in measured.switches:
        each = (("file", switch.files), ("memory", switch.memories))
        metrics |= {f"{what}_at_10_without_{switch.signal}": value for what, value in each if value is not None}
    for step in measured.curve:
        said = f"{step.what}_said_{step.tenth}0_percent"
        metrics |= {f"{said}_count": step.said_count, f"{said}_needed": step.needed}
    return Evaluation(_PREDICTION, measured.turn_count, metrics, ())


def _is_stream(file: Path) -> bool:
    """Whether these are prompts of real sessions; turns of chats between two people have a session, too."""
    from app.api.evaluation import read_rows

    fields = read_rows(file)[0].keys()
    return {"session", "when", "text"} <= fields and "conv" not in fields


def _play_forgetting(file: Path, flags: Mapping[str, object]) -> "Evaluation":
    """Plays the stream, moves the clock and consolidates, over a store that is gone afterwards."""
    from app.api.evaluation import Evaluation, read_rows
    from app.clock import MovedClock
    from app.evaluation.sessions import evaluate_forgetting

    rows, questions = read_rows(file), _read_beside(file, "questions")
    clock = MovedClock()
    calm = {"is_consolidating": False, "energy_refill_per_hour": 1_000}
    with _readable(file, "text; labelled ones have act and durable"), _playing({**calm, **flags}, clock) as ask:
        count, metrics = evaluate_forgetting(ask, clock.move_days, rows, questions)
    return Evaluation(_FORGETTING, count, metrics, ())


def _play_rules(file: Path, flags: Mapping[str, object]) -> "Evaluation":
    """Plays the stream four times: without and with rules, as it comes and where a person corrects in the first half."""
    from app.api.evaluation import Evaluation, read_rows
    from app.evaluation.sessions import cut, evaluate_rules

    rows = read_rows(file)
    metrics: dict[str, float] = {}
    with _readable(file, "text; labelled ones have act, refs and starts_topic"):
        count = len(cut(rows)[1])
        for corrects, is_used in product((False, True), repeat=2):
            name = f"{'corrected_' if corrects else ''}{'with' if is_used else 'without'}"
            with _playing({"is_consolidating": False, "is_using_rules": is_used, **flags}) as ask:
                found = evaluate_rules(ask, rows, corrects=corrects)
            metrics |= {f"{name}_{metric}": value for metric, value in found.items()}
    return Evaluation(_RULES, count, metrics, ())


@contextmanager
def _playing(flags: Mapping[str, object], clock: "Clock | None" = None) -> "Iterator[Ask]":
    """What asks an engine over a store of its own, which is gone afterwards."""
    from app.api import Engine
    from app.cli.client import EngineClient
    from app.places import Places
    from app.server.in_process import InProcess

    with tempfile.TemporaryDirectory(prefix="remanence-eval-") as folder:
        engine = Engine.open(Places.under(Path(folder)), clock=clock, flags={**_PLAYED_WITH, **flags})
        with closing(engine), InProcess(engine) as wire:
            yield EngineClient(wire).ask


@contextmanager
def _readable(file: Path, form: str) -> Iterator[None]:
    """Says of a file that cannot be played what its lines should hold besides id, when and session."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidError(
            f"{file.name} cannot be played as sessions ({type(error).__name__}: {error}).",
            hint=f"Each line is a prompt with id, when, session and {form}.",
        ) from error


def _read_beside(file: Path, name: str) -> list[dict[str, Any]]:
    from app.api.evaluation import read_rows

    beside = file.with_name(f"{name}.{file.name.partition('.')[2]}")
    return read_rows(beside) if beside.is_file() else []


def _print_readable(result: "Evaluation", file: Path) -> None:
    print_line(f"{result.task} on {file.name}, {result.n} judged")
    print_line()
    print_table(("metric", "value"), ((name, f"{value:.3f}") for name, value in result.metrics.items()))
    if result.errors:
        print_line()
        print_line("Telling errors")
        rows = ((error.expected, error.got, error.note, error.text) for error in result.errors[:10])
        print_table(("expected", "got", "note", "text"), rows)
