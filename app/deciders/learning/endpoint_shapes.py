"""The endpoints of a file of code, by its syntax tree, each as the ordered parts that it has: route, validation, query, response.

Text in, values out: no file is read here and no code leaves, only names of parts from `rules/learning/code_patterns.yaml`, a path's shape and a
line. The parsers (tree-sitter, one grammar a language) load at first use, and a language without one is read as nothing. Source: S4
"Code Patterns: AST-aware, not text descriptions", issue 18.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from app.resources import load_rules, misfit

_GRAMMARS: Mapping[str, tuple[str, str]] = {
    ".py": ("tree_sitter_python", "language"),
    ".ts": ("tree_sitter_typescript", "language_typescript"),
    ".tsx": ("tree_sitter_typescript", "language_tsx"),
    ".js": ("tree_sitter_javascript", "language"),
    ".jsx": ("tree_sitter_javascript", "language"),
    ".mjs": ("tree_sitter_javascript", "language"),
    ".go": ("tree_sitter_go", "language"),
    ".java": ("tree_sitter_java", "language"),
    ".rs": ("tree_sitter_rust", "language"),
    ".cs": ("tree_sitter_c_sharp", "language"),
}
ENDINGS = frozenset(_GRAMMARS)
BYTES_MOST = 256_000
_NODES_MOST, _UNITS_MOST, _DEPTH_MOST = 60_000, 200, 200
FUNCTIONS = frozenset(
    {"function_definition", "function_declaration", "method_definition", "method_declaration", "function_item"}
    | {"arrow_function", "function_expression", "local_function_statement", "func_literal"}
)
CALLS = frozenset({"call", "call_expression", "method_invocation", "invocation_expression", "macro_invocation"})
MARKS = frozenset({"decorator", "annotation", "marker_annotation", "attribute", "attribute_item"})
_TEXTS = frozenset(
    {"string", "string_literal", "interpreted_string_literal", "template_string", "verbatim_string_literal"}
)
_CATCHES = frozenset({"except_clause", "catch_clause"})
_THROWS = frozenset({"raise_statement", "throw_statement", "throw_expression"})
_RETURNS = frozenset({"return_statement", "return_expression"})
_IMPORTS = frozenset(
    {"import_statement", "import_from_statement", "import_declaration", "use_declaration", "using_directive"}
)
_LAST = re.compile(r"(\w+)!?\s*(?:<[^<>]*>)?\s*$")
_PATH = re.compile(r"^[\"'`]?(/[^\"'`\s]*)[\"'`]?$")
_ERR_CHECK = re.compile(r"\berr(?:or)?\b\s*!=\s*nil")


class Part(NamedTuple):
    """One thing that a piece of code does: "validation", by "zod"."""

    name: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """One endpoint."""

    line: int
    parts: tuple[Part, ...]
    language: str = ""  # the file's ending

    def form_of(self, name: str) -> str | None:
        return next((one.form for one in self.parts if one.name == name), None)


@dataclass(frozen=True, slots=True, eq=False)
class ShapeRules:
    """`rules/learning/code_patterns.yaml`: sets of names, all in lower case but types."""

    names: Mapping[str, frozenset[str]]
    responses: Mapping[str, frozenset[str]]
    libraries: tuple[str, ...]
    result_types: tuple[str, ...]
    handler_types: tuple[str, ...]
    exported_methods: frozenset[str]
    asked_by: Mapping[str, tuple[str, ...]]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "ShapeRules":
        """Raises InvalidError when the mapping does not fit."""
        try:
            return cls(
                names={name: _lower(rules[name]) for name in _SETS},
                responses={str(form): _lower(names) for form, names in rules["responses"].items()},
                libraries=tuple(map(str, rules["validation_libraries"])),
                result_types=tuple(map(str, rules["result_types"])),
                handler_types=tuple(map(str, rules["handler_types"])),
                exported_methods=frozenset(map(str, rules["exported_methods"])),
                asked_by={str(kind): tuple(map(str, words)) for kind, words in rules["asked_by"].items()},
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise misfit("code_patterns", error) from error


_SETS = ("methods", "auth", "validation", "results", "query")


def _lower(names: Sequence[object]) -> frozenset[str]:
    return frozenset("true" if one is True else "false" if one is False else str(one).lower() for one in names)


@cache
def load_shape_rules() -> ShapeRules:
    return ShapeRules.parse(load_rules("code_patterns"))


@cache
def find_parser(ending: str) -> Any:
    """The parser of a language by the ending of its files; None for another one, or where its grammar is not installed."""
    if ending not in _GRAMMARS:
        return None
    module, function = _GRAMMARS[ending]
    try:
        binding, grammar = import_module("tree_sitter"), import_module(module)
    except ImportError:
        return None
    return binding.Parser(binding.Language(getattr(grammar, function)()))


def can_read(path: str) -> bool:
    """Whether the file's language is one of ours and its grammar is there."""
    return find_parser(PurePosixPath(path).suffix.lower()) is not None


