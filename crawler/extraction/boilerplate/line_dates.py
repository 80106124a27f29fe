"""Recognize lines that state a date, a picture credit or a writer, also in Western languages."""

import re
from functools import lru_cache
from typing import Final

_MONTH: Final = r"[^\W\d_]{3,10}"
_WRITTEN_DATE: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|º)?[. ]{{1,2}}(?:de )?{_MONTH}[.,]{{0,2}} (?:del? )?(?:19|20)\d\d\b|"
    rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b|"
    r"\b\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d\b|\b(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}\b"
)
_TIME: Final = re.compile(r"\b\d{1,2}[:.h]\d\d(?::\d\d)?(?: ?[ap]\.?m\b\.?)?", re.IGNORECASE)
_SENTENCE_STOP: Final = re.compile(r"[。！？；]|[^\W\d_]{3}[.!?](?:\s|$)")
_MAX_DATED_CHARACTERS: Final = 160
_MAX_OTHER_LETTERS: Final = 45  # letters of such a line besides its dates and times
_CREDIT_LABEL: Final = re.compile(
    r"[\W_]{0,3}(?:©|\(c\) |(?:fotos?|bild(?:er|quelle|nachweis)?|photos?|photograph(?:s|ed|y)?|pictures?|images?|"
    r"credits?|cr[ée]dit[oe]?s?(?: photos?)?|fotograf[íi]as?|im[aá]gen(?:es)?|imagem|zdj[ęe]ci[ea]|fot|foto di|"
    r"afbeelding|写真|사진)\b ?(?:[:：/.|]|by\b|via\b|copyright\b|courtesy\b|von\b|de\b)|image copyright\b)",
    re.IGNORECASE,
)
_MAX_CREDIT_CHARACTERS: Final = 90
_WRITER: Final = re.compile(
    r"(?:By|BY|Von|Par|Por|Di|Od|Texto?|Texte):? "
    r"(?:(?:and|und|et|y|de|van|von|der|del|la) |[A-ZÀ-ÞĀ-Ž][\w.'’-]{0,20},?(?: |$)){2,8}"
)
_MAX_WRITER_CHARACTERS: Final = 60
_MAIL_ADDRESS: Final = re.compile(r"\w@[\w-]+\.\w")
_MAX_ADDRESSED_CHARACTERS: Final = 120


@lru_cache(maxsize=10_000)
def is_dated_line(text: str) -> bool:
    """Tell whether a line holds a date in words or numbers, and little else.

    >>> is_dated_line("on January 14, 2015 at 2:30 PM, updated January 14, 2015 at 3:55 PM")
    True
    >>> is_dated_line("Am 3. Mai 2019 fuhr die Fähre wieder. Alle kamen.")
    False
    """
    if len(text) > _MAX_DATED_CHARACTERS or not any(map(str.isdecimal, text)):
        return False
    rest, dates = _WRITTEN_DATE.subn(" ", text)
    if not dates:
        return False
    rest = _TIME.sub(" ", rest)
    return sum(map(str.isalnum, rest)) <= _MAX_OTHER_LETTERS and _SENTENCE_STOP.search(rest) is None


@lru_cache(maxsize=10_000)
def is_picture_credit(text: str) -> bool:
    """Tell whether a line credits the picture beside it.

    >>> is_picture_credit("Foto: Agentur Fluss"), is_picture_credit("© Agentur Fluss")
    (True, True)
    """
    return (
        len(text) <= _MAX_CREDIT_CHARACTERS
        and _CREDIT_LABEL.match(text) is not None
        and not _SENTENCE_STOP.search(text)
    )


def is_writer_line(text: str) -> bool:
    """Tell whether a line before a text names its writer, in words or by an address.

    >>> is_writer_line("By Anna Ferry and Tom Bank"), is_writer_line("By the river stood a ferry.")
    (True, False)
    """
    if "@" in text and len(text) <= _MAX_ADDRESSED_CHARACTERS and _SENTENCE_STOP.search(text) is None:
        return _MAIL_ADDRESS.search(text) is not None
    return len(text) <= _MAX_WRITER_CHARACTERS and _WRITER.fullmatch(text) is not None
