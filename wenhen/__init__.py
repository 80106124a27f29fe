"""Find copies of Chinese works on the web, judge them as cases, and report them.

`wenhen.Library`, `compare`, `fingerprint`, `extract` and `parallels` are for notebooks and scripts (docs/notebooks.md).
They are imported on first use. Two settings take effect here, before pymongo and pydantic are imported.
"""

import os
import sys

TYPE_CHECKING = False  # type checkers take it as true; to import it from typing would triple the time of this import
if TYPE_CHECKING:
    from wenhen.notebook.texts import Library, compare, extract, fingerprint, parallels

__all__ = ["Library", "compare", "extract", "fingerprint", "parallels"]

# pymongo imports pyOpenSSL, requests and urllib3 where they are installed, to ask for the revocation of certificates
# (OCSP). Scrapy brings them. They cost every command a quarter of a second, so pymongo uses Python's own TLS.
sys.modules.setdefault("pymongo.pyopenssl_context", None)  # type: ignore[arg-type]  # None makes a module missing

# pydantic looks for plugins among all installed packages: a thirtieth of a short command.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def __getattr__(name: str) -> object:
    """Import what notebooks use, on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("wenhen.notebook.texts"), name)
