"""Surveys of sites, each in a process of its own: a Twisted reactor cannot be started twice."""

import json
import subprocess

from services.context import Surveyed
from store.errors import BadInput, Unavailable
from store.messages import Message
from wenhen.child_environment import child_environment, python
from wenhen.settings import Settings

LONGEST = 120  # seconds


def survey(settings: Settings, url: str, internal: bool) -> Surveyed:
    """Look at an address, robots.txt, sitemaps and feeds, by the rules of the crawler. Raises `BadInput`,
    `Unavailable`.
    """
    try:
        done = subprocess.run(
            python("wenhen.processes.survey_process"),
            input=json.dumps({"url": url, "internal": internal}),
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
            env=dict(child_environment(settings)),
        )
    except subprocess.TimeoutExpired:
        raise Unavailable("sites.survey_too_long", url=url, seconds=LONGEST) from None
    if done.returncode:
        *_, error = done.stderr.strip().splitlines() or ["no reason told"]
        raise BadInput("sites.survey_failed", url=url, error=error)
    found = json.loads(done.stdout)
    return Surveyed(**found | {"problem": found["problem"] and Message.read(found["problem"])})
