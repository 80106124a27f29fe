"""What addresses that one template makes have in common."""

import re
from urllib.parse import parse_qsl, urlsplit

DIGITS = re.compile(r"\d+")


def shape(url: str) -> str:
    """What an address has in common with those that one template makes: numbers and values do not count.

    >>> shape("http://a.test/day/12?sid=f3&page=9") == shape("http://a.test/day/7?page=1&sid=0")
    True
    """
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{DIGITS.sub('0', parts.path)}?{'&'.join(names)}"
