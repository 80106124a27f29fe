"""Redis addresses as redis-py and as Celery write them."""

from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit


def with_database(url: str, database: int) -> str:
    """The same server, another database.

    >>> with_database("redis://:secret@host:6379/0", 1)
    'redis://:secret@host:6379/1'
    >>> with_database("unix:///run/v.sock", 1)
    'unix:///run/v.sock?db=1'
    """
    parts = urlsplit(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items() if name != "db"}
    if parts.scheme == "unix":
        return f"unix://{parts.path}?{urlencode({**query, 'db': database})}"
    return urlunsplit((parts.scheme, parts.netloc, f"/{database}", urlencode(query), ""))


def broker_url(url: str) -> str:
    """The address for Celery, which has a scheme of its own for sockets.

    >>> broker_url("unix:///run/v.sock?db=2")
    'redis+socket:///run/v.sock?virtual_host=2'
    >>> broker_url("redis://host:6379/0")
    'redis://host:6379/0'
    """
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    database = parse_qs(parts.query).get("db", ["0"])[-1]
    return f"redis+socket://{parts.path}?virtual_host={database}"


def limits_url(url: str) -> str:
    """The address for the library that counts requests, which has a scheme of its own for sockets.

    >>> limits_url("unix:///run/v.sock?db=2")
    'redis+unix:///run/v.sock?db=2'
    >>> limits_url("redis://host:6379/2")
    'redis://host:6379/2'
    """
    return f"redis+{url}" if url.startswith("unix:") else url
