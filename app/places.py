"""Where things are on this machine. `REMANENCE_HOME` moves all of it under one folder.

Owns folder names and their 0700 modes; knows nothing of what is written into them. Source: S4 of QUALITY.
"""

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.errors import EnvironmentProblem, InvalidError

_NAME = "remanence"


@dataclass(frozen=True, slots=True)
class Places:
    """The three folders. Nothing of ours is ever written outside them, but an assistant's own config."""

    config_dir: Path
    data_dir: Path
    state_dir: Path

    @classmethod
    def under(cls, home: Path) -> "Places":
        return cls(home / "config", home / "data", home / "state")

    @classmethod
    def find(cls, env: Mapping[str, str] | None = None) -> "Places":
        home = (os.environ if env is None else env).get("REMANENCE_HOME", "")
        if home:
            return cls.under(Path(home).expanduser().absolute())
        return cls(
            Path(platformdirs.user_config_dir(_NAME, appauthor=False)),
            Path(platformdirs.user_data_dir(_NAME, appauthor=False)),
            Path(platformdirs.user_state_dir(_NAME, appauthor=False)),
        )

    @property
    def store_path(self) -> Path:
        return self.data_dir / "remanence.db"

    @property
    def next_store_path(self) -> Path:
        """A whole store that is to take the place of the present one: what a restore has decided."""
        return self.data_dir / "remanence.next"

    @property
    def index_dir(self) -> Path:
        """Derived: may be deleted at any time."""
        return self.data_dir / "index"

    @property
    def graph_dir(self) -> Path:
        """Maps of the knowledge graph: derived, numbers only."""
        return self.data_dir / "graph"

    @property
    def lock_path(self) -> Path:
        return self.data_dir / "remanence.lock"

    @property
    def backups_dir(self) -> Path:
        return self.data_dir / "backups"

    @property
    def config_path(self) -> Path:
        return self.config_dir / "config.toml"

    @property
    def rules_dir(self) -> Path:
        return self.config_dir / "rules"

    @property
    def spool_dir(self) -> Path:
        return self.state_dir / "spool"

    @property
    def hook_dir(self) -> Path:
        return self.state_dir / "hook"

    @property
    def judge_dir(self) -> Path:
        """Empty: where a model's program is run that reads along. Nothing that happens there is captured."""
        return self.state_dir / "judge"

    @property
    def endpoint_path(self) -> Path:
        return self.state_dir / "endpoint"

    @property
    def socket_path(self) -> Path:
        return self.state_dir / "capture.sock"

    @property
    def record_path(self) -> Path:
        """Says that there was a store, and how far it had come."""
        return self.state_dir / "store.record"

    @property
    def log_path(self) -> Path:
        return self.state_dir / "remanence.log"

    def prepare(self) -> None:
        """Makes the folders, 0700. Raises EnvironmentProblem for a symlink or a folder of somebody else."""
        for folder in (
            self.config_dir,
            self.data_dir,
            self.state_dir,
            self.backups_dir,
            self.index_dir,
            self.spool_dir,
            self.hook_dir,
        ):
            make_private_dir(folder)


def make_private_dir(folder: Path) -> None:
    """Makes `folder` and what is missing above it with mode 0700, refusing a symlink and foreign ownership."""
    try:
        missing = [above for above in folder.parents if not above.exists()]
        for above in reversed(missing):  # `parents=True` would leave these to the umask
            above.mkdir(exist_ok=True, mode=0o700)
        is_new = not folder.exists()
        folder.mkdir(exist_ok=True, mode=0o700)
        if is_new:
            with suppress(OSError):  # the folder above may be one that we cannot read
                sync_folder(folder.parent)
        info = folder.lstat()
    except OSError as error:
        raise EnvironmentProblem(
            f"The folder {folder} cannot be created: {error.strerror}.",
            hint="Move what is there away, or choose another folder with REMANENCE_HOME.",
        ) from error
    if stat.S_ISLNK(info.st_mode) or not stat.S_ISDIR(info.st_mode):
        raise EnvironmentProblem(f"{folder} is not a plain folder.", hint="Move it away and start again.")
    if hasattr(os, "getuid") and info.st_uid != os.getuid():
        raise EnvironmentProblem(f"{folder} belongs to somebody else.", hint="Choose another with REMANENCE_HOME.")
    if stat.S_IMODE(info.st_mode) & 0o077:
        folder.chmod(0o700)


def refuse_link(path: Path) -> None:
    """Raises EnvironmentProblem when somebody has put a link in the place of one of our files."""
    if path.is_symlink():
        raise EnvironmentProblem(f"{path} is a link, not a file.", hint="Move it away and start again.")


def check_path(path: Path) -> None:
    """Raises InvalidError for a path that no file can have: too long, or with a character that none has."""
    try:
        path.lstat()
    except ValueError as error:  # NUL, half of a character
        raise InvalidError("The path holds a character that no file name can have.", hint="Check the path.") from error
    except OSError as error:
        if error.errno in {errno.ENAMETOOLONG, errno.ELOOP}:
            raise InvalidError(
                "The path is too long, or it is a link that leads to itself.", hint="Check the path."
            ) from error


def open_private(path: Path, flags: int) -> int:
    """A file descriptor of `path` opened 0600 from creation; a planted symlink is refused (ELOOP)."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o600)


def write_private(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replaces `path` atomically with `data`, for its owner alone, synced."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    descriptor = open_private(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(data)
        handle.flush()
        if mode != 0o600:
            os.fchmod(handle.fileno(), mode)
        os.fsync(handle.fileno())
    partial.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A name that was given, changed or taken away in `folder` outlives a power cut."""
    if os.name == "nt":  # folders cannot be opened there; the file system keeps names in order by itself
        return
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
