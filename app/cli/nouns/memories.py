"""Memories from the command line: list, inbox, show, add, edit, merge, pin, tag, accept, archive, restore, rules, search, erase.

Owns how they are shown; every act is one request, which the running app or an engine of our own answers. Source: UX 4.4.
"""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.client import EngineClient, open_client
from app.cli.options import JsonOption, ask, places_of, read_instant
from app.cli.output import print_done, print_json, print_line, print_result, print_table, shown_at
from app.errors import InvalidError, NotFoundError
from app.values import FactType, MemoryKind, MemorySort, MemoryStatus, Visibility

Ids = Annotated[list[int], typer.Argument(help="The ids, as in the list.")]
OneId = Annotated[int, typer.Argument(help="The id, as in the list.")]
TagsOption = Annotated[list[str], typer.Option("--tag", help="A tag; may be repeated.")]
_OPTIONS = "--text, --title, --type, --value, --category, --importance, --valid-from, --valid-to, --told-in"


def edit(
    context: typer.Context,
    memory_id: OneId,
    text: Annotated[str | None, typer.Option(help="The new text; its shorter versions follow.")] = None,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    fact_type: Annotated[FactType | None, typer.Option("--type", help="The new type.")] = None,
    value: Annotated[str | None, typer.Option(help="The new value, as in “PostgreSQL 16”.")] = None,
    category: Annotated[str | None, typer.Option(help="The new category.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.", min=0, max=1)] = None,
    valid_from: Annotated[str, typer.Option(help="True from this day on: 2026-03-03.")] = "",
    valid_to: Annotated[str, typer.Option(help="True until this day; “open” removes the end.")] = "",
    told_in: Annotated[
        Visibility | None, typer.Option(help="user-private: in its project; project-shared, system: in every one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Edit a memory. What it said before is kept as a version."""
    given: dict[str, object | None] = {
        "full": text, "title": title, "type": fact_type.value if fact_type else None, "value": value,
        "category": category, "importance": importance, "visibility": told_in.value if told_in else None,
        "valid_from": read_instant(valid_from) if valid_from else None,
    } | _end_of(valid_to)  # fmt: skip
    body = {name: changed for name, changed in given.items() if changed is not None}
    if not body:
        raise InvalidError("There is nothing to change.", hint=f"Give one of {_OPTIONS}.")
    ask(context, "PATCH", f"/v1/memories/{memory_id}", body=body)
    print_done({"id": memory_id}, f"Edited memory {memory_id}.", as_json=as_json)


def _end_of(valid_to: str) -> dict[str, object | None]:
    if valid_to == "open":
        return {"is_valid_to_removed": True}
    return {"valid_to": read_instant(valid_to) if valid_to else None}


def restore_version(
    context: typer.Context,
    memory_id: OneId,
    number: Annotated[int, typer.Argument(help="The version's number, as remanence memories show prints it.")],
    as_json: JsonOption = False,
) -> None:
    """Go back to an earlier version of a memory."""
    with open_client(places_of(context)) as client:
        versions: list[dict[str, Any]] = client.ask("GET", f"/v1/memories/{memory_id}/versions")
        found = next((one["id"] for one in versions if one["number"] == number), None)
        if found is None:
            known = ", ".join(str(one["number"]) for one in reversed(versions))
            hint = f"It has {known}." if known else "It was never changed."
            raise NotFoundError(f"Memory {memory_id} has no version {number}.", hint=hint)
        client.ask("POST", f"/v1/memories/{memory_id}/restore", body={"version_id": found})
    print_done({"id": memory_id}, f"Memory {memory_id} is as in version {number} again.", as_json=as_json)


def pin(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Pin memories: they are never forgotten."""
    _act(context, "pin", ids, "Pinned", as_json=as_json, is_pinned=True)


def unpin(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Unpin memories."""
    _act(context, "pin", ids, "Unpinned", as_json=as_json, is_pinned=False)


def tag(context: typer.Context, ids: Ids, tags: TagsOption, as_json: JsonOption = False) -> None:
    """Add tags to memories."""
    if not all(one.strip() for one in tags):
        raise InvalidError("A tag needs a text.", hint="For example: --tag database")
    _act(context, "tag", ids, "Tagged", as_json=as_json, add=tags)


def untag(context: typer.Context, ids: Ids, tags: TagsOption, as_json: JsonOption = False) -> None:
    """Remove tags from memories."""
    _act(context, "tag", ids, "Untagged", as_json=as_json, remove=tags)


def archive(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Archive memories: kept, but no longer given."""
    _act(context, "archive", ids, "Archived", as_json=as_json)


def unarchive(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Bring archived memories back."""
    _act(context, "unarchive", ids, "Brought back", as_json=as_json)


def merge(
    context: typer.Context,
    ids: Ids,
    text: Annotated[str, typer.Option(help="The text of the memory that stays; left out: its own text.")] = "",
    keep: Annotated[int | None, typer.Option(help="The id of the memory that stays; left out: the first.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Merge several memories into one."""
    made = ask(context, "POST", "/v1/memories/merge", body={"ids": ids, "text": text, "keep_id": keep})
    print_done(made, f"Merged {len(ids)} memories into memory {made['id']}.", as_json=as_json)


def accept(context: typer.Context, ids: Ids, as_json: JsonOption = False) -> None:
    """Say yes to memories: they are in use from now on."""
    _act(context, "accept", ids, "Accepted", as_json=as_json)


def reject(
    context: typer.Context,
    ids: Ids,
    never: Annotated[str, typer.Option("--never", help="Never again learn anything with these words.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Say no to memories. With --never, nothing like them is learned again."""
    rule = {"rule": {"verdict": "never", "phrase": never}} if never else {}
    _act(context, "reject", ids, "Rejected", as_json=as_json, **rule)


def _act(context: typer.Context, act: str, ids: list[int], verb: str, *, as_json: bool, **more: object) -> None:
    ask(context, "POST", f"/v1/memories/{act}", body={"ids": ids, **more})
    print_done({"ids": ids}, f"{verb} {len(ids)} {'memory' if len(ids) == 1 else 'memories'}.", as_json=as_json)


TagOption = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")]
ProjectOption = Annotated[str, typer.Option("--project", help="Only of this project: its path or name.")]
LimitOption = Annotated[int, typer.Option(help="At most this many.", min=1, max=1000)]
BackupsOption = Annotated[bool, typer.Option("--backups", help="Delete all backups too, because they hold it as well.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask. It cannot be undone.")]
BelievedOption = Annotated[str, typer.Option(help="As it was known on that day: 2026-03-03 or 2026-03-03T09:00.")]
ValidOption = Annotated[str, typer.Option(help="What was true on that day.")]
_OVER = "no longer true"  # as the window says it
_HEADS = ("id", "type", "status", "trust", "project", "updated", "title")


def list_memories(
    context: typer.Context,
    kind: Annotated[list[MemoryKind] | None, typer.Option(help="Only of this kind; may be repeated.")] = None,
    fact_type: Annotated[list[FactType] | None, typer.Option("--type", help="Only of this type.")] = None,
    status: Annotated[list[MemoryStatus] | None, typer.Option(help="Only with this status.")] = None,
    tag: TagOption = None,
    project: ProjectOption = "",
    file: Annotated[str, typer.Option(help="Only those about this file.")] = "",
    artifact: Annotated[
        str,
        typer.Option(
            help="Only those tied to this: adr, pr, commit, file, or one of them, as in ADR-012, #45, a hash."
        ),
    ] = "",
    visibility: Annotated[
        list[Visibility] | None, typer.Option(help="Only those given there: in their own project, or in every one.")
    ] = None,
    sort: Annotated[MemorySort, typer.Option(help="What comes first.")] = MemorySort.UPDATED,
    start: Annotated[int, typer.Option(help="Skip this many.", min=0)] = 0,
    limit: LimitOption = 30,
    believed: BelievedOption = "",
    valid: ValidOption = "",
    as_json: JsonOption = False,
) -> None:
    """Memories, newest first. Archived ones only with --status archived."""
    query: dict[str, object] = {
        "kind": kind or [], "type": fact_type or [], "status": status or [], "tag": tag or [],
        "project": [project] if project else [], "file": file or None,
        "artifact": artifact or None, "visibility": visibility or [], "sort": sort.value, "start": start,
        "limit": limit,
    } | _times(believed, valid)  # fmt: skip
    with open_client(places_of(context)) as client:
        page = client.ask("GET", "/v1/memories", query=query)
        counts = "" if as_json else count_memories(client)
    if as_json:
        print_json(page)
        return
    print_table(_HEADS, (_row(card) for card in page["cards"]), empty="No memories here.")
    if counts:
        print_line(f"{len(page['cards']):,} of {page['total']:,} shown. In all: {counts}.")


_TO_REVIEW = {"status": ["proposed", "quarantined"], "is_over": "false"}  # what was replaced meanwhile waits for nobody
_COUNTED: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("in use", {"status": ["active"], "is_live": "true"}),
    ("no longer true", {"is_over": "true"}),
    ("to review", _TO_REVIEW),
    ("archived", {"status": ["archived"]}),
)


def count_memories(client: EngineClient) -> str:
    """How many memories there are, in the words of the window: 1,059 in use · 7 no longer true · 5 to review; "" for none."""
    counts = [
        (client.ask("GET", "/v1/memories", query={**asked, "limit": 1})["total"], words) for words, asked in _COUNTED
    ]
    return " · ".join(f"{count:,} {words}" for count, words in counts if count)


def review(context: typer.Context, limit: LimitOption = 30, as_json: JsonOption = False) -> None:
    """Memories to review. They wait for your yes or no."""
    page = ask(context, "GET", "/v1/memories", query={**_TO_REVIEW, "limit": limit}, as_json=as_json)
    print_table(_HEADS, (_row(card) for card in page["cards"]), empty="Nothing to review.")
    if page["total"]:
        print_line(f"{page['total']:,} to review. remanence memories accept ID, or remanence memories reject ID.")


def show(
    context: typer.Context,
    memory_id: Annotated[int, typer.Argument(help="The id, as in the list.")],
    as_json: JsonOption = False,
) -> None:
    """One memory: its text, its source, its history."""
    detail = ask(context, "GET", f"/v1/memories/{memory_id}", as_json=as_json)
    memory = detail["memory"]
    ended = memory["valid_to"]
    is_over = ended is not None and datetime.fromisoformat(ended) <= datetime.now(UTC)
    status = _OVER if is_over and memory["status"] == MemoryStatus.ACTIVE.value else memory["status"]
    print_line(f"{memory['title']}  ({memory['type'] or memory['kind']}, {status}, trust {memory['trust']})")
    print_table(
        ("level", "tokens", "text"),
        ((level, one["token_count"], one["text"]) for level, one in memory["levels"].items()),
    )
    _print_facts(memory)
    for source in detail["sources"]:
        print_line(f"said {shown_at(source['at'])} in {source['app'] or 'a file'}: “{source['quote']}”")
    for version in detail["versions"]:
        print_line(
            f"version {version['number']} until {shown_at(version['until_at'])} ({version['label']}): {version['title']}"
        )
    for link in detail["links"]:
        print_line(
            f"{link['type'].replace('_', ' ')} {'→' if link['is_outgoing'] else '←'} {link['other_kind']} {link['other_id']}"
        )


def _print_facts(memory: dict[str, Any]) -> None:
    slot = memory["slot"]
    facts = {
        "about": " / ".join(part for part in slot.values() if part) if slot else None,
        "value": memory["value"],
        "tags": memory["tags"],
        "project": memory["project"],
        "importance": memory["importance"],
        "confidence": memory["confidence"],
        "pinned": memory["is_pinned"],
        "valid from": shown_at(memory["valid_from"]),
        "valid to": shown_at(memory["valid_to"]),
        "why": memory["reason"],
    }
    print_table(("field", "value"), [(name, value) for name, value in facts.items() if value not in (None, "", [])])


def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="One sentence that is clear without context.")],
    fact_type: Annotated[FactType | None, typer.Option("--type", help="Left out: judged from the text.")] = None,
    title: Annotated[str, typer.Option(help="Left out: made from the text.")] = "",
    tag: TagOption = None,
    project: Annotated[
        str, typer.Option("--project", help="Path or name of the project; left out: the repository of this folder.")
    ] = "",
    is_everywhere: Annotated[bool, typer.Option("--everywhere", help="It belongs to no project.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Add a memory. It is in use at once, unless it is a dangerous instruction: that waits for your yes."""
    if is_everywhere and project:
        raise InvalidError("A memory belongs to one project or to all.", hint="Give --project or --everywhere.")
    where = "" if is_everywhere else project or _repository_here()
    body = {
        "text": text, "type": fact_type.value if fact_type else None, "title": title, "tags": tag or [],
        "project_path": where,
    }  # fmt: skip
    made = ask(context, "POST", "/v1/memories", body=body)
    scope = f"given in {Path(where).name}" if where else "given in every project"
    if made["is_waiting"]:
        held = f"Memory {made['id']} is not given yet: it tells an assistant to do what it should ask about first."
        _say(made, f"{held} Allow it with: remanence memories accept {made['id']}", as_json=as_json)
        return
    done = f"Memory {made['id']} already says this" if made["is_known"] else f"Added memory {made['id']}"
    _say(made, f"{done}, {scope}.", as_json=as_json)


def _repository_here() -> str:
    """The folder of the repository that one works in; "" outside of any."""
    here = Path.cwd()
    return next((str(folder) for folder in (here, *here.parents) if (folder / ".git").exists()), "")


def rules(context: typer.Context, as_json: JsonOption = False) -> None:
    """Your always/never rules for what is learned."""
    found = ask(context, "GET", "/v1/memories/rules", as_json=as_json)
    rows = (
        (one["id"], one["verdict"], one["type"], one["attribute"], one["phrase"], one["hit_count"]) for one in found
    )
    print_table(
        ("id", "verdict", "type", "attribute", "words", "used"),
        rows,
        empty="No rules yet. “remanence memories reject ID --never WORDS” adds one.",
    )


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words to look for.")],
    limit: Annotated[
        int | None, typer.Option(help="At most this many; left out: as the settings say.", min=1, max=200)
    ] = None,
    project: ProjectOption = "",
    tag: TagOption = None,
    weights: Annotated[
        str, typer.Option(help="What counts how much, for this search only: 'keyword .5, recency .3, importance .2'.")
    ] = "",
    recipe: Annotated[str, typer.Option(help="A named set of weights: gated, seed_weights or seed_config.")] = "",
    around: Annotated[
        str,
        typer.Option(
            "--context", help="What you work on (a file, a task). It moves matches up, but finds nothing alone."
        ),
    ] = "",
    has_chunks: Annotated[bool, typer.Option("--chunks", help="Also summaries of long conversations.")] = False,
    believed: BelievedOption = "",
    valid: ValidOption = "",
    as_json: JsonOption = False,
) -> None:
    """Find memories. The best match comes first, each with the reason."""
    asked: dict[str, object] = {
        "q": query, "recipe": recipe, "weights": weights, "tag": tag or [], "project": [project] if project else [],
        "context": around, "includes_chunks": has_chunks,
    } | _times(believed, valid) | ({} if limit is None else {"limit": limit})  # fmt: skip
    found = ask(context, "GET", "/v1/search", query=asked, as_json=as_json)
    rows = (
        (f"{hit['score']:.2f}", hit["card"]["id"] if hit["card"] else "–", hit["reason"], hit["text"])
        for hit in found["hits"]
    )
    print_table(("score", "id", "why", "text"), rows, empty="No memory matches. Try other words or a file name.")
    for line in (found["note"], f"Did you mean: {found['suggestion']}" if found["suggestion"] else ""):
        if line:
            print_line(line)


def _times(believed: str, valid: str) -> dict[str, object]:
    """What a question asks of an earlier time."""
    return {
        name: read_instant(said) for name, said in (("believed_at", believed), ("valid_at", valid)) if said
    }  # fmt: skip


def reindex(context: typer.Context, as_json: JsonOption = False) -> None:
    """Rebuild the search index."""
    done = ask(context, "POST", "/v1/search/rebuild")
    _say(done, f"Rebuilt. Memories in the search index: {done['memory_count']:,}.", as_json=as_json)


def erase(
    context: typer.Context,
    ids: Annotated[
        list[int] | None, typer.Argument(help="Memories; or say what to erase with an option below.")
    ] = None,
    has_messages: Annotated[
        bool, typer.Option("--with-messages", help="Also the messages that they were learned from.")
    ] = False,
    conversation: Annotated[int | None, typer.Option(help="All of this conversation.")] = None,
    project: Annotated[str, typer.Option(help="All of this project: its path or name.")] = "",
    app: Annotated[str, typer.Option(help="All that this assistant sent.")] = "",
    since: Annotated[str, typer.Option(help="Only from this time on: 2026-03-02T09:00.")] = "",
    before: Annotated[str, typer.Option(help="Only before this time.")] = "",
    has_backups: BackupsOption = False,
    is_sure: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase memories or messages. They leave store, journal, index and log. This cannot be undone."""
    scope = {
        "conversation_id": conversation, "project": project or None, "app": app or None,
        "from_at": read_instant(since) if since else None, "to_at": read_instant(before) if before else None,
    }  # fmt: skip
    named = {name: value for name, value in scope.items() if value is not None}
    if bool(ids) == bool(named):
        raise InvalidError(
            "What shall be erased?", hint="Name memories, or one of --conversation, --project, --app, --since."
        )
    _ask_once("This cannot be undone. Erase?", is_sure=is_sure)
    with open_client(places_of(context)) as client:
        if ids:
            body: dict[str, object] = {"ids": ids, "erase_messages": has_messages, "includes_backups": has_backups}
            report = client.ask("POST", "/v1/memories/erase", body=body)
        else:
            report = client.ask("POST", "/v1/erase", body={**named, "includes_backups": has_backups})
    kept = f" {report['backups_kept']} backups may still hold it." if report["backups_kept"] else ""
    text = f"Erased {report['memory_count']} memories and {report['message_count']} messages.{kept}"
    _say(report, text, as_json=as_json)


def scan_secrets(
    context: typer.Context,
    is_purging: Annotated[bool, typer.Option("--purge", help="Remove them for good.")] = False,
    has_backups: BackupsOption = False,
    is_sure: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Look for passwords and keys that slipped in. The rules that recognise them grow; this checks what was stored before."""
    if is_purging:
        _ask_once("This cannot be undone. Remove the secrets?", is_sure=is_sure)
    body = {"purge": is_purging, "includes_backups": has_backups}
    found = ask(context, "POST", "/v1/secrets/scan", body=body, as_json=as_json)
    if found:
        rows = ((one["table"], one["row_id"], one["rule"], one["excerpt"]) for one in found)
        print_table(("where", "id", "what", "text"), rows)
    hint = "" if is_purging or not found else " remanence scan-secrets --purge removes them."
    said = f"{len(found)} secret{'' if len(found) == 1 else 's'}" if found else "No secrets"
    print_line(f"{said} {'removed' if is_purging else 'found'}.{hint}")


def _row(card: dict[str, Any]) -> tuple[object, ...]:
    kind = card["type"] or card["kind"]
    is_over = card["status"] == MemoryStatus.ACTIVE.value and not card["is_live"]
    return (
        card["id"], kind, _OVER if is_over else card["status"], card["trust"], card["project"], shown_at(card["updated_at"]), card["title"],
    )  # fmt: skip


def _ask_once(question: str, *, is_sure: bool) -> None:
    """Nothing is erased unasked; where nobody can answer, `--yes` is needed."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise InvalidError(
            f"{question}", hint="Nothing was erased: no answer can be typed here. Add --yes to go ahead."
        )
    if not typer.confirm(question):
        raise typer.Abort


def _say(value: object, text: str, *, as_json: bool) -> None:
    print_result(value, text, as_json=as_json)
