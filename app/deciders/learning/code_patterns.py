"""Code patterns: what somebody who is new to a project has to know before adding a file to it, as template, trigger and hint.

Pure. Four kinds: how an endpoint is built; which of the project's own helpers files of a place use; which files come together for one
thing; which file names all files of a folder. Each is shown by three files, holds for most of its place and is rarer elsewhere; what is so
everywhere (a test acts and asserts, a Go test lies beside its file) is none. Holds names, paths and lines: no code. Source: S4 "Code
Patterns", issue 18.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from pathlib import PurePosixPath
from statistics import median
from typing import NamedTuple

from app.deciders.learning.code_names import ENTRIES, FileNames, Own, Role, Use, own_names, split_name
from app.deciders.learning.endpoint_shapes import ENDINGS, Unit

_LEAST_UNITS, _LEAST_FILES = 3, 2
_LEAST_SHOWING = 3  # files
_MOST_HAVE = 0.6  # of the pieces or files have what belongs to the pattern
_ONE_FORM = 0.5  # of these do it in one way, or the way is left open
_RARER = 2.0  # so many times as often here as in other files of the language
_ONE_NAME_HAVE, _ONE_NAME_FILES = 0.75, 4  # a single name says little: it must be surer
_NAMES_MOST, _HOOKS_MOST, _EXAMPLES, _KEPT_MOST = 5, 4, 3, 12
_MOSTLY = 0.4  # of what a file defines at its top
_ALIKE = 0.6  # of its names stand in a weightier pattern: one is enough
_LISTED_LEAST, _LISTED_HAVE, _LISTED_ELSEWHERE = 5, 0.8, 2
_OF_ONE_THING_MOST = 12  # more files of one name are a common name
_CLIQUE_MOST = 5
_LINKED = 0.3  # of the things have a file that imports another of its files: these are layers
_LEAST_LINKED, _LEAST_UNLINKED = 4, 8  # things
_FORMS = {  # of a part as the template says it
    "route": "{route}", "zod": "zod_schema", "pydantic": "pydantic_model", "types": "typed_parameters", "result": "typed_result",
    "try": "try_catch", "err check": "err_check", "raise": "raised_error", "json": "json_envelope", "html": "template", "query": "query",
}  # fmt: skip
_PART_WORDS = {"error_handling": "errors", "err check": "err"}
_TEST_AFFIXES = (("test_", ""), ("", "_test"), ("", ".test"), ("", ".spec"), ("", "Tests"), ("", "Test"), ("", "_spec"))
_OF_TESTS = re.compile(r"test|spec|fixture|mock|factor|helper|support|util", re.IGNORECASE)
_NO_THINGS = frozenset(
    {"__init__", "index", "mod", "main", "README", "package", "setup", "conftest", "doc", "util", "utils", "types"}
)
_NO_HOOKS = ("__", "test", "constructor", "setUp", "tearDown", "setup", "teardown")
_NO_KINDS = frozenset({"base", "mixin", "abstract", "case", "interface"})
_FOREIGN = frozenset(
    {"vendor", "_vendor", "vendored", "third_party", "node_modules", "externals", "generated", "dist", "build"}
)
_BUILT = frozenset({".so", ".pyd", ".dll", ".dylib", ".o", ".a", ".pyc", ".class", ".map"})
_GENERATED = re.compile(r"\.(?:pb|g|gen|generated)\.\w+$|_pb2(?:_grpc)?\.pyi?$|_gen\.go$|(?:^|/)zz_generated")
_SCRIPTS = frozenset({".js", ".ts", ".mjs", ".jsx", ".tsx"})


_HINT_NAMES = 3  # of a hint: it is one short line, the text names all
_OPEN_FOLDER = "…"  # of a general shape: any folder


@dataclass(frozen=True, slots=True)
class Found:
    """An endpoint and the file that it lies in, as seen from the project."""

    path: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class CodePattern:
    """What recurs. `place` tells patterns of one kind apart, "" for endpoints."""

    kind: str
    language: str
    template: Mapping[str, str]
    hint: str
    times: int
    examples: tuple[str, ...]  # path:line, or a path
    place: str = ""

    @property
    def id(self) -> str:
        """As the seed names it.

        >>> CodePattern("endpoint", ".ts", {}, "", 3, ()).id, CodePattern("test", ".py", {}, "", 3, (), "tests/api").id
        ('pat_endpoint_ts', 'pat_test_py_tests_api')
        """
        place = re.sub(r"\W+", "_", self.place).strip("_")
        return "_".join(["pat", self.kind.replace(" ", "_"), self.language.lstrip("."), *([place] if place else [])])

    @property
    def trigger(self) -> str:
        """
        >>> CodePattern("endpoint", ".ts", {}, "", 3, ()).trigger
        'new_endpoint'
        """
        return f"new_{self.kind.replace(' ', '_')}"


def mine_patterns(
    found: Iterable[Found], files: Iterable[FileNames] = (), listed: Collection[str] = ()
) -> tuple[CodePattern, ...]:
    """The endpoints, then the weightiest of the others, at most twelve. `listed`: all files of the folders that were read.

    >>> from app.deciders.learning.endpoint_shapes import Part
    >>> parts = (Part("route", "/api/orders"), Part("validation", "zod"), Part("error_handling", "result"), Part("response", "json"))
    >>> pieces = [Found(f"src/{name}.ts", Unit(3, parts, ".ts")) for name in ("orders", "users", "items")]
    >>> [(one.hint, one.template["validation"], one.examples[0]) for one in mine_patterns(pieces)]
    [('endpoint: route→zod→result→json', 'zod_schema', 'src/items.ts:3')]
    """
    groups: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        groups[_family(one.unit.language)].append(one)
    endpoints = [
        pattern
        for language, pieces in groups.items()
        if len(pieces) >= _LEAST_UNITS and len({one.path for one in pieces}) >= _LEAST_FILES
        if (pattern := _endpoint(language, pieces)) is not None
    ]
    known = list(files)
    generated = {one.path for one in known if one.is_generated}
    read = {one.path: one for one in known if _is_written(one.path, generated)}
    written = (one for one in listed if PurePosixPath(one).suffix not in _BUILT and _is_written(one, generated))
    paths = list(written)
    others = [*_mine_helpers(read), *_mine_companions(read, paths), *_mine_lists(read, paths)]
    weighty = sorted(others, key=lambda one: (-one.times, one.id))
    return (*sorted(endpoints, key=lambda one: (-one.times, one.id)), *weighty[:_KEPT_MOST])


def _is_written(path: str, generated: Collection[str]) -> bool:
    """Whether people of this project write it: it is not of others, and no program makes it."""
    is_foreign = not _FOREIGN.isdisjoint(PurePosixPath(path).parts)
    return not (is_foreign or path in generated or _GENERATED.search(path))


def _family(ending: str) -> str:
    return {".tsx": ".ts", ".jsx": ".js", ".mjs": ".js"}.get(ending, ending)


# endpoints ------------------------------------------------------------------------------------


def _endpoint(language: str, pieces: Sequence[Found]) -> CodePattern | None:
    parts = _usual_parts([one.unit for one in pieces])
    showing = [one for one in pieces if {part.name for part in one.unit.parts} >= parts.keys()]
    if len(parts) < 3 or len(showing) < _LEAST_UNITS:
        return None
    template = {name: _content(name, form, pieces) for name, form in parts.items()}
    steps = "→".join(_word(name, form) for name, form in parts.items())
    examples = [f"{one.path}:{one.unit.line}" for one in sorted(showing, key=lambda one: (one.path, one.unit.line))]
    return CodePattern("endpoint", language, template, f"endpoint: {steps}", len(showing), _spread(examples))


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


def _content(name: str, form: str, pieces: Sequence[Found]) -> str:
    if name == "route":
        routes = [route for one in pieces if (route := one.unit.form_of("route"))]
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


def _spread(examples: Sequence[str]) -> tuple[str, ...]:
    """A few, of different files."""
    by_file: dict[str, str] = {}
    for one in examples:
        by_file.setdefault(one.rsplit(":", 1)[0], one)
    return tuple(list(by_file.values())[:_EXAMPLES])


# the project's own helpers --------------------------------------------------------------------


class _Usual(NamedTuple):
    """An own name that most files of a place use."""

    own: Own
    role: Role
    times: int
    place: float  # in the order of the text
    full_name: str  # with what it is called on, where that is of its file, too
    share: float  # of the files of the place


def _mine_helpers(files: Mapping[str, FileNames]) -> list[CodePattern]:
    own = own_names(files.values())
    found: list[tuple[float, frozenset[Own], CodePattern]] = []
    for shape, paths in _places(files).items():
        usual = _usual_names(
            own, paths, [one for one in files if PurePosixPath(one).suffix == PurePosixPath(shape).suffix]
        )
        if usual and (pattern := _helpers(shape, paths, usual, own, files)) is not None:
            weight = sum(one.times for one in usual) / len(paths) * len(paths) ** 0.5
            found.append((weight, frozenset(one.own for one in usual), pattern))
    kept: list[tuple[frozenset[Own], CodePattern]] = []
    for _, names, pattern in sorted(found, key=lambda one: (-one[0], one[2].place)):
        if not any(len(names & other) >= _ALIKE * len(names) for other, _ in kept):
            kept.append((names, pattern))
    return [pattern for _, pattern in kept]


def _places(paths: Iterable[str]) -> dict[str, list[str]]:
    """Files that lie or are named alike, by the shape of their paths; such as three have."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for shape in _shapes(PurePosixPath(path)):
            found[shape].append(path)
    return {shape: listed for shape, listed in found.items() if len(listed) >= _LEAST_SHOWING}


