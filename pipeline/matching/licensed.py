"""Which cases a licence covers, and whether their pages name the source as it wants."""

from collections.abc import Iterator
from unicodedata import normalize

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.charset import decode, header_charset
from crawler.extract.page import RENDERED_HEADERS
from pipeline.context import App
from store.errors import NotFound
from store.records import Capture, Case, Licence

_BATCH = 500


def credited(app: App, licence: Licence | None, text: str, capture: Capture) -> bool | None:
    """Whether the page says what the licence wants, in its main text or anywhere else; None where it wants nothing."""
    if licence is None or not licence.attribution:
        return None
    return says(text, licence.attribution) or says(_whole_page(app, capture), licence.attribution)


def says(text: str, wanted: str) -> bool:
    """Whether the words stand in the text, whatever their width, case and spacing.

    >>> says("来源： 晨读网 ＡＢＣ", "来源:晨读网abc")
    True
    >>> says("来源：晨报", "来源：晨读网")
    False
    """
    return _plain(wanted) in _plain(text)


def mark_cases(app: App, licence: Licence) -> int:
    """Look anew at the cases that a licence touches, after it was added, changed or withdrawn; how many changed."""
    changed = 0
    for case in _touched(app, licence):
        now = app.store.licences.covering(case.page_url, case.work_id, case.capture.fetched_at)
        id = now.id if now else None
        names = credited(app, now, _text(app, case), case.capture) if now and now.attribution else None
        if (case.licence_id, case.credited) != (id, names):
            app.store.cases.set_licence(case.id, id, names, app.now())
            changed += 1
    return changed


def _touched(app: App, licence: Licence) -> Iterator[Case]:
    hosts = app.store.licences.hosts_of(licence)
    below = None
    while found := app.store.cases.find(hosts=hosts, work_id=licence.work_id, below=below, limit=_BATCH):
        yield from found
        below = found[-1].number


def _text(app: App, case: Case) -> str:
    try:
        return app.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return ""


def _whole_page(app: App, capture: Capture) -> str:
    """All that a reader of the page sees; a line of credit often stands outside the main text."""
    headers = capture.headers if capture.rendered_digest is None else RENDERED_HEADERS
    try:
        body = app.store.blobs.get(capture.rendered_digest or capture.body_digest)
    except NotFound:
        return ""
    tree = LexborHTMLParser(decode(body, header_charset(headers)).text)
    tree.strip_tags(["script", "style", "noscript", "template"])
    return tree.body.text() if tree.body else ""


def _plain(text: str) -> str:
    return "".join(normalize("NFKC", text).casefold().split())
