"""Parse arguments, page numbers and uploads strictly, and send files as downloads."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final, TypeVar
from urllib.parse import quote, urlencode

from flask import Flask, request, send_file
from werkzeug.datastructures import FileStorage
from werkzeug.routing import IntegerConverter
from werkzeug.wrappers import Response

from wenhen.kit.clock import end_of_day, start_of_day
from wenhen.kit.errors import BadInput
from wenhen.kit.upload_limits import MAX_UPLOAD_MB


class BoundedIntegerConverter(IntegerConverter):
    """``<int:…>``, of no more digits than any number that we give; an address with more is not found."""

    regex = r"\d{1,18}"


# What an address or a form asks for, read strictly: `BadInput` for a value that does not exist.


E = TypeVar("E", bound=StrEnum)
MIN_YEAR, MAX_YEAR = 1900, 2999  # years


def choice_argument(name: str, kind: type[E]) -> E | None:
    """One of some values out of the address."""
    given = request.args.get(name, "")
    try:
        return kind(given) if given else None
    except ValueError:
        raise BadInput("asked.no_such", name=name, given=repr(given[:40]), choices=", ".join(kind)) from None


def day_argument(name: str) -> date | None:
    """A day out of the address or the form, as YYYY-MM-DD."""
    given = request.values.get(name, "").strip()
    if not given:
        return None
    try:
        day = date.fromisoformat(given)
    except ValueError:
        day = None
    if day is None or not MIN_YEAR <= day.year <= MAX_YEAR:
        raise BadInput("asked.no_day", given=given[:40])
    return day


def ordered_days(first: date | None, last: date | None) -> tuple[date | None, date | None]:
    """Both days, the earlier one first.

    >>> [day.day for day in ordered_days(date(2026, 3, 9), date(2026, 3, 2))]
    [2, 9]
    """
    return (last, first) if first is not None and last is not None and first > last else (first, last)


def day_start(day: date | None) -> datetime | None:
    """The beginning of a day of China, in UTC."""
    return None if day is None else start_of_day(day)


def day_end(day: date | None) -> datetime | None:
    """The end of a day in Beijing, which is the beginning of the next, in UTC."""
    return None if day is None else end_of_day(day)


ROWS_PER_PAGE: Final = 50
_MAX_PAGES: Final = 10_000  # beyond it nobody reads on; filters do


@dataclass(frozen=True, slots=True)
class Paging:
    """Which rows of a list are shown."""

    number: int
    total: int
    more: bool = False  # than `total`

    @property
    def first(self) -> int:
        """Number of the first row shown, from 1; 0 for an empty list."""
        return min(self.skip + 1, self.total)

    @property
    def last(self) -> int:
        """Number of the last row shown."""
        return min(self.skip + ROWS_PER_PAGE, self.total)

    @property
    def skip(self) -> int:
        """Rows before the first shown."""
        return (self.number - 1) * ROWS_PER_PAGE

    @property
    def previous(self) -> str | None:
        """The address of the page before this one."""
        return self._address(self.number - 1) if self.number > 1 else None

    @property
    def following(self) -> str | None:
        """The address of the page after this one."""
        return self._address(self.number + 1) if self.last < self.total else None

    def _address(self, number: int) -> str:
        # A query alone: built by hand, because url_for would take arguments such as _scheme from the reader.
        return "?" + urlencode({**request.args.to_dict(), "page": number})


def current_paging(total: int, most: int | None = None) -> Paging:
    """The page that the address asks for; a page past the end is the last one. most: rows beyond it are not listed."""
    if most is not None and total > most:
        return replace(current_paging(most), more=True)
    wanted = request.args.get("page", 1, type=int)
    last = max(1, -(-total // ROWS_PER_PAGE))
    return Paging(max(1, min(wanted, last, _MAX_PAGES)), total)


# Files that readers send: how large they may be, and what they are called.


BYTES_PER_MB: Final = 2**20
MAX_IMPORT_MB: Final = 64  # larger ones come in by the command
MAX_CHECK_MB: Final = 8
MAX_STORED_MB: Final = MAX_UPLOAD_MB + 1  # with the form around it
ACCEPTED_SUFFIXES: Final = (
    ".txt,.md,.html,.htm,.mht,.mhtml,.jsonl,.csv,.xlsx,.pdf,.docx,.doc,.rtf,.epub,.mobi,.prc,.azw,.azw3,.zip"
)
_MAX_BYTES_BY_ENDPOINT: Final = {
    "intake.take": MAX_IMPORT_MB * BYTES_PER_MB,
    "platforms.put_template": MAX_CHECK_MB * BYTES_PER_MB,
    "notices.answer": MAX_STORED_MB * BYTES_PER_MB,
    "notices.edit": BYTES_PER_MB,
    "exhibits.add_receipt": MAX_STORED_MB * BYTES_PER_MB,
    "papers.add": MAX_STORED_MB * BYTES_PER_MB,
    "check.ask": MAX_CHECK_MB * BYTES_PER_MB,
    "sites.take": MAX_CHECK_MB * BYTES_PER_MB,
    "work_form.make": MAX_CHECK_MB * BYTES_PER_MB,
    "details.preview": MAX_CHECK_MB * BYTES_PER_MB,
    "details.take": MAX_CHECK_MB * BYTES_PER_MB,
    "site_access.session": BYTES_PER_MB,
}


def install_upload_limits(app: Flask) -> None:
    """Raise the size limit of forms on these screens. `dashboard.frame.api.blueprint` bounds the API."""

    def widen() -> None:
        limit = _MAX_BYTES_BY_ENDPOINT.get(request.endpoint or "")
        if limit:
            request.max_content_length = request.max_form_memory_size = limit

    app.before_request(widen)


def uploaded_files(field: str) -> list[tuple[str, bytes]]:
    """The files of a form's field, by name without folders; a field left empty gives none."""
    return [(plain_file_name(file), file.read()) for file in request.files.getlist(field) if file.filename]


def plain_file_name(file: FileStorage) -> str:
    """What a file is called, without folders and without what cannot be printed."""
    name = PurePosixPath((file.filename or "").replace("\\", "/")).name
    return "".join(letter if letter.isprintable() else "_" for letter in name)[-200:] or "_"


# Bytes as a file to be kept: no browser opens here what somebody sent.


OCTET_STREAM_TYPE: Final = "application/octet-stream"  # of what others wrote
WACZ_TYPE: Final = "application/wacz"
_NON_ALPHANUMERIC: Final = re.compile(r"[^A-Za-z0-9]+")


def file_response(name: str, content: bytes, type: str = OCTET_STREAM_TYPE) -> Response:
    """The bytes under that name; for programs that know no other characters than ASCII (curl --remote-header-name), one
    that begins with ours: what is left of 文痕-案件-1.csv would look like an option.
    """
    answer = send_file(BytesIO(content), mimetype=type, as_attachment=True, download_name=name)
    if not name.isascii():
        stem, dot, ending = name.rpartition(".")
        plain = _NON_ALPHANUMERIC.sub("-", f"wenhen-{stem}").strip("-") + dot + _NON_ALPHANUMERIC.sub("", ending)
        names = {"filename": plain, "filename*": f"UTF-8''{quote(name, safe='')}"}
        answer.headers.set("Content-Disposition", "attachment", **names)
    return answer
