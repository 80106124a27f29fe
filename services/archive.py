"""The archive of responses: verified against the captures that point into it, kept as long as the policy says."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from crawler.evidence.warc_reading import ENDING, body_at, records_in
from pipeline.setting_defaults import CoreSettings
from services.backup_under_way import is_under_way
from services.context import Product
from store.errors import BadInput, NotFound
from store.messages import Message, message
from store.records import Capture
from store.rules.web.page_after_capture import CONTENT

OFF = "off"
BATCH = 500
SHOWN = 100  # problems that are told one by one


@dataclass(slots=True)
class VerifiedArchive:
    """What was read back. again: responses that were fetched once more, since their crawler was not heard of; problems:
    the first ones; elsewhere: captures whose file is not in this folder.
    """

    files: int = 0
    records: int = 0
    again: int = 0
    captures: int = 0
    elsewhere: int = 0
    failed: int = 0
    problems: list[Message] = field(default_factory=list)

    def note(self, problem: Message) -> None:
        """Count a problem."""
        self.failed += 1
        if len(self.problems) < SHOWN:
            self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the policy let go."""

    bodies: int
    files: int


def folder_of(settings: CoreSettings) -> Path | None:
    """Where this machine's crawls write their WARC files."""
    named = settings.crawler.warc
    if named == OFF:
        return None
    return Path(named).absolute() if named else settings.data.absolute() / "warc"


def verify_archive(
    product: Product, folder: Path | None = None, progress: Callable[[int, int], None] | None = None
) -> VerifiedArchive:
    """Read every record of every file in the folder, and every capture that points into one.

    folder: this machine's where none is named; `BadInput` where its crawls keep no files.
    """
    folder = folder or folder_of(product.settings)
    if folder is None:
        raise BadInput("archive.off")
    verified = VerifiedArchive()
    files = files_in(folder)
    for path in files:
        verified.files += 1
        for record in records_in(path):
            verified.records += 1
            verified.again += record.again
            if record.problem:
                verified.note(message("archive.of_record", file=path.name, id=record.id, problem=record.problem))
        if progress:
            progress(verified.files, len(files))
    _verify_captures(product.store.captures.each(), folder, {path.name for path in files}, verified)
    return verified


def drop_old(product: Product) -> Dropped:
    """Drop what is older than `keep.days`: captures that a later one superseded and no case cites, with their bodies;
    WARC files into which no capture points any more. Nothing while a backup copies them.
    """
    if not product.settings.keep.days or is_under_way(product):
        return Dropped(0, 0)
    before = product.now() - timedelta(days=product.settings.keep.days)
    cited: set[str] = set()
    for case in product.store.cases.each():
        cited.update(filter(None, (getattr(case.capture, name) for name in CONTENT)))
    digests = product.store.captures.drop_superseded(before, cited)
    bodies = sum(product.store.blobs.drop(digests[at : at + BATCH], before) for at in range(0, len(digests), BATCH))
    return Dropped(bodies, _drop_files(product, before))


def _drop_files(product: Product, before: datetime) -> int:
    folder = folder_of(product.settings)
    if folder is None:
        return 0
    pointed_into = product.store.captures.archives()
    old = [
        path
        for path in files_in(folder)
        if path.name not in pointed_into and datetime.fromtimestamp(path.stat().st_mtime, UTC) < before
    ]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def _verify_captures(captures: Iterable[Capture], folder: Path, here: set[str], verified: VerifiedArchive) -> None:
    for capture in captures:
        if capture.warc is None:
            continue
        if capture.warc.file not in here:
            verified.elsewhere += 1
            continue
        verified.captures += 1
        try:
            body = body_at(folder, capture.warc)
        except NotFound as error:
            verified.note(message("archive.of_capture", url=capture.url, problem=error))
            continue
        if hashlib.sha256(body).hexdigest() != capture.body_digest:
            verified.note(message("archive.other_body", url=capture.url, id=capture.warc.record_id))


def files_in(folder: Path) -> list[Path]:
    """The WARC files there, by their names."""
    return sorted(path for path in folder.glob(f"*{ENDING}") if path.is_file())
