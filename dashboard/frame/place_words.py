"""Where in a file, in which picture, or in whose post something stands, in words."""

from typing import Final, get_args

from crawler.extract.files.document import TextPlace
from dashboard.frame.display import about
from dashboard.frame.language import catalogue
from services.texts.posts import PassagePost
from store.messages import Language

_LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


def place_words(place: TextPlace) -> dict[str, str]:
    """Of each language, behind the name of the file inside of an archive."""
    figures = {"number": place.number, "paragraph": place.paragraph}
    words = {one: catalogue().text(one, f"place.{place.kind}", **figures) for one in _LANGUAGES}
    return {one: f"{place.file} {said}" if place.file else said for one, said in words.items()}


def post_words(post: PassagePost) -> dict[str, str]:
    """Of each language: its number, who wrote it, when, and whom it quotes there."""
    return {one: " · ".join(filter(None, _said_of(post, one))) for one in _LANGUAGES}


def _said_of(post: PassagePost, language: Language) -> tuple[str | None, ...]:
    text = catalogue().text
    return (
        text(language, "post.floor", number=post.floor) if post.floor is not None else None,
        post.author,
        about(post.written_at, post.precision) if post.written_at is not None else None,
        _quoting(post, language) if post.quoted else None,
    )


def _quoting(post: PassagePost, language: Language) -> str:
    text = catalogue().text
    return text(language, "post.quoting", name=post.quoted_from) if post.quoted_from else text(language, "post.quoted")