def read_units(text: bytes, path: str, rules: ShapeRules | None = None) -> tuple[Unit, ...]:
    """The pieces of a file in order; none for a language that is not read. `path` only says the language."""
    ending = PurePosixPath(path).suffix.lower()
    parser = find_parser(ending)
    if parser is None or len(text) > BYTES_MOST:
        return ()
    reader = _Reader(text, ending, rules or load_shape_rules())
    return tuple(reader.read(parser.parse(text).root_node))[:_UNITS_MOST]


@dataclass(slots=True)
class _Reader:
    """Walks one file."""

    text: bytes
    ending: str
    rules: ShapeRules
    library: str = ""
    has_results: bool = False
    _seen: set[int] = field(default_factory=set)
    _left: int = _NODES_MOST

    def read(self, root: Any) -> Iterator[Unit]:
        imports = " ".join(self.source_of(one) for one in root.children if one.type in _IMPORTS).lower()
        self.library = next((one for one in self.rules.libraries if re.search(rf"\b{re.escape(one)}\b", imports)), "")
        self.has_results = any(one.encode() in self.text for one in self.rules.result_types)
        for node in self.walk(root):
            if self._is_endpoint(node) and node.id not in self._seen:
                yield Unit(node.start_point[0] + 1, self.endpoint(node), self.ending)

    def source_of(self, node: Any) -> str:
        return self.text[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def walk(self, node: Any) -> Iterator[Any]:
        """The node and what lies in it, in the order of the text."""
        stack = [(node, 0)]
        while stack and self._left > 0:
            one, depth = stack.pop()
            self._left -= 1
            yield one
            if depth < _DEPTH_MOST:
                stack.extend((child, depth + 1) for child in reversed(one.children))

    def callee(self, node: Any) -> str:
        """The last name of what is called or marked, in lower case."""
        if node.type in {"decorator", "attribute_item"}:
            inner = next((one for one in node.children if one.is_named), node)
            return self.callee(inner) if inner.type in CALLS | {"attribute"} else self._last(inner)
        named = next(
            (found for name in ("function", "name", "macro") if (found := node.child_by_field_name(name)) is not None),
            None,
        )
        if named is None:
            named = next((one for one in node.children if one.is_named), node)
        return self._last(named)

    def _last(self, node: Any) -> str:
        found = _LAST.search(self.source_of(node)[-120:])
        return found[1].lower() if found else ""

    def marks(self, node: Any) -> list[Any]:
        """Decorators, annotations and attributes of a function."""
        holders = [node.parent] if node.parent is not None and node.parent.type == "decorated_definition" else []
        holders += [one for one in node.children if one.type in {"modifiers", "attribute_list"}]
        found = [one for holder in holders for one in holder.children if one.type in MARKS]
        before = node.prev_named_sibling
        while before is not None and before.type in {"attribute_item", "decorator"}:
            found.append(before)
            before = before.prev_named_sibling
        return found

    def _is_endpoint(self, node: Any) -> bool:
        names = self.rules.names["methods"]
        if node.type in FUNCTIONS:
            named = node.child_by_field_name("name")
            marked = {self.callee(one) for one in self.marks(node)}
            return bool(marked & names) or self._is_handler(node, self.source_of(named) if named is not None else "")
        if node.type not in CALLS or self.callee(node) not in names:
            return False
        arguments = node.child_by_field_name("arguments")
        inside = [one for one in arguments.children if one.is_named] if arguments is not None else []
        inside = [one.children[0] if one.type == "argument" and one.children else one for one in inside]
        is_path = bool(inside) and inside[0].type in _TEXTS and _PATH.match(self.source_of(inside[0])) is not None
        return is_path and len(inside) > 1

    def _is_handler(self, node: Any, name: str) -> bool:
        if self.ending in {".ts", ".js", ".tsx"} and name in self.rules.exported_methods:
            return True
        parameters = node.child_by_field_name("parameters")
        source_text = self.source_of(parameters) if self.ending == ".go" and parameters is not None else ""
        return any(one in source_text for one in self.rules.handler_types) and node.type != "func_literal"

    def walk_own(self, node: Any) -> list[Any]:
        """What lies in a piece; what lies in it is no piece of its own."""
        found = []
        for one in self.walk(node):
            if one is not node and one.type in FUNCTIONS | CALLS:
                self._seen.add(one.id)
            found.append(one)
        return found

    # parts of a piece, by its kind --------------------------------------------------------------

    def endpoint(self, node: Any) -> tuple[Part, ...]:
        found: dict[str, str] = {"route": self._route(node)}
        names = self.rules.names
        marked = [self.callee(one) for one in self.marks(node)]
        if any(one in names["auth"] for one in marked):
            found["auth"] = "auth"
        if self._checks_types(node):
            found["validation"] = self.library or "types"
        for one in self.walk_own(node):
            if one.type in CALLS | MARKS and one is not node:
                self._note_call(found, self.callee(one), one)
            elif way := self._handling(one):
                found.setdefault("error_handling", way)
        source_text = self.source_of(node) if self.has_results else ""
        if found.get("error_handling") not in {"try", "err check"} and any(
            one in source_text for one in self.rules.result_types
        ):
            found["error_handling"] = "result"
        if "response" not in found and self.ending == ".py" and self._returns_mapping(node):
            found["response"] = "json"
        return tuple(Part(name, form) for name, form in found.items())

    def _handling(self, node: Any) -> str:
        """How this node handles an error; "" where it does not."""
        if node.type == "if_statement" and self.ending == ".go":
            return "err check" if _ERR_CHECK.search(self.source_of(node)[:200]) else ""
        ways = {**dict.fromkeys(_CATCHES, "try"), **dict.fromkeys(_THROWS, "raise"), "try_expression": "result"}
        return ways.get(node.type, "")

    def _note_call(self, found: dict[str, str], name: str, node: Any) -> None:
        names = self.rules.names
        if name in names["validation"] and not _is_json_parse(self.source_of(node)):
            form = self.library or "validate"
            found["validation"] = form if found.get("validation") in {None, "types"} else found["validation"]
            if name.startswith("safeparse"):
                found.setdefault("error_handling", "result")
        elif name in names["auth"]:
            found.setdefault("auth", "auth")
        elif (
            name in names["results"]
            and self.ending in {".ts", ".tsx", ".rs"}
            and name in {"ok", "err", "success", "failure"}
        ):
            found["error_handling"] = "result"
        form = next((form for form, listed in self.rules.responses.items() if name in listed and form != "error"), "")
        if form and not (name == "json" and b"await" in self.text[max(0, node.start_byte - 8) : node.start_byte]):
            found.pop("response", None)  # the last one counts: it comes after what is queried
            found["response"] = form
        elif name in names["query"]:
            found.setdefault("query", "query")

    def _route(self, node: Any) -> str:
        """The path that it answers, with its parameters as slots; "" where it does not say."""
        holders = self.marks(node) if node.type in FUNCTIONS else [node]
        for holder in holders:
            for one in self.walk(holder):
                path = _PATH.match(self.source_of(one)) if one.type in _TEXTS else None
                if path:
                    return re.sub(r":(\w+)|<(?:\w+:)?(\w+)>|\{(\w+)[^}]*\}", "{id}", path[1])
                if one.type in FUNCTIONS:
                    break
        return ""

    def _checks_types(self, node: Any) -> bool:
        """Whether a parameter is of a type that checks itself: of pydantic, of serde."""
        parameters = node.child_by_field_name("parameters")
        source_text = self.source_of(parameters) if parameters is not None else ""
        if self.ending == ".py":
            own = re.findall(r":\s*([A-Z]\w+)", source_text)
            return any(
                one not in {"Request", "Response", "Session", "AsyncSession", "Annotated", "Depends"} for one in own
            )
        return self.ending == ".rs" and "Json<" in source_text

    def _returns_mapping(self, node: Any) -> bool:
        returned = [one for one in self.walk(node) if one.type in _RETURNS]
        return any(
            child.type in {"dictionary", "list_comprehension", "list"} for one in returned for child in one.children
        )


def _is_json_parse(source_text: str) -> bool:
    return source_text.startswith(("JSON.parse", "json."))
