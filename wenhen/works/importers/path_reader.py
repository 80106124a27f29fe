"""Read files, folders and uploads into drafts, each file in a sandboxed child process."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from crawler.sandbox.pool import read_each_in_child, read_in_child
from wenhen.kit.errors import BadInput, Message, message
from wenhen.kit.size_and_time_limits import MAX_FILE_BYTES, MEBIBYTE, import_bounds
from wenhen.works.importers.drafts import ImportItem, ImportItems, Refused, describe_source

_MAX_REPORTED_REFUSALS = 1_000  # refusals of one file that are told one by one


def read_paths(paths: Iterable[Path]) -> Iterator[ImportItem]:
    """Everything that these files and folders hold, each id once."""
    return refuse_duplicate_ids(draft for path in paths for draft in _read_path(path))


def read_uploaded_file(content: bytes, name: str) -> Iterator[ImportItem]:
    """What one file that was sent holds, by the ending of its name."""
    return _read_in_sandbox("read_bytes", content, name, origin=name, size=len(content))


def read_text_stream(file: BinaryIO) -> str:
    """The text that comes in there. Raises `BadInput` for what is none."""
    content = file.read(MAX_FILE_BYTES + 1)
    text: str = read_in_child("wenhen.works.importers.drafts:decode_text", content, bounds=import_bounds(len(content)))
    return text


def refuse_duplicate_ids(items: Iterable[ImportItem]) -> Iterator[ImportItem]:
    """One id twice in an import: the first stays, the second is refused."""
    seen: dict[str, str | None] = {}
    for draft in items:
        if isinstance(draft, Refused):
            yield draft
        elif draft.id in seen:
            came = message("importing.id_came", id=draft.id, origin=describe_source(str(seen[draft.id])))
            yield Refused(str(draft.origin), came)
        else:
            seen[draft.id] = draft.origin
            yield draft


def _read_in_sandbox(reader: str, *arguments: object, origin: str, size: int) -> Iterator[ImportItem]:
    """What a reader of `read_file` finds in one file; of very many refusals, how many more there are."""
    refused: Counter[bool] = Counter()  # by whether they are told
    try:
        for draft in read_each_in_child(
            f"wenhen.works.importers.file_reader:{reader}", *arguments, bounds=import_bounds(size)
        ):
            if isinstance(draft, Refused):
                is_reported = refused[True] < _MAX_REPORTED_REFUSALS
                refused[is_reported] += 1
                if not is_reported:
                    continue
            yield draft
    except BadInput as error:
        yield Refused.by(error, origin)
    if refused[False]:
        yield Refused(origin, Message("importing.more_refused", {"count": refused[False]}))


def _unreadable_refusal(what: Path | str, error: OSError) -> Refused:
    reason = Message("importing.unreadable", {"error": error.strerror or str(error)})
    return Refused(str(what), reason, OSError.__name__)


def _read_path(path: Path) -> Iterator[ImportItem]:
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
        yield _unreadable_refusal(path, error)


def _read_file(path: Path) -> ImportItems:
    with path.open("rb"):  # whether it may be read is told by the system's own words
        size = path.stat().st_size
    if size > MAX_FILE_BYTES and path.suffix.lower() != ".jsonl":  # which is read line by line
        yield Refused(str(path), Message("importing.too_large", {"size": MAX_FILE_BYTES // MEBIBYTE}))
    else:
        yield from _read_in_sandbox("read_file", str(path), origin=str(path), size=size)


def _read_folder(path: Path) -> Iterator[ImportItem]:
    """All files below but hidden ones. A folder that cannot be looked into is refused, and so is an empty one."""
    closed: list[OSError] = []
    files: list[Path] = []
    for here, folders, names in os.walk(path, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += [Path(here, name) for name in names if not name.startswith(".")]
    for error in closed:
        yield _unreadable_refusal(error.filename, error)
    files = [file for file in sorted(files) if file.is_file()]
    for file in files:
        yield from _read_path(file)
    if not files and not closed:
        yield Refused(str(path), Message("importing.empty_folder"))
