"""Reduce a robots.txt (RFC 9309) to the rules for one crawler, in the child process.

Protego stores the rules of a group for each crawler that it names, and searches all of them for each further name. A
file of 512 KiB, half of it names, took four minutes.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote_to_bytes

from wenhen.kit.size_and_time_limits import MAX_ROBOTS_BYTES

LINE_CHARSETS: Final = ("utf-8", "gb18030", "big5hkscs")
ESCAPED_BYTES: Final = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
BYTE_CHARACTERS: Final = {0xDC00 + byte: 0xF700 + byte for byte in range(0x80, 0x100)}  # for private use
ANY_AGENT: Final = "*"
AGENT_FIELDS: Final = ("user-agent", "useragent", "user agent")  # as Protego reads them
OTHER_AGENTS: Final = "\N{NULL}"  # stands for every other crawler; no name of ours has it


def rules_for_agent(body: bytes, agent: str) -> bytes:
    """Return the file with one common name for all crawlers whose names cannot match `agent`. It allows and forbids
    `agent` the same.
    """
    return "\n".join(_line_for_agent(line, agent.lower()) for line in _iter_lines(body[:MAX_ROBOTS_BYTES])).encode()


def _iter_lines(body: bytes) -> Iterator[str]:
    """Yield the lines of a file. A line that is not UTF-8 comes in every spelling that its path may have."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        body = body.decode("utf-16", "ignore").encode()
    try:
        yield from body.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        for line in body.removeprefix(codecs.BOM_UTF8).splitlines():
            yield from _spell_line(line)


def _spell_line(line: bytes) -> Iterator[str]:
    spellings = []
    for charset in LINE_CHARSETS:
        try:
            spellings.append(line.decode(charset))
        except UnicodeDecodeError:
            continue
        if charset == "utf-8":
            break
    else:
        spellings.append("".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in line))
    yield from spellings


def distinguish_bytes(text: str) -> str:
    """Return addresses or rules with a distinct character for each escaped byte that is not UTF-8.

    Protego reads all such bytes as one character, so a rule for one path would hold for others.

    >>> distinguish_bytes("/%E6%B1%9F"), distinguish_bytes("/%CB%D1") == distinguish_bytes("/%cb%d2")
    ('/江', False)
    """
    return ESCAPED_BYTES.sub(_distinguish_run, text)


def _distinguish_run(escapes: re.Match[str]) -> str:
    return unquote_to_bytes(escapes[0]).decode("utf-8", "surrogateescape").translate(BYTE_CHARACTERS)


def _line_for_agent(line: str, agent: str) -> str:
    directive = line.partition("#")[0].strip()
    value = _agent_named(directive)
    if not value or value == ANY_AGENT:
        return directive
    name = value.lower().replace("*", "")  # Protego leaves them out as well
    return f"User-agent: {name if name and name in agent else OTHER_AGENTS}"


def _agent_named(line: str) -> str | None:
    """Return the crawler that a line names, read like Protego: the colon may be missing, and then a name may contain
    one.

    >>> _agent_named("User agent: a"), _agent_named("useragent a:b"), _agent_named("User-agent a: b")
    ('a', 'a:b', None)
    """
    field, colon, value = line.partition(":")
    if colon and field.strip().lower() in AGENT_FIELDS:
        return value.strip()
    if colon and (not value or value[0].isspace()):
        return None
    words = line.split()
    counts = (count for count in (1, 2) if " ".join(words[:count]).lower() in AGENT_FIELDS)
    return next((" ".join(words[count:]) for count in counts), None)
