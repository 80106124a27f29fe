"""To whom notices go: what each platform asks for, and when somebody last looked that it is so."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.export.notice_files import WORD
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from dashboard.frame.uploads import sent
from services.notices import platforms
from services.notices.word import word_templates
from services.notices.word.word_templates import WordKind
from store.errors import BadInput
from store.records import NoticeLaw, Platform
from store.rules.role_rights import Right

blueprint = Blueprint("platforms", __name__, url_prefix="/platforms")


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """All of them; `?id=` fills the form with one."""
    return _page()


@blueprint.post("/")
@needs(Right.PLATFORMS)
def put() -> Response | tuple[str, int]:
    """Set one."""
    try:
        one = platforms.put(acting(), _given(), checked=bool(request.form.get("checked")))
    except BadInput as error:
        return _page(refusal=error.message.text(language())), 400
    flash(t("holders.kept", name=one.name))
    return redirect(url_for("platforms.show", id=one.id), 303)


@blueprint.post("/remove")
@needs(Right.PLATFORMS)
def remove() -> Response:
    """Take back what was set."""
    platforms.remove(acting(), request.form.get("id", ""))
    flash(t("holders.removed"))
    return redirect(url_for("platforms.show"), 303)


@blueprint.get("/templates/<any(notice, authority, evidence):kind>.docx")
@needs(Right.READ)
def template(kind: str) -> Response:
    """The Word template that is used, to be changed and put back."""
    content, _ = word_templates.template(services().product, WordKind(kind))
    return as_file(f"template-{kind}.docx", content, WORD)


@blueprint.post("/templates/<any(notice, authority, evidence):kind>")
@needs(Right.PLATFORMS)
def put_template(kind: str) -> Response | tuple[str, int]:
    """Use another Word template; without a file the one that comes with the product."""
    file = next(iter(sent("file")), None)
    try:
        if file is None:
            word_templates.remove(acting(), WordKind(kind))
        else:
            word_templates.put(acting(), WordKind(kind), file[1])
    except BadInput as error:
        return _page(refusal=error.message.text(language())), 400
    flash(t("holders.kept", name=t(f"word_kind.{kind}")))
    return redirect(url_for("platforms.show") + "#templates", 303)


def _given() -> Platform:
    def number(name: str) -> int | None:
        given = request.form.get(name, "").strip()
        return int(given) if given.isascii() and given.isdecimal() and len(given) < 6 else None

    return Platform(
        id=request.form.get("id", ""),
        name=request.form.get("name", ""),
        hosts=tuple(request.form.get("hosts", "").split()),
        law=NoticeLaw.DMCA if request.form.get("law") == NoticeLaw.DMCA else NoticeLaw.CHINA,
        required=tuple(request.form.get("required", "").splitlines()),
        links=number("links"),
        entry=request.form.get("entry"),
        mail=request.form.get("mail"),
        days=number("days") or 0,
        delists=bool(request.form.get("delists")),
        engine=request.form.get("engine"),
        source=request.form.get("source"),
    )


def _page(refusal: str | None = None) -> str:
    product = services().product
    known = platforms.platforms(product)
    one = next((one for one in known if one.id == request.values.get("id")), None)
    return render_template(
        "notices/platforms.html",
        platforms=known,
        set_here={one.id for one in product.store.platforms.all()},
        one=_given() if request.form else one,
        laws=list(NoticeLaw),
        word_templates=[(kind, word_templates.template(product, kind)[1]) for kind in WordKind],
        refusal=refusal,
    )
