"""A mailbox on loopback, by a real IMAP server."""

import asyncio
import socket
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from pymap.backend.dict import DictBackend
from pymap.imap import IMAPService

USER, PASSWORD = "law", "open"


@contextmanager
def mailbox(certificate: Path | None = None) -> Iterator[str]:
    """An empty one, at host:port; with a certificate it speaks STARTTLS, and lets nobody in before."""
    secured = ["--cert", str(certificate), "--key", str(certificate)] if certificate else ["--no-tls"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    loop = asyncio.new_event_loop()
    ready, end = threading.Event(), asyncio.Event()

    async def serve() -> None:
        parser = ArgumentParser()
        DictBackend.add_subparser("dict", parser.add_subparsers())
        IMAPService.add_arguments(parser)
        said = ["--host", "127.0.0.1", "--port", str(port), *secured, "dict"]
        parser.set_defaults(debug=False, passlib_cfg=None, skip_services=[])
        args = parser.parse_args([*said, "--demo-user", USER, "--demo-password", PASSWORD])
        backend, config = await DictBackend.init(args)
        config.apply_context()
        async with AsyncExitStack() as stack:
            await IMAPService(backend, config).start(stack)
            ready.set()
            await end.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(10)
        loop.close()
