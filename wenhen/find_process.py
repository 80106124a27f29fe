"""The process in which a site is looked at: `python -m wenhen.find_process`, the address on standard input as JSON."""

import json
import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime

from crawler.process import find
from store.records import Access
from wenhen.crawl_job import job_for
from wenhen.crawled_site import ad_hoc_site
from wenhen.settings import load
from wenhen.site_settings import host_of_start


def main() -> None:
    """Print what was found as one JSON object."""
    asked = json.load(sys.stdin)
    host = host_of_start(asked["url"])
    site = replace(ad_hoc_site(asked["url"], host, datetime.now(UTC)), internal=asked["internal"])
    job = replace(job_for(site, load(), Access(id=site.id)), warc_dir=None)
    json.dump(asdict(find(job)), sys.stdout, ensure_ascii=False)


if __name__ == "__main__":
    main()
