"""Characters that give no letter, to keep the offsets of a text in which something is read as something shorter."""

_INVISIBLE = "\N{ZERO WIDTH SPACE}"


def filled(meant: str, written: str) -> str:
    """What is meant, as long as what is written."""
    return meant + _INVISIBLE * (len(written) - len(meant))
