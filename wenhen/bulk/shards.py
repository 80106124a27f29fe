"""Which shard of a bulk job the pages of a host go to, whichever task reads them."""

from hashlib import blake2b


def shard_of(host: str, shards: int) -> int:
    """Where the pages of a host go."""
    return int.from_bytes(blake2b(host.encode("utf-8", "replace"), digest_size=8).digest()) % shards
