"""Parse arguments, forms, page numbers and uploads strictly, lead to screens, and send files as downloads."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode

from flask import Flask, Response, abort, flash, make_response, redirect, request, send_file, url_for
from werkzeug.datastructures import FileStorage
from werkzeug.routing import IntegerConverter

from wenhen.kit.clock import end_of_day, start_of_day
from wenhen.kit.errors import BadInput, Language
from wenhen.kit.size_and_time_limits import MAX_CHECK_MB, MAX_IMPORT_MB, MAX_STORED_MB, MEBIBYTE
from wenhen.reports.wording import REPORT_LANGUAGES


class BoundedIntegerConverter(IntegerConverter):
    """Match ``<int:…>`` with at most as many digits as stored numbers have. A longer number gets 404."""

    regex = r"\d{1,18}"


# Strict parsing of addresses and forms: an invalid value raises `BadInput`.


E = TypeVar("E", bound=StrEnum)
MIN_YEAR, MAX_YEAR = 1900, 2999  # years


def choice_argument(name: str, kind: type[E]) -> E | None:
    """Parse an argument of the address as a member of an enumeration."""
    given = request.args.get(name, "")
    try:
        return kind(given) if given else None
    except ValueError:
        raise BadInput("asked.no_such", name=name, given=repr(given[:40]), choices=", ".join(kind)) from None


def form_choice(name: str, kind: type[E]) -> E:
    """Return a field of the form as a member of an enumeration. Our forms offer no other value, so abort with 400."""
    try:
        return kind(request.form.get(name, ""))
    except ValueError:
        abort(400)


def parse_number(text: str, digits: int = 15) -> int | None:
    """Return the number that is written in at most so many decimal digits, or None.

    >>> [parse_number(text) for text in ("12", "-1", "1.5", "")]
    [12, None, None, None]
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def printable_words(text: str) -> str | None:
    """Return the words of a query without unprintable characters, or None if nothing is left."""
    return "".join(letter for letter in text if letter.isprintable()).strip() or None


def day_argument(name: str) -> date | None:
    """Parse a day of the address, as YYYY-MM-DD."""
    return _parse_day(request.args.get(name, ""))


def day_field(name: str) -> date | None:
    """Parse a day of the form, as YYYY-MM-DD. A filter in the address may have a day of the same name."""
    return _parse_day(request.form.get(name, ""))


def _parse_day(given: str) -> date | None:
    given = given.strip()
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
    """Return both days in chronological order.

    >>> [day.day for day in ordered_days(date(2026, 3, 9), date(2026, 3, 2))]
    [2, 9]
    """
    return (last, first) if first is not None and last is not None and first > last else (first, last)


def day_start(day: date | None) -> datetime | None:
    """Return the start of a day in China, in UTC."""
    return None if day is None else start_of_day(day)


def day_end(day: date | None) -> datetime | None:
    """Return the end of a day in China, which is the start of the next day, in UTC."""
    return None if day is None else end_of_day(day)


ROWS_PER_PAGE: Final = 50
_MAX_PAGES: Final = 10_000  # nobody reads further, filters narrow the list instead


@dataclass(frozen=True, slots=True)
class Paging:
    """The rows of a list that are shown."""

    number: int
    total: int
    more: bool = False  # than `total`

    @property
    def first(self) -> int:
        """Return the number of the first row shown, from 1, or 0 for an empty list."""
        return min(self.skip + 1, self.total)

    @property
    def last(self) -> int:
        """Return the number of the last row shown."""
        return min(self.skip + ROWS_PER_PAGE, self.total)

    @property
    def skip(self) -> int:
        """Return the number of rows before the first shown."""
        return (self.number - 1) * ROWS_PER_PAGE

    @property
    def previous(self) -> str | None:
        """Return the address of the previous page."""
        return self._address(self.number - 1) if self.number > 1 else None

    @property
    def following(self) -> str | None:
        """Return the address of the next page."""
        return self._address(self.number + 1) if self.last < self.total else None

    def _address(self, number: int) -> str:
        # Build the query by hand: url_for would accept arguments such as _scheme from the reader.
        return "?" + urlencode({**request.args.to_dict(), "page": number})


