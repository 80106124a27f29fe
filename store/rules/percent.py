"""A share as people read it, on screens, in reports and in letters alike."""


def percent(share: float) -> str:
    """One decimal, and never rounded up to the whole or down to nothing.

    >>> percent(0.9996), percent(1.0), percent(0.0002)
    ('99.9%', '100%', '<0.1%')
    """
    if 0.999 <= share < 1:
        return "99.9%"
    if 0 < share < 0.001:
        return "<0.1%"
    return "100%" if share >= 1 else f"{share:.1%}"
