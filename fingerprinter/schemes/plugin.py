"""Make schemes of what other distributions offer."""

from fingerprinter.schemes.scheme import Scheme


def make_scheme(loaded: object) -> Scheme:
    """Return the scheme that a plug-in names: an instance, or a class or function that makes one.

    Raises TypeError for anything else.
    """
    made = loaded() if callable(loaded) else loaded
    if not isinstance(made, Scheme):
        raise TypeError(f"{type(made).__name__} is no fingerprinter.schemes.scheme.Scheme")
    return made
