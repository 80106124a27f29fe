"""Settings of the servers (`mongo.*`, `redis.*`, `index.*`), metrics, logs and traces. Convert addresses of Redis."""

import ssl
from typing import Annotated, Literal
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from pydantic import AfterValidator, Field

from fingerprinter.import_without import import_without
from wenhen.settings import Section
from wenhen.settings.retention_and_backups import PageIndexSettings

_METRICS_MODULE = "opentelemetry.sdk.metrics"


class MongoSettings(Section):
    """MongoDB, which stores everything."""

    url: str | None = Field(
        None, description="Address of MongoDB; without one an embedded mongod is started.", min_length=1
    )
    oplog: bool = Field(
        False,
        description="Whether the embedded mongod is a replica set of one, so that backups need no lock and can be "
        "restored as of any moment; each write takes about twice as long.",
    )
    database: str = Field("wenhen", description="Name of the database.", pattern=r"^[A-Za-z0-9_-]{1,38}$")


def _check_redis_address(value: str) -> str:
    import_redis()  # the import is slow, and most installations give no address
    from redis.connection import parse_url

    parse_url(value)  # type: ignore[no-untyped-call]  # redis-py is partly typed
    return value


RedisAddress = Annotated[str, AfterValidator(_check_redis_address)]


class RedisSettings(Section):
    """Redis for the queues of Celery."""

    url: RedisAddress | None = Field(
        None, description="Address of the queues' Redis (one server); without one an embedded server is started."
    )


class IndexSettings(PageIndexSettings):
    """Redis for the inverted index, which may be another server, or a cluster."""

    url: RedisAddress | None = Field(
        None, description="Address of the index's Redis; without one, database 1 of the queues' Redis."
    )
    cluster: bool = Field(False, description="The address is a node of a Redis Cluster.")


class MetricsSettings(Section):
    """The Prometheus endpoint of each process."""

    host: str = Field("127.0.0.1", description="Address to tell metrics on.")
    port: int = Field(
        0, description="Port to tell metrics on, and with `wenhen up` the five after it; 0 tells none.", ge=0, le=65530
    )


class LogSettings(Section):
    """The logs of the processes."""

    format: Literal["text", "json"] = Field("text", description="Lines to read (text), or JSON objects (json).")
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("WARNING", description="The least that is written.")
    max_mb: int = Field(10, description="Size at which a log file of `wenhen up` is begun anew, in MB.", ge=1)
    keep: int = Field(5, description="Log files that are kept of each process besides.", ge=0, le=100)


class TracingSettings(Section):
    """Traces of OpenTelemetry."""

    endpoint: str | None = Field(
        None, description="Where traces are sent (OTLP over HTTP, …/v1/traces); without one, none are made."
    )


# Addresses of Redis, for redis-py, Celery and the rate limiter.


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
