"""What stands above a passage that is shown in full, on paper and in a page of its own."""

from typing import Final

from dashboard.export.workbook_column import both, named
from dashboard.frame.place_words import place_words, post_words
from services.cases.passage_quotes import PassageQuote
from store.rules.percent import percent

MOST_POSTS: Final = 3  # that are named above a passage


def passage_heading(one: PassageQuote) -> str:
    """Its number, what was done to it, and where it stands in both texts, in a file or picture, in whose post."""
    places = f"{both('print.places')} {one.work_start:,}–{one.work_end:,} ↔ {one.page_start:,}–{one.page_end:,}"
    similarity = f"{both('report.passage_similarity')} {percent(one.similarity)}"
    told = [f"{both('report.passage')} {one.number}", named("level", one.change), similarity, places]
    if one.place is not None:
        told.append("{zh} {en}".format(**place_words(one.place)))
    told += ["{zh} / {en}".format(**post_words(post)) for post in one.posts[:MOST_POSTS]]
    return " · ".join(told)


def picture_told(passage: PassageQuote, picture: int) -> str:
    """What a picture shows, for whom does not see it, too."""
    return both("place.framed").format(number=picture, passage=passage.number)
