"""Parse untrusted XML, and open Office Open XML packages: parts, relationships, properties.

Broken documents are recovered as far as possible, and no entities are expanded. A missing part does not affect the
others.
"""

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from lxml import etree

from crawler.extraction.documents.zip_archive import ZipArchive, open_zip
from wenhen.kit.errors import BadInput, TooLarge, Unreadable

XmlElement: TypeAlias = Any  # the element class of lxml has a private name


def parse_xml(content: bytes) -> XmlElement | None:
    """Return the root of a document, recovered if it is broken, or None if nothing can be read."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    try:
        return etree.fromstring(content.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local_name(element: XmlElement) -> str:
    """Return the name of an element or attribute without its namespace, or "" for comments and instructions."""
    name = element if isinstance(element, str) else element.tag
    return name.rpartition("}")[2].rpartition(":")[2] if isinstance(name, str) else ""


DEFAULT_MAIN_PART: Final = "word/document.xml"
_CORE_NAMES: Final = frozenset(("title", "creator"))


class OfficePackage:
    """Represent an open package."""

    def __init__(self, archive: ZipArchive) -> None:
        self._archive = archive

    def read(self, name: str) -> bytes | None:
        """Return a part, or None if it is missing or broken. Raises `TooLarge`."""
        try:
            return self._archive.read_part(name)
        except TooLarge:
            raise
        except BadInput:
            return None

    def parse(self, name: str) -> XmlElement | None:
        """Return the root of a part, or None if it is missing or broken."""
        content = self.read(name)
        return None if content is None else parse_xml(content)

    def relationships(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the relationships of a part by id: the last word of the type, and the target's name.

        External ones are left out. The package's own relationships are those of the part "".
        """
        folder, name = posixpath.split(part)
        root = self.parse(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {} if root is None else dict(_iter_relationships(root, folder))

    def main_part(self) -> str:
        """Return the name of the main document."""
        for kind, target in self.relationships("").values():
            if kind == "officeDocument":
                return target
        return DEFAULT_MAIN_PART

    def core_properties(self) -> dict[str, str]:
        """Return the document's own properties, by their Dublin Core names."""
        part = next((target for kind, target in self.relationships("").values() if kind == "core-properties"), None)
        root = self.parse(part or "docProps/core.xml")
        if root is None:
            return {}
        properties = ((local_name(child), " ".join((child.text or "").split())) for child in root)
        return {name: text for name, text in properties if name in _CORE_NAMES and text}


def _iter_relationships(root: XmlElement, folder: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for child in root:
        id, target = child.get("Id"), child.get("Target")
        if id and target and child.get("TargetMode") != "External":
            place = unquote(target).replace("\\", "/")
            path = place.lstrip("/") if place.startswith("/") else posixpath.normpath(posixpath.join(folder, place))
            yield id, ((child.get("Type") or "").rpartition("/")[2], path)


@contextmanager
def open_package(content: bytes, kind: str) -> Iterator[OfficePackage]:
    """Open a package.

    Raises `BadInput` for no archive, `Unreadable` for an archive without a main document. Parts that are not read, such
    as pictures, may unpack to any size.
    """
    with open_zip(content) as archive:
        package = OfficePackage(archive)
        if package.read(package.main_part()) is None:
            raise Unreadable("documents.broken", kind=kind, error=f"no {package.main_part()}")
        yield package
