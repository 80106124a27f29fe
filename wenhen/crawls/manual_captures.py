"""Store files that people bring, such as screenshots and saved pages, as captures of pages."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from crawler.addresses import canonical_url, host_of
from crawler.capture import Brought, Capture
from crawler.extraction.documents.file_kinds import (
    FILE_ENDINGS,
    PAGE_ENDINGS,
    PICTURE_ENDINGS,
    TRANSCRIPT_ENDINGS,
    detect_file_kind,
    is_page_file,
    is_picture_file,
)
from crawler.extraction.documents.transcripts import read_transcript
from wenhen.context.store_and_queue import PERSON_SHARE
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.crawls.job import find_crawled_site
from wenhen.kit.errors import BadInput, TooLarge, Unreadable
from wenhen.kit.progress import Owner, OwnerKind, Step, Subject, SubjectKind
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAX_FILE_BYTES
from wenhen.pages.model import Page
from wenhen.pages.service import restore_expired_page, restore_returned_page
from wenhen.steps.problems import CRAWL

MAX_FILES: Final = 500  # enough for screenshots of the longest chapters
MAX_TEXT_CHARACTERS: Final = 1_000  # characters per field
_PAGE_HEADERS: Final = (("Content-Type", "text/html"),)  # the page states its charset itself
_PACKED_HEADERS: Final = (
    ("Content-Type", "application/zip"),
    ("Content-Disposition", 'attachment; filename="brought.zip"'),
)
_FIXED_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)  # fixed, so that the same files give the same archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The circumstances of a manual capture.

    by: who took it, if not the user who adds it.
    seen_at: when it was seen, by default now.
    """

    by: str | None = None
    seen_at: datetime | None = None
    app: str | None = None
    device: str | None = None
    note: str | None = None


@audited("capture.add")
def add_capture(
    acting: Acting, url: str, files: Sequence[tuple[str, bytes]], seen: Circumstances
) -> ChangeResult[Page]:
    """Store files as a capture of the page at this URL.

    files: pairs of name and content, in reading order. A page that a browser saved stands alone: it is stored and read
    as if it had been fetched from this URL.

    Raises `BadInput` for an incomplete URL or an unreadable file, and `TooLarge`.
    """
    acting.require(Right.CRAWL)
    product = acting.product
    if host_of(url) is None:
        raise BadInput("crawls.not_in_full", url=url)
    _check_files(files, seen)
    is_page = is_page_file(files[0][1], files[0][0])
    body = files[0][1] if is_page else _pack_files(files)
    headers = _PAGE_HEADERS if is_page else _PACKED_HEADERS
    capture = _make_capture(acting, canonical_url(url), body, headers, [name for name, _ in files], seen)
    product.store.blobs.put(body)
    page = product.store.pages.put_capture(canonical_url(url), capture, site_id=_watched_site_id(product, url))
    restore_expired_page(product, page)
    restore_returned_page(product, page)
    product.store.problems.clear(CRAWL, page.url)
    if page.progress.step is Step.EXTRACT:
        product.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT, PERSON_SHARE)
    return change_result(page, AuditLine(str(Owner.of_page(page.id)), new=f"{page.url} {capture.body_digest}"))


def _check_files(files: Sequence[tuple[str, bytes]], seen: Circumstances) -> None:
    if not files:
        raise BadInput("bringing.no_file")
    if len(files) > MAX_FILES:
        raise TooLarge("bringing.too_many", count=len(files), most=MAX_FILES)
    if sum(len(content) for _, content in files) > MAX_FILE_BYTES:
        raise TooLarge("importing.too_large", size=MAX_FILE_BYTES >> 20)
    for name, content in files:
        if is_page_file(content, name):
            if len(files) > 1:
                raise BadInput("bringing.page_alone", name=name)
            continue
        kind = detect_file_kind(content, name)
        if kind is None and not is_picture_file(content, name):
            known = " ".join((*FILE_ENDINGS, *PAGE_ENDINGS, *PICTURE_ENDINGS))
            raise BadInput("bringing.unknown_file", name=name, known=known)
        if kind in TRANSCRIPT_ENDINGS.values():
            require_transcript(name, content)
    for value in (seen.by, seen.app, seen.device, seen.note):
        if value is not None and len(value) > MAX_TEXT_CHARACTERS:
            raise BadInput("bringing.too_long", count=len(value), most=MAX_TEXT_CHARACTERS)


def require_transcript(name: str, content: bytes) -> None:
    """Raise `BadInput` for a file that is no transcript with times, with the reason."""
    kind = detect_file_kind(content, name)
    if kind is None or kind not in TRANSCRIPT_ENDINGS.values():
        raise BadInput("bringing.no_transcript", name=name, known=" ".join(TRANSCRIPT_ENDINGS))
    try:
        read_transcript(content, kind)
    except Unreadable as error:
        raise BadInput("bringing.bad_transcript", name=name, reason=error.message) from error


def _pack_files(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Pack the files into a ZIP archive. Numbers make the names unique."""
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        for number, (name, content) in enumerate(files, 1):
            entry = f"{number:03} {PurePosixPath(name.replace(chr(92), '/')).name}"
            archive.writestr(zipfile.ZipInfo(entry, _FIXED_ZIP_DATE), content)
    return packed.getvalue()


def _make_capture(
    acting: Acting,
    url: str,
    body: bytes,
    headers: tuple[tuple[str, str], ...],
    names: Sequence[str],
    seen: Circumstances,
) -> Capture:
    now = acting.product.now()
    return Capture(
        fetched_at=now,
        url=url,
        status=0,
        headers=headers,
        body_digest=sha256(body).hexdigest(),
        body_size=len(body),
        brought=Brought(
            by=seen.by or acting.who,
            seen_at=seen.seen_at or now,
            files=tuple(names),
            app=seen.app,
            device=seen.device,
            note=seen.note,
        ),
    )


def _watched_site_id(product: Product, url: str) -> str | None:
    """Return the id of the watched site that contains the URL, if any."""
    id = find_crawled_site(product, Subject(SubjectKind.ADDRESS, url)).id
    return None if id == url else id
