"""An e-book: every chapter of its spine is a work (EPUB 3.3, https://www.w3.org/TR/epub-33/)."""

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from crawler.extract.bounded import bounded
from services.importing.archives import ZipArchive, opened
from services.importing.found import FoundIn, id_from_origin, text_of
from store.errors import BadInput
from store.records import WorkDraft

_NAMES = {
    "c": "urn:oasis:names:tc:opendocument:xmlns:container",
    "o": "http://www.idpf.org/2007/opf",
    "d": "http://purl.org/dc/elements/1.1/",
}
_BLOCKS = "p,div,h1,h2,h3,h4,h5,h6,li,blockquote,br,tr,section"


def read_epub(content: bytes, origin: str) -> FoundIn:
    """The chapters of a book, as a series under its title. Raises `BadInput` for a broken or protected book."""
    with opened(content) as book:
        package_path = _package_path(book)
        package = _xml(book, package_path)
        title = package.findtext(".//d:title", namespaces=_NAMES) or origin
        author = package.findtext(".//d:creator", namespaces=_NAMES)
        chapter = 0
        for path in dict.fromkeys(_spine(package, package_path)):
            heading, text = _chapter(book.read(path))
            if not text:  # a cover or a title page
                continue
            chapter += 1
            yield WorkDraft(
                id=id_from_origin(f"{origin}!/{path}"),
                title=f"{title} {heading or chapter}".strip(),
                text=text,
                author=author,
                series=title,
                chapter=chapter,
                origin=f"{origin}!/{path}",
            )
        if not chapter:
            raise BadInput("importing.empty_book")


def _package_path(book: ZipArchive) -> str:
    path = _xml(book, "META-INF/container.xml").xpath("string(//c:rootfile/@full-path)", namespaces=_NAMES)
    if not path:
        raise BadInput("importing.no_package")
    return str(path)


def _spine(package: etree._Element, package_path: str) -> Iterator[str]:
    manifest = {item.get("id"): item.get("href") for item in package.iterfind(".//o:manifest/o:item", _NAMES)}
    for reference in package.iterfind(".//o:spine/o:itemref", _NAMES):
        href = manifest.get(reference.get("idref"))
        if href:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(package_path), unquote(href)))


def _xml(book: ZipArchive, path: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(book.read(path), parser)
    except etree.XMLSyntaxError as error:
        raise BadInput("importing.bad_epub", path=path, error=str(error)) from None


def _chapter(content: bytes) -> tuple[str | None, str]:
    if not content.strip():
        return None, ""
    tree = LexborHTMLParser(bounded(text_of(content)))
    for node in tree.css("script,style,title"):
        node.decompose()
    heading = tree.css_first("h1,h2,h3")
    for node in tree.css(_BLOCKS):
        node.insert_before("\n")
    lines = (" ".join(line.split()) for line in tree.body.text().split("\n")) if tree.body else iter(())
    title = " ".join(heading.text().split()) if heading else None
    return title, "\n".join(line for line in lines if line)
