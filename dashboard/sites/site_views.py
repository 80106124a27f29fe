"""Show one site, change its settings and how it is reached, and try its crawl without storing anything."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from flask import Blueprint, Response, render_template, request

from crawler.site_access import HEADER_PROFILES, mask_access
from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import redirect_to, uploaded_file
from dashboard.frame.security import may, needs
from wenhen.context.use_cases import TrialCrawl
from wenhen.crawls.model import RunKind
from wenhen.crawls.reading_audit import last_audit
from wenhen.crawls.service import TRIAL_PAGES, try_site
from wenhen.kit.errors import Message, Unavailable
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.rights import Right
from wenhen.reports.wording import catalogue
from wenhen.sites.access import (
    clear_session_cookies,
    disable_font_deciphering,
    enable_font_deciphering,
    forget_rendering,
    override_robots,
    respect_robots,
    retry_rendering,
    set_proxies,
    set_session_cookies,
)
from wenhen.sites.model import Layout, Site
from wenhen.sites.service import edit_site
from wenhen.sites.site_settings import SETTING_BOUNDS

# The form of a site: one text field for each setting, and refusals by field name.


BOOLEAN_FIELDS: Final = ("render", "paused")  # check boxes
SITE_FIELDS: Final = (
    *("urls", "name", "hosts", "layout", "every", "cron", "quiet", "include", "exclude", "max_pages", "max_depth"),
    *("delay", "concurrency", "kind", "headers", "text_at", "spider", "mirrors", "tags", "notes"),
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
        "spider": site.spider or "",
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
    return _render_site(id)


@site_blueprint.post("/<path:id>")
@needs(Right.SITES)
@shows_refusal(lambda refusal, id: _render_site(id, refusal=site_refusal_words(refusal)))
def edit(id: str) -> Response:
    """Edit the site's settings."""
    site = edit_site(current_actor(), id, submitted_fields())
    return redirect_to("site.show", t("sites.changed", name=site.name), id=id)


def _render_site(
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


# Access to one site: session, proxies, robots.txt and fonts, set by administrators, and what crawls learned.


site_access_blueprint = Blueprint("site_access", __name__, url_prefix="/sites/access")

_ACCESS_ANCHOR: Final = "access"  # the part of the page to return to


def _render_refused_access(refusal: Message, id: str) -> str:
    return _render_site(id, access_refusal=site_refusal_words(refusal))


@site_access_blueprint.post("/session/<path:id>")
@needs(Right.ACCESS)
@shows_refusal(_render_refused_access)
def session(id: str) -> Response | tuple[str, int]:
    """Store the cookies of a session from a file or from pasted text, or delete them."""
    if request.form.get("forget"):
        clear_session_cookies(current_actor(), id)
        return _back_to_site(id, "site.session_ended")
    try:
        file = uploaded_file("file")
        cookies = file[1].decode("utf-8-sig") if file else request.form.get("cookies", "")
    except UnicodeDecodeError:
        return _render_site(id, access_refusal=t("site.not_utf8")), 400
    set_session_cookies(current_actor(), id, cookies)
    return _back_to_site(id, "site.session_kept")


@site_access_blueprint.post("/proxies/<path:id>")
@needs(Right.ACCESS)
@shows_refusal(_render_refused_access)
def proxies(id: str) -> Response:
    """Fetch the site through these proxies only. Without any, use those of the settings."""
    set_proxies(current_actor(), id, request.form.get("proxies", "").split())
    return _back_to_site(id, "site.proxies_kept")


@site_access_blueprint.post("/robots/<path:id>")
@needs(Right.ACCESS)
@shows_refusal(_render_refused_access)
def robots(id: str) -> Response:
    """Override the site's robots.txt for a reason, or obey it again."""
    if request.form.get("obey"):
        respect_robots(current_actor(), id)
        return _back_to_site(id, "site.robots_obeyed")
    override_robots(current_actor(), id, reason=request.form.get("reason", ""))
    return _back_to_site(id, "site.robots_ignored")


@site_access_blueprint.post("/fonts/<path:id>")
@needs(Right.ACCESS)
@shows_refusal(_render_refused_access)
def fonts(id: str) -> Response:
    """Decipher the site's fonts for a reason, or stop it."""
    if request.form.get("leave"):
        disable_font_deciphering(current_actor(), id)
        return _back_to_site(id, "site.fonts_left")
    enable_font_deciphering(current_actor(), id, reason=request.form.get("reason", ""))
    return _back_to_site(id, "site.fonts_deciphered")


@site_access_blueprint.post("/rendering/<path:id>")
@needs(Right.SITES)
def rendering(id: str) -> Response:
    """Stop rendering empty pages, as a crawl had learned to do, or let crawls learn it again."""
    if request.form.get("again"):
        retry_rendering(current_actor(), id)
        return _back_to_site(id, "site.rendering_tried")
    forget_rendering(current_actor(), id)
    return _back_to_site(id, "site.rendering_unlearned")


def _back_to_site(id: str, notice: str) -> Response:
    return redirect_to("site.show", t(notice), id=id, _anchor=_ACCESS_ANCHOR)


# The trial crawl of one site: what a real crawl would fetch.


site_trial_blueprint = Blueprint("site_trial", __name__, url_prefix="/sites/try")

MAX_TRIED_SHOWN: Final = 500  # addresses in the list


class TriedAddress(NamedTuple):
    """The result for an address. `said` is empty if the address only waits for its turn in a real crawl."""

    url: str
    said: str
    missed: bool = False


@site_trial_blueprint.post("/<path:id>")
@needs(Right.SITES)
@shows_refusal(lambda refusal, id: _render_site(id, trial_refusal=site_refusal_words(refusal)), Unavailable)
def show_trial(id: str) -> str:
    """Run a trial crawl, and list its requests in order. Store nothing."""
    watched = services().store.sites.get(id)
    tried = try_site(current_actor(), id)
    return render_template(
        "sites/trial.html", site=watched, tried=tried, rows=tried_addresses(tried), shown=MAX_TRIED_SHOWN
    )


def tried_addresses(tried: TrialCrawl) -> Sequence[TriedAddress]:
    """Return the requests of the trial and their results.

    Addresses that a rule excluded were not requested, and come last.
    """
    addresses = {url: TriedAddress(url, "") for url in tried.asked}
    addresses |= {url: TriedAddress(url, t("sites.tried_page")) for url in tried.pages}
    addresses |= {url: TriedAddress(url, site_refusal_words(why), missed=True) for url, why in tried.missed}
    return list(addresses.values())
