"""`remanence info`: versions, places, the running app and every setting. Opens no store.

`remanence doctor`: says whether everything is well; exit code 1 when something is not.
"""

import shutil
import sys
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app import __version__
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line, print_table
from app.places import Places

if TYPE_CHECKING:
    from app.settings_sources import SettingCard


def doctor(context: typer.Context, as_json: JsonOption = False) -> None:
    """Check whether everything is well."""
    from app.api.doctor import DoctorCheck, examine
    from app.cli.client import find_running_app

    places = places_of(context)
    findings = list(examine(places))
    running = find_running_app(places)
    if running is not None:
        findings.append(DoctorCheck("socket", is_ok=True, text=f"answers on 127.0.0.1:{running.port}"))
    elif places.endpoint_path.exists():
        findings.append(
            DoctorCheck(
                "socket",
                is_ok=False,
                text=f"{places.endpoint_path} is there but does not answer",
                hint="Start Remanence. If that does not help, delete the file.",
            )
        )
    else:
        findings.append(DoctorCheck("socket", is_ok=True, text="the app is not running"))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_table(("", "check", "found"), ((_mark(f.is_ok), f.check, f.text) for f in findings))
        for finding in findings:
            if finding.hint and not finding.is_ok:
                print_line(f"{finding.check}: {finding.hint}")
    if not all(finding.is_ok for finding in findings):
        raise typer.Exit(1)


def _mark(is_ok: bool) -> str:
    return "ok" if is_ok else "!!"


def info(
    context: typer.Context,
    settings: Annotated[
        bool, typer.Option("--settings", help="Every setting with its value, range and meaning.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show versions, folders and settings."""
    places = places_of(context)
    if settings:
        _show_settings(places, as_json=as_json)
        return
    found = _collect(places)
    if as_json:
        print_json(found)
        return
    for title, part in found.items():
        print_line(title)
        print_table(("  name", "value"), ((f"  {name}", value) for name, value in part.items()))
        print_line()


def _collect(places: Places) -> dict[str, dict[str, Any]]:
    import platform
    from importlib.metadata import version

    from app.api.archive import look_at_archive
    from app.api.doctor import examine_spool
    from app.cli.client import find_running_app
    from app.resources import resources_dir

    running = find_running_app(places)
    prompts, size = look_at_archive(places)
    return {
        "versions": {
            "remanence": __version__,
            "python": platform.python_version(),
            "sqlite": _sqlite_version(),
            "sqlmodel": version("sqlmodel"),
            "qt": version("PySide6-Essentials"),
            "system": platform.platform(),
        },
        "places": {
            "store": str(places.store_path),
            "settings": str(places.config_path),
            "own rules": str(places.rules_dir),
            "backups": str(places.backups_dir),
            "spool": str(places.spool_dir),
            "kept aside": f"{examine_spool(places)} events that could not be captured",
            "prompt archive": f"{prompts:,} prompts, {size / 1_000_000:.1f} MB",
            "log": str(places.log_path),
            "resources": str(resources_dir()),
            "program": sys.executable,
        },
        "running app": {
            "address": f"http://127.0.0.1:{running.port}" if running else None,
            "socket": running.socket_path if running else None,
        },
    }


def _sqlite_version() -> str:
    import pysqlite3.dbapi2

    return str(pysqlite3.dbapi2.sqlite_version)


def _show_settings(places: Places, *, as_json: bool) -> None:
    from app.settings_sources import describe_settings, load_settings

    cards = describe_settings(load_settings(places.config_path))
    if as_json:
        print_json([asdict(card) for card in cards])
        return
    group = ""
    for card in cards:
        if card.is_internal:
            continue
        if card.group != group:
            print_line(f"\n{card.group}" if group else card.group)
            group = card.group
        print_line(f"  {card.name} = {card.value}{_remark(card)}")
        print_line(
            textwrap.fill(f"{card.title}: {card.text}", _wide(), initial_indent="    ", subsequent_indent="    ")
        )
    print_line("\nTo set one for one command: --set NAME=VALUE, or REMANENCE_NAME=VALUE in the environment.")


def _remark(card: "SettingCard") -> str:
    """Unit, range, and where the value comes from when it is not the default."""
    words = [card.unit] if card.unit else []
    words.append("one of " + ", ".join(card.choices) if card.choices else _range(card.minimum, card.maximum))
    if card.set_by != "default":
        words.append(f"default {card.default}, set by {card.set_by}")
    said = "; ".join(word for word in words if word)
    return f"  ({said})" if said else ""


def _wide() -> int:
    return min(120, shutil.get_terminal_size().columns)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None and high is None else f"{_number(low)} to {_number(high)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
