"""MongoDB behind the ports, one file a collection."""

from store.mongo.open import open_store

__all__ = ["open_store"]
