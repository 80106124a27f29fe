"""A file that left the house."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self


@dataclass(frozen=True, slots=True)
class LeftFile:
    """As the audit log names it: whoever has a file can ask by its SHA-256 whether it is this one."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, name: str, content: bytes) -> Self:
        """The file of this name and content.

        >>> LeftFile.of("a.txt", b"abc").sha256[:8]
        'ba7816bf'
        """
        return cls(name, len(content), sha256(content).hexdigest())

    def told(self) -> dict[str, str | int]:
        """Beside what else a line of the log tells."""
        return {"file": self.name, "size": self.size, "sha256": self.sha256}
