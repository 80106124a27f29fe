"""Why something was refused, in the reader's words."""

from dashboard.frame.language import catalogue, language
from store.errors import WenhenError
from store.messages import PLAIN, Language


def in_words(error: WenhenError, chosen: Language | None = None) -> str:
    """The error's sentence in a language, the reader's if none is given; of one without a code the words under
    ``refusal.<message>``, else the message itself.
    """
    chosen = chosen or language()
    if error.message.code != PLAIN:
        return error.message.text(chosen)
    return catalogue().find(chosen, f"refusal.{error}") or str(error)
