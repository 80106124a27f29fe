"""Read one file of any supported type into drafts. It runs in the sandboxed child process."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import cast

from crawler.extraction.documents.file_kinds import TEXT_MARGIN, TEXT_PROBE_BYTES, FileKind, detect_file_kind
from crawler.extraction.documents.zip_archive import decode_member_name, is_packer_file, open_zip
from wenhen.kit.errors import BadInput, Message
from wenhen.works.importers.drafts import ImportItems, Refused, decode_text, id_from_origin, validate_draft
from wenhen.works.model import WorkDraft

# One file, one work: plain text, Markdown.


_MARKDOWN_HEADING = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)
_MAX_HEADING_OFFSET = 2000  # code points: a later heading is a section's


def read_text(content: bytes, origin: str) -> ImportItems:
    """A .txt file; its name is the title."""
    title = PurePosixPath(origin).stem
    yield validate_draft(WorkDraft(id=id_from_origin(origin), title=title, text=decode_text(content), origin=origin))


def read_markdown(content: bytes, origin: str) -> ImportItems:
    """A .md file; its first heading is the title."""
    text = decode_text(content)
    heading = _MARKDOWN_HEADING.search(text, 0, _MAX_HEADING_OFFSET)
    title = heading.group(1) if heading else PurePosixPath(origin).stem
    body = text[: heading.start()] + text[heading.end() :] if heading else text
    yield validate_draft(WorkDraft(id=id_from_origin(origin), title=title, text=body.strip(), origin=origin))


# Where each kind is read, and by what: imported when such a file comes, as that takes longer than to read most files.
_READERS_BY_SUFFIX = {
    ".txt": "file_reader:read_text",
    ".md": "file_reader:read_markdown",
    ".html": "documents:read_html",
    ".htm": "documents:read_html",
    ".jsonl": "tables:read_jsonl",
    ".csv": "tables:read_csv",
    ".xlsx": "tables:read_workbook",
    ".epub": "documents:read_epub",
    **dict.fromkeys(
        (".pdf", ".docx", ".doc", ".rtf", ".mht", ".mhtml", ".mobi", ".prc", ".azw", ".azw3"),
        "documents:read_document_file",
    ),
}
IMPORT_SUFFIXES = (*_READERS_BY_SUFFIX, ".zip")
# What the programs that write such files can save it as.
_SAVE_AS_SUFFIXES = {
    **dict.fromkeys((".xls", ".xlsm", ".xltx", ".xlsb", ".ods", ".fods", ".et", ".numbers"), ".xlsx"),
    ".tsv": ".csv",
    **dict.fromkeys((".docm", ".dotx", ".dotm", ".dot", ".odt", ".ott", ".fodt", ".wps", ".pages"), ".docx"),
    **dict.fromkeys((".ppt", ".pptx", ".odp", ".fodp", ".dps", ".key"), ".pdf"),
    **dict.fromkeys((".rar", ".7z", ".tar", ".gz", ".tgz"), ".zip"),
}
_PAGE_BEGINNING = re.compile(rb"<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)
_MAX_ERROR_CHARACTERS = 200  # characters of what a library says


def read_file(path: str) -> ImportItems:
    """What a file holds, by the ending of its name; lines of JSON may be of any number."""
    file = Path(path)
    if file.suffix.lower() == ".jsonl":
        yield from _refuse_on_error(_load_reader("tables:read_jsonl_file")(file), path)
    else:
        yield from read_bytes(file.read_bytes(), path)


def read_bytes(content: bytes, origin: str) -> ImportItems:
    """What one file holds, by the ending of its name."""
    suffix = PurePosixPath(origin).suffix.lower()
    if suffix == ".zip":
        yield from _refuse_on_error(_read_zip(content, origin), origin)
    elif suffix in _READERS_BY_SUFFIX:
        reader = _find_text_reader(content, origin) if suffix == ".txt" else _READERS_BY_SUFFIX[suffix]
        yield from _refuse_on_error(_load_reader(reader)(content, origin), origin)
    else:
        yield Refused(origin, _unknown_suffix(suffix))


def _find_text_reader(content: bytes, origin: str) -> str:
    """The reader of a .txt file, which may be RTF, a PDF or a page that somebody named so."""
    if detect_file_kind(content, origin) not in (FileKind.TEXT, None):
        return "documents:read_document_file"
    if _PAGE_BEGINNING.match(content[:TEXT_PROBE_BYTES].lstrip(TEXT_MARGIN)):
        return "documents:read_html"
    return _READERS_BY_SUFFIX[".txt"]


def _load_reader(name: str) -> Callable[..., ImportItems]:
    module, _, function = name.partition(":")
    return cast("Callable[..., ImportItems]", getattr(import_module(f"wenhen.works.importers.{module}"), function))


def _refuse_on_error(items: ImportItems, origin: str) -> ImportItems:
    """The same; where reading ends in an error of whatever kind, it is a refusal of this file alone."""
    try:
        yield from items
    except BadInput as error:
        yield Refused.by(error, origin)
    except Exception as error:  # noqa: BLE001  libraries fail in any way over what nobody meant them to read
        error_text = f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARACTERS]
        yield Refused(origin, Message("reading.failed", {"error": error_text}))


def _unknown_suffix(suffix: str) -> Message:
    known = " ".join(IMPORT_SUFFIXES)
    if not suffix:
        return Message("importing.no_ending", {"known": known})
    if suffix in _SAVE_AS_SUFFIXES:
        return Message("importing.save_as", {"ending": suffix, "other": _SAVE_AS_SUFFIXES[suffix]})
    return Message("importing.unknown_ending", {"ending": suffix, "known": known})


def _read_zip(content: bytes, origin: str) -> ImportItems:
    with open_zip(content) as archive:
        for info in archive.files:
            name = decode_member_name(info)
            if is_packer_file(name):
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
