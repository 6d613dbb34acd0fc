"""Switches one flag of a TOML table on in a text, and off again, without touching any other byte.

The edit is textual and then checked: the parsed result must differ by that one flag only, or the file is refused.
Knows nothing of what the flag means. Source: INTEROP section 5.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from app.connect.base import ConnectRefusedError

_ERROR_LINE = re.compile(r"line (\d+)")


def read_flag(path: Path, content: bytes, table: str, key: str) -> bool | None:
    """The flag as it stands; None when it is not set. Raises ConnectRefusedError for what is not TOML."""
    parsed = _parse(path, _text(path, content)).get(table)
    value = parsed.get(key) if isinstance(parsed, dict) else None
    return value if isinstance(value, bool) else None


def with_flag(path: Path, before: bytes | None, table: str, key: str) -> bytes:
    """The file with `key = true` in its table; the same bytes when it is so already."""
    content = before or b""
    if read_flag(path, content, table, key) is True:
        return content
    text = _text(path, content)
    wanted = _parse(path, text)
    inner = wanted.setdefault(table, {})
    if isinstance(inner, dict):
        inner[key] = True
        for candidate in (_changed(text, table, key), _added(text, table, key), _dotted(text, table, key)):
            if candidate is not None and _is_same(candidate, wanted):
                return candidate.encode("utf-8")
    raise ConnectRefusedError(
        f"{path} writes “{table}” in a way that cannot be changed safely.",
        hint=f"Add “{key} = true” to the table [{table}] yourself, then connect again. The file was not changed.",
    )


def without_flag(path: Path, now: bytes, table: str, key: str, *, was: bool | None) -> bytes:
    """The file with the flag as it was before us: false, or not set at all."""
    if was is True or read_flag(path, now, table, key) is not True:
        return now
    text = _text(path, now)
    wanted = _parse(path, text)
    if was is False:
        wanted[table][key] = False
        candidates = [_changed(text, table, key, value="false")]
    else:
        del wanted[table][key]
        candidates = [_removed(text, table, key)]
        if not wanted[table]:
            without_table = {name: value for name, value in wanted.items() if name != table}
            emptied = _without_empty_table(candidates[0] or text, table)
            if _is_same(emptied, without_table):
                return emptied.encode("utf-8")
    for candidate in candidates:
        if candidate is not None and _is_same(candidate, wanted):
            return candidate.encode("utf-8")
    return now  # written in another way since: a flag that is on does no harm


def _text(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refused(path, line, "not valid UTF-8") from error


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _ERROR_LINE.search(str(error))
        raise _refused(path, int(found[1]) if found else text.count("\n") + 1, "not valid TOML") from error


def _refused(path: Path, line: int, why: str) -> ConnectRefusedError:
    return ConnectRefusedError(
        f"{path} is {why}: line {line}.", hint="Correct that line, then connect again. The file was not changed."
    )


def _is_same(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text.removeprefix("\ufeff")) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _header(table: str) -> str:
    return rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)"


def _line(table: str, key: str) -> re.Pattern[str]:
    """`key = value` in the table's own block; the block ends where the next header begins."""
    body = r"((?:(?![ \t]*\[)[^\n]*\n)*?)"
    return re.compile(rf"({_header(table)}){body}([ \t]*{re.escape(key)}[ \t]*=[ \t]*)(true|false)", re.MULTILINE)


def _changed(text: str, table: str, key: str, *, value: str = "true") -> str | None:
    found = _line(table, key).search(text) or re.search(
        rf"^()()([ \t]*{re.escape(table)}\.{re.escape(key)}[ \t]*=[ \t]*)(true|false)", text, re.MULTILINE
    )
    return None if found is None else text[: found.start(4)] + value + text[found.end(4) :]


def _added(text: str, table: str, key: str) -> str | None:
    newline = _newline(text)
    header = re.search(_header(table), text, re.MULTILINE)
    if header is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}[{table}]{newline}{key} = true{newline}"
    gap = "" if header[0].endswith("\n") else newline
    return f"{text[: header.end()]}{gap}{key} = true{newline}{text[header.end() :]}"


def _dotted(text: str, table: str, key: str) -> str | None:
    found = re.search(rf"^[ \t]*{re.escape(table)}\.", text, re.MULTILINE)
    if found is not None:
        return f"{text[: found.start()]}{table}.{key} = true{_newline(text)}{text[found.start() :]}"
    inline = re.search(rf"^([ \t]*{re.escape(table)}[ \t]*=[ \t]*\{{[ \t]*)(\}}?)", text, re.MULTILINE)
    if inline is None:
        return None
    end = " }" if inline[2] else ", "
    return f"{text[: inline.end(1)]}{key} = true{end}{text[inline.end() :]}"


def _removed(text: str, table: str, key: str) -> str | None:
    found = _line(table, key).search(text)
    if found is None:
        line = re.search(rf"^[ \t]*{re.escape(table)}\.{re.escape(key)}[ \t]*=[^\n]*(?:\n|\Z)", text, re.MULTILINE)
        return None if line is None else text[: line.start()] + text[line.end() :]
    line_end = text.find("\n", found.end())
    return text[: found.start(3)] + (text[line_end + 1 :] if line_end >= 0 else "")


def _without_empty_table(text: str, table: str) -> str:
    return re.sub(rf"(?:\r?\n)?{_header(table)}", "", text, count=1, flags=re.MULTILINE)
