"""Declare functions that numba compiles when they are first called."""

from collections.abc import Callable
from threading import RLock
from typing import Any, Final

_DECLARED: Final[list["Compiled"]] = []  # functions with declared types
_COMPILE_LOCK: Final = RLock()
_BEFORE_COMPILING: Final[list[Callable[[], None]]] = []  # at most one, which is called before this process compiles


def compiled(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function that is compiled for this signature only (numba's notation), without the GIL, and cached on
    disk.

    Arguments are positional, and cast to the declared types if that is lossless. Otherwise TypeError is raised.
    """

    def declare(function: Callable[..., Any]) -> Any:
        _DECLARED.append(Compiled(function, signature))
        return _DECLARED[-1]

    return declare


def compiled_as_called(function: Callable[..., Any]) -> Any:
    """Declare a function that is compiled for the types of its calls."""
    return Compiled(function)


def call_before_compiling(action: Callable[[], None]) -> None:
    """Call this once, before this process first compiles a function whose machine code is not on disk. It replaces what
    was to be called before.

    Compiling takes up to a minute and more, so a program tells people why they wait.
    """
    _BEFORE_COMPILING[:] = [action]


def is_machine_code_complete() -> bool:
    """Return whether the machine code of all functions with declared types, of the imported modules, is on disk."""
    from fingerprinter.numba_cache import is_on_disk

    return all(is_on_disk(declared.get_dispatcher(), declared.signature) for declared in _DECLARED)


def load_all_compiled() -> None:
    """Compile the functions with declared types that are not on disk yet, and load the others."""
    from fingerprinter.numba_cache import load_or_compile

    for declared in _DECLARED:
        load_or_compile(declared.get_dispatcher(), declared.signature)


class Compiled:
    """Stands for a function until its first call, and delegates to numba's dispatcher then. numba sees the
    dispatcher in other compiled functions.
    """

    def __init__(self, function: Callable[..., Any], signature: str = "") -> None:
        self.function, self.signature = function, signature
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self.get_dispatcher())(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.get_dispatcher(), name)

    def get_dispatcher(self) -> Any:
        """Return numba's dispatcher of the function."""
        from fingerprinter.numba_cache import make_dispatcher, make_typed_dispatcher

        with _COMPILE_LOCK:
            if self._compiled is None:
                self._compiled = (
                    make_typed_dispatcher(self.function, self.signature, _announce_compiling)
                    if self.signature
                    else make_dispatcher(self.function, _announce_compiling)
                )
        return self._compiled


def _announce_compiling() -> None:
    while _BEFORE_COMPILING:
        _BEFORE_COMPILING.pop()()
