"""The base of all tables: what would check a row is not built while the tables are read, which every start waits for."""

import pytest
from sqlmodel import SQLModel

from app.store.tables.core import JOURNALLED
from app.store.tables.types import TableRow


@pytest.mark.parametrize("name", sorted(JOURNALLED))
def test_tables_put_off_what_checks_their_rows(name: str) -> None:
    rows = {str(row.__tablename__): row for row in TableRow.__subclasses__()}
    assert rows[name].model_config.get("defer_build") is True
    assert "defer_build" not in SQLModel.model_config, "the control: the library builds at once"
