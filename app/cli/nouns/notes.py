"""`remanence notes`: what the conversations of an app left for the next one."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.options import JsonOption, ask
from app.cli.output import print_json, print_line, print_result, print_table, shown_at
from app.errors import InvalidError
from app.places import write_private

AppOption = Annotated[str, typer.Option("--app", help="Name of the app; left out: all.")]
NoteArgument = Annotated[int, typer.Argument(help="Number of the note.")]
NameArgument = Annotated[str, typer.Argument(help="Name of the app.")]


def list_notes(context: typer.Context, app: AppOption = "", as_json: JsonOption = False) -> None:
    """List notes, the newest first."""
    _print(_ask(context, app=app), as_json=as_json)


def search_notes(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words to look for.")],
    app: AppOption = "",
    as_json: JsonOption = False,
) -> None:
    """Find notes by words."""
    _print(_ask(context, app=app, q=query), as_json=as_json, empty="No note has these words.")


def add_note(
    context: typer.Context,
    app: NameArgument,
    content: Annotated[str, typer.Argument(help="What it says, in at most 200 characters.")],
    project: Annotated[str, typer.Option(help="Folder of the project; left out: given in every project.")] = "",
    importance: Annotated[float, typer.Option(help="0 to 10.")] = 5.0,
) -> None:
    """Add a note of your own."""
    body = {"app": app, "content": content, "project": project, "importance": importance}
    made = ask(context, "POST", "/v1/notes", body=body)
    print_line(f"Added note {made['id']}.")


def edit_note(
    context: typer.Context,
    note_id: NoteArgument,
    content: Annotated[str | None, typer.Option("--text", help="What it says from now on.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 10.")] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", help="A tag; as often as you like. Replaces the old ones.")
    ] = None,
) -> None:
    """Change a note; it is yours from then on."""
    if content is None and importance is None and tags is None:
        raise InvalidError("There is nothing to change.", hint="Give --text, --importance or --tag.")
    ask(context, "PATCH", f"/v1/notes/{note_id}", body={"content": content, "importance": importance, "tags": tags})
    print_line(f"Changed note {note_id}.")


def delete_note(context: typer.Context, note_id: NoteArgument) -> None:
    """Delete a note."""
    ask(context, "DELETE", f"/v1/notes/{note_id}")
    print_line(f"Deleted note {note_id}.")


def purge_notes(context: typer.Context, app: NameArgument, as_json: JsonOption = False) -> None:
    """Delete all notes of an app."""
    done = ask(context, "DELETE", f"/apps/{app}/memories")
    print_result(done, f"Deleted {_counted(done['deletedCount'])} of {app}.", as_json=as_json)


def promote_note(context: typer.Context, note_id: NoteArgument) -> None:
    """Turn a note into a memory."""
    made = ask(context, "POST", f"/v1/notes/{note_id}/promote")
    print_line(f"Note {note_id} is memory {made['memory_id']} now.")


def set_expiry(
    context: typer.Context,
    app: NameArgument,
    days: Annotated[int, typer.Argument(help="Days without a change; 0: never.")],
) -> None:
    """Choose how long the notes of an app are kept."""
    ask(context, "PUT", f"/v1/apps/{app}/notes/expiry", body={"days": days})
    print_line(
        f"Notes of {app} {f'are deleted after {days} days without a change' if days else 'are kept until you delete them'}."
    )


def show_context(
    context: typer.Context,
    app: NameArgument,
    project: Annotated[str | None, typer.Option(help="Folder of the project; left out: all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the notes as your assistant is given them."""
    found = ask(context, "GET", "/v1/notes/context", query={"app": app, "project": project})
    print_result(found, found["text"] or f"There is no note of {app}.", as_json=as_json)


def export_notes(
    context: typer.Context, path: Annotated[Path, typer.Argument(help="File to write.")], app: AppOption = ""
) -> None:
    """Write notes to a JSON file."""
    notes = _ask(context, app=app)
    written = json.dumps({"notes": notes}, ensure_ascii=False, indent=2).encode()
    try:
        write_private(path.expanduser().absolute(), written)
    except OSError as error:
        raise InvalidError(
            f"{path} cannot be written: {error.strerror}.", hint="Name a file in a folder that exists."
        ) from error
    print_line(f"Wrote {_counted(len(notes))} to {path}.")


def show_stats(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show how many notes there are, and how often they are given."""
    stats = ask(context, "GET", "/v1/notes/stats", as_json=as_json)
    print_line(f"{_counted(stats['note_count'])}; {stats['created_today_count']} in the last 24 hours.")
    print_line(f"Given in {stats['given_share']:.0%} of the conversations of the last 14 days.")
    print_line(f"{stats['apps_with_notes_share']:.0%} of your apps have notes.")
    print_line(
        f"They took {stats['energy_units']:,.1f} units of energy today, {stats['energy_share']:.1%} of what was used."
    )


def _ask(context: typer.Context, **query: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(context, "GET", "/v1/notes", query=query)["notes"]
    return found


def _print(notes: list[dict[str, Any]], *, as_json: bool, empty: str = "There are no notes.") -> None:
    if as_json:
        print_json({"notes": notes})
        return
    rows = ((note["id"], shown_at(note["updated_at"])[:10], note["app"], note["content"]) for note in notes)
    print_table(("id", "changed", "app", "note"), rows, empty=empty)


def _counted(number: int) -> str:
    return f"{number:,} note{'' if number == 1 else 's'}"
