"""Surveys and dry runs of sites, each in a process of its own: a Twisted reactor cannot be started twice."""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from services.context import Surveyed, Tried
from store.errors import BadInput, Unavailable
from store.messages import Message
from wenhen.child_environment import child_environment, python
from wenhen.settings import Settings

LONGEST = 120  # seconds


def survey(settings: Settings, url: str, internal: bool) -> Surveyed:
    """Look at an address, robots.txt, sitemaps and feeds, by the rules of the crawler. Raises `BadInput`,
    `Unavailable`.
    """
    found = _told_by("wenhen.processes.survey_process", settings, url, {"url": url, "internal": internal})
    return Surveyed(**found | {"problem": found["problem"] and Message.read(found["problem"])})


def try_out(settings: Settings, site_id: str) -> Tried:
    """Crawl a few pages of a site, and store nothing. Raises `BadInput`, `Unavailable`."""
    found = _told_by("wenhen.processes.dry_run_process", settings, site_id, {"site": site_id})
    return Tried(**found | {"missed": [(url, Message.read(why)) for url, why in found["missed"]]})


def _told_by(module: str, settings: Settings, of: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    try:
        done = subprocess.run(
            python(module),
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
            env=dict(child_environment(settings)),
        )
    except subprocess.TimeoutExpired:
        raise Unavailable("sites.survey_too_long", url=of, seconds=LONGEST) from None
    if done.returncode:
        *_, error = done.stderr.strip().splitlines() or ["no reason told"]
        raise BadInput("sites.survey_failed", url=of, error=error)
    told: dict[str, Any] = json.loads(done.stdout)
    return told
