"""What changes sites and steers their crawls, and writes it into the audit log; for the browser and the API."""

from collections.abc import Iterable, Mapping, Sequence

from dashboard import audit
from dashboard.actions import Refusal, Steer
from dashboard.services import services
from store.errors import Conflict, NotFound
from store.records import Site


def put_site(written: Mapping[str, str]) -> Site:
    """Watch one more site. BadInput, Conflict."""
    site = services().actions.put_site(written)
    audit.record("site.add", f"site:{site.id}", new=" ".join(site.start_urls))
    return site


def edit_site(id: str, written: Mapping[str, str]) -> Site:
    """Change a site. NotFound, BadInput."""
    before = services().store.sites.get(id)
    after = services().actions.edit_site(id, written)
    audit.record("site.edit", f"site:{id}", old=before, new=after)
    return after


def import_sites(text: str) -> tuple[list[Site], list[Refusal]]:
    """Watch the sites of a CSV file. BadInput."""
    added, refused = services().actions.import_sites(text)
    for site in added:
        audit.record("site.add", f"site:{site.id}", new=" ".join(site.start_urls))
    return added, refused


def steer_run(id: str, to: Steer) -> None:
    """Pause, resume or stop a crawl. NotFound, Conflict."""
    services().actions.steer_run(id, to)
    audit.record(f"run.{to}", f"run:{id}")


def for_each(ids: Iterable[str], what: str) -> Sequence[Site]:
    """Pause, resume, crawl or remove several sites; those for which it was done. Others are gone, or being crawled."""
    actions, done = services().actions, []
    for id in ids:
        try:
            site = services().store.sites.get(id)
            {
                "pause": actions.pause_site,
                "resume": actions.resume_site,
                "crawl": actions.crawl,
                "remove": actions.remove_site,
            }[what](id)
        except (NotFound, Conflict):
            continue
        audit.record(f"site.{what}", f"site:{id}", old=" ".join(site.start_urls) if what == "remove" else None)
        done.append(site)
    return done
