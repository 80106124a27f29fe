"""Remove the transfer and content encodings of archived HTTP bodies.

Archives disagree about bodies: some keep them as sent, some decode them and leave the headers. So the bytes decide.
"""

import re
import sys
import zlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import brotli  # type: ignore[import-untyped]  # it ships no types

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK_HEADER = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")
_LINE_END = re.compile(rb"\r?\n")
_GZIP_MAGIC = b"\x1f\x8b\x08"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_TEXT_TYPES = ("text/", "application/xhtml", "application/xml", "application/json")
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PROBE_BYTES = 1024  # bytes of a body that show whether it is text
_TELLTALE_CODINGS = ("gzip", "zstd")  # text never begins as these do, so they are removed without being declared
_STEP_BYTES = 4096  # bytes that are decompressed at once: damage costs no more of what stands before it
_MAX_CODINGS = 4  # codings that are removed, one inside the other


class UnknownCoding(Exception):
    """The body is neither text nor in the coding that its headers name."""


class DecodedBody(NamedTuple):
    """complete: the body ends where its codings say that it ends."""

    content: bytes
    complete: bool


def decode_body(body: bytes, headers: Iterable[tuple[str, str]], max_bytes: int) -> DecodedBody:
    """Return a body without its encodings, at most one byte more than `max_bytes`. Raises UnknownCoding."""
    values: dict[str, str] = {}
    for name, value in headers:
        values[name.lower()] = f"{values[name.lower()]},{value}" if name.lower() in values else value
    body, complete = _remove_chunks(body, declared="chunked" in values.get("transfer-encoding", "").lower())
    codings = [name.strip().lower().removeprefix("x-") for name in values.get("content-encoding", "").split(",")]
    is_text = values.get("content-type", "text/").strip().lower().startswith(_TEXT_TYPES)
    declared = [name for name in reversed(codings[-_MAX_CODINGS:]) if name and name != "identity"]
    removed = set()
    for coding in [*declared, *(_TELLTALE_CODINGS if is_text else ())]:
        decoded = _remove_coding(body, coding, max_bytes)
        if decoded is not None and (decoded.complete or _is_binary(body)):
            body, complete = decoded.content, complete and decoded.complete
            removed.add(coding)
    if is_text and not removed and declared and _is_binary(body):
        raise UnknownCoding(", ".join(declared))
    return DecodedBody(body, complete)


def _remove_chunks(body: bytes, *, declared: bool) -> DecodedBody:
    """Return the content of chunks; the body itself where it is not in chunks."""
    chunks: list[bytes] = []
    offset = 0
    while header := _CHUNK_HEADER.match(body, offset):
        size = int(header[1], 16)
        if size == 0:
            return DecodedBody(b"".join(chunks), complete=True)
        chunks.append(body[header.end() : header.end() + size])
        offset = header.end() + size
        if offset >= len(body):
            break
        line_end = _LINE_END.match(body, offset)
        if line_end is None:
            return DecodedBody(body, complete=True)
        offset = line_end.end()
    if declared and chunks and offset >= len(body):
        return DecodedBody(b"".join(chunks), complete=False)
    return DecodedBody(body, complete=True)


def _remove_coding(body: bytes, coding: str, max_bytes: int) -> DecodedBody | None:
    """Return the body without this coding; None where it is not in it."""
    if coding == "gzip":
        return _decompress(body, lambda: zlib.decompressobj(31), max_bytes) if body.startswith(_GZIP_MAGIC) else None
    if coding == "zstd":
        return _decompress(body, zstd.ZstdDecompressor, max_bytes) if body.startswith(_ZSTD_MAGIC) else None
    if coding == "deflate":
        return _decompress(body, zlib.decompressobj, max_bytes) or _decompress(
            body, lambda: zlib.decompressobj(-zlib.MAX_WBITS), max_bytes
        )
    return _decompress_brotli(body, max_bytes) if coding == "br" else None


def _decompress(body: bytes, make: Callable[[], Any], max_bytes: int) -> DecodedBody | None:
    """Return what the members of a body hold, as far as it is whole; None where nothing could be decompressed."""
    content, whole_members, member, packed = bytearray(), 0, make(), memoryview(body)
    try:
        while packed and len(content) <= max_bytes:
            content += member.decompress(packed[:_STEP_BYTES], max_bytes + 1 - len(content))
            packed = packed[_STEP_BYTES:]
            if member.eof:
                packed = memoryview(member.unused_data + packed)
                whole_members, member = whole_members + 1, make()
                if not packed:
                    return DecodedBody(bytes(content), complete=True)
    except (zlib.error, zstd.ZstdError):  # damage, or padding behind the last member
        return DecodedBody(bytes(content), complete=whole_members > 0) if content else None
    return DecodedBody(bytes(content), complete=len(content) > max_bytes) if content else None


def _decompress_brotli(body: bytes, max_bytes: int) -> DecodedBody | None:
    decompressor = brotli.Decompressor()
    try:
        content = decompressor.process(body, output_buffer_limit=max_bytes + 1)
    except brotli.error:
        return None
    complete = decompressor.is_finished() or len(content) > max_bytes
    return DecodedBody(content, complete) if content or complete else None


def _is_binary(body: bytes) -> bool:
    beginning = body[:_PROBE_BYTES]
    return not beginning.startswith(_BYTE_ORDER_MARKS) and _BINARY.search(beginning) is not None
