"""Convert Redis addresses for redis-py, Celery and the rate limiter."""

import ssl
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from fingerprinter.import_without import import_without

_METRICS_MODULE = "opentelemetry.sdk.metrics"


def import_redis() -> None:
    """Import redis-py without the sixty metrics modules of OpenTelemetry. Call this before redis is imported.

    The import takes a tenth of the time of a short command, so functions import redis when they need it.
    """
    import_without("redis", _METRICS_MODULE)


def with_database(url: str, database: int) -> str:
    """Return the address of another database of the same server.

    >>> with_database("redis://:secret@host:6379/0", 1)
    'redis://:secret@host:6379/1'
    >>> with_database("unix:///run/v.sock", 1)
    'unix:///run/v.sock?db=1'
    >>> with_database("unix://me:secret@/run/v.sock", 1)
    'unix://me:secret@/run/v.sock?db=1'
    """
    parts = urlsplit(url)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items() if name != "db"}
    if parts.scheme == "unix":
        return f"unix://{parts.netloc}{parts.path}?{urlencode({**query, 'db': database})}"
    return urlunsplit((parts.scheme, parts.netloc, f"/{database}", urlencode(query), ""))


def broker_url(url: str) -> str:
    """Return the address for Celery, which has its own scheme for sockets.

    >>> broker_url("unix:///run/v.sock?db=2")
    'redis+socket:///run/v.sock?virtual_host=2'
    >>> broker_url("redis://host:6379/0")
    'redis://host:6379/0'
    """
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    database = parse_qs(parts.query).get("db", ["0"])[-1]
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"


def broker_tls(url: str) -> dict[str, object] | None:
    """Return the TLS options for Celery, or None without TLS. By default Celery would accept any certificate.

    >>> broker_tls("redis://host:6379/0")
    >>> broker_tls("rediss://host:6379/0?ssl_ca_certs=/run/secrets/ca")
    {'ssl_cert_reqs': <VerifyMode.CERT_REQUIRED: 2>, 'ssl_check_hostname': True, 'ssl_ca_certs': '/run/secrets/ca'}
    """
    parts = urlsplit(url)
    if parts.scheme != "rediss":
        return None
    files = {name: values[-1] for name, values in parse_qs(parts.query).items() if name.startswith("ssl_")}
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True, **files}


def limits_url(url: str) -> str:
    """Return the address for the rate limiter, which has its own scheme for sockets.

    >>> limits_url("unix:///run/v.sock?db=2")
    'redis+unix:///run/v.sock?db=2'
    >>> limits_url("redis://host:6379/2")
    'redis://host:6379/2'
    """
    return f"redis+{url}" if url.startswith("unix:") else url
