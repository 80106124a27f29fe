"""Show one site, and convert its settings to form fields and back."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from crawler.site_access import HEADER_PROFILES, mask_access
from dashboard.frame.context import current_actor, services
from dashboard.frame.language import language, t
from dashboard.frame.security import may, needs
from wenhen.crawls.model import RunKind
from wenhen.crawls.reading_audit import last_audit
from wenhen.crawls.service import TRIAL_PAGES
from wenhen.kit.errors import BadInput, Message
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.rights import Right
from wenhen.reports.wording import catalogue
from wenhen.sites.model import Layout, Site
from wenhen.sites.service import edit_site
from wenhen.sites.site_settings import SETTING_BOUNDS

# The form of a site: one text field for each setting, and refusals by field name.


BOOLEAN_FIELDS: Final = ("render", "paused")  # check boxes
SITE_FIELDS: Final = (
    *("urls", "name", "hosts", "layout", "every", "cron", "quiet", "include", "exclude", "max_pages", "max_depth"),
    *("delay", "concurrency", "kind", "headers", "text_at", "mirrors", "tags", "notes"),
)


# Settings that can be changed for several sites at once, with their catalogue keys.
BULK_FIELD_LABELS: Final = {
    name: f"sites.{name}"
    for name in (
        *("every", "cron", "quiet", "max_pages", "max_depth", "delay", "concurrency"),
        *("layout", "include", "exclude", "headers", "text_at", "kind", "tags"),
    )
} | {"render": "sites.set_render"}


def submitted_fields() -> dict[str, str]:
    """Return the submitted fields. Unticked boxes are no. Fields that the form lacked are missing."""
    written = {name: request.form[name].strip() for name in SITE_FIELDS if name in request.form}
    boxes = (*BOOLEAN_FIELDS, "internal") if may(Right.ACCESS) else BOOLEAN_FIELDS
    return written | {name: "yes" if request.form.get(name) else "no" for name in boxes}


def site_as_form(site: Site) -> Mapping[str, str]:
    """Return a site's settings as form fields."""
    return {
        "urls": "\n".join(site.start_urls),
        "name": site.name,
        "hosts": " ".join(site.hosts),
        "layout": str(site.layout),
        "every": f"{site.interval_hours:g}",
        "cron": site.cron or "",
        "quiet": site.quiet or "",
        "include": "\n".join(site.include),
        "exclude": "\n".join(site.exclude),
        "max_pages": str(site.max_pages),
        "max_depth": str(site.max_depth),
        "delay": "" if site.delay is None else f"{site.delay:g}",
        "concurrency": "" if site.concurrency is None else str(site.concurrency),
        "kind": site.kind or "",
        "tags": " ".join(site.tags),
        "notes": site.notes,
        "headers": site.header_profile,
        "text_at": site.text_at or "",
        "mirrors": " ".join(site.mirrors),
        "render": "yes" if site.render else "",
        "internal": "yes" if site.internal else "",
        "paused": "yes" if site.paused else "",
    }


def site_refusal_words(message: Message) -> str:
    """Explain why a site, or access to it, was refused. A refusal of one setting begins with its label."""
    setting, reason = (message.figures.get(name) for name in ("setting", "reason"))
    if setting is not None and isinstance(reason, Message):
        return f"{_field_label(str(setting))} — {reason.text(language())}"
    return message.text(language())


def _field_label(setting: str) -> str:
    keys = (f"sites.{setting}", f"sites.set_{setting}")
    return t(next(key for key in keys if key in catalogue().entries))


# One watched site: its settings and its runs.


site_blueprint = Blueprint("site", __name__, url_prefix="/sites/of")

_MAX_RUNS: Final = 30
_MAX_WORST_SHOWN: Final = 5  # the least completely read pages


@site_blueprint.get("/<path:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Show the site's settings for editing, and its runs."""
    return render_site(id)


@site_blueprint.post("/<path:id>")
@needs(Right.SITES)
def edit(id: str) -> Response | tuple[str, int]:
    """Edit the site's settings."""
    try:
        site = edit_site(current_actor(), id, submitted_fields())
    except BadInput as error:
        return render_site(id, refusal=site_refusal_words(error.message)), 400
    flash(t("sites.changed", name=site.name))
    return redirect(url_for("site.show", id=id), 303)


def render_site(
    id: str, refusal: str | None = None, access_refusal: str | None = None, trial_refusal: str | None = None
) -> str:
    """Render the site, with refusals of its settings, its access or its trial."""
    store = services().store
    site = store.sites.get(id)
    runs = store.runs.recent(kind=RunKind.CRAWL, subject=Subject(SubjectKind.SITE, id), limit=_MAX_RUNS)
    audit = last_audit(services().product, id)
    return render_template(
        "sites/site.html",
        audit=audit,
        worst=[page for page in audit.pages if page.share < 1][:_MAX_WORST_SHOWN] if audit else [],
        site=site,
        runs=runs,
        going=[run for run in runs if run.ended_at is None],
        layouts=list(Layout),
        profiles=list(HEADER_PROFILES),
        bounds=SETTING_BOUNDS,
        access=mask_access(store.accesses.get(id)),
        mirrors=[mirror for mirror in store.mirrors.all() if mirror.main in site.hosts],
        form=request.form if refusal else site_as_form(site),
        refusal=refusal,
        access_refusal=access_refusal,
        trial_refusal=trial_refusal,
        trial_pages=TRIAL_PAGES,
    )
