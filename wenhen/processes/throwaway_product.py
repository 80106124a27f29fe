"""The product on servers that it starts and throws away: what is measured there touches nobody's data."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wenhen.embedded import throwaway_servers
from wenhen.settings import Settings
from wenhen.wiring import App, open_app


@contextmanager
def throwaway_app(settings: Settings) -> Iterator[App]:
    """The product with these settings, empty, for the block."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="wenhen-throwaway-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        addresses = stack.enter_context(throwaway_servers())
        app = open_app(
            settings.model_copy(
                update={
                    "data": folder,
                    "mongo": settings.mongo.model_copy(update={"url": addresses.mongo_url}),
                    "redis": settings.redis.model_copy(update={"url": addresses.redis_url}),
                    "index": settings.index.model_copy(update={"url": None, "cluster": False}),
                }
            )
        )
        stack.callback(app.store.close)
        yield app
