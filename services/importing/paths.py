"""A path, whatever it is -> drafts and refusals."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath

from services.importing.archives import member, opened, shown_name
from services.importing.epub import read_epub
from services.importing.found import MAX_FILE_BYTES, Found, FoundIn, Refused
from services.importing.plain import read_html, read_markdown, read_text
from services.importing.tables import read_csv, read_jsonl, read_jsonl_file
from store.errors import BadInput
from store.messages import Message

_READERS: dict[str, Callable[[bytes, str], FoundIn]] = {
    ".txt": read_text,
    ".md": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".epub": read_epub,
}
SUFFIXES = (*_READERS, ".zip")


def read_paths(paths: Iterable[Path]) -> Iterator[Found]:
    """Everything that these files and folders hold, each id once."""
    return distinct(found for path in paths for found in _read_path(path))


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


def read_bytes(content: bytes, origin: str) -> Iterator[Found]:
    """What one file holds, by the ending of its name."""
    try:
        suffix = PurePosixPath(origin).suffix.lower()
        if suffix == ".zip":
            yield from _read_zip(content, origin)
        elif suffix in _READERS:
            yield from _READERS[suffix](content, origin)
        else:
            yield Refused(origin, _unknown(suffix))
    except BadInput as error:
        yield Refused.by(error, origin)


def _unknown(suffix: str) -> Message:
    known = " ".join(SUFFIXES)
    if not suffix:
        return Message("importing.no_ending", {"known": known})
    return Message("importing.unknown_ending", {"ending": suffix, "known": known})


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
        elif path.suffix.lower() == ".jsonl":
            yield from _read_long(path)
        elif path.stat().st_size > MAX_FILE_BYTES:
            yield Refused(str(path), Message("importing.too_large", {"size": MAX_FILE_BYTES // 2**20}))
        else:
            yield from read_bytes(path.read_bytes(), str(path))
    except OSError as error:
        yield _unreadable(path, error)


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


def _read_long(path: Path) -> Iterator[Found]:
    """A file that is read line by line, however long it is."""
    try:
        yield from read_jsonl_file(path)
    except BadInput as error:
        yield Refused.by(error, str(path))


def _read_zip(content: bytes, origin: str) -> Iterator[Found]:
    with opened(content) as archive:
        for info in archive.infolist():
            name = shown_name(info)
            if info.is_dir() or PurePosixPath(name).name.startswith(".") or name.startswith("__MACOSX/"):
                continue
            inner = f"{origin}!/{name}"
            if name.lower().endswith(".zip"):
                yield Refused(inner, Message("importing.nested_archive"))
                continue
            try:
                yield from read_bytes(member(archive, info.filename), inner)
            except BadInput as error:
                yield Refused.by(error, inner)
