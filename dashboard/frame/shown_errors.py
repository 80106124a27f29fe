"""What was refused or failed, as a page says it: in the reader's language."""

from flask import Flask
from markupsafe import Markup, escape

from dashboard.frame.language import language
from store.messages import PLAIN, Language, Message, sentences


def said(message: Message) -> Markup:
    """The sentence. Inside of a Chinese one, what another program said in its own words is marked as English, for those
    who have the page read to them.
    """
    return _in(message, language())


def _in(message: Message, chosen: Language) -> Markup:
    figures = {name: _figure(one, chosen) if isinstance(one, Message) else one for name, one in message.figures.items()}
    return escape(sentences()[message.code][chosen]).format(**figures)


def _figure(inner: Message, chosen: Language) -> Markup:
    words = _in(inner, chosen)
    english = inner.code == PLAIN and chosen == "zh" and words.isascii()
    return Markup('<span lang="en">{}</span>').format(words) if english else words


def install(app: Flask) -> None:
    """Offer it to templates."""
    app.add_template_filter(said)
