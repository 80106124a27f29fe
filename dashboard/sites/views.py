"""List the watched sites, add, import, change or crawl them, and show the dossier of each."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from flask import Blueprint, Response, abort, flash, jsonify, render_template, request

from crawler.addresses import readable_host
from crawler.site_access import HEADER_PROFILES
from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import file_response, redirect_to, uploaded_files
from dashboard.frame.security import needs
from dashboard.sites.site_views import BULK_FIELD_LABELS, site_refusal_words, submitted_fields
from wenhen.cases.model import AmountKind
from wenhen.crawls.model import RunKind
from wenhen.crawls.service import apply_to_sites, begin_crawl, remove_site
from wenhen.dossiers.service import MAX_WORKS, make_dossier, site_standings
from wenhen.kit.errors import BadInput, Conflict, FetchRefused, Message, NotFound, Unavailable
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.rights import Right
from wenhen.sites.import_export import ImportedSites, export_sites_csv, import_sites
from wenhen.sites.model import Layout
from wenhen.sites.registrations import load_registration_file, query_registrations
from wenhen.sites.service import add_site, edit_sites, find_watched_sites, suggest_sites, survey_site
from wenhen.sites.site_settings import SETTING_BOUNDS

sites_blueprint = Blueprint("sites", __name__, url_prefix="/sites")

_MAX_RUNS: Final = 50
_MAX_QUERY_CHARACTERS: Final = 200
_MAX_SHOWN: Final = 50  # sites of an import that the result names
_BULK_ACTS: Final = frozenset(("pause", "resume", "crawl", "set", "remove"))


@sites_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the sites with their next crawl, the progress of active crawls, and the last runs of every kind."""
    return _render_sites()


def _render_refused(refusal: Message) -> str:
    return _render_sites(refusal=site_refusal_words(refusal))


@sites_blueprint.post("/")
@needs(Right.SITES)
@shows_refusal(_render_refused, Conflict)
def add() -> Response:
    """Watch another site."""
    site = add_site(current_actor(), submitted_fields(), id=request.form.get("id", "").strip() or None)
    return redirect_to("sites.show", t("sites.added", name=site.name))


@sites_blueprint.get("/names")
@needs(Right.READ)
def names() -> Response:
    """Suggest watched sites for the typed text: a name that identifies one, or else one of its hosts."""
    suggested = suggest_sites(services().product, request.args.get("q", "")[:_MAX_QUERY_CHARACTERS])
    counts = Counter(site.name for site in suggested)
    return jsonify(
        [
            {"value": site.name if single else host, "label": " · ".join(dict.fromkeys((site.name, host)))}
            for site in suggested
            for single in [len(site.hosts) == 1 and counts[site.name] == 1]
            for host in map(readable_host, site.hosts)
        ]
    )


@sites_blueprint.post("/find")
@needs(Right.SITES)
@shows_refusal(_render_refused, FetchRefused)
def find() -> str:
    """Fill the form with suggested settings for the site of an address."""
    internal = bool(request.form.get("internal"))
    form = survey_site(current_actor(), request.form.get("url", "").strip(), internal=internal).setting_values()
    flash(t("sites.found"))
    return _render_sites(form={**form, "urls": "\n".join(form["urls"].split()), "internal": "yes" if internal else ""})


@sites_blueprint.post("/take")
@needs(Right.SITES)
@shows_refusal(_render_refused)
def take() -> tuple[str, int]:
    """Watch the sites of a CSV file, or of book sources."""
    done = import_sites(current_actor(), b"".join(content for _, content in uploaded_files("file")))
    return _render_sites(taken=done), 200 if done.added or not done.refused else 400


@sites_blueprint.post("/bulk")
@needs(Right.SITES)
@shows_refusal(lambda refusal: _render_sites(bulk_refusal=site_refusal_words(refusal)))
def bulk() -> Response | tuple[str, int]:
    """Pause, resume, crawl or change the ticked or all listed sites. Remove them only after a confirmation."""
    what, tag, setting = (request.form.get(name, "") for name in ("what", "tag", "setting"))
    if what not in _BULK_ACTS or (what == "set" and setting not in BULK_FIELD_LABELS):
        abort(400)
    if what == "remove" and not request.form.get("sure"):
        return _render_sites(unsure=True), 400
    if what == "set":
        done = edit_sites(current_actor(), _chosen_sites(tag), {setting: request.form.get("value", "")})
    else:
        done = apply_to_sites(current_actor(), _chosen_sites(tag), what)
    shown_tag = None if what == "remove" else tag or None
    return redirect_to("sites.show", t("sites.bulk_done", count=len(done)), tag=shown_tag)


