"""Count the copied characters of a match."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from matcher.alignment.aligned_span import Side, copied_length, copied_share, count_text
from matcher.model import Match


def count_match(match: Match, page_text: str, work_text: str) -> Match:
    """Return the match with the characters of both texts that it copied, and their shares, white space aside.

    A suspicion copied nothing.
    """
    if not match.passages:
        return replace(match, copied_of_page=0, copied_of_work=0)
    page, work = count_text(page_text), count_text(work_text)
    of_page = copied_share(match.passages, Side.PAGE, page)
    of_work = copied_share(match.passages, Side.WORK, work)
    return replace(
        match,
        share_of_page=of_page,
        share_of_work=of_work,
        copied_of_page=copied_length(match.passages, Side.PAGE, page),
        copied_of_work=copied_length(match.passages, Side.WORK, work),
        passages=tuple(
            replace(
                passage,
                page_characters=copied_length([passage], Side.PAGE, page),
                work_characters=copied_length([passage], Side.WORK, work),
            )
            for passage in match.passages
        ),
        reasons=tuple(_with_figures(match.reasons, {"share_of_page": of_page, "share_of_work": of_work})),
    )


def _with_figures(reasons: Iterable[str], figures: Mapping[str, float]) -> Iterator[str]:
    for reason in reasons:
        key = reason.partition(":")[0]
        yield f"{key}:{figures[key]}" if key in figures else reason
