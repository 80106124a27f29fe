"""Where in a file, or in which picture, something stands, in words."""

from typing import Final, get_args

from crawler.extract.files.document import TextPlace
from dashboard.frame.language import catalogue
from store.messages import Language

_LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


def place_words(place: TextPlace) -> dict[str, str]:
    """Of each language, behind the name of the file inside of an archive."""
    figures = {"number": place.number, "paragraph": place.paragraph}
    words = {one: catalogue().text(one, f"place.{place.kind}", **figures) for one in _LANGUAGES}
    return {one: f"{place.file} {said}" if place.file else said for one, said in words.items()}
