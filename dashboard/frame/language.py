"""Choose the reader's language, and translate words and error messages into it."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from flask import Flask, Response, g, request, url_for
from markupsafe import Markup, escape

from dashboard.frame.security import cookie_name
from wenhen.kit.errors import PLAIN_CODE, Language, Message, sentences
from wenhen.reports.wording import catalogue

# One catalogue holds all words of the screens, in Chinese and in English. The reader selects the language.


LANGUAGES: Final[Mapping[Language, str]] = {"zh": "zh-CN", "en": "en"}  # choice -> HTML lang
DEFAULT_LANGUAGE: Final[Language] = "zh"
LANGUAGE_COOKIE: Final = "lang"
_LANGUAGE_COOKIE_SECONDS: Final = 365 * 24 * 3600  # lifetime of the choice in seconds


def language() -> Language:
    """Return the reader's language from the address, else from the cookie, else from the browser's preferences."""
    if "language" not in g:
        wanted = request.args.get("lang") or request.cookies.get(cookie_name(LANGUAGE_COOKIE))
        g.language = wanted if wanted in LANGUAGES else _accepted_language()
    chosen: Language = g.language
    return chosen


def _accepted_language() -> Language:
    """Return the first language of the browser's preferences that we have, in any region, else Chinese."""
    tags = [tag.partition("-")[0].lower() for tag in request.accept_languages.values()]
    return next((name for tag in tags for name in LANGUAGES if name == tag), DEFAULT_LANGUAGE)


def t(key: str, **figures: object) -> str:
    """Translate a catalogue key to the reader's language."""
    return catalogue().text(language(), key, **figures)


def lead(key: str, **figures: object) -> str:
    """Translate a label that precedes other text.

    Add a space, unless the label ends in a full-width mark, which includes its own.
    """
    words = t(key, **figures)
    return words if words.endswith(("：", "。")) else words + " "


def named(group: str, value: str) -> str:
    """Name a value from data (a step, a count's name), or return the value if the catalogue lacks it."""
    return catalogue().find(language(), f"{group}.{value}") or value


def other_language_address() -> str:
    """Return the current address in the other language. After a POST, return the address of the overview."""
    other = "en" if language() == "zh" else "zh"
    if request.method != "GET":
        return url_for("overview.show", lang=other)
    kept = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
    return "?" + urlencode([*kept, ("lang", other)])


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
    app.add_template_global(named, "named")
    app.add_template_global(other_language_address, "other_language_address")
    app.context_processor(lambda: {"html_language": LANGUAGES[language()]})


# Messages of refusals and failures, in the reader's language.


def said(message: Message) -> Markup:
    """Render the message. In Chinese text, mark quotes of other programs as English for screen readers."""
    return _render_message(message, language())


def _render_message(message: Message, chosen: Language) -> Markup:
    figures = {
        name: _render_figure(figure, chosen) if isinstance(figure, Message) else figure
        for name, figure in message.figures.items()
    }
    return escape(sentences()[message.code][chosen]).format(**figures)


def _render_figure(inner: Message, chosen: Language) -> Markup:
    words = _render_message(inner, chosen)
    english = inner.code == PLAIN_CODE and chosen == "zh" and words.isascii()
    return Markup('<span lang="en">{}</span>').format(words) if english else words


def install_messages(app: Flask) -> None:
    """Register the filter for templates."""
    app.add_template_filter(said)
