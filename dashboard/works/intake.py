"""Works imported by upload."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from flask import Blueprint, render_template, request, stream_with_context
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.frame.uploads import ACCEPTED, IMPORT_MB, sent
from services.acting import Acting
from services.library.import_works import ImportedWorks, import_upload
from store.rules.role_rights import Right

blueprint = Blueprint("intake", __name__, url_prefix="/works/import")

_OWNER_LENGTH: Final = 200
LINES: Final = "application/x-ndjson"  # asked for by the script, which shows how far the import is
_SHOWN: Final = 500  # works that the result names


@blueprint.get("/")
@needs(Right.WORKS)
def show() -> str:
    """The form."""
    return _page()


@blueprint.post("/")
@needs(Right.WORKS)
def take() -> str | Response | tuple[str, int]:
    """Import the files; what is refused is listed with its reason, and the rest is taken."""
    owner = request.form.get("owner", "").strip()[:_OWNER_LENGTH] or None
    files = sent("files")
    if not files:
        return _page(refusal=t("intake.no_file"), owner=owner), 400
    if request.accept_mimetypes.best == LINES:
        return Response(stream_with_context(_lines(files, owner)), mimetype=LINES)
    return _page(result=_import(acting(), files, owner), owner=owner)


def _import(
    who: Acting, files: list[tuple[str, bytes]], owner: str | None, progress: Callable[[int], None] = lambda _: None
) -> ImportedWorks:
    """Import one file after the other. progress: told how many works were taken."""
    together = ImportedWorks()

    def told(count: int, _total: int) -> None:
        progress(together.counts().taken + count)

    for name, content in files:
        done = import_upload(who, name, content, owner=owner, progress=told)
        together.new += done.new
        together.changed += done.changed
        together.unchanged += done.unchanged
        together.refused += done.refused
        together.short += done.short
    return together


def _lines(files: list[tuple[str, bytes]], owner: str | None) -> Iterator[str]:
    """How many works are done, a line each time, and at the end the page that a browser without script would get."""
    told: SimpleQueue[int | None] = SimpleQueue()

    def work(who: Acting) -> ImportedWorks:
        try:
            return _import(who, files, owner, told.put)
        finally:
            told.put(None)

    with ThreadPoolExecutor(1) as thread:
        result = thread.submit(work, acting())
        for count in iter(told.get, None):
            yield json.dumps({"done": count}) + "\n"
    yield json.dumps({"page": _page(result=result.result(), owner=owner)}) + "\n"


def _page(*, result: ImportedWorks | None = None, refusal: str | None = None, owner: str | None = None) -> str:
    ids = [*result.new, *result.changed, *result.unchanged][:_SHOWN] if result else []
    return render_template(
        "works/intake.html",
        result=result,
        works=services().store.works.many(ids),
        shown=_SHOWN,
        refusal=refusal,
        owner=owner,
        accepted=ACCEPTED,
        limit=IMPORT_MB,
    )
