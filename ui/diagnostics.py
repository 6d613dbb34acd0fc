"""The text of "Copy diagnostics": versions, states and counts. No word of the person, no path of theirs."""

from ui.crash import describe_versions
from ui.shell.state import ShellState
from ui.wording.figures import describe_bytes, describe_moment


def describe_state(state: ShellState | None, last_report: str = "") -> str:
    """Lines to paste into a report."""
    lines = [*describe_versions()]
    if state is None:
        lines.append("The memory is not open.")
    else:
        health, stats = state.health, state.stats
        light = "capturing" if health.is_capturing else "paused"
        lines += [
            f"SQLite {health.sqlite_version}, schema {health.schema_version}",
            f"Store {describe_bytes(health.store_bytes)}, write-ahead log {describe_bytes(health.wal_bytes)}",
            f"Last backup: {describe_moment(health.last_backup_at)}",
            f"Capture: {light}, port {health.endpoint.port or 'none'}"
            + (f", {health.endpoint.error}" if health.endpoint.error else ""),
            f"{stats.conversation_count} of {stats.queue_size} conversations, {stats.message_count} messages",
            f"Events: {stats.event_pending_count} waiting, {stats.event_failed_count} failed",
        ]
        lines += [f"Problem: {text}" for text in (health.disk_problem, health.last_error) if text]
    if last_report:
        lines += ["", last_report]
    return "\n".join(lines)
