"""Tokens: the shipped ranks are tiktoken's own, and no text makes counting stall, fail or ask the network."""

import inspect
import random
import subprocess
import sys
import threading
from binascii import a2b_base64
from functools import cache
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public as published
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import EnvironmentProblem, InvalidError
from app.language import token_counts as tokens
from app.language.byte_pairs import _SHORT_BYTES
from app.language.token_counts import (
    ENCODINGS,
    PIECE_CHARS,
    count_tokens,
    encode,
    find_token,
    warm,
)
from tests.table import table

TEXTS = {
    "prose": "The exporter writes one CSV file per month and never overwrites an older one.",
    "code": "for row in rows:\n    if row.is_stale():\n        drop(row)  # twice a day\n",
    "path": "see packages/web/src/components/InvoiceTable.tsx:148 and ~/.config/tool.toml",
    "german": "Die Rechnung darf nicht länger als dreißig Tage offen bleiben.",
    "camel": "parseHTTPResponseHeaders(rawBytes, maxLineLength=8192)",
}


@table("name", ENCODINGS)
def test_hash_and_pattern_are_those_that_tiktoken_expects(name: str) -> None:
    source = inspect.getsource(getattr(published, name))
    assert tokens._RECIPES[name].sha256 in source
    assert tokens._RECIPES[name].pattern.split("|[^")[0] in source


@table(
    ("text", "expected"), [("", 0), ("hello world", 2), ("tiktoken is great!", 6), ("antidisestablishmentarianism", 6)]
)
def test_counts_known_from_outside(text: str, expected: int) -> None:
    assert count_tokens(text, "cl100k_base") == expected


@cache
def theirs(name: str) -> tiktoken.Encoding:
    """tiktoken's own, over the very file that we ship."""
    lines = tokens._read_ranks(name, tokens._RECIPES[name]).split()[::2]
    ranks = {a2b_base64(one): number for number, one in enumerate(lines)}
    return tiktoken.Encoding(name, pat_str=tokens._RECIPES[name].pattern, mergeable_ranks=ranks, special_tokens={})


@table("name", ENCODINGS)
def test_a_text_in_tokens_is_the_text_again(name: str) -> None:
    text = "\n".join(TEXTS.values())
    tokens_of_text = encode(text, name)
    assert theirs(name).decode(tokens_of_text) == text
    assert count_tokens(text, name) == len(tokens_of_text)


@table("name", ENCODINGS)
def test_our_own_files_come_to_the_tokens_of_tiktoken(name: str) -> None:
    for path in sorted(Path(tokens.__file__).parents[1].rglob("*.py"))[::8]:
        text = path.read_text(encoding="utf-8")[:PIECE_CHARS]
        assert encode(text, name) == theirs(name).encode_ordinary(text)


@pytest.mark.parametrize("name", ENCODINGS)
@settings(max_examples=400, deadline=None)
@given(
    text=st.one_of(
        st.text(max_size=300),
        st.text(st.characters(max_codepoint=127), max_size=300),
        st.text("aeiou '\n.()=_09éß語ﬀ\U0001f600", max_size=300),
    )
)
def test_any_text_comes_to_the_tokens_of_tiktoken(name: str, text: str) -> None:
    assert encode(text, name) == theirs(name).encode_ordinary(text)
    assert count_tokens(text, name) == len(encode(text, name))


@settings(max_examples=200, deadline=None)
@given(data=st.binary(min_size=1, max_size=_SHORT_BYTES))
def test_the_two_ways_to_merge_agree(data: bytes) -> None:
    vocabulary = tokens._load("o200k_base")
    assert list(vocabulary._merge_long(data)) == vocabulary._merge_short(data)


@table(("text", "is_one"), [(" the", True), (" PostgreSQL", False), ("", False)])
def test_a_word_is_one_token_or_none_is_told(text: str, is_one: bool) -> None:
    assert (find_token(text) is not None) is is_one
    if is_one:
        assert encode(text) == [find_token(text)]


@table("size", [65, 3_000, PIECE_CHARS])
@table("alphabet", ["ab", "abcdefghijklmnopqrstuvwxyz", "aéz"])
def test_a_word_without_end_is_counted(alphabet: str, size: int) -> None:
    text = "".join(random.Random(size).choices(alphabet, k=size))
    assert count_tokens(text) == len(encode(text))
    assert encode(text) == theirs("o200k_base").encode_ordinary(text)


def test_counting_loads_nothing_that_asks_the_network() -> None:
    code = (
        "import sys; from app.language.token_counts import count_tokens; count_tokens('—'); "
        "print(sorted({'requests', 'urllib3', 'tiktoken'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_encoding_names_the_known_ones() -> None:
    with pytest.raises(InvalidError) as caught:
        count_tokens("text", "p50k_base")
    assert "o200k_base" in caught.value.hint


def test_a_long_text_counts_as_its_lines_do() -> None:
    line = TEXTS["prose"]
    many = 4 * PIECE_CHARS // len(line)
    whole = "\n".join([line] * many)
    assert len(whole) > 3 * PIECE_CHARS
    assert count_tokens(whole) == len(encode(whole))


@table("sign", ["a", " ", "=", "\n", "é", "語", "\U0001f600", "\u0300"])
def test_a_million_equal_signs_are_counted(sign: str) -> None:
    assert 0 < count_tokens(sign * 1_000_000) <= 3 * 1_000_000


def test_lone_surrogates_are_counted() -> None:
    assert count_tokens("broken \ud800 text") > 2


def test_several_threads_share_one_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    def build(name: str, recipe: tokens._Recipe) -> object:
        built.append(name)
        return object()

    monkeypatch.setattr(tokens, "_LOADED", {})
    monkeypatch.setattr(tokens, "_build", build)
    threads = [threading.Thread(target=warm) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == ["o200k_base"]
    assert list(tokens._LOADED) == ["o200k_base"]


@pytest.mark.parametrize("damage", ["missing", "not xz", "other ranks"])
def test_damaged_ranks_are_refused_with_a_next_step(
    damage: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lzma

    path = Path(str(tmp_path)) / "ranks.xz"
    if damage == "not xz":
        path.write_bytes(b"nothing")
    elif damage == "other ranks":
        path.write_bytes(lzma.compress(b"IQ== 0\n"))
    monkeypatch.setattr(tokens, "resource_path", lambda *parts: path)
    with pytest.raises(EnvironmentProblem) as caught:
        tokens._read_ranks("o200k_base", tokens._RECIPES["o200k_base"])
    assert caught.value.hint


def test_the_ranks_are_held_once() -> None:
    """tiktoken holds every token three times: 45 MB, a fifth of the whole engine."""
    script = (
        "from pathlib import Path; from app.language import token_counts; import app.language.byte_pairs; "
        "held = lambda: int(Path('/proc/self/statm').read_text().split()[1]) * 4096; before = held(); "
        "token_counts.warm(); print(held() - before, token_counts.count_tokens('We use PostgreSQL.'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    held_bytes, count = map(int, done.stdout.split())
    assert held_bytes < 25_000_000  # what is read and let go again may stay with the allocator
    assert count == 5
