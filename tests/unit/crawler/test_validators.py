"""What is known of a page from its last capture."""

from crawler.capture import Validators, read_validators, refresh_headers


def test_what_a_server_said_of_a_page_is_kept_to_the_letter() -> None:
    headers = [("etag", 'W/"a, b"'), ("LAST-MODIFIED", "yesterday"), ("ETag", "later")]
    assert read_validators(headers) == Validators('W/"a, b"', "yesterday")
    assert read_validators([("Last-Modified", "x")]) == Validators(None, "x")


def test_a_page_of_which_nothing_was_said_is_fetched_anew() -> None:
    assert read_validators([("Content-Type", "text/html")]) is None
    assert read_validators([("ETag", "")]) is None


def test_a_304_says_anew_what_it_names_but_never_what_the_body_is() -> None:
    before = (("Content-Type", "text/html; charset=gbk"), ("Content-Length", "900"), ("Date", "old"), ("X", "1"))
    by = (("Content-Type", "text/plain"), ("Content-Length", "0"), ("date", "new"), ("ETag", "e"))
    assert dict(refresh_headers(before, by)) == {
        "Content-Type": "text/html; charset=gbk",
        "Content-Length": "900",
        "X": "1",
        "date": "new",
        "ETag": "e",
    }
