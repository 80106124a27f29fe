"""What gives no letter, to keep the offsets of a text in which something is read as something shorter."""

NOTHING = 0x200B  # the code point that stands in place of what is not read


def filled(meant: str, written: str) -> str:
    """What is meant, as long as what is written."""
    return meant + chr(NOTHING) * (len(written) - len(meant))
