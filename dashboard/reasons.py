"""Why a match has its level, in words."""

from dashboard.display import percent
from dashboard.language import catalogue, language


def words(reason: str) -> str:
    """A message key with its figure (``share_of_page:0.83``) in the reader's language; an unknown one as it is."""
    return in_language(language(), reason)


def in_language(chosen: str, reason: str) -> str:
    """As `words`, in a given language."""
    key, _, figure = reason.partition(":")
    return catalogue().find(chosen, f"reason.{key}", figure=figure, percent=_percent(figure)) or reason


def _percent(figure: str) -> str:
    try:
        return percent(float(figure))
    except ValueError:
        return figure
