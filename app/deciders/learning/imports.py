"""Which files of a project a file of code names in its imports, by its syntax tree.

Text and a way to list folders in, paths out: nothing of the code is kept. A name is looked for beside the file and in each folder above it, so no
build file has to be read; what lies outside the project is found nowhere. A language without a grammar is read as nothing. Source: S4
"Predictive Context Engine", issue 18.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from app.deciders.learning.endpoint_shapes import BYTES_MOST, find_parser

ListFolder = Callable[[str], frozenset[str]]
"""The names of the files in a folder of the project, "" being its root; none for one that is not there."""

_DEPTH_MOST, _NODES_MOST, _NAMES_MOST, _PACKAGE_MOST = 4, 5_000, 200, 12
_SCRIPT = (".ts", ".tsx", ".js", ".jsx", ".mjs", "/index.ts", "/index.tsx", "/index.js")
_ENDINGS: dict[str, tuple[str, ...]] = {
    ".py": (".py", "/__init__.py"),
    ".java": (".java",),
    ".rs": (".rs", "/mod.rs"),
    **dict.fromkeys((".ts", ".tsx", ".js", ".jsx", ".mjs"), ("", *_SCRIPT)),
}
_GROUP = re.compile(r"^(.*?)\{(.*)\}$", re.DOTALL)


def find_imports(text: bytes, path: str, list_folder: ListFolder) -> frozenset[str]:
    """The files of the project that the file at `path` (as seen from the project) imports.

    >>> folders = {"": frozenset(), "shop": frozenset({"cart.py", "price.py"})}
    >>> find_imports(b"import os\\nfrom shop.price import net\\n", "shop/cart.py", lambda folder: folders.get(folder, frozenset()))
    frozenset({'shop/price.py'})
    """
    ending = PurePosixPath(path).suffix.lower()
    parser = find_parser(ending)
    if parser is None or len(text) > BYTES_MOST:
        return frozenset()
    names = list(dict.fromkeys(_read_names(parser.parse(text).root_node, ending)))[:_NAMES_MOST]
    found = {one for name in names for one in _resolve(name, path, ending, list_folder)}
    return frozenset(found - {path})


def _read_names(root: Any, ending: str) -> Iterator[str]:
    """What is imported, with slashes: "./price" beside the file, "shop/price" from some folder above it."""
    stack, left = [(root, 0)], _NODES_MOST
    while stack and left:
        node, depth = stack.pop()
        left -= 1
        names = list(_names_of(node, ending))
        yield from names
        if not names and depth < _DEPTH_MOST:
            stack.extend((one, depth + 1) for one in reversed(node.named_children))


def _names_of(node: Any, ending: str) -> Iterator[str]:
    if ending == ".py":
        yield from _python_names(node)
    elif ending == ".java" and node.type == "import_declaration":
        yield _text_of(node).removeprefix("import").strip().removeprefix("static ").strip(" ;").replace(".", "/")
    elif ending == ".go" and node.type == "import_spec":
        yield _text_of(node.child_by_field_name("path")).strip('"`')
    elif ending == ".rs" and node.type == "use_declaration":
        yield from _rust_names(_text_of(node.child_by_field_name("argument")))
    elif ending == ".rs" and node.type == "mod_item" and node.child_by_field_name("body") is None:
        yield f"./{_text_of(node.child_by_field_name('name'))}"
    elif node.type in {"import_statement", "export_statement", "call_expression"}:
        yield from _script_names(node)


def _python_names(node: Any) -> Iterator[str]:
    if node.type == "import_statement":
        for one in node.children_by_field_name("name"):
            yield _text_of(one).split(" as ")[0].strip().replace(".", "/")
    elif node.type == "import_from_statement":
        module = _text_of(node.child_by_field_name("module_name"))
        plain = module.lstrip(".")
        dots = len(module) - len(plain)
        base = {0: "", 1: "./"}.get(dots, "../" * (dots - 1)) + plain.replace(".", "/")
        listed = [_text_of(one).split(" as ")[0].strip() for one in node.children_by_field_name("name")]
        for name in listed or [""]:
            yield f"{base.rstrip('/')}/{name}".rstrip("/")


def _script_names(node: Any) -> Iterator[str]:
    source = node.child_by_field_name("source")
    if node.type == "call_expression" and _text_of(node.child_by_field_name("function")) in {"require", "import"}:
        source = next(iter(node.child_by_field_name("arguments").named_children), None)
    if source is not None and source.type == "string":
        name = _text_of(source).strip("\"'")
        yield re.sub(r"^[@~]/", "", re.sub(r"\.[mc]?js$", "", name))


def _rust_names(source_text: str) -> Iterator[str]:
    found = _GROUP.match(source_text)
    each = [f"{found[1]}{one.strip()}" for one in found[2].split(",")] if found else [source_text]
    for one in each:
        yield re.sub(r"^(?:crate|self|super)/", "", one.split(" as ")[0].split("{")[0].strip(": ").replace("::", "/"))


def _text_of(node: Any) -> str:
    return node.text.decode("utf-8", "replace") if node is not None else ""


def _resolve(name: str, path: str, ending: str, list_folder: ListFolder) -> Sequence[str]:
    """The files that a name stands for; the last words of it may be names inside of a file."""
    folder = PurePosixPath(path).parent
    if name.startswith("."):
        return _match(normpath(f"{folder}/{name}"), ending, list_folder, least=1)
    parts = name.split("/")
    above = [folder, *folder.parents]
    bases = [*above, *(one / "src" for one in above)] if ending in _ENDINGS[".ts"] else above
    for base in bases:
        first = len(parts) - 1 if ending == ".go" else 0  # a module's own address comes before its folders
        for start in range(first + 1):
            root = "" if str(base) == "." else f"{base}/"
            if found := _match(root + "/".join(parts[start:]), ending, list_folder, least=root.count("/") + 1):
                return found
    return ()


def _match(wanted: str, ending: str, list_folder: ListFolder, *, least: int) -> Sequence[str]:
    """Files by the longest beginning of the wanted path that is one, not shorter than `least` parts."""
    if wanted.startswith("..") or not wanted:
        return ()
    if ending == ".go":
        names = sorted(one for one in list_folder(wanted) if one.endswith(".go") and not one.endswith("_test.go"))
        return [f"{wanted}/{one}" for one in names[:_PACKAGE_MOST]]
    parts = wanted.split("/")
    for count in range(len(parts), least - 1, -1):
        stem = "/".join(parts[:count])
        for after in _ENDINGS.get(ending, ()):
            folder, _, name = f"{stem}{after}".rpartition("/")
            if name in list_folder(folder):
                return [f"{stem}{after}"]
        if ending in _SCRIPT:
            return ()  # a path of a script is whole
    return ()
