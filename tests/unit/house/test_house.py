"""The house keeps its plan: rooms that people can overlook, one name a thing, documents that name what is there."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from wenhen.runtime.processes.precompile import COMPILED_PACKAGES

ROOT = Path(__file__).parents[3]
ROOMS = ("store", "fingerprinter", "crawler", "matcher", "pipeline", "services", "dashboard", "wenhen", "lab")
MOST_LINES = 400
MOST_FILES = 24  # of one folder
MODULES = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PARTS = [
    file for room in ("dashboard", "store") for kind in ("html", "json") for file in (ROOT / room).rglob(f"*.{kind}")
]
PLACE = re.compile(r"`(\w+/(?:[\w/]+\.py|[\w/]*/)?)`")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_no_file_is_longer_than_can_be_read_in_one_go() -> None:
    long = {named(file): lines for file in MODULES if (lines := len(file.read_text("utf-8").splitlines())) > MOST_LINES}
    assert not long


def test_no_folder_is_a_flat_list() -> None:
    files: dict[str, int] = defaultdict(int)
    for file in [*MODULES, *TESTS, *PARTS]:
        files[named(file.parent)] += 1
    assert {room: count for room, count in files.items() if count > MOST_FILES} == {}


@pytest.mark.parametrize("room", sorted({file.parent for file in MODULES}), ids=named)
def test_every_room_says_what_belongs_in_it(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert said
    assert len(said.split()) > 3


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
    reading = "fingerprinter/numba_cache.py"  # it reads what was compiled so, and compiles nothing
    assert {name for name in compiling if not name.startswith("lab/")} == {"fingerprinter/numba_cache.py", reading}
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
