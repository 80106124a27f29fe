"""Mirrors are learned from what crawls bring, or declared."""

import pytest

from tests.support.acting import by
from tests.support.way import capture, made_page, made_text
from wenhen.kit.errors import BadInput
from wenhen.runtime.wiring import App
from wenhen.sites.service import add_site, declare_mirrors


def carry(app: App, host: str, numbers: range, text: str = "book") -> None:
    for number in numbers:
        capture(app, f"{host}/read/{number}.html", made_page(f"第{number}章", made_text(f"{text}{number}", 60)))


def test_a_host_with_the_same_pages_at_the_same_paths_is_known_as_a_mirror_of_the_first(app: App) -> None:
    carry(app, "http://www.books.test", range(8))
    carry(app, "http://other.test", range(3))
    carry(app, "http://other.test", range(3, 8), text="another")
    carry(app, "https://m.books.test", range(4))
    assert app.store.mirrors.mains() == {}, "four pages may be those of a template"
    carry(app, "https://m.books.test", range(4, 8))
    assert app.store.mirrors.mains() == {"m.books.test": "www.books.test"}
    carry(app, "http://wap.books.test", range(8))
    assert app.store.mirrors.mains() == {"m.books.test": "www.books.test", "wap.books.test": "www.books.test"}


def test_mirrors_of_a_site_are_what_people_said_last(app: App) -> None:
    add_site(by(app), {"urls": "http://www.books.test/"}, id="books")
    declare_mirrors(app, "books", ["M.books.test", "wap.books.test", "www.books.test"])
    assert app.store.sites.get("books").mirrors == ("m.books.test", "wap.books.test")
    assert set(app.store.mirrors.mains()) == {"m.books.test", "wap.books.test"}
    declare_mirrors(app, "books", ["wap.books.test"])
    assert set(app.store.mirrors.mains()) == {"wap.books.test"}
    with pytest.raises(BadInput, match="not the name of a host"):
        declare_mirrors(app, "books", ["http://m.books.test"])
