"""What the scheduler asks of a spider."""

from collections.abc import Iterable

from scrapy import Request, Spider


class FrontierSpider(Spider):
    """The base of those whose requests stand in a frontier; their callbacks and errbacks are methods of their own."""

    started = False  # the start addresses were all handed over

    def orphans(self) -> Iterable[Request]:
        """What is asked for when all else was."""
        return ()

    def forget(self) -> None:
        """The frontier knows nothing any more of what was handed over to it."""
