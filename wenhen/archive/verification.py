"""Verify the WARC files and the captures that point into them."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from crawler.capture import Capture
from crawler.warc.reader import check_records, read_body
from wenhen.archive.stamps import verify_stamp_of
from wenhen.crawls.job import warc_files_in, warc_folder
from wenhen.kit.errors import BadInput, Message, NotFound, WenhenError, message
from wenhen.product.context import Product

MAX_SHOWN_PROBLEMS = 100  # problems that are told one by one


@dataclass(slots=True)
class ArchiveVerification:
    """What was read back. again: responses that were fetched once more, since their crawler was not heard of;
    stamped: files with a valid time stamp; problems: the first ones; elsewhere: captures whose file is not in this
    folder.
    """

    files: int = 0
    records: int = 0
    again: int = 0
    stamped: int = 0
    captures: int = 0
    elsewhere: int = 0
    failed: int = 0
    problems: list[Message] = field(default_factory=list)

    def note(self, problem: Message) -> None:
        """Count a problem."""
        self.failed += 1
        if len(self.problems) < MAX_SHOWN_PROBLEMS:
            self.problems.append(problem)


def verify_archive(
    product: Product, folder: Path | None = None, progress: Callable[[int, int], None] | None = None
) -> ArchiveVerification:
    """Read every record of every file in the folder, and every capture that points into one.

    folder: this machine's where none is named; `BadInput` where its crawls keep no files.
    """
    folder = folder or warc_folder(product.settings)
    if folder is None:
        raise BadInput("archive.off")
    verified = ArchiveVerification()
    files = warc_files_in(folder)
    for path in files:
        verified.files += 1
        _verify_stamp(product, path, verified)
        for record in check_records(path):
            verified.records += 1
            verified.again += record.again
            if record.problem:
                verified.note(message("archive.of_record", file=path.name, id=record.id, problem=record.problem))
        if progress:
            progress(verified.files, len(files))
    _verify_captures(product.store.captures.each(), folder, {path.name for path in files}, verified)
    return verified


def _verify_stamp(product: Product, path: Path, verified: ArchiveVerification) -> None:
    """Count the time stamp of a file, or note what is wrong with it. A file without one is no problem."""
    try:
        verified.stamped += verify_stamp_of(product, path) is not None
    except WenhenError as error:
        verified.note(message("archive.of_stamp", file=path.name, problem=error))


def _verify_captures(captures: Iterable[Capture], folder: Path, here: set[str], verified: ArchiveVerification) -> None:
    for capture in captures:
        if capture.warc is None:
            continue
        if capture.warc.file not in here:
            verified.elsewhere += 1
            continue
        verified.captures += 1
        try:
            body = read_body(folder, capture.warc)
        except NotFound as error:
            verified.note(message("archive.of_capture", url=capture.url, problem=error))
            continue
        if hashlib.sha256(body).hexdigest() != capture.body_digest:
            verified.note(message("archive.other_body", url=capture.url, id=capture.warc.record_id))
