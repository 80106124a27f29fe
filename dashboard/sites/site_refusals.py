"""Why a site, or the way to it, was refused, in the reader's words.

Commands and programs get the errors as they are written, in English; here they are told apart by their wording. A test
raises each of them and finds it in both languages.
"""

import re
from typing import Final

from dashboard.frame.language import catalogue, t
from dashboard.frame.telling import in_words
from store.errors import WenhenError

_SETTING: Final = re.compile(r"(\w+): (.*)", re.DOTALL)
_KINDS: Final = {
    key: re.compile(pattern, re.DOTALL)
    for key, pattern in {
        "address": r"(?P<what>.*) is not an address that can be crawled: .*",
        "no_address": r"a site needs an address to start from",
        "host": r"(?P<what>.*) is no host name: .*",
        "one_host": r"(?P<what>.*) is no name of one host",
        "choice": r"(?P<what>.*) is none of (?P<choices>.*)",
        "longest": r"longer than (?P<most>\d+) characters",
        "truth": r"(?P<what>.*) is neither yes nor no",
        "whole": r"(?P<what>.*) is no whole number",
        "number": r"(?P<what>.*) is no number",
        "bounds": r"(?P<what>.*) is not from (?P<least>\S+) to (?P<most>\S+)",
        "cron": r"(?P<what>.*) is no schedule: .*",
        "quiet": r"(?P<what>.*) are no quiet hours: .*",
        "whole_day": r"(?P<what>.*) would be the whole day: .*",
        "pattern": r"(?P<what>.*) is not a regular expression \((?P<why>.*)\): .*",
        "headers": r"there is no header profile (?P<what>.*): choose one of (?P<choices>.*)",
        "there": r"the site (?P<what>.*) is there already: .*",
        "id": r"(?P<what>.*) is no id of a site: .*",
        "column": r"the first line has the unknown column (?P<what>.*); columns are (?P<choices>.*)",
        "no_column": r"the first line has no column urls; columns are (?P<choices>.*)",
        "charset": r"the file is no CSV in .*",
        "fields": r"more fields than the first line names",
        "internal": r"only an administrator adds sites that .*",
        "other_cookies": r"none of the (?P<count>\d+) cookies is for (?P<what>.*)",
        "cookies": r"cookies are given as .*",
        "cookie_lines": r"this is no cookies\.txt: .*",
        "cookie_file": r"this cookies\.txt cannot be read: .*",
        "no_cookie": r"this cookies\.txt holds no cookie",
        "unknown_proxy": r"the proxy (?P<what>.*) is not known with this name: .*",
        "proxy": r"the proxy (?P<what>.*) cannot be used: .*",
        "reason": r"overriding robots\.txt needs a reason: .*",
    }.items()
}


def told(error: WenhenError | str) -> str:
    """The words for an error, behind the name of the setting that it is of; one that is not known here as it is."""
    message = str(error)
    setting = _SETTING.fullmatch(message)
    label = _label(setting[1]) if setting else None
    if setting and label:
        return f"{label} — {_words(setting[2])}"
    return _words(message)


def _label(setting: str) -> str | None:
    keys = (f"sites.{setting}", f"sites.set_{setting}")
    return next((t(key) for key in keys if key in catalogue().entries), None)


def _words(message: str) -> str:
    for key, pattern in _KINDS.items():
        if found := pattern.fullmatch(message):
            return t(f"site_refusal.{key}", **found.groupdict())
    return in_words(message)
