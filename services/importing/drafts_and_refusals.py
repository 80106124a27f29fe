"""What reading a file gives: drafts, and refusals that cost nobody else their place."""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crawler.extract.charset import Decoded, decode
from crawler.extract.files.text import REPLACED_SHARE
from crawler.extract.files.zip_archive import MAX_FILE_BYTES
from services.importing.work_details import LONGEST
from store.errors import BadInput, TooLarge, WenhenError
from store.messages import Message
from store.records import WorkDraft

MAX_ID = 1_000  # characters
MAX_LINE = MAX_FILE_BYTES // 3  # characters
HEAD_BYTES = 2**20  # of a long file, which tell its charset


@dataclass(frozen=True, slots=True)
class Refused:
    """Something that could not be imported: which file or line, and why."""

    what: str
    reason: Message
    kind: str = BadInput.__name__  # class of the error

    @classmethod
    def by(cls, error: WenhenError, what: str) -> "Refused":
        """What an error refused."""
        return cls(what, error.message, type(error).__name__)


Found = WorkDraft | Refused
FoundIn = Iterator[Found]


def id_from_origin(origin: str) -> str:
    """An id for a work that brings none: readable, and the same at every import of the same file."""
    stem = PurePosixPath(origin).stem or "work"
    return f"{stem[:80]}-{hashlib.sha256(origin.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def text_of(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16, GB18030 or Big5. Raises `BadInput` for bytes that are no text."""
    if len(content) > MAX_FILE_BYTES:
        raise TooLarge("importing.too_many_mb", size=len(content) / 2**20, most=MAX_FILE_BYTES // 2**20)
    if not content.strip():
        raise BadInput("importing.empty_file")
    return readable(_decoded(content).text).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes) -> Decoded:
    """A few Chinese characters are detected as whatever has a byte a character; that is what works are not."""
    found = decode(content)
    return decode(content, "gb18030") if len(found.text) == len(content) and not content.isascii() else found


def readable(text: str) -> str:
    """The text, if it was one before it was decoded. Raises `BadInput`."""
    bad = text.count("\N{REPLACEMENT CHARACTER}") + text.count("\0")
    if bad > REPLACED_SHARE * len(text):
        raise BadInput("importing.not_text")
    return text


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file of any size, one at a time in memory, in the charset of its beginning.

    Raises `BadInput` for an empty file, `TooLarge` for a line that is larger than a file may be.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        if not head.strip():
            raise BadInput("importing.empty_file")
        charset = _decoded(head).charset
        file.seek(0)
        with io.TextIOWrapper(file, charset, errors="replace") as text:
            while line := text.readline(MAX_LINE):
                if len(line) == MAX_LINE:
                    raise TooLarge("importing.long_line", most=MAX_LINE)
                yield line.removeprefix("\ufeff")


def checked(draft: WorkDraft) -> WorkDraft:
    """The draft, if it holds a text, and an id and a title that are none. Raises `BadInput`."""
    if not draft.text.strip():
        raise BadInput("importing.no_text")
    for name, value, most in (("id", draft.id, MAX_ID), ("title", draft.title, LONGEST["title"])):
        if len(value) > most:
            raise BadInput("importing.long_field", field=name, count=len(value), most=most)
    return draft
