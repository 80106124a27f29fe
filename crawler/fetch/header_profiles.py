"""Sets of request headers that go together. All of them say who we are: none pretends to be somebody's browser.

A few sites answer only visitors who ask the way browsers do, or give each kind of visitor its own edition. A profile
is chosen for a site and sent with every request to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from store.errors import BadInput

HTML = "text/html,application/xhtml+xml,*/*;q=0.5"
AS_BROWSERS_ASK = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
SIMPLIFIED = "zh-CN,zh;q=0.9,zh-TW;q=0.8,en;q=0.3"
TRADITIONAL = "zh-TW,zh-HK;q=0.9,zh;q=0.8,zh-CN;q=0.7,en;q=0.3"


@dataclass(frozen=True, slots=True)
class HeaderProfile:
    """`agent` holds {name} where the crawler's own name and contact stand."""

    agent: str
    headers: Mapping[str, str]

    def user_agent(self, name: str) -> str:
        """The User-Agent header."""
        return self.agent.format(name=name)


PROFILES = {
    "default": HeaderProfile("{name}", {"Accept": HTML, "Accept-Language": SIMPLIFIED}),
    # The edition in traditional characters, where a site chooses by language.
    "traditional": HeaderProfile("{name}", {"Accept": HTML, "Accept-Language": TRADITIONAL}),
    # "Mozilla/5.0 (compatible; …)" is the form in which search engines have always named themselves.
    "compatible": HeaderProfile(
        "Mozilla/5.0 (compatible; {name})",
        {"Accept": AS_BROWSERS_ASK, "Accept-Language": SIMPLIFIED, "Upgrade-Insecure-Requests": "1"},
    ),
    # The edition for telephones; here, too, the name stands in the form that search engines use.
    "mobile": HeaderProfile(
        "Mozilla/5.0 (Linux; Android 10; Mobile) (compatible; {name})",
        {"Accept": AS_BROWSERS_ASK, "Accept-Language": SIMPLIFIED, "Upgrade-Insecure-Requests": "1"},
    ),
}


def header_profile(name: str) -> HeaderProfile:
    """The profile of this name; BadInput names those that there are."""
    if name not in PROFILES:
        raise BadInput("sites.no_profile", given=name, choices=", ".join(PROFILES))
    return PROFILES[name]
