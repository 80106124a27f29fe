"""Functions that numba compiles, for the types that they declare; the machine code is read when one is first called.

numba itself reads it where a function with a signature is declared: a hundred of them cost every process half a second
at its start, and most processes call a few. Code that another compiled function was built into is not read at all.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import Any, Final

from numba import njit
from numba.core.runtime.nrt import rtsys

from fingerprinter import compiled_from_disk

BLAS: Final = "scipy.linalg.cython_blas"
_ALL: Final[list["_FirstUse"]] = []
_ONE_AT_A_TIME: Final = RLock()  # for good: compiling one function may ask for others


def compiled(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function compiled for this signature alone (numba's notation), without the GIL, kept on disk.

    Arguments are cast to the declared types where that loses nothing; raises TypeError for others.
    """

    def declare(function: Callable[..., Any]) -> Any:
        dispatcher = compiled_as_called(function)
        _ALL.append(_FirstUse(dispatcher, signature))
        return dispatcher

    return declare


def compiled_as_called(function: Callable[..., Any]) -> Any:
    """The same for whatever types it is called with.

    Before numba reads code from disk it learns all that it could compile, a tenth of a second in every process. Here it
    reads without; where there is nothing on disk it learns that when it compiles.
    """

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # all that compiled code itself needs
        found = compiled_from_disk.load(cache, signature, context) if compiled_from_disk.KNOWN else None
        if found is None:
            _know_numpy_without_blas()
            found = cache._load_overload(signature, context)
        return found

    dispatcher: Any = njit(cache=True, nogil=True)(function)
    cache = dispatcher._cache
    cache.load_overload = load
    return dispatcher


def load_all() -> None:
    """Compile what is declared and has no code on disk yet; read the rest."""
    for one in _ALL:
        one.load()


def _know_numpy_without_blas() -> None:
    """Let numba learn numpy's functions without looking for BLAS, for which it imports scipy's linear algebra, a tenth
    of what a short command takes: nothing here multiplies matrices.
    """
    if BLAS not in sys.modules:
        sys.modules[BLAS] = None  # type: ignore[assignment]  # so is a module made missing
        try:
            import_module("numba.np.arraymath")
        finally:
            del sys.modules[BLAS]


class _FirstUse:
    """Stands at the two doors by which a function is first asked for, and closes it for all types but its own."""

    def __init__(self, dispatcher: Any, signature: str) -> None:
        self._dispatcher, self._signature = dispatcher, signature
        self._template = dispatcher.get_call_template
        dispatcher._compile_for_args = self._called
        dispatcher.get_call_template = self._asked  # and for those from compiled functions

    def load(self) -> None:
        with _ONE_AT_A_TIME:
            if not self._dispatcher.overloads:
                self._dispatcher.compile(self._signature)
                self._dispatcher.disable_compile()

    def _called(self, *_: Any) -> Any:
        """What numba calls with these arguments."""
        self.load()
        return self._dispatcher

    def _asked(self, *types: Any) -> Any:
        self.load()
        return self._template(*types)
