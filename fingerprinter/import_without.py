"""Import a module as if certain optional packages were not installed."""

import sys
from importlib import import_module
from types import ModuleType


def import_without(name: str, *others: str) -> ModuleType:
    """Import a module as if the others were not installed. Modules that are imported already stay."""
    hidden = [other for other in others if other not in sys.modules]
    for other in hidden:
        sys.modules[other] = None  # type: ignore[assignment]  # None marks a module as missing
    try:
        return import_module(name)
    finally:
        for other in hidden:
            del sys.modules[other]
