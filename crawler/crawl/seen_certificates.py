"""The certificates that servers showed, until an answer that came over their connection is archived.

Scrapy's responses tell the server's own certificate alone; those of who issued it are asked of the connection.
"""

from collections import OrderedDict
from contextlib import suppress
from typing import Any, Final

from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL.crypto import X509
from OpenSSL.SSL import Error
from scrapy.http import Response

_MOST: Final = 4_096  # servers
_LONGEST: Final = 16  # certificates of one; what follows them issued none of them


class SeenChains:
    """By the certificate of the server itself; the last ones."""

    def __init__(self) -> None:
        self._chains: OrderedDict[bytes, tuple[str, ...]] = OrderedDict()

    def note(self, transport: Any) -> None:
        """Keep what the server at the other end of this transport showed; nothing where it speaks no TLS."""
        with suppress(AttributeError, Error):
            shown = transport.getHandle().get_peer_cert_chain() or []
            if shown:
                self._keep(_der(shown[0]), tuple(_pem(one) for one in shown[:_LONGEST]))

    def of(self, response: Response) -> tuple[str, ...]:
        """PEM, the server's own first; empty where the answer came without TLS."""
        if response.certificate is None:
            return ()
        own = response.certificate.original
        return self._chains.get(_der(own)) or (_pem(own),)

    def _keep(self, own: bytes, chain: tuple[str, ...]) -> None:
        self._chains[own] = chain
        self._chains.move_to_end(own)
        if len(self._chains) > _MOST:
            self._chains.popitem(last=False)


def _der(certificate: X509) -> bytes:
    return certificate.to_cryptography().public_bytes(Encoding.DER)


def _pem(certificate: X509) -> str:
    return certificate.to_cryptography().public_bytes(Encoding.PEM).decode("ascii")
