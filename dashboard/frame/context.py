"""Give views the services, the actor, tabs, counts and request timing, and words in the language of the reader."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, Final, NamedTuple, ParamSpec, cast
from urllib.parse import urlencode

from flask import Flask, Response, current_app, g, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup, escape

from dashboard.frame.security import cookie_name, is_reader_held, may_open
from matcher.attribution.calibration import Threshold
from wenhen.accounts.model import User
from wenhen.cases.calibration import load_calibration_mark
from wenhen.cases.model import Case
from wenhen.cases.service import count_my_leads
from wenhen.context.scoped_store import hold_product
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Acting, Product
from wenhen.kit.errors import (
    PLAIN_CODE,
    BadInput,
    Conflict,
    DisplayLanguage,
    Language,
    Message,
    TooManyTries,
    WenhenError,
    find_sentence,
    spoken_figures,
)
from wenhen.kit.sealed_secrets import Seal
from wenhen.kit.telemetry import REQUEST_SECONDS
from wenhen.operations.health import HealthCheck
from wenhen.reports.wording import catalogue
from wenhen.works.importers.drafts import describe_source

P = ParamSpec("P")


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
    """Return the services of the application that handles the current request, as the reader may see them."""
    whole = cast("Services", current_app.extensions[EXTENSION_KEY])
    if not is_reader_held():
        return whole
    if "held_services" not in g:
        g.held_services = Services(hold_product(whole.product, g.account), whole.health)
    return cast("Services", g.held_services)


def current_seal() -> Seal:
    """Return the seal that encrypts secrets."""
    return services().product.seal


def current_actor() -> Acting:
    """Return the current user as the actor of use cases."""
    account: User | None = g.get("account")
    rights = frozenset(g.get("rights", ()))
    return Acting(services().product, g.user, rights, account.id if account else None, g.get("token"))


def numbered_case(number: int) -> Case:
    """Return a case by its number, as the reader may see it. Raises `NotFound`."""
    return services().store.cases.get(str(number))


def enabled_people() -> list[str]:
    """Return the names of the users who can sign in."""
    return [user.name for user in services().store.users.all() if user.disabled_at is None]


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
        if may_open(view)
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


# One catalogue holds all words of the screens, in Chinese and in English. The reader selects the language. Those of
# Taiwan are made from the Chinese ones.


LANGUAGES: Final[Mapping[DisplayLanguage, str]] = {"zh": "zh-CN", "en": "en", "tw": "zh-TW"}  # choice -> HTML lang
_LANGUAGE_NAMES: Final[Mapping[DisplayLanguage, str]] = {"zh": "简体中文", "en": "English", "tw": "繁體中文"}
_TRADITIONAL_TAGS: Final = ("zh-tw", "zh-hk", "zh-mo", "zh-hant")
DEFAULT_LANGUAGE: Final[DisplayLanguage] = "zh"
LANGUAGE_COOKIE: Final = "lang"
_LANGUAGE_COOKIE_SECONDS: Final = 365 * 24 * 3600  # lifetime of the choice in seconds


def language() -> DisplayLanguage:
    """Return the reader's language from the address, else from the cookie, else from the browser's preferences."""
    if "language" not in g:
        wanted = request.args.get("lang") or request.cookies.get(cookie_name(LANGUAGE_COOKIE))
        g.language = wanted if wanted in LANGUAGES else _accepted_language()
    chosen: DisplayLanguage = g.language
    return chosen


def stored_language() -> Language:
    """Return the language of what is sent to the reader later: Chinese or English."""
    return "en" if language() == "en" else "zh"


def _accepted_language() -> DisplayLanguage:
    """Return the first language of the browser's preferences that we have, in any region, else Chinese."""
    for tag in map(str.lower, request.accept_languages.values()):
        if tag.startswith(_TRADITIONAL_TAGS):
            return "tw"
        for name in ("zh", "en"):
            if tag.partition("-")[0] == name:
                return "en" if name == "en" else "zh"
    return DEFAULT_LANGUAGE


def t(key: str, **figures: object) -> str:
    """Translate a catalogue key to the reader's language."""
    return catalogue().text(language(), key, **spoken_figures(figures))


def lead(key: str, **figures: object) -> str:
    """Translate a label that precedes other text.

    Add a space, unless the label ends in a full-width mark, which includes its own.
    """
    words = t(key, **figures)
    return words if words.endswith(("：", "。")) else words + " "


def value_name(group: str, value: str) -> str:
    """Name a value from data (a step, a count's name), or return the value if the catalogue lacks it."""
    return catalogue().find(language(), f"{group}.{value}") or value


