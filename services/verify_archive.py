"""What is wrong with the archive of responses: each record is read back, as is what each capture points to."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from crawler.evidence.warc_read_back import body_at, records_in
from services.archive_folder import files_in, folder_of
from services.context import Product
from store.errors import BadInput, NotFound
from store.messages import Message, message
from store.records import Capture

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
