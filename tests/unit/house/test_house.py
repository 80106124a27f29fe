"""The tree keeps its plan: files that one reads through, one name a thing, documents that name what is there."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from wenhen.runtime.processes.precompile import COMPILED_PACKAGES

ROOT = Path(__file__).parents[3]
PACKAGES = ("fingerprinter", "crawler", "matcher", "dashboard", "wenhen", "benchmarks")
MAX_LINES = 450
MIN_MEDIAN_LINES = 110
MODULES = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PLACE = re.compile(r"`(\w+/(?:[\w/]+\.py|[\w/]*/)?)`")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_file_can_be_read_in_one_go() -> None:
    lines = {named(file): len(file.read_text("utf-8").splitlines()) for file in MODULES if file.name != "__init__.py"}
    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}
    assert median(lines.values()) >= MIN_MEDIAN_LINES


@pytest.mark.parametrize("package", sorted({file.parent for file in MODULES}), ids=named)
def test_every_package_says_what_it_does(package: Path) -> None:
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    assert said
    assert len(said.split()) > 1


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_what_is_compiled_stands_where_set_up_compiles_it() -> None:
    """Or the first worker, and each that is started beside it, would spend its first seconds on that."""
    warmed = {f"{room.__name__}/" for room in COMPILED_PACKAGES}
    declaring = {named(file) for file in MODULES if "\n@compiled(" in file.read_text("utf-8")}
    assert {file for file in declaring if not file.startswith(tuple(warmed))} == set()
    assert {file.partition("/")[0] + "/" for file in declaring} == warmed


def test_no_test_imports_another() -> None:
    """What they share stands in `tests/support`."""
    shared = {
        f"{named(file)} imports {module}"
        for file in TESTS
        for module in imported(file)
        if module.startswith("tests.") and module.split(".")[-1].startswith(("test_", "conftest"))
    }
    assert not shared


def test_the_quick_lane_asks_for_no_server() -> None:
    asking = re.compile(r"\b(mongo_url_and_db|bare_url_and_db|redis_url|servers): ")
    assert [
        named(file) for file in sorted((ROOT / "tests/unit").rglob("*.py")) if asking.search(file.read_text())
    ] == []


def classes() -> Iterator[tuple[str, str]]:
    for file in MODULES:
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, named(file)


def test_a_class_name_stands_for_one_thing() -> None:
    places = defaultdict(list)
    for name, place in classes():
        places[name].append(place)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_compiled_code_lets_other_threads_run() -> None:
    """A lease is renewed by a thread: seconds in compiled code that holds the interpreter's lock would lose it."""
    numba = re.compile(r"^\s*(?:import|from) numba", re.MULTILINE)
    compiling = [named(file) for file in MODULES if numba.search(file.read_text("utf-8"))]
    assert [name for name in compiling if not name.startswith("benchmarks/")] == ["fingerprinter/numba_cache.py"]
    assert "njit(cache=True, nogil=True)" in (ROOT / "fingerprinter/numba_cache.py").read_text("utf-8")


def test_the_zone_of_china_stands_once() -> None:
    naming = [
        named(file)
        for file in MODULES
        if any(
            isinstance(node, ast.Constant) and node.value == "Asia/Shanghai"
            for node in ast.walk(ast.parse(file.read_text()))
        )
    ]
    assert naming == ["wenhen/kit/clock.py"]


@pytest.mark.parametrize("document", ["docs/glossary.md", "docs/architecture.md", "CONTRIBUTING.md"])
def test_the_places_that_a_document_names_are_there(document: str) -> None:
    places = PLACE.findall((ROOT / document).read_text("utf-8"))
    assert places
    assert [place for place in places if not (ROOT / place).exists()] == []
