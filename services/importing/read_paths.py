"""A path, whatever it is, or a file that was sent -> drafts and refusals, each file read in a child with bounds."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from crawler.extract.files.zip_archive import MAX_FILE_BYTES
from crawler.isolated.child_bounds import MEBIBYTE, ReadingBounds
from crawler.isolated.read_in_child import read, read_each
from services.importing.drafts_and_refusals import Found, FoundIn, Refused
from store.errors import BadInput
from store.messages import Message

_MEMORY, _OUTPUT = 3_000, 1_000  # mebibytes: of a file that is as large as may be, and of its text
_SECONDS, _SECONDS_A_MEBIBYTE = 20.0, 2.0
_MOST_REFUSED = 1_000  # refusals of one file that are told one by one


def read_paths(paths: Iterable[Path]) -> Iterator[Found]:
    """Everything that these files and folders hold, each id once."""
    return distinct(found for path in paths for found in _read_path(path))


def read_sent(content: bytes, name: str) -> Iterator[Found]:
    """What one file that was sent holds, by the ending of its name."""
    return _bounded("read_bytes", content, name, origin=name, size=len(content))


def text_from(file: BinaryIO) -> str:
    """The text that comes in there. Raises `BadInput` for what is none."""
    content = file.read(MAX_FILE_BYTES + 1)
    text: str = read("services.importing.drafts_and_refusals:text_of", content, bounds=_bounds(len(content)))
    return text


def distinct(founds: Iterable[Found]) -> Iterator[Found]:
    """One id twice in an import: the first stays, the second is refused."""
    seen: dict[str, str | None] = {}
    for found in founds:
        if isinstance(found, Refused):
            yield found
        elif found.id in seen:
            came = Message("importing.id_came", {"id": found.id, "origin": str(seen[found.id])})
            yield Refused(str(found.origin), came)
        else:
            seen[found.id] = found.origin
            yield found


def _bounds(size: int) -> ReadingBounds:
    return ReadingBounds(seconds=_SECONDS + _SECONDS_A_MEBIBYTE * size / MEBIBYTE, memory=_MEMORY, output=_OUTPUT)


def _bounded(reader: str, *arguments: object, origin: str, size: int) -> Iterator[Found]:
    """What a reader of `read_one_file` finds in one file; of very many refusals, how many more there are."""
    refused: Counter[bool] = Counter()  # by whether they are told
    try:
        for found in read_each(f"services.importing.read_one_file:{reader}", *arguments, bounds=_bounds(size)):
            if isinstance(found, Refused):
                told = refused[True] < _MOST_REFUSED
                refused[told] += 1
                if not told:
                    continue
            yield found
    except BadInput as error:
        yield Refused.by(error, origin)
    if refused[False]:
        yield Refused(origin, Message("importing.more_refused", {"count": refused[False]}))


def _unreadable(what: Path | str, error: OSError) -> Refused:
    reason = Message("importing.unreadable", {"error": error.strerror or str(error)})
    return Refused(str(what), reason, OSError.__name__)


def _read_path(path: Path) -> Iterator[Found]:
    path = path.absolute()
    try:
        if path.is_dir():
            yield from _read_folder(path)
        elif not path.exists():
            yield Refused(str(path), Message("importing.no_such_file"))
        elif not path.is_file():  # a pipe would be waited for without end
            yield Refused(str(path), Message("importing.no_file"))
        else:
            yield from _read_file(path)
    except OSError as error:
        yield _unreadable(path, error)


def _read_file(path: Path) -> FoundIn:
    with path.open("rb"):  # whether it may be read is told by the system's own words
        size = path.stat().st_size
    if size > MAX_FILE_BYTES and path.suffix.lower() != ".jsonl":  # which is read line by line
        yield Refused(str(path), Message("importing.too_large", {"size": MAX_FILE_BYTES // MEBIBYTE}))
    else:
        yield from _bounded("read_file", str(path), origin=str(path), size=size)


def _read_folder(path: Path) -> Iterator[Found]:
    """All files below but hidden ones. A folder that cannot be looked into is refused, and so is an empty one."""
    closed: list[OSError] = []
    files: list[Path] = []
    for here, folders, names in os.walk(path, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(here, name) for name in names if not name.startswith(".")]
    for error in closed:
        yield _unreadable(error.filename, error)
    files = [file for file in sorted(files) if file.is_file()]
    for file in files:
        yield from _read_path(file)
    if not files and not closed:
        yield Refused(str(path), Message("importing.empty_folder"))
