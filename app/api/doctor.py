"""Checks a home folder without opening the engine, and offers the ways out when its store cannot be opened.

The checks (modes, SQLite, store, backups, spool, rules, settings) change nothing. The ways out: a backup put in its place, an empty
store on purpose, or going on with what is there. Source: DESIGN section 6 "doctor", QUALITY S4, R4, R5, R13.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.assistants.connecting import ConnectContext, find_all
from app.capture.secret_rule_set import SecretRuleSet
from app.capture.spool import ASIDE_NAME, EVENTS_NAME, TORN_NAME, count_aside
from app.clock import SystemClock
from app.errors import DiskProblem, NotFoundError, RemanenceError
from app.places import Places
from app.privacy.redaction import SecretRules
from app.resources import UNREAD_HINT, shipped_rules, unread_names
from app.settings_sources import load_settings
from app.store.backups import Backups, check_store_file
from app.store.database import OLDEST_SQLITE, Database, sqlite_version
from app.store.lock import StoreLock
from app.store.missing_store import StoreRecord, check_is_there, check_is_whole, read_numbers
from app.understanding.rule_sets import Rules, RuleSets


def restore_closed_store(places: Places, path: Path) -> Path | None:
    """Where what was in the store's place is kept. Raises StoreLockedError, NotFoundError, InvalidError, DiskProblem; then nothing
    changed. Killed anywhere, the old store or the new one is there whole at the next start.
    """
    with _alone(places) as backups:
        return backups.restore(path)


def start_empty_store(places: Places) -> Path | None:
    """Starts an empty store; returns where the old one is kept. Raises StoreLockedError, DiskProblem."""
    with _alone(places) as backups:
        fresh = places.next_store_path.with_suffix(".empty")
        try:
            fresh.unlink(missing_ok=True)
            database = Database(fresh)
            database.open()
            database.close()
            return backups.put_in_place(fresh)
        except OSError as error:
            raise DiskProblem(f"{fresh} cannot be written: {error.strerror}.", hint="Free some space.") from error


def accept_store(places: Places) -> None:
    """Accepts the store as it is, whatever is missing in it.

    Raises StoreLockedError, NotFoundError, and InvalidError when it is damaged.
    """
    with _alone(places):
        if not places.store_path.is_file():
            raise NotFoundError(
                f"There is no store at {places.store_path}.",
                hint="remanence restore --anew starts with an empty store.",
            )
        check_store_file(places.store_path)
        StoreRecord(places.record_path).begin(read_numbers(places.store_path))


@contextmanager
def _alone(places: Places) -> Iterator[Backups]:
    places.prepare()
    lock = StoreLock(places.lock_path)
    lock.acquire("command")
    try:
        backups = Backups(places, SystemClock())
        backups.finish_restore()
        yield backups
    finally:
        lock.release()


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One check: what was looked at, whether it is well, and what to do if not."""

    check: str
    is_ok: bool
    text: str
    hint: str = ""


def examine(places: Places) -> tuple[DoctorCheck, ...]:
    """What every check found, in a fixed order. A home that was never used is well."""
    checks: tuple[tuple[str, Callable[[Places], Iterator[DoctorCheck]]], ...] = (
        ("SQLite", _check_sqlite),
        ("places", _check_places),
        ("settings", _check_settings),
        ("rules", _check_rules),
        ("store", _check_store),
        ("backups", _check_backups),
        ("spool", _check_spool),
        ("owner", _check_owner),
        ("assistants", _check_assistants),
    )
    return tuple(finding for name, check in checks for finding in _run(name, check, places))


def _run(name: str, check: Callable[[Places], Iterator[DoctorCheck]], places: Places) -> Iterator[DoctorCheck]:
    try:
        yield from check(places)
    except RemanenceError as error:
        yield DoctorCheck(name, is_ok=False, text=str(error), hint=error.hint)
    except OSError as error:
        yield DoctorCheck(name, is_ok=False, text=f"{error}.", hint="Check the folder's owner and mode.")


def _check_sqlite(_places: Places) -> Iterator[DoctorCheck]:
    found = sqlite_version()
    numbers = tuple(int(part) for part in found.split("."))
    oldest = ".".join(map(str, OLDEST_SQLITE))
    hint = "" if numbers >= OLDEST_SQLITE else "Install pysqlite3 again, with a newer SQLite inside."
    yield DoctorCheck("SQLite", numbers >= OLDEST_SQLITE, f"version {found} ({oldest} or newer is needed)", hint)


def _check_places(places: Places) -> Iterator[DoctorCheck]:
    folders = (places.config_dir, places.data_dir, places.state_dir, places.backups_dir)
    wrong = [f"{folder} can be opened by other users" for folder in folders if _is_open(folder)]
    files = (
        places.store_path,
        places.config_path,
        places.endpoint_path,
        places.socket_path,
        places.log_path,
        *sorted(places.backups_dir.glob("*.db")),
        *sorted(places.hook_dir.glob("*.conf")),
    )
    wrong += [f"{path} can be read by other users" for path in files if _is_open(path)]
    wrong += [f"{path} is a link" for path in (*folders, *files) if path.is_symlink()]
    if wrong:
        yield DoctorCheck("places", is_ok=False, text="; ".join(wrong), hint="chmod -R go-rwx removes these rights.")
    else:
        yield DoctorCheck("places", is_ok=True, text=f"private: {places.data_dir}")


