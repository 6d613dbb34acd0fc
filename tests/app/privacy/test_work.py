"""What a text may cost is bounded whatever stands in it: work is counted here, never timed."""

import random

import pytest

from app.privacy.detector import BLOCK_BYTES, START_UNITS, UNITS_PER_BYTE, Work
from app.privacy.redaction import redact
from tests.benchmarks.material.dense_texts import WORST, made_text
from tests.shipped_rules import secret_rules
from tests.table import table

pytestmark = pytest.mark.timeout(900)
RULES = secret_rules()
BLOCK_UNITS_MAX = 120_000  # what a single block may overdraw: it has begun, and is left as soon as that is seen


def allowed(byte_count: int) -> float:
    return START_UNITS + UNITS_PER_BYTE * byte_count + BLOCK_UNITS_MAX


@table("unit", WORST, ids=range(len(WORST)))
def test_work_is_linear_in_the_text_whatever_is_repeated(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    work = Work()
    redact(text, RULES, work=work)
    assert work.spent < allowed(len(text.encode()))


@table("seed", range(6))
def test_work_is_linear_in_texts_made_of_all_words_and_shapes_that_rules_ask_for(seed: int) -> None:
    text = made_text(random.Random(seed), 120_000)
    work = Work()
    redact(text, RULES, work=work)
    assert work.spent < allowed(len(text.encode()))


def test_four_times_the_text_costs_no_more_than_four_times_the_work() -> None:
    spent = []
    for count in (100, 400):
        work = Work()
        redact("password: xY7!kd" + "9Qz " * (count * BLOCK_BYTES // 4), RULES, work=work)
        spent.append(work.spent)
    assert spent[1] < 4.5 * spent[0]


def test_a_long_text_pauses_often_so_that_others_get_their_turn() -> None:
    pauses: list[int] = []
    text = "password: xY7!kd" + "9Qz "
    redact(text * (400_000 // len(text)), RULES, lambda: pauses.append(1))
    assert len(pauses) > 400_000 // BLOCK_BYTES // 2


def test_what_has_no_work_left_is_read_coarsely_and_loses_no_secret() -> None:
    """Crammed with words for secrets beyond all that people write: every value goes, and words of every day stay."""
    rng = random.Random(5)
    secrets = ["".join(rng.choices("abcdefghjkmnpqrstuvwxyz23456789", k=12)) + "7q" for _ in range(6_000)]
    text = " ".join(f"password: {one} and the key = {one[::-1]}" for one in secrets)
    kept = redact(text, RULES).text
    assert [one for one in secrets if one in kept or one[::-1] in kept] == []
    assert kept.count(" and the key ") > 5_900


def test_a_quiet_text_is_read_with_care_however_long() -> None:
    line = "We moved the upload to the new bucket and it is faster now.\n"
    text = line * 10_000 + "the passphrase is correct horse " + "battery staple."
    assert redact(text, RULES).text.endswith("the passphrase is [secret: passphrase].")
