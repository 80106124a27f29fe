"""Find what a reader may go to by a few typed letters: screens, works, cases, holders and sites."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from flask import current_app, url_for

from dashboard.frame.context import services
from dashboard.frame.language import LANGUAGES, t
from dashboard.frame.security import declared_right, may
from wenhen.kit.rights import Right
from wenhen.reports.wording import catalogue
from wenhen.search.service import find_numbered_case
from wenhen.works.naming import suggest_works

MAX_DESTINATIONS: Final = 12
_MAX_PER_KIND: Final = 5
# Views without arguments, each with the key of its name. Those that a reader asks for most come first.
_SCREENS: Final = (
    ("overview.show", "nav.overview"),
    ("suspects.find", "nav.suspects"),
    ("works.find", "nav.works"),
    ("intake.show", "intake.heading"),
    ("addresses.show", "addresses.title"),
    ("sites.show", "nav.sites"),
    ("check.show", "check.heading"),
    ("notices.find", "notices.title"),
    ("reports.show", "reports.title"),
    ("analysis.show", "nav.analysis"),
    ("health.show", "nav.health"),
    ("work_form.new", "work_form.new"),
    ("common.show", "common_texts.title"),
    ("details.show", "details.heading"),
    ("holders.show", "holders.title"),
    ("licences.show", "nav.licences"),
    ("marks.show", "marks.title"),
    ("rules.show", "rules.title"),
    ("fingerprints.show", "fingerprints.heading"),
    ("copy_map.show", "map.title"),
    ("kept_reports.show", "reports.kept"),
    ("platforms.show", "platforms.title"),
    ("pages.find", "pages.title"),
    ("discoveries.show", "discoveries.title"),
    ("alerts.show", "nav.alerts"),
    ("account.show", "nav.account"),
    ("users.show", "nav.users"),
    ("audit.show", "nav.audit"),
    ("webhooks.show", "nav.webhooks"),
    ("help.show", "help.title"),
)


class Destination(NamedTuple):
    """A place to go to. kind: what it is, in words."""

    label: str
    kind: str
    address: str


def find_destinations(typed: str) -> list[Destination]:
    """Return the places that the typed letters name, the most particular first. Nothing typed gives screens."""
    typed = typed.strip()
    if not typed:
        return list(_screens(""))[:MAX_DESTINATIONS]
    sources = (_case(typed), _screens(typed), _works(typed), _holders(typed), _sites(typed))
    return [place for source in sources for place in source][:MAX_DESTINATIONS]


def _case(typed: str) -> Iterator[Destination]:
    if case := find_numbered_case(services().product, typed):
        label = f"#{case.number} {case.page_title or case.page_url}"
        yield Destination(label, t("search.cases"), url_for("case.show", number=case.number))


def _screens(typed: str) -> Iterator[Destination]:
    query = typed.casefold()
    for endpoint, key in _SCREENS:
        right = declared_right(current_app, endpoint)
        if isinstance(right, Right) and not may(right):
            continue
        if any(query in catalogue().text(tongue, key).casefold() for tongue in LANGUAGES):
            yield Destination(t(key), t("go.screen"), url_for(endpoint))


def _works(typed: str) -> Iterator[Destination]:
    for work in suggest_works(services().product, typed)[:_MAX_PER_KIND]:
        label = " · ".join(filter(None, (work.title, work.author)))
        yield Destination(label, t("search.a_work"), url_for("works.show", id=work.id))


def _holders(typed: str) -> Iterator[Destination]:
    fitting = [holder.id for holder in services().store.holders.all() if typed.casefold() in holder.id.casefold()]
    for name in fitting[:_MAX_PER_KIND]:
        yield Destination(name, t("work.owner"), url_for("holders.show", name=name))


def _sites(typed: str) -> Iterator[Destination]:
    query = typed.casefold()
    fitting = [
        site
        for site in services().store.sites.all()
        if query in site.name.casefold() or any(query in host for host in site.hosts)
    ]
    for site in fitting[:_MAX_PER_KIND]:
        yield Destination(site.name, t("search.sites"), url_for("site.show", id=site.id))