def _shapes(path: PurePosixPath) -> Iterator[str]:
    """
    >>> list(_shapes(PurePosixPath("cmd/app/cmd_init.go")))
    ['cmd/app/{name}.go', 'cmd/app/cmd_{name}.go', 'cmd/app/{name}_init.go', 'cmd/*/cmd_init.go']
    >>> list(_shapes(PurePosixPath("tests/api/test_cart.py")))
    ['tests/api/test_{name}.py', 'tests/…/test_{name}.py']
    """
    folder = "" if str(path.parent) == "." else f"{path.parent}/"
    before, after = _test_affixes(path)
    yield f"{folder}{before}{{name}}{after}{path.suffix}"
    if before or after:
        yield f"{path.parts[0]}/…/{before}{{name}}{after}{path.suffix}"
        return
    if begin := re.match(r"[A-Za-z]+[_.-]", path.stem):
        yield f"{folder}{begin[0]}{{name}}{path.suffix}"
    if end := re.search(r"(?<=.)(?:[_.-][A-Za-z]+|[A-Z][a-z]+)$", path.stem):
        yield f"{folder}{{name}}{end[0]}{path.suffix}"
    if len(path.parts) > 2:
        yield f"{path.parent.parent}/*/{path.name}"


def _test_affixes(path: PurePosixPath) -> tuple[str, str]:
    """What makes a name one of a test; ("", "") for none."""
    for before, after in _TEST_AFFIXES:
        if path.stem.startswith(before) and path.stem.endswith(after) and len(path.stem) > len(before + after):
            return before, after
    return "", ""


