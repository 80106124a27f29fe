"""Compile functions with numba and read their machine code from disk."""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any, Final

from fingerprinter.import_without import import_without

# ruff: noqa: E402  numba imports YAML for a file of settings, and SciPy for its version: a seventh of its import.
import_without("numba", "yaml", "scipy")

# isort: split
import numba
from llvmlite import binding
from numba import njit
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import Environment, lookup_environment
from numba.core.runtime.nrt import rtsys

# Machine code that numba kept on disk, read with no more of numba than it takes to run it.
#
# With each function numba keeps its intermediate code, for others that it is built into, and names the modules of those
# that were built into it. Neither is needed to run: both are read when something is compiled. A short command, which
# calls some thirty functions, takes a fifth less processor time by that.
#
# It knows the inside of numba, and stands aside where that is another release than it was tried with.


TESTED_NUMBA_RELEASES: Final = "0.68."  # releases of numba
IS_TESTED_NUMBA: Final = numba.__version__.startswith(TESTED_NUMBA_RELEASES)
_REBUILD_FUNCTION: Final = (
    "numba.core.environment",
    "_rebuild_env",
)  # the function that an environment is pickled with
_OBJECT_KIND: Final = "object"  # what numba calls machine code


def load_from_disk(cache: Any, signature: Any, context: Any) -> Any:
    """What the cache of a dispatcher has on disk for this signature, ready to be called; None where it has nothing.

    As `numba.core.caching.Cache._load_overload`.
    """
    file = cache._cache_file
    name = file._load_index().get(cache._index_key(signature, context.codegen()))
    if name is None:
        return None
    try:
        with Path(file._data_path(name)).open("rb") as opened:
            kept = _Unpickler(opened).load()
    except OSError:  # it went since the index was read
        return None
    return _rebuild_result(context, *kept)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        return _rebuild_environment if (module, name) == _REBUILD_FUNCTION else super().find_class(module, name)


def _rebuild_environment(module: str, constants: list[Any], name: str) -> Any:
    """What a function was compiled among: compiled code reads its constants alone, so its module is not imported."""
    environment = lookup_environment(name)
    if environment is None:
        known = sys.modules.get(module)
        environment = Environment(vars(known) if known else {"__name__": module})
        environment.consts[:] = constants
        environment.env_name = name
        Environment._memo[name] = environment
    return environment


def _rebuild_result(
    context: Any,
    library: tuple[str, str, Any],
    described: Any,
    environment: Any,
    signature: Any,
    objectmode: Any,
    lifted: Any,
    annotation: Any,
    initialised_by: Any,
    environments: Any,
) -> Any:
    """As `CompileResult._rebuild`, which has the same arguments."""
    for initialise in initialised_by:
        initialise()
    name, kind, (code, intermediate) = library
    assert kind == _OBJECT_KIND
    made = _Library(context.codegen(), name, code, intermediate, described.llvm_cpython_wrapper_name)
    make: Any = compiler.CompileResult  # a named tuple, made in a way that no type checker follows
    result = make(
        target_context=context,
        typing_context=context.typing_context,
        library=made,
        environment=environment,
        entry_point=context.get_executable(made, described, environment),
        fndesc=described,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=initialised_by,
        referenced_envs=environments,
    )
    for one in environments:
        made.codegen.set_env(one.env_name, one)
    return result


class _Library(JITCodeLibrary):
    """Machine code whose intermediate code is read when another function is built with it."""

    def __init__(self, codegen: Any, name: str, code: bytes, intermediate: bytes, called: str) -> None:
        super().__init__(codegen, name)
        self._intermediate, self._called = intermediate, called
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> Any:
        """Where it begins; of its own functions the one that is called from Python is known without looking."""
        if name == self._called:
            return self._codegen._engine.get_function_address(name)
        self._get_module_for_linking()
        return super().get_pointer_to_function(name)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self._intermediate)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return self._shared_module


# Functions as numba makes them, for the types that they declare; the machine code is read when one is first called.
#
# numba itself reads it where a function with a signature is declared: a hundred of them cost every process half a
# second at its start, and most processes call a few. Code that another compiled function was built into is not read at
# all.


_BLAS_MODULE: Final = "scipy.linalg.cython_blas"
_COMPILE_LOCK: Final = RLock()  # for good: compiling one function may ask for others


def make_dispatcher(function: Callable[..., Any]) -> Any:
    """The function for whatever types it is called with.

    Before numba reads code from disk it learns all that it could compile, a tenth of a second in every process. Here it
    reads without; where there is nothing on disk it learns that when it compiles.
    """

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # all that compiled code itself needs
        found = load_from_disk(cache, signature, context) if IS_TESTED_NUMBA else None
        if found is None:
            _import_numpy_typing_without_blas()
            found = cache._load_overload(signature, context)
        return found

    dispatcher: Any = njit(cache=True, nogil=True)(function)
    cache = dispatcher._cache
    cache.load_overload = load
    return dispatcher


def make_typed_dispatcher(function: Callable[..., Any], signature: str) -> Any:
    """The function for this signature alone: the two doors by which it is first asked for, and closed for all types but
    its own.
    """
    dispatcher = make_dispatcher(function)
    template = dispatcher.get_call_template

    def called(*_: Any) -> Any:
        """What numba calls with these arguments."""
        load_or_compile(dispatcher, signature)
        return dispatcher

    def asked(*types: Any) -> Any:
        """What numba asks where a compiled function calls it."""
        load_or_compile(dispatcher, signature)
        return template(*types)

    dispatcher._compile_for_args = called
    dispatcher.get_call_template = asked
    return dispatcher


def load_or_compile(dispatcher: Any, signature: str) -> None:
    """Read its code, or compile it where there is none on disk yet."""
    with _COMPILE_LOCK:
        if not dispatcher.overloads:
            dispatcher.compile(signature)
            dispatcher.disable_compile()


def _import_numpy_typing_without_blas() -> None:
    """Let numba learn numpy's functions without looking for BLAS, for which it imports scipy's linear algebra, a tenth
    of what a short command takes: nothing here multiplies matrices.
    """
    import_without("numba.np.arraymath", _BLAS_MODULE)
