"""Puts our hook into each assistant's configuration, shows the change first, and takes it out again to the byte.

Each assistant that can be connected has a `connect.py`; `connectors()` lists them. Knows neither HTTP nor the store.
"""

from functools import cache
from pathlib import Path

from app.assistants.registry import ASSISTANTS
from app.connect.base import (
    ConfigPlan,
    ConnectContext,
    Connector,
    ConnectRefusedError,
    FoundAssistant,
    HookCommand,
)
from app.connect.file_connector import record_dir
from app.connect.files import (
    WrittenFile,
    check_unchanged,
    load_records,
    missing_folders,
    remove_empty_folders,
    save_records,
    sha256,
    write_edit,
)
from app.connect.launcher import can_launch, write_launcher
from app.errors import DiskProblem, NotFoundError


@cache
def connectors() -> tuple[Connector, ...]:
    """Every assistant that we know how to connect."""
    return tuple(part.CONNECTOR for one in ASSISTANTS if (part := one.part("connect")) is not None)


def connector(name: str) -> Connector:
    """The connector of that name. Raises NotFoundError, naming those there are."""
    for one in connectors():
        if one.name == name:
            return one
    known = ", ".join(one.name for one in connectors())
    raise NotFoundError(f"“{name}” is no assistant that can be connected.", hint=f"Choose one of: {known}.")


def find_all(ctx: ConnectContext) -> tuple[FoundAssistant, ...]:
    """The assistants that are on this computer."""
    return tuple(found for one in connectors() if (found := one.find(ctx)) is not None)


def preview_connect(name: str, ctx: ConnectContext) -> ConfigPlan:
    """What connecting would write; nothing is written. Raises NotFoundError when the assistant is not here."""
    one = connector(name)
    if one.find(ctx) is None:
        raise NotFoundError(
            f"{one.title} was not found on this computer.",
            hint=f"Start {one.title} once, so that it makes its folder, then connect it.",
        )
    return one.plan(ctx)


def preview_disconnect(name: str, ctx: ConnectContext) -> ConfigPlan:
    """What disconnecting would write; nothing is written."""
    return connector(name).plan_removal(ctx)


def apply_plan(plan: ConfigPlan, ctx: ConnectContext) -> None:
    """Writes what the plan shows, or nothing when one of its files changed since.

    What the files were before us is kept before the first byte is written. Raises StaleError, DiskProblem.
    """
    for edit in plan.edits:
        check_unchanged(edit)
    folder = record_dir(ctx, plan.app)
    records = load_records(folder)
    if plan.is_removal:
        _take_out(plan, folder, records)
    else:
        _put_in(plan, ctx, folder, records)


def _put_in(plan: ConfigPlan, ctx: ConnectContext, folder: Path, records: dict[Path, WrittenFile]) -> None:
    for edit in plan.edits:
        known = records.get(edit.path)
        before = connector(plan.app).original(ctx, edit.path, edit.before)
        made = known.made_folders if known is not None else ()
        records[edit.path] = WrittenFile(
            edit.path, before, sha256(edit.after or b""), (*made, *missing_folders(edit.path))
        )
    save_records(folder, records)
    if can_launch(ctx):
        _write_launcher(ctx)
    for edit in plan.edits:
        write_edit(edit)


def refresh_launcher(ctx: ConnectContext) -> None:
    """Keeps the program that assistants run true to where we are now; there is none where none is used."""
    if any(record_dir(ctx, one.name).is_dir() for one in connectors()) and can_launch(ctx):
        _write_launcher(ctx)


def _write_launcher(ctx: ConnectContext) -> None:
    try:
        write_launcher(ctx)
    except OSError as error:
        raise DiskProblem(f"{ctx.state_dir} cannot be written: {error.strerror}.", hint="Check the disk.") from error


def _take_out(plan: ConfigPlan, folder: Path, records: dict[Path, WrittenFile]) -> None:
    for edit in plan.edits:
        write_edit(edit)
        record = records.pop(edit.path, None)
        if record is not None and edit.after is None:
            remove_empty_folders(record.made_folders)
        save_records(folder, records)
    save_records(folder, {})  # what is left needed no edit: it is as it was


__all__ = [
    "ConfigPlan",
    "ConnectContext",
    "ConnectRefusedError",
    "Connector",
    "FoundAssistant",
    "HookCommand",
    "apply_plan",
    "connector",
    "connectors",
    "find_all",
    "preview_connect",
    "preview_disconnect",
    "refresh_launcher",
]
