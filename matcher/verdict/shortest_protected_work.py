"""From how many letters on a work is protected: a shorter one is kept, and marked, and no case opens for it."""

LEAST_WORK = 20  # letters (a quatrain, a slogan)


def is_short(text: str) -> bool:
    """Whether a work has too few characters to be protected."""
    return len(text.strip()) < LEAST_WORK


def too_short(segments: int, text: str) -> bool:
    """Whether no case can open for a work: it has no features (no segments), or too few characters to be protected."""
    return not segments or is_short(text)
