"""Choose the reader's language, and translate words and error messages into it."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import urlencode

from flask import Flask, Response, g, request, url_for
from markupsafe import Markup, escape

from dashboard.frame.security import cookie_name
from wenhen.kit.errors import PLAIN_CODE, DisplayLanguage, Language, Message, find_sentence
from wenhen.reports.wording import catalogue

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
    return catalogue().text(language(), key, **figures)


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


def message_text(message: Message) -> Markup:
    """Render the message. In Chinese text, mark quotes of other programs as English for screen readers."""
    return _render_message(message, language())


def _render_message(message: Message, chosen: DisplayLanguage) -> Markup:
    figures = {
        name: _render_figure(figure, chosen) if isinstance(figure, Message) else figure
        for name, figure in message.figures.items()
    }
    return escape(find_sentence(message.code, chosen)).format(**figures)


def _render_figure(inner: Message, chosen: DisplayLanguage) -> Markup:
    words = _render_message(inner, chosen)
    english = inner.code == PLAIN_CODE and chosen != "en" and words.isascii()
    return Markup('<span lang="en">{}</span>').format(words) if english else words


def install_messages(app: Flask) -> None:
    """Register the filter for templates."""
    app.add_template_filter(message_text)
