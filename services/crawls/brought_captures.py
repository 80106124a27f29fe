"""What somebody saw in an app and no crawl can fetch, brought as files: a capture, and a page like any other after."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Final

from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.host_names import host_of
from crawler.extract.files.file_kinds import ENDINGS, kind_of
from crawler.extract.files.picture_file import ENDINGS as PICTURE_ENDINGS
from crawler.extract.files.picture_file import is_picture
from crawler.extract.files.zip_archive import MAX_FILE_BYTES
from pipeline.pages.page_expiry import welcome_back
from pipeline.pages.vanished_and_returned import welcome_returned
from pipeline.worker_shares import PERSON
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.crawls.subject import site_for
from store.errors import BadInput, TooLarge
from store.records import Brought, Capture, Owner, OwnerKind, Page, Step, Subject, SubjectKind
from store.records.upkeep.problem import CRAWL
from store.rules.role_rights import Right

MOST_FILES: Final = 500  # screenshots of the longest chapters
LONGEST: Final = 1_000  # characters of a note
_UNDATED: Final = (1980, 1, 1, 0, 0, 0)  # so that the same files make the same archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """How it was seen. by: who took it, if not who hands it in; seen_at: when, if not now."""

    by: str | None = None
    seen_at: datetime | None = None
    app: str | None = None
    device: str | None = None
    note: str | None = None


@audited("capture.add")
def bring(acting: Acting, url: str, files: Sequence[tuple[str, bytes]], seen: Circumstances) -> Changed[Page]:
    """Store files, by name, in the order in which they are to be read, as a capture of the page at this address.

    Raises `BadInput` for an address in no full form, and for a file that cannot be read; `TooLarge`.
    """
    acting.require(Right.CRAWL)
    product = acting.product
    if host_of(url) is None:
        raise BadInput("crawls.not_in_full", url=url)
    _check(files, seen)
    body = _packed(files)
    capture = _capture(acting, canonical(url), body, [name for name, _ in files], seen)
    product.store.blobs.put(body)
    page = product.store.pages.put_capture(canonical(url), capture, site_id=_site_of(product, url))
    welcome_back(product, page)
    welcome_returned(product, page)
    product.store.problems.clear(CRAWL, page.url)
    if page.progress.step is Step.EXTRACT:
        product.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT, PERSON)
    return changed(page, Line(str(Owner.of_page(page.id)), new=f"{page.url} {capture.body_digest}"))


def _check(files: Sequence[tuple[str, bytes]], seen: Circumstances) -> None:
    if not files:
        raise BadInput("bringing.no_file")
    if len(files) > MOST_FILES:
        raise TooLarge("bringing.too_many", count=len(files), most=MOST_FILES)
    if sum(len(content) for _, content in files) > MAX_FILE_BYTES:
        raise TooLarge("importing.too_large", size=MAX_FILE_BYTES >> 20)
    for name, content in files:
        if kind_of(content, name) is None and not is_picture(content, name):
            raise BadInput("bringing.unknown_file", name=name, known=" ".join((*ENDINGS, *PICTURE_ENDINGS)))
    for value in (seen.by, seen.app, seen.device, seen.note):
        if value is not None and len(value) > LONGEST:
            raise BadInput("bringing.too_long", count=len(value), most=LONGEST)


def _packed(files: Sequence[tuple[str, bytes]]) -> bytes:
    """The files as one archive, numbered so that no two have one name."""
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        for number, (name, content) in enumerate(files, 1):
            entry = f"{number:03} {PurePosixPath(name.replace(chr(92), '/')).name}"
            archive.writestr(zipfile.ZipInfo(entry, _UNDATED), content)
    return packed.getvalue()


def _capture(acting: Acting, url: str, body: bytes, names: Sequence[str], seen: Circumstances) -> Capture:
    now = acting.product.now()
    return Capture(
        fetched_at=now,
        url=url,
        status=0,
        headers=(("Content-Type", "application/zip"), ("Content-Disposition", 'attachment; filename="brought.zip"')),
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


def _site_of(product: Product, url: str) -> str | None:
    """The watched site that the address belongs to."""
    id = site_for(product, Subject(SubjectKind.ADDRESS, url)).id
    return None if id == url else id
