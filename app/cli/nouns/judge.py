"""`remanence judge`: lets the model that you chose read what it has not read."""

import time
from datetime import datetime
from typing import Annotated, Any

import typer

from app.cli.client import EngineClient, open_client
from app.cli.options import JsonOption, places_of
from app.cli.output import print_json, print_line

_LOOK_EVERY_S = 0.5


def judge(
    context: typer.Context,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only show what would be sent, and to whom.")] = False,
    project: Annotated[str, typer.Option(help="Folder or name; left out: all.")] = "",
    since: Annotated[datetime | None, typer.Option(help="Only prompts from this day on.")] = None,
    is_log: Annotated[bool, typer.Option("--log", help="Only list what was read, and what it cost.")] = False,
    again: Annotated[int | None, typer.Option(help="Undo what came of this reading, and read it again.")] = None,
    is_cancel: Annotated[
        bool, typer.Option("--cancel", help="Stop reading; what was not read can be read later.")
    ] = False,
    is_shortening: Annotated[bool, typer.Option("--levels", help="Instead shorten long memories.")] = False,
    references_of: Annotated[
        int | None,
        typer.Option("--references", help="Instead say what “it” and the like mean in this conversation."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Let a model read along. One that you already have reads your prompts and says what is worth remembering."""
    body: dict[str, Any] = {
        "project": project,
        "dry_run": is_dry,
        "levels": is_shortening,
        "references_of": references_of,
    }
    if since is not None:
        body["since"] = since.astimezone().isoformat()
    with open_client(places_of(context)) as client:
        if is_log:
            _show_log(client, as_json=as_json)
            return
        if is_cancel:
            client.ask("POST", "/v1/judge/cancel")
            print_line("Stopped. What was not read can be read later.")
            return
        before = client.ask("GET", "/v1/stats")
        path = "/v1/judge" if again is None else f"/v1/judge/readings/{again}/again"
        found = client.ask("POST", path, body=body if again is None else None)
        if is_dry and again is None:
            _show_plan(found, as_json=as_json)
            return
        _wait(client)
        after = client.ask("GET", "/v1/stats")
    tokens = after["judge_token_count"] - before["judge_token_count"]
    if as_json:
        print_json({"pending": found["pending"], "token_count": tokens})
    elif not found["pending"]:
        print_line("Everything has been read.")
    else:
        print_line(f"Done: {tokens:,} tokens. remanence journal shows what came of it, remanence undo ID undoes it.")


def _wait(client: EngineClient) -> None:
    """Until nothing waits. The requests are made by the app; without one they are made here."""
    while client.ask("GET", "/v1/stats")["judge_pending_count"]:
        time.sleep(_LOOK_EVERY_S)


def _show_plan(plan: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(plan)
        return
    who = ", ".join(plan["readers"]) or "no model: none is chosen"
    prompts, asked = _counted(plan["prompt_count"], "prompt"), _counted(plan["request_count"], "request")
    print_line(f"{prompts} in {asked}, {plan['token_count']:,} tokens, to {who}.")
    if plan["past_prompt_count"]:
        print_line(f"Older, from the archive or your history: {_counted(plan['past_prompt_count'], 'prompt')}.")
    if plan["gone_count"]:
        print_line(f"No longer kept: {_counted(plan['gone_count'], 'prompt')}.")
    if plan["unread_by_nobody_count"]:
        print_line(
            f"{_counted(plan['unread_by_nobody_count'], 'prompt')} from assistants whose model cannot read along."
        )
    for request in plan["requests"]:
        print_line("")
        print_line(request)


def _show_log(client: EngineClient, *, as_json: bool) -> None:
    """One line a reading, newest first, and today's sum."""
    readings = client.ask("GET", "/v1/judge/readings")["readings"]
    if as_json:
        print_json(readings)
        return
    for one in readings:
        tokens = one["prompt_tokens"] + one["answer_tokens"]
        money = "" if one["money_usd"] is None else f", ${one['money_usd']:.4f}"
        cost = f"{tokens:,} tokens, {one['seconds']:.1f} s{money}"
        print_line(f"{one['id']}  {one['at'][:16]}  {one['reader']}  {one['project']}: {_came_of(one)}  ({cost})")
    if not readings:
        print_line("Nothing was read yet.")
        return
    today = client.ask("GET", "/v1/judge")["today"]
    print_line(f"Today: {_counted(today['conversation_count'], 'conversation')}, {today['token_count']:,} tokens.")


def _came_of(one: dict[str, Any]) -> str:
    if one["state"] != "done":
        return f"{one['state']}: {one['error']}"
    counts = [(one["remembered_count"], "remembered"), (one["closed_count"], "replaced")]
    counts += [(one["put_away_count"], "archived"), (one["dropped_count"], "dropped")]
    said = ", ".join(f"{count} {word}" for count, word in counts if count) or "nothing to remember"
    return f"{_counted(one['prompt_count'], 'prompt')}, {said}{' (undone)' if one['is_undone'] else ''}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
