"""What manifests declare: every kind is read, what is broken or unbounded proves nothing."""

from app.interop.manifests import ANY_MAJOR, read_majors
from tests.table import table


@table(
    ("name", "content", "majors"),
    [
        (
            "package.json",
            '{"devDependencies": {"@angular/core": "~17.1.0", "ws": "workspace:*"}}',
            {"angular": (17, 17)},
        ),
        ("package.json", '{"dependencies": {"vue": "2.x || 3.x"}}', {}),
        ("pyproject.toml", '[project]\ndependencies = ["pydantic>=2.1,<3", "rich"]', {"pydantic": (2, 2)}),
        ("pyproject.toml", '[tool.poetry.dependencies]\ndjango = {version = "^5.0"}', {"django": (5, 5)}),
        (
            "requirements.txt",
            "typing_extensions~=4.9 ; python_version < '3.12'\n-r more.txt",
            {"typing-extensions": (4, 4)},
        ),
        (
            "Cargo.toml",
            '[dependencies]\nserde = "1.0"\ntokio = { version = "1", features = [] }',
            {"serde": (1, 1), "tokio": (1, 1)},
        ),
        ("go.mod", "require (\n\tgithub.com/labstack/echo/v4 v4.11.0\n)", {"echo": (4, 4)}),
        ("requirements.txt", "flask>=2", {"flask": (2, ANY_MAJOR)}),
        ("package.json", "[1, 2", {}),
        ("package.json", "[]", {}),
        ("pyproject.toml", "project = 3", {}),
    ],
)
def test_majors_of_a_manifest(name: str, content: str, majors: dict[str, tuple[int, int]]) -> None:
    assert read_majors(name, content.encode()) == majors