def current_paging(total: int, most: int | None = None) -> Paging:
    """Return the requested page. A page past the end becomes the last one.

    `most` is the number of rows after which the list ends.
    """
    if most is not None and total > most:
        return replace(current_paging(most), more=True)
    wanted = request.args.get("page", 1, type=int)
    last = max(1, -(-total // ROWS_PER_PAGE))
    return Paging(max(1, min(wanted, last, _MAX_PAGES)), total)


# Uploaded files: their size limits and their names.


ACCEPTED_SUFFIXES: Final = (
    ".txt,.md,.html,.htm,.mht,.mhtml,.jsonl,.csv,.xlsx,.pdf,.docx,.doc,.rtf,.epub,.mobi,.prc,.azw,.azw3,.zip"
)
_MAX_BYTES_BY_ENDPOINT: Final = {
    "intake.take_upload": MAX_IMPORT_MB * MEBIBYTE,
    "platforms.put_template": MAX_CHECK_MB * MEBIBYTE,
    "notices.read_states": MAX_CHECK_MB * MEBIBYTE,
    "notices.answer": MAX_STORED_MB * MEBIBYTE,
    "notices.edit": MEBIBYTE,
    "exhibits.add_receipt": MAX_STORED_MB * MEBIBYTE,
    "papers.add_document": MAX_STORED_MB * MEBIBYTE,
    "check.ask": MAX_CHECK_MB * MEBIBYTE,
    "marks.make": MAX_CHECK_MB * MEBIBYTE,
    "marks.read": MAX_CHECK_MB * MEBIBYTE,
    "sites.take": MAX_CHECK_MB * MEBIBYTE,
    "work_form.make": MAX_CHECK_MB * MEBIBYTE,
    "details.preview": MAX_CHECK_MB * MEBIBYTE,
    "details.take_details": MAX_CHECK_MB * MEBIBYTE,
    "site_access.session": MEBIBYTE,
}


def install_upload_limits(app: Flask) -> None:
    """Raise the size limit of forms on these screens. `dashboard.frame.api_protocol` limits the API."""

    def widen() -> None:
        limit = _MAX_BYTES_BY_ENDPOINT.get(request.endpoint or "")
        if limit:
            request.max_content_length = request.max_form_memory_size = limit

    app.before_request(widen)


def is_script_request() -> bool:
    """Return whether a script of the page sent the request and wants JSON, because the page stays or is replaced."""
    return request.accept_mimetypes.best == "application/json"


def uploaded_files(field: str) -> list[tuple[str, bytes]]:
    """Return the files of a form field with their names without folders. An empty field gives none."""
    return [(plain_file_name(file), file.read()) for file in request.files.getlist(field) if file.filename]


def uploaded_file(field: str) -> tuple[str, bytes] | None:
    """Return the first file of a form field, as `uploaded_files` does, or None."""
    return next(iter(uploaded_files(field)), None)


def plain_file_name(file: FileStorage) -> str:
    """Return the name of a file without folders and without unprintable characters."""
    name = PurePosixPath((file.filename or "").replace("\\", "/")).name
    return "".join(letter if letter.isprintable() else "_" for letter in name)[-200:] or "_"


def redirect_to(endpoint: str, notice: str = "", look: str = "message", **arguments: Any) -> Response:
    """Lead to a screen after a form (303), with a notice if there is one. look: the category of the notice."""
    if notice:
        flash(notice, look)
    return make_response(redirect(url_for(endpoint, **arguments), 303))


# Downloads. The browser must not open files that somebody uploaded.


OCTET_STREAM_TYPE: Final = "application/octet-stream"  # for content that others wrote
WACZ_TYPE: Final = "application/wacz"
_NON_ALPHANUMERIC: Final = re.compile(r"[^A-Za-z0-9]+")


def file_response(name: str, content: bytes, type: str = OCTET_STREAM_TYPE) -> Response:
    """Send the bytes as a download under this name.

    Some programs accept ASCII names only (curl --remote-header-name). Their name begins with `wenhen-`, because the
    rest of 文痕-案件-1.csv would look like an option.
    """
    answer = send_file(BytesIO(content), mimetype=type, as_attachment=True, download_name=name)
    if not name.isascii():
        stem, dot, ending = name.rpartition(".")
        plain = _NON_ALPHANUMERIC.sub("-", f"wenhen-{stem}").strip("-") + dot + _NON_ALPHANUMERIC.sub("", ending)
        names = {"filename": plain, "filename*": f"UTF-8''{quote(name, safe='')}"}
        answer.headers.set("Content-Disposition", "attachment", **names)
    return answer


def shared_link_address(secret: str) -> str:
    """Return the address at which people outside open a link."""
    return url_for("shared.show_file", secret=secret, _external=True)


def report_language_argument(text: str | None) -> Language | None:
    """Return the language of a report that the address or form asks for. None: both. Raises `BadInput` for others."""
    if not text:
        return None
    chosen: Language | None = next((known for known in REPORT_LANGUAGES if known == text), None)
    if chosen is None:
        raise BadInput("reports.no_language", given=repr(text[:20]))
    return chosen
