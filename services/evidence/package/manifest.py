"""The package around the members: indexes, the list of pages, the manifest with every digest (WACZ 1.1.1)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO, StringIO
from typing import Any, Final

WACZ: Final = "1.1.1"
WARC: Final = "archive/data.warc.gz"
INDEX: Final = "indexes/index.cdx"
PAGES: Final = "pages/pages.jsonl"
MANIFEST: Final = "datapackage.json"
FURTHER: Final = "evidence/"  # where everything lies that the format does not know


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What stands on the package. at: of the capture; created: of the package."""

    title: str
    description: str
    page_url: str
    page_title: str
    at: datetime
    created: datetime
    software: str


def members_of(front: Front, warc: bytes, further: Mapping[str, bytes]) -> dict[str, bytes]:
    """Every member but the signature, in the order in which they stand in the file. further: by their flat names."""
    members = {
        WARC: warc,
        INDEX: _index(warc),
        PAGES: _pages(front),
        **{f"{FURTHER}{name}": content for name, content in sorted(further.items())},
    }
    return {**members, MANIFEST: _manifest(front, members)}


def digest(content: bytes) -> str:
    """As the manifest writes it."""
    return f"sha256:{sha256(content).hexdigest()}"


def as_json(value: Any) -> bytes:
    """UTF-8, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n"


def _index(warc: bytes) -> bytes:
    from cdxj_indexer import CDXJIndexer  # slow to import, and of use to packages alone

    lines = StringIO()
    CDXJIndexer(lines, [BytesIO(warc)], filename=WARC.rpartition("/")[2], sort=True, records="response").process_all()
    return lines.getvalue().encode()


def _pages(front: Front) -> bytes:
    header = {"format": "json-pages-1.0", "id": "pages", "title": "Pages"}
    page = {
        "id": sha256(front.page_url.encode("utf-8", "replace")).hexdigest()[:22],
        "url": front.page_url,
        "ts": _moment(front.at),
        "title": front.page_title,
    }
    return b"".join(json.dumps(one, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for one in (header, page))


def _manifest(front: Front, members: Mapping[str, bytes]) -> bytes:
    return as_json(
        {
            "profile": "data-package",
            "wacz_version": WACZ,
            "title": front.title,
            "description": front.description,
            "created": _moment(front.created),
            "software": front.software,
            "mainPageUrl": front.page_url,
            "mainPageDate": _moment(front.at),
            "resources": [
                {
                    "name": path.rpartition("/")[2].lower(),
                    "path": path,
                    "hash": digest(content),
                    "bytes": len(content),
                }
                for path, content in members.items()
            ],
        }
    )


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