def _usual_names(own: Mapping[str, Mapping[Own, Use]], paths: Sequence[str], alike: Sequence[str]) -> list[_Usual]:
    """The own names that most of these files use and few others of the language, in their usual order."""
    inside = set(paths)
    others = [one for one in alike if one not in inside]
    elsewhere = Counter(name for path in others for name in own[path])
    count = Counter(name for path in paths for name in own[path])
    is_test = any(_test_affixes(PurePosixPath(paths[0])))
    found = []
    for name, times in count.items():
        share, share_elsewhere = times / len(paths), elsewhere[name] / max(1, len(others))
        if times < _LEAST_SHOWING or share < max(_MOST_HAVE, _RARER * share_elsewhere):
            continue
        if is_test and not _OF_TESTS.search(name.home):
            continue  # what is tested is called by its tests
        uses = [own[path][name] for path in paths if name in own[path]]
        role = Counter(one.role for one in uses).most_common(1)[0][0]
        place = median(list(own[path]).index(name) for path in paths if name in own[path])
        owner = Counter(one.owner for one in uses).most_common(1)[0][0]
        full_name = f"{owner}.{name.name}" if owner[:1].isupper() else name.name
        found.append(_Usual(name, role, times, place, full_name, share))
    owners = {(one.full_name.split(".")[0], one.own.home) for one in found if "." in one.full_name}
    found = [one for one in found if (one.full_name, one.own.home) not in owners]
    found.sort(key=lambda one: (-one.times, one.place, one.own))
    return sorted(found[:_NAMES_MOST], key=lambda one: (one.place, one.own))


