"""`remanence doctor`: says whether everything is well; exit code 1 when something is not."""

from dataclasses import asdict

import typer

from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line, print_table


def doctor(context: typer.Context, as_json: JsonOption = False) -> None:
    """Check store, backups, places, rules and the running app."""
    from app.api.doctor import Finding, examine
    from app.cli.client import find_running_app

    places = places_of(context)
    findings = list(examine(places))
    running = find_running_app(places)
    if running is not None:
        findings.append(Finding("socket", is_ok=True, text=f"answers on 127.0.0.1:{running.port}"))
    elif places.endpoint_path.exists():
        findings.append(
            Finding(
                "socket",
                is_ok=False,
                text=f"{places.endpoint_path} is there but does not answer",
                hint="Start Remanence, or delete the file.",
            )
        )
    else:
        findings.append(Finding("socket", is_ok=True, text="the app is not running"))
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
