"""Archives of captures, and a server of S3 on loopback with a bucket, which programs know by the environment."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import fsspec
import pytest
from moto.server import ThreadedMotoServer
from scrapy import Request
from scrapy.http import HtmlResponse

from crawler.warc.responses import make_capture, record_exchange
from crawler.warc.writer import WarcArchive
from wenhen.runtime.wiring import App


@contextmanager
def object_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadedMotoServer]:
    """The server, which a test may stop; its bucket is s3://bucket."""
    server = ThreadedMotoServer(port=0)
    server.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", address_of(server))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with urlopen(HttpRequest(f"{address_of(server)}/moto-api/reset", method="POST")):
        pass  # what a server before it in this process held
    fsspec.get_filesystem_class("s3").clear_instance_cache()  # which may know the server of a test before
    fsspec.filesystem("s3").mkdir("bucket")
    try:
        yield server
    finally:
        server.stop()


def address_of(server: ThreadedMotoServer) -> str:
    """Its address, by http."""
    return "http://{}:{}".format(*server.get_host_and_port())


def fetch_into(app: App, archive: WarcArchive, url: str) -> None:
    """Capture a page whose body no compression makes small."""
    body = os.urandom(2000)
    request = Request(url)
    response = HtmlResponse(url, body=body, headers={"Content-Type": "text/html"}, request=request)
    request.meta["warc"] = archive.write(record_exchange(request, response))
    app.store.blobs.put(body)
    app.store.pages.put_capture(url, replace(make_capture(response), fetched_at=app.now()), site_id=None)


def warc_files(app: App) -> list[Path]:
    return sorted(Path(app.settings.crawler.warc or "").glob("*.warc.gz"))
