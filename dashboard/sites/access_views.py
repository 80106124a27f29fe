"""Set how a site is reached, and try its crawl without storing anything."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.frame.requests import uploaded_files
from dashboard.frame.security import needs
from dashboard.sites.site_views import render_site, site_refusal_words
from wenhen.crawls.service import try_site
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.kit.rights import Right
from wenhen.product.context import TrialCrawl
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

# Access to one site: session, proxies, robots.txt and fonts, set by administrators, and what crawls learned.


site_access_blueprint = Blueprint("site_access", __name__, url_prefix="/sites/access")

_ACCESS_ANCHOR: Final = "access"  # the part of the page to return to


@site_access_blueprint.post("/session/<path:id>")
@needs(Right.ACCESS)
def session(id: str) -> Response | tuple[str, int]:
    """Store the cookies of a session from a file or from pasted text, or delete them."""
    if request.form.get("forget"):
        clear_session_cookies(current_actor(), id)
        return _back_to_site(id, "site.session_ended")
    try:
        files = [content.decode("utf-8-sig") for _, content in uploaded_files("file")]
        set_session_cookies(current_actor(), id, files[0] if files else request.form.get("cookies", ""))
    except UnicodeDecodeError:
        return render_site(id, access_refusal=t("site.not_utf8")), 400
    except BadInput as error:
        return render_site(id, access_refusal=site_refusal_words(error.message)), 400
    return _back_to_site(id, "site.session_kept")


@site_access_blueprint.post("/proxies/<path:id>")
@needs(Right.ACCESS)
def proxies(id: str) -> Response | tuple[str, int]:
    """Fetch the site through these proxies only. Without any, use those of the settings."""
    try:
        set_proxies(current_actor(), id, request.form.get("proxies", "").split())
    except BadInput as error:
        return render_site(id, access_refusal=site_refusal_words(error.message)), 400
    return _back_to_site(id, "site.proxies_kept")


@site_access_blueprint.post("/robots/<path:id>")
@needs(Right.ACCESS)
def robots(id: str) -> Response | tuple[str, int]:
    """Override the site's robots.txt for a reason, or obey it again."""
    if request.form.get("obey"):
        respect_robots(current_actor(), id)
        return _back_to_site(id, "site.robots_obeyed")
    try:
        override_robots(current_actor(), id, reason=request.form.get("reason", ""))
    except BadInput as error:
        return render_site(id, access_refusal=site_refusal_words(error.message)), 400
    return _back_to_site(id, "site.robots_ignored")


@site_access_blueprint.post("/fonts/<path:id>")
@needs(Right.ACCESS)
def fonts(id: str) -> Response | tuple[str, int]:
    """Decipher the site's fonts for a reason, or stop it."""
    if request.form.get("leave"):
        disable_font_deciphering(current_actor(), id)
        return _back_to_site(id, "site.fonts_left")
    try:
        enable_font_deciphering(current_actor(), id, reason=request.form.get("reason", ""))
    except BadInput as error:
        return render_site(id, access_refusal=site_refusal_words(error.message)), 400
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
    flash(t(notice))
    return redirect(url_for("site.show", id=id, _anchor=_ACCESS_ANCHOR), 303)


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
def show(id: str) -> str | tuple[str, int]:
    """Run a trial crawl, and list its requests in order. Store nothing."""
    watched = services().store.sites.get(id)
    try:
        tried = try_site(current_actor(), id)
    except (BadInput, Unavailable) as error:
        return render_site(id, trial_refusal=site_refusal_words(error.message)), 400
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
