"""Which names a file of code defines and uses, by its syntax tree: what it derives from, is marked with, takes and calls.

Text in, names out: no file is read here and no code leaves. Which of the names are the project's own is for `own_names`, over all of
its files: a name that one file defines at its top, or a method of two words and more, where the using file can see that file. Source:
issue 18 "Code patterns".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from app.deciders.learning.endpoint_shapes import BYTES_MOST, CALLS, FUNCTIONS, MARKS, find_parser
from app.deciders.learning.imports import ListFolder, find_imports

_TYPES = frozenset(
    {"class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration", "type_spec", "struct_item"}
    | {"trait_item", "enum_item", "record_declaration", "enum_declaration", "type_alias_declaration"}
)  # fmt: skip
_MAKES = CALLS | {"new_expression", "object_creation_expression"}
_INNER = frozenset({"func_literal", "arrow_function", "lambda", "function_expression"})
_BASES = frozenset({"superclass", "super_interfaces", "base_list", "class_heritage"})
_BASE_LISTS = frozenset({"extends_clause", "implements_clause", "type_list", "interface_type_list"})
_IMPORTS = frozenset(
    {"import_statement", "import_from_statement", "import_declaration", "use_declaration", "using_directive"}
)
_PACKAGE = frozenset({".go", ".java", ".rs", ".cs"})  # files of a folder see each other
ENTRIES = frozenset({"__init__", "index", "mod"})  # what is imported of a folder stands for what lies in it
_NODES_MOST, _DEPTH_MOST, _IMPORT_DEPTH, _NAME_CHARS = 60_000, 200, 4, 60
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_CALLED = re.compile(r"(?:([\w$]+)(?:\(\))?\s*(?:\.|::|\?\.)\s*)?([A-Za-z_$][\w$]*)!?$")
_NAMESPACE = re.compile(r"\*\s+as\s+([A-Za-z_$][\w$]*)")
_HEAD_BYTES = 2_000
_GENERATED = re.compile(  # as generators say it above what nobody writes by hand
    rb"@generated\b|\bcode generated\b|\bauto(?:matically)?[ -]?generated\b|\bdo not (?:edit|modify)\b", re.IGNORECASE
)
_SELF = frozenset({"", "self", "this", "cls"})
_EXPRESSION, _MACRO = "()", "!"  # what a call is made on that has no name; a macro, which is no function of its name


class Role(StrEnum):
    """What a file does with a name."""

    DERIVES = "derives from"
    MARKED = "marked with"
    TAKES = "takes"
    CALLS = "calls"


class Use(NamedTuple):
    """One name in its role, and what it is called on: `ui` in `ui.print_()`, "" where nothing is."""

    role: Role
    owner: str
    name: str


class Own(NamedTuple):
    """A name of the project and the file that defines it."""

    name: str
    home: str


@dataclass(frozen=True, slots=True, eq=False)
class FileNames:
    """The names of one file, in the order of its text."""

    path: str
    defined: tuple[str, ...] = ()  # at the top
    methods: tuple[str, ...] = ()
    uses: Mapping[Use, int] = field(default_factory=dict)  # the line of the first
    bound: frozenset[str] = frozenset()  # what its imports name
    imports: frozenset[str] = frozenset()  # files of the project
    families: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()  # of each class: its bases, its methods
    is_generated: bool = False  # by a program, which says so at the top


def split_name(name: str) -> list[str]:
    """
    >>> split_name("BeetsPlugin"), split_name("open_repository"), split_name("HTTPError")
    (['beets', 'plugin'], ['open', 'repository'], ['http', 'error'])
    """
    return [one.lower() for one in _WORD.findall(name)]


def read_names(text: bytes, path: str, list_folder: ListFolder) -> FileNames | None:
    """None for a language that is not read. `path` as seen from the project."""
    ending = PurePosixPath(path).suffix.lower()
    parser = find_parser(ending)
    if parser is None or len(text) > BYTES_MOST:
        return None
    reader = _Reader(text, ending)
    root = parser.parse(text).root_node
    reader.read(root)
    spaces = reader.namespaces(root)
    return FileNames(
        path=path,
        defined=tuple(reader.defined),
        methods=tuple(reader.methods),
        uses={one: line for one, line in reader.uses.items() if one.owner or one.name not in spaces},
        bound=frozenset(reader.bound(root)),
        imports=find_imports(text, path, list_folder),
        families=tuple((frozenset(bases), frozenset(methods)) for bases, methods in reader.families),
        is_generated=bool(_GENERATED.search(text[:_HEAD_BYTES])),
    )


class _Place(NamedTuple):
    """Where the walk is: how deep, in which class, in how many functions."""

    depth: int = 0
    family: tuple[set[str], set[str]] | None = None
    functions: int = 0


@dataclass(slots=True)
class _Reader:
    text: bytes
    ending: str
    defined: dict[str, None] = field(default_factory=dict)
    methods: dict[str, None] = field(default_factory=dict)
    uses: dict[Use, int] = field(default_factory=dict)
    families: list[tuple[set[str], set[str]]] = field(default_factory=list)

    def read(self, root: Any) -> None:
        stack, left = [(root, _Place())], _NODES_MOST
        while stack and left:
            node, place = stack.pop()
            left -= 1
            inside = self._note(node, place)
            if place.depth < _DEPTH_MOST:
                stack.extend((one, inside._replace(depth=place.depth + 1)) for one in reversed(node.children))

    def _note(self, node: Any, place: _Place) -> _Place:
        """Takes down what the node says; what holds for what lies in it comes back."""
        kind = node.type
        if kind in _TYPES:
            return place._replace(family=self._note_type(node, place))
        if kind in FUNCTIONS - _INNER:
            self._note_function(node, place)
            return place._replace(functions=place.functions + 1)
        if kind == "variable_declarator" and not place.functions and place.family is None:
            self._note_variable(node)
        elif kind in MARKS and (kind != "attribute" or self.ending == ".cs"):  # of Python it is a.b
            self._use(Role.MARKED, node)
        elif kind in _MAKES:
            self._use(Role.CALLS, node)
        return place._replace(functions=place.functions + (kind in _INNER))

    def _note_type(self, node: Any, place: _Place) -> tuple[set[str], set[str]]:
        if not place.functions and place.family is None:
            self.defined.setdefault(self._text_of(node.child_by_field_name("name")))
        bases = set()
        for one in self._bases(node):
            owner, name = _called(self._text_of(one))
            if name:
                bases.add(name)
                self.uses.setdefault(Use(Role.DERIVES, owner, name), node.start_point[0] + 1)
        family = (bases, set[str]())
        self.families.append(family)
        return family

    def _bases(self, node: Any) -> Iterator[Any]:
        above = node.child_by_field_name("superclasses")
        for holder in [*([above] if above is not None else []), *(one for one in node.children if one.type in _BASES)]:
            for one in holder.named_children:
                if one.type in _BASE_LISTS:
                    yield from (each for each in one.named_children if each.type != "type_arguments")
                elif one.type != "keyword_argument":
                    yield one

    def _note_function(self, node: Any, place: _Place) -> None:
        name = self._text_of(node.child_by_field_name("name"))
        if not place.functions:
            if place.family is not None or node.type in {"method_declaration", "method_definition"}:
                self.methods.setdefault(name)
                if place.family is not None:
                    place.family[1].add(name)
            else:
                self.defined.setdefault(name)
        taken = node.child_by_field_name("parameters") if self.ending == ".py" and name.startswith("test_") else None
        for one in taken.named_children if taken is not None else ():
            plain = _PLAIN.match(self._text_of(one))
            if plain and plain[0] not in _SELF:
                self.uses.setdefault(Use(Role.TAKES, "", plain[0]), node.start_point[0] + 1)

    def _note_variable(self, node: Any) -> None:
        name, value = self._text_of(node.child_by_field_name("name")), node.child_by_field_name("value")
        if value is not None and _PLAIN.fullmatch(name) and not self._text_of(value).startswith(("require", "await")):
            self.defined.setdefault(name)

    def _use(self, role: Role, node: Any) -> None:
        owner, name = self._callee(node)
        line = node.start_point[0] + 1
        if name:
            self.uses.setdefault(Use(role, owner, name), line)
        if owner[:1].isupper():  # Orders.find() uses Orders
            self.uses.setdefault(Use(role, "", owner), line)

    def _callee(self, node: Any) -> tuple[str, str]:
        if node.type in MARKS:
            inner = next((one for one in node.children if one.is_named), None)
            if inner is None:
                return "", ""
            return self._callee(inner) if inner.type in CALLS else _called(self._text_of(inner))
        if node.type == "method_invocation":
            owner = _called(self._text_of(node.child_by_field_name("object")))[1]
            return owner, self._text_of(node.child_by_field_name("name"))
        names = ("function", "constructor", "type", "macro")
        named = next((one for name in names if (one := node.child_by_field_name(name)) is not None), None)
        owner, name = _called(self._text_of(named))
        return (_MACRO if node.type == "macro_invocation" else owner), name

    def bound(self, root: Any) -> Iterator[str]:
        """What imports make known here: names, aliases, and of Go the last part of a path."""
        stack = [(root, 0)]
        while stack:
            node, depth = stack.pop()
            source_text = self._text_of(node) if node.type in _IMPORTS else ""
            if node.type == "variable_declarator" and "require(" in self._text_of(node)[:300]:
                source_text = self._text_of(node)
            if source_text:
                yield from _PLAIN.findall(re.sub(r"[\"'`][^\"'`]*[\"'`]", " ", source_text))
                if self.ending == ".go":
                    yield from (one.rsplit("/", 1)[-1] for one in re.findall(r'"([^"]*)"', source_text))
            elif depth < _IMPORT_DEPTH:
                stack.extend((one, depth + 1) for one in node.named_children)

    def namespaces(self, root: Any) -> frozenset[str]:
        """Names that stand for a whole file ("import * as Orders"): what is called on them is used, not they."""
        imports = (one for one in root.named_children if one.type == "import_statement")
        return frozenset(name for one in imports for name in _NAMESPACE.findall(self._text_of(one)))

    def _text_of(self, node: Any) -> str:
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""


def _called(source_text: str) -> tuple[str, str]:
    """What it is called on, and the name.

    >>> _called("ui.commands.run"), _called("Base<T>"), _called("(x)"), _called("made(1).build")
    (('commands', 'run'), ('', 'Base'), ('', ''), ('()', 'build'))
    """
    text = re.sub(r"<[^<>]*>$", "", source_text.strip())[-160:]
    found = _CALLED.search(text)
    if not found or len(found[2]) > _NAME_CHARS:
        return "", ""
    is_on_expression = not found[1] and text[: found.start()].rstrip().endswith((".", "::"))
    return (_EXPRESSION if is_on_expression else found[1] or ""), found[2]


def own_names(files: Iterable[FileNames]) -> Mapping[str, Mapping[Own, Use]]:
    """By file the project's own names that it uses from other files, in the order of its text, each with its first use.

    >>> helper = FileNames("tests/made.py", ("make_shop",))
    >>> test = FileNames("tests/test_a.py", (), (), {Use(Role.CALLS, "", "make_shop"): 3, Use(Role.CALLS, "", "len"): 4}, frozenset(), frozenset({"tests/made.py"}))
    >>> [one.name for one in own_names([helper, test])["tests/test_a.py"]]
    ['make_shop']
    """
    known = list(files)
    tops, methods = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for one in known:
        for name in one.defined:
            tops[name].add(one.path)
        for name in one.methods:
            methods[name].add(one.path)
    found: dict[str, dict[Own, Use]] = {}
    for one in known:
        own = found.setdefault(one.path, {})
        for use in one.uses:
            home = _home(one, use, tops.get(use.name, set()), methods.get(use.name, set()))
            if home:
                own.setdefault(Own(use.name, home), use)
    return found


def _home(one: FileNames, use: Use, tops: set[str], methods: set[str]) -> str:
    """The file that the name is from; "" where that is not sure."""
    if len(use.name) < 2 or use.name.startswith("__"):
        return ""
    seen = [home for home in tops if home != one.path and _sees(one, home)]
    if len(seen) == 1:
        home = PurePosixPath(seen[0])
        if use.owner in _SELF or _is_of(use.owner, home, one):
            return seen[0]
    is_method = use.role is Role.CALLS and use.owner != _MACRO
    if is_method and len(methods) == 1 and len(split_name(use.name)) > 1:
        of_method = next(iter(methods))
        return of_method if of_method != one.path and _sees(one, of_method) else ""
    return ""


def _is_of(owner: str, home: PurePosixPath, one: FileNames) -> bool:
    """Whether what a name is called on is the file, its folder, or another name that an import gives it."""
    if home.suffix in _PACKAGE and home.parent == PurePosixPath(one.path).parent:
        return owner == home.stem  # of one's own package nothing is called on
    names = {home.stem, home.parent.name}
    return owner in names or (owner in one.bound and names.isdisjoint(one.bound))


def _sees(one: FileNames, home: str) -> bool:
    """Whether the file imports the other, lies in one package with it, or is given its fixtures."""
    if home in one.imports:
        return True
    there, here = PurePosixPath(home), PurePosixPath(one.path)
    if there.suffix in _PACKAGE and there.parent == here.parent:
        return True
    if there.name == "conftest.py" and there.parent in here.parents:
        return True
    entries = (PurePosixPath(each) for each in one.imports)
    return any(each.stem in ENTRIES and each.parent in there.parents for each in entries)
