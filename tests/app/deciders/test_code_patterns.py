"""Patterns by syntax tree: endpoints of six languages, own helpers, files that come together; what is no pattern; no word of the code comes out."""

from collections.abc import Callable

import pytest

from app.deciders.learning.code_names import FileNames, read_names
from app.deciders.learning.code_patterns import CodePattern, Found, mine_patterns, word_pattern
from app.deciders.learning.endpoint_shapes import BYTES_MOST, Unit, can_read, read_units
from app.deciders.memory.levels.compress import compress
from app.language.token_counts import count_tokens
from app.values import MemoryKind
from tests.app.deciders import code_samples as samples
from tests.table import table

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
@table(
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


def read(files: dict[str, str]) -> list[FileNames]:
    """The names in files of a project, as the step reads them."""

    def list_folder(folder: str) -> frozenset[str]:
        return frozenset(path.rpartition("/")[2] for path in files if path.rpartition("/")[0] == folder)

    found = [read_names(text.encode(), path, list_folder) for path, text in files.items()]
    return [one for one in found if one is not None]


TESTS = {f"tests/test_{name}.py": samples.pytest_file(name) for name in NAMES}


def test_the_projects_own_helpers_are_named_with_their_home_and_the_rest_is_not() -> None:
    others = {f"shop/{name}.py": "def total(order): return len(order)\n" for name in NAMES}
    (pattern,) = mine_patterns((), read({"tests/helper.py": samples.HELPER, **TESTS, **others}))
    assert pattern.template == {
        "file": "tests/test_{name}.py",
        "derives from": "ShopCase (tests/helper.py)",
        "takes": "shop (tests/helper.py)",
        "calls": "make_order (tests/helper.py) → pay_with (tests/helper.py)",
    }, "what is tested, what Python has and what a file has for itself say nothing"
    assert (pattern.trigger, pattern.times) == ("new_test", 3)
    assert pattern.hint == "test: ShopCase→shop→make_order", "three names at most: the text names all"
    assert "tests/test_order.py:5" in pattern.examples
    assert "visa" not in str(pattern)


def test_fixtures_of_a_conftest_are_own_names() -> None:
    text = "def test_{0}(shop):\n    assert shop.{0}\n"
    files = {f"tests/api/test_{name}.py": text.format(name) for name in (*NAMES, "cart")}
    (pattern,) = mine_patterns((), read({"tests/conftest.py": samples.HELPER, **files}))
    assert pattern.template["takes"] == "shop (tests/conftest.py)"


def test_what_everybody_does_is_no_pattern() -> None:
    files = {f"tests/test_{name}.py": samples.plain_test(name) for name in NAMES}
    go = {f"shop/{name}{end}.go": "package shop\n" for name in NAMES for end in ("", "_test")}
    java = {f"src/{part}/java/{name}{end}.java": "" for name in NAMES for part, end in (("main", ""), ("test", "Test"))}
    built = {f"src/{name}{end}": "" for name in NAMES for end in (".ts", ".js", ".test.ts")}
    for each in (files, go, java, built):
        assert mine_patterns((), read(each), list(each)) == ()


def test_what_a_build_leaves_beside_its_source_and_one_common_call_are_no_pattern() -> None:
    ends = (".py", ".cpython-311-x86_64-linux-gnu.so")
    built = {f"src/part{number}{end}": "" for number in range(12) for end in ends}
    assert mine_patterns((), read({one: "" for one in built if one.endswith(".py")}), list(built)) == ()
    call = "from shop.log import note_line\nnote_line()\n"
    files = {f"api/{name}.py": call for name in (*NAMES, "cart")}
    others = {f"jobs/{name}.py": "" for name in (*NAMES, "cart")}
    assert mine_patterns((), read({"shop/log.py": "def note_line(): ...\n", **files, **others})) == ()


def test_a_helper_that_is_used_everywhere_belongs_to_no_place() -> None:
    call = "from shop.log import note_line\nnote_line()\n"
    files = {f"{folder}/{name}.py": call for folder in ("api", "jobs", "pages") for name in (*NAMES, "cart")}
    assert mine_patterns((), read({"shop/log.py": "def note_line(): ...\n", **files})) == ()


def test_files_that_come_together_are_told_in_the_order_of_their_layers() -> None:
    names = (*NAMES, "cart")
    files = {f"app/routes/{name}.py": f"from app.stores.{name} import load\n" for name in names}
    files |= {f"app/stores/{name}.py": "def load(): ...\n" for name in names}
    files |= {f"tests/{folder}/test_{name}.py": "" for folder in ("routes", "stores") for name in names}
    found = {one.kind: one.template for one in mine_patterns((), read(files), list(files))}
    assert found == {
        "route": {"file": "app/routes/{name}.py", "with it": "app/stores/{name}.py"},
        "test": {"file": "tests/…/test_{name}.py", "tests": "app/…/{name}.py"},
    }


def test_a_test_beside_what_it_tests_is_not_said_to_test_something_else() -> None:
    names = (*NAMES, "cart")
    ends = ("models/{}.go", "models/{}_test.go", "mails/{}.go")
    files = {f"shop/{end.format(name)}": "package x\n" for name in names for end in ends}
    assert not [one for one in mine_patterns((), read(files), list(files)) if one.kind == "test"]


def test_files_of_one_name_in_two_folders_are_told_apart_in_the_hint() -> None:
    names = (*NAMES, "cart")
    files = {f"app/{part}/views/{name}.py": "" for part in ("web", "api") for name in names}
    files |= {f"app/web/views/{name}.py": f"from app.api.views.{name} import load\n" for name in names}
    files |= {f"app/api/views/{name}.py": "def load(): ...\n" for name in names}
    (pattern,) = mine_patterns((), read(files), list(files))
    assert pattern.hint == "view: web/…/{name}.py→api/…/{name}.py"


def test_a_call_on_a_value_and_a_macro_are_no_functions_of_their_name() -> None:
    """`build()` of a value that was just made, and `format!`, where the project has functions called so."""
    if not can_read("a.rs"):
        pytest.skip("no grammar for .rs")
    call = 'use crate::made;\nfn run() { let a = made::new(1).build(); let b = format!("x"); }\n'
    files = {f"src/jobs/{name}.rs": call for name in (*NAMES, "cart")}
    files |= {"src/jobs/tree.rs": "pub fn build() {}\npub fn format() {}\n"}
    assert not [one for one in mine_patterns((), read(files), list(files)) if "calls" in one.template]


def test_a_file_is_called_by_what_it_is_for_and_not_by_an_error_that_it_also_holds() -> None:
    names = (*NAMES, "cart")
    own = "from shop.errors import ShopError\nclass {0}Failed(ShopError): ...\n" + "".join(
        f"def step{number}(): ...\n" for number in range(4)
    )
    files = {f"shop/actions/{name}.py": own.format(name.title()) for name in names}
    found = mine_patterns((), read({"shop/errors.py": "class ShopError(Exception): ...\n", **files}))
    assert {one.kind for one in found} <= {"action"}
    alone = {f"shop/faults/{name}.py": own.split("def", 1)[0].format(name.title()) for name in names}
    (pattern,) = mine_patterns((), read({"shop/errors.py": "class ShopError(Exception): ...\n", **alone}))
    assert pattern.kind == "error"


def test_what_a_program_wrote_is_no_pattern() -> None:
    names = (*NAMES, "cart", "price")
    listed = {f"app/plugins/{name}.py": "" for name in names}
    hub = "".join(f"import app.plugins.{name}\n" for name in names)
    listed["app/known.py"] = f"# Code generated by plugmaker. DO NOT EDIT.\n{hub}"
    assert mine_patterns((), read(listed), list(listed)) == ()
    go = {f"shop/{part}/{name}.go": "package x\n" for name in names * 2 for part in ("a",)}
    go |= {f"shop/a/{name}.pb.go": "package x\n" for name in names}
    assert mine_patterns((), read(go), list(go)) == ()


def test_a_namespace_is_not_called() -> None:
    if not can_read("a.ts"):
        pytest.skip("no grammar for .ts")
    call = 'import * as Checks from "../Checks"\nexport const run = (a: any) => Checks.hasOwner(a)\n'
    files = {f"src/jobs/{name}.ts": call for name in (*NAMES, "cart")}
    files["src/Checks.ts"] = "export interface Checks { a: string }\nexport const hasOwner = (a: any) => true\n"
    files |= {f"src/pages/{name}.ts": "export const a = 1\n" for name in (*NAMES, "cart", "price")}
    assert not [one for one in mine_patterns((), read(files), list(files)) if "Checks (" in str(one.template)]


def test_folders_with_the_same_files_and_a_file_that_lists_others() -> None:
    folders = {f"app/screens/{name}/{part}.py": "" for name in NAMES for part in ("panel", "model")}
    (pattern,) = mine_patterns((), (), list(folders))
    assert pattern.template == {"folder": "app/screens/{name}", "has": "model.py, panel.py"}
    names = (*NAMES, "cart", "price")
    listed = {f"app/plugins/{name}.py": "" for name in names}
    listed["app/known.py"] = "".join(f"import app.plugins.{name}\n" for name in names)
    (pattern,) = mine_patterns((), read(listed), list(listed))
    assert pattern.template == {"file": "app/plugins/{name}.py", "named in": "app/known.py"}
    assert pattern.hint == "plugin: add to known.py"
    listed["app/plugins/__init__.py"] = listed.pop("app/known.py")
    (pattern,) = mine_patterns((), read(listed), list(listed))
    assert pattern.hint == "plugin: add to plugins/__init__.py"


def test_two_pieces_or_one_file_are_no_pattern() -> None:
    assert mined(samples.fastapi, ".py", names=NAMES[:2]) == {}
    units = [unit for name in NAMES for unit in read_units(samples.zod(name).encode(), "a.ts")]
    assert mine_patterns([Found("src/a.ts", unit) for unit in units]) == ()


def test_pieces_that_have_little_in_common_are_none() -> None:
    assert mine_patterns([Found(f"{name}.ts", Unit(1, (), ".ts")) for name in NAMES]) == ()


def test_no_word_of_the_code_comes_out() -> None:
    code = 'import { z } from "zod";\nrouter.post("/api/payroll", async (req, res) => { const geheim = Zbigniew.parse(req.body); res.json(geheim); });\n'
    found = [Found(f"src/{name}.ts", unit) for name in NAMES for unit in read_units(code.encode(), "a.ts")]
    names = read({f"src/{name}.ts": code for name in NAMES})
    (pattern,) = mine_patterns(found, names, [one.path for one in names])
    told = f"{pattern} {word_pattern(pattern)}".lower()
    assert "geheim" not in told
    assert "zbigniew" not in told
    assert "payroll" not in told


@table("text", [b"", b"\xff\xfe\x00", b"def (:::", b"((((" * 5_000, b"x" * (BYTES_MOST + 1), b"{" * 100_000], ids=len)
@table("path", ["a.py", "a.ts", "a.go", "a.unknown", ""])
def test_hostile_files_are_read_as_what_they_are(text: bytes, path: str) -> None:
    assert isinstance(read_units(text, path), tuple)
    names = read_names(text, path, lambda _: frozenset())
    assert isinstance(mine_patterns((), [names] if names else []), tuple)


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
