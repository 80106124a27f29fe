"""Edit the platforms that receive notices, and their Word templates."""

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import file_response, parse_number, redirect_to, uploaded_file
from dashboard.frame.security import needs
from wenhen.kit.rights import Right
from wenhen.notices.model import NoticeLaw, Platform
from wenhen.notices.platforms import all_platforms, reset_platform, set_platform
from wenhen.notices.word_templates import WordKind, find_template, reset_template, set_template
from wenhen.reports.notice_files import WORD_MEDIA_TYPE

platforms_blueprint = Blueprint("platforms", __name__, url_prefix="/platforms")


@platforms_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show all platforms. `?id=` fills the form with one."""
    return _render_platforms()


@platforms_blueprint.post("/")
@needs(Right.PLATFORMS)
@shows_refusal(lambda refusal: _render_platforms(refusal.text(language())))
def put() -> Response:
    """Store the settings of a platform."""
    platform = set_platform(current_actor(), _platform_argument(), checked=bool(request.form.get("checked")))
    return redirect_to("platforms.show", t("holders.kept", name=platform.name), id=platform.id)


@platforms_blueprint.post("/remove")
@needs(Right.PLATFORMS)
def remove() -> Response:
    """Reset a default platform to its original values, or delete any other."""
    reset_platform(current_actor(), request.form.get("id", ""))
    return redirect_to("platforms.show", t("holders.removed"))


@platforms_blueprint.get("/templates/<any(notice, authority, evidence):kind>.docx")
@needs(Right.READ)
def template(kind: str) -> Response:
    """Download the current Word template, to edit it and upload it again."""
    content, _ = find_template(services().product, WordKind(kind))
    return file_response(f"template-{kind}.docx", content, WORD_MEDIA_TYPE)


@platforms_blueprint.post("/templates/<any(notice, authority, evidence):kind>")
@needs(Right.PLATFORMS)
@shows_refusal(lambda refusal, **_: _render_platforms(refusal.text(language())))
def put_template(kind: str) -> Response:
    """Replace the Word template. Without a file, restore the template of the product."""
    file = uploaded_file("file")
    if file is None:
        reset_template(current_actor(), WordKind(kind))
    else:
        set_template(current_actor(), WordKind(kind), file[1])
    return redirect_to("platforms.show", t("holders.kept", name=t(f"word_kind.{kind}")), _anchor="templates")


def _platform_argument() -> Platform:
    def number(name: str) -> int | None:
        return parse_number(request.form.get(name, "").strip(), digits=5)

    return Platform(
        id=request.form.get("id", ""),
        name=request.form.get("name", ""),
        hosts=tuple(request.form.get("hosts", "").split()),
        law=NoticeLaw.DMCA if request.form.get("law") == NoticeLaw.DMCA else NoticeLaw.CHINA,
        required=tuple(request.form.get("required", "").splitlines()),
        links=number("links"),
        mail_megabytes=number("mail_megabytes"),
        entry=request.form.get("entry"),
        mail=request.form.get("mail"),
        days=number("days") or 0,
        delists=bool(request.form.get("delists")),
        engine=request.form.get("engine"),
        source=request.form.get("source"),
    )


def _render_platforms(refusal: str | None = None) -> str:
    product = services().product
    known = all_platforms(product)
    chosen = next((platform for platform in known if platform.id == request.values.get("id")), None)
    return render_template(
        "notices/platforms.html",
        platforms=known,
        set_here={platform.id for platform in product.store.platforms.all()},
        one=_platform_argument() if request.form else chosen,
        laws=list(NoticeLaw),
        word_templates=[(kind, find_template(product, kind)[1]) for kind in WordKind],
        refusal=refusal,
    )
