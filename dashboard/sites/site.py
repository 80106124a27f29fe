"""One watched website: how it is gone through, and its runs."""

from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from crawler.fetch.header_profiles import PROFILES
from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.sites import site_form
from dashboard.sites.site_form import told
from services.sites import sites
from services.sites.dry_run import PAGES
from services.sites.reading_audit import last_audit
from services.sites.site_settings import BOUNDS
from store.errors import BadInput
from store.records import Layout, RunKind, Subject, SubjectKind
from store.rules.role_rights import Right
from store.rules.web.shown_access import without_secrets

blueprint = Blueprint("site", __name__, url_prefix="/sites/of")

_RUNS: Final = 30
_WORST: Final = 5  # pages of which little was read


@blueprint.get("/<path:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Its settings, to be changed, and its runs."""
    return page(id)


@blueprint.post("/<path:id>")
@needs(Right.SITES)
def edit(id: str) -> Response | tuple[str, int]:
    """Change it."""
    try:
        site = sites.edit(acting(), id, site_form.filled())
    except BadInput as error:
        return page(id, refusal=told(error.message)), 400
    flash(t("sites.changed", name=site.name))
    return redirect(url_for("site.show", id=id), 303)


def page(
    id: str, refusal: str | None = None, access_refusal: str | None = None, trial_refusal: str | None = None
) -> str:
    """The page, with what was wrong in its settings, in how it is to be reached, or with its trial."""
    store = services().store
    site = store.sites.get(id)
    runs = store.runs.recent(kind=RunKind.CRAWL, subject=Subject(SubjectKind.SITE, id), limit=_RUNS)
    audit = last_audit(services().product, id)
    return render_template(
        "sites/site.html",
        audit=audit,
        worst=[one for one in audit.pages if one.share < 1][:_WORST] if audit else [],
        site=site,
        runs=runs,
        going=[run for run in runs if run.ended_at is None],
        layouts=list(Layout),
        profiles=list(PROFILES),
        bounds=BOUNDS,
        access=without_secrets(store.accesses.get(id)),
        mirrors=[mirror for mirror in store.mirrors.all() if mirror.main in site.hosts],
        form=request.form if refusal else site_form.written(site),
        refusal=refusal,
        access_refusal=access_refusal,
        trial_refusal=trial_refusal,
        trial_pages=PAGES,
    )
