"""Private names of libraries: none is touched, but for those that stand here with their reason."""

import ast
import builtins
import importlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = ("fingerprinter", "crawler", "matcher", "dashboard", "wenhen", "benchmarks")
MODULES = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]

DOCUMENTED = {  # public for all their underscore
    "_asdict": "namedtuple: documented, with the underscore so that no field hides it",
    "_exit": "os: documented",
    "_fields": "namedtuple and ast: documented",
    "_replace": "namedtuple: documented",
    "_deserialize": "marshmallow.fields.Field: the documented place for a field of one's own",
    "_serialize": "marshmallow.fields.Field: the documented place for a field of one's own",
}
EXEMPT_FILES = {
    "crawler/fetch/download_handler.py": "keeps crawls from inside addresses; Scrapy and Twisted have no public place",
    "wenhen/runtime/celery_pool_fixes.py": "faults of Celery and billiard, with the version after which each goes",
    "fingerprinter/numba_cache.py": "reads machine code with less of numba; does nothing with another release of it",
}
EXEMPT_NAMES = {
    "dashboard/api.py": {
        "_register_error_handlers": "flask-smorest answers all errors of the application; no setting stops it",
    },
    "wenhen/runtime/store.py": {
        "_shutdown_resources": "pymongo waits for its sleeping threads: .9 s at the end of each command, closed or not",
    },
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


class Sources(NamedTuple):
    """All files of a tree, and what they define."""

    trees: dict[str, ast.Module]
    names: set[str]
    classes: dict[str, ast.ClassDef]


def read_sources(texts: dict[str, str]) -> Sources:
    trees = {name: ast.parse(text) for name, text in texts.items()}
    names: set[str] = set()
    classes: dict[str, ast.ClassDef] = {}
    for tree in trees.values():
        names.update(defined_names(tree))
        classes.update({node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)})
    return Sources(trees, names, classes)


def defined_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
            yield node.attr


def is_own(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in {"self", "cls"}


def private_names(sources: Sources) -> Iterator[tuple[str, str]]:
    """Each file with the private name of a library that it touches."""
    for file, tree in sources.trees.items():
        libraries = imported_objects(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level and not is_ours(node.module):
                parts = [*node.module.split("."), *(alias.name for alias in node.names)]
                yield from ((file, part) for part in parts if is_private(part))
            elif isinstance(node, ast.Import):
                parts = [part for one in node.names if not is_ours(one.name) for part in one.name.split(".")]
                yield from ((file, part) for part in parts if is_private(part))
            elif isinstance(node, ast.Attribute) and is_private(node.attr) and not is_super(node.value):
                if node.attr not in sources.names or is_library(node.value, libraries):
                    yield file, node.attr
            elif isinstance(node, ast.ClassDef):
                yield from ((file, name) for name in private_names_of_bases(node, libraries, sources))


def is_super(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "super"


def is_library(value: ast.expr, libraries: dict[str, str]) -> bool:
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id in libraries


def imported_objects(tree: ast.Module) -> dict[str, str]:
    """The names that a file has from libraries, each with where it is from."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level and not is_ours(node.module):
            found.update({one.asname or one.name: f"{node.module}.{one.name}" for one in node.names})
        elif isinstance(node, ast.Import):
            for one in node.names:
                if not is_ours(one.name):
                    name = one.asname or one.name.split(".")[0]
                    found[name] = one.name if one.asname else name
    return found


def private_names_of_bases(node: ast.ClassDef, libraries: dict[str, str], sources: Sources) -> set[str]:
    """Private names that a class of ours overrides, or reaches through `super()`, in a class of a library."""
    reached = {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and is_super(one.value) and is_private(one.attr)
    }
    bases = [dotted_name(base) for base in node.bases]
    ours = [sources.classes[name] for base in bases if (name := base.split(".")[-1]) in sources.classes]
    found = {name for name in reached if not any(defines(base, name, sources) for base in ours)}
    theirs = [loaded for base in bases if (loaded := load_class(full_name(base, libraries)))]
    members = {name for name in members_of(node) if is_private(name)}
    return found | {name for name in members if any(hasattr(base, name) for base in theirs)}


def dotted_name(node: ast.expr) -> str:
    return ast.unparse(node.value if isinstance(node, ast.Subscript) else node)


def full_name(name: str, libraries: dict[str, str]) -> str:
    first, _, rest = name.partition(".")
    return f"{libraries[first]}.{rest}".rstrip(".") if first in libraries else name


def members_of(node: ast.ClassDef) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            yield one.name
        elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and is_own(one.value):
            yield one.attr
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id


def defines(node: ast.ClassDef, name: str, sources: Sources) -> bool:
    bases = [sources.classes[base] for one in node.bases if (base := dotted_name(one)) in sources.classes]
    return name in set(members_of(node)) or any(defines(base, name, sources) for base in bases)


@cache
def load_class(name: str) -> type | None:
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module) if module else builtins, attribute, None)
    except ImportError:
        return None
    return found if isinstance(found, type) else None


def complaints(found: Iterable[tuple[str, str]]) -> list[str]:
    return sorted(
        {
            f"{file}: {name}"
            for file, name in found
            if name not in DOCUMENTED and file not in EXEMPT_FILES and name not in EXEMPT_NAMES.get(file, {})
        }
    )


@pytest.fixture(scope="module")
def found() -> set[tuple[str, str]]:
    return set(private_names(read_sources({str(one.relative_to(ROOT)): one.read_text("utf-8") for one in MODULES})))


def test_no_private_name_of_a_library_is_touched(found: set[tuple[str, str]]) -> None:
    assert complaints(found) == []


def test_what_is_exempt_is_still_there(found: set[tuple[str, str]]) -> None:
    exempt = {(file, name) for file, names in EXEMPT_NAMES.items() for name in names}
    assert exempt - found == set()
    assert set(EXEMPT_FILES) - {file for file, _ in found} == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from scrapy import _new", "_new"),
        ("from scrapy._new import that", "_new"),
        ("import scrapy._new", "_new"),
        ("import scrapy\nscrapy._new()", "_new"),
        ("import scrapy\n_new = 1\nscrapy._new()", "_new"),
        ("def reach(thing):\n    return thing._new", "_new"),
        ("class Ours(Theirs):\n    def reach(self):\n        return self._new", "_new"),
        ("class Ours(Theirs):\n    def _new(self):\n        return super()._new()", "_new"),
        ("import json\nclass Ours(json.JSONDecoder):\n    def reach(self):\n        return super()._new", "_new"),
        ("import email.message\nclass Ours(email.message.Message):\n    def _get_params_preserve(self): ...",
         "_get_params_preserve"),
        ("from threading import Thread\nclass Ours(Thread):\n    def _bootstrap(self): ...", "_bootstrap"),
    ],
)  # fmt: skip
def test_a_new_one_is_found(text: str, name: str) -> None:
    assert complaints(private_names(read_sources({"crawler/new.py": text}))) == [f"crawler/new.py: {name}"]


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos._exit(0)",
        "def told(pair):\n    return pair._replace(a=1)",
        "class Ours:\n    def __init__(self):\n        self._own = 1\ndef reach(ours):\n    return ours._own",
        "class A:\n    def _own(self): ...\nclass B(A):\n    def _own(self):\n        return super()._own()",
        "from crawler.here import _own",
        "from .here import _own",
    ],
)
def test_names_of_our_own_and_documented_ones_are_left_alone(text: str) -> None:
    assert complaints(private_names(read_sources({"crawler/new.py": text}))) == []
