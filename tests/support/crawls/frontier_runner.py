"""Run as a script: one of several crawlers of one run, on a frontier and a pace in Redis; prints what it captured.

Arguments: address of Redis, id of the run, seconds of a lease; standard input holds the fields of the job, and
under "patience" how long Redis may be away.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import redis

sys.path.insert(0, str(Path(__file__).parents[3]))

from crawler.frontier import scheduler
from crawler.frontier.redis import RedisFrontier
from crawler.job import CrawlJob
from crawler.politeness.rate import RedisRateLimiter
from crawler.ports import Arrival, CrawlCounts
from crawler.run import run_crawl
from wenhen.kit.errors import Message


class Printing:
    """A sink that prints each address as it stores it, and so has stored what was printed."""

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        sys.stdout.write("".join(f"{one.url}\n" for one in arrivals))
        sys.stdout.flush()
        return [None] * len(arrivals)

    def report_refused(self, url: str, reason: Message, kind: str) -> None:
        sys.stderr.write(f"{url} {reason}\n")

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches."""


if __name__ == "__main__":
    url, run_id, lease = sys.argv[1:]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    asked = json.load(sys.stdin)
    scheduler.MAX_OUTAGE_SECONDS = asked.pop("patience", scheduler.MAX_OUTAGE_SECONDS)
    job = CrawlJob(**asked)
    with redis.Redis.from_url(url) as client:
        frontier = RedisFrontier(client, run_id, job.max_pages, lease=float(lease))
        counts = run_crawl(job, Printing(), frontier, RedisRateLimiter(client, lease=float(lease)))
    sys.stdout.write(f"{json.dumps(counts.as_mapping())}\n")
