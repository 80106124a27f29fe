"""Text that a store can keep."""


def storable(text: str) -> str:
    """Return the text with `?` for what UTF-8 has no form for.

    For what tells of a failure, which must be kept: the name of a file, or a message with it, may hold lone surrogates.
    """
    return text.encode("utf-8", "replace").decode()
