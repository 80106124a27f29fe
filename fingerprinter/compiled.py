"""Functions that numba compiles. numba itself is imported when one is first called: it takes a sixth of a second
of a processor, and many a program only passes by, or asks for something else that stands beside them.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any, Final

_ALL: Final[list["Compiled"]] = []  # that declare their types
_ONE_AT_A_TIME: Final = RLock()


def compiled(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function compiled for this signature alone (numba's notation), without the GIL, kept on disk.

    Arguments are given by their place, and cast to the declared types where that loses nothing; raises TypeError for
    others.
    """

    def declare(function: Callable[..., Any]) -> Any:
        _ALL.append(Compiled(function, signature))
        return _ALL[-1]

    return declare


def compiled_as_called(function: Callable[..., Any]) -> Any:
    """The same for whatever types it is called with."""
    return Compiled(function)


def load_all() -> None:
    """Compile what declares its types and has no code on disk yet; read the rest."""
    from fingerprinter.made_by_numba import load

    for one in _ALL:
        load(one.made(), one.signature)


class Compiled:
    """Stands for a function until it is first called, and hands on from then: to numba, which meets it in other
    compiled functions, it shows itself as what it stands for.
    """

    def __init__(self, function: Callable[..., Any], signature: str = "") -> None:
        self.function, self.signature = function, signature
        self._made: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._made or self.made())(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made(), name)

    def made(self) -> Any:
        """What numba makes of it."""
        from fingerprinter.made_by_numba import as_called, for_types

        with _ONE_AT_A_TIME:
            if self._made is None:
                function, signature = self.function, self.signature
                self._made = for_types(function, signature) if signature else as_called(function)
        return self._made
