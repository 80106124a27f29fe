"""The product speaks TLS with its servers as docs/operations.md says, and trusts no certificate that is not signed."""

import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.support.servers.certificates import make_certificates, tls_door
from tests.support.way import QUEUES
from wenhen.context.store_and_queue import PERSON_SHARE
from wenhen.kit.errors import WenhenError
from wenhen.kit.progress import OwnerKind, Step
from wenhen.runtime.celery_app import make_celery
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.embedded.server_binaries import find_mongod
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.store import open_store
from wenhen.settings.servers_and_logs import broker_url


@dataclass(frozen=True)
class Signed:
    ca: Path
    server: Path


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Signed:
    return Signed(*make_certificates(tmp_path_factory.mktemp("certificates")))


@pytest.fixture(scope="module")
def mongo_port(signed: Signed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("mongo")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = find_mongod(folder / "shim")
    (folder / "data").mkdir()
    tls = ("--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(signed.server), "--tlsCAFile", str(signed.ca))
    own = ("--tlsAllowConnectionsWithoutCertificates", "--wiredTigerCacheSizeGB", "0.25")
    server = subprocess.Popen(
        [
            str(program.path),
            "--dbpath",
            str(folder / "data"),
            "--port",
            str(port),
            "--bind_ip",
            "127.0.0.1",
            *tls,
            *own,
        ],
        env=dict(program.environment),
        stdout=subprocess.DEVNULL,
    )
    yield port
    server.kill()
    server.wait()


def test_mongodb_over_tls(mongo_port: int, signed: Signed) -> None:
    url = f"mongodb://127.0.0.1:{mongo_port}/?tls=true&serverSelectionTimeoutMS=30000"
    store = open_store(f"{url}&tlsCAFile={signed.ca}", "wenhen")
    assert store.ping()
    store.close()
    unsigned = open_store(f"{url.replace('30000', '500')}", "wenhen")
    with pytest.raises(WenhenError, match="certificate"):
        unsigned.ping()
    unsigned.close()


def test_the_queues_over_tls_for_who_sends_and_for_who_works(servers: ServerAddresses, signed: Signed) -> None:
    path = unquote(servers.redis_url.removeprefix("unix://"))
    with tls_door(path, signed.server) as port:
        url = f"rediss://127.0.0.1:{port}/{QUEUES}"
        queue = CeleryQueue(f"{url}?ssl_ca_certs={signed.ca}")
        assert queue.ping()
        queue.step(OwnerKind.WORK, "river", Step.FINGERPRINT, PERSON_SHARE)
        assert queue.count_waiting()["text"] >= 1
        app = make_celery(broker_url(f"{url}?ssl_ca_certs={signed.ca}"))
        with app.connection_for_read() as reading:
            assert reading.ensure_connection(max_retries=1)


def test_neither_trusts_a_certificate_that_nobody_signed(servers: ServerAddresses, signed: Signed) -> None:
    """Celery would, unless it is told."""
    with tls_door(unquote(servers.redis_url.removeprefix("unix://")), signed.server) as port:
        queue = CeleryQueue(f"rediss://127.0.0.1:{port}/{QUEUES}")
        with pytest.raises(WenhenError, match="CERTIFICATE_VERIFY_FAILED"):
            queue.ping()
        with pytest.raises(WenhenError, match="CERTIFICATE_VERIFY_FAILED"):
            queue.step(OwnerKind.WORK, "river", Step.FINGERPRINT, PERSON_SHARE)
