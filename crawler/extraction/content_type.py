"""Decide whether a Scrapy response is HTML, JSON or a document. Imports scrapy."""

from scrapy.http import Headers, Response

from crawler.extraction.documents.file_kinds import FILE_MEDIA_TYPES, detect_response_kind

HTML_TYPES = ("text/html", "application/xhtml+xml")
UNDECIDED_TYPES = ("", "text/plain", "application/octet-stream", "text/xml", "application/xml", "unknown/unknown")
HTML_SIGNATURES = (
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<body",
    b"<title",
    b"<meta",
    b"<div",
    b"<table",
    b"<p>",
    b"<br",
)
# Pictures, archives, documents and fonts, whatever their declared type.
BINARY_SIGNATURES = (
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"RIFF",
    b"%PDF-",
    b"PK\x03\x04",
    b"Rar!",
    b"7z\xbc\xaf",
    b"wOF",
    b"\x1f\x8b",
)
SNIFFED_BYTES = 4096  # bytes at the start of a body that are examined


def read_media_type(headers: Headers) -> str:
    """Return the media type of a Content-Type header in lower case, without parameters, or "" if there is none."""
    value = (headers.get("Content-Type") or b"").decode("latin-1")
    return value.partition(";")[0].strip().lower()


def may_be_html_type(headers: Headers) -> bool:
    """Tell whether the content type allows the body to be a page."""
    return read_media_type(headers) in HTML_TYPES + UNDECIDED_TYPES


def is_json_type(headers: Headers) -> bool:
    """Tell whether a body is declared as JSON."""
    return read_media_type(headers).rpartition("/")[2] in ("json", "ld+json", "hal+json", "vnd.api+json")


def may_be_file_type(headers: Headers) -> bool:
    """Tell whether the content type allows the body to be a book or a document."""
    return read_media_type(headers) in FILE_MEDIA_TYPES


def is_file_response(response: Response) -> bool:
    """Tell whether a response is a book or a document that `crawler.extraction.sandbox_calls` can read."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, [value, *_] in response.headers.items()]
    return detect_response_kind(response.body, pairs, response.url) is not None


def is_html_response(response: Response) -> bool:
    """Tell whether a response is a page, by its content type or, if that is vague, by the start of its body."""
    if read_media_type(response.headers) in HTML_TYPES:
        return not response.body.startswith(BINARY_SIGNATURES)
    head = response.body[:SNIFFED_BYTES].replace(b"\0", b"").lower()  # UTF-16 as well
    return may_be_html_type(response.headers) and any(sign in head for sign in HTML_SIGNATURES)