def _helpers(
    shape: str,
    paths: Sequence[str],
    usual: Sequence[_Usual],
    own: Mapping[str, Mapping[Own, Use]],
    files: Mapping[str, FileNames],
) -> CodePattern | None:
    is_plain = all(one.role is Role.CALLS for one in usual)
    count = {path: sum(one.own in own[path] for one in usual) for path in paths}
    least = (_ONE_NAME_HAVE if is_plain else _MOST_HAVE) * len(usual)  # that some functions are called says less
    showing = sorted((path for path in paths if count[path] >= least), key=lambda path: -count[path])
    if is_plain and len(usual) == 1:
        return None  # that one function is called tells nobody how to write such a file
    if len(showing) < (
        _LEAST_SHOWING + is_plain if len(usual) > 1 else max(_ONE_NAME_FILES, _ONE_NAME_HAVE * len(paths))
    ):
        return None
    template = {"file": shape}
    for role in Role:
        if names := [f"{one.full_name} ({one.own.home})" for one in usual if one.role is role]:
            template[role.value] = (" → " if role is Role.CALLS else ", ").join(names)
    bases = {one.own.name for one in usual if one.role is Role.DERIVES}
    if hooks := _hooks(bases, [files[one] for one in showing]):
        template["defines"] = ", ".join(hooks)
    kind = _kind_of(shape, usual if _is_mostly(bases, [files[one] for one in showing]) else ())
    examples = [
        f"{path}:{min(files[path].uses[own[path][one.own]] for one in usual if one.own in own[path])}"
        for path in showing
    ]
    named = [one.full_name for role in Role for one in usual if one.role is role]
    hint = f"{kind}: {'→'.join([*named, *hooks][:_HINT_NAMES])}"
    return CodePattern(
        kind, PurePosixPath(shape).suffix, template, hint, len(showing), tuple(examples[:_EXAMPLES]), shape
    )


def _is_mostly(bases: set[str], files: Sequence[FileNames]) -> bool:
    """Whether classes of these bases are what such a file is for, and not something that it also holds."""
    return (
        bool(files)
        and median(sum(bool(bases & of) for of, _ in one.families) / max(1, len(one.defined)) for one in files)
        >= _MOSTLY
    )


def _hooks(bases: set[str], files: Sequence[FileNames]) -> list[str]:
    """The methods that most classes of these bases define."""
    classes = [methods for one in files for of, methods in one.families if bases & of and methods]
    count = Counter(name for methods in classes for name in methods if not name.startswith(_NO_HOOKS))
    least = max(_LEAST_SHOWING, _MOST_HAVE * len(classes))
    most = sorted(count, key=lambda name: (-count[name], name))[:_HOOKS_MOST]  # methods come as a set, in any order
    return [name for name in most if count[name] >= least]


