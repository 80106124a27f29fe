"""Functions as numba makes them, for the types that they declare; the machine code is read when one is first called.

numba itself reads it where a function with a signature is declared: a hundred of them cost every process half a second
at its start, and most processes call a few. Code that another compiled function was built into is not read at all.
"""

from collections.abc import Callable
from threading import RLock
from typing import Any, Final

from fingerprinter import compiled_from_disk
from store.import_without import import_without

# isort: split
from numba import njit
from numba.core.runtime.nrt import rtsys

BLAS: Final = "scipy.linalg.cython_blas"
_ONE_AT_A_TIME: Final = RLock()  # for good: compiling one function may ask for others


def as_called(function: Callable[..., Any]) -> Any:
    """The function for whatever types it is called with.

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


def for_types(function: Callable[..., Any], signature: str) -> Any:
    """The function for this signature alone: the two doors by which it is first asked for, and closed for all types but
    its own.
    """
    dispatcher = as_called(function)
    template = dispatcher.get_call_template

    def called(*_: Any) -> Any:
        """What numba calls with these arguments."""
        load(dispatcher, signature)
        return dispatcher

    def asked(*types: Any) -> Any:
        """What numba asks where a compiled function calls it."""
        load(dispatcher, signature)
        return template(*types)

    dispatcher._compile_for_args = called
    dispatcher.get_call_template = asked
    return dispatcher


def load(dispatcher: Any, signature: str) -> None:
    """Read its code, or compile it where there is none on disk yet."""
    with _ONE_AT_A_TIME:
        if not dispatcher.overloads:
            dispatcher.compile(signature)
            dispatcher.disable_compile()


def _know_numpy_without_blas() -> None:
    """Let numba learn numpy's functions without looking for BLAS, for which it imports scipy's linear algebra, a tenth
    of what a short command takes: nothing here multiplies matrices.
    """
    import_without("numba.np.arraymath", BLAS)
