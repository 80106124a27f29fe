"""Why something was refused, in the reader's words where the error carries a code, or a key for them."""

from dashboard.frame.language import catalogue, language
from store.errors import WenhenError
from store.messages import PLAIN, Language


def in_words(error: WenhenError, chosen: Language | None = None) -> str:
    """The sentence of the error's code in a language, the reader's if none is given; else the words under
    ``refusal.<message>``; else the message itself.
    """
    chosen = chosen or language()
    if error.message.code != PLAIN:
        return error.message.text(chosen)
    return catalogue().find(chosen, f"refusal.{error}") or str(error)
