"""`remanence import|export` and `backup|restore`: files in, files out."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.client import EngineClient, find_running_app, open_client
from app.cli.options import JsonOption, ask, check_choice, places_of
from app.cli.output import print_json, print_line, print_result, print_table, shown_at, shown_bytes
from app.errors import InvalidError, NotFoundError
from app.places import Places

_NO_HISTORY = "No history of an assistant was found. For a file: remanence import SOURCE PATH"
_EXPORTS = ("history", "context", "memories", "episodes", "conversations", "chunks", "project-memory", "prompts")
_UNREADABLE = " is not "  # how a reader says that a line has not the form of its source


def import_(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            help="claude-code, codex, copilot, gemini, qwen, opencode, chatgpt, claude-ai, history, context, memories, "
            "project-memory (a folder with four files), prompts, "
            "own-memories (your own export: what you confirmed stays confirmed), or auto. Left out: list what is found."
        ),
    ] = "",
    path: Annotated[Path | None, typer.Argument(help="File or folder to read.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Import a history. Without arguments, list those found on this computer."""
    with open_client(places_of(context)) as client:
        if not source:
            found = client.ask("GET", "/v1/import")
            if as_json:
                print_json(found)
            else:
                rows = (
                    (part["source"], part["file_count"], shown_bytes(part["byte_count"]), part["path"])
                    for part in found
                )
                print_table(("source", "files", "size", "path"), rows, empty=_NO_HISTORY)
            return
        if path is None:
            raise InvalidError(
                "Which file or folder?", hint=f"For example: remanence import {source} ~/Downloads/export.zip"
            )
        if not path.exists():
            raise NotFoundError(f"There is nothing at {path}.", hint="Name the file or folder to import.")
        if path.is_file() and not path.stat().st_size:
            raise InvalidError(f"{path} is empty.", hint="Choose the file that was exported, or export it again.")
        name = (
            ""
            if source == "auto"
            else f"seed-{source}"
            if source in {"history", "context", "memories", "prompts"}
            else source
        )
        report = client.ask("POST", "/v1/import", body={"source": name, "path": str(path.absolute())})
    if as_json:
        print_json(report)
        return
    taken = report["message_count"] + report["duplicate_count"] + report["failed_count"]
    if not taken and report["notes"] and all(_UNREADABLE in note for note in report["notes"]):
        raise InvalidError(
            f"Nothing in {path} could be read: {report['notes'][0]}",
            hint="Check that it is the right file, and that the source before it is right.",
        )
    if not taken and not report["skipped_count"] and report["operation_id"] is None:
        print_line(f"Nothing new in {path}: it was imported before, or it has no messages.")
        return
    print_line(
        f"{report['message_count']} messages imported, {report['duplicate_count']} already there, "
        f"{report['skipped_count']} skipped, {report['failed_count']} failed, in {report['took_s']:.1f} s."
    )
    for note in report["notes"]:
        print_line(note)


def export(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            help="history (conversations), context (messages and references), memories, episodes, conversations, chunks, "
            "project-memory (a folder with these four), "
            "or prompts (the archive)."
        ),
    ],
    path: Annotated[Path, typer.Argument(help="File to write.")],
    is_replacing: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write conversations or memories to a file. Other programs can read it, and so can remanence import."""
    check_choice("The kind of an export", kind, _EXPORTS)
    done = ask(
        context, "POST", "/v1/export", body={"kind": kind, "path": str(path.absolute()), "is_replacing": is_replacing}
    )
    print_result(done, f"{done['line_count']} lines written to {done['path']}.", as_json=as_json)


def backup(
    context: typer.Context,
    is_list: Annotated[bool, typer.Option("--list", help="Show the backups instead.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a backup now, and check that it can be read."""
    with open_client(places_of(context)) as client:
        found = client.ask("GET", "/v1/backups") if is_list else [client.ask("POST", "/v1/backups")]
    if as_json:
        print_json(found)
        return
    rows = ((shown_at(part["at"]), shown_bytes(part["byte_count"]), part["reason"], part["path"]) for part in found)
    print_table(("made at", "size", "reason", "file"), rows, empty="No backup yet. remanence backup makes one.")


def restore(
    context: typer.Context,
    path: Annotated[Path | None, typer.Argument(help="The backup to go back to.")] = None,
    is_latest: Annotated[bool, typer.Option("--latest", help="Take the newest backup.")] = False,
    is_as_it_is: Annotated[
        bool, typer.Option("--as-it-is", help="Keep using the store as it is, although part of it is missing.")
    ] = False,
    starts_empty: Annotated[bool, typer.Option("--anew", help="Start again with an empty store.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Go back to a backup. What was there before is kept beside it. Use it also when the store is lost."""
    places = places_of(context)
    chosen = [path is not None, is_latest, is_as_it_is, starts_empty].count(True)
    if chosen != 1:
        raise InvalidError(
            "Which backup?" if not chosen else "Choose one of these, not several.",
            hint="remanence backup --list shows them; --latest takes the newest. Without a backup: --as-it-is or --anew.",
        )
    done = (
        _mend(places, starts_empty=starts_empty)
        if is_as_it_is or starts_empty
        else _restore(places, path or _newest_backup(places))
    )
    print_result(done, _summary(places, done), as_json=as_json)


def _newest_backup(places: Places) -> Path:
    found = sorted(places.backups_dir.glob("remanence-*.db"))
    if not found:
        raise NotFoundError(
            "There is no backup.",
            hint="remanence restore --anew starts with an empty store; what is there now is kept.",
        )
    return max(found, key=lambda copy: copy.name)


def _restore(places: Places, path: Path) -> dict[str, object]:
    running = find_running_app(places)
    if running is not None:
        client = EngineClient(running)
        done: dict[str, object] = client.ask("POST", "/v1/backups/restore", body={"path": str(path.absolute())})
        return done
    from app.api.doctor import restore_closed_store

    kept = restore_closed_store(places, path)
    return {"path": str(path), "kept_path": str(kept) if kept else None}


def _mend(places: Places, *, starts_empty: bool) -> dict[str, object]:
    if find_running_app(places) is not None:
        raise InvalidError("Remanence is running, so its store can be read.", hint="Quit it first.")
    from app.api.doctor import accept_store, start_empty_store

    if starts_empty:
        kept = start_empty_store(places)
        return {"path": None, "kept_path": str(kept) if kept else None}
    accept_store(places)
    return {"path": str(places.store_path), "kept_path": None}


def _summary(places: Places, done: dict[str, object]) -> str:
    """What a restore did, in words."""
    if done["path"] == str(places.store_path):
        return "The store is used as it is."
    text = f"Restored from {done['path']}." if done["path"] else "The store is empty now."
    return f"{text} What was there before is kept in {done['kept_path']}." if done["kept_path"] else text