def _kind_of(shape: str, usual: Sequence[_Usual] = ()) -> str:
    """What such a file is called: a test, else by what it derives from, else by its folder.

    >>> _kind_of("tests/…/test_{name}.py"), _kind_of("src/screens/*/panel.py"), _kind_of("src/components/{name}.tsx")
    ('test', 'panel', 'component')
    >>> _kind_of("src/shop/jobs/shop_{name}.rs")
    'job'
    """
    path = PurePosixPath(shape)
    if any(_test_affixes(path)):
        return "test"
    base = next((split_name(one.own.name) for one in usual if one.role is Role.DERIVES), [])
    if len(base) > 1 and base[-1] not in _NO_KINDS:
        return base[-1]
    words = split_name(path.stem if "{" not in path.stem else path.stem.replace("{name}", ""))
    if not words or words[-1] in {one for part in path.parent.parts for one in split_name(part)}:
        return _folder_word(path.parent)
    return _singular(words[-1])


def _folder_word(folder: PurePosixPath) -> str:
    """What lies in it, by the name of the last folder that has one: one of many, one of a kind of these, or a module of it.

    >>> _folder_word(PurePosixPath("app/screens")), _folder_word(PurePosixPath("app/graph")), _folder_word(PurePosixPath("."))
    ('screen', 'graph module', 'file')
    >>> _folder_word(PurePosixPath("api/serializers/input"))
    'input serializer'
    """
    named = [words for part in folder.parts if (words := split_name(part))]
    if not named:
        return "file"
    word = named[-1][-1]
    if (one := _singular(word)) != word:
        return one
    above = named[-2][-1] if len(named) > 1 else ""
    return f"{word} {one}" if (one := _singular(above)) != above else f"{word} module"


def _singular(word: str) -> str:
    """
    >>> _singular("screens"), _singular("entries"), _singular("classes"), _singular("access")
    ('screen', 'entry', 'class', 'access')
    """
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# files that come together ---------------------------------------------------------------------


def _mine_companions(files: Mapping[str, FileNames], listed: Iterable[str]) -> list[CodePattern]:
    """For one thing there is a file here and a file there: a test and what it tests, the layers of a noun, the files of a folder."""
    folders, in_folders = _alike_folders(listed)
    things = _things(one for one in listed if str(PurePosixPath(one).parent) not in in_folders)
    cliques = _cliques(things)
    merged: dict[tuple[str, ...], list[tuple[tuple[str, ...], set[str]]]] = defaultdict(list)
    for shapes, names in cliques:
        merged[_general(shapes)].append((shapes, names))
    for shapes in list(merged):  # in the folders themselves it is as in those below them
        below = tuple(f"{PurePosixPath(one).parent}/…/{PurePosixPath(one).name}" for one in shapes)
        if below in merged:
            merged[below] += merged.pop(shapes)
    made = [_companions(general, parts, files) for general, parts in merged.items()]
    return [*folders, *(one for one in made if one is not None)]


