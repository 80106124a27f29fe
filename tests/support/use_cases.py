"""Use cases that change something, and a call of each: `SAMPLES` in the files of `tests/services/samples`."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path

import wenhen
from wenhen.context.use_cases import USE_CASES, Acting

Call = Callable[[Acting], object]
Samples = Mapping[Callable[..., object], Call]  # use case -> a call of it, on an empty store, that changes something

FOLDER = Path(__file__).parents[1] / "services" / "samples"


def use_cases() -> dict[Callable[..., object], str]:
    """All of them, with their actions."""
    root = Path(wenhen.__path__[0]).parent
    for module in pkgutil.walk_packages(wenhen.__path__, "wenhen."):
        file = root.joinpath(*module.name.split(".")).with_suffix(".py")
        if not module.ispkg and "@audited(" in file.read_text(encoding="utf-8"):
            importlib.import_module(module.name)
    return USE_CASES


def samples() -> dict[Callable[..., object], Call]:
    """The call of each use case that has one."""
    found: dict[Callable[..., object], Call] = {}
    for path in sorted(FOLDER.glob("*.py")):
        found |= importlib.import_module(f"tests.services.samples.{path.stem}").SAMPLES
    return found


def name_of(use_case: Callable[..., object]) -> str:
    """As it is imported: wenhen.accounts.users.create_user."""
    return f"{use_case.__module__}.{use_case.__qualname__}"
