"""The place of the text that a person set for a site, in the way of its pages."""

from pathlib import Path

from tests.support.acting import by
from tests.support.way import capture, made_text, opened, pairs, store_work, work_through
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.sites.service import add_site

STORY, OTHER = made_text("story", 400), made_text("other", 2_000)


def test_the_text_is_read_where_the_site_says(servers: ServerAddresses, tmp_path: Path) -> None:
    body = f"<html><body><div>{OTHER}</div><aside class='side'><p>{STORY}</p></aside></body></html>".encode()
    with opened(servers, tmp_path) as app:
        store_work(app, "story", STORY)
        add_site(by(app), {"urls": "http://set.test/", "text_at": ".side"})
        capture(app, "http://set.test/1", body, "set.test")
        capture(app, "http://unset.test/1", body, "unset.test")
        work_through(app)
        assert pairs(app) == {("http://set.test/1", "story")}