def _things(listed: Iterable[str]) -> dict[str, set[str]]:
    """By shape of path the names that stand in it."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in listed:
        path = PurePosixPath(one)
        stem, rest = path.name.split(".", 1)[0], "".join(path.suffixes)
        plain = PurePosixPath(path.parent, stem + path.suffix)
        before, after = _test_affixes(PurePosixPath(path.stem) if path.suffix else path)
        if "." in after:
            before, after = "", ""
        name = stem[len(before) : len(stem) - len(after)] if stem.startswith(before) and stem.endswith(after) else stem
        if name and name not in _NO_THINGS:
            found[str(plain.with_name(f"{before}{{name}}{after}{rest}"))].add(name)
    return {shape: names for shape, names in found.items() if len(names) >= _LEAST_SHOWING}


def _cliques(things: Mapping[str, set[str]]) -> list[tuple[tuple[str, ...], set[str]]]:
    """Shapes of which most names of each rarer one stand in the others, the largest first; each shape in one."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for shape, names in things.items():
        for name in names:
            by_name[name].append(shape)
    together = Counter(
        pair
        for shapes in by_name.values()
        if len(shapes) <= _OF_ONE_THING_MOST
        for pair in combinations(sorted(shapes), 2)
    )
    fitting: dict[tuple[str, ...], int] = {
        pair: times
        for pair, times in together.items()
        if times >= max(_LEAST_SHOWING, _MOST_HAVE * min(len(things[one]) for one in pair)) and not _is_usual(*pair)
    }
    tests = {one for one in things if any(_test_affixes(PurePosixPath(one)))}
    found: list[tuple[tuple[str, ...], set[str]]] = []
    used: set[str] = set()
    for pair in sorted(fitting, key=lambda one: (-fitting[one], one)):
        if not (used | tests).isdisjoint(pair):
            continue
        clique, names = list(pair), things[pair[0]] & things[pair[1]]
        for shape in sorted(things.keys() - used - tests - set(pair)):
            is_fitting = all(tuple(sorted((shape, other))) in fitting for other in clique)
            if is_fitting and len(clique) < _CLIQUE_MOST and len(names & things[shape]) >= max(3, len(names) / 3):
                clique.append(shape)
                names = names & things[shape]
        used |= set(clique)
        found.append((tuple(clique), names))
    for test in sorted(tests):
        if any(
            _is_usual(test, one) and len(things[one] & things[test]) >= _MOST_HAVE * len(things[test])
            for one in things.keys() - tests
        ):
            continue  # what it tests lies where everybody looks for it
        tested = [one for one in things.keys() - tests if tuple(sorted((test, one))) in fitting]
        if tested:
            best = max(tested, key=lambda one: (fitting[tuple(sorted((test, one)))], _shared_end(test, one), one))
            found.append(((test, best), things[test] & things[best]))
    return found


def _shared_end(one: str, other: str) -> int:
    """How many of their last folders are the same."""
    pairs = zip(PurePosixPath(one).parts[-2::-1], PurePosixPath(other).parts[-2::-1], strict=False)
    return len(list(takewhile(lambda both: both[0] == both[1], pairs)))


def _is_usual(one: str, other: str) -> bool:
    """What nobody has to be told: a test beside its file or where Maven looks for it, scripts beside what they were built from; no code at all."""
    first, second = PurePosixPath(one), PurePosixPath(other)
    if first.suffix not in ENDINGS and second.suffix not in ENDINGS:
        return True
    if str(first.parent).replace("/test/", "/main/") != str(second.parent).replace("/test/", "/main/"):
        return False
    is_built = {first.suffix, second.suffix} <= _SCRIPTS and first.suffix != second.suffix
    return is_built or any(_test_affixes(first)) != any(_test_affixes(second))


def _general(shapes: tuple[str, ...]) -> tuple[str, ...]:
    """Of two shapes with the same last folders these left open: tests/api/… and app/api/… are tests/…/ and app/…/.

    >>> _general(("tests/api/test_{name}.py", "app/api/{name}.py"))
    ('tests/…/test_{name}.py', 'app/…/{name}.py')
    >>> _general(("app/api/tests/test_{name}.py", "app/api/{name}.py"))
    ('…/tests/test_{name}.py', '…/{name}.py')
    """
    if len(shapes) != 2:
        return shapes
    split = [list(PurePosixPath(one).parts) for one in shapes]
    folders, names = [one[:-1] for one in split], [one[-1] for one in split]
    shared = min(_shared_end(*shapes), *(len(one) - 1 for one in folders))
    if shared:
        return tuple("/".join([*one[:-shared], "…", name]) for one, name in zip(folders, names, strict=True))
    while shared < min(map(len, folders)) and folders[0][shared] == folders[1][shared]:
        shared += 1
    return (
        tuple("/".join(["…", *one[shared:], name]) for one, name in zip(folders, names, strict=True))
        if shared
        else shapes
    )


