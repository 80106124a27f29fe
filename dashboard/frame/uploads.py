"""Files that readers send: how large they may be, and what they are called."""

from pathlib import PurePosixPath
from typing import Final

from flask import Flask, request
from werkzeug.datastructures import FileStorage

from services.kept_files import MOST_MB

MB: Final = 2**20
IMPORT_MB: Final = 64  # larger ones come in by the command
CHECK_MB: Final = 8
KEPT_MB: Final = MOST_MB + 1  # with the form around it
ACCEPTED: Final = ".txt,.md,.html,.htm,.jsonl,.csv,.xlsx,.pdf,.docx,.doc,.rtf,.epub,.mobi,.prc,.azw,.azw3,.zip"
_LIMITS: Final = {
    "intake.take": IMPORT_MB * MB,
    "platforms.put_template": CHECK_MB * MB,
    "notices.answer": KEPT_MB * MB,
    "notices.edit": MB,
    "exhibits.add_receipt": KEPT_MB * MB,
    "papers.add": KEPT_MB * MB,
    "check.ask": CHECK_MB * MB,
    "sites.take": CHECK_MB * MB,
    "work_form.make": CHECK_MB * MB,
    "details.preview": CHECK_MB * MB,
    "details.take": CHECK_MB * MB,
    "site_access.session": MB,
}


def install(app: Flask) -> None:
    """Let these screens take more than the small forms of the others; `dashboard.api.bearer` bounds the API."""

    def widen() -> None:
        limit = _LIMITS.get(request.endpoint or "")
        if limit:
            request.max_content_length = request.max_form_memory_size = limit

    app.before_request(widen)


def sent(field: str) -> list[tuple[str, bytes]]:
    """The files of a form's field, by name without folders; a field left empty gives none."""
    return [(plain_name(file), file.read()) for file in request.files.getlist(field) if file.filename]


def plain_name(file: FileStorage) -> str:
    """What a file is called, without folders and without what cannot be printed."""
    name = PurePosixPath((file.filename or "").replace("\\", "/")).name
    return "".join(letter if letter.isprintable() else "_" for letter in name)[-200:] or "_"
