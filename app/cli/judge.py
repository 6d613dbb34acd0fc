"""`remanence judge`: lets the model that you chose read what it has not read."""

import time
from datetime import datetime
from typing import Annotated, Any

import typer

from app.cli.client import Desk, open_desk
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line

_LOOK_EVERY_S = 0.5


def judge(
    context: typer.Context,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would be sent, and to whom.")] = False,
    project: Annotated[str, typer.Option(help="Folder or name; left out: all.")] = "",
    since: Annotated[datetime | None, typer.Option(help="Only prompts from this day on.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Let a model that you already have read your prompts and say what is worth remembering."""
    body: dict[str, Any] = {"project": project, "dry_run": is_dry}
    if since is not None:
        body["since"] = since.astimezone().isoformat()
    with open_desk(places_of(context)) as desk:
        found = desk.ask("POST", "/v1/judge", body=body)
        if is_dry:
            _show_plan(found, as_json=as_json)
            return
        before = desk.ask("GET", "/v1/stats")
        _wait(desk)
        after = desk.ask("GET", "/v1/stats")
    tokens = after["judge_token_count"] - before["judge_token_count"]
    if as_json:
        print_json({"pending": found["pending"], "token_count": tokens})
    elif not found["pending"]:
        print_line("Everything has been read.")
    else:
        print_line(
            f"Done: {tokens:,} tokens. remanence journal shows what came of it, remanence undo ID takes it back."
        )


def _wait(desk: Desk) -> None:
    """Until nothing waits. The requests are made by the app; without one they are made here."""
    while desk.ask("GET", "/v1/stats")["judge_pending_count"]:
        time.sleep(_LOOK_EVERY_S)


def _show_plan(plan: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(plan)
        return
    who = ", ".join(plan["readers"]) or "nobody"
    prompts, asked = _counted(plan["prompt_count"], "prompt"), _counted(plan["request_count"], "request")
    print_line(f"{prompts} in {asked}, {plan['token_count']:,} tokens, to {who}.")
    if plan["unread_by_nobody_count"]:
        print_line(f"{_counted(plan['unread_by_nobody_count'], 'prompt')} of assistants that cannot be asked.")
    for request in plan["requests"]:
        print_line("")
        print_line(request)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
