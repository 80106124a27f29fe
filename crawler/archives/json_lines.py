"""JSON lines as pages."""

import json
from collections.abc import Iterator
from datetime import datetime

from crawler.archives.archived_page import ArchivedPage, Unusable
from crawler.archives.rows import page_of
from store.messages import message


def pages_of_lines(window: bytes, file: str, at: int, otherwise: datetime) -> Iterator[ArchivedPage | Unusable]:
    """The page of each line of a window that begins at this byte of the file. otherwise: the date of those without."""
    for line in window.splitlines(keepends=True):
        where, at = f"{file} @{at}", at + len(line)
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Unusable(where, message("bulk.no_json", where=where, error=error))
            continue
        if isinstance(row, dict):
            yield page_of(row, where, otherwise)
        else:
            yield Unusable(where, message("bulk.no_json", where=where, error=type(row).__name__))