@sites_blueprint.post("/crawl")
@needs(Right.CRAWL)
def crawl() -> Response:
    """Start a crawl of a site, and lead to it. Where one is under way, lead to that one."""
    store = services().store
    site = store.sites.get(request.form.get("id", ""))
    subject = Subject(SubjectKind.SITE, site.id)
    try:
        run = begin_crawl(current_actor(), subject)
    except Conflict:
        [run] = store.runs.recent(kind=RunKind.CRAWL, subject=subject, limit=1)
        return redirect_to("runs.show", t("sites.being_crawled", name=site.name), id=run.id)
    return redirect_to("runs.show", t("sites.crawl_begun", name=site.name), id=run.id)


@sites_blueprint.get("/sites.csv")
@needs(Right.READ)
def give() -> Response:
    """Export all sites with all settings, in a file that can be imported again."""
    return file_response("sites.csv", export_sites_csv(current_actor(), request.args.get("tag")), "text/csv")


@sites_blueprint.post("/remove")
@needs(Right.SITES)
def remove() -> Response:
    """Stop watching a site. Its pages and cases remain."""
    site = remove_site(current_actor(), request.form.get("id", ""))
    return redirect_to("sites.show", t("sites.removed", name=site.name))


def _chosen_sites(tag: str) -> list[str]:
    """Return the ids of the ticked sites, or of all listed ones."""
    if request.form.get("all"):
        return [site.id for site in find_watched_sites(services().product, tag)]
    return request.form.getlist("id")


def _render_sites(
    refusal: str | None = None,
    form: Mapping[str, str] | None = None,
    taken: ImportedSites | None = None,
    bulk_refusal: str | None = None,
    *,
    unsure: bool = False,
) -> str:
    store = services().store
    all_sites, tag = store.sites.all(), request.values.get("tag")
    shown = find_watched_sites(services().product, tag)
    return render_template(
        "sites/sites.html",
        sites=shown,
        standings=site_standings(services().product, shown),
        tags=sorted({tag for site in all_sites for tag in site.tags}),
        tag=tag,
        names={site.id: site.name for site in all_sites},
        going=store.runs.active(RunKind.CRAWL),
        runs=store.runs.recent(limit=_MAX_RUNS),
        layouts=list(Layout),
        profiles=list(HEADER_PROFILES),
        bounds=SETTING_BOUNDS,
        refusal=refusal,
        taken=None if taken is None else taken.added,
        refused=[(refusal.place, site_refusal_words(refusal.reason)) for refusal in taken.refused] if taken else [],
        shown=_MAX_SHOWN,
        bulk_refusal=bulk_refusal,
        unsure=unsure,
        ticked=request.form.getlist("id") if unsure or bulk_refusal else (),
        together=BULK_FIELD_LABELS,
        form=request.form if form is None else form,
    )


site_dossier_blueprint = Blueprint("site_dossier", __name__, url_prefix="/sites/dossier")


@site_dossier_blueprint.get("/<path:id>")
@needs(Right.READ)
def show_dossier(id: str) -> str:
    """Show the operator of a site, its servers, its copies, and its responses to notices."""
    product = services().product
    return render_template(
        "sites/site_dossier.html",
        dossier=make_dossier(product, id),
        amount_kinds=list(AmountKind),
        named=MAX_WORKS,
        asks=product.settings.dossier.rdap,
    )


@site_dossier_blueprint.post("/registration")
@needs(Right.PROCEED)
def look_up() -> Response:
    """Query the registration of the site's domains."""
    id, notice = request.form.get("id", ""), ""
    try:
        query_registrations(current_actor(), id)
    except (BadInput, Unavailable, NotFound) as error:
        notice = error.message.text(language())
    return redirect_to("site_dossier.show_dossier", notice, id=id, _anchor="registration")


@site_dossier_blueprint.get("/registration/<string:id>.json")
@needs(Right.READ)
def registration(id: str) -> Response:
    """Download a registration answer unchanged."""
    return file_response(*load_registration_file(services().product, id))
