"""The condition as SQL and the test of a row say the same of every combination of what they look at."""

from itertools import product
from typing import Any

import pysqlite3

from app.privacy.exclusion import is_in_folder
from app.store.search.memories import RankRow
from app.store.visibility import CURRENT, GIVABLE, may_be_given, where

NOW, HERE, SECRET = 100, 1, 3
_COLUMNS = ("id", "status", "trust", "retired_at", "valid_from", "valid_to", "project_id", "visibility")
_ROWS: list[dict[str, Any]] = [
    dict(zip(_COLUMNS, (number, *values), strict=True))
    for number, values in enumerate(
        product(
            ("active", "proposed", "archived", "quarantined"), (0, 2), (None, 90), (50, 100, 101), (None, 100, 101),
            (None, HERE, 2, SECRET), ("user-private", "project-shared"),
        )
    )
]  # fmt: skip


def _store() -> pysqlite3.Connection:
    connection = pysqlite3.connect(":memory:")
    connection.create_function("is_in_folder", 2, is_in_folder)
    connection.execute(f"CREATE TABLE memory ({', '.join(_COLUMNS)})")
    connection.execute("CREATE TABLE project (id, path)")
    connection.execute("CREATE TABLE rule (kind, pattern, data)")
    connection.executemany(
        f"INSERT INTO memory VALUES ({', '.join('?' * len(_COLUMNS))})", [(*row.values(),) for row in _ROWS]
    )
    connection.executemany(
        "INSERT INTO project VALUES (?, ?)", [(HERE, "/w/here"), (2, "/w/there"), (SECRET, "/w/secret")]
    )
    connection.execute("INSERT INTO rule VALUES ('exclude.folder', '/w/secret', '{}')")
    return connection


def test_the_condition_and_the_row_test_agree() -> None:
    connection, blank = _store(), RankRow._make([None] * len(RankRow._fields))
    values = {"now": NOW, "project": HERE}
    for names, takes_unconfirmed in ((GIVABLE, False), (("found", *GIVABLE[1:]), True)):
        found = {row[0] for row in connection.execute(f"SELECT id FROM memory WHERE {where(*names)}", values)}
        told = {
            row["id"]
            for row in _ROWS
            if may_be_given(blank._replace(**row), HERE, NOW, excluded={SECRET}, takes_unconfirmed=takes_unconfirmed)
        }
        assert found == told
        assert 0 < len(found) < len(_ROWS)


def test_what_is_withheld_is_told_nowhere() -> None:
    connection = _store()
    before = {row[0] for row in connection.execute(f"SELECT id FROM memory WHERE {where(*CURRENT)}", {"now": NOW})}
    one = min(before)
    connection.execute(
        "INSERT INTO rule VALUES ('memory.placement', '', ?)", (f'{{"memory_id": {one}, "is_withheld": true}}',)
    )
    after = connection.execute(f"SELECT id FROM memory WHERE {where(*CURRENT, 'withheld')}", {"now": NOW})
    assert {row[0] for row in after} == before - {one}
