"""MongoDB behind the ports: rooms as there, one file a collection."""

from store.mongo.engine import standard_tls  # noqa: F401  before anything imports pymongo
from store.mongo.open import open_store

__all__ = ["open_store"]
