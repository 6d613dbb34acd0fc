"""README and help pages against the program: commands, keys, links, settings and folders that they name exist."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from app.cli.commands import build_commands
from app.resources import load_rules, resource_path
from app.settings import Settings
from ui.actions.table import ACTIONS
from ui.screens.help.pages import HELP_PAGES
from ui.screens.registry import SCREENS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in resource_path("help").glob("*.md")}


@pytest.mark.seed("S1", "road.docs")
def test_every_help_page_is_reachable_and_every_listed_one_is_there() -> None:
    assert set(PAGES) | {"shortcuts"} == {page.id for page in HELP_PAGES}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_of_help_lead_somewhere(page: str) -> None:
    screens = {screen.id for screen in SCREENS}
    options = " ".join(
        f"{name} {info.title} {info.description}".lower() for name, info in Settings.model_fields.items()
    )
    for link in re.findall(r"\]\(([^)]+)\)", PAGES[page]):
        parts = urlsplit(link)
        if parts.scheme == "help":
            assert parts.path in {found.id for found in HELP_PAGES}, link
            continue
        assert parts.scheme == "remanence", link
        assert parts.netloc in screens, link
        asked = parse_qs(parts.query).get("q", [""])[0]
        assert asked in {"secrets", "places", "failed", "statistics"} or asked in options, link


@pytest.mark.parametrize("page", sorted(PAGES))
def test_keys_of_help_exist(page: str) -> None:
    known = {key for spec in ACTIONS for key in spec.shortcuts}
    named = re.findall(r"\*\*((?:Ctrl\+|Shift\+|Alt\+)*(?:[A-Z]|F\d+|\?))\*\*|\((Ctrl\+\w)\)", PAGES[page])
    assert {one or other for one, other in named} <= known


def test_commands_of_the_readme_exist() -> None:
    known = set(build_commands().commands)
    named = re.findall(r"`remanence ([a-z]+)", README)
    assert len(named) > 4
    assert set(named) <= known


def test_folders_and_files_of_the_readme_exist() -> None:
    named = re.findall(r"(?<![\w/<.])((?:app|ui|resources|packaging)/[\w./-]+)", README)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_words_lists_can_be_laid_over_as_the_readme_says(tmp_path: Path) -> None:
    (tmp_path / "sessions.yaml").write_text("resume_phrases: [on we go]\nremove_resume_phrases: [resume]\n")
    phrases = load_rules("sessions", tmp_path)["resume_phrases"]
    assert "on we go" in phrases
    assert "resume" not in phrases
