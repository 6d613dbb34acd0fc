"""Settings: the order of their places, what is refused and how it is said, and the file that is written."""

import re
from pathlib import Path

import pytest

from app.api import Engine
from app.errors import InvalidError
from app.settings import Settings
from app.settings_sources import check_setting, describe_change, describe_settings, load_settings, save_setting


def test_flags_win_over_environment_over_file_over_default(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("queue_size = 5\nport = 9000\nundo_days = 3\n", encoding="utf-8")
    loaded = load_settings(path, {"REMANENCE_QUEUE_SIZE": "6", "REMANENCE_PORT": "9001"}, {"queue_size": 7})
    got = loaded.settings
    assert (got.queue_size, got.port, got.undo_days) == (7, 9001, 3)
    assert got.max_attempts == Settings().max_attempts
    assert loaded.set_by == {"queue_size": "flag", "port": "environment", "undo_days": "file"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("queue_size = 1000", "queue_size in .*config.toml has the value 1000"),
        ("queue_size = 'many'", "queue_size in .*config.toml has the value 'many'"),
        ("queue_sise = 5", "no setting called 'queue_sise' in .*config.toml.*queue_size"),
        ("queue_size = ", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_left_out_and_said_with_name_value_and_place(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    loaded = load_settings(path, {})
    assert re.search(said, loaded.notice)
    assert loaded.settings == Settings()


def test_an_environment_that_is_wrong_names_its_variable(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="REMANENCE_PORT has the value '80'"):
        load_settings(tmp_path / "none.toml", {"REMANENCE_PORT": "80"})


def test_what_is_saved_is_read_back_and_taken_out_again(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    for name, value in (("theme", "dark"), ("is_redacting", False), ("ask_below", 0.75), ("queue_size", 9)):
        save_setting(path, name, value)
    loaded = load_settings(path, {})
    assert (loaded.settings.theme, loaded.settings.is_redacting) == ("dark", False)
    assert (loaded.settings.ask_below, loaded.settings.queue_size) == (0.75, 9)
    assert path.stat().st_mode & 0o777 == 0o600
    save_setting(path, "theme", None)
    assert set(load_settings(path, {}).set_by) == {"is_redacting", "ask_below", "queue_size"}


def test_a_change_is_checked_before_it_is_made() -> None:
    assert check_setting("queue_size", 30, Settings()).queue_size == 30
    with pytest.raises(InvalidError, match="queue_size has the value 2"):
        check_setting("queue_size", 2, Settings())
    with pytest.raises(InvalidError, match="no setting called 'colour'"):
        check_setting("colour", "red", Settings())


def test_every_option_says_what_it_does_and_in_which_unit(tmp_path: Path) -> None:
    cards = describe_settings(load_settings(tmp_path / "none.toml", {}))
    assert [card.name for card in cards] == list(Settings.model_fields)
    for card in cards:
        assert card.title, card.name
        assert card.text.endswith("."), card.name
        if card.kind in {"int", "float"}:
            assert card.minimum is not None, card.name
            assert card.maximum is not None, card.name
            assert isinstance(card.default, int | float), card.name
            assert card.minimum <= card.default <= card.maximum, card.name


def test_every_switch_but_the_apps_own_notes_has_a_sentence_for_on_and_for_off(tmp_path: Path) -> None:
    for card in describe_settings(load_settings(tmp_path / "none.toml", {})):
        said = [
            describe_change(card.name, value) for value in ((True, False) if card.kind == "bool" else (card.default,))
        ]
        if card.is_internal:
            assert said == ["", ""]
        else:
            assert all(said), card.name
            assert len(set(said)) == len(said), card.name
            assert not any("True" in one or "False" in one for one in said), card.name


def test_what_the_app_notes_for_itself_is_kept_but_is_no_act_of_the_person(engine: Engine) -> None:
    engine.settings.set("theme", "dark")
    engine.settings.set("first_start_done", value=True)
    assert engine.settings.current.first_start_done
    assert [one.label for one in engine.journal.list()] == ["Theme: Dark"]
    engine.journal.undo()
    assert engine.settings.current.theme == "system"
    assert engine.settings.current.first_start_done
    engine.settings.set("is_redacting", value=False)
    engine.settings.reset("is_redacting")
    assert engine.journal.undo_label() == "Secrets are removed before anything is written, the default"