def _companions(
    general: tuple[str, ...], parts: Sequence[tuple[tuple[str, ...], set[str]]], files: Mapping[str, FileNames]
) -> CodePattern | None:
    shown = general if len(parts) > 1 else parts[0][0]
    each = [[one.replace("{name}", name) for one in shapes] for shapes, names in parts for name in sorted(names)]
    is_test = [any(_test_affixes(PurePosixPath(one))) for one in shown]
    layers = _by_layers(len(shown), each, files)
    order = sorted(range(len(shown)), key=lambda place: (not is_test[place], -layers[place], len(shown[place])))
    least = _LEAST_SHOWING if any(is_test) else _LEAST_LINKED if layers else _LEAST_UNLINKED
    if len(each) < least:
        return None  # a common name or two
    first, *others = (shown[place] for place in order)
    template = {"file": first, "tests" if any(is_test) else "with it": ", ".join(others)}
    most = max(parts, key=lambda part: len(part[1]))[0]
    kind = _kind_of(most[order[0]] if _OPEN_FOLDER in PurePosixPath(first).parts[-2:-1] else first)
    hint = f"{kind}: {'→'.join(_short_shapes((first, *others)))}"
    examples = tuple(one[order[0]] for one in each[:_EXAMPLES])
    return CodePattern(
        kind, PurePosixPath(first).suffix, template, hint, len(each), examples, "+".join((first, *others))
    )


def _short_shapes(shapes: Sequence[str]) -> list[str]:
    """Their last two parts, or as much more as tells them apart.

    >>> _short_shapes(["tests/api/test_{name}.py", "app/api/{name}.py"]), _short_shapes(["src/a/types/{name}.ts", "src/types/{name}.ts"])
    (['api/test_{name}.py', 'api/{name}.py'], ['a/…/{name}.ts', 'types/{name}.ts'])
    """
    split = [PurePosixPath(one).parts for one in shapes]
    ends = ["/".join(parts[-2:]).removeprefix(f"{_OPEN_FOLDER}/") for parts in split]
    if len(set(ends)) == len(ends):
        return ends
    shared = len(list(takewhile(lambda parts: len(set(parts)) == 1, zip(*(one[:-1] for one in split), strict=False))))
    own = [parts[shared:] for parts in split]
    return ["/".join(one if len(one) < 3 else (one[0], _OPEN_FOLDER, one[-1])) for one in own]


def _by_layers(size: int, each: Sequence[Sequence[str]], files: Mapping[str, FileNames]) -> Counter[int]:
    """How often each of the files imports another one of its thing, where that is usual."""
    found: Counter[int] = Counter()
    for place in range(size):
        named = [(files[paths[place]].imports, paths) for paths in each if paths[place] in files]
        times = sum(not imports.isdisjoint(paths) for imports, paths in named)
        if times >= len(each) * _LINKED:
            found[place] = times
    return found


