"""The tabs at the top of every screen, and the screens that stand behind each."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from flask import Flask, request, url_for

# By the name of a tab in the catalogue of words; the view that it opens, and the other blueprints behind it.
TABS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "overview": ("overview.show", ()),
    "suspects": (
        "suspects.find",
        ("preview", "rules", "case", "captures", "exclusions", "exhibits", "notice", "pictures"),
    ),
    "works": ("works.find", ("details", "holders", "intake", "papers", "work_form")),
    "check": ("check.show", ("fingerprints",)),
    "analysis": ("analysis.show", ("copy_map", "kept_reports", "notices", "platforms", "replies", "reports")),
    "sites": (
        "sites.show",
        ("discoveries", "licences", "pages", "runs", "site", "site_access", "site_dossier", "site_trial"),
    ),
    "health": ("health.show", ()),
}
# Behind the name of whoever is signed in.
PERSON: Final = ("account", "alerts", "api_docs", "audit", "users", "webhooks")


class Tab(NamedTuple):
    """A tab: the key of its name, where it leads, and whether the present screen stands behind it."""

    name: str
    address: str
    here: bool


def tabs() -> list[Tab]:
    """Those of the present screen."""
    return [
        Tab(name, url_for(view), request.blueprint in (view.partition(".")[0], *others))
        for name, (view, others) in TABS.items()
    ]


def install(app: Flask) -> None:
    """Give templates the tabs."""
    app.add_template_global(tabs, "tabs")
    app.add_template_global(lambda: request.blueprint in PERSON, "at_people")
