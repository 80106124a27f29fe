"""The port of the index over phrases: gram -> the texts that hold it."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:  # a command that looks nothing up can do without
    import numpy as np
    from numpy.typing import NDArray


class IndexedText(NamedTuple):
    """A text as the index takes it. owner: kind:id; digest: of the text, so that it is taken once."""

    owner: str
    digest: str
    grams: "NDArray[np.uint32]"


class PhraseIndex(Protocol):
    """One writer at a time, and any number of readers, on one machine. All methods raise `Unavailable`."""

    def exists(self) -> bool:
        """Whether anything was ever put in."""

    def known(self, owners: Collection[str]) -> dict[str, str]:
        """The digests of those of these owners that have a text in the index."""

    def put(self, texts: Sequence[IndexedText], marks: dict[str, str]) -> None:
        """Put texts in place of the earlier ones of their owners, and keep marks beside them, all or nothing."""

    def mark(self, name: str) -> str | None:
        """A mark that was kept."""

    def holding(self, grams: "NDArray[np.uint32]", limit: int) -> list[str]:
        """The owners whose texts hold all of these grams, those that came in last first."""
