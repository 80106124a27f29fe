"""Crawls of the test site on loopback, each in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

RUNNER = Path(__file__).with_name("crawl_runner.py")
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
        "timeout": 3.0,
        "test": test or {},
    } | fields
    done = subprocess.run(
        [sys.executable, str(RUNNER)], input=json.dumps(job), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def missed(result: dict[str, Any]) -> dict[str, int]:
    """The reasons counted, without the totals."""
    return {name: count for name, count in result["counts"].items() if "_" in name}