class OtherLanguage(NamedTuple):
    """A language to which the reader may change: its HTML tag, its own name, and the address."""

    tag: str
    name: str
    address: str


def other_languages() -> list[OtherLanguage]:
    """Return the current address in the other languages. After a POST, return the address of the overview."""
    return [
        OtherLanguage(tag, _LANGUAGE_NAMES[name], _address_in(name))
        for name, tag in LANGUAGES.items()
        if name != language()
    ]


def _address_in(chosen: DisplayLanguage) -> str:
    if request.method != "GET":
        return url_for("overview.show", lang=chosen)
    kept = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
    return "?" + urlencode([*kept, ("lang", chosen)])


def _remember_language(response: Response) -> Response:
    if request.args.get("lang") in LANGUAGES:
        response.set_cookie(
            cookie_name(LANGUAGE_COOKIE),
            language(),
            max_age=_LANGUAGE_COOKIE_SECONDS,
            samesite="Lax",
            httponly=True,
            secure=request.is_secure,
        )
    api = request.path.startswith("/api/")  # the API answers in English
    response.headers["Content-Language"] = LANGUAGES["en" if api else language()]
    return response


def install_language(app: Flask) -> None:
    """Register the translation functions for templates, and store the reader's language in a cookie."""
    app.after_request(_remember_language)
    app.add_template_global(t, "t")
    app.add_template_global(lead, "lead")
    app.add_template_global(value_name)
    app.add_template_global(other_languages, "other_languages")
    app.context_processor(lambda: {"html_language": LANGUAGES[language()]})


# Messages of refusals and failures, in the reader's language.


def shows_refusal(
    render: Callable[..., ResponseReturnValue], *further: type[WenhenError], conflict: int = 400
) -> Callable[[Callable[P, ResponseReturnValue]], Callable[P, ResponseReturnValue]]:
    """Let a view answer bad input, and further kinds of errors, with its own screen instead of an error page.

    render: returns the screen, or a way back to it, from the message and the arguments of the view. conflict: the
    status of a `Conflict`. That of `TooManyTries` is 429, of all others 400.
    """
    refusals: tuple[type[WenhenError], ...] = (BadInput, *further)

    def mark(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
        @wraps(view)
        def answer(*args: P.args, **kwargs: P.kwargs) -> ResponseReturnValue:
            try:
                return view(*args, **kwargs)
            except refusals as error:
                status = 429 if isinstance(error, TooManyTries) else conflict if isinstance(error, Conflict) else 400
                screen = render(error.message, **kwargs)
                return (screen, status) if isinstance(screen, str) else screen

        return answer

    return mark


def message_text(message: Message) -> Markup:
    """Render the message. In Chinese text, mark quotes of other programs as English for screen readers."""
    return _render_message(message, language())


def _render_message(message: Message, chosen: DisplayLanguage) -> Markup:
    figures = {
        name: _render_figure(figure, chosen) if isinstance(figure, Message) else figure
        for name, figure in message.figures.items()
    }
    return help_links(find_sentence(message.code, chosen)).format(**spoken_figures(figures))


_DOCUMENT_PATH: Final = re.compile(r"docs/([a-z-]+)\.md")
_GUIDE_LINKS: Final = {  # words of the link, where a guide in the reader's language tells the same
    "alerts": "frame.help_alerts",
    "settings": "frame.help_settings",
}


def help_links(sentence: str) -> Markup:
    """Render a sentence with the paths of documents as links to their help pages, in the reader's language if there is
    one.
    """
    markup, offset = Markup(), 0
    for match in _DOCUMENT_PATH.finditer(sentence):
        words = _GUIDE_LINKS.get(match[1])
        address = url_for("help.guide" if words else "help.document", name=match[1])
        link = Markup('<a href="{}">{}</a>').format(address, t(words or "frame.help"))
        markup += escape(sentence[offset : match.start()]) + link
        offset = match.end()
    return markup + escape(sentence[offset:])


def _render_figure(inner: Message, chosen: DisplayLanguage) -> Markup:
    words = _render_message(inner, chosen)
    english = inner.code == PLAIN_CODE and chosen != "en" and words.isascii()
    return Markup('<span lang="en">{}</span>').format(words) if english else words


def source_name(what: str) -> Markup | str:
    """Name what was imported: a file, or a sheet, a row or a member of one."""
    place = describe_source(what)
    return message_text(place) if isinstance(place, Message) else place


def install_messages(app: Flask) -> None:
    """Register the filters for templates."""
    app.add_template_filter(message_text)
    app.add_template_filter(help_links)
    app.add_template_filter(source_name)