def _alike_folders(listed: Iterable[str]) -> tuple[list[CodePattern], set[str]]:
    """Folders beside each other that hold the same names, and which they are."""
    folders: dict[str, set[str]] = defaultdict(set)
    for one in listed:
        path = PurePosixPath(one)
        folders[str(path.parent)].add(path.name)
    beside: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for folder, names in folders.items():
        if folder != ".":
            beside[str(PurePosixPath(folder).parent)][folder] = names
    found, seen = [], set[str]()
    for above, each in beside.items():
        count = Counter(name for names in each.values() for name in names)
        usual = sorted(name for name, times in count.items() if times >= max(_LEAST_SHOWING, _MOST_HAVE * len(each)))
        paths = [PurePosixPath(one) for one in usual]
        telling = [one.name for one in paths if one.stem not in _NO_THINGS and not any(_test_affixes(one))]
        showing = sorted(one for one, names in each.items() if names >= set(usual))
        if (
            len(telling) < 2
            or len(showing) < _LEAST_SHOWING
            or all(PurePosixPath(one).suffix not in ENDINGS for one in telling)
        ):
            continue
        seen |= each.keys()
        kind = _folder_word(PurePosixPath(above)) if above != "." else "package"
        template = {"folder": str(PurePosixPath(above, "{name}")), "has": ", ".join(usual)}
        hint = f"{kind}: {'+'.join(PurePosixPath(one).stem for one in telling)}"
        examples = tuple(f"{one}/{telling[0]}" for one in showing[:_EXAMPLES])
        found.append(
            CodePattern(kind, PurePosixPath(telling[0]).suffix, template, hint, len(showing), examples, f"{above}/*")
        )
    return found, seen


# files that list others -----------------------------------------------------------------------


def _mine_lists(files: Mapping[str, FileNames], listed: Iterable[str]) -> list[CodePattern]:
    """A file that names nearly all files of a folder which few others name: a new one has to be added there."""
    folders: dict[str, set[str]] = defaultdict(set)
    for one in listed:
        path = PurePosixPath(one)
        if path.suffix in ENDINGS - {".go", ".rs"} and path.stem not in _NO_THINGS and not any(_test_affixes(path)):
            folders[str(path.parent)].add(one)
    named = Counter(name for one in files.values() for name in one.imports)
    found = []
    for hub, of_hub in files.items():
        own = (
            "" if PurePosixPath(hub).stem in _NO_THINGS else str(PurePosixPath(hub).parent)
        )  # beside the others it is one of them
        for folder in sorted({str(PurePosixPath(name).parent) for name in of_hub.imports} - {own}):
            there = folders.get(folder, set()) - {hub}
            hit = sorted(of_hub.imports & there)
            is_list = len(hit) >= max(_LISTED_LEAST, _LISTED_HAVE * len(there))
            if is_list and median(named[name] for name in hit) <= _LISTED_ELSEWHERE:
                ending = PurePosixPath(hit[0]).suffix
                shape = f"{folder}/{{name}}{ending}"
                kind, template = _kind_of(shape), {"file": shape, "named in": hub}
                shown = PurePosixPath(hub).parts[-2 if PurePosixPath(hub).stem in ENTRIES else -1 :]
                hint = f"{kind}: add to {'/'.join(shown)}"
                found.append(
                    CodePattern(kind, ending, template, hint, len(hit), tuple(hit[:_EXAMPLES]), f"{shape}@{hub}")
                )
    return found


def word_pattern(pattern: CodePattern) -> str:
    """The pattern as a sentence.

    >>> word_pattern(CodePattern("endpoint", ".ts", {"route": "{method} /api/{resource}", "validation": "zod_schema"}, "", 3, ("src/a.ts:3",)))
    'An endpoint here (.ts): route {method} /api/{resource}, validation zod_schema. As in src/a.ts:3.'
    >>> word_pattern(CodePattern("plugin", ".py", {"file": "plug/{name}.py", "derives from": "Plugin (base.py)"}, "", 9, (), "plug"))
    'A plugin here (.py): file plug/{name}.py, derives from Plugin (base.py).'
    """
    parts = ", ".join(
        f"{name.replace('_', ' ')} {content}" if content != name else name for name, content in pattern.template.items()
    )
    seen = f" As in {', '.join(pattern.examples)}." if pattern.examples else ""
    article = "An" if pattern.kind[:1] in "aeio" else "A"
    return f"{article} {pattern.kind} here ({pattern.language}): {parts}.{seen}"
