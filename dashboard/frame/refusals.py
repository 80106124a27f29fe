"""Why something was refused, in the reader's words where the error carries a key for them."""

from dashboard.frame.language import catalogue, language, told
from store.errors import WenhenError


def in_words(error: WenhenError, chosen: str | None = None) -> str:
    """The words under ``refusal.<message>`` in a language, the reader's if none is given; else its message."""
    return catalogue().find(chosen or language(), f"refusal.{error}") or told(error.message, chosen)
