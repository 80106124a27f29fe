"""Declare functions that numba compiles when they are first called."""

from collections.abc import Callable
from threading import RLock
from typing import Any, Final

_DECLARED: Final[list["Compiled"]] = []  # that declare their types
_COMPILE_LOCK: Final = RLock()


def compiled(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function compiled for this signature alone (numba's notation), without the GIL, kept on disk.

    Arguments are given by their place, and cast to the declared types where that loses nothing; raises TypeError for
    others.
    """

    def declare(function: Callable[..., Any]) -> Any:
        _DECLARED.append(Compiled(function, signature))
        return _DECLARED[-1]

    return declare


def compiled_as_called(function: Callable[..., Any]) -> Any:
    """The same for whatever types it is called with."""
    return Compiled(function)


def load_all_compiled() -> None:
    """Compile what declares its types and has no code on disk yet; read the rest."""
    from fingerprinter.numba_cache import load_or_compile

    for one in _DECLARED:
        load_or_compile(one.made(), one.signature)


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
        from fingerprinter.numba_cache import make_dispatcher, make_typed_dispatcher

        with _COMPILE_LOCK:
            if self._made is None:
                function, signature = self.function, self.signature
                self._made = make_typed_dispatcher(function, signature) if signature else make_dispatcher(function)
        return self._made
