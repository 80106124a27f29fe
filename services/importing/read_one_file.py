"""One file -> drafts and refusals, in the child that reads foreign bytes (`crawler.isolated`)."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import cast

from crawler.extract.files.zip_archive import opened, shown_name
from services.importing.drafts_and_refusals import FoundIn, Refused
from store.errors import BadInput
from store.messages import Message

# Where each kind is read, and by what: imported when such a file comes, as that takes longer than to read most files.
_READERS = {
    ".txt": "plain_text:read_text",
    ".md": "plain_text:read_markdown",
    ".html": "saved_pages:read_html",
    ".htm": "saved_pages:read_html",
    ".jsonl": "tables:read_jsonl",
    ".csv": "tables:read_csv",
    ".xlsx": "tables:read_workbook",
    ".epub": "documents:read_epub",
    **dict.fromkeys(
        (".pdf", ".docx", ".doc", ".rtf", ".mobi", ".prc", ".azw", ".azw3"), "documents:read_document_file"
    ),
}
SUFFIXES = (*_READERS, ".zip")
# What the programs that write such files can save it as.
_SAVED_AS = {
    **dict.fromkeys((".xls", ".ods", ".et", ".xlsb", ".numbers"), ".xlsx"),
    ".tsv": ".csv",
    **dict.fromkeys((".odt", ".wps", ".pages"), ".docx"),
    **dict.fromkeys((".rar", ".7z", ".tar", ".gz", ".tgz"), ".zip"),
}
_SAID = 200  # characters of what a library says


def read_file(path: str) -> FoundIn:
    """What a file holds, by the ending of its name; lines of JSON may be of any number."""
    file = Path(path)
    if file.suffix.lower() == ".jsonl":
        yield from _guarded(_reader("tables:read_jsonl_file")(file), path)
    else:
        yield from read_bytes(file.read_bytes(), path)


def read_bytes(content: bytes, origin: str) -> FoundIn:
    """What one file holds, by the ending of its name."""
    suffix = PurePosixPath(origin).suffix.lower()
    if suffix == ".zip":
        yield from _guarded(_read_zip(content, origin), origin)
    elif suffix in _READERS:
        yield from _guarded(_reader(_READERS[suffix])(content, origin), origin)
    else:
        yield Refused(origin, _unknown(suffix))


def _reader(name: str) -> Callable[..., FoundIn]:
    module, _, function = name.partition(":")
    return cast("Callable[..., FoundIn]", getattr(import_module(f"services.importing.{module}"), function))


def _guarded(founds: FoundIn, origin: str) -> FoundIn:
    """The same; where reading ends in an error of whatever kind, it is a refusal of this file alone."""
    try:
        yield from founds
    except BadInput as error:
        yield Refused.by(error, origin)
    except Exception as error:  # noqa: BLE001  libraries fail in any way over what nobody meant them to read
        said = f"{type(error).__name__}: {error}"[:_SAID]
        yield Refused(origin, Message("reading.failed", {"error": said}))


def _unknown(suffix: str) -> Message:
    known = " ".join(SUFFIXES)
    if not suffix:
        return Message("importing.no_ending", {"known": known})
    if suffix in _SAVED_AS:
        return Message("importing.save_as", {"ending": suffix, "other": _SAVED_AS[suffix]})
    return Message("importing.unknown_ending", {"ending": suffix, "known": known})


def _read_zip(content: bytes, origin: str) -> FoundIn:
    with opened(content) as archive:
        for info in archive.files:
            name = shown_name(info)
            if PurePosixPath(name).name.startswith(".") or name.startswith("__MACOSX/"):
                continue
            inner = f"{origin}!/{name}"
            if name.lower().endswith(".zip"):
                yield Refused(inner, Message("importing.nested_archive"))
                continue
            try:
                unpacked = archive.read(info)
            except BadInput as error:
                yield Refused.by(error, inner)
                continue
            yield from read_bytes(unpacked, inner)
