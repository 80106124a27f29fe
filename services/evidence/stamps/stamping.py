"""Stamps that are wanted, asked for until an authority gives them."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from services.context import Product
from store.errors import SetupError, WenhenError
from store.messages import Message
from store.records import Stamp
from store.rules.backoff import EVIDENCE

if TYPE_CHECKING:  # only the bounded child needs what reads a token
    from services.evidence.stamps.token import Verified

_ASK: Final = "services.evidence.stamps.stamp_request:ask"
_BOUNDS: Final = ReadingBounds(seconds=10, memory=300, output=1, patience=60)
_LEASE: Final = timedelta(minutes=10)  # longer than all authorities may take
_OF_ONE_TASK: Final = 20


def want(product: Product, id: str, text: str) -> None:
    """Have this text stamped, where authorities are set; one that is wanted already stays."""
    if product.settings.evidence.authorities:
        now = product.now()
        product.store.stamps.want(Stamp(id=id, text=text, wanted_at=now, due=now))


def stamp_due(product: Product) -> None:
    """Ask for what is due; what nobody gives is asked for again later, and never given up."""
    for _ in range(_OF_ONE_TASK):
        now = product.now()
        one = product.store.stamps.claim(now, now + _LEASE)
        if one is None:
            return
        product.store.stamps.put(stamped(product, one))


def stamped(product: Product, one: Stamp) -> Stamp:
    """The stamp as it is after each authority was asked in turn, until one gave it."""
    roots, problem = trusted_roots(product), Message("evidence.no_authority")
    for url in product.settings.evidence.authorities:
        try:
            answer, found = _asked(url, one.text, roots, product.now().isoformat())
        except WenhenError as error:
            problem = error.message
            continue
        return replace(one, due=None, problem=None, at=found.at, authority=url, answer=answer, chain=found.chain)
    return replace(one, due=product.now() + EVIDENCE.after(one.tries), problem=problem)


def trusted_roots(product: Product) -> str:
    """The certificates of the setting, PEM; SetupError where its file cannot be read."""
    file = product.settings.evidence.roots
    if file is None:
        return ""
    try:
        return Path(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError("evidence.no_roots", file=file, error=error) from error


def _asked(url: str, text: str, roots: str, now: str) -> "tuple[bytes, Verified]":
    answered: tuple[bytes, Verified] = read(_ASK, url, text, roots, now, bounds=_BOUNDS)
    return answered
