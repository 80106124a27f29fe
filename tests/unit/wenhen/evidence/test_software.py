"""Evidence names a package of others only if the product imports it."""

import ast
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

from crawler.extraction.documents.file_kinds import FileKind
from wenhen.evidence import exhibit_contents

ROOT = Path(__file__).parents[4]
PRODUCT = ("crawler", "dashboard", "fingerprinter", "matcher", "wenhen")
NAMED = {
    *chain(exhibit_contents.FETCHING, exhibit_contents.ARCHIVED, exhibit_contents.RENDERING, exhibit_contents.MARKUP),
    *chain(exhibit_contents.PICTURES, exhibit_contents.COMPARING, exhibit_contents.PACKING, exhibit_contents.WORD_2003),
    *chain.from_iterable(chain(exhibit_contents.FILES.values(), exhibit_contents.ARCHIVE_MEMBERS.values())),
}


def imported_modules() -> set[str]:
    found: set[str] = set()
    for path in chain.from_iterable((ROOT / name).rglob("*.py") for name in PRODUCT):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found


@pytest.fixture(scope="module")
def imported_distributions() -> set[str]:
    names = packages_distributions()
    found = chain.from_iterable(names.get(module, ()) for module in imported_modules())
    return {name.lower().replace("_", "-").replace(".", "-") for name in found}


@pytest.mark.parametrize(
    ("kind", "body", "names"),
    [
        (None, b"<p>", set(exhibit_contents.MARKUP)),
        (FileKind.DOC, b"\xd0\xcf\x11\xe0", {"olefile"}),
        (
            FileKind.DOC,
            b'<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">',
            {"lxml"},
        ),
        (FileKind.ZIP, b"PK word/document.xml", {"lxml"}),
        (FileKind.RTF, b"{\\rtf1}", set()),
    ],
)
def test_the_packages_that_parse_a_file_are_named_by_what_it_is(
    kind: FileKind | None, body: bytes, names: set[str]
) -> None:
    assert exhibit_contents.parsing_packages(kind, body) == names


@pytest.mark.parametrize("name", sorted(NAMED))
def test_each_named_package_is_imported_by_the_product(imported_distributions: set[str], name: str) -> None:
    assert name in imported_distributions
