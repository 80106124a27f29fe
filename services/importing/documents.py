"""PDF, Word, RTF and Kindle books: one file, one work. EPUB: every chapter of its spine is a work."""

from pathlib import PurePosixPath
from typing import Final

from crawler.extract.files.document import joined
from crawler.extract.files.epub import opened_book
from crawler.extract.files.file_kinds import ENDINGS
from crawler.extract.files.file_to_text import read_document
from services.importing.drafts_and_refusals import FoundIn, Refused, checked, id_from_origin
from store.records import WorkDraft

# What programs and machines that were set up for anybody write where an author stands, in small letters.
_NOBODY: Final = frozenset(
    (
        *("anonymous", "unknown", "user", "admin", "administrator", "owner", "python-docx", "微软用户", "用户"),
        *("microsoft office user", "windows user", "windows 用户", "microsoft", "微软中国"),
    )
)


def read_epub(content: bytes, origin: str) -> FoundIn:
    """The chapters of a book, as a series under its title. Raises `BadInput` for a broken or protected book."""
    with opened_book(content) as book:
        title = book.title or PurePosixPath(origin).stem
        for one in book.chapters:
            yield WorkDraft(
                id=id_from_origin(f"{origin}!/{one.path}"),
                title=f"{title} {one.heading or one.number}".strip(),
                text="\n".join(one.paragraphs),
                author=_person(book.author),
                series=title,
                chapter=one.number,
                origin=f"{origin}!/{one.path}",
            )
        yield from (Refused(origin, reason) for reason in book.lost)


def read_document_file(content: bytes, origin: str) -> FoundIn:
    """A file as one work; what the file calls itself is its title, else its name."""
    path = PurePosixPath(origin)
    document = read_document(content, ENDINGS[path.suffix.lower()])
    yield checked(
        WorkDraft(
            id=id_from_origin(origin),
            title=document.title or path.stem,
            text=joined(document.parts)[0],
            author=_person(document.author),
            origin=origin,
        )
    )
    yield from (Refused(origin, reason) for reason in document.lost)


def _person(author: str | None) -> str | None:
    """Whom a file names as its author; a notice would say it under penalty of perjury."""
    return None if author is None or author.strip().lower() in _NOBODY else author
