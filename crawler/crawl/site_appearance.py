"""What the pages of a site look like from one crawl to the next: the classes of its template, and its languages."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST_CLASSES = 40  # of a template
SHARE = 0.5  # of the pages, on which a class belongs to the template
MOST_PAGES = 1000  # the first ones, which are enough to tell


@dataclass(slots=True)
class SiteLooks:
    """What one crawl has seen."""

    pages: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    _classes: Counter[str] = field(default_factory=Counter)

    def note(self, classes: Iterable[str], language: str | None) -> None:
        """Note a page."""
        if self.pages < MOST_PAGES:
            self.pages += 1
            self.languages[language or ""] += 1
            self._classes.update(classes)

    def template(self) -> tuple[str, ...]:
        """The classes that most of the pages have, in order."""
        common = [name for name, times in self._classes.most_common(MOST_CLASSES) if times > SHARE * self.pages]
        return tuple(sorted(common))
