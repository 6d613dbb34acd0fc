"""Code patterns: what most pieces of a kind in a project are made of, with a template, a trigger and a hint of a few tokens.

Pure. A part belongs to the pattern where most pieces have it, in the order in which it usually comes. Three pieces make one, in two
files. Holds names of parts, the shape of a path, and examples as path and line: no code. Source: S4 "Code Patterns", issue 18.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from statistics import median

from app.deciders.learning.code_shapes import COMPONENT, ENDPOINT, ERRORS, TEST, Unit

_LEAST_UNITS, _LEAST_FILES = 3, 2
_MOST_HAVE = 0.6  # of the pieces have a part that belongs to the pattern
_ONE_FORM = 0.5  # of these do it in one way, or the way is left open
_EXAMPLES = 3
_FORMS = {  # of a part as the template says it
    "route": "{route}", "zod": "zod_schema", "pydantic": "pydantic_model", "types": "typed_parameters", "result": "typed_result",
    "try": "try_catch", "err check": "err_check", "raise": "raised_error", "json": "json_envelope", "html": "template", "query": "query",
}  # fmt: skip
_PART_WORDS = {"error_handling": "errors", "err check": "err", "throw": "rethrow"}


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of code and the file that it lies in, as seen from the project."""

    path: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class CodePattern:
    """What recurs."""

    kind: str
    language: str
    template: Mapping[str, str]
    hint: str
    times: int
    examples: tuple[str, ...]  # path:line

    @property
    def id(self) -> str:
        """As the seed names it.

        >>> CodePattern("endpoint", ".ts", {}, "", 3, ()).id
        'pat_endpoint_ts'
        """
        return f"pat_{self.kind.replace(' ', '_')}_{self.language.lstrip('.')}"

    @property
    def trigger(self) -> str:
        """
        >>> CodePattern("endpoint", ".ts", {}, "", 3, ()).trigger
        'new_endpoint'
        """
        return f"new_{self.kind.replace(' ', '_')}"


def mine_patterns(found: Iterable[Found]) -> tuple[CodePattern, ...]:
    """One for each kind and language that recurs, the most frequent first.

    >>> from app.deciders.learning.code_shapes import Part
    >>> parts = (Part("route", "/api/orders"), Part("validation", "zod"), Part("error_handling", "result"), Part("response", "json"))
    >>> pieces = [Found(f"src/{name}.ts", Unit("endpoint", 3, parts, ".ts")) for name in ("orders", "users", "items")]
    >>> [(one.hint, one.template["validation"], one.examples[0]) for one in mine_patterns(pieces)]
    [('endpoint: route→zod→result→json', 'zod_schema', 'src/items.ts:3')]
    """
    groups: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for one in found:
        groups[one.unit.kind, _family(one.unit.language)].append(one)
    made = [
        pattern
        for (kind, language), listed in groups.items()
        if len(listed) >= _LEAST_UNITS and len({one.path for one in listed}) >= _LEAST_FILES
        if (pattern := _pattern(kind, language, listed)) is not None
    ]
    return tuple(sorted(made, key=lambda one: (-one.times, one.id)))


def _family(ending: str) -> str:
    return {".tsx": ".ts", ".jsx": ".js", ".mjs": ".js"}.get(ending, ending)


def _pattern(kind: str, language: str, listed: Sequence[Found]) -> CodePattern | None:
    parts = _usual_parts([one.unit for one in listed])
    if not _says_something(kind, parts):
        return None
    showing = [one for one in listed if {part.name for part in one.unit.parts} >= parts.keys()]
    if len(showing) < _LEAST_UNITS:
        return None
    template = {name: _content(name, form, listed) for name, form in parts.items()}
    if kind == TEST:
        template["file"] = _file_shape([one.path for one in showing])
    steps = "→".join(_word(name, form) for name, form in parts.items())
    examples = [f"{one.path}:{one.unit.line}" for one in sorted(showing, key=lambda one: (one.path, one.unit.line))]
    return CodePattern(kind, language, template, f"{kind}: {steps}", len(showing), _spread(examples))


def _says_something(kind: str, parts: Mapping[str, str]) -> bool:
    """Whether it is more than what all such pieces have: an endpoint has a route, an error is caught."""
    if kind == ERRORS:
        return not {"log", "notify", "throw"}.isdisjoint(parts)
    return len(parts) >= (3 if kind == ENDPOINT else 2)


