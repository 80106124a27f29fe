"""What a robots.txt (RFC 9309) says to one crawler, in about as many bytes. Runs in the child.

Protego keeps the rules of a group once for each crawler that the group names, and looks through those that it has for
each further name: a file of 512 KiB, half of it names, took it four minutes.
"""

from typing import Final

from protego._protego import _USER_AGENT_DIRECTIVE, _extract_directive  # so that no line is read in another way

from crawler.isolated.child_bounds import ReadingBounds

BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=2)
MOST_READ: Final = 512 << 10  # bytes (RFC 9309, 2.5, asks for at least 500 KiB)
ANYBODY: Final = "*"
NOBODY: Final = "\N{NULL}"  # stands for every other crawler; no name of ours has it


def for_agent(body: bytes, agent: str) -> bytes:
    """The file with all crawlers under one name whose names cannot be meant for `agent`; it allows and forbids `agent`
    the same.
    """
    lines = body[:MOST_READ].decode("utf-8-sig", "ignore").splitlines()
    return "\n".join(_for_agent(line, agent.lower()) for line in lines).encode()


def _for_agent(line: str, agent: str) -> str:
    said = line.partition("#")[0].strip()
    field, value = (_extract_directive(said) if said else None) or ("", "")
    if field not in _USER_AGENT_DIRECTIVE or not value or value == ANYBODY:
        return said
    name = value.lower().replace("*", "")  # Protego leaves them out as well
    return f"User-agent: {name if name and name in agent else NOBODY}"
