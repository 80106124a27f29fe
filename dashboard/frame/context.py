"""Give views the services, the current actor, tabs, notification counts and request timing."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, cast

from flask import Flask, Response, current_app, g, request, url_for

from matcher.attribution.calibration import Threshold
from wenhen.accounts.model import User
from wenhen.cases.calibration import load_calibration_mark
from wenhen.cases.service import count_my_leads
from wenhen.kit.errors import Message
from wenhen.kit.sealed_secrets import Seal
from wenhen.kit.telemetry import REQUEST_SECONDS
from wenhen.operations.health import HealthCheck
from wenhen.product.context import Product
from wenhen.product.store import Store
from wenhen.product.use_cases import Acting


@dataclass(frozen=True, slots=True)
class Services:
    """The product and its health check, for views."""

    product: Product
    health: HealthCheck

    @property
    def store(self) -> Store:
        """Return the product's store."""
        return self.product.store

    def clock(self) -> datetime:
        """Return the current time, aware and in UTC."""
        return self.product.now()


EXTENSION_KEY = "wenhen"


def services() -> Services:
    """Return the services of the application that handles the current request."""
    return cast("Services", current_app.extensions[EXTENSION_KEY])


def current_seal() -> Seal:
    """Return the seal that encrypts secrets."""
    return services().product.seal


def current_actor() -> Acting:
    """Return the current user as the actor of use cases."""
    account: User | None = g.get("account")
    rights = frozenset(g.get("rights", ()))
    return Acting(services().product, g.user, rights, account.id if account else None, g.get("token"))


def measured_thresholds() -> tuple[Threshold, Threshold] | None:
    """Return the scores at which cases open and at which they are certain, or None before the first calibration."""
    mark = load_calibration_mark(services().store.marks)
    return None if mark is None else mark.thresholds


def count_questions_to_reader() -> int:
    """Count the cases on which somebody asked the reader for a second opinion."""
    return services().store.cases.count(asked=current_actor().who)


def count_unseen_alerts() -> int:
    """Count the reader's unseen alerts."""
    return services().store.alerts.unseen(current_actor().who)


def count_leads_of_reader() -> int:
    """Count the cases assigned to the reader that wait for a decision."""
    return count_my_leads(current_actor())


def install_notification_counts(app: Flask) -> None:
    """Register the counts for templates."""
    app.add_template_global(count_leads_of_reader, "given_to_me")
    app.add_template_global(count_questions_to_reader, "asked_of_me")
    app.add_template_global(count_unseen_alerts, "alerts_for_me")


# By the tab's key in the catalogue: the view that it opens, and further blueprints that belong to it.
TABS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "overview": ("overview.show", ()),
    "suspects": (
        "suspects.find",
        ("preview", "rules", "case", "captures", "exclusions", "exhibits", "notice", "pictures"),
    ),
    "works": ("works.find", ("common", "details", "holders", "intake", "marks", "papers", "work_form")),
    "check": ("check.show", ("addresses", "fingerprints")),
    "analysis": ("analysis.show", ("copy_map", "kept_reports", "links", "notices", "platforms", "replies", "reports")),
    "sites": (
        "sites.show",
        ("discoveries", "licences", "pages", "runs", "site", "site_access", "site_dossier", "site_trial"),
    ),
    "health": ("health.show", ()),
}
_TAB_ARGUMENTS: Final[Mapping[str, Mapping[str, Any]]] = {"suspects": {"status": "lead"}}  # show waiting cases first
# Blueprints in the menu of the signed-in user.
ACCOUNT_BLUEPRINTS: Final = ("account", "alerts", "api_docs", "audit", "settings", "users", "webhooks")


class Tab(NamedTuple):
    """A tab: the key of its name, its address, and whether the current screen belongs to it."""

    name: str
    address: str
    here: bool


def current_tabs() -> list[Tab]:
    """Return the tabs of the current screen."""
    return [
        Tab(name, url_for(view, **_TAB_ARGUMENTS.get(name, {})), request.blueprint in (view.partition(".")[0], *others))
        for name, (view, others) in TABS.items()
    ]


def install_tabs(app: Flask) -> None:
    """Register the tabs for templates."""
    app.add_template_global(current_tabs, "tabs")
    app.add_template_global(lambda: request.blueprint in ACCOUNT_BLUEPRINTS, "at_people")


def fix_link(refusal: Message) -> str | None:
    """Return the address of the form that fixes the refusal, or None if no form does."""
    holder = refusal.figures.get("holder")
    if refusal.code == "holders.not_ready" and isinstance(holder, str):
        return url_for("holders.show", name=holder, _anchor="one")
    return None


def install_request_timing(app: Flask) -> None:
    """Measure the duration of every request."""

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        if "began" in g:
            took = time.perf_counter() - g.began
            REQUEST_SECONDS.labels(request.endpoint or "none", request.method, response.status_code).observe(took)
        return response

    app.before_request(begin)
    app.after_request(end)
