"""Crawls of the test site on loopback, each in a process of its own."""

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

# Forked from one that has imported what a crawl does and never ran one: to import it takes longer than most of them.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.support.crawls.preloaded"])
LONGEST = 600  # seconds
HOST = "http://news.wenhen-test.test"


def run(*paths: str, test: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Crawl the paths of the test site as an internal site; fields of the job may be given."""
    job: dict[str, Any] = {
        "start_urls": [path if "://" in path else HOST + path for path in paths],
        "host_map": {"news.wenhen-test.test": "127.0.0.1:{port}"},
        "user_agent": "wenhen/0.1",
        "contact": "https://example.com/contact",
        "internal": True,
        "delay": 0.0,
        "backoff": 0.05,
        "retries": 1,
        "timeout": 30.0,  # a busy host answers late; tests of silent servers give a shorter one
        "test": test or {},
    } | fields
    ours, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=_tell, args=(job, theirs))
    process.start()
    theirs.close()
    try:
        assert ours.poll(LONGEST), "the crawl does not end"
        result: dict[str, Any] = ours.recv()
    finally:
        process.kill()
        process.join()
    assert "failed" not in result, result["failed"]
    return result


def _tell(job: dict[str, Any], told: Connection) -> None:
    from tests.support.crawls.crawl_runner import tell  # Scrapy, which the tests' own process does not need

    tell(job, told)


def missed(result: dict[str, Any]) -> dict[str, int]:
    """The reasons counted, without the totals."""
    return {name: count for name, count in result["counts"].items() if "_" in name}
