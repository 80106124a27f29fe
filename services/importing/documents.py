"""PDF, Word, RTF and Kindle books: one file, one work. EPUB: every chapter of its spine is a work."""

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath

from crawler.extract.files.document import joined
from crawler.extract.files.epub import opened_book
from crawler.extract.files.kinds import FileKind
from crawler.extract.files.reading import read_document
from services.importing.found import FoundIn, Refused, checked, id_from_origin
from store.records import WorkDraft


def read_epub(content: bytes, origin: str) -> FoundIn:
    """The chapters of a book, as a series under its title. Raises `BadInput` for a broken or protected book."""
    with opened_book(content) as book:
        title = book.title or origin
        for one in book.chapters:
            yield WorkDraft(
                id=id_from_origin(f"{origin}!/{one.path}"),
                title=f"{title} {one.heading or one.number}".strip(),
                text="\n".join(one.paragraphs),
                author=book.author,
                series=title,
                chapter=one.number,
                origin=f"{origin}!/{one.path}",
            )
        yield from (Refused(origin, reason) for reason in book.lost)


def reader_of(kind: FileKind) -> Callable[[bytes, str], FoundIn]:
    """Reads a file of this kind as one work; what the file calls itself is its title, else its name."""
    return partial(_one_work, kind)


def _one_work(kind: FileKind, content: bytes, origin: str) -> FoundIn:
    document = read_document(content, kind)
    yield checked(
        WorkDraft(
            id=id_from_origin(origin),
            title=document.title or PurePosixPath(origin).stem,
            text=joined(document.parts)[0],
            author=document.author,
            origin=origin,
        )
    )
    yield from (Refused(origin, reason) for reason in document.lost)
