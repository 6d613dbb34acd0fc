"""Rules that a command or an edit shows as followed, and what proves nothing."""

from app.deciders.recall.rule_following import follows_command, follows_edit
from tests.table import table


@table(
    ("rule", "command"),
    [
        ("Use pnpm for everything.", "pnpm install"),
        ("We use pnpm, not npm.", "cd web && pnpm run build"),
        ("Always run the tests with nox.", "NO_COLOR=1 nox -s unit"),
        ("Run `make release` to publish.", "make release"),
        ("Format with `ruff format` before committing.", "ruff format ."),
        ("Prefer uv over pip.", "sudo uv sync"),
        ("Never push to main. Run `git pull --rebase` first.", "git pull --rebase"),
    ],
)
def test_what_the_rule_asks_for_was_run(rule: str, command: str) -> None:
    assert follows_command(rule, command)


@table(
    ("rule", "command"),
    [
        ("We use pnpm, not npm.", "npm install"),
        ("Prefer uv over pip.", "pip install x"),
        ("Never use yarn.", "yarn add x"),
        ("Use git for everything.", "git status"),
        ("Run `make release` to publish.", "make test"),
        ("The nox folder is large.", "nox -s unit"),
        ("Use pnpm for everything.", "echo pnpm"),
        ("Use pnpm for everything.", "rm -rf pnpm-lock.yaml"),
        ("Don't run alembic by hand.", "alembic upgrade head"),
        ("Use pnpm.", "'unclosed"),
        ("Use pnpm.", ""),
    ],
)
def test_what_it_turns_down_and_what_everybody_runs_proves_nothing(rule: str, command: str) -> None:
    assert not follows_command(rule, command)


def test_what_the_person_asked_for_themselves_proves_nothing() -> None:
    assert not follows_command("Use pnpm for everything.", "pnpm install", "please run pnpm install")


@table(
    ("rule", "file", "is_followed"),
    [
        ("Migrations go into db/migrations.", "/w/shop/db/migrations/7.sql", True),
        ("Put unit tests under tests/unit/.", "tests/unit/test_rooms.py", True),
        ("Never write into db/migrations by hand.", "/w/shop/db/migrations/7.sql", False),
        ("Migrations go into db/migrations.", "/w/shop/old-db/migrations-2/7.sql", False),
        ("The api/v2 folder is slow.", "/w/shop/api/v2/rooms.py", False),
        ("Use either/or.", "/w/shop/src/rooms.py", False),
    ],
)
def test_an_edit_where_the_rule_puts_such_files(rule: str, file: str, *, is_followed: bool) -> None:
    assert follows_edit(rule, file) is is_followed
