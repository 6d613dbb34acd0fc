"""Examples in, weights out: reading, determinism, corrections, the shipped file, and what may be imported when."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.deciders.conversation.intents import training
from app.deciders.conversation.intents.features import FEATURE_VERSION, feature_names, hash_feature, shape_message
from app.deciders.conversation.intents.intents import IntentRules, classify_intents
from app.deciders.conversation.intents.model import IntentModel
from app.deciders.conversation.intents.training import LabelledExample, hash_examples, load_examples, train_intent_model
from app.errors import InvalidError
from app.resources import load_rules, resource_path
from app.values import Intent
from tests.table import table

SMALL = (
    LabelledExample("draw a circle", (Intent.EXECUTE,)),
    LabelledExample("draw a square", (Intent.EXECUTE,)),
    LabelledExample("who is there", (Intent.QUESTION,)),
    LabelledExample("who is she", (Intent.QUESTION,)),
)


def best(model: IntentModel, text: str, *previous: Intent) -> Intent:
    shares = model.score(shape_message(text), previous)
    return max(shares, key=lambda intent: shares[intent])


def test_the_shipped_weights_belong_to_the_shipped_examples() -> None:
    """After changing examples run `python -m app.deciders.conversation.intents.training`."""
    model = IntentModel.load(resource_path("intents", "weights.json"))
    assert model.examples_hash == hash_examples(load_examples(resource_path("intents")))
    assert model.feature_version == FEATURE_VERSION
    assert set(model.intents) == set(Intent)


def test_the_shipped_weights_are_what_training_gives_today() -> None:
    """Catches features that changed without new weights; the last digit may differ between processors."""
    read = json.loads(resource_path("intents", "weights.json").read_text(encoding="utf-8"))["weights"]
    shipped = {int(bucket): row for bucket, row in read.items()}
    trained = train_intent_model(load_examples(resource_path("intents"))).weights
    equal = sum(
        max(abs(a - b) for a, b in zip(row, trained[bucket], strict=True)) <= 1
        for bucket, row in shipped.items()
        if bucket in trained
    )
    assert equal >= 0.99 * max(len(shipped), len(trained))


def test_every_label_has_many_examples_and_some_have_several_intents() -> None:
    examples = load_examples(resource_path("intents"))
    for intent in Intent:
        own = {example.text for example in examples if example.intents[0] is intent}
        assert len(own) >= 150, intent
    assert sum(len(example.intents) > 1 for example in examples) >= 60
    assert sum("\n" in example.text for example in examples) >= 30


def test_no_message_is_an_example_of_two_intents() -> None:
    seen: dict[tuple[str, Intent | None], Intent] = {}
    for example in load_examples(resource_path("intents")):
        key = (example.text.casefold(), example.previous)
        assert seen.setdefault(key, example.intents[0]) is example.intents[0], example.text


def test_example_files_know_comments_tags_and_continuations(tmp_path: Path) -> None:
    (tmp_path / "TEST.txt").write_text(
        "## a comment\n\nrun it\n[also EXECUTE, DOCUMENT] [after PLAN] run this:\n|\n| make check\n", encoding="utf-8"
    )
    assert load_examples(tmp_path) == (
        LabelledExample("run it", (Intent.TEST,)),
        LabelledExample("run this:\n\nmake check", (Intent.TEST, Intent.EXECUTE, Intent.DOCUMENT), Intent.PLAN),
    )


def test_an_example_file_that_starts_in_the_middle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "TEST.txt").write_text("| make check\n", encoding="utf-8")
    with pytest.raises(InvalidError, match=r"TEST\.txt"):
        load_examples(tmp_path)


def test_training_separates_and_scores_add_up_to_one() -> None:
    model = train_intent_model(SMALL)
    assert best(model, "draw a triangle") is Intent.EXECUTE
    assert best(model, "who is that") is Intent.QUESTION
    assert sum(model.score(shape_message("draw who")).values()) == pytest.approx(1.0)


def test_same_examples_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        train_intent_model(SMALL).save(tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_saved_model_reads_back_equal(tmp_path: Path) -> None:
    model = train_intent_model(SMALL)
    model.save(tmp_path / "weights.json")
    assert IntentModel.load(tmp_path / "weights.json") == model


@pytest.mark.slow  # each learns for ten seconds; tests/app/understanding/test_intent_lessons.py does it once in every run
@table(
    ("text", "wanted"),
    [
        ("how should we name it", Intent.QUESTION),
        ("let's use tabs", Intent.CORRECT),
        ("banana time", Intent.TEST),
    ],
)
def test_one_correction_changes_the_answer(text: str, wanted: Intent) -> None:
    rules = IntentRules.parse(load_rules("intents"))
    shipped = load_examples(resource_path("intents"))
    corrected = train_intent_model(shipped, (LabelledExample(text, (wanted,)),))
    before = classify_intents(text, (), rules, IntentModel.load(resource_path("intents", "weights.json")))
    assert before[0].intent is not wanted
    assert classify_intents(text, (), rules, corrected)[0].intent is wanted


def test_what_a_child_answers_is_what_is_learned_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corrections = (LabelledExample("banana time\nnow", (Intent.QUESTION, Intent.EXECUTE), Intent.QUESTION),)
    monkeypatch.setattr(training, "load_examples", lambda _folder: SMALL)
    monkeypatch.setattr("sys.argv", ["training", "-"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(training.dump_corrections(corrections))))
    training.main()
    (tmp_path / "weights.json").write_text(capsys.readouterr().out, encoding="utf-8")
    assert IntentModel.load(tmp_path / "weights.json") == train_intent_model(SMALL, corrections)


def test_corrections_change_the_hash() -> None:
    correction = LabelledExample("banana time", (Intent.QUESTION,))
    assert train_intent_model(SMALL, (correction,)).examples_hash != train_intent_model(SMALL).examples_hash


def test_what_went_before_can_be_learned() -> None:
    examples = [
        *SMALL,
        *(LabelledExample("hm ok", (Intent.EXECUTE,), Intent.PLAN) for _ in range(3)),
        *(LabelledExample("hm ok", (Intent.QUESTION,), Intent.DEBUG) for _ in range(3)),
    ]
    model = train_intent_model(examples)
    assert best(model, "hm ok", Intent.PLAN) is Intent.EXECUTE
    assert best(model, "hm ok", Intent.DEBUG) is Intent.QUESTION


def test_one_intent_alone_cannot_be_learned() -> None:
    with pytest.raises(InvalidError, match="two intents"):
        train_intent_model(SMALL[:2])


@pytest.mark.parametrize("content", ["", "[]", "{", '{"intents": ["DANCE"]}', '{"weights": 3}'])
def test_a_damaged_weights_file_is_refused_with_a_way_out(tmp_path: Path, content: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidError, match=r"weights\.json") as caught:
        IntentModel.load(path)
    assert "rebuilt" in caught.value.hint


def test_weights_of_another_feature_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    train_intent_model(SMALL).save(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f'"feature_version": {FEATURE_VERSION}', '"feature_version": 0'), encoding="utf-8")
    with pytest.raises(InvalidError, match="another version"):
        IntentModel.load(path)


def test_features_and_their_hash_are_the_same_in_every_process() -> None:
    program = (
        "from app.deciders.conversation.intents.features import *;"
        "print(sorted(hash_feature(n) for n in feature_names(shape_message('Draw a bär, then run x_y?'), ())))"
    )
    own = sorted(hash_feature(name) for name in feature_names(shape_message("Draw a bär, then run x_y?"), ()))
    for seed in ("0", "1"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3]), "PYTHONUTF8": "1"}
        ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == str(own)


def test_the_running_app_needs_no_scikit_learn_for_intents() -> None:
    program = (
        "import sys, app.deciders.conversation.intents.intents, app.deciders.conversation.intents.training, app.deciders.conversation.intents.model;"
        "print([m for m in ('sklearn', 'numpy', 'scipy') if m in sys.modules])"
    )
    env = {"PYTHONPATH": str(Path(__file__).parents[3])}
    ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
