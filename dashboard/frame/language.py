"""Choose the reader's language, and translate words and error messages into it."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from flask import Flask, Response, g, request, url_for
from markupsafe import Markup, escape

from dashboard.frame.security import cookie_name
from wenhen.kit.errors import PLAIN_CODE, Language, Message, sentences
from wenhen.reports.wording import catalogue

# Chinese first, English beside it: one catalogue of every word on the screen, and the reader's choice.


LANGUAGES: Final[Mapping[Language, str]] = {"zh": "zh-CN", "en": "en"}  # choice -> HTML lang
DEFAULT_LANGUAGE: Final[Language] = "zh"
LANGUAGE_COOKIE: Final = "lang"
_LANGUAGE_COOKIE_SECONDS: Final = 365 * 24 * 3600  # seconds that the choice is remembered


def language() -> Language:
    """The reader's language: the address wins, then what was chosen before, then what the browser asks for."""
    if "language" not in g:
        wanted = request.args.get("lang") or request.cookies.get(cookie_name(LANGUAGE_COOKIE))
        g.language = wanted if wanted in LANGUAGES else _accepted_language()
    chosen: Language = g.language
    return chosen


def _accepted_language() -> Language:
    """The first of the languages that the browser asks for which we have, of whatever country, else Chinese."""
    asked = [tag.partition("-")[0].lower() for tag in request.accept_languages.values()]
    return next((name for tag in asked for name in LANGUAGES if name == tag), DEFAULT_LANGUAGE)


def t(key: str, **figures: object) -> str:
    """Words in the reader's language."""
    return catalogue().text(language(), key, **figures)


def lead(key: str, **figures: object) -> str:
    """Words that something follows: with a space, unless they end in a wide mark, which has its own."""
    words = t(key, **figures)
    return words if words.endswith(("：", "。")) else words + " "


def named(group: str, value: str) -> str:
    """Words for a value that came from data (a step, a count's name), or the value itself where it has none."""
    return catalogue().find(language(), f"{group}.{value}") or value


def other_language_address() -> str:
    """The present address in the other language; what was sent by POST begins again at the first screen."""
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
    api = request.path.startswith("/api/")  # which speaks English
    response.headers["Content-Language"] = LANGUAGES["en" if api else language()]
    return response


def install_language(app: Flask) -> None:
    """Give templates their words, and remember the choice of language."""
    app.after_request(_remember_language)
    app.add_template_global(t, "t")
    app.add_template_global(lead, "lead")
    app.add_template_global(named, "named")
    app.add_template_global(other_language_address, "other_language_address")
    app.context_processor(lambda: {"html_language": LANGUAGES[language()]})


# What was refused or failed, as a page says it: in the reader's language.


def said(message: Message) -> Markup:
    """The sentence. Inside of a Chinese one, what another program said in its own words is marked as English, for those
    who have the page read to them.
    """
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
    """Offer it to templates."""
    app.add_template_filter(said)
