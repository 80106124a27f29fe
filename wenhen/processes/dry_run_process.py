"""The process in which a crawl is tried out: `python -m wenhen.processes.dry_run_process`, its site's id on stdin."""

import json
import sys
from dataclasses import asdict, replace

# First, where the stack is short: as it is imported, Scrapy looks up the source of every frame of it three times.
import scrapy.core.downloader.contextfactory  # noqa: F401

from crawler.run_crawl import try_out
from services.crawls.job_of_site import job_for
from services.crawls.opened_access import opened_access
from services.sites.dry_run import PAGES, SECONDS
from wenhen.wiring import pace_of, worker_app


def main() -> None:
    """Print what was come upon as one JSON object."""
    app = worker_app()
    site = app.store.sites.get(json.load(sys.stdin)["site"])
    job = job_for(site, app.settings, opened_access(app, site.id))
    pages = min(PAGES, site.max_pages)
    tried = replace(job, max_pages=pages, max_seconds=SECONDS, warc_dir=None, pictures=0, fonts=False)
    json.dump(asdict(try_out(tried, pace_of(app.settings))), sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
