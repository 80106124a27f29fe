"""Reduce a robots.txt (RFC 9309) to the rules for one crawler. Runs in the child process.

Protego keeps the rules of a group once for each crawler that the group names, and looks through those that it has for
each further name: a file of 512 KiB, half of it names, took it four minutes.
"""

from typing import Final

from crawler.sandbox.protocol import ReadingBounds

ROBOTS_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=2)
MAX_ROBOTS_BYTES: Final = 512 << 10  # bytes (RFC 9309, 2.5, asks for at least 500 KiB)
ANY_AGENT: Final = "*"
AGENT_FIELDS: Final = ("user-agent", "useragent", "user agent")  # as Protego reads them
OTHER_AGENTS: Final = "\N{NULL}"  # stands for every other crawler; no name of ours has it


def rules_for_agent(body: bytes, agent: str) -> bytes:
    """The file with all crawlers under one name whose names cannot be meant for `agent`; it allows and forbids `agent`
    the same.
    """
    lines = body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "ignore").splitlines()
    return "\n".join(_line_for_agent(line, agent.lower()) for line in lines).encode()


def _line_for_agent(line: str, agent: str) -> str:
    said = line.partition("#")[0].strip()
    value = _agent_named(said)
    if not value or value == ANY_AGENT:
        return said
    name = value.lower().replace("*", "")  # Protego leaves them out as well
    return f"User-agent: {name if name and name in agent else OTHER_AGENTS}"


def _agent_named(line: str) -> str | None:
    """The crawler that a line names, read as Protego does: the colon may be missing, and then a name may hold one.

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
