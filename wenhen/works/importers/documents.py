"""Import works from PDF, Word, RTF, Kindle, EPUB and saved HTML files."""

from pathlib import PurePosixPath
from typing import Final

from crawler.extraction.documents.document import join_parts
from crawler.extraction.documents.ebooks import open_epub
from crawler.extraction.documents.read_document import read_named_document, require_readable
from crawler.extraction.page import extract_html
from wenhen.works.importers.drafts import (
    ImportItems,
    Refused,
    id_from_origin,
    require_content,
    require_readable_text,
    validate_draft,
)
from wenhen.works.model import WorkDraft

# PDF, Word, RTF and Kindle books: one file, one work. EPUB: every chapter of its spine is a work.


# What programs and machines that were set up for anybody write where an author stands, in small letters.
_PLACEHOLDER_AUTHORS: Final = frozenset(
    (
        *("anonymous", "unknown", "user", "admin", "administrator", "owner", "python-docx", "微软用户", "用户"),
        *("microsoft office user", "windows user", "windows 用户", "microsoft", "微软中国"),
    )
)


def read_epub(content: bytes, origin: str) -> ImportItems:
    """The chapters of a book, as a series under its title. Raises `BadInput` for a broken or protected book."""
    with open_epub(content) as book:
        title = book.title or PurePosixPath(origin).stem
        chapters = list(book.chapters)
        require_readable([line for chapter in chapters for line in chapter.paragraphs])
        for chapter in chapters:
            yield WorkDraft(
                id=id_from_origin(f"{origin}!/{chapter.path}"),
                title=f"{title} {chapter.heading or chapter.number}".strip(),
                text="\n".join(chapter.paragraphs),
                author=_author_name(book.author),
                series=title,
                chapter=chapter.number,
                origin=f"{origin}!/{chapter.path}",
            )
        yield from (Refused(origin, reason) for reason in book.lost)


def read_document_file(content: bytes, origin: str) -> ImportItems:
    """A file as one work; what the file calls itself is its title, else its name."""
    path = PurePosixPath(origin)
    document = read_named_document(content, origin)
    yield validate_draft(
        WorkDraft(
            id=id_from_origin(origin),
            title=document.title or path.stem,
            text=join_parts(document.parts)[0],
            author=_author_name(document.author),
            origin=origin,
        )
    )
    yield from (Refused(origin, reason) for reason in document.lost)


def _author_name(author: str | None) -> str | None:
    """Whom a file names as its author; a notice would say it under penalty of perjury."""
    return None if author is None or author.strip().lower() in _PLACEHOLDER_AUTHORS else author


# One file, one work: a page that somebody saved.


def read_html(content: bytes, origin: str) -> ImportItems:
    """A saved page; its main text, title, author and date as the crawler would read them."""
    require_content(content)
    page = extract_html(content, (), f"file:{origin}")
    require_readable_text(page.text)
    yield validate_draft(
        WorkDraft(
            id=id_from_origin(origin),
            title=page.title or PurePosixPath(origin).stem,
            text=page.text,
            author=page.author,
            published_at=page.published_at,
            origin=origin,
        )
    )
