"""Shapes by syntax tree: six languages, four kinds; what is no pattern; no word of the code comes out."""

from collections.abc import Callable

import pytest

from app.deciders.learning.code_patterns import CodePattern, Found, mine_patterns, word_pattern
from app.deciders.learning.code_shapes import BYTES_MOST, Unit, can_read, read_units
from app.deciders.memory.levels.compress import compress
from app.language.token_counts import count_tokens
from app.values import MemoryKind
from tests.app.deciders import code_samples as samples

pytest.importorskip("tree_sitter")
NAMES = ("order", "user", "item")


def mined(
    sample: Callable[[str], str], ending: str, *, before: str = "", names: tuple[str, ...] = NAMES
) -> dict[str, CodePattern]:
    found = []
    for name in names:
        path = f"src/api/{before}{name}{ending}"
        if not can_read(path):
            pytest.skip(f"no grammar for {ending}")
        found += [Found(path, unit) for unit in read_units(sample(name).encode(), path)]
    return {one.kind: one for one in mine_patterns(found)}


@pytest.mark.seed("S4", "pattern.ast", "phase.c.ast")
@pytest.mark.parametrize(
    ("sample", "ending", "hint"),
    [
        (samples.zod, ".ts", "endpoint: route→zod→result→query→json"),
        (samples.fastapi, ".py", "endpoint: route→pydantic→query→try→json"),
        (samples.gin, ".go", "endpoint: route→err→query→json"),
        (samples.spring, ".java", "endpoint: route→jakarta→query→json"),
        (samples.actix, ".rs", "endpoint: route→types→result→query→json"),
        (samples.aspnet, ".cs", "endpoint: route→validate→query→json→try"),
    ],
)
def test_endpoints_of_six_languages(sample: Callable[[str], str], ending: str, hint: str) -> None:
    pattern = mined(sample, ending)["endpoint"]
    assert (pattern.hint, pattern.trigger) == (hint, "new_endpoint")
    assert pattern.times >= 3
    assert all(one.startswith("src/api/") and one.rpartition(":")[2].isdigit() for one in pattern.examples)


def test_the_template_says_the_route_with_a_slot() -> None:
    template = mined(samples.zod, ".ts")["endpoint"].template
    assert template["route"] == "{method} /api/{resource}"
    assert (template["validation"], template["error_handling"]) == ("zod_schema", "typed_result")
    assert template["response"] == "json_envelope"


def test_tests_components_and_error_handling() -> None:
    test = mined(samples.pytest_file, ".py", before="test_")["test"]
    assert test.hint == "test: fixtures→act→assert"
    assert test.template["file"] == "src/…/test_{name}.py"
    assert mined(samples.vitest_file, ".ts")["test"].hint == "test: act→expect"
    assert mined(samples.component, ".tsx")["component"].hint == "component: props→state→effect→jsx"
    assert mined(samples.fastapi, ".py")["error handling"].hint == "error handling: catch→log→rethrow"


def test_two_pieces_or_one_file_are_no_pattern() -> None:
    assert mined(samples.fastapi, ".py", names=NAMES[:2]) == {}
    units = [unit for name in NAMES for unit in read_units(samples.zod(name).encode(), "a.ts")]
    assert mine_patterns([Found("src/a.ts", unit) for unit in units]) == ()


def test_pieces_that_have_little_in_common_are_none() -> None:
    catch = "try {{ a(); }} catch (e) {{ return null; }} // {0}\n".format
    units = [Found(f"{name}.ts", unit) for name in NAMES for unit in read_units(catch(name).encode(), "a.ts")]
    assert len(units) == 3
    assert mine_patterns(units) == ()
    lone = [Found(f"{name}.ts", Unit("endpoint", 1, (), ".ts")) for name in NAMES]
    assert mine_patterns(lone) == ()


def test_no_word_of_the_code_comes_out() -> None:
    code = 'import { z } from "zod";\nrouter.post("/api/payroll", async (req, res) => { const geheim = Zbigniew.parse(req.body); res.json(geheim); });\n'
    found = [Found(f"src/{name}.ts", unit) for name in NAMES for unit in read_units(code.encode(), "a.ts")]
    (pattern,) = mine_patterns(found)
    told = f"{pattern} {word_pattern(pattern)}".lower()
    assert "geheim" not in told
    assert "zbigniew" not in told
    assert "payroll" not in told


@pytest.mark.parametrize(
    "text", [b"", b"\xff\xfe\x00", b"def (:::", b"((((" * 5_000, b"x" * (BYTES_MOST + 1), b"{" * 100_000], ids=len
)
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.go", "a.unknown", ""])
def test_hostile_files_are_read_as_what_they_are(text: bytes, path: str) -> None:
    assert isinstance(read_units(text, path), tuple)


@pytest.mark.seed("S4", "pattern.template", "compress.pattern")
def test_the_seeds_printed_pattern_has_its_printed_hint() -> None:
    details = {
        "id": "pat_api_endpoint",
        "trigger": "new_endpoint",
        "template": {
            "route": "{method} /api/{resource}",
            "validation": "zod_schema",
            "error_handling": "typed_result",
            "response": "json_envelope",
        },
        "hint": "endpoint: route→zod→result→json",
    }
    template = details["template"]
    assert isinstance(template, dict)
    text = word_pattern(CodePattern("endpoint", ".ts", template, "", 3, ("src/api/orders.ts:12", "src/api/users.ts:9")))
    levels = compress(text, kind=MemoryKind.PATTERN, title="Api endpoint", details=details)
    assert levels.compressed.text == "endpoint: route→zod→result→json"
    assert count_tokens(levels.compressed.text) <= 10, "6 in the seed's counting, which counts no arrows"
    assert "zod_schema" in levels.summary.text
    assert levels.index.text == "api_endpoint"
