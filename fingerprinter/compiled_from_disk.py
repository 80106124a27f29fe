"""Machine code that numba kept on disk, read with no more of numba than it takes to run it.

With each function numba keeps its intermediate code, for others that it is built into, and names the modules of those
that were built into it. To run it takes neither: the one is read, and the others imported, when something is compiled.
A short command, which calls some thirty functions, takes a fifth less of a processor's time by that.

It knows the inside of numba, and stands aside where that is another release than it was tried with.
"""

import pickle
import sys
from pathlib import Path
from typing import Any, Final

from fingerprinter import lean_numba  # noqa: F401  before numba is imported

# isort: split
import numba
from llvmlite import binding
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import Environment, lookup_environment

TRIED: Final = "0.68."  # releases of numba
KNOWN: Final = numba.__version__.startswith(TRIED)
_REBUILDS: Final = ("numba.core.environment", "_rebuild_env")  # the function that an environment is pickled with
_OBJECT: Final = "object"  # what numba calls machine code


def load(cache: Any, signature: Any, context: Any) -> Any:
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
    return _ready(context, *kept)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        return _environment if (module, name) == _REBUILDS else super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """What a function was compiled among: compiled code reads its constants alone, so its module is not imported."""
    found = lookup_environment(name)
    if found is None:
        known = sys.modules.get(module)
        found = Environment(vars(known) if known else {"__name__": module})
        found.consts[:] = constants
        found.env_name = name
        Environment._memo[name] = found
    return found


def _ready(
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
    assert kind == _OBJECT
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
