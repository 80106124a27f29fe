"""The names of this very machine, under which nobody from outside can be meant."""

from typing import Final

LOOPBACK: Final = frozenset(("127.0.0.1", "localhost", "::1"))
