"""What an exhibit is made from, as far as this machine has it: the exchange with the server, the machine, a picture."""

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from crawler.evidence.exchange import HttpExchange, exchange_at, state_at
from crawler.evidence.machine_state import machine_state
from crawler.fetch.rendering.picture import Picture, picture
from services.archive_folder import folder_of
from services.context import Product
from services.crawls.capture_for_browser import page_to_look_at
from store.errors import NotFound, WenhenError
from store.messages import Message, message
from store.records import Capture, Site

_MOST: Final = 64 << 20  # bytes of the picture and the MHTML together
_CODED: Final = frozenset(("content-encoding", "content-length", "transfer-encoding"))


@dataclass
class Lacks:
    """What could not be put in, in words."""

    told: list[Message] = field(default_factory=list)

    def note(self, told: Message) -> None:
        """Once each."""
        if told not in self.told:
            self.told.append(told)


def exchange_of(product: Product, capture: Capture, lacks: Lacks) -> HttpExchange:
    """The exchange as it went over the wire; the response from the capture's record where the archive is elsewhere.

    NotFound where the body is lost as well.
    """
    folder = folder_of(product.settings)
    if capture.warc is not None and folder is not None:
        try:
            found = exchange_at(folder, capture.warc)
        except NotFound:
            pass
        else:
            if found.connection is None:
                lacks.note(Message("evidence.lacks_connection"))
            if found.name is None:
                lacks.note(Message("evidence.lacks_dns"))
            return found
    lacks.note(Message("evidence.lacks_archive"))
    lacks.note(Message("evidence.lacks_dns"))
    try:
        body = product.store.blobs.get(capture.body_digest)
    except NotFound as error:
        raise NotFound("evidence.no_body") from error
    return HttpExchange(response=_head(capture).encode("latin-1", "replace") + body)


def machine_of(product: Product, capture: Capture, software: str, lacks: Lacks) -> bytes:
    """The state of the machine that captured, as its archive begins with it; else of this one."""
    folder = folder_of(product.settings)
    state = state_at(folder, capture.warc) if folder is not None and capture.warc is not None else None
    if state is not None:
        return state
    lacks.note(Message("evidence.lacks_machine"))
    settings = product.settings.evidence
    return machine_state(
        software=software,
        host_map=product.settings.crawler.host_map,
        time_servers=settings.ntp,
        public_address=settings.public_address,
    )


def picture_of(product: Product, capture: Capture, site: Site | None, lacks: Lacks) -> Picture | None:
    """The page in a browser, where there is one."""
    rules = product.settings.crawler
    try:
        return picture(
            page_to_look_at(product, capture, site),
            browser=rules.browser,
            seconds=rules.browser_seconds,
            most_bytes=_MOST,
        )
    except WenhenError as error:
        lacks.note(message("evidence.lacks_picture", error=error))
        return None


def _head(capture: Capture) -> str:
    """The head that the record tells: the body it belongs to has no content encoding any more."""
    told = [(name, value) for name, value in capture.headers if name.lower() not in _CODED]
    try:
        phrase = HTTPStatus(capture.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {capture.status} {phrase}", *(f"{name}: {value}" for name, value in told)]
    return "\r\n".join((*lines, f"Content-Length: {capture.body_size}", "", ""))
