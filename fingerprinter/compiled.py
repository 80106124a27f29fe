"""Declare functions that numba compiles when they are first called."""

import subprocess
from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any, Final

_DECLARED: Final[list["Compiled"]] = []  # functions with declared types
_COMPILE_LOCK: Final = RLock()


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


def compile_in_child(command: Sequence[str]) -> None:
    """Run a command that compiles, if the machine code of a declared function is not on disk.

    A process that compiles keeps up to 600 MB until it ends. So processes that live long call this first, and read from
    disk what the child compiled. If it fails, this process compiles what it calls. Needs the modules to be imported.
    """
    from fingerprinter.numba_cache import is_on_disk

    if not all(is_on_disk(declared.get_dispatcher(), declared.signature) for declared in _DECLARED):
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)


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
                function, signature = self.function, self.signature
                self._compiled = make_typed_dispatcher(function, signature) if signature else make_dispatcher(function)
        return self._compiled
