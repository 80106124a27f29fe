"""What the demo must find, and where it must find nothing: derived from how the pages are built."""

from dataclasses import dataclass

from lab.demo.articles import Article, Copied
from lab.demo.licences import LICENCES
from lab.demo.pages import Replacements, articles, is_disallowed
from lab.demo.sites import LISTINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCase:
    """One case a page and work that it copies. `disguise` is a name of `DISGUISES`, or several joined by "+"."""

    host: str
    path: str
    work_title: str
    disguise: str
    licensed: bool

    @property
    def url(self) -> str:
        """The address as the crawler knows it."""
        return f"http://{self.host}{self.path}"


def expected_cases(replace: Replacements | None = None) -> list[ExpectedCase]:
    """The cases that a run over `build_pages(replace)` must open, a chapter over several pages as one; what robots.txt
    disallows is never read.
    """
    return [
        _case(article, copied)
        for article in articles(replace)
        if not is_disallowed(*article.address) and not article.continues
        for copied in article.copied()
    ]


def expected_innocent(replace: Replacements | None = None) -> list[tuple[str, str]]:
    """(host, path) of the pages that are no copy: those that copy nothing, lists, and what must not be crawled."""
    return [
        *(a.address for a in articles(replace) if is_disallowed(*a.address) or not a.copied()),
        *((listing.host, listing.path) for listing in LISTINGS),
    ]


def _case(article: Article, copied: Copied) -> ExpectedCase:
    return ExpectedCase(
        host=article.host,
        path=article.path,
        work_title=copied.work_title,
        disguise=copied.disguise,
        licensed=any(licence.covers(article.host, article.path, copied.work_title) for licence in LICENCES),
    )
