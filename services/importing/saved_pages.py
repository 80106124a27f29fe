"""One file, one work: a page that somebody saved."""

from pathlib import PurePosixPath

from crawler.extract.page import extract
from services.importing.drafts_and_refusals import FoundIn, checked, id_from_origin, text_of
from store.records import WorkDraft


def read_html(content: bytes, origin: str) -> FoundIn:
    """A saved page; its main text, title, author and date as the crawler would read them."""
    text_of(content)  # refuses what is no text
    page = extract(content, (), f"file:{origin}")
    yield checked(
        WorkDraft(
            id=id_from_origin(origin),
            title=page.title or PurePosixPath(origin).stem,
            text=page.text,
            author=page.author,
            published_at=page.published_at,
            origin=origin,
        )
    )
