"""Import works from uploaded files."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from flask import Blueprint, render_template, request, stream_with_context
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.frame.requests import ACCEPTED_SUFFIXES, MAX_IMPORT_MB, uploaded_files
from dashboard.frame.security import needs
from wenhen.kit.rights import Right
from wenhen.product.use_cases import Acting
from wenhen.works.import_export import ImportedWorks, import_upload

upload_blueprint = Blueprint("intake", __name__, url_prefix="/works/import")

_MAX_OWNER_CHARACTERS: Final = 200
NDJSON_TYPE: Final = "application/x-ndjson"  # requested by the script, which shows the progress of the import
_MAX_SHOWN: Final = 500  # works that the result names


@upload_blueprint.get("/")
@needs(Right.WORKS)
def show() -> str:
    """Show the form."""
    return _render_upload()


@upload_blueprint.post("/")
@needs(Right.WORKS)
def take() -> str | Response | tuple[str, int]:
    """Import the files. List refused works with the reason, and accept the rest."""
    owner = request.form.get("owner", "").strip()[:_MAX_OWNER_CHARACTERS] or None
    files = uploaded_files("files")
    if not files:
        return _render_upload(refusal=t("intake.no_file"), owner=owner), 400
    if request.accept_mimetypes.best == NDJSON_TYPE:
        return Response(stream_with_context(_progress_lines(files, owner)), mimetype=NDJSON_TYPE)
    return _render_upload(result=_import_files(current_actor(), files, owner), owner=owner)


def _import_files(
    who: Acting, files: list[tuple[str, bytes]], owner: str | None, progress: Callable[[int], None] = lambda _: None
) -> ImportedWorks:
    """Import the files one after the other. Call `progress` with the number of accepted works."""
    together = ImportedWorks()

    def report_progress(count: int, _total: int) -> None:
        progress(together.counts().accepted_count + count)

    for name, content in files:
        done = import_upload(who, name, content, owner=owner, progress=report_progress)
        together.new += done.new
        together.changed += done.changed
        together.unchanged += done.unchanged
        together.refused += done.refused
        together.short += done.short
    return together


def _progress_lines(files: list[tuple[str, bytes]], owner: str | None) -> Iterator[str]:
    """Yield the number of imported works in lines, then the page that a browser without script gets."""
    counts: SimpleQueue[int | None] = SimpleQueue()

    def work(who: Acting) -> ImportedWorks:
        try:
            return _import_files(who, files, owner, counts.put)
        finally:
            counts.put(None)

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(work, current_actor())
        for count in iter(counts.get, None):
            yield json.dumps({"done": count}) + "\n"
    yield json.dumps({"page": _render_upload(result=result.result(), owner=owner)}) + "\n"


def _render_upload(*, result: ImportedWorks | None = None, refusal: str | None = None, owner: str | None = None) -> str:
    ids = [*result.new, *result.changed, *result.unchanged][:_MAX_SHOWN] if result else []
    return render_template(
        "works/intake.html",
        result=result,
        works=services().store.works.many(ids),
        shown=_MAX_SHOWN,
        refusal=refusal,
        owner=owner,
        accepted=ACCEPTED_SUFFIXES,
        limit=MAX_IMPORT_MB,
    )
