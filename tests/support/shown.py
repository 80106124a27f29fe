"""What stands in a page's HTML, asked for by style-sheet selectors; the names are those of Playwright's locators."""

from selectolax.lexbor import LexborHTMLParser, LexborNode


class Shown:
    """Elements, in the order of the page; what is asked of one alone is asked of the first."""

    def __init__(self, elements: list[LexborNode]) -> None:
        self._elements = elements

    def locator(self, selector: str) -> "Shown":
        """Those inside; ``..`` for the elements around."""
        if selector == "..":
            return Shown([one.parent for one in self._elements if one.parent])
        return Shown([found for one in self._elements for found in one.css(selector) if found.mem_id != one.mem_id])

    def all(self) -> list["Shown"]:
        return [Shown([one]) for one in self._elements]

    def count(self) -> int:
        return len(self._elements)

    def nth(self, at: int) -> "Shown":
        return Shown([self._elements[at]])

    @property
    def first(self) -> "Shown":
        return self.nth(0)

    @property
    def last(self) -> "Shown":
        return self.nth(-1)

    def get_attribute(self, name: str) -> str | None:
        return self._elements[0].attributes.get(name)

    def inner_text(self) -> str:
        """The text of the first, white space as a browser shows it."""
        return " ".join(self._elements[0].text().split())

    def all_inner_texts(self) -> list[str]:
        return [one.inner_text() for one in self.all()]


def shown(html: str) -> Shown:
    """The whole page."""
    root = LexborHTMLParser(html).root
    assert root
    return Shown([root])