def _usual_parts(units: Sequence[Unit]) -> dict[str, str]:
    """The parts that most have, in their usual order, each with the form that it usually has; "" where there are several."""
    count: Counter[str] = Counter(part.name for one in units for part in one.parts)
    places: dict[str, list[int]] = defaultdict(list)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for one in units:
        for place, part in enumerate(one.parts):
            places[part.name].append(place)
            forms[part.name][part.form] += 1
    usual = [name for name, times in count.items() if times >= _MOST_HAVE * len(units)]
    usual.sort(key=lambda name: (median(places[name]), name))
    found = {}
    for name in usual:
        form, times = forms[name].most_common(1)[0]
        found[name] = form if times >= _ONE_FORM * count[name] else ""
    return found


def _content(name: str, form: str, listed: Sequence[Found]) -> str:
    if name == "route":
        routes = [said for one in listed if (said := one.unit.form_of("route"))]
        return f"{{method}} {_common_route(routes)}"
    return _FORMS.get(form, form or "{any}")


def _common_route(routes: Sequence[str]) -> str:
    """What paths begin with alike, then a slot.

    >>> _common_route(["/api/orders", "/api/users/{id}"]), _common_route(["/a", "/b"]), _common_route([])
    ('/api/{resource}', '/{resource}', '/{resource}')
    """
    split = [one.strip("/").split("/") for one in routes]
    common: list[str] = []
    for parts in zip(*split, strict=False):
        if len(set(parts)) > 1 or "{" in parts[0]:
            break
        common.append(parts[0])
    if split and any(len(one) == len(common) for one in split):
        common = common[:-1]
    return "/" + "/".join([*common, "{resource}"])


def _word(name: str, form: str) -> str:
    word = name if name in {"route", "query", "auth"} or not form else form
    return _PART_WORDS.get(word, word.split(".")[0])


def _file_shape(paths: Sequence[str]) -> str:
    """Where such files lie: the folder that most are in, and how they are named.

    >>> _file_shape(["tests/app/test_cart.py", "tests/app/test_order.py"]), _file_shape(["src/cart.test.ts", "src/order.test.ts"])
    ('tests/…/test_{name}.py', 'src/…/{name}.test.ts')
    """
    top = Counter(PurePosixPath(one).parts[0] if len(PurePosixPath(one).parts) > 1 else "" for one in paths)
    names = Counter(_name_shape(PurePosixPath(one).name) for one in paths)
    folder = top.most_common(1)[0][0]
    name = names.most_common(1)[0][0]
    return f"{folder}/…/{name}" if folder else name


def _name_shape(name: str) -> str:
    stem, dot, ending = name.partition(".")
    for before, after in (("test_", ""), ("", "_test"), ("", "Tests"), ("", "Test")):
        if stem.startswith(before) and stem.endswith(after) and len(stem) > len(before + after) > 0:
            return f"{before}{{name}}{after}{dot}{ending}"
    return f"{{name}}{dot}{ending}"


def _spread(examples: Sequence[str]) -> tuple[str, ...]:
    """A few, of different files."""
    by_file: dict[str, str] = {}
    for one in examples:
        by_file.setdefault(one.rsplit(":", 1)[0], one)
    return tuple(list(by_file.values())[:_EXAMPLES])


_WORDED = {
    ENDPOINT: "An endpoint here",
    TEST: "A test here",
    COMPONENT: "A component here",
    ERRORS: "An error is handled here so",
}


def word_pattern(pattern: CodePattern) -> str:
    """The pattern as a sentence.

    >>> word_pattern(CodePattern("endpoint", ".ts", {"route": "{method} /api/{resource}", "validation": "zod_schema"}, "", 3, ("src/a.ts:3",)))
    'An endpoint here (.ts): route {method} /api/{resource}, validation zod_schema. As in src/a.ts:3.'
    """
    parts = ", ".join(
        f"{name.replace('_', ' ')} {content}" if content != name else name for name, content in pattern.template.items()
    )
    seen = f" As in {', '.join(pattern.examples)}." if pattern.examples else ""
    return f"{_WORDED.get(pattern.kind, pattern.kind)} ({pattern.language}): {parts}.{seen}"
