"""A person's own rule files are laid over the shipped ones, or refused with the file and the place named."""

from pathlib import Path

import pytest
import yaml

from app.errors import InvalidError
from app.resources import load_rules, misfit, shipped_rules


def own(folder: Path, text: str, name: str = "outcomes") -> Path:
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_without_an_own_file_the_shipped_rules_hold(tmp_path: Path) -> None:
    assert load_rules("outcomes", tmp_path) == load_rules("outcomes")


def test_own_entries_come_after_the_shipped_ones(tmp_path: Path) -> None:
    rules = load_rules("outcomes", own(tmp_path, "completed: [the eagle has landed]"))
    assert rules["completed"] == [*load_rules("outcomes")["completed"], "the eagle has landed"]
    assert rules["abandoned"] == load_rules("outcomes")["abandoned"]


def test_entries_are_taken_out_by_name(tmp_path: Path) -> None:
    rules = load_rules("outcomes", own(tmp_path, "remove_completed: [perfect, never heard of]"))
    assert "perfect" in load_rules("outcomes")["completed"]
    assert set(load_rules("outcomes")["completed"]) - set(rules["completed"]) == {"perfect"}


def test_mappings_are_merged_key_by_key(tmp_path: Path) -> None:
    shipped = load_rules("boundary")["thresholds"]
    rules = load_rules("boundary", own(tmp_path, "thresholds: {long_gap_minutes: 90}", "boundary"))
    assert rules["thresholds"] == shipped | {"long_gap_minutes": 90}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("outcomes", "completed: [a, b", "cannot be read"),
        ("outcomes", "- completed", "must hold a mapping at its top level"),
        ("outcomes", "completed: done", "“completed” must be a list"),
        ("outcomes", "remove_completed: perfect", "“remove_completed” must be a list"),
        ("boundary", "thresholds: [1, 2]", "“thresholds” must be a mapping"),
        ("boundary", "cues: {reply: mine}", "“reply” must be a list"),
    ],
)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(InvalidError, match=said) as refused:
        load_rules(name, own(tmp_path, text, name))
    assert str(tmp_path / f"{name}.yaml") in str(refused.value)
    assert refused.value.hint


def test_a_missing_name_is_said_in_words() -> None:
    assert (
        str(misfit("titles", KeyError("lead_ins"))) == "The rule file titles.yaml is not right: there is no 'lead_ins'."
    )


def _truth_values(value: object, place: str) -> list[str]:
    if isinstance(value, dict):
        return [found for name, one in value.items() for found in _truth_values(one, f"{place} › {name}")]
    if isinstance(value, list):
        own = [place] if any(isinstance(one, bool) for one in value) else []
        return own + [found for one in value for found in _truth_values(one, place)]
    return []


def test_no_list_of_words_holds_a_truth_value() -> None:
    """YAML reads a bare no, on or off as one: the word is never found then."""
    files = sorted(shipped_rules().values())
    assert files
    read = {one.name: yaml.safe_load(one.read_text(encoding="utf-8")) for one in files}
    assert [found for name, value in read.items() for found in _truth_values(value, name)] == []
