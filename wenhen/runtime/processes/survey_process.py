"""Survey a site, try its crawl, or fetch a page from a region, in this process. Print the result as JSON."""

# Imported first, while the stack is short: on import, Scrapy looks up the source of every stack frame three times.
import scrapy.core.downloader.contextfactory  # noqa: F401

# isort: split
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from crawler.run import run_dry_run, run_survey
from crawler.site_access import Access
from wenhen.crawls.fetch import fetch_regional_capture
from wenhen.crawls.job import make_ad_hoc_site, make_crawl_job
from wenhen.crawls.service import TRIAL_PAGES, TRIAL_SECONDS
from wenhen.kit.errors import WenhenError
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import open_pace, worker_app
from wenhen.sites.access import open_access
from wenhen.sites.site_settings import start_url_host

# Run as `python -m wenhen.runtime.processes.survey_process`. Stdin is {"url", "internal"} for a survey, or {"site"}, an
# id, for a trial crawl, or {"regional"}, the id of a regional capture, whose answer goes to the store.


def print_survey(request: Mapping[str, Any]) -> None:
    """Print the survey as one JSON object."""
    host = start_url_host(request["url"])
    site = replace(make_ad_hoc_site(request["url"], host, datetime.now(UTC)), internal=request["internal"])
    # Somebody waits for the answer: an address that is private, or that nobody knows, is known at once.
    job = replace(make_crawl_job(site, load_settings(), Access(id=site.id)), warc_dir=None, retries=0)
    json.dump(asdict(run_survey(job)), sys.stdout, ensure_ascii=False)


def print_trial_crawl(request: Mapping[str, Any]) -> None:
    """Print the result of a trial crawl as one JSON object."""
    app = worker_app()
    site = app.store.sites.get(request["site"])
    job = make_crawl_job(site, app.settings, open_access(app, site.id))
    pages = min(TRIAL_PAGES, site.max_pages)
    tried = replace(job, max_pages=pages, max_seconds=TRIAL_SECONDS, warc_dir=None, pictures=0, fonts=False)
    json.dump(asdict(run_dry_run(tried, open_pace(app.settings))), sys.stdout, ensure_ascii=False)


def store_regional_answer(request: Mapping[str, Any]) -> None:
    """Fetch a page from a region, and print an empty object once its answer is stored."""
    app = worker_app()
    asked = app.store.regional_captures.get(request["regional"])
    app.store.regional_captures.put(fetch_regional_capture(app, asked, open_pace(app.settings)))
    json.dump({}, sys.stdout)


def main() -> None:
    """Do what is asked. What was wrong goes to stderr in one line."""
    request = json.load(sys.stdin)
    try:
        if "regional" in request:
            store_regional_answer(request)
        elif "site" in request:
            print_trial_crawl(request)
        else:
            print_survey(request)
    except WenhenError as error:
        sys.exit(" ".join(str(error).split()))


if __name__ == "__main__":
    main()
