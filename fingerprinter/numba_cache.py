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

# Machine code from numba's disk cache, loaded with no more of numba than it needs to run.
#
# numba also stores intermediate code of each function, for functions that inline it, and names the modules of inlined
# functions. Running needs neither, so both are read only when something is compiled. That saves a short command, which
# calls about thirty functions, a fifth of its processor time.
#
# This depends on numba's internals, and stands aside for releases that it was not tested with.


TESTED_NUMBA_RELEASES: Final = "0.68."  # releases of numba
IS_TESTED_NUMBA: Final = numba.__version__.startswith(TESTED_NUMBA_RELEASES)
_REBUILD_FUNCTION: Final = (
    "numba.core.environment",
    "_rebuild_env",
)  # pickled environments name this function
_OBJECT_KIND: Final = "object"  # numba's kind of machine code


def load_from_disk(cache: Any, signature: Any, context: Any) -> Any:
    """Return the result that a dispatcher's cache holds on disk for this signature, or None.

    It follows `numba.core.caching.Cache._load_overload`.
    """
    file = cache._cache_file
    name = file._load_index().get(cache._index_key(signature, context.codegen()))
    if name is None:
        return None
    try:
        with Path(file._data_path(name)).open("rb") as opened:
            kept = _Unpickler(opened).load()
    except OSError:  # it vanished after the index was read
        return None
    return _rebuild_result(context, *kept)


def is_on_disk(dispatcher: Any, signature: str) -> bool:
    """Return whether the machine code for this declared signature is on disk. True if numba's release is untested."""
    if not IS_TESTED_NUMBA:
        return True
    cache = dispatcher._cache
    return cache._index_key(signature, dispatcher.targetctx.codegen()) in cache._cache_file._load_index()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        return _rebuild_environment if (module, name) == _REBUILD_FUNCTION else super().find_class(module, name)


def _rebuild_environment(module: str, constants: list[Any], name: str) -> Any:
    """Return the environment of a function. Compiled code reads only its constants, so its module is not imported."""
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
    """Follow `CompileResult._rebuild`, which has the same arguments."""
    for initialise in initialised_by:
        initialise()
    name, kind, (code, intermediate) = library
    assert kind == _OBJECT_KIND
    made = _Library(context.codegen(), name, code, intermediate, described.llvm_cpython_wrapper_name)
    make: Any = compiler.CompileResult  # a named tuple that type checkers do not understand
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
    for referenced in environments:
        made.codegen.set_env(referenced.env_name, referenced)
    return result


class _Library(JITCodeLibrary):
    """Machine code whose intermediate code is loaded only when another function inlines it."""

    def __init__(self, codegen: Any, name: str, code: bytes, intermediate: bytes, called: str) -> None:
        super().__init__(codegen, name)
        self._intermediate, self._called = intermediate, called
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()

    def get_pointer_to_function(self, name: str) -> Any:
        """Return the address of a function. That of the Python wrapper is known without a search."""
        if name == self._called:
            return self._codegen._engine.get_function_address(name)
        self._get_module_for_linking()
        return super().get_pointer_to_function(name)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self._intermediate)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return self._shared_module


# Dispatchers for declared signatures, whose machine code is loaded at the first call.
#
# numba itself loads it at the declaration. A hundred functions would cost every process half a second, and most
# processes call a few. Code that another compiled function inlines is not loaded at all.


_BLAS_MODULE: Final = "scipy.linalg.cython_blas"
_COMPILE_LOCK: Final = RLock()  # reentrant, because compiling one function may compile others


def make_dispatcher(function: Callable[..., Any], before_compiling: Callable[[], None]) -> Any:
    """Return a dispatcher for the types of its calls.

    Before numba loads code from disk it learns all types that it could compile, which takes a tenth of a second. Here
    it loads without, and learns them only to compile.
    """

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # compiled code needs nothing else
        result = load_from_disk(cache, signature, context) if IS_TESTED_NUMBA else None
        if result is None:
            _import_numpy_typing_without_blas()
            result = cache._load_overload(signature, context)
        if result is None:
            before_compiling()
        return result

    dispatcher: Any = njit(cache=True, nogil=True)(function)
    cache = dispatcher._cache
    cache.load_overload = load
    return dispatcher


def make_typed_dispatcher(function: Callable[..., Any], signature: str, before_compiling: Callable[[], None]) -> Any:
    """Return a dispatcher for this signature only. Both of its entry points load or compile the code first."""
    dispatcher = make_dispatcher(function, before_compiling)
    template = dispatcher.get_call_template

    def compile_for_call(*_: Any) -> Any:
        """Handle a call from Python."""
        load_or_compile(dispatcher, signature)
        return dispatcher

    def compile_for_template(*types: Any) -> Any:
        """Handle a call from a compiled function."""
        load_or_compile(dispatcher, signature)
        return template(*types)

    dispatcher._compile_for_args = compile_for_call
    dispatcher.get_call_template = compile_for_template
    return dispatcher


def load_or_compile(dispatcher: Any, signature: str) -> None:
    """Load the code, or compile it if there is none on disk."""
    with _COMPILE_LOCK:
        if not dispatcher.overloads:
            dispatcher.compile(signature)
            dispatcher.disable_compile()


def _import_numpy_typing_without_blas() -> None:
    """Let numba learn numpy's functions without BLAS. For BLAS it imports scipy's linear algebra, a tenth of a short
    command, and nothing here multiplies matrices.
    """
    import_without("numba.np.arraymath", _BLAS_MODULE)
