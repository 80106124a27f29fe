"""MongoDB behind the ports: rooms as there, one file a collection."""

from store.mongo.open import open_store

__all__ = ["open_store"]
