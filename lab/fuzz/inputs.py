"""Inputs by number: the same number gives the same bytes, put together from pieces that mean something to a parser."""

import io
import json
import random
import zipfile
from importlib import resources
from typing import Final

LONGEST = 4_000  # bytes of an ordinary input
LARGE = 100_000  # of one in a hundred, in which something recurs: what takes time with the square shows there
PIECES: Final[tuple[bytes, ...]] = (
    *(
        piece.encode("utf-8", "surrogatepass")
        for piece in json.loads(resources.files("lab.fuzz").joinpath("pieces.json").read_text("utf-8"))
    ),
    *(b"\xff\xfe", b"\x00", b"\x81\x30\x81\x30", b"\xed\xa0\x80", b"\x1f\x8b\x08", b"PK\x03\x04", b"\xc3\x28", b"\xa1"),
)


def made(target: str, number: int) -> bytes:
    """The input of this number for a target."""
    chance = random.Random(f"{target} {number}")
    if target in ("file.zip", "file.epub") and number % 4:
        return _packed(chance, target)
    return _mixed(chance)


def _mixed(chance: random.Random) -> bytes:
    body = b"".join(_part(chance) for _ in range(chance.randint(1, 24)))
    body = body[:LONGEST]
    if not chance.randrange(100):
        unit = b"".join(chance.choice(PIECES) for _ in range(chance.randint(1, 3)))
        body += unit * (LARGE // len(unit)) + body[-40:]
    for _ in range(chance.randrange(4)):
        body = _changed(chance, body)
    return body


def _part(chance: random.Random) -> bytes:
    if not chance.randrange(12):
        return chance.randbytes(chance.randint(1, 12))
    piece = chance.choice(PIECES)
    return piece * (chance.randint(2, 60) if not chance.randrange(6) else 1)


def _changed(chance: random.Random, body: bytes) -> bytes:
    """With a byte changed, some left out, or some that stand twice."""
    at = chance.randrange(len(body) + 1)
    width = chance.randint(0, 8)
    between = chance.choice((b"", chance.randbytes(1), body[at : at + width] * 2))
    return body[:at] + between + body[at + width :]


def _packed(chance: random.Random, target: str) -> bytes:
    """An archive that is whole, mostly, of files that are not."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if target == "file.epub":
            archive.writestr("META-INF/container.xml", _CONTAINER)
            names = [f"c{n}.xhtml" for n in range(chance.randint(1, 4))]
            items = "".join(f"<item id='{name}' href='{name}'/>" for name in names)
            spine = "".join(f"<itemref idref='{chance.choice(names)}'/>" for _ in range(chance.randint(1, 12)))
            archive.writestr("p.opf", _PACKAGE.format(items=items, spine=spine).encode() + _tail(chance))
        else:
            names = [f"{n}.{chance.choice(('txt', 'html', 'md', 'csv', 'jsonl', 'zip', 'exe'))}" for n in range(3)]
        for name in names:
            archive.writestr(name, _mixed(chance))
    whole = file.getvalue()
    return whole if chance.randrange(3) else _changed(chance, whole)


def _tail(chance: random.Random) -> bytes:
    return chance.choice(PIECES) if not chance.randrange(5) else b""


_CONTAINER = (
    "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles><rootfile full-path='p.opf'/>"
    "</rootfiles></container>"
)
_PACKAGE = (
    "<package xmlns='http://www.idpf.org/2007/opf'><metadata><title xmlns='http://purl.org/dc/elements/1.1/'>书</title>"
    "</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
)
