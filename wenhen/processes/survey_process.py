"""The process in which a site is looked at: `python -m wenhen.processes.survey_process`, its address on stdin."""

import json
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime

# First, where the stack is short: as it is imported, Scrapy looks up the source of every frame of it three times.
import scrapy.core.downloader.contextfactory  # noqa: F401

from crawler.run_crawl import survey
from services.crawls.job_of_site import job_for
from services.crawls.unwatched_address import ad_hoc_site
from services.sites.site_settings import host_of_start
from store.records import Access
from wenhen.settings import load


def main() -> None:
    """Print what was found as one JSON object."""
    asked = json.load(sys.stdin)
    host = host_of_start(asked["url"])
    site = replace(ad_hoc_site(asked["url"], host, datetime.now(UTC)), internal=asked["internal"])
    job = replace(job_for(site, load(), Access(id=site.id)), warc_dir=None)
    json.dump(asdict(survey(job)), sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