def _is_open(path: Path) -> bool:
    if os.name != "posix" or not path.exists():
        return False
    return bool(stat.S_IMODE(path.lstat().st_mode) & 0o077)


def _check_settings(places: Places) -> Iterator[DoctorCheck]:
    loaded = load_settings(places.config_path)
    if loaded.notice:
        yield DoctorCheck("settings", is_ok=False, text=loaded.notice, hint="Correct it, then start again.")
        return
    yield DoctorCheck("settings", is_ok=True, text=f"readable, {len(loaded.set_by)} changed from their defaults")


def _check_rules(places: Places) -> Iterator[DoctorCheck]:
    names = shipped_rules()
    secret_rules = SecretRuleSet(places.rules_dir)
    _load_rule_sets(places, secret_rules)
    if secret_rules.notice:
        yield DoctorCheck("rules", is_ok=False, text=secret_rules.notice, hint="Correct it, then start again.")
    own = {path.stem for path in places.rules_dir.glob("*.yaml")}
    unread = unread_names(places.rules_dir)
    for said in unread:
        yield DoctorCheck("rules", is_ok=False, text=said, hint=UNREAD_HINT)
    if not unread:
        text = f"{len(names)} rule files are valid, {len(own)} of your own change them"
        yield DoctorCheck("rules", is_ok=bool(names), text=text)


def _load_rule_sets(places: Places, secret_rules: SecretRuleSet) -> tuple[Rules, SecretRules]:
    """All that analyzes a message. Raises InvalidError naming the rule file that does not fit."""
    rule_sets = RuleSets(places.rules_dir, places.state_dir, secret_rules)
    return rule_sets.rules, rule_sets.secrets


def _check_store(places: Places) -> Iterator[DoctorCheck]:
    if places.next_store_path.exists():
        yield DoctorCheck(
            "store",
            is_ok=False,
            text="a restore was interrupted",
            hint="Start Remanence: it continues the restore. What was there before is kept beside the store.",
        )
        return
    record, backup_count = StoreRecord(places.record_path).load(), len(Backups(places, SystemClock()).list())
    check_is_there(places, record, backup_count)
    if not places.store_path.exists():
        yield DoctorCheck("store", is_ok=True, text="none yet")
        return
    check_store_file(places.store_path)
    if not StoreLock(places.lock_path).is_held():  # who has it open continues writing both
        check_is_whole(places, record, read_numbers(places.store_path), backup_count)
    megabytes = places.store_path.stat().st_size / 1e6
    yield DoctorCheck("store", is_ok=True, text=f"intact, {megabytes:.1f} MB")


def _check_backups(places: Places) -> Iterator[DoctorCheck]:
    found = Backups(places, SystemClock()).list()
    if not found:
        yield DoctorCheck("backups", is_ok=True, text="none yet")
        return
    check_store_file(found[0].path)
    yield DoctorCheck(
        "backups", is_ok=True, text=f"{len(found)}, the newest of {found[0].at:%Y-%m-%d %H:%M} UTC is intact"
    )


def examine_spool(places: Places) -> int:
    """How many events and lines of hooks are kept aside because they could not be captured."""
    return count_aside(places.spool_dir)


def _check_spool(places: Places) -> Iterator[DoctorCheck]:
    torn, aside = places.spool_dir / TORN_NAME, places.spool_dir / ASIDE_NAME
    if aside.is_file():
        with aside.open("rb") as lines:
            count = sum(1 for _ in lines)
        yield DoctorCheck(
            "spool",
            is_ok=False,
            text=f"{count} events could not be captured; they are kept in {aside}",
            hint="Fix what the other lines here report, or raise “Largest message”. Each start tries them again.",
        )
    if torn.exists():
        yield DoctorCheck(
            "spool",
            is_ok=False,
            text=f"{torn} holds lines that could not be read",
            hint="Look at them, then delete the file.",
        )
    waiting = places.spool_dir / EVENTS_NAME
    count = sum(1 for _ in waiting.open("rb")) if waiting.is_file() else 0
    yield DoctorCheck("spool", is_ok=True, text=f"{count} events wait for the next start" if count else "empty")


def _check_owner(places: Places) -> Iterator[DoctorCheck]:
    owner = StoreLock(places.lock_path).read_owner()
    yield DoctorCheck("owner", is_ok=True, text=f"{owner.kind}, process {owner.pid}" if owner else "not open anywhere")


def _check_assistants(places: Places) -> Iterator[DoctorCheck]:
    connected = [one for one in find_all(ConnectContext.here(places.state_dir)) if one.is_connected]
    for one in connected:
        said = one.problem or one.waiting
        if said:
            yield DoctorCheck(
                "assistants", is_ok=False, text=said, hint="After that, remanence apps shows when a message came."
            )
    if not any(one.problem or one.waiting for one in connected):
        names = ", ".join(one.title for one in connected)
        yield DoctorCheck("assistants", is_ok=True, text=f"connected: {names}" if names else "none is connected")
