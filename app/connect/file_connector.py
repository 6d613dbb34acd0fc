"""A connector made of a few functions on bytes: describing an assistant's files is all that a new one needs.

For each file: what it is without us (from our record when nobody changed it since, else by taking our entries
out), and what it becomes with us. Source: QUALITY E8.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.connect.base import ConfigPlan, ConnectContext, FoundAssistant, file_edit
from app.connect.files import WrittenFile, check_writable, load_records, read_config, sha256
from app.connect.hooks_json import HookEntry, has_exactly, with_hooks, without_hooks
from app.connect.launcher import can_launch, is_launcher_there
from app.errors import RemanenceError
from app.values import FileEdit


@dataclass(frozen=True, slots=True)
class ManagedFile:
    """One configuration file: how our entries come in and go out.

    `insert` takes the bytes without us (None = no file); `is_done` tells that a file has our entries exactly, `is_working` that it
    has entries of ours that can be run, also such as we wrote earlier; `take_out` takes the bytes with us, and what we remember of the file from before us.
    """

    path: Path
    insert: Callable[[bytes | None], bytes]
    is_done: Callable[[bytes], bool]
    take_out: Callable[[bytes, WrittenFile | None], bytes | None]
    is_working: Callable[[bytes], bool] | None = None  # None = as `is_done`

    def works(self, now: bytes) -> bool:
        return self.is_done(now) if self.is_working is None else self.is_working(now)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A connector described by data. `program` is what the assistant is called on the PATH."""

    name: str
    title: str
    program: str
    folder: Callable[[ConnectContext], Path]
    files: Callable[[ConnectContext], tuple[ManagedFile, ...]]
    notes: tuple[str, ...] = ()
    obstacle: Callable[[ConnectContext], str] = lambda _ctx: ""  # a sentence: why our entries would not be run
    waiting: Callable[[ConnectContext], str] = lambda _ctx: (
        ""
    )  # a sentence: what the person does before they are, once they are in

    def find(self, ctx: ConnectContext) -> FoundAssistant | None:
        """The assistant as found by its folder or its program; None when neither is there."""
        folder = self.folder(ctx)
        if not folder.is_dir() and shutil.which(self.program, path=ctx.env.get("PATH", "")) is None:
            return None
        files = self.files(ctx)
        is_connected, problem, waiting = True, "", ""
        try:
            for file in files:
                now = read_config(file.path)
                is_connected = is_connected and now is not None and file.works(now)
            problem = self.obstacle(ctx)
            waiting = self.waiting(ctx) if is_connected else ""
        except RemanenceError as error:
            is_connected, problem = False, str(error)
        return FoundAssistant(
            self.name, self.title, folder, tuple(file.path for file in files), is_connected, problem, waiting
        )

    def plan(self, ctx: ConnectContext) -> ConfigPlan:
        """Our entries put into the files."""
        records = load_records(record_dir(ctx, self.name))
        edits = [edit for file in self.files(ctx) if (edit := _insertion(file, records)) is not None]
        obstacle = self.obstacle(ctx)
        notes = (*(self.notes if edits else ()), *([obstacle] if obstacle else ()))
        return ConfigPlan(self.name, is_removal=False, edits=tuple(edits), notes=notes)

    def plan_removal(self, ctx: ConnectContext) -> ConfigPlan:
        """Our entries taken out of the files."""
        records = load_records(record_dir(ctx, self.name))
        edits = []
        for file in self.files(ctx):
            now = read_config(file.path)
            without = _without_us(file, now, records)
            if without != now:
                check_writable(file.path)
                edits.append(file_edit(file.path, now, without))
        return ConfigPlan(self.name, is_removal=True, edits=tuple(edits))

    def original(self, ctx: ConnectContext, path: Path, now: bytes | None) -> bytes | None:
        """A file as it would be if we had never been there."""
        records = load_records(record_dir(ctx, self.name))
        return next(_without_us(file, now, records) for file in self.files(ctx) if file.path == path)


def hooks_file(path: Path, entries: tuple[HookEntry, ...], ctx: ConnectContext, app: str) -> ManagedFile:
    """A Claude-shaped hooks file with these entries of ours; each names the event in our words as its command's last word."""
    earlier = tuple(
        replace(entry, command=ctx.long_command(app, entry.command.rpartition(" ")[2]).shell()) for entry in entries
    )

    def take_out(now: bytes, record: WrittenFile | None) -> bytes | None:
        left = without_hooks(path, now)
        was_made_by_us = record is not None and record.before is None
        return None if was_made_by_us and not left.strip(b"{} \t\r\n") else left

    return ManagedFile(
        path=path,
        insert=lambda before: with_hooks(path, before, entries),
        is_done=lambda now: has_exactly(path, now, entries),
        take_out=take_out,
        is_working=lambda now: (
            has_exactly(path, now, earlier)
            or (has_exactly(path, now, entries) and (not can_launch(ctx) or is_launcher_there(ctx)))
        ),
    )


def record_dir(ctx: ConnectContext, app: str) -> Path:
    """Where we remember what an app's files were before us."""
    return ctx.state_dir / "connect" / app


def _without_us(file: ManagedFile, now: bytes | None, records: dict[Path, WrittenFile]) -> bytes | None:
    record = records.get(file.path)
    if now is None:
        return None
    if record is not None and sha256(now) == record.written_sha256:
        return record.before
    return file.take_out(now, record)


def _insertion(file: ManagedFile, records: dict[Path, WrittenFile]) -> FileEdit | None:
    now = read_config(file.path)
    if now is not None and file.is_done(now):
        return None
    edit = file_edit(file.path, now, file.insert(_without_us(file, now, records)))
    check_writable(file.path)
    return edit
