"""Create, edit, merge and remove works by hand, and import them from uploaded files."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from hashlib import sha256
from queue import SimpleQueue
from typing import Final

from flask import Blueprint, Response, flash, render_template, request, stream_with_context

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import ACCEPTED_SUFFIXES, redirect_to, uploaded_files
from dashboard.frame.security import needs
from matcher.model import is_too_short
from wenhen.context.use_cases import Acting
from wenhen.kit.errors import Message, NotFound
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAX_IMPORT_MB
from wenhen.reports.wording import catalogue
from wenhen.works.import_export import ImportedWorks, import_upload
from wenhen.works.importers.drafts import validate_draft
from wenhen.works.model import EDITABLE_FIELDS, WorkDraft
from wenhen.works.service import (
    edit_work,
    find_duplicate_works,
    find_named_work,
    format_details,
    merge_works,
    parse_details,
    put_work,
    remove_work,
    require_work,
)

work_form_blueprint = Blueprint("work_form", __name__, url_prefix="/works")

_WORK_KINDS: Final = ("news", "essay", "novel")  # kinds with a label: any other kind is stored as entered


@work_form_blueprint.get("/new")
@needs(Right.WORKS)
def new() -> str:
    """Show the empty form."""
    return _render_form({})


def _render_refused(refusal: Message) -> str:
    return _render_form(request.form, id=request.form.get("id"), refusal=work_refusal_words(refusal))


@work_form_blueprint.post("/new")
@needs(Right.WORKS)
@shows_refusal(_render_refused)
def make() -> Response:
    """Store a typed or pasted work, and start the search for its copies."""
    draft = _draft_work(services().clock())
    id, outcome = put_work(current_actor(), draft)
    flash(t("work_form.made" if outcome == "new" else "work_form.known"))
    if is_too_short(draft.text, draft.shortest_passage or services().product.settings.matcher.shortest_passage):
        flash(t("work_form.short"))
    return redirect_to("works.show", id=id)


@work_form_blueprint.get("/edit")
@needs(Right.DETAILS)
def show() -> str:
    """Show the details of a work for editing."""
    return _render_details(request.args.get("id", ""))


def _render_details(id: str, merge_refusal: str | None = None) -> str:
    work = require_work(current_actor(), id)
    return _render_form(format_details(work), id=work.id, merge_refusal=merge_refusal)


@work_form_blueprint.post("/edit")
@needs(Right.DETAILS)
@shows_refusal(_render_refused)
def edit() -> Response:
    """Edit the details of a work."""
    id = request.form.get("id", "")
    edit_work(current_actor(), id, _form_values())
    return redirect_to("works.show", t("work_form.edited"), id=id)


@work_form_blueprint.post("/merge")
@needs(Right.WORKS)
@shows_refusal(lambda refusal: _render_details(request.form.get("id", ""), work_refusal_words(refusal)), NotFound)
def merge() -> Response:
    """Merge a duplicate into the work."""
    id = request.form.get("id", "")
    moved = merge_works(current_actor(), _double_argument(), id)
    return redirect_to("works.show", t("work_form.merged", count=moved), id=id)


@work_form_blueprint.post("/remove")
@needs(Right.WORKS)
def remove() -> Response:
    """Remove a work from the index. Its cases remain."""
    work = remove_work(current_actor(), request.form.get("id", ""))
    return redirect_to("works.find", t("work_form.removed", title=work.title))


def _double_argument() -> str:
    """Return the id of the duplicate, which the form names by id or title."""
    given = request.form.get("double", "").strip()
    return find_named_work(services().product, given).id if given else ""


def work_refusal_words(message: Message) -> str:
    """Explain a refusal. A refusal of one field begins with its label."""
    field, reason = (message.figures.get(name) for name in ("field", "reason"))
    if field is not None and isinstance(reason, Message):
        return f"{t(f'work_form.{field}')} — {reason.text(language())}"
    return message.text(language())


def _form_values() -> dict[str, str]:
    values = {name: request.form[name] for name in EDITABLE_FIELDS if name in request.form}
    return values | ({"kind": _stored_kind(values["kind"])} if "kind" in values else {})


def _stored_kind(written: str) -> str:
    """Return the stored name of a kind that was entered by its label in either language."""
    return next(
        (kind for kind in _WORK_KINDS if written.strip() in catalogue().entries[f"kind.{kind}"].values()), written
    )


def _draft_work(now: datetime) -> WorkDraft:
    parsed = parse_details({"title": "", **_form_values()}, now)
    text = request.form.get("text", "").replace("\r\n", "\n")
    id = sha256(f"{parsed['title']} {now.isoformat()}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return validate_draft(WorkDraft(id=f"{parsed['title'][:80]}-{id}", text=text, **parsed))


def _render_form(
    form: dict[str, str], *, id: str | None = None, refusal: str | None = None, merge_refusal: str | None = None
) -> str:
    product = services().product
    return render_template(
        "works/work_form.html",
        form=form,
        kinds=_WORK_KINDS,
        id=id,
        refusal=refusal,
        merge_refusal=merge_refusal,
        holders=sorted(holder.id for holder in product.store.holders.all()),
        doubles=find_duplicate_works(product, product.store.works.get(id)) if id else [],
    )


upload_blueprint = Blueprint("intake", __name__, url_prefix="/works/import")

_MAX_OWNER_CHARACTERS: Final = 200
NDJSON_TYPE: Final = "application/x-ndjson"  # requested by the script, which shows the progress of the import
_MAX_SHOWN: Final = 500  # works that the result names


@upload_blueprint.get("/")
@needs(Right.WORKS)
def show_upload() -> str:
    """Show the form."""
    return _render_upload()


@upload_blueprint.post("/")
@needs(Right.WORKS)
def take_upload() -> str | Response | tuple[str, int]:
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
        together.same_text += done.same_text
        together.count_unknown(done.unknown_fields)
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
    ids += [id for pair in result.same_text[:_MAX_SHOWN] for id in pair] if result else []
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
