"""Survey a site, or try out its crawl, in this process. Print the result as JSON."""

import json
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime

# First, where the stack is short: as it is imported, Scrapy looks up the source of every frame of it three times.
import scrapy.core.downloader.contextfactory  # noqa: F401

from crawler.run import run_dry_run, run_survey
from crawler.site_access import Access
from wenhen.crawls.job import make_ad_hoc_site, make_crawl_job
from wenhen.crawls.service import TRIAL_PAGES, TRIAL_SECONDS
from wenhen.runtime.settings import load_settings
from wenhen.runtime.wiring import open_pace, worker_app
from wenhen.sites.access import open_access
from wenhen.sites.settings import start_url_host

# The process in which a site is looked at: `python -m wenhen.runtime.processes.survey_process`, its address on stdin.


def print_survey() -> None:
    """Print what was found as one JSON object."""
    asked = json.load(sys.stdin)
    host = start_url_host(asked["url"])
    site = replace(make_ad_hoc_site(asked["url"], host, datetime.now(UTC)), internal=asked["internal"])
    job = replace(make_crawl_job(site, load_settings(), Access(id=site.id)), warc_dir=None)
    json.dump(asdict(run_survey(job)), sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    print_survey()


# The process in which a crawl is tried out: `python -m wenhen.runtime.processes.survey_process`, its site's id on stdin.


def print_trial_crawl() -> None:
    """Print what was come upon as one JSON object."""
    app = worker_app()
    site = app.store.sites.get(json.load(sys.stdin)["site"])
    job = make_crawl_job(site, app.settings, open_access(app, site.id))
    pages = min(TRIAL_PAGES, site.max_pages)
    tried = replace(job, max_pages=pages, max_seconds=TRIAL_SECONDS, warc_dir=None, pictures=0, fonts=False)
    json.dump(asdict(run_dry_run(tried, open_pace(app.settings))), sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    print_trial_crawl()
